"""found a user by mail, checked the password, read effective roles"""

import os

from client import MAIL, OTHER, PASSWORD, USER, check

GUIDE = "RosterWithPython", "python-ldap"


def version(root, package):
    return root.do(os.environ["VENV"] + "/bin/pip", "show", package).split("Version: ")[1].split()[0]


def sign_in_program(root, *program):
    """The guide's program, which prints the roles of a user who gives the right password."""
    status, text = root.ask(*program, MAIL, PASSWORD)
    check("the user signs in by mail and has the direct role", status == 0 and "platform" in text.split(), text)
    check("and the roles around it", {"engineering", "everyone"} <= set(text.split()), text)
    status, text = root.ask(*program, USER, "wrong")
    check("a wrong password is refused", status == 1 and "wrong" in text, text)
    status, text = root.ask(*program, OTHER, PASSWORD)
    check("another user has other roles", status == 0 and "sales" in text.split() and "platform" not in text, text)


def test(root, guide):
    sign_in_program(root, os.environ["VENV"] + "/bin/python", "/opt/app/sign_in.py")
    return version(root, "python-ldap")
