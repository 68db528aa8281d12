#!/usr/bin/env python3
"""The LDAP server as independent clients see it: ldap3, which reads the schema and checks what it does with it, and OpenLDAP's programs.

    python3 -m venv /tmp/ldap-venv && /tmp/ldap-venv/bin/pip install -r Tests/Conformance/requirements-ldap.txt
    /tmp/ldap-venv/bin/python Tests/Conformance/ldap_client.py .build/debug/roster

It starts a server of its own with the small company, and needs ldap-utils and openssl.
"""

import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time

import ldap3
from ldap3.core.exceptions import LDAPExceptionError, LDAPInvalidCredentialsResult

ROSTER = sys.argv[1]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BASE = "dc=nordwind,dc=example"
PEOPLE, GROUPS = f"ou=people,{BASE}", f"ou=groups,{BASE}"
PASSWORD = "correct horse battery staple"
failures = []


def check(name, holds, shown=""):
    print(("ok      " if holds else "FAILED  ") + name + (f": {shown}" if shown and not holds else ""))
    if not holds:
        failures.append(name)


class Server:
    def __init__(self, folder):
        self.folder = folder
        certificate, key = os.path.join(folder, "server.pem"), os.path.join(folder, "server.key")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
             certificate, "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"],
            check=True, capture_output=True)
        self.certificate = certificate
        with open(os.path.join(folder, "password"), "w") as file:
            file.write(PASSWORD + "\n")
        self.socket = "ldapi://" + os.path.join(folder, "ldapi").replace("/", "%2F")
        self.log = open(os.path.join(folder, "log"), "w+")
        self.process = subprocess.Popen(
            [ROSTER, "serve", "--in-memory", "--seed", os.path.join(ROOT, "Seeds", "company.json"), "--listen", "127.0.0.1:0",
             "--admin-password-file", os.path.join(folder, "password"), "--certificate", certificate, "--key", key,
             "--ldap", f"ldap://127.0.0.1:0,ldaps://127.0.0.1:0,{self.socket}", "--ldap-base", BASE, "--ldap-posix", "100000"],
            stdout=open(os.path.join(folder, "welcome"), "w"), stderr=self.log)
        end = time.time() + 60
        while time.time() < end:
            found = re.findall(r"at (ldaps?)://127\.0\.0\.1:(\d+)", self.text())
            if len(found) == 2:
                break
            if self.process.poll() is not None:
                raise SystemExit("The server ended: " + self.text())
            time.sleep(0.1)
        ports = {kind: int(port) for kind, port in found}
        self.port, self.secure = ports["ldap"], ports["ldaps"]

    def text(self):
        with open(self.log.name) as file:
            return file.read()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


def tool(*arguments, **options):
    options.setdefault("timeout", 60)
    return subprocess.run(list(arguments), capture_output=True, text=True, env={"LDAPNOINIT": "1", "PATH": os.environ["PATH"]}, **options)


def copied(server):
    """Imports the served company into another directory, over LDAP, twice."""
    database = os.path.join(server.folder, "copy.db")
    command = [ROSTER, "import", "--database", database, "--grant-roles", "--bind-dn", f"uid=admin,{PEOPLE}", "--bind-password-file",
               os.path.join(server.folder, "password"), f"ldap://127.0.0.1:{server.port}"]
    first, again = tool(*command), tool(*command)
    check("import from Roster's own LDAP", first.returncode in (0, 3), first.stdout + first.stderr)
    check("the import can be repeated", again.returncode in (0, 3), again.stdout + again.stderr)
    found = tool(ROSTER, "user", "chain", "--database", database, "emma.mueller")
    check("the copy has reporting lines", "kenji.sato" in found.stdout, found.stdout + found.stderr)
    plain = tool(*command[:-1], "ldap://192.0.2.1")
    check("a password does not leave the machine without TLS", plain.returncode == 1 and "--start-tls" in plain.stderr, plain.stderr)


