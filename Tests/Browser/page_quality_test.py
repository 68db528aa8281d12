#!/usr/bin/env python3
"""Checks what holds for all of the page in headless Chromium, on a server that serves Seeds/company.json. The environment is that of
browser.py."""
import gzip, os, re, time

from selenium.webdriver.common.keys import Keys

from browser import (
    BASE, SHOTS, answer, driver, enter, every, flaws, go, identifier, names_of_controls, one, run, scim, size, test, text, until)

MODULES = ["access", "account", "actions", "address", "administration", "app-passwords", "apps", "attribute-admin",
           "attribute-texts", "attributes", "audit", "branding", "branding-form", "bulk", "chart", "chart-card",
           "chart-controls", "chart-data", "chart-drawing", "chart-export", "chart-gestures", "chart-layout",
           "chart-moving", "choices", "columns", "combobox", "conflict", "copy", "crumbs", "device", "directory",
           "dom", "elements", "fields", "filters", "frame", "history", "home", "importing", "listing", "manager",
           "operation", "page", "palette", "people", "person", "person-roles", "photo", "picker", "policies",
           "powers", "profile-form", "qr", "recipes", "role", "roles", "search", "table", "texts", "tokens", "trust", "typed",
           "values", "views"]
TABLES = [f"/texts-{language}.json" for language in ["de", "es", "ja"]]
FILES = ["/", "/?query", "/page.css", *(f"/{name}.js" for name in MODULES), *TABLES]


@test("The files come with a tag and a policy, and are not sent twice")
def _():
    tags = set()
    for path in FILES:
        status, headers, body = answer("GET", path)
        assert status == 200 and body and headers["Cache-Control"] == "no-cache", path
        assert "default-src 'none'" in headers["Content-Security-Policy"] and "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        tag = headers["ETag"]
        for known in [tag, "W/" + tag, f'"other", {tag}', "*"]:
            assert answer("GET", path, If_None_Match=known)[0] == 304, (path, known)
        assert answer("GET", path, If_None_Match='"other"')[0] == 200
        status, headers, none = answer("HEAD", path)
        assert status == 200 and none == b"" and int(headers["Content-Length"]) == len(body), path
        status, headers, _ = answer("POST", path)
        assert status == 405 and headers["Allow"] == "GET, HEAD", path
        tags.add(tag)
        assert path == "/recipes.js" or not path.endswith(".js") or not re.search(rb"^ |^ *(//|/\*\*|\* )|/\*\* @", body, re.MULTILINE), f"comments or indentation in {path}"
    assert len(tags) == len(FILES) - 1, tags


@test("All files together take less than 142 kB compressed in English, and 161 kB with the texts of another language")
def _():
    sizes = {path: len(gzip.compress(answer("GET", path)[2])) for path in FILES if "?" not in path}
    whole = sum(size for path, size in sizes.items() if path not in TABLES)
    assert whole < 142_000 and whole + max(sizes[path] for path in TABLES) < 161_000, sizes


@test("Who signs in sees the page")
def _():
    size(1400)
    enter()
    assert text("#view h1") == "Hello, Administrator"


@test("The modules of the first view are preloaded, and only those")
def _():
    driver.refresh()
    until(lambda: text("#view h1") == "Hello, Administrator", "the first view")
    loaded = set(driver.execute_script(
        "return performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname.split('/').at(-1)).filter((name) => name.endsWith('.js'))"))
    preloaded = set(driver.execute_script("return [...document.querySelectorAll('link[rel=modulepreload]')].map((one) => one.getAttribute('href'))"))
    assert loaded == preloaded | {"page.js"}, (loaded - preloaded, preloaded - loaded)


@test("Every control has a name")
def _():
    group = scim("GET", "/scim/v2/Groups?filter=displayName%20eq%20%22Engineering%22")["Resources"][0]["id"]
    for fragment in ["#user/" + identifier("kenji.sato"), "#chart/" + identifier("kenji.sato"), "#group/" + group]:
        go(fragment)
        one("#query").send_keys("an")
        until(lambda: every("#results li"), "results")
        controls = names_of_controls()
        assert len(controls) > 8 and any(role == "option" for role, _ in controls), controls
        assert all(name.strip() for _, name in controls), controls
        one("#query").send_keys(Keys.ESCAPE, Keys.ESCAPE)
        assert driver.execute_script("return document.querySelectorAll('h1').length") == 2, "one of the entry, which is hidden"
        ids = driver.execute_script("return [...document.querySelectorAll('[id]')].map((one) => one.id)")
        assert len(ids) == len(set(ids)), ids


@test("Every control shows that it has the focus")
def _():
    go("#chart/" + identifier("kenji.sato"))
    driver.execute_script("document.querySelector('.skip').focus()")
    seen = set()
    for _ in range(16):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        shown = driver.execute_script("""
            const node = document.activeElement;
            return [node.outerHTML.slice(0, 80), getComputedStyle(node).outlineStyle !== 'none'];""")
        if shown[0].startswith("<body"):
            break
        assert shown[1], shown
        seen.add(shown[0])
    assert len(seen) >= 10, seen


@test("At 360 pixels nothing is wider than the window")
def _():
    group = scim("GET", "/scim/v2/Groups?filter=displayName%20eq%20%22Engineering%22")["Resources"][0]["id"]
    size(360)
    for fragment in ["#user/" + identifier("heike.baerenfaenger"), "#chart/" + identifier("heike.baerenfaenger"), "#group/" + group,
                     "#people", "#roles", "#roles?view=tree", "#account"]:
        go(fragment)
        time.sleep(0.2)
        assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth && innerWidth <= 360"), fragment
        inside = driver.execute_script(
            "return [...document.querySelectorAll('body *')].filter((one) => one.getClientRects().length && !one.closest('.quiet,.skip,.grid,.plane')"
            " && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))")
        assert not inside, inside
    if SHOTS:
        driver.save_screenshot(os.path.join(SHOTS, "narrow-group.png"))
    size(1400)


@test("Nothing comes from elsewhere")
def _():
    sources = driver.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert sources and all(source.startswith(BASE + "/") or source.startswith("data:") for source in sources), sources


@test("Nothing is kept in the browser")
def _():
    kept = driver.execute_script("return [document.cookie, localStorage.length, sessionStorage.length]")
    assert kept == ["", 0, 0], kept
    assert "assword" not in driver.execute_script("return location.href")


@test("axe-core finds nothing on any view, in light and dark")
def _():
    role = scim("GET", "/scim/v2/Groups?filter=displayName%20eq%20%22Engineering%22")["Resources"][0]["id"]
    for colours in ("light", "dark"):
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": colours}]})
        for fragment in ["#user/" + identifier("kenji.sato"), "#chart/" + identifier("kenji.sato"), "#group/" + role,
                         "#group/" + role + "?members=all", "#people", "#roles", "#roles?view=tree", "#new/role", "#account"]:
            go(fragment)
            time.sleep(0.3)
            assert not flaws(), (colours, fragment, flaws())
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@test("The browser has nothing to complain about")
def _():
    # Refused and missing answers, and the network that was cut, are noted by the browser itself.
    expected = ["status of 401", "status of 404", "status of 429", "ERR_INTERNET_DISCONNECTED"]
    complaints = [entry["message"] for entry in driver.get_log("browser")
                  if not any(known in entry["message"] for known in expected)]
    assert not complaints, complaints


run("page_quality_test")
