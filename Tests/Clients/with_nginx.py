"""Basic sign-in by nginx's PAM module, only members of a role"""

from client import OTHER, PASSWORD, USER, check, connected
from with_apache import status

GUIDE = "RosterWithWebServers", "nginx"


def test(root, guide):
    root.do("install", "-d", "-o", "nslcd", "-g", "nslcd", "/run/nslcd")
    root.write("/var/www/html/index.html", "reports")
    root.start("nslcd", "-n")
    root.start("nginx", "-g", "daemon off;")
    connected(8000)
    code = status("http://127.0.0.1:8000/", USER, PASSWORD)
    check("a member sees the page", code == 200, f"{code} {root.read('/var/log/nginx/error.log')[-1500:]} {root.read('/log')[-1500:]}")
    check("a wrong password is refused", status("http://127.0.0.1:8000/", USER, "wrong") == 401)
    code = status("http://127.0.0.1:8000/", OTHER, PASSWORD)
    check("who is not in the role is refused", code in (401, 403), code)
    return root.version("libnginx-mod-http-auth-pam")
