#!/usr/bin/env python3
"""Signs in to Roster over LDAP with real clients, each installed from Debian or PyPI and set up as its guide says.

usage: run.py ROSTER [--short] [NAME…]

NAME is that of a file with_NAME.py beside this one; without names, all clients run, and with --short the five that need no Debian of
their own. Each client has a root and a network of its own. It needs root, and debootstrap unless --short is given. At the end is a
table, which is also in .build/clients/table.md.
"""

import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import client
from client import CACHE, HERE, OTHER, PACKAGE, PASSWORD, PEOPLE, USER, Guide, Root, run

SHORT = ["ldap3", "python_ldap", "django", "apache", "radicale"]
DEBIAN = CACHE / "bookworm"


def prepare(roster, folder):
    """Makes the directory in `folder`, and the server's certificate. Returns the reader's app password."""
    database = ["--database", f"{folder}/company.db"]
    (folder / "password").write_text(PASSWORD + "\n")
    run(roster, "seed", *database, PACKAGE / "Seeds/company.json")
    run(roster, "attribute", "declare", *database, "sshPublicKey", "--multi-valued", "--case-exact")
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key")
    run(roster, "user", "modify", *database, USER, f"sshPublicKey={(folder / 'key.pub').read_text().strip()}")
    run(roster, "user", "create", *database, "reader", "familyName=Reader")
    for name in (USER, OTHER):
        run(roster, "user", "password", *database, "--password-file", folder / "password", name)
    made = run(roster, "app-password", "create", *database, "--name", "clients", "--for", "ldap", "reader")
    for name, subject in (("authority", "/CN=Example"), ("server", "/CN=id.example.com")):
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", folder / f"{name}.key",
            "-subj", subject, "-days", "2", *(["-x509", "-out", folder / "authority.pem"] if name == "authority" else
                                              ["-out", folder / "server.csr"]))
    (folder / "names").write_text("subjectAltName=DNS:id.example.com\n")
    run("openssl", "x509", "-req", "-in", folder / "server.csr", "-CA", folder / "authority.pem", "-CAkey", folder / "authority.key",
        "-CAcreateserial", "-days", "2", "-extfile", folder / "names", "-out", folder / "server.pem")
    return made.split()[0]


def serve(roster, folder, prepare):
    """Starts the server with a copy of the directory, at the usual ports of LDAP. `prepare` may change the copy by Roster's commands."""
    own = folder / "served"
    subprocess.run(["rm", "-rf", own], check=True)
    own.mkdir()
    run("sh", "-c", f"cp {folder}/company.db* {own}/")
    if prepare:
        prepare(lambda kind, verb, *words: run(roster, kind, verb, "--database", own / "company.db", *words))
    process = subprocess.Popen(
        [roster, "serve", "--database", own / "company.db", "--listen", "127.0.0.1:8080", "--admin-password-file", folder / "password",
         "--certificate", folder / "server.pem", "--key", folder / "server.key", "--ldap", "ldap://127.0.0.1,ldaps://127.0.0.1",
         "--ldap-base", client.BASE, "--ldap-posix", "100000"],
        stdout=open(own / "welcome", "w"), stderr=open(own / "log", "w"))
    client.connected(636)
    return process


def inside(roster, folder, name):
    """Runs a client's test, in its own network."""
    run("ip", "link", "set", "lo", "up")
    run("hostname", "host.example.com")
    module = importlib.import_module(f"with_{name}")
    root = Root(name, None)
    root.folder = folder
    guide = Guide(*module.GUIDE)
    root.trust(folder / "authority.pem")
    root.configure(guide)
    server = serve(roster, folder, getattr(module, "prepare", None))
    version = "?"
    try:
        version = module.test(root, guide) or "?"
    except Exception as error:
        client.check(f"{name} runs", False, f"{type(error).__name__}: {error}\n{root.read('/log')[-3000:]}")
    server.terminate()
    client.check("the server ends in order", server.wait(30) == 0)
    if client.failures:
        print((folder / "served/log").read_text()[-2500:])
    (folder / "result").write_text(json.dumps({"version": version, "failed": len(client.failures)}))


def make_debian():
    """Makes the root of Debian 12 that clients' roots lie above."""
    run("debootstrap", "--variant=minbase", "--include=ca-certificates,procps,libldap-common", "bookworm", DEBIAN,
        "http://deb.debian.org/debian", timeout=900)
    (DEBIAN / "etc/apt/sources.list").unlink()
    run("cp", "/etc/apt/sources.list.d/debian.sources", DEBIAN / "etc/apt/sources.list.d/")
    run("chroot", DEBIAN, "apt-get", "update", "-qq", timeout=300)
    (DEBIAN / "installed").touch()


def carry_out(roster, folder, name, short):
    """Installs a client and runs its test; returns the line of the table and whether the client passed."""
    module = importlib.import_module(f"with_{name}")
    began = time.monotonic()
    print(f"\n{name}", flush=True)
    (folder / "result").unlink(missing_ok=True)
    pip = CACHE / f"{name}-venv"
    os.environ["VENV"] = str(pip)
    try:
        guide = Guide(*module.GUIDE)
        own = "/" if short or guide.packages("pip") else DEBIAN
        root = Root(name, own)
        root.install(guide, pip)
        installed = time.monotonic()
        subprocess.run(["unshare", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc",
                        sys.executable, __file__, roster, "--inside", name, folder], timeout=600)
        result = json.loads((folder / "result").read_text())
        root.forget()
    except Exception as error:
        print(f"FAILED  {name}: {type(error).__name__}: {error}", flush=True)
        result, installed = {"version": "?", "failed": 1}, time.monotonic()
    passed = result["failed"] == 0
    print(f"{name}: {installed - began:.0f} s to install, {time.monotonic() - installed:.0f} s to run", flush=True)
    line = f"| {module.GUIDE[1]} | {result['version']} | {' '.join(module.__doc__.split())} | {'passed' if passed else 'failed'} |"
    print(line, flush=True)
    return line, passed


def main():
    roster, *names = sys.argv[1:]
    roster = str(pathlib.Path(roster).resolve())
    if "--inside" in names:
        return inside(roster, pathlib.Path(names[2]), names[1])
    if "ROSTER_CLIENTS" not in os.environ:  # All mounts end with this namespace.
        os.environ["ROSTER_CLIENTS"] = "mounts"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, __file__, *sys.argv[1:]])
    short = "--short" in names
    names = [name for name in names if name != "--short"]
    names = names or (SHORT if short else sorted(path.stem[5:] for path in HERE.glob("with_*.py")))
    CACHE.mkdir(parents=True, exist_ok=True)
    if not short and not (DEBIAN / "installed").exists():
        make_debian()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["APP_PASSWORD"] = prepare(roster, folder)
        lines, passed = zip(*[carry_out(roster, folder, name, short) for name in names])
    table = "\n".join(["| Client | Version | What it did | Result |", "|---|---|---|---|", *lines])
    (CACHE / "table.md").write_text(table + "\n")
    print(f"\n{table}\n\n{sum(passed)} passed, {len(passed) - sum(passed)} failed")
    sys.exit(not all(passed))


main()
