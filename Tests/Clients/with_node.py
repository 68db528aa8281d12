"""pages, found a user by mail, checked the password, read effective roles"""

from with_python_ldap import sign_in_program

GUIDE = "RosterWithOtherLanguages", "ldapjs"


def test(root, guide):
    sign_in_program(root, "node", "/opt/app/sign_in.js")
    return root.version("node-ldapjs")
