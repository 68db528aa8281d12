"""signed in a member of a role with mail and display name, made the account"""

import json
import os
import urllib.error
import urllib.request

from client import OTHER, PASSWORD, USER, check, connected
from with_python_ldap import version

GUIDE = "RosterWithPythonApps", "Synapse"


def signs_in(name, password):
    body = {"type": "m.login.password", "identifier": {"type": "m.id.user", "user": name}, "password": password}
    request = urllib.request.Request("http://127.0.0.1:8008/_matrix/client/v3/login", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(request, timeout=30))
    except urllib.error.HTTPError as error:
        return json.load(error)


def test(root, guide):
    python = os.environ["VENV"] + "/bin/python"
    settings = ["--config-path", "/etc/matrix-synapse/homeserver.yaml", "--config-path", "/etc/matrix-synapse/conf.d"]
    root.do(python, "-m", "synapse.app.homeserver", "--server-name", "example.com", "--report-stats", "no", "--generate-config",
            "--config-path", "/etc/matrix-synapse/homeserver.yaml", "--data-directory", "/var/lib/matrix-synapse")
    root.start(python, "-m", "synapse.app.homeserver", *settings)
    connected(8008)
    seen = signs_in(USER, PASSWORD)
    check("a member signs in", seen.get("user_id") == f"@{USER}:example.com", f"{seen} {root.read('/log')[-2500:]}")
    profile = json.load(urllib.request.urlopen(f"http://127.0.0.1:8008/_matrix/client/v3/profile/@{USER}:example.com/displayname"))
    check("with the display name", "伊藤" in profile["displayname"] or "Haruka" in profile["displayname"], profile)
    check("a wrong password is refused", signs_in(USER, "wrong").get("errcode") == "M_FORBIDDEN")
    check("who is not in the role is refused", signs_in(OTHER, PASSWORD).get("errcode") == "M_FORBIDDEN")
    return version(root, "matrix-synapse-ldap3")
