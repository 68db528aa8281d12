"""signed in a member of a role, also through another role, at the page"""

import os
import re
import sqlite3

from client import MAIL, OTHER, PASSWORD, USER, check, connected
from page import Browser
from with_python_ldap import version

GUIDE = "RosterWithPythonApps", "pgAdmin"


def page_after(name, password):
    """The address to which a sign-in leads."""
    browser = Browser("http://127.0.0.1:5050/login")
    seen = browser.open("/login")
    token = re.search(r'"?csrfToken"?:\s*"([^"]+)"|name="csrf_token"[^>]*value="([^"]+)"', seen)
    browser.open("/authenticate/login", {"email": name, "password": password, "csrf_token": token and (token[1] or token[2])})
    return browser.address


def test(root, guide):
    root.start("env", f"PATH={os.environ['VENV']}/bin:/usr/bin:/bin", "PGADMIN_SETUP_EMAIL=admin@example.com",
               "PGADMIN_SETUP_PASSWORD=not used here", "pgadmin4")
    connected(5050)
    address = page_after(USER, PASSWORD)
    check("a member signs in", address.endswith("/browser/"), f"{address} {root.read('/log')[-1500:]}")
    with sqlite3.connect(root.path / "var/lib/pgadmin/pgadmin4.db") as database:
        users = database.execute("SELECT username, email FROM user WHERE auth_source = 'ldap'").fetchall()
    check("pgAdmin knows the name and the mail address", users == [(USER, MAIL)], users)
    check("a wrong password is refused", "/browser/" not in page_after(USER, "wrong"))
    check("who is not in the role is refused", "/browser/" not in page_after(OTHER, PASSWORD))
    return version(root, "pgadmin4")
