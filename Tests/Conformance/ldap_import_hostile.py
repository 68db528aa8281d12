#!/usr/bin/env python3
"""`roster import ldap://…` against servers that break the rules: ranges and pages that do not end, values that are missing, names with
line breaks, wrong controls, and answers that are none. The import must end, say why, and import nothing that the server made up by line breaks.

    python3 Tests/Conformance/ldap_import_hostile.py .build/optimized/release/roster
"""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

from ldap_wire import element, number, text

ROSTER = os.path.abspath(sys.argv[1])
TREE = "dc=example,dc=com"
PAGED = "1.2.840.113556.1.4.319"
failures = []


def check(name, holds, shown=""):
    print(("ok      " if holds else "FAILED  ") + name + (f": {shown}" if shown and not holds else ""), flush=True)
    if not holds:
        failures.append(name)


def entry(id, dn, **attributes):
    octets = lambda value: element(4, value if isinstance(value, bytes) else value.encode())
    parts = [element(0x30, text(name.replace("__", ";range=")), element(0x31, *map(octets, values))) for name, values in attributes.items()]
    return element(0x30, number(id), element(0x64, octets(dn), element(0x30, *parts)))


def person(id, uid, **more):
    return entry(id, f"uid={uid},ou=people,{TREE}", objectClass=["inetOrgPerson"], uid=[uid], cn=[uid], sn=[uid], **more)


def done(id, cookie=None, control=None, code=0):
    value = control
    if cookie is not None:
        value = element(0x30, number(0), element(4, cookie))
    controls = element(0xA0, element(0x30, text(PAGED), element(4, value))) if value is not None else b""
    return element(0x30, number(id), element(0x65, number(code, 0x0A), text(""), text("")), controls)


class Server:
    """Answers the searches of one client after the other: the root entry by itself, all others by a function of the test."""

    def __init__(self, answer):
        self.answer, self.searches = answer, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"ldap://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        data = b""
        try:
            while piece := client.recv(65536):
                data += piece
                while len(data) > 2:
                    head = 2 + (data[1] & 0x7F if data[1] & 0x80 else 0)
                    size = int.from_bytes(data[2:head], "big") if head > 2 else data[1]
                    if len(data) < head + size:
                        break
                    message, data = data[head:head + size], data[head + size:]
                    id = int.from_bytes(message[2:2 + message[1]], "big")
                    rest = message[2 + message[1]:]
                    if rest[0] == 0x60:
                        client.sendall(element(0x30, number(id), element(0x61, number(0, 0x0A), text(""), text(""))))
                    elif rest[0] == 0x63 and b"namingContexts" in rest:
                        client.sendall(entry(id, "", namingContexts=[TREE]) + done(id))
                    elif rest[0] == 0x63:
                        self.searches += 1
                        client.sendall(self.answer(id, rest, self.searches))
                    else:
                        break
        except OSError:
            pass
        client.close()


def imports(folder, answer, seconds=60):
    """The outcome of an import from a server, the names of the users afterwards, and the seconds that the import took."""
    server = Server(answer)
    database = os.path.join(folder, f"d{len(os.listdir(folder))}.db")
    begin = time.time()
    try:
        outcome = subprocess.run(
            [ROSTER, "import", "--database", database, server.url], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, [], seconds
    listed = subprocess.run([ROSTER, "export", "--format", "csv", "--database", database], capture_output=True, text=True).stdout
    return outcome, [line.split(",")[0] for line in listed.splitlines()[1:]], time.time() - begin


def refused(folder, name, answer, words):
    outcome, users, _ = imports(folder, answer)
    shown = "it does not end" if outcome is None else f"{outcome.returncode} {outcome.stderr[:300]}"
    check(name, outcome is not None and outcome.returncode not in (0, 3) and words in outcome.stderr and not users, shown)


with tempfile.TemporaryDirectory() as folder:
    outcome, users, _ = imports(folder, lambda id, _, count: person(id, f"u{count}") + done(id, b"next" if count < 3 else b""))
    check("an honest server", outcome and outcome.returncode == 0 and users == ["u1", "u2", "u3"], outcome)
    late = lambda id, _, count: done(id, b"next") if count < 40 else person(id, "late") + done(id, b"")
    outcome, users, _ = imports(folder, late)
    check("some pages without entries", outcome and users == ["late"], outcome)

    refused(folder, "pages without entries that do not end", lambda id, _, count: done(id, str(count).encode()), "pages do not end")
    refused(folder, "the same page again and again", lambda id, _, count: person(id, "again") + done(id, b"same"), "pages do not end")

    def cut(name, ranges):
        refused(folder, name, ranges, "does not give all")

    def ranges(next):
        def answer(id, request, count):
            if b"range=" not in request:
                return person(id, "group", **{"description__0-1": ["a", "b"]}) + done(id, b"")
            return next(id, count)
        return answer

    cut("a range that does not go on", ranges(lambda id, _: person(id, "group", **{"description__0-1": ["a"]}) + done(id)))
    cut("a range without values", ranges(lambda id, _: person(id, "group", **{"description__2-*": []}) + done(id)))
    cut("a range that is missing", ranges(lambda id, _: person(id, "group") + done(id)))
    cut("a range with a number that is none", ranges(lambda id, _: person(
        id, "group", **{"description__99999999999999999999999-x": ["a"]}) + done(id)))
    cut("ranges that do not end", ranges(lambda id, count: person(id, "group", **{f"description__{count}-{count}": ["a"]}) + done(id)))

    evil = b"x\nuid: evil\n\ndn: uid=evil,ou=people,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: evil\ncn: evil\nsn: evil\n"
    bent = lambda id, _, count: b"".join((
        person(id, "good", title=[evil]), person(id, "other", **{evil.decode(): ["v"]}),
        entry(id, b"uid=bent,ou=people," + evil, objectClass=["inetOrgPerson"], uid=["bent"], cn=["b"], sn=["b"]), done(id, b"")))
    outcome, users, _ = imports(folder, bent)
    check("line breaks in values and names add nobody", outcome and "evil" not in users and "good" in users, f"{users} {outcome}")

    for name, control in (("that cannot be read", b"\x30\x03\x02\x01"), ("with another value", text("x")), ("of no bytes", b"")):
        outcome, users, took = imports(folder, lambda id, _, count: person(id, f"u{count}") + done(id, control=control))
        check(f"a control {name} ends the import", outcome is not None and took < 30, outcome)
    for name, answer in (
        ("bytes that are no message", lambda id, _, count: b"\xff" * 4000),
        ("a length of gigabytes", lambda id, _, count: b"\x30\x84\x7f\xff\xff\xff\x02\x01\x02" + b"x" * 100),
        ("half of an entry", lambda id, _, count: person(id, "half")[:20]),
    ):
        outcome, users, took = imports(folder, answer, 100)
        ends = outcome is not None and outcome.returncode not in (0, 3)
        check(f"{name} end the import", ends and not users, f"{took:.0f} s {outcome}")
    outcome, users, _ = imports(folder, lambda id, _, count: person(id, "some") + done(id, code=52))
    check("an error after the first entries imports none", outcome and outcome.returncode not in (0, 3) and not users, outcome)
sys.exit(f"{len(failures)} failed: {failures}" if failures else 0)
