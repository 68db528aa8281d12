#!/usr/bin/env python3
"""Measures the LDAP server against OpenLDAP's slapd, by turns in one run, and prints each figure beside its bar.

usage: ldap.py ROSTER [PEOPLE] [SECONDS] [ROUNDS]     100,000 people, 3 s and 3 rounds by default

The figure of a search is the processor time of the server for one operation (user and system), not the time that a client waits, because
other programs may use the machine meanwhile. That of a modification is the number of operations in a second, because both servers wait for
the disk. Each figure is the median of the rounds. Needs gcc, libldap-dev, slapd and shared/bench beside the project.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROSTER = os.path.abspath(sys.argv[1])
PEOPLE = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
SECONDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
HERE = pathlib.Path(__file__).resolve().parent
SHARED = pathlib.Path(os.environ.get("SHARED", HERE.parents[2] / "shared")) / "bench"
BASE, PASSWORD = "dc=example,dc=com", "correct horse battery staple"
TICK = os.sysconf("SC_CLK_TCK")
missed = []


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


class Server:
    def __init__(self, name, process, uri, dn, password):
        self.name, self.process, self.login = name, process, (uri, dn, password)

    def processor(self):
        fields = pathlib.Path(f"/proc/{self.process}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process}/status").read_text())[1]) / 1024

    def load(self, kind, connections):
        """The microseconds of processor time of an operation, and the operations in a second."""
        process = subprocess.Popen(
            ["./ldap_load", *self.login, str(PEOPLE), kind, str(connections), str(SECONDS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        if process.stdout.readline() != "bound\n":
            raise SystemExit(f"{self.name} refused the load.")
        before = self.processor()
        count = int(process.communicate("\n")[0])
        return (self.processor() - before) / count * 1e6, count / SECONDS


def start_slapd():
    """slapd in the foreground, so that it ends with this program."""
    os.mkdir("slapd-db")
    pathlib.Path("slapd.conf").write_text((SHARED / "slapd.conf.in").read_text().replace("@DIR@", os.getcwd()))
    with open("people.ldif", "w") as file:
        subprocess.run([sys.executable, SHARED / "people_ldif.py", str(PEOPLE)], stdout=file, check=True)
    run("slapadd", "-q", "-f", "slapd.conf", "-l", "people.ldif")
    os.remove("people.ldif")
    process = subprocess.Popen(["slapd", "-f", "slapd.conf", "-h", "ldap://127.0.0.1:18389", "-d", "0"])
    return Server("slapd", process.pid, "ldap://127.0.0.1:18389", f"cn=admin,{BASE}", "secret"), process


def make_directory():
    """The people, a role with all of them, and two people in 200 roles: one through nested roles, one directly. Returns the token of a
    program, because a user may have two searches at a time only."""
    with open("people.csv", "w") as file:
        subprocess.run([sys.executable, HERE / "people.py", str(PEOPLE)], stdout=file, check=True)
    run(ROSTER, "import", "--database", "r.db", "people.csv")
    names = lambda kind: [f"{kind}{number:03}" for number in range(200)]
    nested = [{"name": name, "roles": [inner]} for name, inner in zip(names("nested")[1:], names("nested"))]
    roles = [{"name": "everyone", "members": [f"user{number:07}" for number in range(1, PEOPLE + 1)]},
             {"name": "nested000", "members": ["nested"]}, *nested, *({"name": name, "members": ["direct"]} for name in names("direct"))]
    pathlib.Path("roles.json").write_text(json.dumps({"people": [{"uid": "nested"}, {"uid": "direct"}], "roles": roles}))
    run(ROSTER, "import", "--database", "r.db", "--grant-roles", "roles.json")
    pathlib.Path("password").write_text(PASSWORD + "\n")
    shown = run(ROSTER, "token", "create", "--database", "r.db", "--name", "bench", "--role", "administrator")
    return re.search(r"roster_[\w-]{49}", shown)[0]


def start_roster(token, *options):
    log = open("served.txt", "w+")
    process = subprocess.Popen(
        [ROSTER, "serve", "--database", "r.db", "--listen", "127.0.0.1:0", "--admin-password-file", "password", "--quiet", *options],
        stdout=log, stderr=log)
    end = time.time() + 120
    while time.time() < end:
        text = pathlib.Path("served.txt").read_text()
        port = re.search(r"at ldap://127\.0\.0\.1:(\d+)", text)
        if (port or not options) and "Roster serves" in text:
            uri = f"ldap://127.0.0.1:{port[1]}" if port else ""
            return Server("roster", process.pid, uri, f"cn=admin,{BASE}", token), process
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit("The server did not start: " + pathlib.Path("served.txt").read_text())


def against(name, value, bar, isMost=True):
    holds = value <= bar if isMost else value >= bar
    if not holds:
        missed.append(name)
    print(f"{name} {value:.2f} (bar {'at most' if isMost else 'at least'} {bar}){'' if holds else ' MISSED'}", flush=True)


def measure(kind, connections, *servers):
    """The medians of the rounds for each server: microseconds and operations in a second."""
    rounds = {server.name: [] for server in servers}
    for _ in range(ROUNDS):
        for server in servers:
            rounds[server.name].append(server.load(kind, connections))
    medians = []
    for server in servers:
        times, rates = zip(*rounds[server.name])
        medians.append((statistics.median(times), statistics.median(rates)))
        print(f"{server.name}.{kind}_{connections} {medians[-1][0]:.1f} us of processor time (from {min(times):.1f} to {max(times):.1f}), "
              f"{medians[-1][1]:.0f} /s (from {min(rates):.0f} to {max(rates):.0f})", flush=True)
    return medians


def main():
    run("gcc", "-O2", "-o", "ldap_load", HERE / "ldap_load.c", "-lldap", "-llber", "-lpthread")
    token = make_directory()
    _, process = start_roster(token)
    time.sleep(2)
    alone = Server("roster", process.pid, "", "", "").memory()
    process.terminate()
    process.wait()
    slapd, other = start_slapd()
    roster, process = start_roster(token, "--ldap", "ldap://127.0.0.1:0", "--ldap-base", BASE)
    try:
        time.sleep(2)
        started = roster.memory()
        print(f"roster.memory {started:.0f} MB at the start, {alone:.0f} MB without --ldap", flush=True)
        for server in (slapd, roster):
            server.load("uid", 4)  # Both have what they cache.
        for connections in (1, 16, 64):
            theirs, own = measure("uid", connections, slapd, roster)
            against(f"uid_{connections}_to_slapd", own[0] / theirs[0], 0.7)
            for kind in ("uid-and-group", "uid-or-mail"):
                against(f"{kind}_{connections}_to_uid", measure(kind, connections, roster)[0][0] / own[0], 2)
        direct = measure("direct-groups", 4, roster)[0][0]
        against("nested_groups_to_direct", measure("nested-groups", 4, roster)[0][0] / direct, 1.5)
        for connections, bar in ((1, 1), (16, 4), (64, 4)):
            theirs, own = measure("modify", connections, slapd, roster)
            against(f"modify_{connections}_rate_to_slapd", own[1] / theirs[1], bar, isMost=False)
        against("memory_more_than_without_ldap_MB", roster.memory() - alone, 60)
    finally:
        for ended in (process, other):
            ended.terminate()
            ended.wait()


with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
    os.chdir(folder)
    main()
    os.chdir("/")
sys.exit(f"missed: {', '.join(missed)}" if missed else 0)
