"""signed in as administrator, listed users and roles, read the schema"""

from client import PASSWORD, USER, check, connected
from page import Browser, Form

GUIDE = "RosterWithDirectoryBrowsers", "LDAP Account Manager"


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
    seen = browser.open("/lam/templates/schema/schema.php")
    check("the schema is read", "inetOrgPerson" in seen, seen[-1500:])
    return root.version("ldap-account-manager")
