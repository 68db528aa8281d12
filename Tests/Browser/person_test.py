#!/usr/bin/env python3
"""Administers one person in headless Chromium, on a server that serves Seeds/company.json: the form, how the person signs in, roles, and
the end. The environment is that of browser.py."""
import urllib.error

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser import (
    BASE, CORE, driver, enter, every, fill, fits, flaws, focus, go, identifier, inside, network, one, pick, picture, request, run, scim, session, size,
    test, text, told, until, values_of)


def save():
    inside("#edit-person", "Save").click()
    until(lambda: told("#edit-person") == "Saved.", "the answer")


def choose(field, words, found):
    """Types into a field with known values, and chooses the first one."""
    fill(field, words)
    until(lambda: found in text(f"{field}-list"), found)
    one(field).send_keys(Keys.ENTER)
    until(lambda: one(field).get_attribute("value") == found, found)


@test("An administrator signs in")
def _():
    size(1400)
    enter(view="people")


@test("A person is created with a manager found by name, and a wrong value is told")
def _():
    go("#new/person")
    assert not flaws(), flaws()
    fill("#form-uid", "vera.neu")
    fill("#form-givenName", "Vera")
    fill("#form-familyName", "Neu")
    fill("#form-emails-1-value", "not an address")
    pick("#form-manager", "Uwe Gr", "Uwe Groß")
    inside("#new-person", "Create").click()
    until(lambda: "no mail address" in told("#new-person"), "the refusal")
    assert one("#form-uid").get_attribute("value") == "vera.neu"
    fill("#form-emails-1-value", "vera.neu@nordwind.example")
    inside("#new-person", "Create").click()
    until(lambda: every("#edit-person"), "the administration of the new person")
    user = request("GET", "/forms/vera.neu")[1]
    values = {one["name"]: one["value"] for one in user["attributes"]}
    assert values["mail"] == "vera.neu@nordwind.example" and values["manager"] == identifier("uwe.gross"), values
    picture("administration-person", whole=True)
    assert not flaws() and fits(), flaws()


@test("A typed manager counts by name, nobody's name is refused, and an untouched field keeps the manager")
def _():
    def manager():
        return {one["name"]: one["value"] for one in request("GET", "/forms/vera.neu")[1]["attributes"]}["manager"]

    def shown():
        return one("#form-manager").get_attribute("value")

    go("#manage/" + identifier("vera.neu"))
    until(lambda: shown() == "Uwe Groß", "the present manager")
    for words in ["Garbage Boss", "Uwe"]:
        fill("#form-manager", words)
        inside("#edit-person", "Save").click()
        until(lambda: "no name" in told("#edit-person"), words)
        assert manager() == identifier("uwe.gross"), words
    fill("#form-manager", "Ilse Brandt")
    one("#form-title").click()
    inside("#edit-person", "Save").click()
    until(lambda: told("#edit-person") == "Saved.", "the typed name")
    assert manager() == identifier("ilse.brandt")
    fill("#form-title", "Assistant")
    inside("#edit-person", "Save").click()
    until(lambda: values_of("vera.neu")["title"] == "Assistant", "another field")
    assert manager() == identifier("ilse.brandt")
    fill("#form-manager", "uwe.gross")
    inside("#edit-person", "Save").click()
    until(lambda: manager() == identifier("uwe.gross"), "the name to sign in with")
    go("#new/person")
    fill("#form-uid", "not.made")
    fill("#form-manager", "Garbage Boss")
    inside("#new-person", "Create").click()
    until(lambda: "no name" in told("#new-person"), "the refusal")
    assert request("GET", "/forms/not.made")[0] == 404
    go("#manage/" + identifier("vera.neu"))
    until(lambda: every("#edit-person"), "the administration of the person")


@test("Attributes are edited by their kind, the account is disabled, and a lost connection keeps the form")
def _():
    fill("#form-title", "Clerk")
    Select(one("#form-active")).select_by_value("false")
    network(True)
    inside("#edit-person", "Save").click()
    until(lambda: "cannot be reached" in told("#edit-person"), "the failure")
    network(False)
    inside("#edit-person", "Save").click()
    until(lambda: told("#edit-person") == "Saved.", "the answer")
    user = scim("GET", "/scim/v2/Users/" + identifier("vera.neu"))
    assert user["title"] == "Clerk" and user["active"] is False
    inside("#edit-person", "More attributes").click()
    fill("#form-badge", "many")
    inside("#edit-person", "Save").click()
    until(lambda: "Badge: Write a whole number." in told("#edit-person"), "a wrong number")
    fill("#form-badge", "4711")
    Select(one("#form-active")).select_by_value("true")
    inside("#edit-person", "Save").click()
    until(lambda: told("#edit-person") == "Saved.", "the answer")
    values = {one["name"]: one["value"] for one in request("GET", "/forms/vera.neu")[1]["attributes"]}
    assert values["badge"] == 4711 and values["active"] is True, values


