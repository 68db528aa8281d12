#!/usr/bin/env python3
"""Runs a server from the page in headless Chromium: settings, imports, exports and figures, on a server that serves Seeds/company.json
in memory. The environment is that of browser.py."""
import glob, http.server, json, os, subprocess, tempfile, threading

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser import (
    driver, enter, every, fill, fits, flaws, give_password, go, network, one, picture, request, run, size, test, text, until)

VIEWS = ["issuers", "providers", "policies", "files", "server"]
folder = tempfile.mkdtemp()


def inside(form, label):
    return next(one for one in every(f"{form} button, {form} summary") if one.text.startswith(label))


def told(form):
    return text(f"{form} .result")


def listed(collection, name):
    return next((one for one in request("GET", f"/admin/{collection}")[1][collection] if one["name"] == name), None)


def remove(label):
    node = one(f"[aria-label='{label}']")
    node.click()
    assert "Really" in node.text, node.text
    node.click()


def write(name, content):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
    return path


@test("Every view fits in both widths, is right to left too, and has no flaw in either scheme of colours")
def _():
    size(1400)
    enter(view="people")
    for name in VIEWS:
        go(f"#admin/{name}")
        until(lambda: every("#view h2"), name)
        assert every("#menu [aria-current=page]")
        assert not flaws(), (name, flaws())
        assert fits(), name
        driver.execute_script("document.documentElement.dir = 'rtl'")
        assert fits(), f"{name}, right to left"
        driver.execute_script("document.documentElement.dir = 'ltr'")
        picture(f"operation-{name}", whole=True)


class Issuer(http.server.BaseHTTPRequestHandler):
    """A provider whose discovery document and keys are right, until `broken` says what is not."""
    broken = ""

    def do_GET(self):
        base = f"http://127.0.0.1:{self.server.server_port}"
        answer = {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]} if self.path == "/keys" else {
            "issuer": base + ("/other" if Issuer.broken == "issuer" else ""), "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token", "jwks_uri": base + "/keys"}
        self.send_response(500 if Issuer.broken == self.path else 200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


@test("A provider is tested, which says what is wrong; added with its secret, changed without it, and removed")
def _():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Issuer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    issuer = f"http://127.0.0.1:{server.server_port}"
    go("#admin/providers?new=work")
    inside("#new-providers", "Add").click()
    assert "needed" in text("#new-providers-issuer-mistake") and "needed" in text("#new-providers-client_id-mistake"), "all mistakes at once"
    fill("#new-providers-issuer", issuer)
    fill("#new-providers-client_id", "roster")
    fill("#new-providers-validation_key", "known to the provider")
    # The mistakes go a moment later, and the button moves then.
    until(lambda: not text("#new-providers-issuer-mistake") and not text("#new-providers-client_id-mistake"), "no mistake")
    for broken, expected in [("issuer", "is of the issuer"), ("/keys", "status 500"), ("", "✓ Keys")]:
        Issuer.broken = broken
        inside("#new-providers", "Test").click()
        until(lambda: expected in text(".test"), expected)
    assert not flaws() and fits(), flaws()
    network(True)
    inside("#new-providers", "Add").click()
    until(lambda: "cannot be reached" in told("#new-providers"), "the failure")
    network(False)
    inside("#new-providers", "Add").click()
    until(lambda: text("#view h1") == "Sign-in" and "with a secret" in text(), "the provider")
    assert "known to the provider" not in driver.page_source
    go("#admin/providers?entry=oidc/work")
    fill("#entry-client_id", "other")
    inside("#entry", "Save").click()
    until(lambda: listed("providers", "work")["entry"]["client_id"] == "other" and listed("providers", "work")["has_secret"], "the change")
    until(lambda: "is saved" in text("#toasts"), "the answer")
    go("#admin/providers?entry=oidc/work")
    fill("#entry-issuer", "http://far.example.com")
    fill("#entry-validation_key", "another")
    inside("#entry", "Save").click()
    until(lambda: text("#entry-issuer-mistake"), "the server's refusal beside the field")
    fill("#entry-issuer", issuer)
    fill("#entry-validation_key", "")
    inside("#entry", "Save").click()
    until(lambda: not every("#entry-issuer-mistake:not([hidden])"), "the answer")
    go("#admin/providers?entry=oidc/work")
    remove("Remove work")
    until(lambda: text("#view h1") == "Sign-in", "the list")
    assert listed("providers", "work") is None
    go("#admin/providers?new=microsoft")
    fill("#new-providers-tenant", "1234")
    fill("#new-providers-client_id", "roster")
    inside("#new-providers", "Add").click()
    until(lambda: listed("providers", "microsoft"), "the provider")
    assert listed("providers", "microsoft")["entry"] == {"issuer": "https://login.microsoftonline.com/1234/v2.0", "client_id": "roster"}
    request("DELETE", "/admin/providers/oidc/microsoft")


@test("A SAML issuer comes with its certificate from its metadata; an issuer and a certificate are added and removed")
def _():
    pem = os.path.join(folder, "idp.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=idp.example.com",
                    "-keyout", os.path.join(folder, "idp.key"), "-out", pem], check=True, stderr=subprocess.DEVNULL)
    with open(pem) as file:
        certificate = file.read()
    go("#admin/issuers?new=saml")
    fill("#metadata", "<a/>")
    inside("#metadata-form", "Read").click()
    until(lambda: "no metadata" in told("#metadata-form"), "the refusal")
    base64 = "".join(certificate.split("\n")[1:-2])
    one("#metadata-file").send_keys(write("idp.xml", f"""<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com/saml">
        <IDPSSODescriptor><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>
        <X509Certificate>{base64}</X509Certificate></X509Data></KeyInfo></KeyDescriptor></IDPSSODescriptor></EntityDescriptor>"""))
    until(lambda: "idp.example.com" in one("#metadata").get_attribute("value"), "the file")
    inside("#metadata-form", "Read").click()
    until(lambda: one("#new-issuers-certificateSubjectNames").get_attribute("value") == "CN=idp.example.com", "the certificate")
    inside("#new-issuers", "Test").click()
    until(lambda: "is good until" in text(".test"), "the test")
    inside("#new-issuers", "Add").click()
    until(lambda: listed("issuers", "https://idp.example.com/saml"), "the issuer")
    until(lambda: "CN=idp.example.com" in text("[aria-labelledby=certificates]"), "the certificate")
    fill("#certificate-name", "other")
    fill("#certificate-text", "no certificate")
    inside("#new-certificate", "Add").click()
    until(lambda: "PEM" in told("#new-certificate"), "the refusal")
    fill("#certificate-text", certificate)
    inside("#new-certificate", "Add").click()
    until(lambda: every("[aria-label='Remove the certificate other']"), "the other certificate")
    assert not flaws() and fits(), flaws()
    for name in ["other", "idp.example.com"]:
        remove(f"Remove the certificate {name}")
        until(lambda: not every(f"[aria-label='Remove the certificate {name}']"), "no certificate")
    go("#admin/issuers?entry=saml/https%3A%2F%2Fidp.example.com%2Fsaml")
    remove("Remove https://idp.example.com/saml")
    until(lambda: text("#view h1") == "Sign-in", "the list")
    assert listed("issuers", "https://idp.example.com/saml") is None
    go("#admin/issuers?new=github")
    inside("#new-issuers", "Add").click()
    until(lambda: listed("issuers", "https://token.actions.githubusercontent.com"), "the issuer")
    assert listed("issuers", "https://token.actions.githubusercontent.com")["type"] == "jwt"
    request("DELETE", "/admin/issuers/jwt/https%3A%2F%2Ftoken.actions.githubusercontent.com")


