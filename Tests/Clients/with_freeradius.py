"""PAP sign-in of a member of a role, also through another role"""

from client import OTHER, PASSWORD, USER, check, wait_until

GUIDE = "RosterWithNetworkServices", "FreeRADIUS"


def test(root, guide):
    root.start("freeradius", "-f", "-l", "/log")
    wait_until(lambda: "Ready to process requests" in root.read("/log"))

    def asks(name, password):
        return root.ask("radtest", name, password, "127.0.0.1", "0", "testing123")[1]
    seen = asks(USER, PASSWORD)
    check("a member is let in", "Access-Accept" in seen, seen + root.read("/log")[-2500:])
    seen = asks(USER, "wrong")
    check("a wrong password is refused", "Access-Reject" in seen, seen)
    seen = asks(OTHER, PASSWORD)
    check("who is not in the role is refused", "Access-Reject" in seen, seen)
    return root.version("freeradius-ldap")
