#!/usr/bin/env python3
"""Exports directories as LDIF, gives them to OpenLDAP's slapadd and ldapadd, and imports what slapcat and ldapsearch write.

usage: ldif_slapd.py ROSTER_BINARY (needs slapd and ldap-utils; run it in the project's folder)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROSTER = os.path.abspath(sys.argv[1])
BASE = "dc=example,dc=com"
CONFIG = f"""dn: cn=config
objectClass: olcGlobal
cn: config

dn: cn=schema,cn=config
objectClass: olcSchemaConfig
cn: schema

include: file:///etc/ldap/schema/core.ldif
include: file:///etc/ldap/schema/cosine.ldif
include: file:///etc/ldap/schema/inetorgperson.ldif
include: file://FOLDER/roster.ldif

dn: cn=module,cn=config
objectClass: olcModuleList
cn: module
olcModulePath: /usr/lib/ldap
olcModuleLoad: back_mdb

dn: olcDatabase=mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: mdb
olcSuffix: {BASE}
olcRootDN: cn=root,{BASE}
olcRootPW: secret
olcDbDirectory: FOLDER/data
olcDbMaxSize: 100000000
olcSizeLimit: unlimited
"""

names = ["comma,name", "plus+name", 'quote"name', "colon:name", "less<more>", "tilde~name", "#hash", "equals=sign",
         "müller", "李雷", "smile😀", "two words", "dot.name", "o'neil", "*star(paren)"]
jpeg = "/9j/4AAQSkZJRgABAQAAAQABAAD/2Q=="
nasty = {
    "attributes": [
        {"name": "badge", "type": "integer"}, {"name": "ratio", "type": "decimal"}, {"name": "vacant", "type": "boolean"},
        {"name": "since", "type": "time"}, {"name": "key", "type": "binary"}, {"name": "tags", "multiValued": True},
        {"name": "under_score"}, {"name": "uidNumber", "type": "integer"}, {"name": "memberCount", "type": "integer"},
        {"name": "keys", "type": "binary", "multiValued": True}, {"name": "times", "type": "time", "multiValued": True},
        {"name": "level", "of": "role", "type": "integer"}, {"name": "labels", "of": "role", "multiValued": True},
    ],
    "people": [{"uid": name, "familyName": name, **({"manager": names[number // 2]} if number else {})}
               for number, name in enumerate(names)] + [
        {"uid": "bare"}, {"uid": "off", "active": False, "commonName": "  Odd  Spaces "},
        {"uid": "text", "description": "one\ntwo\r\n three ", "title": ":colon", "department": "<less", "nickName": " x ",
         "initials": "É.", "preferredLanguage": "de-DE, en;q=0.5", "locale": "de", "gender": "x", "profileUrl": "https://x.example/ä"},
        {"uid": "long", "description": "ä" * 30000, "displayName": "x" * 5000},
        {"uid": "mails", "emails": ["first@x.example", "second@x.example"]},
        {"uid": "twins", "emails": ["same@x.example", "SAME@x.example"]},
        {"uid": "umlaut", "mail": "jörg@bücher.example"},
        {"uid": "typed", "emails": [{"value": "work@x.example", "type": "work", "primary": True}]},
        {"uid": "phones", "telephoneNumber": "+49 30 12/34", "mobile": "ext. #5 (ask)", "fax": "--", "pager": "☎", "homePhone": "1"},
        {"uid": "places", "country": "DE", "street": "Straße 1", "postalAddress": "A\nB $1\\2", "homeAddress": "C"},
        {"uid": "country", "country": "Germany"},
        {"uid": "picture", "photo": jpeg}, {"uid": "nopicture", "photo": "AAEC"},
        {"uid": "own", "badge": -5, "ratio": 0.25, "vacant": False, "since": "2026-01-31T09:00:00.123Z", "key": "AAH/",
         "tags": ["b", "a", "B", "ä"], "under_score": "_", "uidNumber": 7, "keys": ["AQI=", "/w=="],
         "times": ["2026-01-31T09:00:00Z", "1999-12-31T23:59:59Z"], "memberCount": 1},
        {"uid": "false", "badge": 0, "vacant": True, "commonName": "{\"x\":1}", "familyName": "[1]"},
    ],
    "roles": [
        {"name": "empty"}, {"name": "empty, described", "description": "Nobody", "organization": "O", "category": "C",
                            "mail": "rolle@bücher.example", "displayName": "Leer", "level": 3, "labels": ["x", "y"]},
        {"name": "all+of,them", "members": names, "owners": ["bare"], "organization": "O", "category": "C", "mail": "r@x.example"},
        {"name": "nested <1>", "members": ["bare"], "roles": ["empty", "all+of,them"], "ownerRoles": ["empty, described"]},
        {"name": "#only roles", "roles": ["nested <1>"]}, {"name": "owned", "owners": ["müller"], "ownerRoles": ["empty"]},
        {"name": "bare", "members": ["bare"]},
    ],
}

# As servers of others write it: comments, folded and encoded lines, operational attributes, other object classes, and people
# whose distinguished name does not have their uid.
FOREIGN = """version: 1
# extended LDIF
#
# filter: (objectclass=*)

