#!/usr/bin/env python3
"""Two servers of Roster with one PostgreSQL database for an hour: the primary is killed by SIGKILL every five minutes, its synchronous
standby is promoted, and the killed one becomes the new standby, while clients create, change and delete users, and read their own
changes at the other server. In the end each acknowledged change must be there once, the feed must have no gap, and the state that the
feed alone gives must be the state of the directory, with large values by their checksum.

usage: postgresql_soak.py ROSTER_BINARY [MINUTES [SECONDS_BETWEEN_KILLS]] (needs Debian's package postgresql)
"""
import collections
import http.client
import json
import os
import random
import shutil
import sys
import threading
import time

sys.dont_write_bytecode = True
from postgresql_pair import (  # noqa: E402
    AUTHORIZATION, FOLDER, PEOPLE, feed, follow, kill, promote, request, run, serve, start_pair)

ROSTER = os.path.abspath(sys.argv[1])
MINUTES = float(sys.argv[2]) if len(sys.argv) > 2 else 60
BETWEEN_KILLS = float(sys.argv[3]) if len(sys.argv) > 3 else 300
CALLERS = 8
PAUSE = 0.06
seed = int(os.environ.get("ROSTER_SEED", random.randrange(10**9)))
print(f"ROSTER_SEED={seed}", flush=True)
ports = start_pair()
servers, bases = serve(ROSTER, ports)

ending = threading.Event()


class Caller(threading.Thread):
    """A client that changes users of its own, so that it knows what must be stored."""

    def __init__(self, number):
        super().__init__()
        self.number = number
        self.draws = random.Random(seed * 100 + number)
        self.connections = {}
        self.count = 0
        self.users = {}  # The attributes of each user after the last acknowledged change.
        self.acknowledged = set()  # (kind, name, title)
        self.unknown = set()
        self.refused = collections.Counter()
        self.refused_changes = set()
        self.stale = []
        self.reads = 0
        self.unread = 0

    def call(self, base, method, path, body=None):
        """The status and the answer; (None, reason) if the connection was lost. Nothing is sent twice."""
        connection = self.connections.pop(base, None)
        if connection is None:
            connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=60)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Authorization": AUTHORIZATION, "Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
            if not answer.will_close:
                self.connections[base] = connection
            return answer.status, json.loads(content) if content else None
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            return None, f"{error!r}"

    def run(self):
        while not ending.is_set():
            self.change()
            ending.wait(PAUSE * self.draws.uniform(0.5, 1.5))

    def change(self):
        self.count += 1
        base = bases[self.draws.randrange(2)]
        title = f"T{self.number}-{self.count}"
        # Every 20th text is so long that the feed has its checksum only.
        length = self.draws.choice([2_000, 5_000]) if self.draws.randrange(20) == 0 else 30
        text = "".join(self.draws.choices("abcdefghij ü", k=length))
        draw = self.draws.random()
        if len(self.users) < 50 or draw < 0.3 and len(self.users) < 150:
            name = f"u{self.number}-{self.count}"
            kind, method, path = "created", "POST", PEOPLE
            body = {"uid": name, "lastname": f"Caller {self.number}", "title": title, "description": text}
        else:
            name = self.draws.choice(sorted(self.users))
            path = f"{PEOPLE}/{name}"
            if draw < 0.75:
                kind, method, body = "modified", "PUT", {"title": title, "description": text}
            else:
                kind, method, body, title = "deleted", "DELETE", None, None
        status, answer = self.call(base, method, path, body)
        change = (kind, name, title)
        if status in (200, 201, 204):
            self.acknowledged.add(change)
            if kind == "deleted":
                del self.users[name]
            else:
                self.users[name] = {"title": title, "description": text}
            if self.draws.randrange(2) == 0:
                self.read(bases[1] if base == bases[0] else bases[0], name)
        elif status is None or status == 504 or "outcome" in json.dumps(answer):
            self.unknown.add(change)
            self.users.pop(name, None)
        else:
            self.refused[f"{status} {json.dumps(answer)[:160]}"] += 1
            self.refused_changes.add(change)

    def read(self, base, name):
        """Reads an own change at the other server."""
        status, answer = self.call(base, "GET", f"{PEOPLE}/{name}")
        if status not in (200, 404):
            self.unread += 1
            return
        self.reads += 1
        expected = self.users.get(name)
        found = None if status == 404 else {key: answer.get(key) for key in ("title", "description")}
        if found != expected:
            self.stale.append((name, expected, found))


def shrunk(value):
    """A value as the feed has it."""
    if not isinstance(value, str) or len(value.encode()) <= 1_024:
        return value
    number = 0xcbf29ce484222325
    for byte in value.encode():
        number = ((number ^ byte) * 0x100000001b3) % 2**64
    return {"bytes": len(value.encode()), "fnv1a": f"{number:016x}"}


callers = [Caller(number) for number in range(CALLERS)]
begun = time.monotonic()
for caller in callers:
    caller.start()
