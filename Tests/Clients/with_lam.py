"""signed in as administrator, listed users and roles, changed a user, read the schema"""

import html
import re
import urllib.parse

from client import BASE, PASSWORD, PEOPLE, USER, check, connected
from page import Browser, Form

GUIDE = "RosterWithDirectoryBrowsers", "LDAP Account Manager"


def read_title(root):
    """The title that the directory has now."""
    found = root.do("php", "-r", f"""$ldap = ldap_connect('ldaps://id.example.com');
        ldap_set_option($ldap, LDAP_OPT_PROTOCOL_VERSION, 3);
        ldap_bind($ldap, 'uid=admin,{PEOPLE}', '{PASSWORD}');
        echo ldap_get_entries($ldap, ldap_search($ldap, '{BASE}', '(uid={USER})'))[0]['title'][0];""")
    return found.strip()


def test(root, guide):
    root.start("apachectl", "-X")
    connected(80)
    browser = Browser("http://127.0.0.1/lam/templates/login.php")
    fields = browser.fields("login.php")
    seen = browser.open("login.php", fields, username="admin", passwd="wrong", checklogin="checklogin")
    check("a wrong password is refused", "Wrong password" in seen, seen[-1500:])
    fields = Form(seen).fields
    seen = browser.open("login.php", fields, username="admin", passwd=PASSWORD, checklogin="checklogin")
    check("the administrator signs in", browser.status == 200 and "logout" in seen.lower() and "login.php" not in browser.address,
          browser.address + seen[-2500:] + root.read("/var/log/apache2/error.log")[-1500:])
    seen = browser.open("/lam/templates/lists/list.php?type=user")
    check("users are listed", USER in seen and "haruka.ito@nordwind.example" in seen, seen[-2500:])
    seen = browser.open("/lam/templates/lists/list.php?type=group")
    check("roles are listed", "engineering" in seen and "platform" in seen, seen[-2500:])
    dn = urllib.parse.quote(f"'uid={USER},{PEOPLE}'")
    seen = browser.open(f"/lam/templates/account/edit.php?type=user&DN={dn}")
    fields = {name: "Chief" if value == "Team Lead Database" else value for name, value in Form(seen).fields.items()}
    action = html.unescape(re.search(r'action="(edit.php[^"]*)"', seen)[1]) if "edit.php?editKey" in seen else "edit.php"
    seen = browser.open(action, fields, accountContainerSaveAccount="Save")
    check("a change of a user is kept", read_title(root) == "Chief", seen[-2500:])
    seen = browser.open("/lam/templates/schema/schema.php")
    check("the schema is read", "inetOrgPerson" in seen, seen[-1500:])
    return root.version("ldap-account-manager")
