#!/usr/bin/env python3
"""Runs a server from the page in headless Chromium: settings, imports, exports and figures, on a server that serves Seeds/company.json
in memory. The environment is that of browser.py."""
import glob, os, subprocess, tempfile

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


@test("A provider is added with its secret, changed without it, and removed; a wrong entry is told")
def _():
    go("#admin/providers")
    fill("#new-providers-name", "work")
    fill("#new-providers-entry", "{ no json")
    inside("#new-providers", "Add").click()
    until(lambda: "no JSON" in told("#new-providers"), "the refusal")
    fill("#new-providers-entry", '{"issuer": 5}')
    inside("#new-providers", "Add").click()
    until(lambda: "issuer" in told("#new-providers"), "the server's refusal")
    fill("#new-providers-entry", '{"issuer": "https://accounts.example.com", "client_id": "roster"}')
    fill("#new-providers-secret", "known to the provider")
    network(True)
    inside("#new-providers", "Add").click()
    until(lambda: "cannot be reached" in told("#new-providers"), "the failure")
    network(False)
    inside("#new-providers", "Add").click()
    until(lambda: every("[aria-label='Remove work']"), "the provider")
    assert "with a secret" in text() and "known to the provider" not in driver.page_source
    one("[aria-labelledby=providers] summary").click()
    fill("#providers-0", '{"issuer": "https://accounts.example.com", "client_id": "other"}')
    inside("[aria-labelledby=providers] li", "Save").click()
    until(lambda: told("[aria-labelledby=providers] li") == "Saved.", "the answer")
    assert listed("providers", "work")["entry"]["client_id"] == "other" and listed("providers", "work")["has_secret"]
    assert not flaws(), flaws()
    remove("Remove work")
    until(lambda: not every("[aria-label='Remove work']"), "no provider")
    assert listed("providers", "work") is None


@test("An issuer and a certificate are added and removed")
def _():
    go("#admin/issuers")
    Select(one("#new-issuers-type")).select_by_value("saml")
    assert "certificateSubjectNames" in one("#new-issuers-entry").get_attribute("value")
    Select(one("#new-issuers-type")).select_by_value("jwt")
    inside("#new-issuers", "Add").click()
    until(lambda: every("[aria-label='Remove https://idp.example.com']"), "the issuer")
    assert listed("issuers", "https://idp.example.com")["type"] == "jwt"
    pem = os.path.join(folder, "idp.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=idp.example.com",
                    "-keyout", os.path.join(folder, "idp.key"), "-out", pem], check=True, stderr=subprocess.DEVNULL)
    fill("#certificate-name", "idp")
    fill("#certificate-text", "no certificate")
    inside("#new-certificate", "Add").click()
    until(lambda: "PEM" in told("#new-certificate"), "the refusal")
    with open(pem) as file:
        fill("#certificate-text", file.read())
    inside("#new-certificate", "Add").click()
    until(lambda: "CN=idp.example.com" in text("[aria-labelledby=certificates]"), "the certificate")
    picture("operation-issuers-filled", whole=True)
    assert not flaws() and fits(), flaws()
    remove("Remove the certificate idp")
    until(lambda: not every("[aria-label='Remove the certificate idp']"), "no certificate")
    remove("Remove https://idp.example.com")
    until(lambda: not every("[aria-label='Remove https://idp.example.com']"), "no issuer")


@test("Policies act at once, wrong values are told, and each goes back to the standard")
def _():
    go("#admin/policies")
    fill("#policy-Security_TokenExchangeTimeoutSecs", "soon")
    inside("#policy-Security_TokenExchangeTimeoutSecs-form", "Save").click()
    until(lambda: told("#policy-Security_TokenExchangeTimeoutSecs-form"), "the refusal")
    fill("#policy-Security_TokenExchangeTimeoutSecs", "600")
    inside("#policy-Security_TokenExchangeTimeoutSecs-form", "Save").click()
    until(lambda: "Changed" in text("#policy-Security_TokenExchangeTimeoutSecs-form") or "changed" in text("#policy-Security_TokenExchangeTimeoutSecs-form"), "the policy")
    assert listed("policies", "Security_TokenExchangeTimeoutSecs")["value"] == 600
    fill("#policy-Security_AllowOrigin", "https://*.example.com")
    inside("#policy-Security_AllowOrigin-form", "Save").click()
    until(lambda: every("[aria-label^='Back to the standard: Web pages']"), "the policy")
    assert listed("policies", "Security_AllowOrigin")["value"] == "https://*.example.com"
    for label in ["Web pages", "Lifetime"]:
        one(f"[aria-label^='Back to the standard: {label}']").click()
        until(lambda: not every(f"[aria-label^='Back to the standard: {label}']"), label)
    assert listed("policies", "Security_AllowOrigin")["source"] == "standard"


@test("A file is tried, shown as a difference, and imported; a wrong file changes nothing")
def _():
    go("#admin/files")
    good = write("hr.csv", "Login;First name;Hired;Boss\nvera.neu;Vera;1.3.2026;uwe.gross@nordwind.example\nemma.mueller;Emma;15.6.2020;\n")
    bad = write("bad.csv", "Login;First name;Hired;Boss\nvera.neu;Vera;31.2.2026;\n")
    one("#import-file").send_keys(bad)
    fill("#import-maps", "uid=Login\ngivenName=First name\nhireDate=Hired\nmanager=Boss")
    Select(one("#import-managers")).select_by_value("mail")
    fill("#import-dates", "DD.MM.YYYY")
    inside("#import", "Show").click()
    until(lambda: "line 2" in text() and "31.2.2026" in text(), "the refusal")
    assert not one("#import ~ .actions button").is_displayed()
    one("#import-file").send_keys(good)
    inside("#import", "Show").click()
    until(lambda: "New: vera.neu" in text("#import-report"), "the difference")
    assert "manager: uwe.gross" in text("#import-report") and "Changed: emma.mueller" in text("#import-report")
    assert request("GET", "/forms/vera.neu")[0] == 404
    picture("operation-import", whole=True)
    assert not flaws() and fits(), flaws()
    fill("#import-scope", 'department eq "Sales"')
    assert not one("#import ~ .actions button").is_displayed(), "another option needs another preview"
    inside("#import", "Show").click()
    until(lambda: "may be disabled" in text(), "the limit")
    fill("#import-most", "50")
    inside("#import", "Show").click()
    until(lambda: "Disabled: " in text("#import-report"), "the leavers")
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
    driver.execute_script("document.querySelector('#import-maps').focus()")
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
