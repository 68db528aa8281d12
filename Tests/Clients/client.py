"""What the tests of LDAP clients share: a guide's blocks, a root for each client, the served directory, and checks.

A guide is an article "Roster with …" of RosterLDAP.docc with a heading for each client. Below the heading are the packages to install
(`apt install …` or `pip install …`) and files, each as a block after a line with its path. The blocks are used as they stand; only
APP_PASSWORD is replaced. A client runs in a network of its own, in which id.example.com is the server.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1]
GUIDES = PACKAGE / "Sources/RosterLDAP/RosterLDAP.docc"
CACHE = PACKAGE / ".build/clients"
BASE = "dc=example,dc=com"
PEOPLE, GROUPS = f"ou=people,{BASE}", f"ou=groups,{BASE}"
USER, PASSWORD = "haruka.ito", "correct-horse-battery-9"  # A member of platform, and so of engineering and everyone.
MAIL = f"{USER}@nordwind.example"
OTHER = "lucy.hughes"  # Signs in with the same password, and is no member of engineering.
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
failures = []


def check(name, holds, shown=""):
    print(("ok      " if holds else "FAILED  ") + name + ("" if holds else f": {shown}"), flush=True)
    if not holds:
        failures.append(name)


def run(*words, timeout=60, **options):
    """Runs a program that is not the client's, and returns what it writes; raises an error with that if it fails."""
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{words} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


def wait_until(holds, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(0.1)
    return None


class Guide:
    """What an article says below the heading of a client."""

    def __init__(self, article, heading):
        text = (GUIDES / f"{article}.md").read_text(encoding="utf-8")
        found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
        if not found:
            sys.exit(f"{article}.md has no heading '{heading}'.")
        self.text = found[1]

    def packages(self, manager):
        return " ".join(re.findall(rf"^{manager} install (.+)$", self.text, re.M)).replace("'", "").split()

    def files(self):
        """The path, the group that reads it if the guide names one, and the text of each file."""
        return re.findall(r"^`(/[^`\n]+)`(?:, which the group `(\S+)` reads|[^`\n]*):\n\n```[a-z]+\n(.*?)^```", self.text, re.M | re.S)

    def block(self, language):
        [only] = re.findall(rf"^```{language}\n(.*?)^```", self.text, re.M | re.S)
        return only


class Root:
    """A root of a client's own: an overlay above Debian 12, or above this machine's root, so that nothing here changes."""

    def __init__(self, name, below):
        self.name, self.changes = name, CACHE / "roots" / name
        self.path = self.changes / "root"
        if os.path.ismount(self.path):
            return
        self.forget()
        for part in ("root", "upper", "work"):
            (self.changes / part).mkdir(parents=True, exist_ok=True)
        run("mount", "-t", "overlay", "overlay", "-o",
            f"lowerdir={below},upperdir={self.changes}/upper,workdir={self.changes}/work", self.path)
        for place in ("dev", "sys"):
            run("mount", "--rbind", f"/{place}", self.path / place)
        run("mount", "-t", "proc", "proc", self.path / "proc")
        self.write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", mode=0o755)  # A package must not start its service.
        self.write("/etc/resolv.conf", pathlib.Path("/etc/resolv.conf").read_text())

    def forget(self):
        """Removes what the client changed, and never what is mounted in its root."""
        if os.path.ismount(self.path):
            run("umount", "--recursive", "--lazy", self.path)
        for part in ("upper", "work"):
            shutil.rmtree(self.changes / part, ignore_errors=True)

    def write(self, path, text, mode=0o644):
        place = self.path / path[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_symlink():
            place.unlink()
        place.write_text(text, encoding="utf-8")
        place.chmod(mode)

    def read(self, path):
        place = self.path / path[1:]
        return place.read_text(errors="replace") if place.exists() else ""

    def configure(self, guide):
        """Writes the guide's files. Those with the app password can be read by root and by the group that the guide names."""
        for path, group, text in guide.files():
            secret = "APP_PASSWORD" in text
            self.write(path, text.replace("APP_PASSWORD", os.environ["APP_PASSWORD"]), 0o640 if group else 0o600 if secret else 0o644)
            if group:
                self.do("chgrp", group, path)

    def words(self, words):
        return ["chroot", str(self.path), "/usr/bin/env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", *map(str, words)]

    def ask(self, *words, timeout=60, **options):
        """Runs a program in the root, and returns its status and what it writes."""
        done = subprocess.run(self.words(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, **options)
        return done.returncode, done.stdout

    def do(self, *words, timeout=900, **options):
        status, text = self.ask(*words, timeout=timeout, **options)
        if status != 0:
            raise RuntimeError(f"{words} ended with {status}:\n{text[-3000:]}")
        return text

    def start(self, *words):
        """Starts a program in the root that ends with the client's network. It writes to /log."""
        return subprocess.Popen(self.words(words), stdin=subprocess.DEVNULL, stdout=open(self.path / "log", "a"), stderr=subprocess.STDOUT)

    def install(self, guide, pip):
        packages = guide.packages("apt")
        if packages:
            archives = CACHE / "archives"
            archives.mkdir(exist_ok=True)
            run("mount", "--bind", archives, self.path / "var/cache/apt/archives")
            self.do("sh", "-c", 'apt-get install "$@" || { apt-get update && apt-get install "$@"; }', "sh", "-y", "-q",
                    "--no-install-recommends", "-o", "Dpkg::Options::=--force-unsafe-io", *packages)
        packages = guide.packages("pip")
        if packages:
            pip.mkdir(exist_ok=True)
            (self.path / str(pip)[1:]).mkdir(parents=True, exist_ok=True)
            run("mount", "--bind", pip, self.path / str(pip)[1:])
            self.write("/constraints.txt", (HERE / "constraints.txt").read_text())
            wanted, installed = " ".join(packages) + "\n" + self.read("/constraints.txt"), pip / "installed"
            if not installed.exists() or installed.read_text() != wanted:
                self.do(sys.executable, "-m", "venv", "--clear", pip)
                self.do(f"{pip}/bin/pip", "install", "-q", "-c", "/constraints.txt", *packages)
                installed.write_text(wanted)

    def trust(self, authority):
        """Makes the root trust the server's authority and find the server by its name."""
        self.write(AUTHORITIES, self.read(AUTHORITIES) + pathlib.Path(authority).read_text())
        self.write("/etc/hosts", "127.0.0.1 localhost\n127.0.0.1 id.example.com\n127.0.0.1 host.example.com host\n")

    def version(self, package):
        return self.do("dpkg-query", "-W", "-f", "${Version}", package)


def connected(port, host="127.0.0.1"):
    """Waits until a program listens."""
    import socket

    def answers():
        try:
            socket.create_connection((host, port), 1).close()
            return True
        except OSError:
            return False
    if not wait_until(answers, 30):
        raise RuntimeError(f"nothing listens at port {port}")
