#!/usr/bin/env python3
"""Administers the company in headless Chromium, on a server that serves Seeds/company.json. The environment is that of browser.py."""
import json, time

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from browser import (
    BASE, CORE, driver, enter, every, fill, fits, flaws, give_password, go, identifier, inside, one, own_id, pick, picture, request, role, run,
    scim, size, test, text, told, until)

OWNER = "yuki.tanaka"


def readers_of(name):
    return next(one["readers"] for one in request("GET", "/admin/attributes")[1]["attributes"] if one["name"] == name)


@test("An administrator finds the administration, in which every view fits and has no flaw")
def _():
    size(1400)
    enter(view="people")
    assert one("#administration").is_displayed()
    for name in ["backends", "tokens", "keys", "attributes", "audit"]:
        go(f"#admin/{name}")
        time.sleep(0.3)
        assert every("#menu [aria-current=page]")
        assert not flaws(), (name, flaws())
        assert fits(), name
        picture(f"administration-{name}")


@test("A role is created, gets members and an owner, and is deleted")
def _():
    go("#new/role")
    fill("#role-name", "night-shift")
    fill("#role-display", "Night shift")
    inside("#new-role", "Create").click()
    until(lambda: text("#view h1") == "Night shift", "the role")
    pick("#add-member", "Uwe Gr", "Uwe Groß")
    inside("#member-form", "Add").click()
    until(lambda: "Members (1)" in text(), "a member")
    pick("#add-owner", "yuki.tanaka", "田中 由紀")
    inside("#owner-form", "Add").click()
    until(lambda: every("[aria-labelledby=owners] li"), "an owner")
    picture("administration-role")
    assert not flaws() and fits(), flaws()
    one("#edit-members").click()
    one("[aria-label='Remove Uwe Groß']").click()
    until(lambda: "Members (0)" in text() or "Members (1)" not in text(), "no member")


@test("An app is created with its secret shown once, changed, and deleted")
def _():
    go("#admin/backends")
    fill("#backend-name", "Canteen")
    fill("#backend-redirect", "https://canteen.example/callback")
    inside("#new-backend", "Create").click()
    until(lambda: "Created" in told("#new-backend") and every(".note code"), "the secret")
    go("#admin/backends")
    assert not every(".note code")
    item = next(one for one in every(".rows li") if "Canteen" in one.text)
    item.find_element(By.CSS_SELECTOR, "summary").click()
    settings = item.find_element(By.CSS_SELECTOR, "textarea")
    body = json.loads(settings.get_attribute("value"))
    settings.clear()
    settings.send_keys("{ no json")
    item.find_element(By.CSS_SELECTOR, "form button").click()
    until(lambda: "no JSON" in item.text, "the refusal")
    settings.clear()
    settings.send_keys(json.dumps({**body, "consent": True}))
    item.find_element(By.CSS_SELECTOR, "form button").click()
    until(lambda: "Saved." in item.text, "the answer")
    assert next(one for one in request("GET", "/admin/backends")[1]["backends"] if one["name"] == "Canteen")["consent"] is True
    delete = driver.find_element(By.CSS_SELECTOR, "[aria-label='Delete Canteen']")
    delete.click()
    assert "Really" in delete.text
    delete.click()
    until(lambda: "Canteen" not in text(), "no app")


@test("A program's token is made, shown once, and ended")
def _():
    go("#admin/tokens")
    fill("#token-name", "hr")
    fill("#token-days", "many")
    inside("#new-token", "Create").click()
    until(lambda: "days" in told("#new-token"), "the refusal")
    fill("#token-days", "30")
    fill("#token-source", "entra")
    inside("#new-token", "Create").click()
    until(lambda: every(".note code"), "the token")
    token = text(".note code")
    import urllib.request
    bearer = urllib.request.Request(BASE + "/scim/v2/Users?count=1", headers={"Authorization": f"Bearer {token}"})
    assert urllib.request.urlopen(bearer).status == 200
    go("#admin/tokens")
    until(lambda: "source entra" in text(), "the source")
    for _ in range(2):
        one("[aria-label='End the token hr']").click()
    until(lambda: "hr" not in [one.text for one in every(".rows strong")], "no token")


@test("A signing key is made")
def _():
    go("#admin/keys")
    before = len(every(".rows li strong"))
    inside("#new-key", "Make").click()
    until(lambda: len(every(".rows li strong")) > before, "the key")


@test("An attribute is declared, its readers are changed, and it is removed")
def _():
    go("#admin/attributes")
    fill("#attribute-name", "shoeSize")
    Select(one("#attribute-type")).select_by_value("integer")
    inside("#new-attribute", "Declare").click()
    until(lambda: every("[aria-label='Readers of shoeSize']"), "the attribute")
    Select(one("[aria-label='Readers of shoeSize']")).select_by_value("managers")
    until(lambda: "of shoeSize are changed" in text("#toasts"), "the answer")
    for answer, expected in [("Leave it", "managers"), ("Let signedIn", "signedIn")]:
        Select(one("[aria-label='Readers of shoeSize']")).select_by_value("signedIn")
        until(lambda: "More people could read 'shoeSize'" in text(), "the question")
        assert readers_of("shoeSize") == "managers", "nothing is changed before the answer"
        inside("#view", answer).click()
        until(lambda: readers_of("shoeSize") == expected, answer)
        assert one("[aria-label='Readers of shoeSize']").get_attribute("value") == expected
    until(lambda: "of shoeSize are changed" in text("#toasts"), "the answer")
    inside("#toasts", "Undo").click()
    until(lambda: readers_of("shoeSize") == "managers", "the former readers")
    until(lambda: one("[aria-label='Readers of shoeSize']").get_attribute("value") == "managers", "the former readers are shown")
    for _ in range(2):
        one("[aria-label='Remove shoeSize with its values']").click()
    until(lambda: not every("[aria-label='Readers of shoeSize']"), "no attribute")


