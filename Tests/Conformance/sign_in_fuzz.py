#!/usr/bin/env python3
"""Sends hostile requests to everything that signs people in, and fails where the server ends, answers 500, or does not answer.

Usage: sign_in_fuzz.py ROSTER [SECONDS [SEED]]. Prints the seed, with which the same requests are sent again.
"""
import base64, collections, http.client, json, os, random, subprocess, sys, tempfile, time, urllib.parse

roster, seconds = os.path.abspath(sys.argv[1]), float((sys.argv + ["", ""])[2] or 15)
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
dice = random.Random(seed)
print("seed", seed, flush=True)

PASSWORD, SECRET = "correct-horse-battery-9", "s" * 32
GRANTS = ["authorization_code", "refresh_token", "client_credentials", "password"] + [
    "urn:ietf:params:oauth:grant-type:" + name for name in ["device_code", "jwt-bearer", "token-exchange"]]
PATHS = """/oauth2/authorize /oauth2/token /oauth2/introspect /oauth2/revoke /oauth2/device /oauth2/device_authorization
    /oauth2/logout /oauth2/userinfo /oauth2/provider /oauth2/callback /db/_session /db/_session/x /db/_user/admin/_session
    /db/_user/admin/_session/y /db/_oidc /db/_oidc_challenge /db/_oidc_callback /db/_oidc_refresh /db/_oidc_testing/authorize
    /db/_oidc_testing/token /db/_oidc_testing/authenticate /mobile/platform/auth/token /mobile/platform/sso/exchange-token
    /mobile/platform/users/~ /mobile/platform/users/~/totp /mobile/platform/users/~/totp/confirm
    /mobile/platform/users/~/challenge-questions /mobile/platform/users/~/challenge-questions/remove /account /account/totp
    /account/totp/confirm /account/challenge-questions /account/sessions /account/app-passwords /admin/backends
    /admin/backends/zzz /admin/keys /admin/keys/x /admin/users/admin/second-factor
    /admin/tokens /admin/tokens/x /admin/users/nobody/made
    /oic_rest/rest/jwtauthentication/authenticate /oic_rest/rest/mobilejwtauthentication/register
    /oic_rest/rest/jwtauthentication/access /oic_rest/rest/jwtauthentication/tokens/info""".split()
NAMES = """grant_type username password otp kba_answers code code_verifier redirect_uri refresh_token scope client_id
    client_secret client_assertion client_assertion_type assertion subject_token subject_token_type audience resource token
    device_code user_code response_type response_mode state nonce code_challenge code_challenge_method prompt max_age
    id_token_hint post_logout_redirect_uri request decision provider offline error iss name ttl tokenttl question0 answer0
    kbaAnswers questions clientId X-Idaas-Rest-Subject-Type X-Idaas-Rest-Subject-Username X-Idaas-Rest-Subject-Password
    X-Idaas-Rest-Subject-Value X-Idaas-Rest-New-Token-Type-To-Create X-Idaas-Rest-Application-Resource algorithm apis
    grant_types claims jwks enabled""".split()


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


TOKEN = ".".join(encoded(part) for part in [
    b'{"alg":"ES256","typ":"at+jwt"}', b'{"iss":"x","jti":"u.1.a.b","exp":9999999999}', b"x" * 64])
VALUES = GRANTS + [
    "", "a", SECRET, "admin", PASSWORD, "urn:ietf:params:oauth:token-type:access_token",
    "urn:ietf:params:oauth:token-type:saml2", "http://127.0.0.1/cb", "http://127.0.0.1:99999999/cb", "openid", "code", "S256",
    "none", "login", "form_post", "-1", "99999999999999999999", "9223372036854775807", "1e400", "\x00", "\u202e",
    "e\u0301" * 100, "x" * 5000, "%", "a.b.c", TOKEN, "<x/>", encoded(b"<x/>"),
    base64.b64encode(b"\x1f\x8b\x08garbage").decode(), "{}", "[]", '{"a":1}', "USERCREDENTIAL", "TOKEN", "CLIENTTOKEN",
    "USERTOKEN", "CLIENTREGHANDLE", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "rt_1_1_x", "test", "true", "0",
    "../../etc", "\r\nX: y", "'\";--"]


def basic(name, password):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


CREDENTIALS = [
    None, basic("admin", PASSWORD), basic("a", SECRET), basic("a", "x"), "Bearer " + TOKEN, "Bearer x", "Basic !!!",
    "Basic " + "A" * 3000, 'UIDPASSWORD cred="x"', ""]


