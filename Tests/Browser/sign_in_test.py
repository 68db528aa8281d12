#!/usr/bin/env python3
"""Signs in, allows and denies with Chromium, on the pages of OAuth. Usage: sign_in_test.py ROSTER_BINARY

SCREENSHOTS names a folder for pictures of the pages.
"""

import hashlib
import base64
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

ROSTER = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = tempfile.mkdtemp()
PICTURES = os.environ.get("SCREENSHOTS")
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok: " if ok else "FAILED: ") + name + ("" if ok else f"  {detail}"))


class App(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"the app")

    def log_message(self, *_):
        pass


app = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
threading.Thread(target=app.serve_forever, daemon=True).start()
REDIRECT = f"http://127.0.0.1:{app.server_port}/callback"

run = lambda *words: subprocess.run([ROSTER, *words], capture_output=True, text=True, cwd=WORK).stdout
run("seed", "--database", "r.db", os.path.join(HERE, "../../Seeds/company.json"))
with open(f"{WORK}/password", "w") as file:
    file.write("correct-horse-battery-9\n")
with open(f"{WORK}/shop.json", "w") as file:
    json.dump({"redirect_uris": ["http://127.0.0.1/callback"], "consent": True, "public": True,
               "grant_types": ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]}, file)
secrets = dict(line.split() for line in run(
    "backend", "create", "--database", "r.db", "--name", "Corner <b>Shop</b>", "--settings", "shop.json").splitlines())
server = subprocess.Popen(
    [ROSTER, "serve", "--database", "r.db", "--listen", "127.0.0.1:0", "--admin-password-file", "password", "--quiet",
     "--test-provider"],
    cwd=WORK, stdout=subprocess.PIPE, text=True)
URL = server.stdout.readline().split()[-1]
challenge = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 43).digest()).decode().rstrip("=")


def request(**more):
    return URL + "/oauth2/authorize?" + urllib.parse.urlencode({
        "response_type": "code", "client_id": secrets["client_id"], "redirect_uri": REDIRECT, "state": "s",
        "scope": "openid profile", "code_challenge": challenge, "code_challenge_method": "S256", **more})


def browser(width):
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", f"--window-size={width},800"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def picture(driver, name):
    if PICTURES:
        os.makedirs(PICTURES, exist_ok=True)
        driver.save_screenshot(os.path.join(PICTURES, name + ".png"))


def wait(driver, condition):
    WebDriverWait(driver, 10).until(condition)