dn: dc=example,dc=com
objectClass: top
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: cn=admin,dc=example,dc=com
objectClass: simpleSecurityObject
objectClass: organizationalRole
cn: admin

dn: ou=Menschen,dc=example,dc=com
objectClass: organizationalUnit
ou: Menschen

dn:: Y249SsO2cmcgTcO8bmNoLG91PU1lbnNjaGVuLGRjPWV4YW1wbGUsZGM9Y29t
objectClass: inetOrgPerson
cn:: SsO2cmcgTcO8bmNo
sn:: TcO8bmNo
uid: joerg
structuralObjectClass: inetOrgPerson
entryUUID: 5b3b6b0e-0000-1040-8000-000000000001
creatorsName: cn=admin,dc=example,dc=com
createTimestamp: 20260101000000Z
entryCSN: 20260101000000.000000Z#000000#000#000000
modifiersName: cn=admin,dc=example,dc=com
modifyTimestamp: 20260101000000Z

dn: cn=Jane Doe,ou=Menschen,dc=example,dc=com
objectClass: inetOrgPerson
cn: Jane Doe
sn: Doe
uid: jane
userPassword:: e1NTSEF9eA==
manager: CN=J\\C3\\B6rg M\\C3\\BCnch, ou=menschen,dc=example,
 dc=com
description: a line that is
  folded

dn: cn=printer,dc=example,dc=com
objectClass: device
cn: printer

dn: cn=editors,ou=Gruppen,dc=example,dc=com
objectClass: groupOfNames
cn: editors
member: cn=Jane Doe,ou=Menschen,dc=example,dc=com
member: cn=writers,ou=Gruppen,dc=example,dc=com

dn: cn=writers,ou=Gruppen,dc=example,dc=com
objectClass: groupOfUniqueNames
cn: writers
uniqueMember:: Y249SsO2cmcgTcO8bmNoLG91PU1lbnNjaGVuLGRjPWV4YW1wbGUsZGM9Y29t

