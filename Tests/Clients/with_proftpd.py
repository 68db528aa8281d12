"""FTP sign-in, with number, group and home directory from the directory"""

import ftplib
import io

from client import OTHER, PASSWORD, USER, check, connected

GUIDE = "RosterWithNetworkServices", "ProFTPD"


def signs_in(name, password):
    with ftplib.FTP("127.0.0.1", timeout=30) as ftp:
        try:
            ftp.login(name, password)
            ftp.storbinary("STOR hello.txt", io.BytesIO(b"hello"))
            return ftp.pwd()
        except ftplib.Error as error:
            return str(error)


def test(root, guide):
    root.start("proftpd", "--nodaemon")
    connected(21)
    seen = signs_in(USER, PASSWORD)
    check("a member signs in at home", seen == f"/home/{USER}", f"{seen} {root.read('/log')[-1500:]}")
    file = root.path / f"home/{USER}/hello.txt"
    check("a file belongs to the user", file.exists() and file.stat().st_uid > 100000)
    check("a wrong password is refused", "530" in signs_in(USER, "wrong"))
    check("who is not in the role is refused", "530" in signs_in(OTHER, PASSWORD))
    return root.version("proftpd-mod-ldap")
