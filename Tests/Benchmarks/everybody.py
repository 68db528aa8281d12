#!/usr/bin/env python3
"""What jobs over everybody cost, on a file and on PostgreSQL, in one run, beside `roster generate` of the same people.

usage: everybody.py ROSTER PEOPLE [DSN]     e.g.  everybody.py .build/release/roster 100000 'postgresql://roster@/postgres?host=/tmp/pg'

Prints for each job the seconds, the seconds to the first byte that the program writes, and the most memory that the program had for
itself (RssAnon). DSN's database must be empty, and is not removed. Nobody else uses the directories meanwhile."""
import csv, os, shutil, subprocess, sys, tempfile, threading, time

roster, people = os.path.abspath(sys.argv[1]), int(sys.argv[2])
dsn = sys.argv[3] if len(sys.argv) > 3 else None
folder = tempfile.mkdtemp(prefix="everybody")
os.chdir(folder)


def memory(process, most):
    """Watches how much memory a process has for itself."""
    while process.poll() is None:
        try:
            for line in open(f"/proc/{process.pid}/status"):
                if line.startswith("RssAnon"):
                    most[0] = max(most[0], int(line.split()[1]) // 1024)
        except OSError:
            return
        time.sleep(0.01)


def job(name, *arguments, output=None):
    """Runs the program, prints what the run took, and returns its last line."""
    most, start, first, last = [0], time.time(), None, b""
    process = subprocess.Popen([roster, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    watch = threading.Thread(target=memory, args=(process, most))
    watch.start()
    with open(output or os.devnull, "wb") as file:
        while piece := process.stdout.read1(1 << 16):
            first = first or time.time() - start
            file.write(piece)
            last = (last + piece)[-300:]
    code, taken = process.wait(), time.time() - start
    watch.join()
    text = last.decode(errors="replace").strip().split("\n")[-1][:80]
    note = "" if code == 0 else f", exit code {code}: {text}"
    print(f"{name:52} {taken:8.2f} s, first byte {first or taken:7.2f} s, {most[0]:5} MB{note}", flush=True)
    return last


def lines():
    """The names of somebody near the top, and of somebody with some ten people below, by the exported file."""
    rows = list(csv.DictReader(open("file.csv", newline="")))
    reports = {}
    for row in rows:
        reports.setdefault(row["manager"], []).append(row["uid"])
    def below(name):
        found, next = 0, [name]
        while next:
            next = [uid for manager in next for uid in reports.get(manager, [])]
            found += len(next)
        return found
    second = max(reports[next(row["uid"] for row in rows if not row["manager"])], key=below)
    small = next(name for name in reports if name and 5 < below(name) < 60)
    return [(name, below(name)) for name in (second, small)]


def jobs(engine, database):
    print(f"--- {engine}, {people} people", flush=True)
    job("check", "check", *database[:2])
    job("org of everybody", "org", *database)
    for format in ("csv", "json", "ldif"):
        job(f"export as {format}", "export", "--format", format, *database, output=f"{engine}.{format}")
    job("the same file again, nothing new", "import", *database, f"{engine}.csv")
    job("a preview of that", "import", "--dry-run", *database, f"{engine}.csv")
    for name, count in lines():
        job(f"20 of the {count} below {name}, by name", "search", f'managers eq "{name}"', "--sort", "surname", "--page-size", "20", *database)
        job(f"the number of the {count}", "search", f'managers eq "{name}"', "--count", *database)
    job("everybody by name, page 1,000", "search", "--sort", "surname", "--page-size", "20", "--page", "1000", *database)
    job("a country that nobody has, read", "search", 'addresses.country eq "AQ"', *database)
    job("the index of countries", "attribute", "index", "country", *database)
    job("a country that nobody has, indexed", "search", 'addresses.country eq "AQ"', *database)


try:
    job("generate", "generate", "--database", "file.db", "--people", str(people))
    file, server = ["--database", "file.db"], ["--database", dsn, "--master-key", "file.db-key"]
    jobs("file", file)
    job("copy, file to file", "copy", *file, "--to", "copy.db")
    job("seed of an export", "seed", "file.json", "--database", "seeded.db")
    job("LDIF of an export", "import", "file.ldif", "--database", "read.db")
    if dsn:
        job("copy, file to PostgreSQL", "copy", *file, "--to", dsn)
        jobs("PostgreSQL", server)
        job("copy, PostgreSQL to file", "copy", *server, "--to", "back.db")
finally:
    shutil.rmtree(folder, ignore_errors=True)
