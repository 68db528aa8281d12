#!/usr/bin/env python3
"""Roster behind PgBouncer: in session mode everything works, and in transaction mode the error names the pooler and the cure.

usage: postgresql_pooler.py ROSTER_BINARY (needs Debian's packages postgresql and pgbouncer; as root it uses the user postgres)
"""
import concurrent.futures
import glob
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROSTER = os.path.abspath(sys.argv[1])
BIN = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(path.split("/")[-2]))[-1]
folder = pathlib.Path(tempfile.mkdtemp(prefix="roster-pooler-"))
AS = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []
if AS:
    shutil.chown(folder, "postgres")
processes = []


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **options)


def check(words, answer):
    assert answer.returncode == 0, f"{words}: {answer.returncode}\n{answer.stdout}\n{answer.stderr}"
    return answer.stdout


def pool(mode, port, server):
    """Starts a pooler, and waits until it answers."""
    settings = folder / f"{mode}.ini"
    settings.write_text(
        f"[databases]\n* = host=127.0.0.1 port={server} user=roster\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\npool_mode = {mode}\nmax_client_conn = 500\ndefault_pool_size = 100\nlogfile = {folder}/{mode}.log\n"
        )
    settings.chmod(0o644)
    processes.append(subprocess.Popen([*AS, "/usr/sbin/pgbouncer", "-q", str(settings)]))
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"pgbouncer does not start: {(folder / f'{mode}.log').read_text()}")


try:
    server = free_port()
    check("initdb", run(*AS, f"{BIN}/initdb", "-D", folder / "data", "-U", "roster", "-A", "trust", "--encoding=UTF8", "--locale=C.UTF-8"))
    check("pg_ctl", subprocess.run(
        [*AS, f"{BIN}/pg_ctl", "-D", str(folder / "data"), "-l", str(folder / "log"), "-w", "-o",
         f"-c listen_addresses=127.0.0.1 -p {server} -c unix_socket_directories={folder}", "start"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) and run("true"))
    for database in ("session", "transaction"):
        check("createdb", run(f"{BIN}/createdb", "-h", "127.0.0.1", "-p", server, "-U", "roster", database))
    ports = {mode: free_port() for mode in ("session", "transaction")}
    for mode, port in ports.items():
        pool(mode, port, server)

    through = {mode: f"postgresql://roster@127.0.0.1:{port}/{mode}" for mode, port in ports.items()}
    seeds = pathlib.Path(__file__).resolve().parents[2] / "Seeds/company.json"
    check("seed", run(ROSTER, "seed", "--database", through["session"], seeds))
    with concurrent.futures.ThreadPoolExecutor(8) as pool_of_threads:
        for answer in pool_of_threads.map(
                lambda number: run(ROSTER, "user", "create", "--database", through["session"], f"u{number}"), range(16)):
            check("create", answer)
    found = check("search", run(ROSTER, "search", "--database", through["session"], "uid sw \"u\"", "--format", "csv"))
    assert sum(line.startswith("u") and line[1:2].isdigit() for line in found.splitlines()) == 16, found
    print("session mode: 16 users were created by 8 programs at once, and found")

    # The first programs may get the session that has their statements.
    answers = [run(ROSTER, "seed", "--database", through["transaction"], seeds)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool_of_threads:
        answers += pool_of_threads.map(
            lambda number: run(ROSTER, "user", "create", "--database", through["transaction"], f"u{number}"), range(32))
    failed = [answer for answer in answers if answer.returncode != 0]
    assert failed, "transaction mode: nothing failed"
    for answer in failed:
        assert "pooler" in answer.stderr and "session" in answer.stderr, answer.stderr
    print(f"transaction mode: {len(failed)} of {len(answers)} programs were refused, and each error names the pooler and the cure")
finally:
    for process in processes:
        process.terminate()
    run(*AS, f"{BIN}/pg_ctl", "-D", folder / "data", "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)
