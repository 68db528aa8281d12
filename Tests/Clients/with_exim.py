"""received mail for a user and for a role, refused an unknown address, signed a user in over SMTP"""

import smtplib

from client import PASSWORD, USER, check, connected
from with_postfix import receives

GUIDE = "RosterWithMailServers", "Exim"


def signs_in(password):
    with smtplib.SMTP("127.0.0.1", timeout=30) as smtp:
        try:
            return smtp.login(USER, password, initial_response_ok=True)[0]
        except smtplib.SMTPAuthenticationError as error:
            return error.smtp_code


def test(root, guide):
    root.do("install", "-d", "-o", "mail", "-g", "mail", "/var/mail/people")
    root.start("exim4", "-bdf", "-q1m")
    connected(25)
    receives(root, "/var/log/exim4/mainlog")
    code = signs_in(PASSWORD)
    check("a user signs in over SMTP", code == 235, f"{code} {root.read('/var/log/exim4/mainlog')[-1500:]}")
    code = signs_in("wrong")
    check("a wrong password is refused", code == 535, code)
    return root.version("exim4-daemon-heavy")
