#!/usr/bin/env python3
"""Walks what stands around every view of the page in headless Chromium, on a server that serves Seeds/company.json: the navigation, the
palette, addresses, and the question about unsaved changes. The environment is that of browser.py."""
import time

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import (
    BASE, button, driver, enter, every, fill, flaws, focus, give_password, go, identifier, one, own_id, picture, request, run, sign_in,
    size, test, text, until)

PLACES = ["Home", "People", "Chart", "Roles"]
ADMINISTRATION = ["Apps", "Sign-in", "Attributes", "Import & export", "Audit", "Server"]
VIEWS = ["home", "me", "people", "chart", "roles", "roles?view=tree", "new/person", "new/role", "account", *(f"admin/{name}" for name in (
    "backends", "tokens", "providers", "issuers", "policies", "keys", "attributes", "files", "audit", "server"))]


def keys(*all):
    driver.switch_to.active_element.send_keys(*all)


def command():
    keys(Keys.CONTROL + "k")
    until(lambda: every("#command") and focus("id") == "command", "the palette")
    # What is typed next is no part of the chord.
    driver.switch_to.active_element.send_keys(Keys.NULL)


def fragment():
    return driver.execute_script("return location.hash")


@test("The navigation leads to every place, marks where one is, and the title says it")
def _():
    size(1280)
    enter()
    assert [one.text for one in every("#places a")] == PLACES and [one.text for one in every("#administration a")] == ADMINISTRATION
    for name in PLACES[1:] + ADMINISTRATION:
        next(one for one in every("#menu a") if one.text == name).click()
        until(lambda: text("#menu [aria-current]") == name and every("#view h1"), name)
        until(lambda: not one("#view").get_attribute("aria-busy"), name)
        assert driver.title.startswith(text("#view h1")) and driver.title.endswith("– Roster"), driver.title
        assert focus("tagName") == "H1", name


@test("Every view has no flaw and fits at 360, 768 and 1280 pixels")
def _():
    for view in VIEWS:
        go("#" + view)
        for width in (360, 768, 1280):
            size(width)
            time.sleep(0.1)
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width, (view, width, wide)
        assert not flaws(), (view, flaws())
        picture("frame-" + view.replace("/", "-").replace("?view=", "-"))


@test("Addresses of before lead to where their views are now, and unknown ones are told")
def _():
    size(1280)
    for old, heading in [("#admin/people", "People"), ("#admin/roles", "Roles"), ("#manage/" + own_id(), "Administrator")]:
        go(old)
        until(lambda: text("#view h1") == heading, old)
    for unknown in ["#admin/nothing", "#new/nothing", "#nowhere"]:
        go(unknown)
        assert text("#view h1") == "There is nothing here.", unknown


@test("A stroke leads to the search, unless somebody types")
def _():
    go("#me")
    driver.execute_script("document.activeElement.blur()")
    one("body").send_keys("/")
    until(lambda: focus("id") == "query", "the search")
    keys("a/b")
    assert one("#query").get_attribute("value") == "a/b"
    keys(Keys.ESCAPE, Keys.ESCAPE)


@test("The palette goes, opens and does by the keyboard alone")
def _():
    go("#me")
    command()
    assert not flaws(), flaws()
    keys("aud", Keys.ENTER)
    until(lambda: text("#view h1") == "Audit", "a place")
    command()
    keys("okafor gr")
    until(lambda: "Grace Okafor" in text("#command-list"), "a person")
    picture("palette")
    keys(Keys.ENTER)
    until(lambda: text("#view h1") == "Grace Okafor", "the person")
    command()
    keys("platform team")
    until(lambda: "Role" in text("#command-list"), "a role")
    keys(Keys.ENTER)
    until(lambda: text("#view h1") == "Platform team", "the role")
    command()
    keys("new per", Keys.ENTER)
    until(lambda: text("#view h1") == "New person", "something to do")
    command()
    keys("qqqzz")
    until(lambda: "Nothing was found" in text("dialog"), "nothing")
    keys(Keys.ESCAPE)
    until(lambda: not every("dialog"), "the palette is closed")


@test("On a telephone the navigation is a drawer, and the header is low")
def _():
    size(360)
    go("#me")
    assert one("header").size["height"] <= 56 and not one("#menu").is_displayed()
    one("#drawer").click()
    until(lambda: one("#menu").is_displayed() and focus("textContent") == "Home", "the drawer")
    assert one("#drawer").get_attribute("aria-expanded") == "true" and not flaws(), flaws()
    keys(Keys.ESCAPE)
    until(lambda: not one("#menu").is_displayed() and focus("id") == "drawer", "the drawer is closed")
    one("#drawer").click()
    until(lambda: one("#menu").is_displayed(), "the drawer")
    time.sleep(0.3)
    next(one for one in every("#places a") if one.text == "Roles").click()
    until(lambda: text("#view h1") == "Roles" and not one("#menu").is_displayed(), "the place")
    size(1280)