@test("The audit log is filtered")
def _():
    scim("DELETE", "/scim/v2/Users/" + scim("POST", "/scim/v2/Users", {"schemas": [CORE], "userName": "gone.person"})["id"])
    go("#admin/audit")
    until(lambda: every("#audit-rows li"), "entries")
    Select(one("#audit-kind")).select_by_value("deleted")
    fill("#audit-subject", "gone.person")
    inside("#audit-filter", "Filter").click()
    until(lambda: len(every("#audit-rows li")) == 1 and "gone.person" in text("#audit-rows") and "by admin" in text("#audit-rows"), "one entry")
    assert "kind=deleted" in driver.current_url and "subject=gone.person" in driver.current_url
    driver.refresh()
    until(lambda: len(every("#audit-rows li")) == 1 and one("#audit-subject").get_attribute("value") == "gone.person", "the same after a reload")


@test("An owner changes the own role, and nobody else's, and sees no administration")
def _():
    give_password(OWNER, "lanterns over the river")
    shift = role("Night shift")
    enter(OWNER, "lanterns over the river", view="group/" + shift)
    assert not one("#administration").is_displayed()
    pick("#add-member", "Uwe Gr", "Uwe Groß")
    inside("#member-form", "Add").click()
    until(lambda: "Members (1)" in text(), "a member")
    go("#group/" + role("Everyone"))
    assert not every("#member-form")
    for fragment in ["#admin/tokens", "#admin/audit", "#admin/keys", "#admin/attributes", "#admin/backends", "#new/person", "#new/role", "#manage/" + identifier("emma.mueller")]:
        go(fragment)
        until(lambda: text("#view h1") == "This is not for you.", fragment)


@test("The help desk sets a password and removes a second factor, of people without a power only")
def _():
    enter(view="group/" + role("Night shift"))
    Select(one("#role-power")).select_by_value("help-desk")
    inside("#power-form", "Set").click()
    until(lambda: told("#power-form") == "Saved.", "the answer")
    give_password("uwe.gross", "a ladder against the wall")
    enter("uwe.gross", "a ladder against the wall", view="manage/" + identifier("emma.mueller"))
    until(lambda: every("#set-password"), "the access")
    assert [one.text for one in every(".tabs a")] == ["Overview", "Chart", "Roles", "Access"]
    fill("#set-password", "quiet rivers in spring")
    inside("[aria-labelledby=access]", "Set the password").click()
    until(lambda: "is set" in told("[aria-labelledby=access] form"), "the answer")
    assert request("GET", "/scim/v2/Me", who=("emma.mueller", "quiet rivers in spring"))[0] == 200
    go(f"#user/{own_id()}?show=access")
    fill("#set-password", "quiet rivers in spring")
    inside("[aria-labelledby=access]", "Set the password").click()
    until(lambda: "may not" in told("[aria-labelledby=access] form"), "the refusal for an administrator")
    picture("help-desk")


@test("A people editor edits people and creates them, and sees neither roles nor passwords")
def _():
    enter(view="group/" + role("Night shift"))
    Select(one("#role-power")).select_by_value("people-editor")
    inside("#power-form", "Set").click()
    until(lambda: told("#power-form") == "Saved.", "the answer")
    enter("uwe.gross", "a ladder against the wall", view="manage/" + identifier("emma.mueller"))
    assert every("#edit-person") and [one.text for one in every(".tabs a")] == ["Overview", "Chart", "Roles", "Edit"]
    fill("#form-title", "Lead Engineer")
    inside("#edit-person", "Save").click()
    until(lambda: told("#edit-person") == "Saved.", "the answer")
    assert not one("#administration").is_displayed()
    go("#people")
    one("#view a.main").click()
    until(lambda: every("#new-person #form-uid"), "the form")
    fill("#new-person #form-uid", "new.by.editor")
    inside("#new-person", "Create").click()
    until(lambda: every("#edit-person") and "new.by.editor" in text(), "the new person")
    fill("#delete-name", "new.by.editor")
    inside("[aria-labelledby=removal]", "Delete").click()
    until(lambda: text("#view h1") == "People", "the list")
    go("#manage/" + own_id())
    assert not every("#edit-person"), "an administrator is not edited"


@test("The role of the tests is deleted")
def _():
    enter(view="group/" + role("Night shift"))
    for _ in range(2):
        next(one for one in every("#view button") if "elete the role" in one.text).click()
    until(lambda: text("#view h1") == "Roles", "the list")


@test("The browser has nothing to complain about")
def _():
    expected = ["status of 400", "status of 401", "status of 403", "status of 404", "status of 409", "ERR_INTERNET_DISCONNECTED"]
    complaints = [entry["message"] for entry in driver.get_log("browser") if not any(known in entry["message"] for known in expected)]
    assert not complaints, complaints


run("administration_test")
