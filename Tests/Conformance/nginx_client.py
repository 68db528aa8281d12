#!/usr/bin/env python3
"""Uses the server behind a real nginx: at its root, below a path that nginx takes away, and below a path that it leaves.

usage: nginx_client.py ROSTER_BINARY [COMMAND…] (needs nginx; run it in the project's folder)

COMMAND runs once for each way, with BASE_URL, ROSTER_USER and ROSTER_PASSWORD in its environment.
"""
import base64
import http.client
import http.cookiejar
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROSTER, COMMAND = os.path.abspath(sys.argv[1]), sys.argv[2:]
PASSWORD = "correct horse battery staple"
NGINX = """
daemon off; pid FOLDER/nginx.pid; error_log stderr warn; worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log off; client_max_body_size 0; proxy_request_buffering off;
  client_body_temp_path FOLDER/body; proxy_temp_path FOLDER/proxy; fastcgi_temp_path FOLDER/fastcgi;
  uwsgi_temp_path FOLDER/uwsgi; scgi_temp_path FOLDER/scgi;
  upstream roster {{ server 127.0.0.1:{port}; keepalive 8; }}
  server {{
    listen 127.0.0.1:{public};
    location {place} {{
      proxy_pass http://roster{target}; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }}
  }}
}}
"""
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what, flush=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait(address):
    for _ in range(400):
        try:
            return urllib.request.urlopen(address, timeout=5)
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(address)


class Visitor:
    """A browser with cookies, and a program with a password."""

    def __init__(self, base):
        self.base = base
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def open(self, address, method="GET", data=None, headers=None, timeout=20):
        request = urllib.request.Request(address, data=data, method=method, headers=headers or {})
        try:
            answer = self.opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            answer = error
        return answer.status, answer.headers, answer.read().decode(), answer.url

    def program(self, path, method="GET", body=None):
        basic = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
        address = path if path.startswith("http") else self.base + path
        return self.open(address, method, None if body is None else json.dumps(body).encode(),
                         {"Authorization": "Basic " + basic, "Content-Type": "application/json"})


def page(visitor, base):
    """Loads the page with all that it names, and signs in as a browser does."""
    status, _, html, address = visitor.open(base if urllib.parse.urlparse(base).path else base + "/")
    check(status == 200 and address == base + "/", f"{base} leads to the page: {address}")
    names = [name for name in re.findall(r'(?:href|src)="([^"#]+)"', html) if not name.startswith("data:")]
    check("page.js" in names, f"the page names its script: {names}")
    seen = set()
    while names:
        name = urllib.parse.urljoin(address, names.pop())
        if name in seen:
            continue
        seen.add(name)
        status, headers, text, _ = visitor.open(name)
        check(status == 200 and name.startswith(base + "/"), f"{name} is there: {status}")
        if name.endswith(".js"):
            names += [urllib.parse.urljoin(name, other) for other in re.findall(r'(?:from |import\()"(\./[^"]+)"', text)]
    check(len(seen) > 10, f"the page loads its modules: {seen}")
    address = urllib.parse.urljoin(base + "/", "oauth2/sign-in")
    _, _, form, address = visitor.open(address)
    action = re.search(r'action="([^"]+)"', form).group(1)
    sealed = re.search(r'name="request" value="([^"]+)"', form).group(1)
    fields = urllib.parse.urlencode({"request": sealed, "username": "admin", "password": PASSWORD}).encode()
    status, _, text, address = visitor.open(urllib.parse.urljoin(address, action), "POST", fields)
    check(status == 200 and address == base + "/", f"signing in leads to the page: {status} {address}")
    status, _, text, _ = visitor.open(base + "/scim/v2/Me")
    check(status == 200 and json.loads(text)["userName"] == "admin", f"the session is used below the path: {status}")


