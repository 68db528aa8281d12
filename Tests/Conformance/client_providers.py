#!/usr/bin/env python3
"""Signs in with `roster client` at OpenID providers that nobody here wrote: oidc-provider-mock and canaille.
Usage: client_providers.py ROSTER_BINARY

Needs what requirements-client.txt lists. The script is also the browser of the sign-in: client_providers.py browse FILE URL.
"""

import html.parser
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import requests

PASSWORD = "correct horse battery 9"


class Forms(html.parser.HTMLParser):
    """The forms of a page: where each goes, its fields with their values, and its buttons."""

    def __init__(self, text):
        super().__init__()
        self.forms = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.forms.append({"action": attributes.get("action") or "", "fields": {}, "buttons": []})
        elif tag in ("input", "button") and self.forms and attributes.get("name"):
            value = attributes.get("value") or ""
            is_button = tag == "button" or attributes.get("type") == "submit"
            if is_button:
                self.forms[-1]["buttons"].append((attributes["name"], value))
            elif attributes.get("type") != "checkbox":
                self.forms[-1]["fields"][attributes["name"]] = value


def browse(settings, url):
    """Types what a page asks for, until the app has been reached at its loopback URL."""
    with open(settings) as file:
        settings = json.load(file)
    redirect = urllib.parse.parse_qs(urllib.parse.urlparse(url).query)["redirect_uri"][0]
    if settings.get("register"):
        requests.post(settings["register"], data={"redirect_uri": redirect}).raise_for_status()
    session = requests.Session()
    page = session.get(url)
    for _ in range(6):
        if page.url.startswith(redirect):
            sys.exit(0 if page.status_code == 200 else "The app answers with " + str(page.status_code))
        forms = [form for form in Forms(page.text).forms if form["fields"] or form["buttons"]]
        wanted = [form for form in forms if set(form["fields"]) & set(settings["typed"])
                  or set(form["buttons"]) & {tuple(button) for button in settings["pressed"]}]
        if not wanted:
            sys.exit(f"{page.url} has no form to fill in:\n{page.text[:2000]}")
        form = wanted[0]
        data = {**form["fields"], **{name: value for name, value in settings["typed"].items() if name in form["fields"]}}
        pressed = [button for button in form["buttons"] if list(button) in settings["pressed"]]
        data.update(pressed[:1] or form["buttons"][:1])
        page = session.post(urllib.parse.urljoin(page.url, form["action"]), data=data)
    sys.exit("The sign-in goes on for ever.")


if sys.argv[1] == "browse":
    browse(*sys.argv[2:])

import oidc_provider_mock  # noqa: E402: the browser needs no provider

ROSTER = os.path.abspath(sys.argv[1])
WORK = tempfile.mkdtemp()
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok: " if ok else "FAILED: ") + name + ("" if ok else f"  {detail}"), flush=True)


def roster(*words):
    return subprocess.run([ROSTER, "client", *words], capture_output=True, text=True, cwd=WORK, timeout=120)


def sign_in(name, issuer, client_id, userinfo, settings, subject, *more):
    """Signs in, and lets the provider say whose token `roster client token` gives."""
    with open(f"{WORK}/{name}.json", "w") as file:
        json.dump(settings, file)
    app = ("--server", issuer, "--store", name + ".secrets")
    browser = f"'{sys.executable}' '{os.path.abspath(__file__)}' browse '{WORK}/{name}.json'"
    done = roster("sign-in", *app, "--client-id", client_id, "--browser", browser, "--json", *more)
    check(f"{name}: the user signs in with a browser", done.returncode == 0, done.stderr)
    check(f"{name}: and is named", done.returncode == 0 and json.loads(done.stdout)[0]["subject"] == subject, done.stdout)
    token = roster("token", *app)
    check(f"{name}: there is a token", token.returncode == 0 and len(token.stdout.splitlines()) == 1, token.stderr)
    whose = requests.get(userinfo, headers={"Authorization": "Bearer " + token.stdout.strip()})
    check(f"{name}: which is the user's", whose.ok and whose.json()["sub"] == subject, whose.text)
    again = roster("call", *app, "GET", userinfo)
    check(f"{name}: and opens the provider's API", again.returncode == 0 and subject in again.stdout, again.stderr)
    return app, token.stdout.strip()


