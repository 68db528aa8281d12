#!/usr/bin/env python3
"""Signs in with `roster client sign-in`, whose browser is Chromium. Usage: client_sign_in_test.py ROSTER_BINARY

The script is also the command that opens Chromium: client_sign_in_test.py browse URL. SCREENSHOTS names a folder for a picture of
the last page. Needs PyPI's selenium and Debian's chromium and chromium-driver.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

NAME, PASSWORD = "admin", "correct-horse-battery-9"


def browse(url):
    """Signs in and allows the app, as a user does, and looks at the page that the app answers with."""
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
    redirect = urllib.parse.parse_qs(urllib.parse.urlparse(url).query)["redirect_uri"][0]
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--window-size=800,800"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        driver.get(url)
        driver.find_element(By.ID, "username").send_keys(NAME)
        driver.find_element(By.ID, "password").send_keys(PASSWORD)
        driver.find_element(By.CSS_SELECTOR, "button").click()
        WebDriverWait(driver, 20).until(lambda d: "Allow" in d.title)
        driver.find_element(By.CSS_SELECTOR, "button").click()
        WebDriverWait(driver, 20).until(lambda d: d.current_url.startswith(redirect))
        WebDriverWait(driver, 20).until(lambda d: "You can close this window" in d.page_source)
        if os.environ.get("SCREENSHOTS"):
            os.makedirs(os.environ["SCREENSHOTS"], exist_ok=True)
            driver.save_screenshot(os.path.join(os.environ["SCREENSHOTS"], "client-signed-in.png"))
    finally:
        driver.quit()


if sys.argv[1] == "browse":
    browse(sys.argv[2])
    sys.exit()

ROSTER = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = tempfile.mkdtemp()
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok: " if ok else "FAILED: ") + name + ("" if ok else f"  {detail}"))


def run(*words):
    return subprocess.run([ROSTER, *words], capture_output=True, text=True, cwd=WORK, timeout=120)


run("seed", "--database", "r.db", os.path.join(HERE, "../../Seeds/company.json"))
with open(f"{WORK}/password", "w") as file:
    file.write(PASSWORD + "\n")
with open(f"{WORK}/shop.json", "w") as file:
    json.dump({"redirect_uris": ["http://127.0.0.1/callback"], "public": True, "consent": True,
               "grant_types": ["authorization_code", "refresh_token"],
               "scope": "openid profile offline_access directory"}, file)
shop = dict(line.split() for line in run(
    "backend", "create", "--database", "r.db", "--name", "shop", "--settings", "shop.json").stdout.splitlines())
server = subprocess.Popen(
    [ROSTER, "serve", "--database", "r.db", "--listen", "127.0.0.1:0", "--admin-password-file", "password", "--quiet"],
    cwd=WORK, stdout=subprocess.PIPE, text=True)
try:
    app = ("--server", server.stdout.readline().split()[-1], "--store", "app.secrets")
    done = run("client", "sign-in", *app, "--client-id", shop["client_id"], "--json",
               "--scope", "openid profile offline_access directory",
               "--browser", f"'{sys.executable}' '{os.path.abspath(__file__)}' browse")
    check("Chromium comes back to the app", done.returncode == 0, done.stderr)
    check("and the app knows who signed in", done.returncode == 0 and json.loads(done.stdout)[0]["user"] == NAME, done.stdout)
    token = run("client", "token", *app)
    check("the app has a token", token.returncode == 0 and token.stdout.count(".") == 2, token.stderr)
    users = run("client", "users", *app, "--filter", 'surname sw "Mü"', "--json", "--attributes", "uid")
    check("which opens the directory", users.returncode == 0 and len(json.loads(users.stdout)) == 3, users.stderr)
    done = run("client", "sign-out", *app)
    check("the user signs out", done.returncode == 0 and "has ended the tokens" in done.stdout, done.stdout + done.stderr)
finally:
    server.terminate()
    check("the server stops with exit code 0", server.wait(20) == 0)
    shutil.rmtree(WORK)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
