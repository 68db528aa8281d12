#!/usr/bin/env python3
"""What others feel while one caller does their worst.
Usage: worst_caller.py ROSTER_BINARY [SECONDS_FOR_EACH_ATTACK] [ATTACK ...]     60 s and all attacks by default. Needs nothing
but Python. Ends with 1 where a figure misses its goal.

For each attack: how long the look-ups of others and /healthz take, at the median, for 99 of 100, and at most; the longest
write; and how often the attacker was told to wait. The attacker runs on the same machine, so the figures are of a server
that has lost some of its processors to its client as well.
"""

import base64
import hashlib
import http.client
import json
import multiprocessing
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROSTER = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60
PEOPLE = 5_000
PASSWORD = "correct-horse-battery-9"
LOOKUP_GOAL, WRITE_GOAL = 50, 1_000  # ms
USERS = "urn:ietf:params:scim:schemas:core:2.0:User"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
SEARCH = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"


def basic(name, password=PASSWORD):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


class Client:
    """A kept connection, made again when it breaks."""

    def __init__(self, address, name=None, source=None, password=PASSWORD):
        self.address, self.source, self.connection = address, source, None
        self.headers = {"Authorization": basic(name, password)} if name else {}

    def ask(self, method, path, body=None, timeout=30):
        """The status; 0 where there is no answer."""
        headers = dict(self.headers)
        if body is not None:
            headers["Content-Type"] = "application/scim+json" if path.startswith("/scim") else "application/json"
            body = json.dumps(body)
        for _ in range(2):
            kept = self.connection is not None
            try:
                if not kept:
                    self.connection = http.client.HTTPConnection(
                        self.address, timeout=timeout, source_address=(self.source, 0) if self.source else None)
                self.connection.request(method, path, body, headers)
                answer = self.connection.getresponse()
                self.body = answer.read()
                return answer.status
            except (OSError, http.client.HTTPException):
                self.close()
                if not kept:
                    break
        return 0

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


# Attacks: each is run in threads of a process of its own, until the time is over. `step` counts the answers.

def loop(threads, deadline, counts, make):
    """Runs `make(number)()` again and again in each thread."""
    lock = threading.Lock()

    def run(number):
        ask = make(number)
        while time.monotonic() < deadline:
            status = ask()
            with lock:
                counts[status] = counts.get(status, 0) + 1
            if status == 0:
                time.sleep(0.05)

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def search(address, terms):
    """Searches whose every term looks at each byte of a large attribute."""
    text = " or ".join(f'urn:roster:params:scim:schemas:extension:directory:2.0:User:notes ew "{number:04}x"' for number in range(terms))
    if terms > 500:
        text = " or ".join(f'nickName ew "{number:03}"' for number in range(terms))
    body = {"schemas": [SEARCH], "filter": text, "count": 100}

    def make(_):
        client = Client(address, "mallory")
        return lambda: client.ask("POST", "/scim/v2/Users/.search", body, timeout=300)

    return 8, make


def patch(address):
    """A PATCH that looks through a thousand values of the caller's own again and again."""
    values = [{"value": f"+1 555 {number:07}", "type": f"kind{number}"} for number in range(1_000)]
    operations = [{"op": "replace", "path": "phoneNumbers", "value": values}] + [
        {"op": "replace", "path": f'phoneNumbers[value ew "{number:04}" and type co "d{number}"].display', "value": "x"}
        for number in range(60)]
    body = {"schemas": [PATCH], "Operations": operations}

    def make(_):
        client = Client(address, "mallory")
        return lambda: client.ask("PATCH", "/scim/v2/Me", body, timeout=300)

    return 8, make


def passwords(address):
    """Eighty connections that set the caller's password."""
    body = {"schemas": [PATCH], "Operations": [{"op": "replace", "path": "password", "value": PASSWORD}]}

    def make(_):
        client = Client(address, "mallory")
        return lambda: client.ask("PATCH", "/scim/v2/Me", body, timeout=300)

    return 80, make