def sign_out(name, app, token):
    done = roster("sign-out", *app, "--json")
    check(f"{name}: the user signs out", done.returncode == 0 and json.loads(done.stdout)[0]["wasSignedIn"], done.stderr)
    left = roster("token", *app)
    check(f"{name}: and has no token then", left.returncode == 1 and not left.stdout, left.stdout)
    check(f"{name}: no token is in what was said", token not in done.stdout + done.stderr + left.stderr)


def mock():
    # A life of ten seconds lets the token be renewed below.
    import datetime
    app = oidc_provider_mock.app(access_token_max_age=datetime.timedelta(seconds=10))
    url, stop = serve(app)
    discovery = requests.get(url + "/.well-known/openid-configuration").json()
    # The mock takes any client with any secret, but none without one.
    with open(f"{WORK}/secret", "w") as file:
        file.write("any secret\n")
    signed_in, token = sign_in("oidc-provider-mock", discovery["issuer"], "any", discovery["userinfo_endpoint"], {
        "typed": {"sub": "ada"}, "pressed": []}, "ada", "--client-secret-file", "secret")
    end, renewed = time.monotonic() + 30, token
    while renewed == token and time.monotonic() < end:
        time.sleep(1)
        renewed = roster("token", *signed_in).stdout.strip()
    check("oidc-provider-mock: a token that is about to expire is renewed", renewed and renewed != token)
    sign_out("oidc-provider-mock", signed_in, renewed)
    stop()


def canaille():
    import canaille
    from canaille.app import models
    from canaille.backends import Backend
    from joserfc.jwk import RSAKey
    # Without its own name, canaille's token endpoint fails.
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    app = canaille.create_app({
        "SERVER_NAME": f"127.0.0.1:{port}", "PREFERRED_URL_SCHEME": "http", "SECRET_KEY": "s" * 40, "CANAILLE": {"DATABASE": "memory"}, "CANAILLE_OIDC": {
            "DYNAMIC_CLIENT_REGISTRATION_OPEN": True,
            "ACTIVE_JWKS": [RSAKey.generate_key(2048).as_dict(private=True)]}})
    with app.app_context(), Backend.instance.session():
        Backend.instance.save(models.User(
            user_name="ada", family_name="Lovelace", formatted_name="Ada Lovelace", emails=["ada@example.com"],
            password=PASSWORD))

    # canaille compares redirect URLs exactly, and not without the port as RFC 8252, section 7.3, says. So the browser's user
    # registers the port that the app listens at.
    @app.post("/register-port")
    @app.extensions["csrf"].exempt
    def register_port():
        import flask
        client = Backend.instance.get(models.Client, client_id=client_id)
        client.redirect_uris = [flask.request.form["redirect_uri"]]
        Backend.instance.save(client)
        return "registered"

    url, stop = serve(app, port)
    discovery = requests.get(url + "/.well-known/openid-configuration").json()
    answer = requests.post(discovery["registration_endpoint"], json={
        "redirect_uris": ["http://127.0.0.1/callback"], "client_name": "roster", "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"]})
    check("canaille: the client is registered", answer.status_code == 201, answer.text)
    client_id = answer.json()["client_id"]
    app, token = sign_in("canaille", discovery["issuer"], client_id, discovery["userinfo_endpoint"], {
        "typed": {"login": "ada", "password": PASSWORD}, "pressed": [["answer", "accept"]],
        "register": url + "/register-port"}, "ada")
    sign_out("canaille", app, token)
    stop()


def serve(app, port=0):
    import werkzeug.serving
    server = werkzeug.serving.make_server("127.0.0.1", port, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}", server.shutdown


try:
    mock()
    canaille()
finally:
    shutil.rmtree(WORK)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
