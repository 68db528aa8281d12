"""found a user by mail, checked the password; Nextcloud's and Keycloak's queries"""

import os

from client import HERE, check
from with_python_ldap import sign_in_program

GUIDE = "RosterWithOtherLanguages", "PHP"


def test(root, guide):
    sign_in_program(root, "php", "/opt/app/sign_in.php")
    root.write("/opt/app/queries.php", (HERE / "queries.php").read_text())
    status, text = root.ask("php", "/opt/app/queries.php", os.environ["APP_PASSWORD"])
    for line in text.splitlines():
        check(line.removeprefix("FAILED ").removeprefix("ok "), line.startswith("ok "))
    check("all queries were sent", status == 0 and text.count("\n") > 10, text)
    return root.version("php-ldap")
