#!/usr/bin/env python3
"""Looks after one's own account in headless Chromium, on a server that serves Seeds/company.json. The environment is that of
browser.py. Needs Debian's zbar-tools, which reads the QR code."""
import base64, hashlib, hmac, json, os, struct, subprocess, tempfile, time, urllib.error, urllib.parse

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import (
    BASE, PASSWORD, SHOTS, USER, button, driver, enter, every, fill, fits, flaws, focus, give_password, go, identifier, network, one,
    picture, request, run, scim, session, sign_in, size, test, text, until)

NAME, FIRST, SECOND = "emma.mueller", "green apples on a shelf", "yellow pears in a bowl"
state = {}


def code(secret, step=0):
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30 + step), hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start:start + 4])[0] & 0x7fffffff) % 1_000_000:06}"


def part(title):
    return next(one for one in every("section") if one.find_element(By.TAG_NAME, "h2").text == title)


def inside(title, label):
    return next(one for one in part(title).find_elements(By.CSS_SELECTOR, "button, summary") if one.text.startswith(label))


def result(title):
    return " ".join(one.text for one in part(title).find_elements(By.CSS_SELECTOR, ".result"))


@test("A user signs in, and finds the own account from the page")
def _():
    size(1400)
    give_password(NAME, FIRST)
    enter(NAME, FIRST)
    one("nav a[href='#account']").click()
    until(lambda: text("#view h1") == "My account", "the account")
    for title in ["Profile", "Photo", "Password", "Second factor", "Challenge questions", "Where I am signed in", "Apps that act for me", "App passwords", "Last sign-ins", "My data"]:
        assert part(title)
    until(lambda: "this one" in part("Where I am signed in").text and "Chrome on Linux" in part("Where I am signed in").text, "this session")
    assert "Signed in" in part("Last sign-ins").text
    picture("account", whole=True)
    assert fits() and not flaws(), flaws()


@test("The profile has the fields that are the user's own, and keeps what is saved")
def _():
    assert every("#own-nickName") and not every("#own-title") and not every("#own-mail")
    fill("#own-nickName", "Emmi <b>")
    fill("#own-languages", "de\nen")
    inside("Profile", "Save").click()
    until(lambda: result("Profile") == "Saved.", "the answer")
    status, user = request("GET", f"/forms/{NAME}")
    values = {one["name"]: one["value"] for one in user["attributes"]}
    assert values["nickName"] == "Emmi <b>" and values["languages"] == ["de", "en"], values
    fill("#own-languages", "")
    inside("Profile", "Save").click()
    until(lambda: result("Profile") == "Saved.", "the answer")
    inside("Profile", "Save").click()
    until(lambda: result("Profile") == "Nothing was changed.", "the answer")


@test("What somebody else changed meanwhile is not overwritten")
def _():
    status, _ = request("PUT", f"/forms/{NAME}", {"nickName": "Other"})
    assert status == 200
    fill("#own-nickName", "Mine")
    inside("Profile", "Save").click()
    until(lambda: "Somebody else changed this meanwhile" in text("dialog"), "the question")
    assert [cell.text for cell in every("#conflict tbody tr > *")] == [
        "Nickname", "Emmi <b>", "Nickname, saved meanwhile:\nOther", "Nickname, yours:\nMine"] and not flaws(), flaws()
    button("Save these", "dialog").click()
    until(lambda: "The form shows what Somebody else saved." in result("Profile"), "their value")
    assert one("#own-nickName").get_attribute("value") == "Other"


@test("A wrong value is told, and the form stays")
def _():
    assert request("PUT", "/admin/attributes/languages", {"maximum_length": 5})[0] == 200
    try:
        fill("#own-languages", "Plattdeutsch")
        inside("Profile", "Save").click()
        until(lambda: "at most 5 characters" in result("Profile"), "the refusal")
        assert one("#own-languages").get_attribute("value") == "Plattdeutsch"
    finally:
        request("PUT", "/admin/attributes/languages", {"maximum_length": None})
    go("#account")


@test("A connection that is lost is told, and the form stays")
def _():
    fill("#own-nickName", "Later")
    network(True)
    inside("Profile", "Save").click()
    until(lambda: "cannot be reached" in result("Profile"), "the failure")
    network(False)
    assert one("#own-nickName").get_attribute("value") == "Later"
    inside("Profile", "Save").click()
    until(lambda: result("Profile") == "Saved.", "the answer")