def with_ldap3(server):
    place = ldap3.Server("127.0.0.1", port=server.port, get_info=ldap3.ALL)
    connection = ldap3.Connection(place, f"uid=admin,{PEOPLE}", PASSWORD, auto_bind=True)
    info = place.info
    check("the root DSE names the tree", info.naming_contexts == [BASE], info.naming_contexts)
    check("paged results are offered", any("1.2.840.113556.1.4.319" in c for c in info.supported_controls))
    check("the schema has every attribute", "jpegPhoto" in place.schema.attribute_types and "memberOf" in place.schema.attribute_types)
    check("the schema has the classes", "inetOrgPerson" in place.schema.object_classes and "groupOfNames" in place.schema.object_classes)
    connection.search(PEOPLE, "(uid=emma.mueller)", attributes=[ldap3.ALL_ATTRIBUTES, ldap3.ALL_OPERATIONAL_ATTRIBUTES])
    entry = connection.entries[0]
    check("values are read by their syntaxes", entry.createTimestamp.value.year >= 2026, entry.createTimestamp.value)
    check("effective memberships are shown", f"cn=everyone,{GROUPS}" in entry.memberOf.values)
    described = set(name.lower() for name in place.schema.attribute_types)
    connection.search(BASE, "(objectClass=*)", attributes=["*", "+"])
    used = {name.lower() for found in connection.entries for name in found.entry_attributes}
    check("every attribute that an entry has is described", used <= described, used - described)
    classes = {name.lower() for name in place.schema.object_classes}
    used = {name.lower() for found in connection.entries for name in found.objectClass.values}
    check("every class that an entry has is described", used <= classes, used - classes)
    whole = len(connection.entries)
    pages = list(connection.extend.standard.paged_search(BASE, "(objectClass=*)", attributes=["cn"], paged_size=7, generator=True))
    check("pages have all entries", len(pages) == whole, f"{len(pages)} of {whole}")
    try:
        connection.search(PEOPLE, "(noSuchAttribute=x)")
        check("ldap3 refuses what the schema does not have", False)
    except LDAPExceptionError:
        check("ldap3 refuses what the schema does not have", True)
    check("who am I", connection.extend.standard.who_am_i() == f"dn:uid=admin,{PEOPLE}")
    name = f"uid=jane,{PEOPLE}"
    check("add", connection.add(name, ["inetOrgPerson"], {"cn": "Jane Doe", "sn": "Doe", "mail": ["jane@example.com"]}), connection.result)
    check("modify", connection.modify(name, {"title": [(ldap3.MODIFY_REPLACE, ["Chief"])]}), connection.result)
    check("compare", connection.compare(name, "title", "chief"), connection.result)
    check("a group takes a member", connection.modify(f"cn=finance,{GROUPS}", {"member": [(ldap3.MODIFY_ADD, [name])]}), connection.result)
    connection.search(PEOPLE, f"(memberOf=cn=finance,{GROUPS})", attributes=["uid"])
    check("the member is found", name in [found.entry_dn for found in connection.entries])
    check("set a password", connection.extend.standard.modify_password(name, new_password="another staple of horses"), connection.result)
    own = ldap3.Connection(place, name, "another staple of horses")
    check("bind by it", own.bind(), own.result)
    check("rename", connection.modify_dn(name, "uid=joan"), connection.result)
    check("delete", connection.delete(f"uid=joan,{PEOPLE}"), connection.result)
    try:
        ldap3.Connection(place, f"uid=admin,{PEOPLE}", "wrong", auto_bind=True, raise_exceptions=True)
        check("a wrong password", False)
    except LDAPInvalidCredentialsResult:
        check("a wrong password", True)
    connection.search(PEOPLE, "(&(objectClass=posixAccount)(uid=emma.mueller))", attributes=["uidNumber", "homeDirectory"])
    entry = connection.entries[0]
    check("a POSIX account", entry.uidNumber.value > 100000 and entry.homeDirectory.value == "/home/emma.mueller", entry)
    connection.search(PEOPLE, "(uid=*)", ldap3.LEVEL, attributes=["sn"], controls=[
        ldap3.protocol.rfc2696.paged_search_control(False, 1000, None), ("1.2.840.113556.1.4.473", True, bytes.fromhex("300630040402736e"))])
    names = [found.sn.value.lower() for found in connection.entries]
    # A user without a family name shows another name, and stands at the end.
    letters = [name[0] for name in names if name[0].isascii() and name != "administrator"]
    check("sorted entries", letters == sorted(letters) and len(letters) > 20, names)
    watcher = ldap3.Connection(place, f"uid=admin,{PEOPLE}", PASSWORD, auto_bind=True, client_strategy=ldap3.ASYNC_STREAM)
    watch = watcher.extend.standard.persistent_search(
        PEOPLE, "(objectClass=person)", attributes=["title"], streaming=False, changes_only=True, notifications=True)
    time.sleep(0.5)
    connection.modify(f"uid=emma.mueller,{PEOPLE}", {"title": [(ldap3.MODIFY_REPLACE, ["Watched"])]})
    seen, end = None, time.time() + 10
    while seen is None and time.time() < end:
        seen = watch.next(block=True, timeout=1)
    check("a persistent search", seen and seen["attributes"]["title"] == ["Watched"], seen)
    watch.stop()
    tls = ldap3.Tls(validate=ssl.CERT_REQUIRED, ca_certs_file=server.certificate)
    started = ldap3.Connection(ldap3.Server("127.0.0.1", port=server.port, tls=tls), "admin", PASSWORD)
    check("StartTLS", started.start_tls() and started.bind(), started.result)
    secure = ldap3.Connection(ldap3.Server("127.0.0.1", port=server.secure, use_ssl=True, tls=tls), "admin", PASSWORD)
    check("LDAPS", secure.bind(), secure.result)
    plain = ldap3.Connection(
        ldap3.Server("127.0.0.1", port=server.secure, use_ssl=True, tls=tls), authentication=ldap3.SASL, sasl_mechanism=ldap3.PLAIN,
        sasl_credentials=(None, "admin", PASSWORD))
    check("SASL PLAIN under TLS", plain.bind() and plain.extend.standard.who_am_i() == f"dn:uid=admin,{PEOPLE}", plain.result)
    early = ldap3.Connection(
        ldap3.Server("127.0.0.1", port=server.port), authentication=ldap3.SASL, sasl_mechanism=ldap3.PLAIN,
        sasl_credentials=(None, "admin", PASSWORD))
    check("no SASL PLAIN before TLS", not early.bind() and early.result["result"] == 7, early.result)


