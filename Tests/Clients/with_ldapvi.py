"""showed entries, changed, added and deleted one in an editor"""

import shlex

from client import BASE, PASSWORD, PEOPLE, USER, check

GUIDE = "RosterWithDirectoryBrowsers", "ldapvi"
JANE = f"\\nadd uid=jane,{PEOPLE}\\nobjectClass: inetOrgPerson\\nuid: jane\\ncn: Jane Doe\\nsn: Doe\\n"


def test(root, guide):
    def ldapvi(*words):
        """Runs ldapvi at a terminal of its own."""
        line = shlex.join(["ldapvi", "--password", PASSWORD, *words])
        return root.ask("env", "TERM=dumb", "EDITOR=/edit", "script", "-qefc", line, "/dev/null")[1].replace("\r", "")

    def edit(script, *words):
        # The editor gets a line number and the file.
        root.write("/edit", f"#!/bin/sh\nfor file; do :; done\n{script}\n", mode=0o755)
        return ldapvi("--noquestions", *words)
    seen = ldapvi("--out", f"(uid={USER})")
    check("an entry is shown", f"uid={USER},{PEOPLE}" in seen and "mail: " in seen, seen)
    seen = ldapvi("--out", "(objectClass=*)")
    check("all entries are shown", f"{BASE}\n" in seen and seen.count("objectClass: inetOrgPerson") > 40, seen[-500:])
    seen = edit("sed -i 's/^title: .*/title: Chief/' \"$file\"", f"(uid={USER})")
    changed = ldapvi("--out", f"(uid={USER})", "title")
    check("a change in the editor is kept", "title: Chief" in changed, seen + changed)
    seen = edit(f"printf '{JANE}' >>\"$file\"", f"(uid={USER})")
    added = ldapvi("--out", "(uid=jane)")
    check("an entry is added", f"uid=jane,{PEOPLE}" in added, seen + added)
    seen = edit(": >\"$file\"", "(uid=jane)")
    left = ldapvi("--out", "(objectClass=inetOrgPerson)")
    check("an entry is deleted", f"uid={USER},{PEOPLE}" in left and f"uid=jane,{PEOPLE}" not in left, seen)
    return root.version("ldapvi")
