"""What the tests of the guides "Roster with …" share: the directory, the blocks of a guide, and a person in Chromium.

A guide's blocks are used as they stand, with the addresses, the id and the secret put in place of the examples.
"""

import base64
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.abspath(os.path.join(HERE, "../.."))
GUIDES = os.path.join(PACKAGE, "Sources/RosterREST/RosterREST.docc")
WORK = tempfile.mkdtemp()
PASSWORD = "correct-horse-battery-9"
BASIC = "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
processes = []
counts = {"passed": 0, "failed": 0}


def check(name, ok, detail=""):
    counts["passed" if ok else "failed"] += 1
    print(("ok: " if ok else "FAILED: ") + name + ("" if ok else f"  {detail}"), flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"nothing answers at port {port}")


def folder(name):
    path = os.path.join(WORK, name)
    os.makedirs(path)
    return path


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def end_of(path):
    return "\n" + open(path, errors="replace").read()[-1500:]


def start(words, cwd, **options):
    """Starts an app, whose output is in the file `log` of its folder."""
    log = open(os.path.join(cwd, "log"), "w")
    process = subprocess.Popen(words, cwd=cwd, stdout=log, stderr=log, **options)
    processes.append(process)
    return process


def blocks(guide, language, app, credentials={}):
    """The guide's blocks in a language, for these addresses."""
    text = open(os.path.join(GUIDES, guide + ".md")).read()
    found = re.findall(rf"```{language}\n(.*?)```", text, re.S)
    places = {"https://id.example.com": URL, "https://app.example.com": app, "A_LONG_RANDOM_TEXT": os.urandom(16).hex(),
              **{name.upper(): value for name, value in credentials.items()}}
    for example, value in places.items():
        found = [re.sub(rf"\b{re.escape(example)}\b", lambda _: value, block) for block in found]
    return found


def register(settings):
    request = urllib.request.Request(URL + "/admin/backends", settings.encode(), {
        "Content-Type": "application/json", "Authorization": BASIC})
    answer = json.load(urllib.request.urlopen(request))
    return {"client_id": answer["client_id"], "client_secret": answer["client_secret"]}


def sign_in(address, text, before=None, after=None):
    """Opens an address as somebody who is signed in nowhere, and returns what the browser shows after signing in. `before` and `after` do
    what the person does at the app before and after the sign-in page."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--window-size=1200,800"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    wait = WebDriverWait(driver, 30)
    try:
        driver.get(address)
        if before:
            before(driver, wait)
        if before or after:
            wait.until(lambda d: d.current_url.startswith(URL))
        check("the browser is sent to the sign-in page", driver.current_url.startswith(URL), driver.current_url)
        driver.find_element(By.ID, "username").send_keys("haruka.ito")
        driver.find_element(By.ID, "password").send_keys(PASSWORD)
        driver.find_element(By.CSS_SELECTOR, "button").click()
        if after:
            after(driver, wait)
        wait.until(lambda d: text in d.page_source)
        return driver.find_element(By.TAG_NAME, "body").text
    except Exception as error:
        body = driver.find_elements(By.TAG_NAME, "body")
        return f"{type(error).__name__} at {driver.current_url}: {body[0].text[:1500] if body else driver.page_source[:1500]}"
    finally:
        driver.quit()


def carry_out(roster, *guides):
    """Serves the company, carries out each guide, and ends the script with whether all checks passed."""
    global URL
    try:
        write(f"{WORK}/password", PASSWORD + "\n")
        server = subprocess.Popen(
            [os.path.abspath(roster), "serve", "--database", "r.db", "--seed", f"{PACKAGE}/Seeds/company.json", "--listen",
             "127.0.0.1:0", "--admin-password-file", "password", "--quiet"],
            cwd=WORK, stdout=subprocess.PIPE, stderr=open(f"{WORK}/log", "w"), text=True)
        processes.append(server)
        URL = server.stdout.readline().split()[-1]
        request = urllib.request.Request(
            URL + "/oic_rest/rest/userprofile/people/haruka.ito", json.dumps({"password": PASSWORD}).encode(), {
                "Content-Type": "application/json", "Authorization": BASIC}, method="PUT")
        urllib.request.urlopen(request).read()
        for guide in guides:
            try:
                guide()
            except Exception as error:
                logs = "".join(end_of(path) for path in glob.glob(f"{WORK}/{guide.__name__}/log"))
                check(f"the guide {guide.__name__} is carried out", False, f"{error}{logs}")
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(20)
        shutil.rmtree(WORK, ignore_errors=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    sys.exit(counts["failed"] > 0)