dn: cn=unix,ou=Gruppen,dc=example,dc=com
objectClass: posixGroup
cn: unix
gidNumber: 100
memberUid: jane
"""


def run(*command, allowed=(0,)):
    done = subprocess.run(command, capture_output=True)
    if done.returncode not in allowed:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n"
                         f"{done.stdout.decode()[-1000:]}\n{done.stderr.decode()[-3000:]}")
    return done.stdout.decode()



def imported(folder, name, ldif, declarations, allowed=(0,)):
    """The JSON export of a new directory that imported an LDIF document."""
    path, seed, database = folder / f"{name}.ldif", folder / f"{name}-own.json", folder / f"{name}.db"
    path.write_text(ldif)
    seed.write_text(json.dumps({"attributes": declarations}))
    run(ROSTER, "seed", "--database", database, seed)
    run(ROSTER, "import", "--database", database, "--grant-roles", path, allowed=allowed)
    return json.loads(run(ROSTER, "export", "--database", database))


def copied(folder, name, server, declarations):
    """The JSON export of a new directory that imported from a running server, twice."""
    seed, database, secret = folder / f"{name}-own.json", folder / f"{name}.db", folder / "secret"
    seed.write_text(json.dumps({"attributes": declarations}))
    secret.write_text("secret\n")
    run(ROSTER, "seed", "--database", database, seed)
    command = [ROSTER, "import", "--database", database, "--grant-roles", "--preset", "openldap", "--bind-dn", f"cn=root,{BASE}",
               "--bind-password-file", secret, server.url]
    preview = run(*command, "--dry-run")
    assert "This was a dry run" in preview, preview
    run(*command)
    again = run(*command)
    assert "users: 0 created, 0 changed" in again, again
    return json.loads(run(ROSTER, "export", "--database", database))


def differences(before, after):
    for kind, key in (("people", "uid"), ("roles", "name")):
        old, new = ({entry[key]: entry for entry in export[kind]} for export in (before, after))
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                yield f"{kind[:-1] if kind == 'roles' else 'person'} {name!r}: {old.get(name)!s:.600} became {new.get(name)!s:.600}"


class Server:
    """A slapd with a configuration and data of its own in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.config = folder / "config"
        self.config.mkdir(parents=True)
        (folder / "data").mkdir()
        (folder / "roster.ldif").write_text(run(ROSTER, "export", "--ldap-schema"))
        (folder / "config.ldif").write_text(CONFIG.replace("FOLDER", str(folder)))
        run("/usr/sbin/slapadd", "-n", "0", "-F", self.config, "-l", folder / "config.ldif")

    def __enter__(self):
        self.url = "ldapi://" + str(self.folder / "socket").replace("/", "%2F")
        self.log = (self.folder / "log").open("wb")
        self.process = subprocess.Popen(
            ["/usr/sbin/slapd", "-d", "0", "-F", self.config, "-h", self.url], stdout=self.log, stderr=self.log)
        end = time.monotonic() + 20
        while subprocess.run(["ldapwhoami", "-x", "-H", self.url], capture_output=True).returncode:
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit("slapd does not start: " + (self.folder / "log").read_text())
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def check(folder, name, seed):
    database, ldif = folder / f"{name}.db", folder / f"{name}.ldif"
    run(ROSTER, "seed", "--database", database, seed)
    before = json.loads(run(ROSTER, "export", "--database", database))
    run(ROSTER, "export", "--database", database, "--format", "ldif", "--base-dn", BASE, "--output", ldif)
    count = sum(line.startswith(("dn:")) for line in ldif.read_text().splitlines())
    declarations = before["attributes"]

    offline = Server(folder / f"{name}-slapadd")
    run("/usr/sbin/slapadd", "-F", offline.config, "-b", BASE, "-l", ldif)
    taken = {"slapadd and slapcat": run("/usr/sbin/slapcat", "-F", offline.config, "-b", BASE)}
    with Server(folder / f"{name}-ldapadd") as server:
        login = ["-x", "-H", server.url, "-D", f"cn=root,{BASE}", "-w", "secret"]
        run("ldapadd", *login, "-f", ldif)
        taken["ldapadd and ldapsearch"] = run("ldapsearch", *login, "-LLL", "-b", BASE, "*", "+")
        found = list(differences(before, copied(folder, f"{name}-copied", server, declarations)))
        if found:
            raise SystemExit(f"{name}: import from slapd:\n" + "\n".join(found[:10]))
        print(f"{name}: import from slapd, twice: the same people and roles")
        wrong = subprocess.run([ROSTER, "import", "--database", folder / "none.db", "--dry-run", "--bind-dn", f"cn=root,{BASE}",
                                "--bind-password-file", "/dev/stdin", server.url], input=b"wrong\n", capture_output=True)
        assert wrong.returncode == 1 and b"Invalid credentials" in wrong.stderr and b"wrong" not in wrong.stderr, wrong
    taken["the export itself"] = ldif.read_text()
    for number, (way, text) in enumerate(taken.items()):
        entries = sum(line.startswith("dn:") for line in text.splitlines())
        if entries != count:
            raise SystemExit(f"{name}: {way}: {entries} of {count} entries")
        found = list(differences(before, imported(folder, f"{name}-{number}", text, declarations)))
        if found:
            raise SystemExit(f"{name}: {way}:\n" + "\n".join(found[:10]))
        print(f"{name}: {way}: {entries} of {count} entries, the same people and roles")


def check_foreign(folder):
    # The exit code tells that the password and the number of the group were named and not imported.
    after = imported(folder, "foreign", FOREIGN, [], allowed=(3,))
    people = {person["uid"]: person for person in after["people"]}
    roles = {role["name"]: role for role in after["roles"]}
    assert people.keys() == {"joerg", "jane"}, people.keys()
    assert people["jane"].get("manager") == "joerg", people["jane"]
    assert people["jane"]["description"] == "a line that is folded", people["jane"]
    assert roles.keys() == {"editors", "writers", "unix"}, roles.keys()
    assert roles["editors"]["members"] == ["jane"] and roles["editors"]["roles"] == ["writers"], roles
    assert roles["writers"]["members"] == ["joerg"] and roles["unix"]["members"] == ["jane"], roles
    print("entries of another server: people, managers and groups are found")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "nasty.json").write_text(json.dumps(nasty))
    check(folder, "company", "Seeds/company.json")
    check(folder, "nasty", folder / "nasty.json")
    check_foreign(folder)