def others_passwords(address):
    """Eighty connections that would set somebody else's password, which the caller may not."""
    admin = Client(address, "admin")
    admin.ask("GET", '/scim/v2/Users?filter=userName%20eq%20%22user00001%22')
    user = json.loads(admin.body)["Resources"][0]["id"]
    body = {"schemas": [PATCH], "Operations": [{"op": "replace", "path": "password", "value": PASSWORD}]}

    def make(_):
        client = Client(address, "mallory")
        return lambda: client.ask("PATCH", f"/scim/v2/Users/{user}", body)

    return 80, make


def guesses(address):
    """Wrong passwords from twelve addresses."""
    def make(number):
        def ask():
            name = f"user{random.randrange(PEOPLE):05}" if random.random() < 0.5 else f"nobody{random.random()}"
            client = Client(address, name, f"127.0.0.{2 + number % 12}", "wrong " + str(random.random()))
            status = client.ask("GET", "/scim/v2/Me", timeout=60)
            client.close()
            return status
        return ask

    return 96, make


def idle(address):
    """Idle connections from four addresses, as many as are let in, half of them with an unfinished head."""
    host, port = address.split(":")

    def make(number):
        held = []

        def ask():
            try:
                held.append(socket.create_connection(
                    (host, int(port)), timeout=5, source_address=(f"127.0.0.{20 + number}", 0)))
                if len(held) % 2:
                    held[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX:")
            except OSError:
                time.sleep(0.05)
            if len(held) >= 400:
                held.pop(0).close()
                time.sleep(0.005)
            return 200
        return ask

    return 4, make


def pages(address):
    """Pages far from the beginning."""
    def make(_):
        client = Client(address, "mallory")
        return lambda: client.ask(
            "GET", f"/scim/v2/Users?filter=title%20co%20%22Title%22&count=100&startIndex={random.randrange(1, PEOPLE)}")

    return 8, make


def groups(address):
    """Groups with all people in them."""
    client = Client(address, "mallory")
    client.ask("GET", '/scim/v2/Groups?filter=displayName%20eq%20%22everyone%22&excludedAttributes=members')
    group = json.loads(client.body)["Resources"][0]["id"]

    def make(_):
        client = Client(address, "mallory")
        return lambda: client.ask("GET", f"/scim/v2/Groups/{group}", timeout=120)

    return 8, make


def streams(address):
    """Two hundred listeners to the change feed, which only administrators may read."""
    def make(number):
        client = Client(address, "mallory")
        client.headers["Accept"] = "text/event-stream"
        return lambda: client.ask("GET", "/oic_rest/rest/userprofile/changes", timeout=120)

    return 200, make


ATTACKS = {
    "none": None,
    "search_ew_64k": lambda address: search(address, 100),
    "search_990_terms": lambda address: search(address, 990),
    "patch_60_of_1000": patch,
    "own_password_80": passwords,
    "others_password_80": others_passwords,
    "guesses_12_addresses": guesses,
    "idle_4_addresses": idle,
    "deep_pages": pages,
    "big_group": groups,
    "event_streams_200": streams,
}


def attack(name, address, deadline, results):
    counts = {}
    made = ATTACKS[name]
    if made:
        threads, make = made(address)
        loop(threads, deadline, counts, make)
    results.put(counts)


def measure(kind, address, deadline, results):
    """What others do: look-ups and /healthz by turns on a kept and on a new connection; writes; sign-ins."""
    client, times, failures, number = Client(address, "admin" if kind == "write" else "friend"), [], 0, 0
    time.sleep(0.5)
    while time.monotonic() < deadline:
        number += 1
        if kind in ("lookup", "health") and number % 10 == 0:
            client.close()
        start = time.perf_counter()
        if kind == "lookup":
            status = client.ask("GET", f"/oic_rest/rest/userprofile/people/user{random.randrange(PEOPLE):05}")
        elif kind == "health":
            status = client.ask("GET", "/healthz")
        elif kind == "write":
            status = client.ask("PUT", "/oic_rest/rest/userprofile/people/user00007", {"title": f"Title {number}"})
        else:
            signing = Client(address, f"user{number:05}")
            status = signing.ask("GET", "/scim/v2/Me", timeout=60)
            signing.close()
        took = (time.perf_counter() - start) * 1_000
        if status != 200:
            failures += 1
            took = max(took, 60_000)
        times.append(took)
        time.sleep({"write": 0.1, "sign_in": 0.5}.get(kind, 0.01))
    results.put((kind, times, failures))


def share(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))] if times else float("nan")


