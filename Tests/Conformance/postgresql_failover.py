#!/usr/bin/env python3
"""Two servers of Roster with one PostgreSQL database: the primary is killed and its synchronous standby promoted, again and again,
while clients change the directory at both servers. In the end each acknowledged change must be there once, and the feed without a gap.

usage: postgresql_failover.py ROSTER_BINARY [ROUNDS [SECONDS_A_ROUND]] (needs Debian's package postgresql; as root it uses the user postgres)
"""
import json
import os
import shutil
import sys
import threading
import time
import urllib.request

sys.dont_write_bytecode = True
from postgresql_pair import FOLDER, PEOPLE, feed, follow, kill, promote, request, run, serve, start_pair  # noqa: E402

ROSTER = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 10
ports = start_pair()
servers, bases = serve(ROSTER, ports)
acknowledged, unknown, refused, stale = [], [], {}, []
ending, lock = threading.Event(), threading.Lock()


def change(caller):
    number = 0
    while not ending.is_set():
        number += 1
        name = f"u{caller}-{number}"
        base = bases[(caller + number) % 2]
        try:
            status, answer = request(base, "POST", PEOPLE, {"uid": name, "lastname": f"Round {number}"})
        except OSError as error:
            status, answer = None, str(error)
        with lock:
            if status == 201:
                acknowledged.append(name)
            elif status is None or status == 504 or "outcome" in json.dumps(answer):
                unknown.append(name)
            else:
                refused.setdefault(f"{status} {json.dumps(answer)[:160]}", []).append(name)
        if status == 201 and number % 3 == 0:
            # What was acknowledged by one server is read at the other one, or that one cannot answer.
            other = bases[(caller + number + 1) % 2]
            try:
                if request(other, "GET", f"{PEOPLE}/{name}")[0] == 404:
                    with lock:
                        stale.append(name)
            except OSError:
                pass


threads = [threading.Thread(target=change, args=(caller,)) for caller in range(6)]
for thread in threads:
    thread.start()
primary, standby = "a", "b"
pauses = []
for number in range(ROUNDS):
    time.sleep(SECONDS)
    kill(primary)
    begun = time.monotonic()
    promote(standby, ports[standby])
    count = len(acknowledged)
    while len(acknowledged) == count and time.monotonic() - begun < 60:
        time.sleep(0.02)
    pauses.append(time.monotonic() - begun)
    primary, standby = standby, primary
    follow(standby, ports[standby], ports[primary])
    print(f"round {number + 1}: {len(acknowledged)} acknowledged, {pauses[-1]:.1f} s without a change")
time.sleep(2)
ending.set()
for thread in threads:
    thread.join()

problems = []
with urllib.request.urlopen(bases[0] + "/readyz", timeout=20) as answer:
    readiness = answer.read().decode()
if readiness != "ready\nSynchronous standbys: 1.\n":
    problems.append(f"/readyz tells something else about the standby: {readiness!r}")
changes = feed(bases[0])
numbers = [int(one["sequence"]) for one in changes]
if numbers != list(range(1, len(numbers) + 1)):
    problems.append("the feed has a gap")
created = [one["name"] for one in changes if one["kind"] == "created" and one["name"].startswith("u")]
if len(created) != len(set(created)):
    problems.append("a user was created twice")
missing = set(acknowledged) - set(created)
if missing:
    problems.append(f"{len(missing)} acknowledged changes are missing: {sorted(missing)[:5]}")
extra = set(created) - set(acknowledged) - set(unknown)
if extra:
    problems.append(f"{len(extra)} refused changes were made: {sorted(extra)[:5]}")
stored = int(run("psql", "-qAt", "-h", "127.0.0.1", "-p", ports[primary], "-U", "roster", "company", "-c",
                 "SELECT count(*) FROM users WHERE name LIKE 'u%'"))
if stored != len(created):
    problems.append(f"{stored} users, but {len(created)} entries of their creation")
if stale:
    problems.append(f"{len(stale)} reads missed an acknowledged change: {stale[:5]}")
for server in servers:
    server.terminate()
    if server.wait(20) != 0:
        problems.append(f"a server ended with {server.returncode}")
kill(primary)
kill(standby)
print(f"{ROUNDS} failovers, {len(acknowledged)} acknowledged, {len(unknown)} unknown, "
      f"{sum(map(len, refused.values()))} refused, longest pause {max(pauses):.1f} s")
for text, names in refused.items():
    print(f"  refused {len(names)}: {text}")
if problems:
    print("\n".join("FAILED: " + one for one in problems), f"\nThe logs are in {FOLDER}")
    sys.exit(1)
shutil.rmtree(FOLDER, ignore_errors=True)
