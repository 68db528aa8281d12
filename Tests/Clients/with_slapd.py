"""followed the directory as a consumer of RFC 4533: all users and roles, a change, a new name, a deletion; again after a restart"""

from client import BASE, GROUPS, PASSWORD, PEOPLE, USER, check, connected, wait_until

GUIDE = "RosterWithOpenLDAP", "slapd"
COPY, ADMIN = "ldap://127.0.0.1:3389", f"uid=admin,{PEOPLE}"


def test(root, guide):
    def copied(filter, *attributes):
        return root.ask("ldapsearch", "-x", "-LLL", "-o", "ldif-wrap=no", "-H", COPY, "-b", BASE, filter, *attributes)[1]

    def change(ldif):
        root.do("ldapmodify", "-x", "-H", "ldaps://id.example.com", "-D", ADMIN, "-w", PASSWORD, input=ldif)

    def start():
        process = root.start(*guide.block("console").split(), "-d", "0")
        connected(3389)
        return process

    root.do("install", "-d", "-o", "openldap", "-g", "openldap", "/var/lib/ldap", "/run/slapd")
    root.do("sh", "-c", "rm -rf /var/lib/ldap/*")
    slapd = start()
    served = root.do("ldapsearch", "-x", "-LLL", "-H", "ldaps://id.example.com", "-D", ADMIN, "-w", PASSWORD, "-b", BASE, "1.1")
    seen = wait_until(lambda: copied("(objectClass=*)", "1.1").count("dn:") == served.count("dn:"))
    check("the copy has all entries", seen, copied("(objectClass=*)", "1.1")[-500:] + root.read("/log"))
    seen = copied("(cn=platform)", "member")
    check("a role has its members", f"member: uid={USER},{PEOPLE}" in seen, seen)
    change(f"dn: uid={USER},{PEOPLE}\nchangetype: modify\nreplace: title\ntitle: Chief\n\n"
           f"dn: uid=jane,{PEOPLE}\nchangetype: add\nobjectClass: inetOrgPerson\ncn: Jane\nsn: Doe\n")
    check("a change follows", wait_until(lambda: "title: Chief" in copied(f"(uid={USER})", "title")))
    check("a new user follows", wait_until(lambda: "uid: jane" in copied("(uid=jane)")))
    change(f"dn: uid=jane,{PEOPLE}\nchangetype: modrdn\nnewrdn: uid=janet\ndeleteoldrdn: 1\n")
    check("a new name follows", wait_until(lambda: "uid: janet" in copied("(uid=janet)") and not copied("(uid=jane)")))
    change(f"dn: uid=janet,{PEOPLE}\nchangetype: delete\n")
    check("a deletion follows", wait_until(lambda: not copied("(uid=janet)")))
    slapd.terminate()
    slapd.wait(20)
    change(f"dn: uid={USER},{PEOPLE}\nchangetype: modify\nreplace: title\ntitle: Chair\n\n"
           f"dn: cn=empty,{GROUPS}\nchangetype: add\nobjectClass: groupOfNames\ncn: empty\n\n"
           f"dn: cn=on-call,{GROUPS}\nchangetype: delete\n")
    start()
    check("a change while slapd was not there follows", wait_until(lambda: "title: Chair" in copied(f"(uid={USER})", "title")))
    check("a role that was deleted meanwhile is gone", wait_until(lambda: not copied("(cn=on-call)")), copied("(cn=on-call)"))
    check("a role without members is copied", wait_until(lambda: copied("(cn=empty)")), root.read("/log"))
    return root.version("slapd")
