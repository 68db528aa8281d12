"""the rules of a user from roles, also through other roles; ran one command as root, and refused another"""

from client import OTHER, USER, check
from with_nslcd import start_nslcd

GUIDE = "RosterWithLinuxHosts", "sudo"


def prepare(roster):
    for name in ("sudoHost", "sudoCommand", "sudoOption"):
        roster("attribute", "declare", "--role", "--multi-valued", name)
    roster("role", "modify", "engineering", "sudoHost=ALL", "sudoCommand=/usr/bin/id", "sudoOption=!authenticate")


def test(root, guide):
    start_nslcd(root)
    seen = root.ask("sudo", "-l", "-U", USER)[1]
    check("sudo lists a rule from a role around the user's own", "(root) NOPASSWD: /usr/bin/id" in seen, seen)
    seen = root.ask("sudo", "-l", "-U", OTHER)[1]
    check("sudo lists no rule for somebody else", "not allowed to run sudo" in seen, seen)

    def run_as(user, *words):
        number = root.do("id", "-u", user).strip()
        return root.ask("setpriv", "--reuid", number, "--regid", number, "--clear-groups", "sudo", "-n", *words)
    status, seen = run_as(USER, "/usr/bin/id", "-u")
    check("the command runs as root", status == 0 and seen.strip().endswith("0"), seen)
    check("another command is refused", run_as(USER, "/usr/bin/true")[0] != 0)
    check("somebody else is refused", run_as(OTHER, "/usr/bin/id", "-u")[0] != 0)
    return root.version("sudo-ldap")
