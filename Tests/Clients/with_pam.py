"""SSH sign-in by pam_ldap with StartTLS, with a home directory, only members of a role"""

from with_nslcd import start_nslcd
from with_sssd import sign_in_by_ssh

GUIDE = "RosterWithLinuxHosts", "PAM"


def test(root, guide):
    start_nslcd(root)
    sign_in_by_ssh(root)
    return root.version("libpam-ldapd")
