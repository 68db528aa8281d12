"""a tunnel for a member of a role by openvpn-auth-ldap"""

from client import OTHER, PASSWORD, USER, check, wait_until

GUIDE = "RosterWithNetworkServices", "OpenVPN"


def test(root, guide):
    for name, file in (("ca.crt", "authority.pem"), ("server.crt", "server.pem"), ("server.key", "server.key")):
        root.write(f"/etc/openvpn/{name}", (root.folder / file).read_text())
    root.start("openvpn", "--config", "/etc/openvpn/server.conf")
    started = wait_until(lambda: "Initialization Sequence Completed" in root.read("/log"))
    check("the server starts", started, root.read("/log")[-2500:])

    def connects(name, password):
        root.write("/etc/openvpn/user", f"{name}\n{password}\n")
        root.write("/client.log", "")
        client = root.start("openvpn", "--client", "--dev", "null", "--remote", "127.0.0.1", "1194", "--nobind", "--ca",
                            "/etc/openvpn/ca.crt", "--auth-user-pass", "/etc/openvpn/user", "--auth-retry", "none",
                            "--route-noexec", "--ifconfig-noexec", "--log", "/client.log")
        wait_until(lambda: "Initialization Sequence Completed" in root.read("/client.log") or client.poll() is not None)
        client.terminate()
        client.wait(10)
        return root.read("/client.log")
    seen = connects(USER, PASSWORD)
    check("a member is connected", "Initialization Sequence Completed" in seen, seen[-1500:] + root.read("/log")[-2500:])
    for name, password in ((USER, "wrong"), (OTHER, PASSWORD)):
        seen = connects(name, password)
        check(f"{name} with '{password}' is refused", "AUTH_FAILED" in seen, seen[-1500:])
    return root.version("openvpn-auth-ldap")
