#!/usr/bin/env python3
"""The LDAP server under clients that break the rules: random and truncated messages, lengths of gigabytes, deep filters, abandoned
searches, clients that read nothing, and a stop while clients are served. After each attack an ordinary client must still be served.

    python3 Tests/Conformance/ldap_hostile.py .build/debug/roster [SEED]

It needs nothing but Python and ldap-utils. It prints its seed, with which a failure is repeated.
"""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from ldap_wire import BASE, PASSWORD, PRESENT, Server, bind, element, equal, message, number, search, text

ROSTER = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
print("seed", SEED)
numbers = random.Random(SEED)
failures = []


def check(name, holds, shown=""):
    print(("ok      " if holds else "FAILED  ") + name + (f": {shown}" if shown else ""))
    if not holds:
        failures.append(name)


def send(client, data):
    try:
        client.sendall(data)
        return True
    except OSError:
        return False


def read_all(client, seconds=10):
    client.settimeout(seconds)
    data = b""
    try:
        while piece := client.recv(65536):
            data += piece
    except OSError:
        return data, False
    return data, True


def attacks(server):
    done = server.tool("ldappasswd", "-s", PASSWORD, f"uid=emma.mueller,ou=people,{BASE}")
    check("another client can sign in", done.returncode == 0 and server.serves("emma.mueller"), done.stderr.strip())

    for count in range(300):
        client = server.connect(bound=count % 3 == 0)
        send(client, numbers.randbytes(numbers.randrange(1, 2000)))
        client.close()
    check("random bytes", server.serves())

    whole = [bind(2), search(3, PRESENT), search(4, element(0xA0, equal("uid", "x"), element(0xA2, equal("cn", "y")))),
             message(5, text("uid=nobody," + BASE, 0x4A))]
    for count in range(300):
        data = numbers.choice(whole)
        client = server.connect(bound=count % 2 == 0)
        send(client, data[:numbers.randrange(1, len(data))])
        client.close()
    check("truncated messages", server.serves())

    for head in (b"\x30\x84\x7f\xff\xff\xff", b"\x30\x84\xff\xff\xff\xff", b"\x30\x88" + b"\xff" * 8, b"\x30\x80", b"\x30\x89" + b"\x01" * 9):
        client = server.connect(bound=True)
        send(client, head + b"\x02\x01\x01" + b"\x00" * 64)
        data, ended = read_all(client)
        check(f"a length of {head.hex()} ends the connection with a notice", ended and b"1.3.6.1.4.1.1466.20036" in data, data[:40].hex())
    client = server.connect()
    before = server.memory()
    send(client, b"\x30\x83\x03\xff\xff" + b"\x02\x01\x01" + b"\x04" * 100)
    time.sleep(0.3)
    check("a message that has only begun takes no memory", server.memory() - before < 20, f"{server.memory() - before} MB")
    client.close()

    for depth in (63, 64, 1_000, 20_000):
        filter = PRESENT
        for _ in range(depth):
            filter = element(0xA2, filter)
        client = server.connect(bound=True)
        send(client, search(2, filter))
        client.settimeout(20)
        answer = client.recv(65536)
        check(f"a filter of {depth} levels", server.serves() and (depth < 64 or b"\x0a\x01\x0b" in answer), answer[:30].hex())
        client.close()
    client = server.connect(bound=True)
    send(client, search(2, element(0xA1, *[equal("uid", f"x{index}") for index in range(20_000)])))
    client.settimeout(20)
    check("a filter of 20,000 parts is refused", b"\x0a\x01\x0b" in client.recv(65536))
    client.close()

    client = server.connect(bound=True)
    for id in range(2, 500):
        send(client, search(id, PRESENT) + message(id + 1000, number(id, 0x50)))
    send(client, message(9000, element(0x77, text("1.3.6.1.4.1.4203.1.11.3", 0x80))))
    data, end = b"", time.time() + 30
    client.settimeout(30)
    while b"uid=admin" not in data[-400:] and time.time() < end:
        data += client.recv(65536)
    check("498 searches are abandoned, and the connection goes on", b"uid=admin" in data[-400:], f"{len(data)} bytes")
    client.close()

    before = server.memory()
    lazy = [server.connect(bound=True) for _ in range(10)]
    for client in lazy:
        client.setblocking(False)
        for id in range(2, 3000):
            try:
                client.send(search(id, PRESENT, attributes=("*", "+")))
            except BlockingIOError:
                break
    time.sleep(3)
    used = server.memory() - before
    check("clients that read nothing hold little memory", used < 150, f"{used} MB for {len(lazy)} clients")
    # A user's own searches may be too many; those of others wait for their turn only. A machine with other work can be late once.
    check("others are served meanwhile", any(server.serves("emma.mueller") for _ in range(5)))
    # The system takes some megabytes of answers for each client before the server has to wait.
    used, end = 2.0, time.time() + 90
    while used > 0.5 and time.time() < end:
        begin = server.processor()
        time.sleep(2)
        used = server.processor() - begin
    check("and the server rests in the end", used <= 0.5, f"{used:.2f} s in 2 s, {server.memory() - before} MB")
    for client in lazy:
        client.close()
    time.sleep(1)

    slow = [server.connect() for _ in range(200)]
    for client in slow:
        send(client, b"\x30")
    begin = server.processor()
    time.sleep(2)
    check("200 connections that say nothing cost nothing", server.processor() - begin < 0.5, f"{server.processor() - begin:.2f} s")
    check("others are served beside them", server.serves())
    for client in slow:
        client.close()

    # Half of a message before StartTLS or after it must not be taken for a part of the next one.
    client = server.connect(bound=True)
    whole = search(2, equal("uid", "emma.mueller"), attributes=("uid",))
    send(client, search(3, equal("uid", "emma.mueller"), attributes=("uid",)) + whole[:10])
    time.sleep(0.2)
    send(client, whole[10:])
    client.settimeout(10)
    data = b""
    while data.count(b"\x65\x07\x0a\x01\x00") < 2:
        data += client.recv(65536)
    check("a message in two pieces after a whole one", data.count(b"emma.mueller") >= 4)
    client.close()


with tempfile.TemporaryDirectory() as folder:
    server = Server(ROSTER, folder)
    try:
        attacks(server)
    except Exception as error:
        check(f"the attacks end ({error!r})", False)
    check("the server runs", server.process.poll() is None)
    stops = threading.Event()

    def load():
        while not stops.is_set():
            try:
                client = server.connect(bound=True)
                for id in range(2, 200):
                    client.sendall(search(id, PRESENT, attributes=("*", "+")))
                    client.recv(65536)
            except (OSError, AssertionError):
                time.sleep(0.05)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(1.5)
    begin = time.time()
    server.process.send_signal(signal.SIGINT)
    try:
        status = server.process.wait(40)
    except subprocess.TimeoutExpired:
        status = "still running"
        server.process.kill()
    check("Ctrl-C ends the server while it serves", status in (0, 130, -2), f"{status} after {time.time() - begin:.1f} s")
    stops.set()
    for thread in threads:
        thread.join()
    check("no crash is in the log", not re.search(r"Fatal|crash", open(server.log.name).read()))
sys.exit(f"{len(failures)} failed: {failures}" if failures else 0)
