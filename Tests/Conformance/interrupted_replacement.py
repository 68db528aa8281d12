#!/usr/bin/env python3
"""interrupted_replacement.py ROSTER: kills `roster` at each of its calls of the file system, and lets each of these calls fail once,
while a command replaces or makes a directory's file. Afterwards, the place has the old directory or the new one, whole, with a key
file that fits. Needs cc."""
import os, shutil, signal, subprocess, sys, tempfile, time

roster = os.path.abspath(sys.argv[1])
folder = tempfile.mkdtemp()
os.chdir(folder)
open("calls.c", "w").write(r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/types.h>
static int count;
static int due(void) {
    const char *kill_at = getenv("KILL_AT"), *fail_at = getenv("FAIL_AT");
    int number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (kill_at && number == atoi(kill_at)) kill(getpid(), SIGKILL);
    return fail_at && number == atoi(fail_at);
}
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAILS if (due()) { errno = ENOSPC; return -1; }
int rename(const char *a, const char *b) { FAILS return REAL(rename)(a, b); }
int unlink(const char *a) { if (getenv("KILL_AT")) due(); return REAL(unlink)(a); }
int link(const char *a, const char *b) { FAILS return REAL(link)(a, b); }
int fsync(int d) { FAILS return REAL(fsync)(d); }
int fdatasync(int d) { FAILS return REAL(fdatasync)(d); }
int ftruncate(int d, off_t n) { FAILS return REAL(ftruncate)(d, n); }
int ftruncate64(int d, off64_t n) { FAILS return REAL(ftruncate64)(d, n); }
""")
subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", "calls.so", "calls.c", "-ldl"], check=True)


def run(*arguments, **variables):
    environment = {**os.environ, **variables}
    environment.pop("ROSTER_DATABASE", None)
    return subprocess.run([roster, *arguments], capture_output=True, text=True, env=environment)


def needs(*arguments):
    outcome = run(*arguments)
    if outcome.returncode:
        sys.exit(f"{arguments}: {outcome.stderr}")
    return outcome.stdout


def users(path):
    outcome = run("search", "--database", path, "uid pr", "--page-size", "500", "--format", "json")
    return outcome.stdout.count('"uid"') if outcome.returncode == 0 else f"unreadable: {outcome.stderr.strip()}"


def key_fits(path):
    """A server checks its key file at the start, before it writes."""
    server = subprocess.Popen([roster, "serve", "--database", path, "--listen", "127.0.0.1:0", "--quiet"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in server.stdout:
        if line.startswith("Roster serves "):
            server.terminate(); server.communicate()
            return True
    server.wait()
    return server.stderr.read().strip()


def template(name, count):
    """A directory with a key file, and with a log that a killed server left."""
    open("password", "w").write("a-long-enough-secret-7\n")
    server = subprocess.Popen([roster, "serve", "--database", f"{name}/c.db", "--listen", "127.0.0.1:0", "--quiet",
                               "--admin-password-file", "password"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    base = next(line.split()[-1] for line in server.stdout if line.startswith("Roster serves "))
    for number in range(count):
        body = '{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"%s%d"}' % (name, number)
        subprocess.run(["curl", "-sf", "-o", os.devnull, "-u", "admin:a-long-enough-secret-7", "-H", "Content-Type: application/scim+json",
                        "-d", body, base + "/scim/v2/Users"], check=True)
    server.send_signal(signal.SIGKILL); server.wait()
    assert os.path.getsize(f"{name}/c.db-wal") > 0


os.mkdir("old"); os.mkdir("other")
template("old", 12); template("other", 5)
needs("backup", "other/c.db", "backup.db")
old, new = 13, 6  # Each has an administrator, too.
found = []


def attempt(kind, number, command, place, allowed):
    shutil.rmtree("now", ignore_errors=True); shutil.copytree("old", "now")
    for name in os.listdir("."):
        if name.startswith("made"):
            os.remove(name)
    outcome = run(*command, LD_PRELOAD=os.path.join(folder, "calls.so"), **{kind: str(number)})
    is_over = outcome.returncode == 0 and kind == "KILL_AT"
    count = users(place) if os.path.exists(place) else 0
    # The server of the check is the slow part, and only these can break the bond between a file and its key.
    key = key_fits(place) if count and isinstance(count, int) and command[0] != "backup" else True
    if outcome.returncode == 0 and place == "now/c.db" and command[0] == "restore" and count != new:
        found.append(f"{command[0]} {kind}={number}: said that it was done, {count} users")
    if count not in allowed or key is not True:
        found.append(f"{command[0]} {kind}={number}: {count} users, key {key}: {outcome.stderr.strip()[-200:]}")
    return is_over


points = 0
for command, place, allowed in [
    (["restore", "backup.db", "now/c.db", "--replace"], "now/c.db", (old, new)),
    (["backup", "now/c.db", "made.db"], "now/c.db", (old,)),
    (["backup", "now/c.db", "made.db"], "made.db", (0, old)),
    (["copy", "--database", "now/c.db", "--to", "made.db"], "made.db", (0, old)),
]:
    last = 0
    for number in range(1, 400):
        last = number
        if attempt("KILL_AT", number, command, place, allowed):
            break
    else:
        found.append(f"{command[0]} did not end")
    for number in range(1, last):
        attempt("FAIL_AT", number, command, place, allowed)
    points += 2 * last - 1
    print(f"{command[0]} into {place}: {last - 1} points", flush=True)
shutil.rmtree(folder)
print("\n".join(found[:20]) if found else f"{points} interruptions and failures: the old or the new directory, whole")
sys.exit(1 if found else 0)
