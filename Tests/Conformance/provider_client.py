#!/usr/bin/env python3
"""Signs in through providers of identities, as Sync Gateway's clients do: one that nobody here wrote (oidc-provider-mock),
one that lies in every way it can, our own for tests, and something that answers as Facebook's Graph API does.
Usage: provider_client.py ROSTER_BINARY

Needs what requirements-providers.txt lists.
"""

import base64
import hashlib
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import jwt
import oidc_provider_mock
import requests
from cryptography.hazmat.primitives.asymmetric import rsa

ROSTER = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = tempfile.mkdtemp()
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok: " if ok else "FAILED: ") + name + ("" if ok else f"  {detail}"))


key, stranger = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
public["kid"] = "one"
SECRET = "a secret of more than thirty-two bytes"
challenges, nonces, seen = {}, {}, []


class Liar(http.server.BaseHTTPRequestHandler):
    """A provider at /NAME, where NAME says in which way it lies; and Facebook's Graph API at /graph."""

    def answer(self, body, status=200):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        base = f"http://127.0.0.1:{self.server.server_port}"
        path = urllib.parse.urlparse(self.path)
        name, _, rest = path.path[1:].partition("/")
        if name == "graph":
            return self.graph(rest, dict(urllib.parse.parse_qsl(path.query)))
        issuer = f"{base}/{name}"
        if rest == ".well-known/openid-configuration":
            self.answer({
                "issuer": issuer + "x" if name == "wrong-issuer" else issuer,
                "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
                "jwks_uri": issuer + "/keys", "token_endpoint_auth_methods_supported": ["client_secret_post"],
                "authorization_response_iss_parameter_supported": name == "mix-up"})
        elif rest == "keys":
            self.answer({"keys": [public]})
        else:
            self.answer({}, 404)

    def graph(self, rest, query):
        token = query.get("input_token") or self.headers.get("Authorization", "").removeprefix("Bearer ")
        seen.append(rest)
        if rest == "debug_token":
            if self.headers.get("Authorization") not in ("Bearer 1234|hush", "Bearer 999|hush too"):
                return self.answer({"error": "who asks?"}, 400)
            return self.answer({"data": {
                "is_valid": token in ("mira", "other-app"), "app_id": "999" if token == "other-app" else "1234",
                "user_id": "77", "expires_at": int(time.time()) + 600}})
        self.answer({"id": "77", "name": "Mira Okafor"})

    def do_POST(self):
        name = self.path[1:].partition("/")[0]
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        issuer = f"http://127.0.0.1:{self.server.server_port}/{name}"
        digest = base64.urlsafe_b64encode(
            hashlib.sha256(form.get("code_verifier", "").encode()).digest()).decode().rstrip("=")
        check(f"'{name}' gets the verifier of its challenge, and the client's secret",
              digest == challenges.get(name) and form.get("client_secret") == SECRET, form)
        now = int(time.time())
        claims = {"iss": issuer, "sub": "77", "aud": "us", "iat": now, "exp": now + 300, "nonce": nonces[name],
                  "email": "mira@acme.test", "email_verified": True, "preferred_username": "mira.okafor",
                  "groups": ["writers", "readers"]}
        claims.update({
            "other-audience": {"aud": "them"}, "other-party": {"aud": ["us", "them"], "azp": "them"},
            "old": {"exp": now - 400, "iat": now - 900}, "other-issuer": {"iss": issuer + "/x"},
            "nonce": {"nonce": "another"}, "no-subject": {"sub": ""}, "admin": {"preferred_username": "admin"},
            "unverified": {"email_verified": False}, "long-ago": {"auth_time": -2**63}, "future": {"iat": now + 4000, "nbf": now + 4000},
        }.get(name, {}))
        if name == "no-nonce":
            del claims["nonce"]
        if name == "no-end":
            del claims["exp"]
        signer, algorithm, header = key, "RS256", {"kid": "one"}
        if name == "stranger":
            signer = stranger
        if name == "confusion":
            signer, algorithm = key.public_key().public_numbers().n.to_bytes(256, "big"), "HS256"
        if name == "shared":
            signer, algorithm, header = SECRET, "HS256", {}
        token = jwt.encode(claims, None if name == "none" else signer, algorithm="none" if name == "none" else algorithm,
                           headers=header)
        self.answer({"access_token": "at", "token_type": "Bearer", "expires_in": 300,
                     **({} if name == "no-token" else {"id_token": token})})

    def log_message(self, *_):
        pass


