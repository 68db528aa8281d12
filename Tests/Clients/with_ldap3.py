"""read the schema, found a user by mail, checked the password, read effective roles"""

from with_python_ldap import sign_in_program, version

GUIDE = "RosterWithPython", "ldap3"


def test(root, guide):
    sign_in_program(root)
    return version(root, "ldap3")
