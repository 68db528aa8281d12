#!/usr/bin/env python3
"""What the search for people by words costs with many people: the median time of a request over HTTP and the server's processor time for
each request.

    python3 Tests/Benchmarks/matching.py ROSTER PEOPLE [ADDRESS]

It makes a directory with `roster generate`, or copies it to the PostgreSQL database at ADDRESS, which must be empty."""

import base64
import http.client
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROSTER, PEOPLE = os.path.abspath(sys.argv[1]), int(sys.argv[2])
ADDRESS = sys.argv[3] if len(sys.argv) > 3 else None
PASSWORD = "correct horse battery staple"
QUESTIONS = ["anna", "an", "eng", "engineer", "anna mueller", "muell an", "director platform", "smith sales", "5550", "okafro", "plattform", "qqqzzz"]

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("password", "w") as file:
        file.write(PASSWORD + "\n")
    begin = time.time()
    subprocess.run([ROSTER, "generate", "--database", "m.db", "--people", str(PEOPLE)], check=True, stdout=subprocess.DEVNULL)
    print(f"generate: {time.time() - begin:.1f} s, {os.path.getsize('m.db') / PEOPLE:.0f} bytes a person")
    database = ["--database", "m.db"]
    if ADDRESS:
        begin = time.time()
        subprocess.run([ROSTER, "copy", "--database", "m.db", "--to", ADDRESS], check=True, stdout=subprocess.DEVNULL)
        print(f"copy: {time.time() - begin:.1f} s")
        database = ["--database", ADDRESS, "--master-key", folder + "/m.db-key"]
    server = subprocess.Popen(
        [ROSTER, "serve", *database, "--listen", "127.0.0.1:0", "--admin-password-file", "password", "--quiet"],
        stdout=open("out", "w"), stderr=subprocess.STDOUT)
    try:
        while not (found := re.search(r"^Roster serves http://127.0.0.1:(\d+)", open("out").read(), re.M)):
            if server.poll() is not None:
                sys.exit(open("out").read())
            time.sleep(0.1)
        client = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        basic = {"Authorization": "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode()}

        def processor():
            with open(f"/proc/{server.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        for question in QUESTIONS:
            taken, used = [], processor()
            for _ in range(20):
                begin = time.time()
                client.request("GET", "/scim/v2/Users?count=20&matching=" + urllib.parse.quote(question), headers=basic)
                answer = client.getresponse().read()
                taken.append(time.time() - begin)
            used = (processor() - used) / len(taken)
            people = len(re.findall(rb'"userName"', answer))
            print(f"{question:20} {people:3} shown {sorted(taken)[10] * 1e3:8.2f} ms {used * 1e3:8.2f} ms of processor")
    finally:
        server.terminate()
        server.wait()