liar = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
threading.Thread(target=liar.serve_forever, daemon=True).start()
LIAR = f"http://127.0.0.1:{liar.server_port}"
LIES = ["other-audience", "other-party", "old", "other-issuer", "nonce", "no-nonce", "no-subject", "no-end", "future",
        "stranger", "confusion", "none", "no-token", "mix-up"]


def entry(name, **more):
    return {"issuer": f"{LIAR}/{name}", "client_id": "us", "validation_key": SECRET, "register": True,
            "user_prefix": name, **more}


with oidc_provider_mock.run_server_in_thread() as theirs:
    THEIRS = f"http://127.0.0.1:{theirs.server_port}"
    providers = {
        "theirs": {"issuer": THEIRS, "client_id": "roster", "validation_key": "their secret", "register": True},
        "closed": {"issuer": LIAR + "/closed", "client_id": "us", "validation_key": SECRET},
        "honest": entry("honest", roles_claim="groups", include_access=True, disable_session=False),
        "sessionless": entry("sessionless", disable_session=True),
        "named": entry("named", username_claim="preferred_username"),
        "unprefixed": {k: v for k, v in entry("unprefixed", username_claim="preferred_username").items()
                       if k != "user_prefix"},
        "admin": {k: v for k, v in entry("admin", username_claim="preferred_username").items() if k != "user_prefix"},
        "unverified": entry("unverified", username_claim="email"),
        "shared": entry("shared", signing_method="HS256"), "long-ago": entry("long-ago"),
        "wrong-issuer": entry("wrong-issuer"), "down": {"issuer": "http://127.0.0.1:9", "client_id": "us"},
        **{name: entry(name) for name in LIES},
    }
    with open(f"{WORK}/providers.json", "w") as file:
        json.dump({"oidc": {"default_provider": "theirs", "providers": providers},
                   "social": {"facebook": {"app_id": "1234", "app_secret": "hush", "url": LIAR + "/graph"},
                              "facebook-shop": {"app_id": "999", "app_secret": "hush too", "url": LIAR + "/graph",
                                                "provider": "facebook"}}}, file)
    with open(f"{WORK}/password", "w") as file:
        file.write("correct-horse-battery-9\n")
    with open(f"{WORK}/social.json", "w") as file:
        json.dump({"social_login": True}, file)
    with open(f"{WORK}/unsocial.json", "w") as file:
        json.dump({"social_login": True, "apis": {"mobile": {"social_login": False}}}, file)
    with open(f"{WORK}/own-app.json", "w") as file:
        json.dump({"social_login": True, "social_apps": ["facebook-shop"]}, file)
    run = lambda *words: subprocess.run([ROSTER, *words], capture_output=True, text=True, cwd=WORK)
    run("seed", "--database", "r.db", os.path.join(HERE, "../../Seeds/company.json"))
    # What a provider calls a role counts where there is one of that name.
    for role in ("readers", "writers"):
        run("role", "create", "--database", "r.db", role)
    made = lambda *words: {k: v.strip() for k, v in (line.split(None, 1) for line in run(
        "backend", "create", "--database", "r.db", *words).stdout.splitlines())}
    social = made("--name", "social", "--settings", "social.json")
    unsocial = made("--name", "unsocial", "--settings", "unsocial.json")
    own_app = made("--name", "own-app", "--settings", "own-app.json")
    plain = made("--name", "plain")
    with open(f"{WORK}/shop.json", "w") as file:
        json.dump({"public": True, "redirect_uris": ["http://127.0.0.1/cb"]}, file)
    shop = made("--name", "shop", "--settings", "shop.json")
    server = subprocess.Popen(
        [ROSTER, "serve", "--database", "r.db", "--listen", "127.0.0.1:0", "--admin-password-file", "password",
         "--providers", "providers.json", "--test-provider", "--quiet"],
        cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    URL = server.stdout.readline().split()[-1]
    ADMIN = ("admin", "correct-horse-battery-9")

    def begin(provider=None, session=None, **more):
        """A visit to a provider, as far as its address."""
        session = session or requests.Session()
        query = {**({"provider": provider} if provider else {}), **more}
        answer = session.get(f"{URL}/db/_oidc", params=query, allow_redirects=False)
        if answer.status_code == 302:
            asked = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(answer.headers["Location"]).query))
            challenges[provider], nonces[provider] = asked["code_challenge"], asked["nonce"]
        return session, answer

    def lie(provider, session=None, **more):
        """A whole visit to the liar."""
        session, answer = begin(provider, session)
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(answer.headers["Location"]).query))
        return session, session.get(asked["redirect_uri"], params={"code": "c", "state": asked["state"], **more})

    try:
        # One that nobody here wrote.
        session, answer = begin(offline="true")
        location = answer.headers["Location"]
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(location).query))
        check("the provider is asked with PKCE, nonce and state", asked.get("code_challenge_method") == "S256"
              and asked.get("nonce") and asked.get("state") and asked.get("access_type") == "offline", asked)
        cookie = answer.headers["Set-Cookie"]
        check("the state is kept in a cookie of five minutes", "sg-oidc-state=" in cookie and "HttpOnly" in cookie
              and "Max-Age=300" in cookie and "Path=/db" in cookie, cookie)
        page = requests.post(location, data={"sub": "mira"}, allow_redirects=False)
        answer = session.get(page.headers["Location"])
        body = answer.json()
        check("their provider signs somebody in", answer.status_code == 200
              and body["name"] == urllib.parse.quote_plus(THEIRS[7:]) + "_mira" and body["session_id"], answer.text)
        check("nothing else is told", set(body) <= {"id_token", "refresh_token", "session_id", "name"}, body)
        check("the session works", session.get(URL + "/scim/v2/Me").json().get("userName") == body["name"])
        again = session.get(page.headers["Location"])
        check("an answer is taken once", again.status_code in (400, 500), again.status_code)
        answer = requests.post(URL + "/db/_oidc_refresh", data={"refresh_token": "wrong"})
        check("a wrong refresh token is the provider's to refuse", answer.status_code == 502, answer.text)
        check("one that is missing is a bad request", requests.get(URL + "/db/_oidc_refresh").status_code == 400)
        answer = requests.get(URL + "/db/_session", headers={"Authorization": "Bearer " + body["id_token"]})
        check("an app's own id token is a bearer token", answer.json().get("userCtx", {}).get("name") == body["name"],
              answer.text)
        traded = requests.post(URL + "/db/_session", headers={"Authorization": "Bearer " + body["id_token"]})
        check("and is traded for a session", traded.ok and "SyncGatewaySession" in traded.cookies, traded.text)
        head, payload, _ = body["id_token"].split(".")
        forged = f"{head}.{payload}.{'A' * 342}"
        check("a forged one is not", requests.post(
            URL + "/db/_session", headers={"Authorization": "Bearer " + forged}).status_code == 401)

        # The challenge, and what comes back wrong.
        answer = requests.get(URL + "/db/_oidc_challenge", params={"provider": "honest"})
        check("the challenge names the provider's address", answer.status_code == 401
              and re.match(r'OIDC login="http', answer.headers["WWW-Authenticate"])
              and answer.json() == {"error": "Unauthorized", "reason": "Login required"}, answer.text)
        check("a provider that is not there is a bad request", begin("nobody")[1].status_code == 400)
        check("one that is down is no fault of the browser's", begin("down")[1].status_code == 502)
        check("one that describes another issuer is not used", begin("wrong-issuer")[1].status_code == 502)
        session, answer = begin("honest")
        state = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(answer.headers["Location"]).query))["state"]
        back = lambda session, **query: session.get(URL + "/db/_oidc_callback", params=query).status_code
        check("without the cookie nobody gets in", back(requests, code="c", state=state) == 400)
        other, _ = begin("honest")
        check("nor with another browser's", back(other, code="c", state=state) == 400)
        check("nor without a state", back(session, code="c") == 400)
        check("nor with an altered one", back(session, code="c", state=state[:-2] + "xx") == 400)
        check("nor as another provider's answer", back(session, code="c", state=state, provider="theirs") == 400)
        check("nor without a code", back(session, state=state) == 400)
        check("a refusal is told", back(session, state=state, error="access_denied") == 401)

        # One that lies.
        session, answer = lie("honest")
        body = answer.json()
        check("an honest provider is believed", answer.status_code == 200 and body["name"] == "honest_77", answer.text)
        check("its access token is handed on where that is wanted", body.get("access_token") == "at"
              and body.get("token_type") == "Bearer" and body.get("expires_in") == 300, body)
        me = session.get(URL + "/scim/v2/Me").json()
        check("the account has what the provider tells", any(
            mail["value"] == "mira@acme.test" for mail in me.get("emails", [])), me)
        check("without register nobody is let in whom nobody knows", lie("closed")[1].status_code == 401)
        session, answer = lie("sessionless")
        check("no session where none is wanted", "session_id" not in answer.json() and not session.cookies.get(
            "SyncGatewaySession"), answer.text)
        check("users can be named by a claim", lie("named")[1].json()["name"] == "named_mira.okafor")
        check("and without a prefix", lie("unprefixed")[1].json()["name"] == "mira.okafor")
        check("nobody becomes a user who has a password here", lie("admin")[1].status_code == 401)
        check("nor somebody by a mail address that was not verified", lie("unverified")[1].status_code == 401)
        check("HS256 is taken where it was asked for", lie("shared")[1].status_code == 200)
        for name in LIES:
            status = lie(name)[1].status_code
            check(f"a provider that lies ({name}) is refused", status == (400 if name == "mix-up" else 401), status)
        check("a mixed-up answer that says so is refused",
              lie("mix-up", iss=LIAR + "/honest")[1].status_code == 400)
        check("one that says who it is, is not", lie("mix-up", iss=LIAR + "/mix-up")[1].status_code == 200)

        # Our own for tests.
        session, answer = begin("test", offline="true")
        form = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(answer.headers["Location"]).query))
        answer = session.post(f"{URL}/db/_oidc_testing/authenticate",
                              data={**form, "username": "alice", "tokenttl": "120"})
        check("the test provider signs in whoever it is told", answer.json()["name"].endswith("_alice"), answer.text)
        life = jwt.decode(answer.json()["id_token"], options={"verify_signature": False})
        check("for as long as it is told", life["exp"] - life["iat"] == 120, life)
        refresh = {"refresh_token": answer.json()["refresh_token"]}
        for how, renewed in (
                ("by POST", requests.post(URL + "/db/_oidc_refresh?provider=test", data=refresh)),
                ("with the provider in the form", requests.post(
                    URL + "/db/_oidc_refresh", data={**refresh, "provider": "test"})),
                ("in JSON", requests.post(URL + "/db/_oidc_refresh?provider=test", json=refresh)),
                ("as old clients do", requests.get(
                    URL + "/db/_oidc_refresh", params={**refresh, "provider": "test"}))):
            check(f"the id token is renewed {how}", renewed.status_code == 200 and renewed.json()["id_token"]
                  and renewed.json()["session_id"] and renewed.json()["name"] == answer.json()["name"]
                  and "refresh_token" not in renewed.json(), renewed.text)

        # On the sign-in page of an app.
        def through_the_page(provider, come_back=True, session=None):
            """An app's request, a provider in place of the password, and what the browser comes back with."""
            session = session or requests.Session()
            verifier = "v" * 43
            challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
            page = session.get(URL + "/oauth2/authorize", params={
                "response_type": "code", "client_id": shop["client_id"], "redirect_uri": "http://127.0.0.1:5000/cb",
                "scope": "openid profile roles", "state": "s", "code_challenge": challenge, "code_challenge_method": "S256"})
            sealed = re.search(r'name="request" value="([^"]*)"', page.text).group(1)
            left = session.post(URL + "/oauth2/provider", data={"request": sealed, "provider": provider},
                                allow_redirects=False)
            if left.status_code != 303 or not come_back:
                return session, page, left
            asked = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(left.headers["Location"]).query))
            challenges[provider], nonces[provider] = asked["code_challenge"], asked["nonce"]
            back = session.get(asked["redirect_uri"], params={"code": "c", "state": asked["state"]},
                               allow_redirects=False)
            # The app is a native one: whoever signs in for the first time is asked.
            asking = re.search(r'name="request" value="([^"]*)"', back.text)
            if back.status_code == 200 and asking:
                back = session.post(URL + "/oauth2/authorize", allow_redirects=False,
                                    data={"request": asking.group(1), "decision": "allow"})
            return session, page, back

        session, page, back = through_the_page("honest")
        check("the page offers the providers", 'value="honest"' in page.text and "Sign in with honest" in page.text)
        location = urllib.parse.urlparse(back.headers.get("Location", ""))
        sent = dict(urllib.parse.parse_qsl(location.query))
        check("the app gets its code", back.status_code == 303 and location.netloc == "127.0.0.1:5000"
              and sent.get("state") == "s" and sent.get("code"), back.text)
        tokens = requests.post(URL + "/oauth2/token", data={
            "grant_type": "authorization_code", "code": sent.get("code"), "client_id": shop["client_id"],
            "redirect_uri": "http://127.0.0.1:5000/cb", "code_verifier": "v" * 43}).json()
        who = jwt.decode(tokens["access_token"], options={"verify_signature": False})
        check("its token is of whom the provider vouches for, and says how", who["preferred_username"] == "honest_77"
              and who["amr"] == ["fed"] and who["roles"] == ["readers", "writers"], who)
        again = session.get(URL + "/oauth2/authorize", allow_redirects=False, params={
            "response_type": "code", "client_id": shop["client_id"], "redirect_uri": "http://127.0.0.1:5000/cb",
            "scope": "openid", "state": "s", "code_challenge": "c" * 43, "code_challenge_method": "S256"})
        check("and is signed in from then on", again.status_code == 303 and "code=" in again.headers["Location"])
        session, _, back = through_the_page("long-ago")
        aged = session.get(URL + "/oauth2/authorize", allow_redirects=False, params={
            "response_type": "code", "client_id": shop["client_id"], "redirect_uri": "http://127.0.0.1:5000/cb",
            "scope": "openid", "max_age": "60", "code_challenge": "c" * 43, "code_challenge_method": "S256"})
        check("who signed in before there was time is asked again, and nothing crashes",
              back.status_code == 303 and aged.status_code == 200, (back.status_code, aged.status_code))
        check("nobody by that name is no provider", through_the_page("nobody")[2].status_code == 400)
        for name in ("stranger", "nonce", "other-audience", "closed", "admin"):
            answer = through_the_page(name)[2]
            check(f"'{name}' lets nobody in on the page either", answer.status_code == 400
                  and "code=" not in answer.headers.get("Location", ""), answer.status_code)
        one, _, left = through_the_page("honest", come_back=False)
        state = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(left.headers["Location"]).query))["state"]
        comes = lambda session, **query: session.get(
            URL + "/oauth2/callback", params=query, allow_redirects=False).status_code
        two, _, _ = through_the_page("honest", come_back=False)
        check("another browser does not come back from it", comes(two, code="c", state=state) == 400)
        check("nor one without cookies", comes(requests, code="c", state=state) == 400)
        check("a refusal is told on the page", comes(one, error="access_denied", state=state) == 400)
        check("a visit of an app's own does not end on the page",
              (lambda s: comes(s[0], code="c", state=dict(urllib.parse.parse_qsl(urllib.parse.urlparse(
                  s[1].headers["Location"]).query))["state"]))(begin("honest")) == 400)

        # Social login.
        def social_login(token="mira", backend=social, key=None, provider="facebook", path="/mobile/platform/users/~"):
            headers = {"Authorization": "Basic " + (key or backend["anonymous_key"]),
                       "Oracle-Mobile-Backend-ID": backend["backend_id"]}
            if provider:
                headers |= {"Oracle-Mobile-Social-Identity-Provider": provider,
                            "Oracle-Mobile-Social-Access-Token": token}
            return requests.get(URL + path, headers=headers)

        answer = social_login()
        check("a social provider's user is told who they are", answer.status_code == 200
              and answer.json()["identityProvider"] == "facebook" and answer.json()["username"] == "Mira Okafor",
              answer.text)
        check("the provider is asked once a minute", social_login().ok and seen.count("debug_token") == 1, seen)
        check("the directory is not theirs to read", social_login(path="/scim/v2/Users").status_code == 403)
        check("an API that is not for social users refuses them", social_login(backend=unsocial).status_code == 403)
        check("a backend with an app of its own takes that app's tokens", social_login("other-app", backend=own_app)
              .json().get("identityProvider") == "facebook")
        check("and not those of the server's app", social_login(backend=own_app).status_code == 401)
        check("a token of another app lets nobody in", social_login("other-app").status_code == 401)
        check("nor does a wrong one", social_login("nonsense").status_code == 401)
        check("nor a provider that is not there", social_login(provider="friendster").status_code == 401)
        check("nor a wrong key", social_login(key="x" * 43).status_code == 401)
        check("nor another backend's", social_login(backend={**plain, "anonymous_key": social["anonymous_key"]})
              .status_code == 401)
        check("nor a backend without social login", social_login(backend=plain).status_code == 401)
        check("the key alone is not enough there", social_login(provider=None).status_code == 401)
        answer = social_login(backend=plain, provider=None)
        check("where it is, it is nobody's", answer.status_code == 200 and answer.json()["username"] == "anonymous",
              answer.text)
        check("and reads nothing", social_login(backend=plain, provider=None, path="/scim/v2/Users").status_code == 403)

        # What is left of all that.
        time.sleep(0.2)
        text = requests.get(URL + "/oic_rest/rest/userprofile/changes?since=0", auth=ADMIN).text
        check("sign-ins and refusals are in the change feed", '"oidc"' in text and '"social"' in text, text[-300:])
        check("no token and no secret is", not any(
            word in text for word in (SECRET, body["id_token"], "their secret", "hush", "hush too", social["anonymous_key"])))
    finally:
        server.terminate()
        server.wait()
        errors = server.stderr.read()

check("the server has complained of nothing", "Fatal" not in errors, errors[-500:])
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
