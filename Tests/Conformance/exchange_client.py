#!/usr/bin/env python3
"""Exchanges tokens that programs made which nobody here wrote: JWTs of pyjwt, jwcrypto and joserfc in every algorithm, SAML
assertions of pysaml2, against the real server. Usage: exchange_client.py ROSTER_BINARY

Needs what requirements-exchange.txt lists; with what requirements-saml.txt lists and Debian's xmlsec1, SAML as well.
"""

import datetime
import gzip
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import jwt
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID
from joserfc import jwt as joserfc_jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey
from jwcrypto import jwk, jwt as jwcrypto_jwt

ROSTER = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = tempfile.mkdtemp()
ISSUER = "https://idp.example.com"
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok: " if ok else "FAILED: ") + name + ("" if ok else f"  {detail}"))


# Keys, one for each kind, and what is published of them.
KEYS = {
    "rsa": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "p256": ec.generate_private_key(ec.SECP256R1()), "p384": ec.generate_private_key(ec.SECP384R1()),
    "p521": ec.generate_private_key(ec.SECP521R1()), "ed": ed25519.Ed25519PrivateKey.generate(),
}
PEM = {name: key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                               serialization.NoEncryption()) for name, key in KEYS.items()}
ALGORITHMS = {
    "RS256": "rsa", "RS384": "rsa", "RS512": "rsa", "PS256": "rsa", "PS384": "rsa", "PS512": "rsa", "ES256": "p256",
    "ES384": "p384", "ES512": "p521", "EdDSA": "ed",
}
published = {"keys": []}
for name, pem in PEM.items():
    public = json.loads(jwk.JWK.from_pem(pem).export_public())
    public["kid"] = name
    published["keys"].append(public)
asked = 0


class Provider(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global asked
        asked += 1
        base = f"http://127.0.0.1:{self.server.server_port}"
        documents = {
            "/jwks": published,
            "/discovery": {"issuer": "https://discovered.example.com", "jwks_uri": base + "/jwks"},
            "/huge": {"keys": ["x" * 3_000_000]},
        }
        if self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", base + "/jwks")
            self.end_headers()
            return
        body = json.dumps(documents.get(self.path, {})).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, *_):
        pass


provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=provider.serve_forever, daemon=True).start()
PROVIDER = f"http://127.0.0.1:{provider.server_port}"

# A certificate for those who do not publish keys.
subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "idp.example.com")])
now = datetime.datetime.now(datetime.timezone.utc)
certificate = (
    x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(KEYS["rsa"].public_key())
    .serial_number(1).not_valid_before(now - datetime.timedelta(days=1))
    .not_valid_after(now + datetime.timedelta(days=9)).sign(KEYS["rsa"], hashes.SHA256()))
os.mkdir(f"{WORK}/certificates")
with open(f"{WORK}/certificates/idp.pem", "wb") as file:
    file.write(certificate.public_bytes(serialization.Encoding.PEM))
with open(f"{WORK}/idp.key", "wb") as file:
    file.write(PEM["rsa"])


def jwks(path):
    return {"jwksUri": PROVIDER + path, "allowHttp": True, "minReloadInterval": 1}


DOCUMENT = {
    "policyMinReloadInterval": 1, "policyMaxReloadInterval": 1,
    "issuers": [
        {"issuerName": ISSUER, "jwks": jwks("/jwks"), "virtualUserEnabled": True, "roleAttributes": ["groups"],
         "roleMappings": [{"tokenRole": "eng", "mappedRoles": ["engineers"]}], "issuerRoles": ["outside"]},
        {"issuerName": "https://discovered.example.com", "virtualUserEnabled": True, "requireClientAuth": False,
         "jwks": {"discoveryUri": PROVIDER + "/discovery", "allowHttp": True}},
        {"issuerName": "https://local.example.com", "certificateSubjectNames": ["CN=idp.example.com"],
         "issuerRoles": ["federated"]},
        {"issuerName": "https://huge.example.com", "jwks": jwks("/huge"), "virtualUserEnabled": True},
        {"issuerName": "https://moved.example.com", "jwks": jwks("/redirect"), "virtualUserEnabled": True},
    ],
    "samlIssuers": [
        {"issuerName": "https://saml.example.com", "certificateSubjectNames": ["CN=idp.example.com"],
         "virtualUserEnabled": True, "roleAttributes": "groups",
         "roleMappings": [{"tokenRole": "staff", "mappedRoles": ["staff"]}]},
    ],
}


