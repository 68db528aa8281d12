"""getent and id of users and groups, with nested groups"""

from client import USER, check, wait_until

GUIDE = "RosterWithLinuxHosts", "nslcd"


def start_nslcd(root):
    root.do("install", "-d", "-o", "nslcd", "-g", "nslcd", "/run/nslcd")
    root.start("nslcd", "-n")
    wait_until(lambda: root.ask("getent", "passwd", USER)[0] == 0)


def test(root, guide):
    start_nslcd(root)
    seen = root.ask("id", USER)[1]
    check("id names all groups", all(f"({name})" in seen for name in ("platform", "engineering", "everyone")), seen + root.read("/log"))
    seen = root.ask("getent", "passwd", USER)[1]
    check("getent shows the account", f":/home/{USER}:/bin/bash" in seen, seen)
    seen = root.ask("getent", "group", "engineering")[1]
    check("getent shows a group with its nested members", USER in seen and "kenji.sato" in seen, seen)
    seen = root.ask("getent", "passwd")[1]
    check("getent lists all users", seen.count("/home/") > 40 and "lucy.hughes" in seen, seen[-500:])
    return root.version("nslcd")