def some_json(depth=0):
    kind = dice.randrange(9)
    if kind == 0:
        return None
    if kind == 1:
        return dice.choice([0, -1, 2**63 - 1, -2**63, 1.5, 1e300])
    if kind == 2:
        return dice.random() < 0.5
    if kind == 3 and depth < 4:
        return [some_json(depth + 1) for _ in range(dice.randrange(4))]
    if kind == 4 and depth < 4:
        return {dice.choice(NAMES): some_json(depth + 1) for _ in range(dice.randrange(4))}
    return dice.choice(VALUES)


def some_request():
    method, path = dice.choice(["GET", "POST", "POST", "PUT", "DELETE", "PATCH"]), dice.choice(PATHS)
    pairs = [(dice.choice(NAMES), dice.choice(VALUES)) for _ in range(dice.randrange(8))]
    if dice.random() < 0.5:
        pairs = list(dict(pairs).items())
    headers, credentials = {}, dice.choice(CREDENTIALS)
    if credentials is not None:
        headers["Authorization" if dice.random() < 0.8 else "X-IDAAS-REST-AUTHORIZATION"] = credentials
    if dice.random() < 0.2:
        name = dice.choice(VALUES).encode("ascii", "ignore").decode()
        headers["Oracle-Mobile-Backend-ID"] = "".join(one for one in name if one.isprintable())
    if dice.random() < 0.2:
        value = dice.choice(["x", "y" * 43])
        headers["Cookie"] = f"SyncGatewaySession={value}; sg-oidc-state=abc; roster_session=zz; roster_visit={'v' * 43}"
    if method == "GET":
        return method, path + "?" + urllib.parse.urlencode(pairs), None, headers
    kind = dice.randrange(4)
    if kind == 0:
        body, media = urllib.parse.urlencode(pairs).encode(), "application/x-www-form-urlencoded"
    elif kind == 1:
        body, media = json.dumps({dice.choice(NAMES): some_json() for _ in range(dice.randrange(6))}).encode(), "application/json"
    elif kind == 2:
        body = dice.randbytes(dice.randrange(200))
        media = dice.choice(["application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain"])
    else:
        parts = [f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in pairs]
        body, media = ("".join(parts) + dice.choice(["--x--\r\n", "--x", ""])).encode(), "multipart/form-data; boundary=x"
    return method, path, body, {**headers, "Content-Type": media}


with tempfile.TemporaryDirectory() as folder:
    def write(name, content):
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)

    write("password", PASSWORD + "\n")
    write("seed.json", json.dumps({"people": [{"uid": "u1"}], "backends": [{
        "name": "a", "client_id": "a", "client_secret": SECRET, "grant_types": GRANTS, "sso": True,
        "redirect_uris": ["http://127.0.0.1/cb"], "scope": "openid profile directory offline_access"}]}))
    write("issuers.json", json.dumps({"issuers": [{"issuerName": "https://i", "certificateSubjectNames": ["CN=x"]}]}))
    server = subprocess.Popen(
        [roster, "serve", "--in-memory", "--seed", "seed.json", "--listen", "127.0.0.1:0", "--admin-password-file",
         "password", "--test-provider", "--issuers", "issuers.json", "--quiet"],
        cwd=folder, stdout=subprocess.PIPE, text=True)
    faults, statuses = [], collections.Counter()
    try:
        address = next(line for line in server.stdout if "serves" in line).split("/")[-1].strip()
        connection = http.client.HTTPConnection(address, timeout=30)
        end = time.monotonic() + seconds
        while time.monotonic() < end and len(faults) < 20:
            request = some_request()
            try:
                connection.request(request[0], request[1], request[2], request[3])
                answer = connection.getresponse()
                status, body = answer.status, answer.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                connection = http.client.HTTPConnection(address, timeout=30)
                status, body = type(error).__name__, b""
                if server.poll() is not None or isinstance(error, TimeoutError):
                    faults.append((status, server.poll(), request))
                    break
            statuses[status] += 1
            # What a provider refuses is answered so, as Sync Gateway does.
            if status == 500 and "_oidc_refresh" not in request[1] and "_oidc_callback" not in request[1]:
                faults.append((status, body[:300], request))
        connection.close()
    finally:
        server.terminate()
        server.wait(30)

print(f"{sum(statuses.values())} requests, {dict(statuses)}")
for fault in faults:
    print("FAILED", fault)
if faults or statuses.total() < 100:
    sys.exit(1)
