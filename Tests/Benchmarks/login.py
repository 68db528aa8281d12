#!/usr/bin/env python3
"""What a login costs beside its hash, and what becomes of more logins at once than can be hashed.
Usage: login.py ROSTER_BINARY     Needs nothing but Python.

The hash alone is Python's scrypt (libcrypto's, as ours) with the same parameters, measured in turn with the logins.
"""

import base64
import hashlib
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROSTER = os.path.abspath(sys.argv[1])
WORK = tempfile.mkdtemp()
PASSWORD = "correct-horse-battery-9"
COUNT = 240


def scrypt(salt):
    return hashlib.scrypt(PASSWORD.encode(), salt=salt, n=1 << 15, r=8, p=3, maxmem=1 << 27, dklen=32)


def text(data):
    return base64.b64encode(data).decode().rstrip("=")


salt = os.urandom(16)
stored = f"$scrypt$ln=15,r=8,p=3${text(salt)}${text(scrypt(salt))}"
with open(f"{WORK}/seed.json", "w") as file:
    json.dump({"people": [{"uid": f"u{n}", "password": stored} for n in range(COUNT)], "backends": [
        {"name": "bench", "client_id": "bench", "client_secret": "s" * 32, "grant_types": ["password"]}]}, file)
with open(f"{WORK}/password", "w") as file:
    file.write(PASSWORD + "\n")
server = subprocess.Popen(
    [ROSTER, "serve", "--database", "r.db", "--seed", "seed.json", "--listen", "127.0.0.1:0", "--admin-password-file",
     "password", "--quiet"], cwd=WORK, stdout=subprocess.PIPE, text=True)
address = server.stdout.readline().split("/")[-1].strip()
CLIENT = "Basic " + base64.b64encode(b"bench:" + b"s" * 32).decode()


def login(connection, name):
    connection.request("POST", "/oauth2/token", urllib.parse.urlencode(
        {"grant_type": "password", "username": name, "password": PASSWORD}),
        {"Authorization": CLIENT, "Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.getheader("Retry-After")


try:
    connection = http.client.HTTPConnection(address)
    login(connection, "u0")
    hashes, logins = [], []
    for number in range(1, 61):
        start = time.perf_counter()
        scrypt(os.urandom(16))
        middle = time.perf_counter()
        status, _ = login(connection, f"u{number}")
        end = time.perf_counter()
        assert status == 200, status
        hashes.append(middle - start)
        logins.append(end - middle)
    hash_time, login_time = (statistics.median(values) * 1000 for values in (hashes, logins))
    print(f"login.hash {hash_time:.1f} ms")
    print(f"login.login {login_time:.1f} ms")
    # Of neighbours, since the machine's speed drifts; and of the fastest, which the noise has touched least.
    beside = statistics.median(login - alone for alone, login in zip(hashes, logins)) * 1000
    print(f"login.beside_the_hash {beside:.1f} ms (bar 2); of the fastest {(min(logins) - min(hashes)) * 1000:.1f} ms")

    answers, lock = [], threading.Lock()

    def one(name):
        answer = login(http.client.HTTPConnection(address, timeout=60), name)
        with lock:
            answers.append(answer)

    threads = [threading.Thread(target=one, args=(f"u{number}",)) for number in range(61, 221)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    health = []
    while any(thread.is_alive() for thread in threads):
        asked = time.perf_counter()
        connection.request("GET", "/readyz")
        connection.getresponse().read()
        health.append(time.perf_counter() - asked)
        time.sleep(0.02)
    seconds = time.perf_counter() - start
    statuses = [status for status, _ in answers]
    print(f"login.at_once {len(threads)}: {statuses.count(200)} let in, {statuses.count(429)} told to come again, "
          f"{len(threads) - statuses.count(200) - statuses.count(429)} otherwise; {seconds:.1f} s")
    print(f"login.reads_meanwhile.p99 {sorted(health)[int(len(health) * 0.99) - 1] * 1000:.1f} ms")
    assert all(wait for status, wait in answers if status == 429), "a 429 without Retry-After"
    assert statuses.count(200) >= 60 and statuses.count(429) > 0, statuses
finally:
    server.terminate()
    server.wait()
