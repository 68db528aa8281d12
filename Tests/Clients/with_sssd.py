"""id with nested groups, getent, SSH by password and by key from the directory, only members of a role; passwd"""

from client import OTHER, PASSWORD, USER, check, connected, run, wait_until

GUIDE = "RosterWithLinuxHosts", "sssd"


def ssh(root, name, password):
    root.write("/password", f"#!/bin/sh\necho '{password}'\n", mode=0o755)
    return root.ask("env", "SSH_ASKPASS=/password", "SSH_ASKPASS_REQUIRE=force", "ssh", "-o", "StrictHostKeyChecking=no", "-o",
                    "PubkeyAuthentication=no", "-o", "NumberOfPasswordPrompts=1", f"{name}@127.0.0.1", "pwd; id -un")[1]


def sign_in_by_ssh(root):
    """Signs in over SSH with a password, as a member of the role, with a wrong password, and as somebody else."""
    root.do("ssh-keygen", "-A")
    root.do("mkdir", "-p", "/run/sshd")
    root.start("/usr/sbin/sshd", "-D", "-e")
    connected(22)
    seen = ssh(root, USER, PASSWORD)
    check("a member signs in at home", f"/home/{USER}\n{USER}\n" in seen, seen + root.read("/log")[-2500:])
    seen = ssh(root, USER, "wrong")
    check("a wrong password is refused", "Permission denied" in seen, seen)
    seen = ssh(root, OTHER, PASSWORD)
    check("who is not in the role is refused", "/home" not in seen and ("closed" in seen or "denied" in seen), seen)


def test(root, guide):
    root.do("pam-auth-update", "--package", "--enable", "mkhomedir")
    root.start("sssd", "-i", "--logger=stderr")
    wait_until(lambda: root.ask("id", USER)[0] == 0)
    seen = root.ask("id", USER)[1]
    check("id names all groups", all(f"({name})" in seen for name in (USER, "platform", "engineering", "everyone")),
          seen + root.read("/log")[-2500:])
    seen = root.ask("getent", "passwd", USER)[1]
    check("getent shows the account", f":/home/{USER}:/bin/bash" in seen, seen)
    seen = root.ask("getent", "group", "engineering")[1]
    check("getent shows a group with its nested members", USER in seen and "kenji.sato" in seen, seen)
    key = root.folder / "key"
    seen = root.ask("sss_ssh_authorizedkeys", USER)[1]
    check("the SSH key is known", key.with_suffix(".pub").read_text().split()[1] in seen, seen)
    sign_in_by_ssh(root)
    try:
        seen = run("ssh", "-i", key, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes",
                   f"{USER}@127.0.0.1", "id -un")
    except RuntimeError as error:
        seen = str(error)
    check("the user signs in with the key", seen.endswith(f"{USER}\n"), seen)
    new = "a staple of batteries and horses"
    seen = root.ask("su", USER, "-c", "passwd", input=f"{PASSWORD}\n{new}\n{new}\n")[1]
    check("the user sets a password with passwd", "updated successfully" in seen, seen + root.read("/log")[-2500:])
    seen = ssh(root, USER, new)
    check("and signs in with it", seen.endswith(f"{USER}\n"), seen)
    seen = ssh(root, USER, PASSWORD)
    check("and no longer with the old one", "denied" in seen, seen)
    return root.version("sssd-ldap")
