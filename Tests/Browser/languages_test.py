#!/usr/bin/env python3
"""Walks the page in German, and shows it in Japanese to a person who prefers that, on a server that serves Seeds/company.json.
The environment is that of browser.py. With SHOTS_IN_ALL=1 it also makes screenshots of all views in the four languages, in the
folder SCREENSHOTS."""
import os

from selenium.webdriver.common.keys import Keys

from browser import (
    BASE, SHOTS, driver, enter, every, give_password, go, identifier, one, request, role, run, sign_in, size, test, text, until)

PERSON, PHRASE = "yuki.tanaka", "a ladder against the wall"
WIDTHS = [1280, 360]


def speak(tags):
    """What the browser says of its user's languages, from the next page on."""
    driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {
        "userAgent": driver.execute_script("return navigator.userAgent"), "acceptLanguage": tags})


def start():
    """Loads the page again, in the languages of the browser now."""
    driver.get(BASE + "/")
    until(lambda: every("#view h1"), "the first view")


def asked():
    """The tables that the page has asked for."""
    return driver.execute_script(
        "return performance.getEntriesByType('resource').map((one) => one.name.split('/').at(-1))"
        ".filter((name) => name.endsWith('.json'))")


@test("In English the page asks for no table of texts")
def _():
    size(1280)
    enter()
    assert asked() == [] and one("html").get_attribute("lang") == "en"
    assert text("#view h1") == "Hello, Administrator"


@test("A browser in German gets the page in German: its places, a search, a form and a mistake")
def _():
    speak("fr,de-CH;q=0.8,en")
    start()
    assert asked() == ["texts-de.json"] and one("html").get_attribute("lang") == "de"
    assert text("#view h1") == "Guten Tag, Administrator"
    assert [one.text for one in every("#places a")] == ["Start", "Personen", "Organigramm", "Rollen"]
    assert one("#query").get_attribute("placeholder") == "Personen und Rollen suchen"
    one("#query").send_keys("an")
    until(lambda: text("#count") == "1 Person gefunden", "the number of people")
    one("#query").send_keys(Keys.ESCAPE, Keys.ESCAPE)
    go("#people")
    until(lambda: every("tbody tr"), "rows")
    assert [one.text for one in every("thead th")][:3] == ["Name ↑", "Position", "Abteilung"]
    go("#new/person")
    one("#new-person button[type=submit]").click()
    until(lambda: "Benutzername: Dieses Feld ist nötig." in text("#new-person .result"), "what is needed")
    driver.execute_script("document.querySelector('#new-person').isChanged = false")
    go("#user/" + identifier("kenji.sato"))
    assert "Vorgesetzte(r)" in text("dl") and text(".tabs").split()[:2] == ["Überblick", "Organigramm"]


@test("A declared attribute has the name of the reader's language, in a form and in the table")
def _():
    labels = {"labels": {"en": "Locker", "de": "Spind"}, "descriptions": {"de": "Im Keller."}}
    assert request("POST", "/admin/attributes", {"name": "lockerNumber", **labels})[0] == 201
    start()
    go("#new/person")
    one("#new-person .more-fields summary").click()
    assert "Spind" in text("#new-person") and "Im Keller." in text("#new-person")
    go("#people?columns=name,lockerNumber")
    until(lambda: [one.text for one in every("thead th")][1:2] == ["Spind"], "the name of the column")
    request("DELETE", "/admin/attributes/lockerNumber")


@test("Dates and numbers are written as in the reader's region")
def _():
    go("#people?columns=name,created")
    until(lambda: every("tbody tr"), "rows")
    assert "." in one("tbody td:nth-last-child(1)").text and "AM" not in text("tbody"), text("tbody tr")


@test("The language of a person's profile counts more than the browser's, from the first view on")
def _():
    give_password(PERSON, PHRASE, "ja")
    driver.delete_all_cookies()
    driver.get(BASE + "/oauth2/sign-in")
    assert one("h1").text == "Anmelden" and one("html").get_attribute("lang") == "de"
    sign_in(PERSON, PHRASE)
    until(lambda: every("#view h1"), "the first view")
    assert text("#view h1").startswith("こんにちは") and one("html").get_attribute("lang") == "ja"
    assert [one.text for one in every("#places a")] == ["ホーム", "ユーザー", "組織図", "ロール"]
    one("#commands").click()
    until(lambda: every("#command"), "the palette")
    one("#command").send_keys("組織")
    until(lambda: "組織図" in text("#command-list"), "a command by a part of its name")
    one("#command").send_keys(Keys.ESCAPE)


def views():
    person = identifier("kenji.sato")
    return {
        "home": "#home", "people": "#people", "chart": "#chart", "chart-around": f"#chart/{person}", "roles": "#roles",
        "roles-tree": "#roles?view=tree", "role": f"#group/{role('Engineering')}", "person": f"#user/{person}",
        "person-roles": f"#user/{person}?show=roles", "person-access": f"#user/{person}?show=access",
        "person-history": f"#user/{person}?show=history", "person-edit": f"#manage/{person}", "new-person": "#new/person",
        "new-role": "#new/role", "account": "#account", "nothing": "#nothing",
        **{f"admin-{name}": f"#admin/{name}" for name in [
            "backends", "tokens", "providers", "issuers", "policies", "keys", "attributes", "files", "audit", "server"]},
    }


if os.environ.get("SHOTS_IN_ALL") and SHOTS:
    @test("All views in four languages, as pictures, and none is wider than the window")
    def _():
        os.makedirs(SHOTS, exist_ok=True)
        driver.delete_all_cookies()
        wide = []
        for tag in ["en", "de", "es", "ja"]:
            speak(tag)
            for page in ["sign-in", "device", "forgotten"]:
                driver.get(f"{BASE}/oauth2/{page}")
                for width in WIDTHS:
                    size(width)
                    driver.save_screenshot(os.path.join(SHOTS, f"{tag}-{width}-page-{page}.png"))
        size(1280)
        enter()
        for tag in ["en", "de", "es", "ja"]:
            speak(tag)
            start()
            for width in WIDTHS:
                size(width)
                for name, fragment in views().items():
                    go(fragment)
                    until(lambda: not every("#view[aria-busy]") and not one("#loading").is_displayed(), name)
                    if driver.execute_script("return document.documentElement.scrollWidth > innerWidth"):
                        wide.append((tag, width, name))
                    driver.save_screenshot(os.path.join(SHOTS, f"{tag}-{width}-{name}.png"))
        assert not wide, wide


run("languages_test")