def write(document):
    with open(f"{WORK}/issuers.json", "w") as file:
        json.dump(document, file)


write(DOCUMENT)
with open(f"{WORK}/password", "w") as file:
    file.write("correct-horse-battery-9\n")
with open(f"{WORK}/backend.json", "w") as file:
    json.dump({"sso": True, "scope": "openid profile roles directory"}, file)
run = lambda *words: subprocess.run([ROSTER, *words], capture_output=True, text=True, cwd=WORK)
run("seed", "--database", "r.db", os.path.join(HERE, "../../Seeds/company.json"))
secrets = dict(line.split(None, 1) for line in run(
    "backend", "create", "--database", "r.db", "--name", "shop", "--settings", "backend.json").stdout.splitlines())
secrets = {name: value.strip() for name, value in secrets.items()}
server = subprocess.Popen(
    [ROSTER, "serve", "--database", "r.db", "--listen", "127.0.0.1:0", "--admin-password-file", "password", "--issuers",
     "issuers.json", "--issuer-certificates", "certificates", "--quiet"],
    cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
URL = server.stdout.readline().split()[-1]
CLIENT = (secrets["client_id"], secrets["client_secret"])
BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"


def claims(issuer=ISSUER, **more):
    time_now = int(time.time())
    return {"iss": issuer, "sub": "zoe", "iat": time_now, "exp": time_now + 300, "groups": ["eng"], **more}


def grant(token, auth=CLIENT, **more):
    return requests.post(URL + "/mobile/platform/auth/token", auth=auth,
                         data={"grant_type": BEARER, "assertion": token, **more})


def pyjwt(algorithm, body, **header):
    key = ALGORITHMS[algorithm]
    return jwt.encode(body, PEM[key], algorithm=algorithm, headers={"kid": key, **header})


try:
    makers = {
        "pyjwt": pyjwt,
        "jwcrypto": lambda algorithm, body: (lambda token: (token.make_signed_token(
            jwk.JWK.from_pem(PEM[ALGORITHMS[algorithm]])), token.serialize())[1])(
                jwcrypto_jwt.JWT(header={"alg": algorithm, "kid": ALGORITHMS[algorithm]}, claims=body)),
        "joserfc": lambda algorithm, body: joserfc_jwt.encode(
            {"alg": algorithm, "kid": ALGORITHMS[algorithm]}, body,
            {"rsa": RSAKey, "ed": OKPKey}.get(ALGORITHMS[algorithm], ECKey).import_key(PEM[ALGORITHMS[algorithm]]),
            algorithms=[algorithm]),
    }
    for library, make in makers.items():
        for algorithm in ALGORITHMS:
            answer = grant(make(algorithm, claims()))
            check(f"{library}'s {algorithm} is exchanged", answer.status_code == 200, answer.text)
    check("the keys were fetched once", asked == 1, asked)

    answer = grant(pyjwt("RS256", claims())).json()
    check("the answer is the reference's", answer["token_type"] == "Bearer" and answer["id_token"] is None
          and answer["expires_in"] == 28800, answer)
    form = {"grant_type": (None, BEARER), "assertion": (None, pyjwt("RS256", claims()))}
    multipart = requests.post(URL + "/mobile/platform/auth/token", auth=CLIENT, files=form)
    check("a form may be multipart", multipart.status_code == 200 and multipart.json()["access_token"], multipart.text)
    multipart = requests.post(URL + "/mobile/platform/auth/token", auth=CLIENT,
                              files=list(form.items()) + [("assertion", (None, "x"))])
    check("a parameter given twice is refused there too", multipart.status_code == 400, multipart.text)
    multipart = requests.post(URL + "/mobile/platform/auth/token", auth=CLIENT,
                              files={**form, "assertion": ("token.txt", "x")})
    check("a file is no parameter", multipart.status_code == 400, multipart.text)
    cut = requests.Request("POST", URL + "/mobile/platform/auth/token", auth=CLIENT, files=form).prepare()
    cut.body = cut.body[:-30]
    cut.headers["Content-Length"] = str(len(cut.body))
    multipart = requests.Session().send(cut)
    check("a multipart form that was cut off is refused", multipart.status_code == 400, multipart.text)
    token = answer["access_token"]
    ours = requests.get(URL + "/oauth2/jwks").json()["keys"]
    decoded = jwt.decode(token, jwt.PyJWK(ours[0]).key, algorithms=["ES256"], audience=URL, issuer=URL)
    check("roles are mapped, and the issuer's are added", decoded["roles"] == ["engineers", "outside"], decoded)
    named = jwt.decode(grant(pyjwt("RS256", claims(groups=["eng", "unheard of", "administrators", "finance"]))).json()[
        "access_token"], options={"verify_signature": False})["roles"]
    check("of unmapped roles only those that are here stand in our token", named == ["engineers", "finance", "everyone", "outside"],
          named)
    check("a virtual user is shown by issuer and subject", decoded["preferred_username"] == f"virtual {ISSUER}#zoe", decoded)
    check("the token carries its backend", decoded["backend"]["id"] == secrets["backend_id"], decoded)
    me = requests.get(URL + "/mobile/platform/users/~", headers={"Authorization": "Bearer " + token})
    check("a virtual user is told who they are", me.json().get("username") == "zoe", me.text)
    people = requests.get(URL + "/scim/v2/Users?filter=userName eq \"zoe\"", headers={"Authorization": "Bearer " + token})
    check("a virtual user reads the directory, and is not in it", people.json().get("totalResults") == 0, people.text)
    write_ = requests.post(URL + "/oic_rest/rest/userprofile/people", json={"uid": "eve"},
                           headers={"Authorization": "Bearer " + token})
    check("a virtual user changes nothing", write_.status_code == 403, write_.text)

    answer = requests.get(URL + "/mobile/platform/sso/exchange-token", headers={
        "Authorization": "Bearer " + pyjwt("ES256", claims()), "Oracle-Mobile-Backend-ID": secrets["backend_id"]})
    check("exchange-token takes it as a bearer token", answer.status_code == 200, answer.text)
    answer = requests.get(URL + "/mobile/platform/sso/exchange-token",
                          headers={"Authorization": "Bearer " + pyjwt("ES256", claims())})
    check("exchange-token needs the backend", answer.status_code == 401, answer.text)
    answer = requests.post(URL + "/oauth2/token", auth=CLIENT, data={
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": pyjwt("PS256", claims()),
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "scope": "openid"})
    check("RFC 8693 does the same", answer.json().get("issued_token_type", "").endswith("access_token"), answer.text)
    answer = requests.post(URL + "/oauth2/token", auth=CLIENT, data={
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": answer.json()["access_token"],
        "subject_token_type": "urn:ietf:params:oauth:token-type:access_token", "scope": "openid directory"})
    check("a token of ours gives no more than it has", answer.json().get("error") == "invalid_scope", answer.text)

    local = lambda **more: pyjwt("RS256", claims("https://local.example.com", **more))
    answer = grant(local(sub="admin"))
    check("a local user is found by name, with a stored certificate", answer.status_code == 200, answer.text)
    decoded = jwt.decode(answer.json()["access_token"], options={"verify_signature": False})
    check("a local user keeps the directory's roles besides", "administrators" in decoded["roles"]
          and "federated" in decoded["roles"], decoded)
    check("nobody becomes a local user", grant(local(sub="stranger")).status_code == 400)
    for name in ("Admin", "adm\u0131n", "\uff41dmin"):
        check(f"'{name}' is not 'admin'", grant(local(sub=name)).status_code == 400)
    found = claims("https://discovered.example.com")
    check("discovery leads to the keys", grant(pyjwt("RS256", found)).status_code == 200)
    check("requireClientAuth false: the client's id is enough", grant(
        pyjwt("RS256", found), auth=None, client_id=CLIENT[0]).status_code == 200)
    check("requireClientAuth true: it is not", grant(
        pyjwt("RS256", claims()), auth=None, client_id=CLIENT[0]).status_code == 401)
    check("the secret may stand in the body", grant(
        pyjwt("RS256", claims()), auth=None, client_id=CLIENT[0], client_secret=CLIENT[1]).status_code == 200)

    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    attacks = {
        "another key": jwt.encode(claims(), stranger, algorithm="RS256", headers={"kid": "rsa"}),
        "an unknown kid": pyjwt("RS256", claims(), kid="../../etc/passwd"),
        "no signature": jwt.encode(claims(), None, algorithm="none"),
        "the public key as a shared secret": None,
        "an unknown issuer": pyjwt("RS256", claims("https://evil.example.com")),
        "an ended token": pyjwt("RS256", claims(exp=int(time.time()) - 120)),
        "one from the future": pyjwt("RS256", claims(iat=int(time.time()) + 600)),
        "one that has not begun": pyjwt("RS256", claims(nbf=int(time.time()) + 600)),
        "one without an end": jwt.encode({k: v for k, v in claims().items() if k != "exp"}, PEM["rsa"], "RS256"),
        "an end in text": pyjwt("RS256", claims(exp=str(int(time.time()) + 300))),
        "another audience": pyjwt("RS256", claims(aud="https://other.example.com")),
        "a critical extension": pyjwt("RS256", claims(), crit=["x"], x=1),
        "keys that are too large": pyjwt("RS256", claims("https://huge.example.com")),
        "keys that are elsewhere": pyjwt("RS256", claims("https://moved.example.com")),
        "no text at all": "", "three dots": "...", "not a token": "a" * 70000,
    }
    body = ".".join(pyjwt("RS256", claims()).split(".")[:2])
    import base64, hashlib, hmac
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "rsa"}).encode()).rstrip(b"=")
    message = header + b"." + body.split(".")[1].encode()
    secret = KEYS["rsa"].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    attacks["the public key as a shared secret"] = (message + b"." + base64.urlsafe_b64encode(
        hmac.new(secret, message, hashlib.sha256).digest()).rstrip(b"=")).decode()
    for name, token in attacks.items():
        answer = grant(token)
        check(f"refused: {name}", answer.status_code == 400 and answer.json()["error"] in
              ("invalid_grant", "invalid_request"), answer.text)
    check("our own token is no other issuer's", grant(
        requests.post(URL + "/oauth2/token", auth=CLIENT, data={"grant_type": "client_credentials"}).json().get(
            "access_token", "x.y.z")).status_code == 400)

    changed = json.loads(json.dumps(DOCUMENT))
    changed["issuers"][0]["enabled"] = False
    write(changed)
    time.sleep(1.5)
    check("an issuer that is switched off is off within its interval", grant(pyjwt("RS256", claims())).status_code == 400)
    with open(f"{WORK}/issuers.json", "w") as file:
        file.write("{ broken")
    time.sleep(1.5)
    check("a broken document leaves the last good one", grant(local(sub="admin")).status_code == 200)
    write(DOCUMENT)
    time.sleep(1.5)

    python = os.environ.get("SAML_PYTHON", sys.executable)
    if shutil.which("xmlsec1") and subprocess.run([python, "-c", "import saml2"], capture_output=True).returncode == 0:
        endpoint = URL + "/mobile/platform/sso/exchange-token"

        def saml(*words):
            return subprocess.run(
                [python, os.path.join(HERE, "saml_idp.py"), "--key", f"{WORK}/idp.key", "--cert",
                 f"{WORK}/certificates/idp.pem", "--issuer", "https://saml.example.com", "--audience", endpoint,
                 "--recipient", endpoint, "--subject", "ada", "--attribute", "groups=staff", *words],
                capture_output=True, text=True).stdout.strip()

        def bring(text):
            return requests.get(endpoint, headers={
                "Authorization": "Bearer " + text, "Oracle-Mobile-Backend-ID": secrets["backend_id"]})

        for words in [["--bare", "--gzip"], ["--bare"], [], ["--gzip"]]:
            text = saml(*words)
            answer = bring(text)
            check(f"pysaml2's assertion is exchanged {words}", answer.status_code == 200, answer.text)
            check("and only once", bring(text).status_code == 400)
        decoded = jwt.decode(answer.json().get("access_token"), options={"verify_signature": False})
        check("its attributes are roles", decoded["roles"] == ["staff"], decoded)
        check("an unsigned one is refused", bring(saml("--unsigned")).status_code == 400)
    else:
        print("skipped: SAML, since pysaml2 or xmlsec1 is not here")

    time.sleep(0.5)
    feed = requests.get(URL + "/oic_rest/rest/userprofile/changes?limit=10000&since=0",
                        auth=("admin", "correct-horse-battery-9")).text
    kinds = {element["kind"] for element in json.loads(feed)["elements"]}
    check("exchanges and refusals are in the feed", {"exchanged", "refused"} <= kinds, kinds)
    check("no secret is in the feed", CLIENT[1] not in feed and "eyJ" not in feed)
finally:
    server.terminate()
    check("the server stops with exit code 0", server.wait(20) == 0)
    provider.shutdown()
    shutil.rmtree(WORK)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