@test("Policies are saved as one, wrong values are told beside their fields, and an empty field is the default")
def _():
    seconds, origins = "#policies-form-Security_TokenExchangeTimeoutSecs", "#policies-form-Security_AllowOrigin"
    go("#admin/policies")
    fill(seconds, "soon")
    inside("#policies-form", "Save").click()
    assert "whole number" in text(seconds + "-mistake")
    fill(seconds, "600")
    fill(origins, "*")
    inside("#policies-form", "Save").click()
    until(lambda: text(origins + "-mistake"), "the server's refusal beside the field")
    assert listed("policies", "Security_TokenExchangeTimeoutSecs")["source"] == "standard", "all or nothing"
    fill(origins, "https://*.example.com")
    fill("#policies-form-token_settings-access_token_expiry", "5")
    inside("#policies-form", "Save").click()
    until(lambda: listed("policies", "Security_TokenExchangeTimeoutSecs")["value"] == 600, "the policies")
    assert listed("policies", "Security_AllowOrigin")["value"] == "https://*.example.com" and listed("policies", "token_settings")["value"] == {"access_token_expiry": 5}
    until(lambda: "are saved" in text("#toasts"), "the answer")
    fill("#policies-form-sign_in_days", "90")
    inside("#policies-form", "Save").click()
    until(lambda: "Delete what is older?" in text("dialog"), "the question")
    inside("dialog", "Delete").click()
    until(lambda: request("GET", "/admin/retention")[1]["sign_in_days"] == 90, "the retention")
    go("#admin/policies")
    for field in [seconds, origins, "#policies-form-token_settings-access_token_expiry"]:
        fill(field, "")
    inside("#policies-form", "Save").click()
    until(lambda: listed("policies", "Security_AllowOrigin")["source"] == "standard", "the standard")
    assert {listed("policies", name)["source"] for name in ["token_settings", "Security_TokenExchangeTimeoutSecs"]} == {"standard"}


def differences():
    return [[cell.text for cell in row.find_elements("css selector", "td, th")] for row in every("#differences tbody tr")]


