#!/usr/bin/env python3
"""Carries out the guides "Roster with …" whose apps are large. `.ci/run --long` runs it: it takes the guides' blocks, starts the real app
with them, and signs a person in with Chromium. Each Python app has an environment of its own in .build/NAME-venv.
Usage: relying_parties_long.py ROSTER_BINARY [GUIDE…]
"""

import glob
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

from selenium.webdriver.common.by import By

import relying_party as party
from relying_party import PACKAGE, blocks, check, end_of, folder, free_port, register, sign_in, start, wait_for, write


def environment(name):
    """The variables for the commands of a guide, so that `python` and `pip` are those of the app's environment."""
    return {**os.environ, "PATH": f"{PACKAGE}/.build/{name}-venv/bin:{os.environ['PATH']}", "PYTHONUNBUFFERED": "1"}


def run(commands, place, variables):
    """Runs the commands of a block, as a person would."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=place, env=variables, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"the guide's commands fail with status {done.returncode}:\n{commands}\n{done.stdout[-3000:]}")


def django():
    port, place, variables = free_port(), folder("django"), environment("django")
    app = f"http://127.0.0.1:{port}"
    [backend] = blocks("RosterWithDjango", "json", app)
    make, serve = blocks("RosterWithDjango", "console", app)
    prepare, serve = serve.splitlines()
    run(make, place, variables)
    made = open(place + "/website/settings.py").read()

    def site(backend, has_keys):
        settings, urls, keys = blocks("RosterWithDjango", "python", app, register(backend))
        write(place + "/website/settings.py", made + settings + (keys if has_keys else ""))
        write(place + "/website/urls.py", urls)
        run(prepare, place, variables)
        server = start((serve + f" --noreload {port}").split(), place, env=variables)
        wait_for(port)
        seen = sign_in(app + "/", "Hello, ")
        server.terminate()
        server.wait(20)
        return seen

    seen = site(backend, False)
    check("Django with mozilla-django-oidc lets the person in, and knows the mail address",
          "Hello, haruka.ito@nordwind.example" in seen, seen + end_of(place + "/log"))
    with_key = {**json.loads(backend), "name": "django-with-key"}
    del with_key["id_token_signed_response_alg"]
    seen = site(json.dumps(with_key), True)
    check("Django lets the person in by Roster's published keys", "Hello, haruka.ito@nordwind.example" in seen,
          seen + end_of(place + "/log"))


def pgadmin():
    port, place, variables = free_port(), folder("pgadmin"), environment("pgadmin")
    app = f"http://127.0.0.1:{port}"
    [backend] = blocks("RosterWithPgAdmin", "json", app)
    settings, members = blocks("RosterWithPgAdmin", "python", app, register(backend))
    for_members = lambda role: settings + members.replace("platform", role)
    [commands] = blocks("RosterWithPgAdmin", "console", app)
    package = glob.glob(f"{PACKAGE}/.build/pgadmin-venv/lib/python3*/site-packages/pgadmin4")[0]
    # The folders of root, whose place is this test's.
    paths = {"DATA_DIR": "data", "LOG_FILE": "pgadmin.log", "SQLITE_PATH": "data/pgadmin4.db", "SESSION_DB_PATH": "data/sessions",
             "STORAGE_DIR": "data/storage", "AZURE_CREDENTIAL_CACHE_DIR": "data/azure", "KERBEROS_CCACHE_DIR": "data/kerberos"}
    serve = ["bash", "-euc", commands.replace("\npgadmin4", "\nexec pgadmin4")]

    def server(settings, text):
        write(package + "/config_local.py", settings + f"DEFAULT_SERVER_PORT = {port}\n" + "".join(
            f'{name} = "{place}/{path}"\n' for name, path in paths.items()))
        process = start(serve, place, env=variables)
        wait_for(port, 120)
        seen = sign_in(app + "/", text, before=lambda driver, wait: wait.until(
            lambda d: d.find_element(By.XPATH, "//button[contains(., 'Login with Roster')]")).click())
        process.terminate()
        process.wait(20)
        return seen

    try:
        seen = server(settings, "haruka.ito")
        check("pgAdmin lets the person in, and knows the user name",
              "Object Explorer" in seen and re.search(r"haruka\.ito(?!@)", seen), seen + end_of(place + "/log"))
        seen = server(for_members("platform"), "haruka.ito")
        check("pgAdmin lets a member of the role in", "Object Explorer" in seen, seen + end_of(place + "/log"))
        seen = server(for_members("nobody"), "not authorized")
        check("pgAdmin refuses somebody who is not a member", "Object Explorer" not in seen
              and "haruka.ito is not authorized" in open(place + "/log").read(), seen + end_of(place + "/log"))
    finally:
        os.remove(package + "/config_local.py")


def jupyterhub():
    port, place = free_port(), folder("jupyterhub")
    app = f"http://127.0.0.1:{port}"
    [backend] = blocks("RosterWithJupyterHub", "json", app)
    settings, for_members = blocks("RosterWithJupyterHub", "python", app, register(backend))
    [commands] = blocks("RosterWithJupyterHub", "console", app)
    os.symlink(f"{PACKAGE}/.build/jupyterhub-venv", place + "/environment")
    serve = commands.splitlines()[-1].split()
    # A Node.js that is not Debian's does not look where Debian's packages are.
    variables = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
    # The ports are this test's.
    ports = (f'c.JupyterHub.bind_url = "{app}"\nc.JupyterHub.hub_port = {free_port()}\n'
             f'c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{free_port()}"\n')

    def hub(settings, text):
        write(place + "/jupyterhub_config.py", settings + ports)
        server = start(serve, place, env=variables)
        wait_for(port, 60)
        seen = sign_in(app + "/hub/home", text, before=lambda driver, wait: wait.until(
            lambda d: d.find_element(By.PARTIAL_LINK_TEXT, "Sign in with Roster")).click())
        server.terminate()
        server.wait(20)
        return seen

    seen = hub(settings, 'id="start"')
    check("JupyterHub lets the person in, and knows the user name", "haruka.ito" in seen, seen + end_of(place + "/log"))
    seen = hub(settings + for_members, 'id="start"')
    check("JupyterHub lets a member of the role in", "haruka.ito" in seen, seen + end_of(place + "/log"))
    seen = hub(settings + for_members.replace("platform", "nobody"), "403")
    check("JupyterHub refuses somebody who is not a member", "403 : Forbidden" in seen,
          seen + end_of(place + "/log"))


def synapse():
    port, place = free_port(), folder("synapse")
    # authlib wants TLS, and both servers are on this machine.
    variables = {**environment("synapse"), "AUTHLIB_INSECURE_TRANSPORT": "1"}
    app = f"http://127.0.0.1:{port}"
    [backend] = blocks("RosterWithSynapse", "json", app)
    backend = backend.replace('email"}', 'email groups"}')
    provider, for_members = blocks("RosterWithSynapse", "yaml", app, register(backend))
    make, serve = blocks("RosterWithSynapse", "console", app)
    run(make, place, variables)
    made = open(place + "/homeserver.yaml").read().replace("port: 8008", f"port: {port}").replace("    - ::1\n", "")

    class Client(http.server.BaseHTTPRequestHandler):
        """A Matrix client, which shows whose account it got."""

        def do_GET(self):
            token = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("loginToken", [""])[0]
            request = urllib.request.Request(app + "/_matrix/client/v3/login", json.dumps(
                {"type": "m.login.token", "token": token}).encode(), {"Content-Type": "application/json"})
            body = ("account=" + json.load(urllib.request.urlopen(request))["user_id"] if token else "").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    client = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Client)
    threading.Thread(target=client.serve_forever, daemon=True).start()
    address = (f"{app}/_matrix/client/v3/login/sso/redirect/oidc-roster?redirectUrl="
               + urllib.parse.quote(f"http://127.0.0.1:{client.server_port}/", safe=""))

    def homeserver(settings, text, after=None):
        write(place + "/homeserver.yaml", made + "\n" + settings)
        server = start(serve.split(), place, env=variables)
        wait_for(port, 60)
        seen = sign_in(address, text, after=after)
        server.terminate()
        server.wait(20)
        return seen

    def go_on(driver, wait):
        """Confirms that the client may have the account, which Synapse asks."""
        wait.until(lambda d: d.find_element(By.PARTIAL_LINK_TEXT, "Continue")).click()

    seen = homeserver(provider.replace("email]", "email, groups]") + for_members, "account=", go_on)
    check("Synapse lets a member of the role in, and names the account after the user",
          "account=@haruka.ito:example.com" in seen, seen + end_of(place + "/log"))
    seen = homeserver(provider.replace("email]", "email, groups]") + for_members.replace("platform", "nobody"), "not allowed")
    check("Synapse refuses somebody who is not a member", "not allowed" in seen, seen + end_of(place + "/log"))
    seen = homeserver(provider, "account=", go_on)
    check("Synapse lets the person in, and finds the account again", "account=@haruka.ito:example.com" in seen,
          seen + end_of(place + "/log"))


def lemonldap():
    port, place = free_port(), folder("lemonldap")
    app = f"http://127.0.0.1:{port}"
    backend, _ = blocks("RosterWithLemonLDAP", "json", app)
    _, provider = blocks("RosterWithLemonLDAP", "json", app, register(backend))
    [commands] = blocks("RosterWithLemonLDAP", "console", app)
    # Debian's configuration, in this test's folder and for this test's addresses.
    for name in ("conf", "cache", "sessions/lock", "psessions/lock", "notifications", "captcha"):
        os.makedirs(f"{place}/{name}")
    here = lambda path: open(path).read().replace("/var/lib/lemonldap-ng", place)
    write(place + "/conf/lmConf-1.json", here("/var/lib/lemonldap-ng/conf/lmConf-1.json"))
    settings = write(place + "/lemonldap-ng.ini", here("/etc/lemonldap-ng/lemonldap-ng.ini"))
    variables = {**os.environ, "LLNG_DEFAULTCONFFILE": settings, "LLNG_DEFAULTLOGGER": "Lemonldap::NG::Common::Logger::Std"}
    write(place + "/roster-provider.json", provider.replace('"domain": "example.com"', '"domain": "127.0.0.1"'))
    run(commands[commands.index("\n") + 1:].replace("lemonldap-ng-cli ", "lemonldap-ng-cli -user=root -group=root "), place, variables)
    os.chmod(party.WORK, 0o755)
    subprocess.run(["chown", "-R", "www-data:www-data", place], check=True)
    socket = place + "/llng.sock"
    start(["/usr/sbin/llng-fastcgi-server", "--foreground", "-u", "www-data", "-g", "www-data", "-s", socket, "-p", place + "/pid",
           "-n", "2"], place, env=variables)
    portal = open("/etc/lemonldap-ng/portal-nginx.conf").read().replace(
        "/var/run/llng-fastcgi-server/llng-fastcgi.sock", socket).replace("listen 80;", f"listen 127.0.0.1:{port};").replace(
        "listen [::]:80;", "").replace("auth.example.com", "127.0.0.1")
    paths = "".join(f"{name}_temp_path {place}/{name}; " for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    write(place + "/nginx.conf",
          f"daemon off; user www-data; pid {place}/nginx.pid; error_log {place}/error.log warn; worker_processes 1;\n"
          f"events {{ worker_connections 128; }}\nhttp {{ include /etc/nginx/mime.types; access_log off; {paths}\n{portal}\n}}\n")
    end = time.monotonic() + 30
    while not os.path.exists(socket) and time.monotonic() < end:
        time.sleep(0.1)
    start(["nginx", "-p", place, "-c", place + "/nginx.conf"], folder("lemonldap-nginx"))
    wait_for(port)
    seen = sign_in(app + "/", "Connected as")
    check("LemonLDAP::NG lets the person in, and knows the user name", "Connected as haruka.ito" in seen,
          seen + end_of(place + "/log") + end_of(place + "/error.log"))


GUIDES = {"django": django, "pgadmin": pgadmin, "jupyterhub": jupyterhub, "synapse": synapse,
          "lemonldap": lemonldap}
if __name__ == "__main__":
    party.carry_out(sys.argv[1], *(GUIDES[name] for name in sys.argv[2:] or GUIDES))