@test("An address holds the whole view: back, a reload and a link show the same")
def _():
    go("#people")
    fill("#people-words", "okafor")
    until(lambda: text(".total") == "1 person", "the words")
    until(lambda: fragment() == "#people?q=okafor", "the address")
    next(one for one in every("tbody a") if one.text == "Grace Okafor").click()
    until(lambda: text("#view h1") == "Grace Okafor", "the person")
    driver.back()
    until(lambda: text(".total") == "1 person" and one("#people-words").get_attribute("value") == "okafor", "back")
    driver.refresh()
    until(lambda: text(".total") == "1 person" and one("#people-words").get_attribute("value") == "okafor", "the reload")


@test("Signing in leads back to a filtered view, whose names are in no address that is sent")
def _():
    driver.delete_all_cookies()
    driver.get(BASE + "/?link#people?q=okafor&columns=name,mail")
    until(lambda: every("#username"), "the form")
    assert "view=people" in driver.current_url and "okafor" not in driver.current_url, driver.current_url
    sign_in()
    until(lambda: text(".total") == "1 person", "the view")
    assert "okafor" in fragment() and [one.text for one in every("thead th")] == ["Name", "Mail"]
    assert driver.execute_script("return sessionStorage.length") == 0


@test("A sign of loading comes after 200 ms, and not before")
def _():
    go("#me")
    driver.execute_script("""
        window.fetched = window.fetch;
        window.fetch = async (path, options) => {
          await new Promise((done) => setTimeout(done, window.slow));
          return window.fetched(path, options);
        };
        window.signs = [];
        new MutationObserver(() => { if (!document.querySelector('#loading').hidden) window.signs.push(performance.now()); })
          .observe(document.querySelector('#loading'), { attributes: true });
        window.slow = 700;""")
    began = driver.execute_script("location.hash = arguments[0]; return performance.now()", "#user/" + identifier("kenji.sato"))
    until(lambda: text("#view h1") == "佐藤 健司", "the view")
    [sign] = driver.execute_script("return window.signs")
    assert 195 < sign - began < 700, sign - began
    assert not one("#loading").is_displayed()
    driver.execute_script("window.fetch = window.fetched")


@test("Whoever leaves unsaved changes is asked, and loses them only on purpose")
def _():
    size(1280)
    person = identifier("uwe.gross")
    go("#manage/" + person)
    fill("#form-title", "Keeper")
    field = "#form-title"
    one("#places a[href='#roles']").click()
    until(lambda: every("dialog[open]"), "the question")
    assert not flaws(), flaws()
    picture("question")
    button("Stay here", "dialog").click()
    assert one(field).get_attribute("value") == "Keeper" and fragment() == "#manage/" + person
    driver.back()
    until(lambda: every("dialog[open]"), "the question again")
    keys(Keys.ESCAPE)
    until(lambda: not every("dialog") and one(field).get_attribute("value") == "Keeper", "the form stays")
    one("#places a[href='#roles']").click()
    until(lambda: every("dialog[open]"), "the question once more")
    button("Leave without saving", "dialog").click()
    until(lambda: text("#view h1") == "Roles", "the other view")
    go("#manage/" + person)
    assert one(field).get_attribute("value") == "Treasurer"


@test("Saved changes are left without a question")
def _():
    go("#manage/" + identifier("uwe.gross"))
    fill("#form-title", "Keeper")
    button("Save").click()
    until(lambda: text("#edit-person .result") == "Saved.", "the answer")
    one("#places a[href='#roles']").click()
    until(lambda: text("#view h1") == "Roles" and not every("dialog"), "the other view")
    assert request("PUT", "/forms/uwe.gross", {"title": "Treasurer"})[0] == 200


@test("An ordinary user sees no place of administrators, and is told where an address is not for them")
def _():
    give_password("emma.mueller", "quiet rivers in spring")
    enter("emma.mueller", "quiet rivers in spring")
    assert [one.text for one in every("#menu ul a") if one.text] == PLACES
    for view in ["admin/people", "admin/backends", "admin/server", "new/person", "new/role", "manage/" + identifier("uwe.gross")]:
        if view != "admin/people":
            go("#" + view)
            until(lambda: text("#view h1") == "This is not for you.", view)
            assert "Ask one of them" in text("#view") and not every("#view form"), view
    assert not flaws(), flaws()
    picture("not-for-you")
    command()
    keys("a")
    time.sleep(0.2)
    assert "Apps" not in text("#command-list") and "Attributes" not in text("#command-list")
    keys(Keys.ESCAPE)


@test("The palette signs out")
def _():
    command()
    keys("sign o", Keys.ENTER)
    until(lambda: one("#enter").is_displayed() and "signed out" in text("#notice"), "the entry")
    assert not one("#menu").is_displayed() and not one("#commands").is_displayed()
    assert not flaws(), flaws()


@test("The browser has nothing to complain about")
def _():
    expected = ["status of 401", "status of 404"]
    complaints = [entry["message"] for entry in driver.get_log("browser") if not any(known in entry["message"] for known in expected)]
    assert not complaints, complaints


run("frame_test")
