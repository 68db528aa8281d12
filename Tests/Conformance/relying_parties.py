#!/usr/bin/env python3
"""Carries out the guides "Roster with …" for Apache, Flask and nginx: takes their blocks, starts the real app with them, and signs a person
in with Chromium. relying_parties_long.py has the other guides.
Usage: relying_parties.py ROSTER_BINARY
"""

import http.server
import os
import sys
import threading
import time
import urllib.error
import urllib.request

import relying_party as party
from relying_party import WORK, blocks, check, end_of, folder, free_port, register, sign_in, start, wait_for, write


def apache():
    port = free_port()
    app = f"http://127.0.0.1:{port}"
    [settings] = blocks("RosterWithApache", "json", app)
    [configuration] = blocks("RosterWithApache", "apache", app, register(settings))
    place = folder("apache")
    os.makedirs(place + "/pages")
    write(place + "/pages/index.html", "<p>Hello from Apache</p>")
    os.chmod(WORK, 0o755)
    modules = "mpm_event authn_core authz_core authz_user dir mime log_config auth_openidc".split()
    found = "/usr/lib/apache2/modules"
    loads = [f"LoadModule {name}_module {found}/mod_{name}.so" for name in modules
             if os.path.exists(f"{found}/mod_{name}.so")]
    write(place + "/apache.conf", "\n".join([
        f"ServerRoot {place}", f"Listen 127.0.0.1:{port}", "ServerName 127.0.0.1", f"PidFile {place}/pid",
        f"ErrorLog {place}/error.log", *loads, "User www-data" if os.geteuid() == 0 else "", f"DocumentRoot {place}/pages",
        "TypesConfig /etc/mime.types", "DirectoryIndex index.html", 'LogFormat "%u" user', f"CustomLog {place}/users user",
        configuration]))
    start(["apache2", "-X", "-f", place + "/apache.conf"], place)
    wait_for(port)
    seen = sign_in(app + "/", "Hello from Apache")
    check("Apache with mod_auth_openidc lets the person in", "Hello from Apache" in seen,
          seen + end_of(place + "/error.log"))
    users = open(place + "/users").read()
    check("the application learns who it is", "@" in users and party.URL.split("//")[1] in users, users)


def flask():
    port = free_port()
    app = f"http://127.0.0.1:{port}"
    settings, _ = blocks("RosterWithFlask", "json", app)
    _, secrets = blocks("RosterWithFlask", "json", app, register(settings))
    [program] = blocks("RosterWithFlask", "python", app)
    place = folder("flask")
    write(place + "/client_secrets.json", secrets)
    write(place + "/app.py", program)
    start([sys.executable, "-m", "flask", "run", "--port", str(port)], place)
    wait_for(port)
    seen = sign_in(app + "/", "Hello, ")
    check("Flask with flask-oidc lets the person in, and knows the mail address", "Hello, haruka.ito@nordwind.example" in seen,
          seen + end_of(place + "/log"))


class Echo(http.server.BaseHTTPRequestHandler):
    """An application that shows the fields by which it learns who asks."""

    def do_GET(self):
        fields = ["user", "groups", "subject", "email"]
        body = "".join(f"<p>{name}={self.headers.get('X-Roster-' + name, '')}</p>" for name in fields) + self.path
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def nginx():
    port, application = free_port(), http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=application.serve_forever, daemon=True).start()
    app = f"http://127.0.0.1:{port}"
    [settings] = blocks("RosterWithNginx", "json", app)
    register(settings)
    [configuration] = blocks("RosterWithNginx", "nginx", app)
    host = party.URL.split("//")[1]
    for example, value in (("listen 443 ssl", f"listen 127.0.0.1:{port}"), ("server_name app.example.com", "server_name 127.0.0.1"),
                           ("http://127.0.0.1:3000", f"http://127.0.0.1:{application.server_port}"),
                           ("Host id.example.com", f"Host {host}")):
        configuration = configuration.replace(example, value)
    place = folder("nginx")
    paths = "".join(f"{name}_temp_path {place}/{name}; " for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    write(place + "/nginx.conf",
          f"daemon off; pid {place}/pid; error_log {place}/error.log warn; worker_processes 1;\n"
          f"events {{ worker_connections 128; }}\nhttp {{ access_log off; {paths}\n{configuration}\n}}\n")
    start(["nginx", "-p", place, "-c", place + "/nginx.conf"], place)
    wait_for(port)
    seen = sign_in(app + "/reports?month=5&year=2026", "user=")
    check("the application behind nginx learns who it is", "user=haruka.ito" in seen and "platform" in seen,
          seen + end_of(place + "/error.log"))
    check("and the browser is where it wanted to be", "/reports?month=5&year=2026" in seen, seen)
    forged = urllib.request.Request(app + "/", headers={"X-Roster-User": "admin"})
    try:
        answer = urllib.request.urlopen(forged).url
    except urllib.error.HTTPError as error:
        answer = error.url
    check("a field that the client sends lets nobody in", answer.startswith(party.URL), answer)


def in_time():
    check("from nothing to signed-in apps in five minutes", time.monotonic() - began < 300)


began = time.monotonic()
party.carry_out(sys.argv[1], apache, flask, nginx, in_time)