primary, standby = "a", "b"
pauses = []
while begun + MINUTES * 60 - time.monotonic() > BETWEEN_KILLS / 2:
    time.sleep(min(BETWEEN_KILLS, begun + MINUTES * 60 - time.monotonic()))
    kill(primary)
    killed = time.monotonic()
    promote(standby, ports[standby])
    count = sum(len(caller.acknowledged) for caller in callers)
    while sum(len(caller.acknowledged) for caller in callers) == count and time.monotonic() - killed < 60:
        time.sleep(0.02)
    pauses.append(time.monotonic() - killed)
    primary, standby = standby, primary
    follow(standby, ports[standby], ports[primary])
    print(f"{(time.monotonic() - begun) / 60:.1f} min, kill {len(pauses)}: "
          f"{sum(len(caller.acknowledged) for caller in callers)} acknowledged, {pauses[-1]:.1f} s without a change", flush=True)
time.sleep(max(2, begun + MINUTES * 60 - time.monotonic()))
ending.set()
for caller in callers:
    caller.join()
minutes = (time.monotonic() - begun) / 60

problems = []
acknowledged = set().union(*(caller.acknowledged for caller in callers))
unknown = set().union(*(caller.unknown for caller in callers))
refused = sum((caller.refused for caller in callers), collections.Counter())
changes = feed(bases[0])
if [one["sequence"] for one in changes] != list(range(1, len(changes) + 1)):
    problems.append("the feed has a gap")
made = collections.Counter(
    (one["kind"], one["name"], one["after"].get("title")) for one in changes if one["entity"] == "user" and one["name"] != "admin")
twice = [change for change, count in made.items() if count > 1]
if twice:
    problems.append(f"{len(twice)} changes were made twice: {twice[:5]}")
missing = acknowledged - set(made)
if missing:
    problems.append(f"{len(missing)} acknowledged changes are missing: {sorted(missing, key=str)[:5]}")
extra = set(made) - acknowledged - unknown
if extra:
    problems.append(f"{len(extra)} refused changes were made: {sorted(extra, key=str)[:5]}")

# The state that the feed alone gives, by the names of users.
replayed, names = {}, {}
for one in changes:
    if one["entity"] != "user" or one["kind"] not in ("created", "modified", "deleted"):
        continue
    if one["kind"] == "created":
        replayed[one["id"]] = dict(one["after"])
    elif one["kind"] == "deleted":
        if replayed.pop(one["id"], None) != one["before"]:
            problems.append(f"change {one['sequence']} deletes another state than the feed gives")
    else:
        state = replayed[one["id"]]
        for key, value in one["before"].items():
            if state.pop(key, None) != value:
                problems.append(f"change {one['sequence']} has another value of '{key}' before than the feed gives")
        state.update(one["after"])
status, export = request(bases[1], "GET", "/admin/export")
if status != 200:
    raise SystemExit(f"export: {status} {export}")
stored = {one["uid"]: {"active": True} | {key: shrunk(value) for key, value in one.items()} for one in export["people"]}
by_name = {one["uid"]: one for one in replayed.values()}
if stored != by_name:
    names = [name for name in stored.keys() | by_name.keys() if stored.get(name) != by_name.get(name)]
    problems.append(f"{len(names)} users differ from the feed: {names[0]} is {stored.get(names[0])}, by the feed {by_name.get(names[0])}")
for caller in callers:
    uncertain = {name for _, name, _ in caller.unknown}
    for name, attributes in caller.users.items():
        one = stored.get(name, {})
        if name not in uncertain and {key: one.get(key) for key in attributes} != {key: shrunk(value) for key, value in attributes.items()}:
            problems.append(f"{name} is not as its last acknowledged change left it")
    mine = {name for name in stored if name.startswith(f"u{caller.number}-")}
    if mine - uncertain != set(caller.users) - uncertain:
        problems.append(f"caller {caller.number} has other users than it made")
stale = [one for caller in callers for one in caller.stale]
if stale:
    problems.append(f"{len(stale)} reads missed an acknowledged change: {stale[:3]}")
for server in servers:
    server.terminate()
    if server.wait(20) != 0:
        problems.append(f"a server ended with {server.returncode}")
kill(primary)
kill(standby)
kinds = collections.Counter(kind for kind, _, _ in acknowledged)
large = sum(isinstance(value, dict) for one in stored.values() for value in one.values())
print(f"{minutes:.1f} min, {len(pauses)} primaries killed, longest pause {max(pauses, default=0):.1f} s")
print(f"{len(acknowledged)} acknowledged changes ({', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}), "
      f"{len(unknown)} unknown, {sum(refused.values())} refused; {sum(caller.reads for caller in callers)} reads of own changes, "
      f"{len(stale)} stale, {sum(caller.unread for caller in callers)} without an answer")
print(f"{len(changes)} entries in the feed, {len(stored)} users, {large} large values compared by checksum")
for text, count in refused.items():
    print(f"  refused {count}: {text}")
for log in sorted(FOLDER.glob("roster-*.log")):
    lines = [line for line in log.read_text().splitlines() if " roster: " in line]
    print(f"{log.name}: {len(lines)} notes" + "".join(f"\n  {line[:200]}" for line in lines[-10:]))
if problems:
    print("\n".join("FAILED: " + one for one in problems[:20]), f"\n{len(problems)} problems. The logs are in {FOLDER}")
    sys.exit(1)
print("All acknowledged changes are there once, and the feed gives the state.")
shutil.rmtree(FOLDER, ignore_errors=True)
