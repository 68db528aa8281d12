#!/usr/bin/env python3
"""Uses the page for people in headless Chromium, on a server that serves Seeds/company.json.

Environment: BASE_URL, ROSTER_USER and ROSTER_PASSWORD (an administrator), and SCREENSHOTS (a folder; optional).
Needs PyPI's selenium and Debian's chromium and chromium-driver.
"""
import base64, json, os, sys, time, traceback, urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

BASE, USER, PASSWORD = os.environ["BASE_URL"].rstrip("/"), os.environ["ROSTER_USER"], os.environ["ROSTER_PASSWORD"]
SHOTS = os.environ.get("SCREENSHOTS")

options = webdriver.ChromeOptions()
options.binary_location = "/usr/bin/chromium"
for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en"]:
    options.add_argument(argument)
options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
tests = []


def test(statement):
    def add(body):
        tests.append((statement, body))
        return body
    return add


def until(condition, what):
    return WebDriverWait(driver, 10).until(lambda _: condition(), what)


def one(selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def every(selector):
    return driver.find_elements(By.CSS_SELECTOR, selector)


def text(selector="#view"):
    return driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)


def go(fragment):
    """Goes to an address of the page, and waits until it is shown."""
    driver.execute_script(
        "document.querySelector('#view').replaceChildren(); if (location.hash === arguments[0])"
        " dispatchEvent(new HashChangeEvent('hashchange')); else location.hash = arguments[0]", fragment)
    until(lambda: every("#view h1"), f"{fragment} is shown")


def scim(method, path, body=None):
    request = urllib.request.Request(BASE + path, method=method, data=json.dumps(body).encode() if body else None)
    request.add_header("Authorization", "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode())
    request.add_header("Content-Type", "application/scim+json")
    with urllib.request.urlopen(request) as answer:
        data = answer.read()
        return json.loads(data) if data else None


def identifier(name):
    return scim("GET", f"/scim/v2/Users?filter=userName%20eq%20%22{name}%22")["Resources"][0]["id"]


def size(width, height=900):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})


def scheme(name):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})


def picture(name):
    if SHOTS:
        os.makedirs(SHOTS, exist_ok=True)
        for width in (1400, 360):
            for colours in ("light", "dark"):
                size(width)
                scheme(colours)
                time.sleep(0.4)
                driver.save_screenshot(os.path.join(SHOTS, f"{name}-{width}-{colours}.png"))
        scheme("light")
        size(1400)
        time.sleep(0.2)


def sign_in(password=PASSWORD):
    one("#name").clear()
    one("#name").send_keys(USER)
    one("#password").clear()
    one("#password").send_keys(password, Keys.ENTER)


def names_of_controls():
    tree = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "link", "textbox", "searchbox", "combobox", "option"}
    return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree
            if not node.get("ignored") and node.get("role", {}).get("value") in roles]


@test("The page shows a form to sign in, and nothing of the directory")
def _():
    size(1400)
    driver.get(BASE + "/")
    until(lambda: one("#enter").is_displayed(), "the form")
    assert not one("#search").is_displayed()
    picture("sign-in")


@test("A wrong password is told, and lets nobody in")
def _():
    sign_in("not the password")
    until(lambda: "Name or password is wrong" in text("#notice"), "the refusal")
    assert one("#enter").is_displayed()


@test("Who signs in sees their own profile")
def _():
    sign_in()
    until(lambda: "Administrator" in text("#view h1"), "the own profile")
    assert driver.execute_script("return document.activeElement.tagName") == "H1"


@test("Somebody is found while one types, and opened by the keyboard alone")
def _():
    one("#query").send_keys("ken")
    until(lambda: every("#results li"), "results")
    until(lambda: "found" in text("#count"), "the number is announced")
    picture("search")
    one("#query").send_keys(Keys.ARROW_DOWN)
    active = one("#query").get_attribute("aria-activedescendant")
    assert one(f"#{active}").get_attribute("aria-selected") == "true"
    wanted = one(f"#{active}").text
    one("#query").send_keys(Keys.ENTER)
    until(lambda: text("#view h1") and text("#view h1") in wanted, "the profile that was chosen")


