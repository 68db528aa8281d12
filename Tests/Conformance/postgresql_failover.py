#!/usr/bin/env python3
"""Two servers of Roster with one PostgreSQL database: the primary is killed and its synchronous standby promoted, again and again,
while clients change the directory at both servers. In the end each acknowledged change must be there once, and the feed without a gap.

usage: postgresql_failover.py ROSTER_BINARY [ROUNDS [SECONDS_A_ROUND]] (needs Debian's package postgresql; as root it uses the user postgres)
"""
import base64
import glob
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROSTER = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 10
BIN = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="roster-failover-"))
PASSWORD = "correct horse battery staple"
CONF = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
port = {port}
max_connections = 80
wal_keep_size = '256MB'
"""
seed = int(os.environ.get("ROSTER_SEED", random.randrange(10**9)))
print(f"ROSTER_SEED={seed}")


def run(*words):
    """Runs a program of PostgreSQL, as the user postgres if this is root."""
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []
    done = subprocess.run(as_user + [f"{BIN}/{words[0]}", *map(str, words[1:])], cwd=FOLDER, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        raise SystemExit(f"{words}: {done.stderr}")
    return done.stdout


def sql(port, text):
    return run("psql", "-qAt", "-h", "127.0.0.1", "-p", port, "-U", "roster", "postgres", "-c", text).strip()


def configure(node, port):
    with open(FOLDER / node / "postgresql.conf", "a") as file:
        file.write(CONF.format(port=port))


def start(node):
    run("pg_ctl", "-D", FOLDER / node, "-l", FOLDER / f"{node}.log", "-w", "start")


def kill(node):
    """Ends the server of a node as a power cut does, and its processes with it."""
    number = int((FOLDER / node / "postmaster.pid").read_text().split("\n")[0])
    children = subprocess.run(["pgrep", "-P", str(number)], capture_output=True, text=True).stdout.split()
    os.kill(number, signal.SIGKILL)
    for child in children:
        try:
            os.kill(int(child), signal.SIGKILL)
        except ProcessLookupError:
            pass


def follow(node, port, primary_port):
    """Makes a standby that the primary waits for."""
    shutil.rmtree(FOLDER / node, ignore_errors=True)
    run("pg_basebackup", "-D", FOLDER / node, "-R", "-c", "fast", "--no-sync", "-d",
        f"host=127.0.0.1 port={primary_port} user=roster application_name=standby")
    configure(node, port)
    start(node)
    sql(primary_port, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    sql(primary_port, "SELECT pg_reload_conf()")
    for _ in range(100):
        if sql(primary_port, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1":
            return
        time.sleep(0.1)
    raise SystemExit("the standby does not become synchronous")


def request(base, method, path, body=None, timeout=60):
    call = urllib.request.Request(base + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                  headers={"Authorization": "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode(),
                                           "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(call, timeout=timeout) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def free_ports(count):
    import socket
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


ports = dict(zip(("a", "b"), free_ports(2)))
if os.getuid() == 0:
    shutil.chown(FOLDER, "postgres")
run("initdb", "-D", FOLDER / "a", "-U", "roster", "-A", "trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
configure("a", ports["a"])
start("a")
sql(ports["a"], "CREATE DATABASE company")
follow("b", ports["b"], ports["a"])
(FOLDER / "password").write_text(PASSWORD + "\n")
address = f"postgresql://roster@127.0.0.1:{ports['a']},127.0.0.1:{ports['b']}/company?connect_timeout=2"
servers, bases = [], []
for port in free_ports(2):
    log = open(FOLDER / f"roster-{port}.log", "w")
    words = [ROSTER, "serve", "--database", address, "--master-key", str(FOLDER / "key"), "--listen", f"127.0.0.1:{port}",
             "--admin-password-file", str(FOLDER / "password"), "--quiet"]
    servers.append(subprocess.Popen(words, stdout=log, stderr=log))
    bases.append(f"http://127.0.0.1:{port}")
    for _ in range(200):
        try:
            if request(bases[-1], "GET", "/oic_rest/rest/userprofile/people?limit=1", timeout=2)[0] == 200:
                break
        except OSError:
            pass
        time.sleep(0.1)
    else:
        raise SystemExit((FOLDER / f"roster-{port}.log").read_text())

PEOPLE = "/oic_rest/rest/userprofile/people"
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
    # The promoted server waits for no standby until it has one.
    with open(FOLDER / standby / "postgresql.auto.conf", "a") as file:
        file.write("synchronous_standby_names = ''\n")
    run("pg_ctl", "-D", FOLDER / standby, "-w", "promote")
    sql(ports[standby], "SELECT pg_reload_conf()")
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
everybody, changes, since = [], [], 0
while True:
    status, answer = request(bases[0], "GET", f"/oic_rest/rest/userprofile/changes?since={since}&limit=1000")
    if status != 200:
        raise SystemExit(f"changes: {status} {answer}")
    entries = answer["elements"] if "elements" in answer else answer["changes"]
    changes += entries
    if len(entries) < 1000:
        break
    since = int(entries[-1]["sequence"])
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
