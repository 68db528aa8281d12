"""Basic sign-in by name, a role by a filter and by a comparison"""

import base64
import urllib.error
import urllib.request

from client import OTHER, PASSWORD, USER, check, connected

GUIDE = "RosterWithWebServers", "Apache"


def status(address, name, password):
    """The status of an answer to a request with a name and a password."""
    basic = base64.b64encode(f"{name}:{password}".encode()).decode()
    request = urllib.request.Request(address, headers={"Authorization": f"Basic {basic}"})
    try:
        return urllib.request.urlopen(request, timeout=30).status
    except urllib.error.HTTPError as error:
        return error.code


def test(root, guide):
    for place in ("reports", "platform"):
        root.write(f"/var/www/html/{place}/index.html", place)
    root.do("a2enmod", "authnz_ldap")
    root.start("apachectl", "-X")
    connected(80)
    for place in ("reports", "platform"):
        code = status(f"http://127.0.0.1/{place}/", USER, PASSWORD)
        check(f"a member sees /{place}", code == 200, f"{code} {root.read('/var/log/apache2/error.log')[-1500:]}")
    for place in ("reports", "platform"):
        check(f"a wrong password is refused at /{place}", status(f"http://127.0.0.1/{place}/", USER, "wrong") == 401)
        check(f"who is not in the role is refused at /{place}", status(f"http://127.0.0.1/{place}/", OTHER, PASSWORD) == 401)
    return root.version("apache2")
