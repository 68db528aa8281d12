"""signed in members of a role, also through another role; a calendar was made"""

import base64
import os
import urllib.error
import urllib.request

from client import OTHER, PASSWORD, USER, check, connected
from with_python_ldap import version

GUIDE = "RosterWithPythonApps", "Radicale"


def make_calendar(name, password):
    basic = base64.b64encode(f"{name}:{password}".encode()).decode()
    request = urllib.request.Request(f"http://127.0.0.1:5232/{name}/work/", method="MKCALENDAR",
                                     headers={"Authorization": f"Basic {basic}"})
    try:
        return urllib.request.urlopen(request, timeout=30).status
    except urllib.error.HTTPError as error:
        return error.code


def test(root, guide):
    root.start(os.environ["VENV"] + "/bin/python", "-m", "radicale", "--config", "/etc/radicale/config")
    connected(5232)
    code = make_calendar(USER, PASSWORD)
    check("a member makes a calendar", code == 201, f"{code} {root.read('/log')[-2000:]}")
    check("a wrong password is refused", make_calendar(USER, "wrong") == 401)
    check("who is not in the role is refused", make_calendar(OTHER, PASSWORD) == 401)
    return version(root, "radicale")
