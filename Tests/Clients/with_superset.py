"""signed in over its interface, the roles of Superset from those of the directory"""

import json
import os
import urllib.error
import urllib.request

from client import OTHER, PASSWORD, USER, check, connected
from with_python_ldap import version

GUIDE = "RosterWithPythonApps", "Superset"


def signs_in(name, password):
    """What Superset's interface tells about the roles of a user who signs in."""
    body = json.dumps({"username": name, "password": password, "provider": "ldap"}).encode()
    try:
        token = json.load(urllib.request.urlopen(urllib.request.Request(
            "http://127.0.0.1:8088/api/v1/security/login", body, {"Content-Type": "application/json"}), timeout=60))["access_token"]
        return urllib.request.urlopen(urllib.request.Request(
            "http://127.0.0.1:8088/api/v1/me/roles/", headers={"Authorization": f"Bearer {token}"}), timeout=60).read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"


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
    check("a wrong password is refused", signs_in(USER, "wrong").startswith("401"))
    return version(root, "apache-superset")