@test("Lists of mail addresses, telephones and addresses are edited by rows, with a type and one primary")
def _():
    go("#manage/" + identifier("vera.neu"))
    inside("#edit-person", "Add a mail address").click()
    driver.switch_to.active_element.send_keys("vera@home.example")
    Select(one("#form-emails-2-type")).select_by_value("home")
    one("#form-emails-2-primary").click()
    inside("#edit-person", "Add a telephone").click()
    driver.switch_to.active_element.send_keys("+49 40 5550 900")
    Select(one("#form-phoneNumbers-1-type")).select_by_value("mobile")
    inside("#edit-person", "Add an address").click()
    driver.switch_to.active_element.send_keys("Am Hafen 1")
    fill("#form-addresses-1-locality", "Hamburg")
    choose("#form-addresses-1-country", "germ", "Germany")
    save()
    values = values_of("vera.neu")
    assert {"value": "vera@home.example", "type": "home", "primary": True} in values["emails"] and len(values["emails"]) == 2, values["emails"]
    assert values["mail"] == "vera@home.example" and values["mobile"] == "+49 40 5550 900", values
    assert values["addresses"] == [{"streetAddress": "Am Hafen 1", "locality": "Hamburg", "country": "DE"}], values["addresses"]
    picture("person-lists", whole=True)
    assert not flaws() and fits(), flaws()
    inside("#edit-person", "Add a mail address").click()
    driver.switch_to.active_element.send_keys("vera@home.example")
    Select(one("#form-emails-3-type")).select_by_value("home")
    inside("#edit-person", "Save").click()
    until(lambda: "there twice" in told("#edit-person") and "there twice" in text("#form-emails-3-mistake"), "the refusal")
    every("[aria-label='Remove this mail address']")[2].click()
    assert focus("id") == "form-emails"
    driver.execute_script("arguments[0].click()", every("[aria-label='Remove this mail address']")[0])
    save()
    assert values_of("vera.neu")["emails"] == [{"value": "vera@home.example", "type": "home", "primary": True}]


@test("Dates, languages, time zones and countries are chosen, and what is none of them is not saved")
def _():
    inside("#edit-person", "More attributes").click()
    one("#form-hireDate").send_keys("01312026")
    choose("#form-preferredLanguage", "ger", "German")
    choose("#form-timezone", "berl", "Europe/Berlin")
    fill("#form-locale", "de-at")
    fill("#form-addresses-1-country", "Nowhereland")
    inside("#edit-person", "Save").click()
    until(lambda: "'Nowhereland' is no country" in told("#edit-person"), "the refusal")
    assert values_of("vera.neu")["timezone"] is None and one("#form-addresses-1-country").get_attribute("value") == "Nowhereland"
    fill("#form-addresses-1-country", "Japan")
    one("#form-addresses-1-country").send_keys(Keys.ESCAPE)
    save()
    values = values_of("vera.neu")
    expected = {"hireDate": "2026-01-31", "preferredLanguage": "de", "timezone": "Europe/Berlin", "locale": "de-AT"}
    assert {name: values[name] for name in expected} == expected and values["addresses"][0]["country"] == "JP", values


@test("All mistakes are told at once, each beside its field, by the rules of each attribute")
def _():
    for body in [{"name": "desk", "pattern": "[A-Z][0-9]+", "maximumLength": 4}, {"name": "floor", "type": "integer", "minimum": -2, "maximum": 8}]:
        assert request("POST", "/admin/attributes", body)[0] == 201
    try:
        go("#manage/" + identifier("vera.neu"))
        inside("#edit-person", "More attributes").click()
        fill("#form-uid", "")
        fill("#form-desk", "7a")
        fill("#form-floor", "9")
        fill("#form-timezone", "Moon")
        inside("#edit-person", "Save").click()
        until(lambda: told("#edit-person").startswith("4 fields need a correction."), told("#edit-person"))
        for name, mistake in [("uid", "This is needed."), ("desk", "does not match the pattern"), ("floor", "Write 8 or less."), ("timezone", "no time zone")]:
            assert mistake in text(f"#form-{name}-mistake"), name
            field = one(f"#form-{name}")
            assert field.get_attribute("aria-invalid") == "true" and f"form-{name}-mistake" in field.get_attribute("aria-describedby")
        assert focus("id") == "form-uid" and not flaws(), flaws()
        picture("person-mistakes", whole=True)
        for name, value in [("uid", "vera.neu"), ("desk", "A7"), ("floor", "-2"), ("timezone", "UTC")]:
            fill(f"#form-{name}", value)
        save()
        assert (values_of("vera.neu")["desk"], values_of("vera.neu")["floor"]) == ("A7", -2)
        fill("#form-uid", "uwe.gross")
        inside("#edit-person", "Save").click()
        until(lambda: text("#form-uid-mistake") and text("#form-uid-mistake") == told("#edit-person"), "what the server refuses")
    finally:
        for name in ["desk", "floor"]:
            assert request("DELETE", f"/admin/attributes/{name}?removing_values=true")[0] == 204
        go("#manage/" + identifier("vera.neu"))


