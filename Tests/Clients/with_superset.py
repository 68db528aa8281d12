"""signed in at the page, the roles of Superset from those of the directory"""

import os

from client import OTHER, PASSWORD, USER, check, connected
from page import Browser
from with_python_ldap import version

GUIDE = "RosterWithPythonApps", "Superset"


def signs_in(name, password):
    browser = Browser("http://127.0.0.1:8088/login/")
    fields = browser.fields("/login/")
    browser.open("/login/", fields, username=name, password=password)
    return browser.open("/api/v1/me/roles/")


def test(root, guide):
    venv = os.environ["VENV"]
    words = ["env", f"PATH={venv}/bin:/usr/bin:/bin", "SUPERSET_CONFIG_PATH=/etc/superset/superset_config.py", "FLASK_APP=superset",
             f"SUPERSET_SECRET_KEY={os.urandom(32).hex()}", "superset"]
    root.do(*words, "db", "upgrade")
    root.do(*words, "init")
    root.start(*words, "run", "--port", "8088")
    connected(8088)
    seen = signs_in(USER, PASSWORD)
    check("a user signs in and has the mapped role", "Alpha" in seen, seen[-1500:] + root.read("/log")[-2500:])
    seen = signs_in(OTHER, PASSWORD)
    check("another one has the role of everyone", "Gamma" in seen and "Alpha" not in seen, seen[-1500:])
    check("a wrong password is refused", "Alpha" not in signs_in(USER, "wrong"))
    return version(root, "apache-superset")
