"""showed entries, changed one in an editor, added and deleted one"""

import subprocess

from client import BASE, PASSWORD, PEOPLE, USER, check

GUIDE = "RosterWithDirectoryBrowsers", "ldapvi"
JANE = f"\nadd uid=jane,{PEOPLE}\nobjectClass: inetOrgPerson\nuid: jane\ncn: Jane Doe\nsn: Doe\n"


def test(root, guide):
    def ldapvi(*words):
        return root.ask("env", "TERM=dumb", "EDITOR=/edit", "ldapvi", "--password", PASSWORD, *words, stdin=subprocess.DEVNULL)[1]
    seen = ldapvi("--out", f"(uid={USER})")
    check("an entry is shown", f"uid={USER},{PEOPLE}" in seen and "mail: " in seen, seen)
    seen = ldapvi("--out", "(objectClass=*)")
    check("all entries are shown", f"{BASE}\n" in seen and seen.count("objectClass: inetOrgPerson") > 40, seen[-500:])
    root.write("/edit", "#!/bin/sh\nsed -i 's/^title: .*/title: Chief/' \"$1\"\n", mode=0o755)
    seen = ldapvi("--noquestions", f"(uid={USER})")
    changed = ldapvi("--out", f"(uid={USER})", "title")
    check("a change in the editor is kept", "title: Chief" in changed, seen + changed)
    root.write("/jane", JANE)
    seen = ldapvi("--noquestions", "--in", "/jane")
    check("an entry is added", f"uid=jane,{PEOPLE}" in ldapvi("--out", "(uid=jane)"), seen)
    seen = ldapvi("--noquestions", "--delete", f"uid=jane,{PEOPLE}")
    check("an entry is deleted", f"uid=jane,{PEOPLE}" not in ldapvi("--out", "(uid=jane)"), seen)
    return root.version("ldapvi")
