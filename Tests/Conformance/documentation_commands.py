#!/usr/bin/env python3
"""Runs the commands of the README and of the articles, as a reader would: every block marked `sh`, in order, in a folder of its own for
each article. The folder has the company in company.db. Requests to 127.0.0.1:8080 reach a server that has the company in memory,
and PASSWORD is a password. A block marked `text` right after one of commands is what the commands write. Other blocks marked `text`, and
those marked `console`, are shown only.

usage: documentation_commands.py ROSTER"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from base64 import b64encode

package = pathlib.Path(__file__).resolve().parents[2]
roster = pathlib.Path(sys.argv[1]).resolve()
password = "correct-horse-battery-staple"


class Server:
    """`roster serve`, with the company in memory."""

    def __init__(self, folder):
        (folder / "admin-password").write_text(password)
        self.welcome = folder / "welcome"
        with open(self.welcome, "w") as output, open(folder / "log", "w") as log:
            self.process = subprocess.Popen(
                [roster, "serve", "--in-memory", "--seed", package / "Seeds/company.json", "--listen", "127.0.0.1:0",
                 "--admin-password-file", folder / "admin-password"], stdout=output, stderr=log)
        end = time.monotonic() + 60
        while "in a browser" not in self.welcome.read_text():
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"The server does not start: {(folder / 'log').read_text()}")
            time.sleep(0.05)
        self.url = re.search(r"^Roster serves (\S+)$", self.welcome.read_text(), re.M)[1]

    def give_password(self, user):
        request = urllib.request.Request(
            f"{self.url}/oic_rest/rest/userprofile/people/{user}", method="PUT",
            data=json.dumps({"password": password}).encode(),
            headers={"Content-Type": "application/json",
                     "Authorization": "Basic " + b64encode(f"admin:{password}".encode()).decode()})
        urllib.request.urlopen(request).close()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def run(article, blocks):
    """Runs the blocks of an article, each with the output that the article shows, or none; returns a description of the first that
    fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "Seeds").symlink_to(package / "Seeds")
        (folder / "bin").mkdir()
        (folder / "bin/roster").symlink_to(roster)
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        environment.pop("ROSTER_DATABASE", None)
        subprocess.run(["roster", "seed", "--database", "company.db", "Seeds/company.json"], cwd=folder, env=environment,
                       check=True, stdout=subprocess.DEVNULL)
        text = "\n".join(block for block, _ in blocks)
        server = Server(folder) if "127.0.0.1:8080" in text else None
        try:
            for user in set(re.findall(r"-u (\S+):PASSWORD", text)) - {"admin"}:
                server.give_password(user)
            for block, shown in blocks:
                script = re.sub(r"\bPASSWORD\b", password, block).replace("curl ", "curl --fail-with-body -sS ")
                if server:
                    script = script.replace("http://127.0.0.1:8080", server.url)
                done = subprocess.run(["bash", "-euo", "pipefail", "-xc", script], cwd=folder, env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
                if done.returncode != 0:
                    return f"{article}: a command failed with status {done.returncode}:\n{done.stdout[-3000:]}"
                written = "".join(line for line in done.stdout.splitlines(True) if not line.startswith("+ "))
                if shown not in written:
                    return f"{article}: the commands do not write what the article shows, but:\n{done.stdout[-3000:]}"
        finally:
            if server:
                server.stop()


articles = [package / "README.md", *sorted(package.glob("Sources/*/*.docc/*.md"))]
count, problems = 0, []
for article in articles:
    blocks = re.findall(r"^```sh\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", article.read_text(encoding="utf-8"), re.M | re.S)
    if blocks:
        count += len(blocks)
        problem = run(article.relative_to(package), blocks)
        if problem:
            problems.append(problem)
print("\n\n".join(problems) or f"{count} blocks of commands were run.")
sys.exit(1 if problems or count == 0 else 0)