@test("Escape closes the results")
def _():
    one("#query").send_keys("a")
    until(lambda: every("#results li"), "results of one letter")
    one("#query").send_keys(Keys.ESCAPE)
    assert not one("#panel").is_displayed()
    one("#query").clear()


@test("A profile shows title, mail, manager, roles and reports")
def _():
    go("#user/" + identifier("kenji.sato"))
    shown = text()
    for part in ["Head of Engineering", "kenji.sato@nordwind.example", "Ilse Brandt", "Engineering", "Reports ("]:
        assert part in shown, part
    picture("profile")


@test("The chart is walked down by a click and up by the keyboard")
def _():
    go("#chart/" + identifier("kenji.sato"))
    nodes = every(".chart a")
    assert len(nodes) > 3
    assert "Ilse Brandt" in nodes[0].get_attribute("aria-label")
    assert "report" in one(".chart .self").get_attribute("aria-label")
    picture("chart")
    below = every(".chart a")[2]
    name = below.get_attribute("aria-label").split(",")[0]
    driver.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))", below)
    until(lambda: text("#view h1") == name and every(".chart .self"), "the chart of the one below")
    until(lambda: driver.execute_script("return document.activeElement.classList.contains('self')"), "the focus is on them")
    driver.switch_to.active_element.send_keys(Keys.ARROW_UP)
    above = driver.switch_to.active_element.get_attribute("aria-label")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: text("#view h1") == above.split(",")[0], "the chart of the one above")


@test("A role shows its members")
def _():
    go("#user/" + identifier("kenji.sato"))
    [role] = [link for link in every("dd a") if link.text == "Engineering" and "#group/" in link.get_attribute("href")]
    role.click()
    until(lambda: text("#view h1") == "Engineering" and "Members (" in text(), "the role")
    picture("group")


@test("Back goes back")
def _():
    driver.back()
    until(lambda: "kenji.sato" in text(), "the profile again")


@test("A hostile name is text")
def _():
    name = "<img src=x onerror=window.hit=1>"
    made = scim("POST", "/scim/v2/Users", {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "hostile.one", "displayName": name})
    try:
        go("#user/" + made["id"])
        assert text("#view h1") == name
        go("#chart/" + made["id"])
        one("#query").send_keys("<img")
        until(lambda: every("#results li"), "results")
        one("#query").send_keys(Keys.ESCAPE)
        one("#query").clear()
        assert not every("#view img") and not driver.execute_script("return window.hit")
    finally:
        scim("DELETE", "/scim/v2/Users/" + made["id"])


@test("What does not exist is told")
def _():
    driver.execute_script("location.hash = '#user/00000000000'")
    until(lambda: "no user" in text("#notice").lower(), "the refusal")


@test("Every control has a name")
def _():
    for fragment in ["#user/", "#chart/"]:
        go(fragment + identifier("kenji.sato"))
        controls = names_of_controls()
        assert len(controls) > 5
        assert all(name.strip() for _, name in controls), controls


@test("At 360 pixels nothing is wider than the window")
def _():
    size(360)
    for fragment in ["#user/", "#chart/"]:
        go(fragment + identifier("kenji.sato"))
        time.sleep(0.2)
        assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"), fragment
    size(1400)


@test("Nothing comes from elsewhere")
def _():
    sources = driver.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert sources and all(source.startswith(BASE) or source.startswith("data:") for source in sources), sources


@test("Signing out forgets who was signed in")
def _():
    one("#leave").click()
    until(lambda: one("#enter").is_displayed(), "the form")
    assert text("#view") == "" and one("#password").get_attribute("value") == ""
    driver.execute_script("location.hash = '#me'")
    time.sleep(0.3)
    assert one("#enter").is_displayed()


@test("The browser has nothing to complain about")
def _():
    # A refused sign-in and a missing user are answered with 401 and 404, which the browser notes.
    complaints = [entry["message"] for entry in driver.get_log("browser") if "401" not in entry["message"] and "404" not in entry["message"]]
    assert not complaints, complaints


passed = failed = 0
for statement, body in tests:
    try:
        body()
        passed += 1
        print("ok    ", statement, flush=True)
    except Exception:
        failed += 1
        print("FAILED", statement, flush=True)
        traceback.print_exc()
driver.quit()
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
