"""signed in as administrator, changed an entry, read the schema"""

from client import PASSWORD, PEOPLE, USER, check, connected
from page import Browser, Form
from with_lam import read_title

GUIDE = "RosterWithDirectoryBrowsers", "phpLDAPadmin"


def test(root, guide):
    root.start("apachectl", "-X")
    connected(80)
    browser = Browser("http://127.0.0.1/phpldapadmin/cmd.php")
    page = "cmd.php?cmd=login_form&server_id=1"
    fields = browser.fields(page)
    seen = browser.open("cmd.php", fields, cmd="login", server_id="1", login=f"uid=admin,{PEOPLE}", login_pass="wrong")
    check("a wrong password is refused", "Failed to Authenticate" in seen or "Invalid credentials" in seen, seen[-1500:])
    fields = browser.fields(page)
    seen = browser.open("cmd.php", fields, cmd="login", server_id="1", login=f"uid=admin,{PEOPLE}", login_pass=PASSWORD)
    check("the administrator signs in", "Successfully logged into server" in seen,
          seen[-2500:] + root.read("/var/log/apache2/error.log")[-1500:])
    seen = browser.open(f"cmd.php?cmd=template_engine&server_id=1&dn=uid%3D{USER}%2Cou%3Dpeople%2Cdc%3Dexample%2Cdc%3Dcom")
    check("an entry is shown", "haruka.ito@nordwind.example" in seen, seen[-2500:])
    title = {"new_values[title][0]": "Chief"}
    seen = browser.open("cmd.php", {**Form(seen).fields, **title}, cmd="update")
    check("a change of the entry is kept", read_title(root) == "Chief", seen[-2500:])
    seen = browser.open("cmd.php?cmd=schema&server_id=1&view=objectclasses")
    check("the schema is read", "inetOrgPerson" in seen, seen[-1500:])
    return root.version("phpldapadmin")
