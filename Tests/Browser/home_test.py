#!/usr/bin/env python3
"""Uses the first view of the page in headless Chromium, on a server that serves Seeds/company.json: the own team, who is new or has moved,
the own roles, and what needs an administrator's hand. The environment is that of browser.py."""
import urllib.parse

from selenium.webdriver.common.keys import Keys

from browser import (
    driver, enter, every, flaws, focus, give_password, go, identifier, one, picture, request, run, scheme, scim, size, test, text,
    until)


def links(selector):
    return [one.text for one in every(f"{selector} a")]


@test("The first view after the sign-in is the home, and the first place of the navigation")
def _():
    size(1280)
    request("POST", "/forms", {"uid": "nora.neu", "displayName": "Nora Neu", "title": "Trainee", "manager": "kenji.sato"})
    request("PUT", "/forms/uwe.gross", {"title": "Principal Engineer"})
    enter()
    until(lambda: text("#view h1") == "Hello, Administrator", "the home")
    assert driver.execute_script("return location.hash") == "#home" and text("#menu [aria-current]") == "Home"
    assert not every(".crumbs") and one("#places a").text == "Home" and focus("tagName") == "H1" and driver.title == "Hello, Administrator – Roster"


@test("Who is new is told, latest first")
def _():
    rows = [one.text for one in every("#news li")]
    assert any("Nora Neu" in one and "New · Trainee" in one for one in rows), rows
    # Whoever has moved within an hour after the creation is new, unless 200 other changes came between.
    assert [one.split("\n")[0] for one in rows[:2]] == ["Uwe Groß", "Nora Neu"], rows
    assert "New · " in rows[0] or "Title: Treasurer → Principal Engineer" in rows[0], rows


@test("What needs a hand is counted, and each link leads to exactly those people")
def _():
    one_disabled = identifier("kenji.sato")
    assert request("PUT", "/forms/kenji.sato", {"active": False})[0] == 200
    go("#people")
    go("#home")
    until(lambda: any("disabled and ha" in one for one in links("#attention")), "the disabled manager")
    picture("home-administrator")
    elements = {one["name"]: one for one in request("GET", "/admin/attention")[1]["elements"]}
    for name, words in [("without_manager", "no manager"), ("without_mail", "no mail"), ("disabled_managers", "disabled and ha")]:
        count, filter = elements[name]["count"], elements[name].get("filter")
        go("#home")
        until(lambda: every("#attention"), "the home")
        found = [one for one in every("#attention a") if words in one.text]
        if not count:
            assert not found, name
            continue
        assert found[0].text.startswith(f"{count} "), found[0].text
        found[0].send_keys(Keys.ENTER)
        expected = "1 person" if count == 1 else f"{count} people"
        until(lambda: text("#view .total") == expected, f"{name}: {expected}, not {text('#view .total')}")
        assert scim("GET", "/scim/v2/Users?count=0&filter=" + urllib.parse.quote(filter))["totalResults"] == count
    assert one_disabled in elements["disabled_managers"]["filter"]
    assert request("PUT", "/forms/kenji.sato", {"active": True})[0] == 200
    rest = {one["name"]: one for one in request("GET", "/admin/attention")[1]["elements"]}["disabled_managers"]
    assert rest["count"] == elements["disabled_managers"]["count"] - 1 and one_disabled not in rest.get("filter", "")
    go("#people")
    go("#home")
    until(lambda: every("#attention") and one("#attention"), "the home")
    assert "Roster 0." in text("#attention")


@test("A person sees their team and their roles with the reason, and nothing of administrators")
def _():
    give_password("emma.mueller", "correct horse battery 7")
    enter("emma.mueller", "correct horse battery 7")
    until(lambda: every("#team") and every("#own-roles"), "the home")
    manager = scim("GET", "/scim/v2/Users?filter=userName%20eq%20%22haruka.ito%22")["Resources"][0]
    assert manager["displayName"] in text("#team") and "Manager" in text("#team")
    peers = scim("GET", f"/scim/v2/Users?count=0&filter=manager%20eq%20%22{manager['id']}%22")["totalResults"] - 1
    assert f"Peers ({peers})" in text("#team"), text("#team")
    assert "Emma" not in " ".join(links("#team li")), "nobody is their own peer"
    assert not every("#attention")
    picture("home-person")
    why = [one for one in every("#own-roles summary") if one.text == "Why?"]
    why[0].send_keys(Keys.ENTER)
    until(lambda: len(one("#own-roles details[open]").text) > len("Why?"), "the path")


@test("The home is walked by the keyboard: from the heading to the manager in a few steps")
def _():
    go("#people")
    go("#home")
    until(lambda: text("#view h1").startswith("Hello") and focus("tagName") == "H1", "the heading")
    for _ in range(3):
        driver.switch_to.active_element.send_keys(Keys.TAB)
    manager = focus("textContent")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: text("#view h1") == manager, "the manager")


@test("The home has no flaw and fits, at three widths and in both colours")
def _():
    enter()
    for colour in ("light", "dark"):
        scheme(colour)
        for width in (360, 768, 1280):
            size(width)
            go("#people")
            go("#home")
            until(lambda: every("#attention") and every("#news"), "the home")
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width and not flaws(), (colour, width, wide, flaws())
    scheme("light")
    picture("home", True)
    assert request("DELETE", "/profile/v1/people/nora.neu")[0] == 204
    assert request("PUT", "/forms/uwe.gross", {"title": "Treasurer"})[0] == 200


run("home_test")
