"""Headless Chromium on the page for people, and the server's answers beside it.

Environment: BASE_URL, ROSTER_USER and ROSTER_PASSWORD (an administrator), and SCREENSHOTS (a folder; optional).
Needs PyPI's selenium and axe-playwright-python (for axe-core's script), and Debian's chromium and chromium-driver.
"""
import base64, http.cookiejar, importlib.util, json, os, re, sys, time, traceback, urllib.error, urllib.parse, urllib.request

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

BASE, USER, PASSWORD = os.environ["BASE_URL"].rstrip("/"), os.environ["ROSTER_USER"], os.environ["ROSTER_PASSWORD"]
SHOTS = os.environ.get("SCREENSHOTS")
CORE = "urn:ietf:params:scim:schemas:core:2.0:User"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

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


def run(name):
    """Runs all tests, prints a line for each, and ends the program."""
    failed = 0
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    for statement, body in tests:
        if only not in statement:
            continue
        try:
            body()
            print("ok:", statement, flush=True)
        except Exception:
            failed += 1
            print("FAILED:", statement)
            traceback.print_exc()
            if os.environ.get("STOP"):
                break
            if SHOTS:
                driver.save_screenshot(os.path.join(SHOTS, f"failed-{failed}.png"))
    driver.quit()
    print(f"{name}: {len(tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def until(condition, what):
    """Waits until the condition holds. An element that the page replaces meanwhile is asked for again."""
    return WebDriverWait(driver, 20, ignored_exceptions=[StaleElementReferenceException]).until(lambda _: condition(), what)


def one(selector):
    """The first element of a selector, as soon as there is one: much of the page is drawn after a click has returned."""
    return until(lambda: driver.find_element(By.CSS_SELECTOR, selector), selector)


def every(selector):
    return driver.find_elements(By.CSS_SELECTOR, selector)


def text(selector="#view"):
    return driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)


def button(label, within="main"):
    """The button with a text, or with a beginning of it, as soon as there is one."""
    return until(lambda: next((one for one in every(f"{within} button") if one.text.startswith(label)), None), f"the button {label}")


def fill(selector, value):
    """Types a value in place of what a field has. The focus stays in the field, while Selenium's clear() would leave it for a moment."""
    element = one(selector)
    if not driver.execute_script("arguments[0].focus(); arguments[0].select?.(); return arguments[0].selectionEnd != null", element):
        element.clear() # Dates and numbers have no selection.
    element.send_keys(value or Keys.DELETE)


def inside(form, label):
    """The button or the summary in a part of the page whose text begins so, as soon as there is one."""
    return until(lambda: next((one for one in every(f"{form} button, {form} summary") if one.text.startswith(label)), None), f"{form}: {label}")


def told(form):
    """What a form says of how it went."""
    return text(f"{form} .result")


def values_of(name):
    """The values of a user that an administrator may read or write."""
    return {one["name"]: one["value"] for one in request("GET", f"/forms/{name}")[1]["attributes"]}


def pick(field, words, found):
    """Types into a field that searches, and chooses the first of what was found."""
    fill(field, words)
    until(lambda: any(found in one.text for one in every(f"{field}-list li")), found)
    one(field).send_keys(Keys.ARROW_DOWN, Keys.ENTER)


def role(name):
    return scim("GET", f"/scim/v2/Groups?filter=displayName%20eq%20%22{name.replace(' ', '%20')}%22")["Resources"][0]["id"]


def go(fragment):
    """Goes to an address of the page, and waits until it is shown."""
    driver.execute_script(
        "document.querySelector('#view').replaceChildren(); if (location.hash === arguments[0])"
        " dispatchEvent(new HashChangeEvent('hashchange')); else location.hash = arguments[0]", fragment)
    until(lambda: every("#view h1"), f"{fragment} is shown")


def request(method, path, body=None, who=None, kind="application/json"):
    """An answer of the server to an administrator, or to `who`, a pair of name and password: its status and its JSON."""
    name, password = who or (USER, PASSWORD)
    question = urllib.request.Request(BASE + path, method=method, data=json.dumps(body).encode() if body is not None else None)
    question.add_header("Authorization", "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode())
    question.add_header("Content-Type", kind)
    try:
        with urllib.request.urlopen(question) as answer:
            data = answer.read()
            return answer.status, json.loads(data) if data else None
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def scim(method, path, body=None):
    status, answer = request(method, path, body, kind="application/scim+json")
    assert status < 300, (status, answer)
    return answer


def identifier(name):
    return scim("GET", f"/scim/v2/Users?filter=userName%20eq%20%22{name}%22")["Resources"][0]["id"]


def own_id():
    return scim("GET", "/scim/v2/Me")["id"]


def give_password(name, password, language="en"):
    """Sets the password of a user of the company, and the language in which the page talks to them."""
    scim("PATCH", f"/scim/v2/Users/{identifier(name)}", {
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        "Operations": [{"op": "replace", "path": "password", "value": password},
                       {"op": "replace", "path": "preferredLanguage", "value": language}]})


def sign_in(name=USER, password=PASSWORD):
    """Sends the form of the sign-in page."""
    until(lambda: every("#username"), "the sign-in page")
    fill("#username", name)
    fill("#password", password)
    one("form button").click()


def enter(name=USER, password=PASSWORD, view="", again=False):
    """Signs in anew, and waits for the page."""
    driver.delete_all_cookies()
    driver.get(BASE + "/oauth2/sign-in?view=" + urllib.parse.quote(view))
    sign_in(name, password)
    until(lambda: every("#view h1"), "the page")


def focus(property):
    return driver.execute_script(f"return document.activeElement.{property}")


def network(is_cut):
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": is_cut, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


def session(name, password, agent="Python"):
    """A session of another browser, which the sign-in page begins: an opener that sends its cookie."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    opener.addheaders = [("User-Agent", agent)]
    page = opener.open(BASE + "/oauth2/sign-in").read().decode()
    sealed = re.search('name="request" value="([^"]*)"', page)[1]
    opener.open(BASE + "/oauth2/sign-in", urllib.parse.urlencode({"request": sealed, "username": name, "password": password}).encode())
    return opener


def size(width, height=900):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})


def scheme(name):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})


def picture(name, whole=False):
    """Takes pictures of a view in both widths and both schemes of colours."""
    if SHOTS:
        os.makedirs(SHOTS, exist_ok=True)
        for width in (1400, 360):
            for colours in ("light", "dark"):
                size(width)
                scheme(colours)
                time.sleep(0.4)
                if whole:
                    size(width, driver.execute_script("return document.documentElement.scrollHeight"))
                driver.save_screenshot(os.path.join(SHOTS, f"{name}-{width}-{colours}.png"))
        scheme("light")
        size(1400)
        time.sleep(0.2)


def fits():
    """Whether nothing is wider than a telephone."""
    size(360)
    time.sleep(0.2)
    fits = driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    size(1400)
    return fits


def flaws():
    """What axe-core finds on the page as it is."""
    script = os.path.join(os.path.dirname(importlib.util.find_spec("axe_playwright_python").origin), "axe.min.js")
    with open(script) as file:
        driver.execute_script(file.read())
    found = driver.execute_async_script("const done = arguments[arguments.length - 1]; axe.run().then(done)")
    return [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found["violations"]]


def names_of_controls():
    tree = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "link", "textbox", "searchbox", "combobox", "option"}
    return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree
            if not node.get("ignored") and node.get("role", {}).get("value") in roles]


def answer(method, path, **headers):
    request = urllib.request.Request(BASE + path, method=method, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()
