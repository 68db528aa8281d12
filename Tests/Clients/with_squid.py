"""proxy sign-in by basic_ldap_auth, a role by ext_ldap_group_acl"""

import http.server
import threading
import urllib.error
import urllib.request

from client import OTHER, PASSWORD, USER, check, connected

GUIDE = "RosterWithNetworkServices", "Squid"


def status(name, password, address):
    proxy = urllib.request.ProxyHandler({"http": f"http://{name}:{password}@127.0.0.1:3128"})
    try:
        return urllib.request.build_opener(proxy).open(address, timeout=30).status
    except urllib.error.HTTPError as error:
        return error.code


def test(root, guide):
    page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=page.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{page.server_port}/"
    root.start("squid", "--foreground", "-d", "1")
    connected(3128)
    code = status(USER, PASSWORD, address)
    check("a member gets through", code == 200, f"{code} {root.read('/log')[-1500:]} {root.read('/var/log/squid/cache.log')[-1500:]}")
    check("a wrong password is refused", status(USER, "wrong", address) == 407)
    code = status(OTHER, PASSWORD, address)
    check("who is not in the role is refused", code in (403, 407), code)
    return root.version("squid")