@test("A photo is cut to a square, shown, and removed; a file that is no picture is refused")
def _():
    folder = tempfile.mkdtemp()
    with open(f"{folder}/no.jpg", "w") as file:
        file.write("<html>")
    driver.get_screenshot_as_file(f"{folder}/wide.png")
    go("#account")
    one("#photo-file").send_keys(f"{folder}/no.jpg")
    until(lambda: "no picture" in result("Photo"), "the refusal")
    one("#photo-file").send_keys(f"{folder}/wide.png")
    until(lambda: every("#photo-zoom"), "the preview")
    one("#photo-zoom").send_keys(Keys.ARROW_RIGHT * 5)
    inside("Photo", "Save the photo").click()
    until(lambda: result("Photo") == "Saved.", "the answer")
    go("#me")
    until(lambda: every(".badge img"), "the photo in the profile")
    assert driver.execute_script("return document.querySelector('.badge img').naturalWidth") == 256
    picture("photo")
    go("#account")
    inside("Photo", "Remove").click()
    until(lambda: result("Photo") == "Removed.", "the answer")
    go("#me")
    time.sleep(0.5)
    assert not every(".badge img") and text(".badge") == "EM"


@test("The password is changed with the old one, and ends what was signed in")
def _():
    go("#account")
    def change(old, new, again):
        for field, value in [("#old-password", old), ("#new-password", new), ("#repeated-password", again)]:
            fill(field, value)
        inside("Password", "Change the password").click()
    change(FIRST, SECOND, SECOND + "x")
    until(lambda: "not the same" in result("Password"), "two different passwords")
    change("not the old one", SECOND, SECOND)
    until(lambda: "old password is wrong" in result("Password"), "a wrong old one")
    change(FIRST, "emma.mueller", "emma.mueller")
    until(lambda: "password" in result("Password").lower() and "wrong" not in result("Password"), "one that the policy refuses")
    change(FIRST, SECOND, SECOND)
    until(lambda: one("#enter").is_displayed() and "password is changed" in text("#notice"), "the entry")
    one("#sign-in").click()
    sign_in(NAME, FIRST)
    until(lambda: "wrong" in text("[role=alert]"), "the old password")
    sign_in(NAME, SECOND)
    until(lambda: text("#view h1") == "Hello, Emma", "the new password")


@test("An authenticator app is set up by its QR code, and asked for in a second step")
def _():
    go("#account")
    inside("Second factor", "Set up").click()
    until(lambda: every(".qr"), "the code")
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        one(".qr").screenshot(file.name)
        read = subprocess.run(["zbarimg", "-q", "--raw", file.name], capture_output=True, text=True).stdout.strip()
    address = urllib.parse.urlparse(read)
    state["secret"] = urllib.parse.parse_qs(address.query)["secret"][0]
    assert address.scheme == "otpauth" and state["secret"] == text("#totp-secret").replace(" ", ""), read
    picture("second-factor", whole=True)
    assert fits() and not flaws()
    fill("#totp-code", "000000")
    inside("Second factor", "Turn it on").click()
    until(lambda: "wrong" in result("Second factor"), "a wrong code")
    fill("#totp-code", code(state["secret"]))
    inside("Second factor", "Turn it on").click()
    until(lambda: every("#recovery-codes li"), "the recovery codes")
    state["recovery"] = [one.text for one in every("#recovery-codes code")]
    assert len(state["recovery"]) == 10
    driver.delete_all_cookies()
    driver.get(BASE + "/?again#account")
    sign_in(NAME, SECOND)
    until(lambda: every("#otp") and not every("#password"), "the second step, without the password")
    if SHOTS:
        driver.save_screenshot(os.path.join(SHOTS, "second-step.png"))
    assert not flaws(), flaws()
    fill("#otp", "000000")
    one("form button").click()
    until(lambda: "wrong" in text("[role=alert]"), "a wrong code")
    fill("#otp", state["recovery"][0])
    one("form button").click()
    until(lambda: text("#view h1") == "My account" and "9 recovery codes" in part("Second factor").text, "the account")


@test("The authenticator app is removed with a code")
def _():
    fill("#remove-code", "no code")
    inside("Second factor", "Remove the app").click()
    until(lambda: "wrong" in result("Second factor"), "the refusal")
    fill("#remove-code", state["recovery"][1])
    inside("Second factor", "Remove the app").click()
    until(lambda: "Set up an authenticator app" in part("Second factor").text, "none is set up")


@test("Challenge questions are set up, asked in the second step, and removed with their answers")
def _():
    inside("Challenge questions", "Set up").click()
    for index, (question, reply) in enumerate([("The name of my first boat?", "Seagull of Sund"), ("Where did the bicycle stand?", "Behind the mill")]):
        fill(f"#question-{index}", question)
        fill(f"#reply-{index}", reply)
    inside("Challenge questions", "Save the questions").click()
    until(lambda: every("#answer-0"), "the questions")
    driver.delete_all_cookies()
    driver.get(BASE + "/oauth2/sign-in?view=account")
    sign_in(NAME, SECOND)
    until(lambda: every("#answer1"), "the questions in the second step")
    fill("#answer0", "Seagull of Sund")
    fill("#answer1", "Behind the mill")
    one("form button").click()
    until(lambda: every("#answer-1"), "the account")
    fill("#answer-0", "Seagull of Sund")
    fill("#answer-1", "Behind the mill")
    inside("Challenge questions", "Remove").click()
    until(lambda: "Set up challenge questions" in part("Challenge questions").text, "none are set up")