def addresses(visitor, base):
    """All addresses that answers tell lead somewhere."""
    _, _, text, _ = visitor.open(base + "/.well-known/openid-configuration")
    document = json.loads(text)
    check(document["issuer"] == base, f"issuer {document['issuer']}")
    for name in ["jwks_uri", "authorization_endpoint", "userinfo_endpoint"]:
        status, _, _, _ = visitor.program(document[name])
        check(document[name].startswith(base) and status != 404, f"{name}: {status}")
    status, headers, text, _ = visitor.program("/scim/v2/Users", "POST", {"userName": "ada"})
    check(status == 201 and headers["Location"].startswith(base), f"Location {headers['Location']}")
    check(visitor.program(headers["Location"])[0] == 200, "a new user's location")
    status, _, text, _ = visitor.program("/oic_rest/rest/userprofile/people/ada")
    links = [member["uri"] for member in json.loads(text).values() if isinstance(member, dict)] + [json.loads(text)["uri"]]
    for link in links:
        check(visitor.program(urllib.parse.urljoin(base, link))[0] == 200, f"the profile's {link}")
    _, _, text, _ = visitor.program("/oic_rest/rest/userprofile/people?pagesize=1")
    for name in ["uri", "next"]:
        link = json.loads(text)[name]
        check(visitor.program(urllib.parse.urljoin(base, link))[0] == 200, f"the list's {name}: {link}")


def events(visitor, base):
    """A change arrives at once, and not when a buffer of nginx is full."""
    address = urllib.parse.urlparse(base)
    listener = http.client.HTTPConnection(address.netloc, timeout=10)
    basic = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
    listener.request("GET", address.path + "/oic_rest/rest/userprofile/changes?since=0",
                     headers={"Authorization": "Basic " + basic, "Accept": "text/event-stream"})
    answer = listener.getresponse()
    check(answer.status == 200 and answer.getheader("X-Accel-Buffering") is None, "nginx takes the hint for itself")
    threading.Timer(1, lambda: visitor.program("/scim/v2/Users", "POST", {"userName": "eve"})).start()
    begin, text = time.monotonic(), b""
    while b'"eve"' not in text and time.monotonic() - begin < 8:
        text += answer.read1(65536)
    check(b'"eve"' in text, f"an event came through nginx within {time.monotonic() - begin:.1f} s")
    listener.close()


def too_large(base):
    """A client that is still sending reads the refusal."""
    address = urllib.parse.urlparse(base)
    client = http.client.HTTPConnection(address.netloc, timeout=20)
    try:
        client.request("POST", address.path + "/oauth2/token", b"x" * 8_000_000)
        check(client.getresponse().status == 413, "a body of 8 MB is refused with 413")
    except OSError as error:
        check(False, f"a body of 8 MB: {error!r}")


def one(name, path, strips):
    port, public = free_port(), free_port()
    base = f"http://127.0.0.1:{public}{path}"
    with tempfile.TemporaryDirectory() as folder:
        files = pathlib.Path(folder)
        os.chmod(folder, 0o755)
        (files / "password").write_text(PASSWORD + "\n")
        configuration = NGINX.format(
            port=port, public=public, place=path + "/", target="/" if strips else "").replace("FOLDER", folder)
        (files / "nginx.conf").write_text(configuration)
        seed = [] if not COMMAND else ["--seed", "Seeds/company.json"]
        server = subprocess.Popen(
            [ROSTER, "serve", "--in-memory", "--quiet", "--listen", f"127.0.0.1:{port}", "--public-url", base,
             "--trusted-proxy", "127.0.0.1", "--admin-password-file", str(files / "password"), *seed],
            stdout=subprocess.DEVNULL)
        wait(f"http://127.0.0.1:{port}/healthz")
        proxy = subprocess.Popen(["nginx", "-p", folder, "-c", str(files / "nginx.conf")])
        try:
            wait(base + "/healthz")
            if COMMAND:
                environment = dict(os.environ, BASE_URL=base, ROSTER_USER="admin", ROSTER_PASSWORD=PASSWORD)
                check(subprocess.run(COMMAND, env=environment).returncode == 0, f"{name}: {' '.join(COMMAND)}")
            else:
                visitor = Visitor(base)
                page(visitor, base)
                addresses(visitor, base)
                events(visitor, base)
                too_large(base)
        finally:
            proxy.terminate()
            server.terminate()
            proxy.wait()
            server.wait()
    print("done:", name, flush=True)


one("at the root", "", False)
one("below a path that nginx takes away", "/apps/roster", True)
one("below a path that nginx leaves", "/apps/roster", False)
print(f"nginx_client: {len(failures)} failures")
sys.exit(1 if failures else 0)
