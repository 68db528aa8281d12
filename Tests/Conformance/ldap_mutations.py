#!/usr/bin/env python3
"""Damaged messages of real clients. The script records what ldap3 and OpenLDAP's programs send to the server, damages the messages at
random, and sends them from many connections, bound and not. The server must not end, must not keep memory, and must serve others.

    .build/ldap-venv/bin/python Tests/Conformance/ldap_mutations.py .build/optimized/release/roster [COUNT] [SEED]

COUNT is the number of messages: 20,000 by default, and ten million in a long run. It prints its seed, with which a failure is repeated.
"""

import multiprocessing
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

import ldap3

from ldap_wire import BASE, PASSWORD, Server, bind

ROSTER = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
PEOPLE = f"ou=people,{BASE}"
failures = []
print("seed", SEED, flush=True)


def check(name, holds, shown=""):
    print(("ok      " if holds else "FAILED  ") + name + (f": {shown}" if shown else ""), flush=True)
    if not holds:
        failures.append(name)


class Recorder:
    """Passes connections on to the server, and keeps what the clients send."""

    def __init__(self, port):
        self.target, self.sent = port, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self.pump, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, False), daemon=True).start()

    def pump(self, source, target, keeps):
        data = b""
        try:
            while piece := source.recv(65536):
                data += piece
                target.sendall(piece)
        except OSError:
            pass
        if keeps:
            self.sent.append(data)
        for end in (source, target):
            end.close()


def messages(data):
    """The messages in the bytes of a connection."""
    while len(data) > 2:
        head, size = 2, data[1]
        if size & 0x80:
            head = 2 + (size & 0x7F)
            size = int.from_bytes(data[2:head], "big")
        yield data[:head + size]
        data = data[head + size:]


def record(server):
    recorder = Recorder(server.port)
    place = ldap3.Server("127.0.0.1", port=recorder.port, get_info=ldap3.ALL)
    client = ldap3.Connection(place, f"uid=admin,{PEOPLE}", PASSWORD, auto_bind=True)
    client.search(BASE, "(&(objectClass=*)(!(|(cn=a*b*c)(sn>=x)(manager:1.2.840.113556.1.4.1941:=uid=a,ou=people)))(mail~=y))",
                  attributes=["*", "+"], paged_size=5)
    name = f"uid=made,{PEOPLE}"
    client.add(name, ["inetOrgPerson"], {"cn": "Made", "sn": "Made", "mail": ["made@example.com"]})
    client.modify(name, {"title": [(ldap3.MODIFY_REPLACE, ["Chief"])], "mail": [(ldap3.MODIFY_ADD, ["b@example.com"])]})
    client.compare(name, "title", "chief")
    client.extend.standard.who_am_i()
    client.extend.standard.modify_password(name, new_password="another staple of horses")
    client.modify_dn(name, "uid=other")
    client.delete(f"uid=other,{PEOPLE}")
    client.unbind()
    login = ["-x", "-H", f"ldap://127.0.0.1:{recorder.port}", "-D", "admin", "-w", PASSWORD]
    for command in (
        ["ldapsearch", *login, "-b", BASE, "-E", "pr=7/noprompt", "-E", "!sss=uid", "(cn:dn:2.5.13.2:=x)", "+"],
        ["ldapsearch", *login, "-b", PEOPLE, "-s", "one", "-E", "!sss=uid", "-E", "!vlv=1/1/2/0", "(uid=*)", "uid"],
        ["ldapsearch", *login, "-b", BASE, "-E", "deref=member:uid,cn", "-E", "sync=ro", "(objectClass=groupOfNames)"],
        ["ldapsearch", *login, "-b", BASE, "-e", "!authzid=u:emma.mueller", "-e", "assert=(cn=x)", "(uid=a)"],
        ["ldapmodify", *login, "-e", "ppolicy", "-e", "preread=*", "-e", "postread=*", "-e", "manageDSAit"],
        ["ldapexop", *login, "whoami"], ["ldappasswd", *login, "-s", PASSWORD, "-a", PASSWORD, f"uid=emma.mueller,{PEOPLE}"],
        ["ldapwhoami", "-x", "-Z", "-H", f"ldap://127.0.0.1:{recorder.port}"], ["ldapexop", *login, "cancel", "1"],
    ):
        change = f"dn: uid=emma.mueller,{PEOPLE}\nchangetype: modify\nreplace: title\ntitle: Boss\n-\nincrement: badge\nbadge: 1\n"
        subprocess.run(["timeout", "3", *command], input=change, capture_output=True, text=True)
    time.sleep(0.5)
    return sorted({message for data in recorder.sent for message in messages(data)})


