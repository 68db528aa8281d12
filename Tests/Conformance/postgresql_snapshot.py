#!/usr/bin/env python3
"""How fast changes and look-ups of a server are while a snapshot is held and pg_dump waits for its reader, from the start to the end.
Each interval prints the changes and look-ups a second, and the blocks that PostgreSQL read for each of them. The blocks do not depend
on the other work of the machine; they must stay within 20 % of the start, in the middle one of three intervals.

usage: postgresql_snapshot.py ROSTER_BINARY [SECONDS] (needs Debian's package postgresql; as root it uses the user postgres)
"""
import os
import shutil
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from postgresql_pair import BIN, FOLDER, PEOPLE, configure, free_ports, kill, request, run, serve, sql, start  # noqa: E402

ROSTER = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 150
USERS, CALLERS, INTERVALS = 2_000, 4, 10
[port] = free_ports(1)
if os.getuid() == 0:
    shutil.chown(FOLDER, "postgres")
run("initdb", "-D", FOLDER / "a", "-U", "roster", "-A", "trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
configure("a", port)
with open(FOLDER / "a" / "postgresql.conf", "a") as file:
    file.write("fsync = off\n")
start("a")
sql(port, "CREATE DATABASE company")
servers, bases = serve(ROSTER, {"a": port, "b": port}, 1)
base = bases[0]


def together(call, numbers):
    """Calls with each number from several threads; returns the seconds."""
    numbers, lock, problems = iter(list(numbers)), threading.Lock(), []

    def work():
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            status = call(number)
            if status not in (200, 201):
                problems.append(status)

    begun = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise SystemExit(f"a call failed: {problems[:3]}")
    return time.monotonic() - begun


def create(number):
    return request(base, "POST", PEOPLE, {"uid": f"u{number}", "lastname": f"Round {number}"})[0]


def modify(number):
    return request(base, "PUT", f"{PEOPLE}/u{number % USERS}", {"title": f"T{number}"})[0]


def look_up(number):
    return request(base, "GET", f"{PEOPLE}/u{number % USERS}")[0]


def blocks():
    # The server's processes tell what they have read at most once a second, and at the next statement.
    time.sleep(1.2)
    together(look_up, range(8 * CALLERS))
    return int(sql(port, "SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = 'company'"))


def measure(call, numbers):
    before = blocks()
    seconds = together(call, numbers)
    return len(numbers) / seconds, (blocks() - before) / len(numbers)


together(create, range(USERS))
run("psql", "-qAt", "-h", "127.0.0.1", "-p", port, "-U", "roster", "company", "-c", "VACUUM ANALYZE")
holder = subprocess.Popen(
    [f"{BIN}/psql", "-qAt", "-h", "127.0.0.1", "-p", str(port), "-U", "roster", "company"], stdin=subprocess.PIPE, text=True)
holder.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT count(*) FROM head;\n")
holder.stdin.flush()
dump = subprocess.Popen(
    [f"{BIN}/pg_dump", "-h", "127.0.0.1", "-p", str(port), "-U", "roster", "company"], stdout=subprocess.PIPE)
time.sleep(1)
figures, begun, number = [], time.monotonic(), USERS
for interval in range(INTERVALS):
    end = begun + SECONDS * interval / (INTERVALS - 1)
    while time.monotonic() < end:
        together(create, range(number, number + 200))
        together(modify, range(number, number + 200))
        number += 200
    figures.append((measure(create, range(number, number + 400)), measure(modify, range(number, number + 400)),
                    measure(look_up, range(number, number + 400))))
    number += 400
    print(f"{time.monotonic() - begun:5.0f} s: " + "; ".join(
        f"{name} {rate:5.0f}/s, {count:6.1f} blocks"
        for name, (rate, count) in zip(("creations", "modifications", "look-ups"), figures[-1])), flush=True)
print(f"{number} users, {sql(port, 'SELECT count(*) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL')} snapshots held")
problems = []
for index, name in enumerate(("creations", "modifications", "look-ups")):
    # A process can tell what it has read after its interval, so that an interval can have too few blocks and the next one too many.
    first, last = (sorted(figure[index][1] for figure in part)[1] for part in (figures[:3], figures[-3:]))
    if last > 1.2 * first:
        problems.append(f"{name}: {last:.1f} blocks in the end, {first:.1f} at the start")
if holder.poll() is not None or dump.poll() is not None:
    problems.append("the snapshots were not held to the end")
for process in [holder, dump]:
    process.kill()
for server in servers:
    server.terminate()
    server.wait(20)
kill("a")
if problems:
    print("\n".join("FAILED: " + one for one in problems), f"\nThe logs are in {FOLDER}")
    sys.exit(1)
shutil.rmtree(FOLDER, ignore_errors=True)
