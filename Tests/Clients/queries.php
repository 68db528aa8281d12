<?php
// Sends what Nextcloud (user_ldap) and Keycloak (LDAP federation) ask a directory, and prints whether the answers serve them.
const BASE = 'dc=example,dc=com';
const PEOPLE = 'ou=people,' . BASE, GROUPS = 'ou=groups,' . BASE, USER = 'uid=haruka.ito,' . PEOPLE;
$directory = ldap_connect('ldaps://id.example.com');
ldap_set_option($directory, LDAP_OPT_PROTOCOL_VERSION, 3);
ldap_set_option($directory, LDAP_OPT_REFERRALS, 0);
ldap_set_option($directory, LDAP_OPT_NETWORK_TIMEOUT, 15);

function check(string $name, bool $holds, $shown = ''): void {
    echo $holds ? "ok $name\n" : "FAILED $name: " . json_encode($shown) . "\n";
}

/** All entries of a paged search, as Nextcloud and Keycloak send it, and whether each answer had the control of pages. */
function pages($directory, string $base, string $filter, array $attributes, int $size): array {
    [$entries, $cookie, $answered] = [[], '', true];
    for ($page = 0; $page < 100; $page++) {
        $control = ['oid' => LDAP_CONTROL_PAGEDRESULTS, 'iscritical' => true, 'value' => ['size' => $size, 'cookie' => $cookie]];
        $found = ldap_search($directory, $base, $filter, $attributes, 0, 0, 0, LDAP_DEREF_NEVER, [$control]);
        if (!$found || !ldap_parse_result($directory, $found, $code, $dn, $message, $referrals, $controls) || $code != 0) {
            return [$entries, false];
        }
        $answered = $answered && isset($controls[LDAP_CONTROL_PAGEDRESULTS]);
        $part = ldap_get_entries($directory, $found);
        unset($part['count']);
        $entries = array_merge($entries, $part);
        $cookie = $controls[LDAP_CONTROL_PAGEDRESULTS]['value']['cookie'] ?? '';
        if ($cookie === '') {
            return [$entries, $answered];
        }
    }
    return [$entries, false];
}

check('PHP binds as the reader', ldap_bind($directory, 'uid=reader,' . PEOPLE, $argv[1]));

// Nextcloud: its wizard, then a user, the user's picture and groups, and the members of a group.
$dse = ldap_get_entries($directory, ldap_read($directory, '', '(objectClass=*)', ['*', '+', 'supportedControl']))[0];
check('the root DSE offers pages', in_array(LDAP_CONTROL_PAGEDRESULTS, $dse['supportedcontrol']), $dse);
$base = ldap_get_entries($directory, ldap_read($directory, BASE, '(objectClass=*)', ['*']));
check('the base can be read', $base['count'] == 1, $base);
$filter = '(&(|(objectclass=inetOrgPerson))(|(memberof=cn=engineering,' . GROUPS . ')))';
$wanted = ['entryuuid', 'nsuniqueid', 'objectguid', 'guid', 'ipauniqueid', 'dn', 'uid', 'samaccountname', 'memberof', 'mail', 'displayname',
    'jpegphoto', 'thumbnailphoto', 'homedirectory'];
