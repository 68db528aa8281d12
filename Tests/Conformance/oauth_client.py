#!/usr/bin/env python3
"""Signs in with clients that nobody here wrote: authlib through discovery, code and PKCE, refresh, introspection and
revocation; pyjwt, jwcrypto and joserfc check what we sign, in every algorithm. Usage: oauth_client.py ROSTER_BINARY
"""

import base64
import concurrent.futures
import hashlib
import html.parser
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import jwt
import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt as joserfc_jwt
from joserfc.jwk import KeySet, OctKey
from jwcrypto import jwk, jwt as jwcrypto_jwt

ROSTER = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = tempfile.mkdtemp()
REDIRECT = "http://127.0.0.1:45678/callback"
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok: " if ok else "FAILED: ") + name + ("" if ok else f"  {detail}"))


def run(*words):
    return subprocess.run([ROSTER, *words], capture_output=True, text=True, cwd=WORK).stdout


class Page(html.parser.HTMLParser):
    """The hidden fields of a page's form."""

    def __init__(self, text):
        super().__init__()
        self.fields = {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "input" and attributes.get("type") == "hidden":
            self.fields[attributes["name"]] = attributes["value"]


def backend(name, **settings):
    with open(f"{WORK}/{name}.json", "w") as file:
        json.dump(settings, file)
    out = run("backend", "create", "--database", "r.db", "--name", name, "--settings", f"{name}.json")
    return dict(line.split() for line in out.splitlines())


run("seed", "--database", "r.db", os.path.join(HERE, "../../Seeds/company.json"))
with open(f"{WORK}/password", "w") as file:
    file.write("correct-horse-battery-9\n")
SCOPE = "openid profile email roles offline_access directory"
ALGORITHMS = ["ES256", "RS256", "EdDSA", "HS256"]
apps = {
    algorithm: backend(f"app-{algorithm}", redirect_uris=["http://127.0.0.1/callback"], scope=SCOPE,
                       id_token_signed_response_alg=algorithm,
                       grant_types=["authorization_code", "refresh_token", "client_credentials", "password"])
    for algorithm in ALGORITHMS
}
native = backend("native", redirect_uris=["http://127.0.0.1/callback"], scope=SCOPE, public=True)
server = subprocess.Popen(
    [ROSTER, "serve", "--database", "r.db", "--listen", "127.0.0.1:0", "--admin-password-file", "password", "--quiet"],
    cwd=WORK, stdout=subprocess.PIPE, text=True)
URL = server.stdout.readline().split()[-1]


def sign_in(url, browser):
    """What a person does in a browser, until it is sent back to the app."""
    page = browser.get(url, allow_redirects=False)
    if page.status_code == 200:
        page = browser.post(urllib.parse.urljoin(page.url, "authorize"), allow_redirects=False, data={
            **Page(page.text).fields, "username": "admin", "password": "correct-horse-battery-9"})
    if page.status_code == 200:
        # A native app's request is asked about.
        page = browser.post(urllib.parse.urljoin(page.url, "authorize"), allow_redirects=False, data={
            "request": Page(page.text).fields["request"], "decision": "allow"})
    return page.headers.get("Location", "")


try:
    discovery = requests.get(URL + "/.well-known/openid-configuration").json()
    check("discovery is of the issuer", discovery["issuer"] == URL)
    check("RFC 8414 says the same", requests.get(URL + "/.well-known/oauth-authorization-server").json() == discovery)
    keys = lambda: requests.get(discovery["jwks_uri"]).json()
    for algorithm, app in apps.items():
        for method in ("client_secret_basic", "client_secret_post"):
            client = OAuth2Session(
                app["client_id"], app["client_secret"], scope="openid profile offline_access", redirect_uri=REDIRECT,
                code_challenge_method="S256", token_endpoint_auth_method=method)
            verifier = base64.urlsafe_b64encode(os.urandom(48)).decode().rstrip("=")
            url, state = client.create_authorization_url(
                discovery["authorization_endpoint"], code_verifier=verifier, nonce="n-1")
            location = sign_in(url, requests.Session())
            check(f"{algorithm}, {method}: the browser comes back", location.startswith(REDIRECT + "?code="), location)
            check("with 'iss' (RFC 9207)", urllib.parse.parse_qs(urllib.parse.urlparse(location).query)["iss"] == [URL])
            token = client.fetch_token(
                discovery["token_endpoint"], authorization_response=location, code_verifier=verifier, state=state)
        identity, access = token["id_token"], token["access_token"]
        # Each library checks both.
        if algorithm == "HS256":
            secret = app["client_secret"].encode()
            octets = jwk.JWK(kty="oct", k=base64.urlsafe_b64encode(secret).rstrip(b"=").decode())
            decoded = jwt.decode(identity, secret, algorithms=["HS256"], audience=app["client_id"], issuer=URL)
            jwcrypto_jwt.JWT(jwt=identity, key=octets, algs=["HS256"])
            claims = joserfc_jwt.decode(identity, OctKey.import_key(secret), algorithms=["HS256"]).claims
            signed = "ES256"
        else:
            key = next(jwt.PyJWK(key) for key in keys()["keys"] if key["alg"] == algorithm)
            decoded = jwt.decode(identity, key.key, algorithms=[algorithm], audience=app["client_id"], issuer=URL)
            jwcrypto_jwt.JWT(jwt=identity, key=jwk.JWKSet.from_json(json.dumps(keys())), algs=[algorithm])
            claims = joserfc_jwt.decode(
                identity, KeySet.import_key_set(keys()), algorithms=[algorithm]).claims
            signed = algorithm
        check(f"{algorithm}: pyjwt, jwcrypto and joserfc take the id token", decoded == claims)
        CodeIDToken(claims, {"alg": algorithm}, {
            "iss": {"value": URL}, "aud": {"value": app["client_id"]}, }, {
            "nonce": "n-1", "client_id": app["client_id"], "access_token": access}).validate(leeway=5)
        check(f"{algorithm}: authlib finds nonce, azp and at_hash right", True)
        key = next(jwt.PyJWK(key) for key in keys()["keys"] if key["alg"] == signed)
        header = jwt.get_unverified_header(access)
        claims = jwt.decode(access, key.key, algorithms=[signed], audience=URL, issuer=URL)
        check(f"{algorithm}: the access token is RFC 9068's", header["typ"] == "at+jwt" and {
            "iss", "exp", "aud", "sub", "client_id", "iat", "jti", "scope", "auth_time"} <= set(claims), claims)
        check("user info knows the same person", client.get(discovery["userinfo_endpoint"]).json()["sub"] == claims["sub"])
        renewed = client.refresh_token(discovery["token_endpoint"])
        check("authlib refreshes", renewed["refresh_token"] != token["refresh_token"])
        answer = client.introspect_token(discovery["introspection_endpoint"], token=renewed["access_token"]).json()
        check("authlib introspects", answer["active"] and answer["username"] == "admin", answer)
        client.revoke_token(discovery["revocation_endpoint"], token=renewed["refresh_token"])
        answer = client.introspect_token(discovery["introspection_endpoint"], token=renewed["access_token"]).json()
        check("authlib revokes, and all of it has ended", answer == {"active": False}, answer)
        machine = OAuth2Session(app["client_id"], app["client_secret"]).fetch_token(
            discovery["token_endpoint"], grant_type="client_credentials")
        check("authlib gets a token for itself", machine["expires_in"] == 604800)

    client = OAuth2Session(
        native["client_id"], scope="openid offline_access", redirect_uri=REDIRECT, code_challenge_method="S256",
        token_endpoint_auth_method="none")
    verifier = base64.urlsafe_b64encode(os.urandom(48)).decode().rstrip("=")
    url, state = client.create_authorization_url(discovery["authorization_endpoint"], code_verifier=verifier)
    token = client.fetch_token(
        discovery["token_endpoint"], authorization_response=sign_in(url, requests.Session()), code_verifier=verifier)
    check("a native app signs in without a secret", "id_token" in token)
    ask = lambda: requests.post(discovery["token_endpoint"], data={
        "grant_type": "refresh_token", "refresh_token": token["refresh_token"], "client_id": native["client_id"]})
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        children = {future.result().json().get("refresh_token") for future in [pool.submit(ask) for _ in range(50)]}
    check("50 parallel refreshes have one living child", len(children) == 1 and None not in children, children)
    url, _ = client.create_authorization_url(discovery["authorization_endpoint"])
    check("PKCE is not optional", "error=invalid_request" in sign_in(
        urllib.parse.urlunparse(urllib.parse.urlparse(url)._replace(query="&".join(
            part for part in urllib.parse.urlparse(url).query.split("&") if "challenge" not in part))),
        requests.Session()))

    server.terminate()
    check("the server stops with exit code 0", server.wait(20) == 0)
    run("key", "rotate", "--database", "r.db")
    port = URL.rsplit(":", 1)[1]
    server = subprocess.Popen(
        [ROSTER, "serve", "--database", "r.db", "--listen", f"127.0.0.1:{port}", "--quiet"], cwd=WORK,
        stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    published = [key for key in keys()["keys"] if key["alg"] == "ES256"]
    check("after a rotation both keys are published", len(published) == 2, published)
    check("what the old one signed is still taken", requests.get(
        URL + "/oauth2/userinfo", headers={"Authorization": "Bearer " + token["access_token"]}).status_code == 200)
finally:
    server.terminate()
    server.wait(20)
    shutil.rmtree(WORK)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
