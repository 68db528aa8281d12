"""signed in a member of a role, also through another role, at the page"""

import os
import re

from client import OTHER, PASSWORD, USER, check, connected
from page import Browser
from with_python_ldap import version

GUIDE = "RosterWithPythonApps", "pgAdmin"


def signs_in(name, password):
    browser = Browser("http://127.0.0.1:5050/login")
    seen = browser.open("/login")
    token = re.search(r'"?csrfToken"?:\s*"([^"]+)"|name="csrf_token"[^>]*value="([^"]+)"', seen)
    browser.open("/authenticate/login", {"email": name, "password": password, "csrf_token": token and (token[1] or token[2])})
    return browser.address, browser.open("/user_management/current_user.json") + browser.open("/browser/")


def test(root, guide):
    root.start("env", f"PATH={os.environ['VENV']}/bin:/usr/bin:/bin", "pgadmin4")
    connected(5050)
    address, seen = signs_in(USER, PASSWORD)
    check("a member signs in", USER in seen, f"{address} {seen[-1500:]} {root.read('/log')[-1500:]}")
    check("a wrong password is refused", USER not in signs_in(USER, "wrong")[1])
    check("who is not in the role is refused", OTHER not in signs_in(OTHER, PASSWORD)[1])
    return version(root, "pgadmin4")