[$users, $answered] = pages($directory, BASE, $filter, $wanted, 5);
check('users come in pages', $answered && count($users) > 10, count($users));
check('each has an identifier and a name', count(array_filter($users, fn($u) => isset($u['entryuuid'][0], $u['uid'][0]))) == count($users));
$one = ldap_get_entries($directory, ldap_search($directory, BASE, '(&(|(objectclass=inetOrgPerson))(uid=haruka.ito))', $wanted, 0, 1));
check('a user signs in by name', $one['count'] == 1 && in_array('cn=everyone,' . GROUPS, $one[0]['memberof']), $one);
$by_id = ldap_search($directory, BASE, '(&(objectclass=inetOrgPerson)(entryuuid=' . $one[0]['entryuuid'][0] . '))', ['dn']);
check('a user is found by the identifier', ldap_get_entries($directory, $by_id)[0]['dn'] == USER);
$photo = @ldap_read($directory, USER, '(objectClass=*)', ['jpegPhoto', 'thumbnailPhoto']);
check('a picture that is not there is no error', $photo && ldap_get_entries($directory, $photo)[0]['count'] == 0);
$words = '(&(|(objectclass=inetOrgPerson))(|(uid=har*)(cn=har*)(mail=har*)(displayname=har*)))';
[$found] = pages($directory, BASE, $words, ['uid'], 500);
check('a user is found by the beginning of a name', in_array(USER, array_column($found, 'dn')), $found);
$groups = '(&(|(objectclass=groupOfNames))(|(cn=engineering)(cn=sales)))';
[$found] = pages($directory, BASE, $groups, ['cn', 'entryuuid', 'description', 'member'], 500);
check('groups have members', count($found) == 2 && $found[0]['member']['count'] > 2, $found);
[$found] = pages($directory, BASE, '(&(|(objectclass=groupOfNames))(member=' . USER . '))', ['cn', 'dn'], 500);
check('the direct groups of a user', array_column($found, 'dn') == ['cn=platform,' . GROUPS], $found);
[$found] = pages($directory, BASE, '(member:1.2.840.113556.1.4.1941:=' . USER . ')', ['cn'], 500);
check('all groups of a user', count($found) >= 3, $found);
$counted = @ldap_search($directory, BASE, '(objectclass=inetOrgPerson)', ['dn'], 1, 10);
check('the wizard counts up to a limit', ldap_count_entries($directory, $counted) == 10 && ldap_errno($directory) == 4);
$gone = @ldap_read($directory, 'uid=gone,' . PEOPLE, '(objectClass=*)', ['dn']);
check('a user who is not there is noSuchObject', $gone === false && ldap_errno($directory) == 32, ldap_errno($directory));

// Keycloak: sign-in, all users, those that changed, groups of a user and of the realm.
$user = '(&(uid=haruka.ito)(objectclass=inetOrgPerson)(objectclass=organizationalPerson))';
[$found] = pages($directory, PEOPLE, $user, ['uid', 'mail', 'sn', 'cn', 'entryUUID', 'createTimestamp', 'modifyTimestamp', 'objectclass',
    'userAccountControl', 'pwdLastSet'], 1000);
check('Keycloak finds the user', count($found) == 1 && isset($found[0]['entryuuid'][0], $found[0]['modifytimestamp'][0]), $found);
[$all, $answered] = pages($directory, PEOPLE, '(&(objectclass=inetOrgPerson)(objectclass=organizationalPerson))', ['uid', 'entryUUID'], 7);
check('Keycloak reads all users', $answered && count($all) > 40, count($all));
$since = fn($time) => '(&(&(objectclass=inetOrgPerson)(objectclass=organizationalPerson))' .
    "(|(createTimestamp>=$time)(modifyTimestamp>=$time)))";
[$found] = pages($directory, PEOPLE, $since('20200101000000Z'), ['uid'], 1000);
check('Keycloak reads who changed since a time', count($found) == count($all), count($found));
[$found] = pages($directory, PEOPLE, $since('20990101000000.0Z'), ['uid'], 1000);
check('nobody changed in the future', $found == [], $found);
[$found] = pages($directory, GROUPS, '(objectclass=groupOfNames)', ['cn', 'member', 'entryUUID'], 1000);
check('Keycloak reads all groups', count($found) >= 9, count($found));
[$found] = pages($directory, GROUPS, '(&(member=' . USER . ')(objectclass=groupOfNames))', ['cn'], 1000);
check('Keycloak reads the groups of a user', array_column($found, 'dn') == ['cn=platform,' . GROUPS], $found);