def with_tools(server):
    login = ["-x", "-H", f"ldap://127.0.0.1:{server.port}", "-D", f"uid=admin,{PEOPLE}", "-w", PASSWORD]
    with open(os.path.join(ROOT, "Tests", "Fixtures", "LDAP", "filters.txt")) as file:
        filters = [line.strip() for line in file if line.strip()]
    for text in filters:
        done = tool("ldapsearch", *login, "-LLL", "-b", BASE, text, "1.1")
        if done.returncode != 0:
            check(text, False, done.stderr)
    check(f"{len(filters)} filters of clients", True)
    paged = tool("ldapsearch", *login, "-LLL", "-E", "pr=5/noprompt", "-b", BASE, "(objectClass=*)", "1.1")
    whole = tool("ldapsearch", *login, "-LLL", "-b", BASE, "(objectClass=*)", "1.1")
    count = lambda done: len(re.findall("^dn", done.stdout, re.M))
    check("ldapsearch by pages", count(paged) == count(whole) > 20, f"{count(paged)} of {count(whole)}")
    done = tool("ldapwhoami", "-x", "-H", server.socket, "-D", "admin", "-w", PASSWORD)
    check("a local socket", done.stdout.strip() == f"dn:uid=admin,{PEOPLE}", done.stderr)
    done = tool("ldapwhoami", "-Q", "-Y", "EXTERNAL", "-H", server.socket)
    check("EXTERNAL over a local socket", done.stdout.startswith("dn:gidNumber="), done.stderr)
    people = ["-LLL", "-o", "ldif-wrap=no", "-b", PEOPLE, "-s", "one"]
    command = ["ldapsearch", *login, *people, "-E", "!sss=uid", "-E", "!vlv=0/2/3/0", "(uid=*)", "uid"]
    try:  # ldapsearch waits for a key before the next part of the list.
        part = tool("timeout", "5", *command, input="").stdout
    except subprocess.TimeoutExpired as late:
        part = (late.stdout or b"").decode()
    whole = tool("ldapsearch", *login, *people, "-E", "!sss=uid", "(uid=*)", "uid")
    uids = lambda done: re.findall("^uid: (.*)", done.stdout, re.M)
    check("ldapsearch shows a part of a list", re.findall("^uid: (.*)", part, re.M)[:3] == uids(whole)[2:5], part[:400])
    url = re.search(r"Roster serves (\S+)", open(os.path.join(server.folder, "welcome")).read())[1]
    done = subprocess.run(["curl", "-s", "-k", "-u", f"admin:{PASSWORD}", url + "/metrics"], capture_output=True, text=True)
    check("the metrics count connections", re.search(r"^roster_ldap_connections \d", done.stdout, re.M), done.stdout[:200])
    text = "dn: uid=kim,%s\nobjectClass: inetOrgPerson\nsn: Lee\ncn: Kim Lee\n" % PEOPLE
    check("ldapadd", tool("ldapadd", *login, input=text).returncode == 0)
    check("ldapcompare", tool("ldapcompare", *login, f"uid=kim,{PEOPLE}", "sn:lee").returncode == 6)
    text = f"dn: uid=kim,{PEOPLE}\nchangetype: modify\nreplace: title\ntitle: Boss\n"
    done = tool("ldapmodify", *login, "-e", "!postread=title", "-e", "!assert=(sn=Lee)", input=text)
    check("ldapmodify with a condition and the entry afterwards", done.returncode == 0 and "title: Boss" in done.stdout, done.stderr)
    check("ldappasswd", tool("ldappasswd", *login, "-s", "a good long passphrase", f"uid=kim,{PEOPLE}").returncode == 0)
    check("ldapmodrdn", tool("ldapmodrdn", *login, "-r", f"uid=kim,{PEOPLE}", "uid=tim").returncode == 0)
    done = tool("ldapsearch", *login, "-LLL", "-o", "ldif-wrap=no", "-b", f"cn=finance,{GROUPS}", "-E", "!deref=member:uid,mail", "cn")
    check("ldapsearch shows attributes of members", "# member: <uid=owen.clarke>" in done.stdout, done.stdout + done.stderr)
    external = ["-Q", "-Y", "EXTERNAL", "-H", server.socket]
    done = tool("ldapwhoami", *external, "-X", "u:emma.mueller")
    check("EXTERNAL with an authorization identity", done.stdout.strip() == f"dn:uid=emma.mueller,{PEOPLE}", done.stderr)
    done = tool("ldapwhoami", *external, "-e", "!authzid=u:emma.mueller")
    check("proxied authorization", done.stdout.strip() == f"dn:uid=emma.mueller,{PEOPLE}", done.stderr)
    done = tool("ldapwhoami", *login, "-e", "!authzid=u:emma.mueller")
    check("no proxied authorization for users", done.returncode != 0, done.stdout)
    done = tool("ldappasswd", *login, "-e", "ppolicy", "-s", "short", f"uid=tim,{PEOPLE}")
    shown = done.stdout + done.stderr
    check("the policy's reason for a refused password", "Password fails quality checks" in shown, shown)
    check("ldapdelete", tool("ldapdelete", *login, f"uid=tim,{PEOPLE}").returncode == 0)
    done = tool("ldapsearch", "-x", "-H", f"ldap://127.0.0.1:{server.port}", "-s", "base", "-b", "", "+")
    check("the root DSE without a bind", "supportedFeatures" in done.stdout, done.stderr)


with tempfile.TemporaryDirectory() as folder:
    server = Server(folder)
    try:
        with_ldap3(server)
        with_tools(server)
    finally:
        status = server.stop()
    check("the server ends well", status == 0, status)
    text = server.text()
    check("the log has the operations", '"ldap":"search"' in text and PASSWORD not in text)
    check("the socket is removed", not os.path.exists(os.path.join(folder, "ldapi")))
sys.exit(f"{len(failures)} failed: {failures}" if failures else 0)