def run(name, address):
    results, counted = multiprocessing.Queue(), multiprocessing.Queue()
    deadline = time.monotonic() + SECONDS
    attacker = multiprocessing.Process(target=attack, args=(name, address, deadline, counted))
    kinds = ["lookup", "health", "write", "sign_in"]
    others = [multiprocessing.Process(target=measure, args=(kind, address, deadline, results)) for kind in kinds]
    for process in [attacker] + others:
        process.start()
    found = {kind: (times, failures) for kind, times, failures in (results.get(timeout=SECONDS + 400) for _ in kinds)}
    for process in others:
        process.join()
    try:
        counts = counted.get(timeout=SECONDS + 300)
    except Exception:
        counts = {}
    attacker.terminate()
    attacker.join()
    good = True
    for kind in ("lookup", "health"):
        times, failures = found[kind]
        p99 = share(times, 0.99)
        good = good and p99 <= LOOKUP_GOAL
        print(f"{name}.{kind} p50 {share(times, 0.5):.1f} p99 {p99:.1f} max {max(times):.1f} ms (goal p99 {LOOKUP_GOAL}); "
              f"{len(times)} asked, {failures} failed")
    times, failures = found["write"]
    good = good and max(times) <= WRITE_GOAL
    print(f"{name}.write max {max(times):.1f} ms (goal {WRITE_GOAL}); {len(times)} asked, {failures} failed")
    times, failures = found["sign_in"]
    good = good and failures == 0
    print(f"{name}.sign_in p50 {share(times, 0.5):.0f} max {max(times):.0f} ms; {len(times)} asked, {failures} failed (goal 0)")
    told = counts.get(429, 0) + counts.get(503, 0)
    print(f"{name}.attacker {sum(counts.values())} answers, {told} told to wait: {dict(sorted(counts.items()))}")
    print(f"{name} {'good' if good else 'MISSED'}", flush=True)
    return good


def main():
    work = tempfile.mkdtemp()
    salt = os.urandom(16)
    key = hashlib.scrypt(PASSWORD.encode(), salt=salt, n=1 << 15, r=8, p=3, maxmem=1 << 27, dklen=32)
    text = [base64.b64encode(data).decode().rstrip("=") for data in (salt, key)]
    stored = f"$scrypt$ln=15,r=8,p=3${text[0]}${text[1]}"
    people = [{"uid": f"user{number:05}", "password": stored, "title": f"Title {number % 50}", "nickName": f"n{number}",
               "mail": f"user{number:05}@example.com"} for number in range(PEOPLE)]
    people += [{"uid": name, "password": stored} for name in ("mallory", "friend")]
    people[-2]["notes"] = "y" * 65_000
    with open(f"{work}/seed.json", "w") as file:
        json.dump({
            "attributes": [{"name": "notes", "writers": "person"}], "people": people,
            "roles": [{"name": "everyone", "displayName": "everyone", "members": [p["uid"] for p in people]}]}, file)
    with open(f"{work}/password", "w") as file:
        file.write(PASSWORD + "\n")
    server = subprocess.Popen(
        [ROSTER, "serve", "--database", "r.db", "--seed", "seed.json", "--listen", "127.0.0.1:0", "--admin-password-file",
         "password", "--quiet"], cwd=work, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split("/")[-1].strip()
        threading.Thread(target=server.stdout.read, daemon=True).start()
        # Those who signed in before, from here.
        for name in ("admin", "friend", "mallory"):
            status = Client(address, name).ask("GET", "/scim/v2/Me")
            assert status == 200, (name, status)
        good = [run(name, address) for name in sys.argv[3:] or ATTACKS]
    finally:
        server.terminate()
        server.wait()
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
