"""pages, found a user by mail, checked the password, read effective roles"""

from with_python_ldap import sign_in_program

GUIDE = "RosterWithOtherLanguages", "go-ldap"


def test(root, guide):
    root.do("env", "GO111MODULE=off", "GOPATH=/usr/share/gocode", "go", "build", "-o", "/opt/app/sign_in", "/opt/app/sign_in.go")
    sign_in_program(root, "/opt/app/sign_in")
    return root.version("golang-github-go-ldap-ldap-dev")
