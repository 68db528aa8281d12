"""Two PostgreSQL servers on this machine, a primary and a standby that it waits for, and two servers of Roster with their database: the
scripts postgresql_*.py use them. Needs Debian's package postgresql; as root it uses the user postgres."""
import base64
import glob
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

BIN = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="roster-failover-"))
PASSWORD = "correct horse battery staple"
AUTHORIZATION = "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
PEOPLE = "/oic_rest/rest/userprofile/people"
CONF = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
port = {port}
max_connections = 80
wal_keep_size = '256MB'
"""


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
                                  headers={"Authorization": AUTHORIZATION, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(call, timeout=timeout) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def start_pair():
    """Starts the primary "a" and its standby "b", with an empty database "company"; returns their ports."""
    ports = dict(zip(("a", "b"), free_ports(2)))
    if os.getuid() == 0:
        shutil.chown(FOLDER, "postgres")
    run("initdb", "-D", FOLDER / "a", "-U", "roster", "-A", "trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
    configure("a", ports["a"])
    start("a")
    sql(ports["a"], "CREATE DATABASE company")
    follow("b", ports["b"], ports["a"])
    return ports


def serve(roster, ports, count=2):
    """Starts servers of Roster; returns their processes and addresses."""
    (FOLDER / "password").write_text(PASSWORD + "\n")
    address = f"postgresql://roster@127.0.0.1:{ports['a']},127.0.0.1:{ports['b']}/company?connect_timeout=2"
    servers, bases = [], []
    for port in free_ports(count):
        log = open(FOLDER / f"roster-{port}.log", "w")
        words = [roster, "serve", "--database", address, "--master-key", str(FOLDER / "key"), "--listen", f"127.0.0.1:{port}",
                 "--admin-password-file", str(FOLDER / "password"), "--quiet"]
        servers.append(subprocess.Popen(words, stdout=log, stderr=log))
        bases.append(f"http://127.0.0.1:{port}")
        for _ in range(200):
            try:
                if request(bases[-1], "GET", f"{PEOPLE}?limit=1", timeout=2)[0] == 200:
                    break
            except OSError:
                pass
            time.sleep(0.1)
        else:
            raise SystemExit((FOLDER / f"roster-{port}.log").read_text())
    return servers, bases


def promote(node, port):
    """Makes a standby the primary, which waits for no standby until it has one."""
    with open(FOLDER / node / "postgresql.auto.conf", "a") as file:
        file.write("synchronous_standby_names = ''\n")
    run("pg_ctl", "-D", FOLDER / node, "-w", "promote")
    sql(port, "SELECT pg_reload_conf()")


def feed(base):
    """All entries of the change feed."""
    changes, since = [], 0
    while True:
        status, answer = request(base, "GET", f"/oic_rest/rest/userprofile/changes?since={since}&limit=1000")
        if status != 200:
            raise SystemExit(f"changes: {status} {answer}")
        changes += answer["elements"]
        if len(answer["elements"]) < 1000:
            return changes
        since = answer["last"]