@test("Another session is ended from the account, and all others at once")
def _():
    go("#account")
    inside("Where I am signed in", "End all others").click()
    until(lambda: len(part("Where I am signed in").find_elements(By.TAG_NAME, "li")) == 1, "this session alone")
    opener = session(NAME, SECOND, "Mozilla/5.0 (Windows NT 10.0) Firefox/130.0")
    assert opener.open(BASE + "/scim/v2/Me").status == 200
    go("#account")
    until(lambda: len(part("Where I am signed in").find_elements(By.TAG_NAME, "li")) == 2, "two sessions")
    inside("Where I am signed in", "End this one").click()
    until(lambda: len(part("Where I am signed in").find_elements(By.TAG_NAME, "li")) == 1, "one session")
    try:
        opener.open(BASE + "/scim/v2/Me")
        raise AssertionError("the ended session is still good")
    except urllib.error.HTTPError as error:
        assert error.code == 401


@test("An app password is made, shown once with its end, listed with its last use, and removed")
def _():
    enter(NAME, SECOND, view="account")
    inside("App passwords", "Make an").click()
    fill("#new-app-password-name", "Address book")
    fill("#new-app-password-days", "0")
    inside("App passwords", "Make it").click()
    assert "from 1 to" in text("#new-app-password-days-mistake")
    fill("#new-app-password-days", "30")
    inside("App passwords", "Make it").click()
    until(lambda: every("#app-password"), "the app password")
    assert "shown only once" in part("App passwords").text and "It ends" in part("App passwords").text and not flaws() and fits(), flaws()
    secret = text("#app-password")
    go("#account")
    until(lambda: "Address book" in part("App passwords").text and "never used" in part("App passwords").text, "the list")
    assert secret not in driver.page_source
    for _ in range(2):
        one("[aria-label='Remove the app password Address book']").click()
    until(lambda: "There is none." in part("App passwords").text, "no app password")


@test("An old sign-in is asked for the password again where it matters")
def _():
    # A session that an administrator began for the user is no proof of the user's presence.
    status, session = request("POST", "/db/_session", {"name": NAME})
    assert status == 200, session
    driver.delete_all_cookies()
    driver.get(BASE + "/")
    driver.add_cookie({"name": session["cookie_name"], "value": session["session_id"], "path": "/"})
    driver.get(BASE + "/?old#account")
    until(lambda: "confirm your password" in text(), "the note")
    inside("Second factor", "Set up").click()
    until(lambda: "Confirm your password" in text("#notice"), "the question")
    one("#notice a").click()
    until(lambda: every("#password"), "the form")
    driver.delete_all_cookies()


@test("Everything that is kept about a user comes in one document")
def _():
    status, data = request("GET", "/account/export", who=(NAME, SECOND))
    assert status == 200
    assert data["profile"]["uid"] == NAME and data["manager"] == "haruka.ito" and "everyone" in data["roles"], data
    assert any(change["kind"] == "signedIn" for change in data["changes"]) and any(change["kind"] == "modified" for change in data["changes"])
    assert SECOND not in json.dumps(data) and "argon2" not in json.dumps(data)


@test("A page of another origin gets nothing by the session of the sign-in pages")
def _():
    enter(NAME, SECOND)
    cookie = next(one for one in driver.get_cookies() if "roster_session" in one["name"])
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax"
    import urllib.request
    def status(**headers):
        question = urllib.request.Request(BASE + "/scim/v2/Me", headers={"Cookie": f"{cookie['name']}={cookie['value']}", **{name.replace("_", "-"): value for name, value in headers.items()}})
        try:
            return urllib.request.urlopen(question).status
        except urllib.request.HTTPError as error:
            return error.code
    assert status() == 200 and status(Sec_Fetch_Site="same-origin", Origin=BASE) == 200
    assert status(Origin="https://elsewhere.example") == 400 and status(Sec_Fetch_Site="cross-site") == 400
    assert status(Sec_Fetch_Site="same-site") == 400


@test("The browser has nothing to complain about")
def _():
    expected = ["status of 400", "status of 401", "status of 403", "status of 404", "status of 412", "status of 429", "ERR_INTERNET_DISCONNECTED"]
    complaints = [entry["message"] for entry in driver.get_log("browser") if not any(known in entry["message"] for known in expected)]
    assert not complaints, complaints


run("account_test")
