#!/usr/bin/env python3
"""One of two servers of Roster is stopped by SIGSTOP, as a paused machine is, again and again while it makes changes. The other one's
changes must wait for five seconds at most. In the end each acknowledged change must be there once.

usage: postgresql_freeze.py ROSTER_BINARY [ROUNDS] (needs Debian's package postgresql; as root it uses the user postgres)
"""
import os
import random
import shutil
import signal
import sys
import threading
import time

sys.dont_write_bytecode = True
from postgresql_pair import FOLDER, PEOPLE, feed, kill, request, serve, sql, start_pair  # noqa: E402

ROSTER = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 6
LONGEST = 5
ports = start_pair()
servers, bases = serve(ROSTER, ports)
acknowledged, refused, waits = [], [], []
ending, lock = threading.Event(), threading.Lock()


def change(caller):
    number = 0
    while not ending.is_set():
        number += 1
        name = f"u{caller}-{number}"
        begun = time.monotonic()
        try:
            status, answer = request(bases[caller % 2], "POST", PEOPLE, {"uid": name, "lastname": f"Round {number}"})
        except OSError as error:
            status, answer = None, str(error)
        with lock:
            (acknowledged if status == 201 else refused).append(name)
            if caller % 2 == 1:
                waits.append(time.monotonic() - begun)
            if status != 201:
                print(f"{name}: {status} {answer}")


threads = [threading.Thread(target=change, args=(caller,)) for caller in range(6)]
for thread in threads:
    thread.start()
longest, with_turn = [], 0
for number in range(ROUNDS):
    time.sleep(2 + random.random())
    # Stops the first server with the turn, in whatever it does then.
    for _ in range(100):
        os.kill(servers[0].pid, signal.SIGSTOP)
        time.sleep(0.3)
        holders = sql(ports["a"], "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' "
                                  "AND granted AND wait_event_type = 'Client'")
        if holders != "0":
            with_turn += 1
            break
        os.kill(servers[0].pid, signal.SIGCONT)
        time.sleep(random.random() / 10)
    with lock:
        waits.clear()
    time.sleep(8)
    os.kill(servers[0].pid, signal.SIGCONT)
    with lock:
        longest.append(max(waits, default=8))
    print(f"round {number + 1}: {len(acknowledged)} acknowledged, the longest wait at the other server was {longest[-1]:.1f} s")
time.sleep(2)
ending.set()
for thread in threads:
    thread.join()
problems = []
if max(longest) > LONGEST:
    problems.append(f"a change waited for {max(longest):.1f} s")
if with_turn < ROUNDS:
    problems.append(f"the stopped server had the turn in {with_turn} rounds only")
created = [one["name"] for one in feed(bases[0]) if one["kind"] == "created" and one["name"].startswith("u")]
if len(created) != len(set(created)):
    problems.append("a user was created twice")
missing = set(acknowledged) - set(created)
if missing:
    problems.append(f"{len(missing)} acknowledged changes are missing: {sorted(missing)[:5]}")
for server in servers:
    server.terminate()
    if server.wait(20) != 0:
        problems.append(f"a server ended with {server.returncode}")
kill("a")
kill("b")
print(f"{ROUNDS} pauses, {len(acknowledged)} acknowledged, {len(refused)} refused, longest wait {max(longest):.1f} s")
if problems:
    print("\n".join("FAILED: " + one for one in problems), f"\nThe logs are in {FOLDER}")
    sys.exit(1)
shutil.rmtree(FOLDER, ignore_errors=True)