@test("A file is tried, shown as a difference, and imported; a wrong file changes nothing")
def _():
    go("#admin/files")
    good = write("hr.csv", "Login;First name;Hired;Boss\nvera.neu;Vera;1.3.2026;uwe.gross@nordwind.example\nemma.mueller;Emma;15.6.2020;\n")
    bad = write("bad.csv", "Login;First name;Hired;Boss\nvera.neu;Vera;31.2.2026;\n")
    one("#import-file").send_keys(bad)
    until(lambda: len(every("#import-columns tbody tr")) == 4, "the columns")
    assert [Select(one).first_selected_option.get_attribute("value") for one in every("#import-columns select")] == ["uid", "givenName", "hireDate", "manager"]
    assert "uwe.gross" not in text("#import-columns") and "31.2.2026" in text("#import-columns"), "samples"
    inside("#import", "More").click()
    Select(one("#import-managers")).select_by_value("mail")
    fill("#import-dates", "DD.MM.YYYY")
    inside("#import", "Show").click()
    until(lambda: "line 2" in text() and "31.2.2026" in text(), "the refusal")
    assert not one("#import ~ .actions button").is_displayed()
    one("#import-file").send_keys(good)
    inside("#import", "Show").click()
    until(lambda: ["New", "vera.neu", "Manager", "", "uwe.gross"] in differences(), "the difference")
    assert any(one[:3] == ["Changed", "emma.mueller", "Hire date"] and one[4] == "2020-06-15" for one in differences())
    Select(one("#report-kind")).select_by_value("modified")
    assert {one[0] for one in differences()} == {"Changed"}
    inside("#import-report", "Save the report").click()
    assert request("GET", "/forms/vera.neu")[0] == 404
    picture("operation-import", whole=True)
    assert not flaws() and fits(), flaws()
    fill("#import-scope", 'department eq "Sales"')
    assert not one("#import ~ .actions button").is_displayed(), "another option needs another preview"
    inside("#import", "Show").click()
    until(lambda: "may be disabled" in text(), "the limit")
    fill("#import-most", "50")
    inside("#import", "Show").click()
    until(lambda: any(one[0] == "Disabled" for one in differences()), "the leavers")
    one("#import-scope").clear()
    fill("#import-most", "")
    inside("#import", "Show").click()
    until(lambda: one("#import ~ .actions button").is_displayed(), "the button")
    network(True)
    one("#import ~ .actions button").click()
    until(lambda: "cannot be reached" in text(), "the failure")
    network(False)
    one("#import ~ .actions button").click()
    until(lambda: "Imported: 1 new" in text("#import-report"), "the report")
    assert request("GET", "/forms/vera.neu")[0] == 200


@test("The directory is downloaded in each format")
def _():
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
    go("#admin/files")
    for name, beginning in [("csv", "uid,"), ("ldif", "version"), ("json", "{")]:
        Select(one("#export-format")).select_by_value(name)
        inside("#export", "Download").click()
        path = os.path.join(folder, f"roster.{name}")
        until(lambda: os.path.exists(path) and not glob.glob(os.path.join(folder, "*.crdownload")), name)
        with open(path, encoding="utf-8") as file:
            content = file.read()
        assert content.startswith(beginning) and "vera.neu" in content, content[:100]


@test("The figures of the server are shown with their units, and read again")
def _():
    go("#admin/server")
    shown = text("[aria-labelledby=server]")
    for name in ["Answered", "Time for an answer, on average", "wrong name or password", "People", "Age of the signing key"]:
        assert name in shown, name
    assert " ms" in shown
    network(True)
    inside("[aria-labelledby=server]", "Read again").click()
    until(lambda: "cannot be reached" in told("[aria-labelledby=server]"), "the failure")
    network(False)
    inside("[aria-labelledby=server]", "Read again").click()
    until(lambda: "Read at" in told("[aria-labelledby=server]"), "the answer")


@test("By the keyboard alone, a file is chosen, tried and imported")
def _():
    go("#admin/files")
    one("#import-file").send_keys(write("keys.csv", "uid\nkeyboard.only\n"))
    driver.execute_script("document.querySelector('#import-preset').focus()")
    for _ in range(30):
        if driver.execute_script("return document.activeElement.type") == "submit":
            break
        driver.switch_to.active_element.send_keys(Keys.TAB)
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: one("#import ~ .actions button").is_displayed(), "the preview")
    for _ in range(10):
        if driver.execute_script("return document.activeElement.textContent") == "Import now":
            break
        driver.switch_to.active_element.send_keys(Keys.TAB)
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: "Imported: 1 new" in text("#import-report"), "the report")


@test("Nobody but administrators sees these views or is answered")
def _():
    give_password("emma.mueller", "quiet rivers in spring")
    enter("emma.mueller", "quiet rivers in spring")
    assert not one("#administration").is_displayed()
    for name in VIEWS:
        go(f"#admin/{name}")
        until(lambda: text("#view h1") == "This is not for you.", name)
        assert not every("#view form"), name


run("operation_test")
