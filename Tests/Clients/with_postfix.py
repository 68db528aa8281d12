"""received mail for a user and for a role with its nested roles, refused an unknown address"""

import smtplib

from client import MAIL, check, connected, wait_until

GUIDE = "RosterWithMailServers", "Postfix"


def recipient(address):
    """Sends a mail to an address over SMTP, and returns the code for the recipient."""
    with smtplib.SMTP("127.0.0.1", timeout=30) as smtp:
        smtp.ehlo()
        smtp.mail("someone@example.org")
        code, _ = smtp.rcpt(address)
        if code == 250:
            smtp.data("Subject: Hello\r\n\r\nHello\r\n")
        return code


def mails(root, user):
    return len(list((root.path / f"var/mail/people/{user}/Maildir/new").glob("*")))


def receives(root, log):
    for address in (MAIL, "engineering@nordwind.example"):
        code = recipient(address)
        check(f"mail for {address} is accepted", code == 250, f"{code} {root.read(log)[-2500:]}")
    wait_until(lambda: mails(root, "haruka.ito") == 2 and mails(root, "tom.evans") == 1)
    check("a member of a nested role gets both", mails(root, "haruka.ito") == 2, root.read(log)[-2500:])
    check("a member of another nested role gets one", mails(root, "tom.evans") == 1)
    check("who is not in the role gets none", mails(root, "lucy.hughes") == 0)
    code = recipient("nobody@nordwind.example")
    check("an unknown address is refused", code == 550, code)


def test(root, guide):
    root.do("install", "-d", "-o", "mail", "-g", "mail", "/var/mail/people")
    root.start("postfix", "start-fg")
    connected(25)
    receives(root, "/var/log/postfix.log")
    return root.version("postfix-ldap")
