"""IMAP sign-in by name and mail, a mailbox, the list of all users"""

import imaplib

from client import MAIL, PASSWORD, USER, check, connected

GUIDE = "RosterWithMailServers", "Dovecot"


def signs_in(name, password):
    with imaplib.IMAP4("127.0.0.1") as imap:
        try:
            imap.login(name, password)
            return imap.append("INBOX", None, None, b"Subject: Hello\r\n\r\nHello\r\n")[0] == "OK"
        except imaplib.IMAP4.error as error:
            return str(error)


def test(root, guide):
    root.do("install", "-d", "-o", "mail", "-g", "mail", "/var/mail/people")
    root.start("dovecot", "-F", "-o", "log_path=/log")
    connected(143)
    for name in (USER, MAIL):
        seen = signs_in(name, PASSWORD)
        check(f"{name} signs in and keeps a mail", seen is True, f"{seen} {root.read('/log')[-2000:]}")
    check("both names have one mailbox", len(list((root.path / f"var/mail/people/{USER}/Maildir/cur").glob("*"))
                                             + list((root.path / f"var/mail/people/{USER}/Maildir/new").glob("*"))) == 2)
    seen = signs_in(USER, "wrong")
    check("a wrong password is refused", "AUTHENTICATIONFAILED" in str(seen), seen)
    users = root.do("doveadm", "user", "*").split()
    check("all users are listed", USER in users and len(users) > 40, users)
    return root.version("dovecot-ldap")