@test("A manager is shown with the managers above, and a circle is explained and not saved")
def _():
    until(lambda: text("#form-manager-chain") == "Above: Uwe Groß → Owen Clarke → Ilse Brandt", "the managers above")
    go("#manage/" + identifier("owen.clarke"))
    pick("#form-manager", "vera.neu", "Vera Neu")
    until(lambda: "The lines would form a circle." in text("#form-manager-mistake"), "why not")
    assert "Vera Neu → Uwe Groß → Owen Clarke" in text("#form-manager-mistake")
    inside("#edit-person", "Save").click()
    until(lambda: "circle" in told("#edit-person"), "the refusal")
    assert values_of("owen.clarke")["manager"] == identifier("ilse.brandt")
    pick("#form-manager", "owen.cl", "Owen Clarke")
    until(lambda: "their own manager" in text("#form-manager-mistake"), "oneself")
    go("#manage/" + identifier("vera.neu"))


@test("A password is set, and signs in; the policy's refusal is told")
def _():
    go(f"#user/{identifier('vera.neu')}?show=access")
    section = "[aria-labelledby=access]"
    fill("#set-password", "vera.neu")
    inside(section, "Set the password").click()
    until(lambda: "password" in told(f"{section} form").lower(), "the refusal")
    fill("#set-password", "a boat on the lake")
    inside(section, "Set the password").click()
    until(lambda: "is set" in told(f"{section} form"), "the answer")
    assert request("GET", "/scim/v2/Me", who=("vera.neu", "a boat on the lake"))[0] == 200
    assert "There is no second factor" in text("ul[aria-labelledby=factors]")


@test("A password link lets a person set a password, once")
def _():
    go(f"#user/{identifier('vera.neu')}?show=access")
    inside("[aria-labelledby=access]", "Make a password link").click()
    until(lambda: every("#password-link"), "the link")
    link = text("#password-link")
    back = driver.current_url
    driver.get(link)
    assert not flaws(), flaws()
    for field in every("input[type=password]"):
        field.send_keys("a boat on the lake")
    one("form button").click()
    until(lambda: not every("input[name=password][autocomplete=new-password]"), "the password is set")
    assert request("GET", "/scim/v2/Me", who=("vera.neu", "a boat on the lake"))[0] == 200
    driver.get(link)
    assert "used" in text("body"), text("body")
    driver.get(back)
    until(lambda: every("#view h1"), "the page")


@test("A person is added to a role and removed from it")
def _():
    go(f"#user/{identifier('vera.neu')}?show=roles")
    pick("#add-role", "Engineering", "Engineering")
    inside("#add-to-role", "Add to the role").click()
    until(lambda: every("[aria-label='Remove from Engineering']") and "Engineering → Everyone" in text("[aria-labelledby=indirect-roles]"), "the role")
    one("[aria-label='Remove from Engineering']").click()
    until(lambda: not every("[aria-label='Remove from Engineering']"), "no role")


@test("A session of a person is ended by an administrator")
def _():
    opener = session("vera.neu", "a boat on the lake")
    assert opener.open(BASE + "/scim/v2/Me").status == 200
    go(f"#user/{identifier('vera.neu')}?show=access")
    one("[aria-label^='End this one']").click()
    until(lambda: not every("[aria-label^='End this one']"), "no session")
    try:
        opener.open(BASE + "/scim/v2/Me")
        raise AssertionError("the session goes on")
    except urllib.error.HTTPError as error:
        assert error.code == 401


@test("A person with reports is deleted only with a choice for them")
def _():
    go("#manage/" + identifier("vera.neu"))
    child = scim("POST", "/scim/v2/Users", {"schemas": [CORE], "userName": "vera.child"})["id"]
    assert request("PUT", "/forms/vera.child", {"manager": identifier("vera.neu")})[0] == 200
    section = "[aria-labelledby=removal]"
    fill("#delete-name", "somebody else")
    inside(section, "Delete").click()
    until(lambda: "another name" in told(section), "the refusal")
    fill("#delete-name", "vera.neu")
    inside(section, "Delete").click()
    until(lambda: "report" in told(section), "the refusal")
    Select(one("#reportees-policy")).select_by_value("reassign")
    inside(section, "Delete").click()
    until(lambda: text("#view h1") == "People" and "is deleted" in text("#toasts"), "the list")
    values = {one["name"]: one["value"] for one in request("GET", "/forms/vera.child")[1]["attributes"]}
    assert values["manager"] == identifier("uwe.gross")
    scim("DELETE", "/scim/v2/Users/" + child)


@test("The browser has nothing to complain about")
def _():
    expected = ["status of 400", "status of 401", "status of 403", "status of 404", "status of 409", "ERR_INTERNET_DISCONNECTED"]
    complaints = [entry["message"] for entry in driver.get_log("browser") if not any(known in entry["message"] for known in expected)]
    assert not complaints, complaints


run("person_test")
