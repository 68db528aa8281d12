"""read the schema, found a user by mail, checked the password, read effective roles"""

import os

from with_python_ldap import sign_in_program, version

GUIDE = "RosterWithPython", "ldap3"


def test(root, guide):
    sign_in_program(root, os.environ["VENV"] + "/bin/python", "/opt/app/sign_in.py")
    return version(root, "ldap3")
