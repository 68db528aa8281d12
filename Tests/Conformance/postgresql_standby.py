#!/usr/bin/env python3
"""A primary without its standby: the wait of changes for the standby is ended by pg_terminate_backend, by pg_cancel_backend and by a fast
restart of the primary. No such change may be acknowledged before the standby has it. In the end the primary is killed and the standby
promoted, which must have each acknowledged change.

usage: postgresql_standby.py ROSTER_BINARY (needs Debian's package postgresql; as root it uses the user postgres)
"""
import os
import shutil
import sys
import threading
import time

sys.dont_write_bytecode = True
from postgresql_pair import FOLDER, PEOPLE, kill, promote, request, run, serve, sql, start, start_pair  # noqa: E402

ROSTER = os.path.abspath(sys.argv[1])
ports = start_pair()
servers, bases = serve(ROSTER, ports)
problems, answers = [], {}


def create(name, base):
    try:
        answers[name] = request(base, "POST", PEOPLE, {"uid": name, "lastname": "Lovelace"})[0]
    except OSError as error:
        answers[name] = str(error)


def begin(name, base):
    thread = threading.Thread(target=create, args=(name, base))
    thread.start()
    return thread


def end_waits(function):
    """Ends the waits for a standby; returns whether there was one within some seconds."""
    for _ in range(100):
        if sql(ports["a"], f"SELECT count({function}(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") != "0":
            return True
        time.sleep(0.1)
    return False


for number, way in enumerate(["pg_terminate_backend", "pg_cancel_backend", "restart"]):
    for name in ("during", "after"):
        run("pg_ctl", "-D", FOLDER / "b", "-m", "immediate", "-w", "stop")
        threads = [begin(f"{name}-{way}-{index}", base) for index, base in enumerate(bases)]
        if way != "restart":
            if not end_waits(way):
                problems.append(f"{way}: no change waits for the standby")
        else:
            time.sleep(2)
            run("pg_ctl", "-D", FOLDER / "a", "-m", "fast", "-w", "stop")
            start("a")
        time.sleep(3)
        early = [one for one in answers if one.startswith(f"{name}-{way}") and answers[one] == 201]
        if early:
            problems.append(f"{way}: acknowledged without a standby: {early}")
        if name == "after":
            # Nobody comes, so that the outcome stays unknown.
            time.sleep(32)
            if not any(answers.get(f"{name}-{way}-{index}", 201) != 201 for index in range(len(bases))):
                problems.append(f"{way}: no change has an unknown outcome after 35 s")
        start("b")
        for thread in threads:
            thread.join()
        print(f"{way}, standby back {name} the wait: {[answers[f'{name}-{way}-{index}'] for index in range(len(bases))]}")
kill("a")
promote("b", ports["b"])
kept = set()
for _ in range(100):
    try:
        status, answer = request(bases[0], "GET", f"{PEOPLE}?limit=100")
        if status == 200:
            kept = {one["uid"] for one in answer["elements"]}
            break
    except OSError:
        pass
    time.sleep(0.2)
lost = [name for name, status in answers.items() if status == 201 and name not in kept]
if lost:
    problems.append(f"acknowledged changes are lost: {lost}")
for server in servers:
    server.terminate()
    if server.wait(20) != 0:
        problems.append(f"a server ended with {server.returncode}")
kill("b")
if problems:
    print("\n".join("FAILED: " + one for one in problems), f"\nThe logs are in {FOLDER}")
    sys.exit(1)
print(f"{len(answers)} changes, {sum(status == 201 for status in answers.values())} acknowledged, none lost")
shutil.rmtree(FOLDER, ignore_errors=True)