def damaged(data, numbers):
    """A message with one to four damages: other bits, bytes or lengths, parts that are missing, doubled or moved."""
    data = bytearray(data)
    for _ in range(numbers.choice((1, 1, 1, 2, 4))):
        place = numbers.randrange(len(data))
        kind = numbers.randrange(8)
        if kind < 2:
            data[place] ^= 1 << numbers.randrange(8)
        elif kind == 2:
            data[place] = numbers.choice((0, 1, 0x7F, 0x80, 0x84, 0xFF, 0x30, 0xA0, 0x04, 0x02))
        elif kind == 3:
            del data[place:place + numbers.randrange(1, 9)]
        elif kind == 4:
            data[place:place] = numbers.randbytes(numbers.randrange(1, 9))
        elif kind == 5:
            data[place:place] = data[place:place + numbers.randrange(1, 64)]
        elif kind == 6:
            other = numbers.randrange(len(data))
            data[place], data[other] = data[other], data[place]
        else:
            data[place:place + 2] = (0x80 | numbers.randrange(1, 9)).to_bytes(1, "big") + numbers.randbytes(1)
        if not data:
            data = bytearray(b"\x30")
    # The outer length mostly fits, so that the damage is met within the message.
    if numbers.random() < 0.7 and len(data) > 4:
        body = bytes(data[2:] if data[1] < 0x80 else data[2 + (data[1] & 0x7F):])
        data = b"\x30\x84" + len(body).to_bytes(4, "big") + body
    return bytes(data)


def attack(port, seeds, count, seed, sent):
    """Sends damaged messages. A connection ends with the first one that is none, so that some begin anew each time."""
    numbers, done = random.Random(seed), 0
    while done < count:
        size = min(numbers.randrange(1, 30), count - done)
        batch = [bind(1)] if numbers.random() < 0.7 else []
        batch += [damaged(numbers.choice(seeds), numbers) for _ in range(size)]
        try:
            # Each loopback address has ports of its own, which the system keeps for a minute after a connection.
            own = f"127.0.{numbers.randrange(64)}.{numbers.randrange(1, 255)}"
            with socket.create_connection(("127.0.0.1", port), timeout=20, source_address=(own, 0)) as client:
                client.sendall(b"".join(batch))
                if numbers.random() < 0.5:
                    # Waits for what the messages do, until the server ends the connection or has nothing more to say.
                    client.settimeout(0.02)
                    while client.recv(65536):
                        pass
        except OSError:
            pass
        done += size
        with sent.get_lock():
            sent.value += size


with tempfile.TemporaryDirectory() as folder:
    server = Server(ROSTER, folder)
    try:
        seeds = record(server)
        check("messages are recorded", len(seeds) > 20, len(seeds))
        done = server.tool("ldappasswd", "-s", PASSWORD, f"uid=emma.mueller,{PEOPLE}")
        check("another client can sign in", done.returncode == 0 and server.serves("emma.mueller"), done.stderr.strip())
        # The first messages fill caches and pools.
        sent, begin, steps, memory = multiprocessing.Value("q", 0), time.time(), 10, []
        for step in range(steps):
            workers = [multiprocessing.Process(target=attack, args=(server.port, seeds, COUNT // steps // 2, SEED + 2 * step + half, sent))
                       for half in range(2)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            memory.append(server.memory())
            if server.process.poll() is not None:
                break
        rate = sent.value / (time.time() - begin)
        check(f"{sent.value} damaged messages of {len(seeds)} kinds do not end the server", server.process.poll() is None, f"{rate:.0f} /s")
        # The allocator gives memory back late, so that a few million messages vary by some ten megabytes.
        check("memory stays bounded", max(memory) < 200, f"{memory} MB")
        time.sleep(2)
        check("others are served", any(server.serves("emma.mueller") for _ in range(3)))
        begin = server.processor()
        time.sleep(2)
        check("the server rests", server.processor() - begin < 0.5, f"{server.processor() - begin:.2f} s in 2 s")
    finally:
        server.process.terminate()
        check("the server ends well", server.process.wait(40) == 0)
    log = open(server.log.name).read()
    check("no crash is in the log", "Fatal" not in log and "crash" not in log, log[-400:] if failures else "")
sys.exit(f"{len(failures)} failed: {failures}" if failures else 0)