try:
    for width in (360, 1400):
        driver = browser(width)
        driver.get(request())
        field = lambda name: driver.find_element(By.ID, name)
        submit = lambda: driver.find_element(By.CSS_SELECTOR, "button").click()
        check(f"{width}: the page says where it leads, and shows no markup of others",
              "Corner <b>Shop</b>" in driver.find_element(By.TAG_NAME, "main").text)
        labels = {label.get_attribute("for") for label in driver.find_elements(By.TAG_NAME, "label")}
        check("every field has its label", labels == {"username", "password"})
        check("the first field has the focus", driver.switch_to.active_element.get_attribute("id") == "username")
        check("nothing is cut off", driver.execute_script(
            "return document.documentElement.scrollWidth <= window.innerWidth"))
        picture(driver, f"sign-in-{width}")
        field("username").send_keys("admin")
        field("password").send_keys("wrong")
        submit()
        wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "[role=alert]"))
        check("a wrong password is said, and the name kept", field("username").get_attribute("value") == "admin"
              and field("password").get_attribute("value") == "")
        picture(driver, f"wrong-{width}")
        field("password").send_keys("correct-horse-battery-9")
        submit()
        if width == 360:
            wait(driver, lambda d: "Allow" in d.title)
            check("the app is named, and what it asks for", "know your name" in driver.page_source)
            picture(driver, f"consent-{width}")
            driver.find_element(By.CSS_SELECTOR, "button.other").click()
            wait(driver, lambda d: d.current_url.startswith(REDIRECT))
            check("who does not allow it is believed", "error=access_denied" in driver.current_url)
            driver.get(request())
            wait(driver, lambda d: "Allow" in d.title)
            submit()
        wait(driver, lambda d: d.current_url.startswith(REDIRECT))
        check("the browser comes back to the app with a code", "code=" in driver.current_url
              and "state=s" in driver.current_url, driver.current_url)
        driver.get(request(prompt="none"))
        wait(driver, lambda d: d.current_url.startswith(REDIRECT))
        check("and is not asked again", "code=" in driver.current_url)
        driver.get(request(redirect_uri="http://evil.example.com/"))
        check("a bad address shows a page", "That did not work" in driver.page_source)
        driver.get(URL + "/oauth2/logout")
        picture(driver, f"sign-out-{width}")
        submit()
        wait(driver, lambda d: "Signed out" in d.title)
        driver.get(request(prompt="none"))
        wait(driver, lambda d: d.current_url.startswith(REDIRECT))
        check("signed out is signed out", "error=login_required" in driver.current_url)

        # The provider for tests, through its page and back.
        driver.get(URL + "/db/_oidc")
        wait(driver, lambda d: d.find_elements(By.ID, "tokenttl"))
        picture(driver, f"test-provider-{width}")
        field("username").send_keys("alice")
        submit()
        wait(driver, lambda d: "session_id" in d.page_source)
        check("the test provider's page leads back with a session", "_oidc_testing_alice" in driver.page_source)
        driver.get(URL + "/mobile/platform/users/~")
        check("which the browser sends along", "_oidc_testing_alice" in driver.page_source, driver.page_source)

        # The same in place of a password, on the page of an app.
        driver.get(URL + "/oauth2/logout")
        driver.delete_all_cookies()
        driver.get(request())
        picture(driver, f"providers-{width}")
        driver.find_element(By.CSS_SELECTOR, "button[formaction=provider]").click()
        wait(driver, lambda d: d.find_elements(By.ID, "tokenttl"))
        field("username").send_keys("alice")
        submit()
        wait(driver, lambda d: "Allow" in d.title or d.current_url.startswith(REDIRECT))
        if "Allow" in driver.title:
            check("whoever comes back is asked as everybody else", "_oidc_testing_alice" in driver.page_source)
            submit()
            wait(driver, lambda d: d.current_url.startswith(REDIRECT))
        check("the app gets its code", "code=" in driver.current_url, driver.current_url)
        driver.get(URL + "/oauth2/logout")
        driver.delete_all_cookies()

        # Challenge questions, which the last round sets up.
        if width == 1400:
            asked = urllib.request.Request(
                URL + "/account/challenge-questions", method="PUT", data=json.dumps({"questions": [
                    {"question": "First <i>street</i>?", "answer": "Main Road"},
                    {"question": "First pet?", "answer": "Rex the dog"}]}).encode(),
                headers={"Content-Type": "application/json", "Authorization": "Basic " + base64.b64encode(
                    b"admin:correct-horse-battery-9").decode()})
            urllib.request.urlopen(asked)
            driver.get(request())
            field("username").send_keys("admin")
            field("password").send_keys("correct-horse-battery-9")
            submit()
            wait(driver, lambda d: d.find_elements(By.ID, "answer0"))
            check("the password is not asked for again", not driver.find_elements(By.ID, "password"))
            field("answer0").send_keys("wrong")
            field("answer1").send_keys("rex the dog")
            page = driver.find_element(By.TAG_NAME, "html")
            submit()
            wait(driver, expected_conditions.staleness_of(page))
            wait(driver, lambda d: d.find_elements(By.ID, "answer0"))
            check("the questions are asked as they were written", "First <i>street</i>?" in driver.find_element(
                By.TAG_NAME, "main").text)
            picture(driver, "questions")
            field("answer0").send_keys("Main road")
            field("answer1").send_keys("rex the dog")
            submit()
            wait(driver, lambda d: d.current_url.startswith(REDIRECT) or "Allow" in d.title)
            check("the right answers let in", "code=" in driver.current_url or "Allow" in driver.title)
        problems = [entry for entry in driver.get_log("browser") if "favicon" not in entry["message"]
                    and "401" not in entry["message"] and "400" not in entry["message"]]
        check("the browser complains of nothing", not problems, problems)
        driver.quit()
finally:
    server.terminate()
    check("the server stops with exit code 0", server.wait(20) == 0)
    shutil.rmtree(WORK)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
