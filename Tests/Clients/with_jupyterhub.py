"""signed in a member of a role, also through another role, at the page"""

import os

from client import OTHER, PASSWORD, USER, check, connected
from page import Browser
from with_python_ldap import version

GUIDE = "RosterWithPythonApps", "JupyterHub"


def signs_in(name, password):
    browser = Browser("http://127.0.0.1:8000/hub/login")
    fields = browser.fields("/hub/login")
    seen = browser.open("/hub/login?next=%2Fhub%2Fhome", fields, username=name, password=password)
    return browser.status, browser.address, seen


def test(root, guide):
    venv = os.environ["VENV"]
    root.start("env", f"PATH={venv}/bin:/usr/bin:/bin", "NODE_PATH=/usr/share/nodejs", "jupyterhub", "--config",
               "/etc/jupyterhub/jupyterhub_config.py")
    connected(8000)
    connected(8081)
    status, address, seen = signs_in(USER, PASSWORD)
    check("a member signs in", status == 200 and address.endswith("/hub/home") and USER in seen,
          f"{status} {address} {seen[-1000:]} {root.read('/log')[-2500:]}")
    status, _, seen = signs_in(USER, "wrong")
    check("a wrong password is refused", status == 403, status)
    status, _, seen = signs_in(OTHER, PASSWORD)
    check("who is not in the role is refused", status == 403, status)
    return version(root, "jupyterhub-ldapauthenticator")
