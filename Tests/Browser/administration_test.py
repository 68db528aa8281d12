#!/usr/bin/env python3
"""Administers the company in headless Chromium, on a server that serves Seeds/company.json. The environment is that of browser.py."""
import json, time, urllib.parse, urllib.request

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from browser import (
    BASE, CORE, driver, enter, every, fill, fits, flaws, give_password, go, identifier, inside, one, own_id, pick, picture, request, role, run,
    scim, size, test, text, told, until)

OWNER = "yuki.tanaka"


def attribute(name):
    return next(one for one in request("GET", "/admin/attributes")[1]["attributes"] if one["name"] == name)


def readers_of(name):
    return attribute(name)["readers"]


def app(name):
    return next((one for one in request("GET", "/admin/backends")[1]["backends"] if one["name"] == name), None)


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


@test("Grafana is connected in five steps, with its lines to paste; the app is changed by its form and as JSON, and deleted")
def _():
    steps = []

    def click(selector):
        until(lambda: every(selector), selector)
        one(selector).click()
        steps.append(selector)

    click("#administration a[href='#admin/backends']")
    click("#view a[href='#admin/backends?new=choose']")
    click("a[href='#admin/backends?new=grafana']")
    until(lambda: every("#new-app-origin"), "the form")
    fill("#new-app-origin", "grafana")
    inside("#new-app", "Create").click()
    assert "no address" in text("#new-app-origin-mistake") and not app("grafana")
    fill("#new-app-origin", "https://grafana.example.com/")
    click("#new-app [type=submit]")
    until(lambda: every("#client_secret"), "the secret")
    secret, lines = text("#client_secret"), text("#lines")
    assert f"client_secret = {secret}" in lines and "root_url = https://grafana.example.com/" in lines and BASE + "/oauth2/token" in lines, lines
    assert app("grafana")["redirect_uris"] == ["https://grafana.example.com/login/generic_oauth"] and app("grafana")["pkce"] == "required"
    click("#lines-title ~ .actions .copy")
    until(lambda: "Copied" in text("#toasts"), "the copy")
    assert len(steps) <= 6, steps
    assert not flaws() and fits(), flaws()
    go(f"#admin/backends?app={app('grafana')['id']}")
    assert secret not in driver.page_source and "CLIENT_SECRET" in text("#lines")
    tried = next(one for one in every("#try-title ~ .actions a") if "Try" in one.text).get_attribute("href")
    assert "client_id=" + app("grafana")["client_id"] in tried
    one("#app-consent").click()
    one("#app > details:last-of-type summary").click()
    until(lambda: '"consent": true' in one("#app-json").get_attribute("value"), "the field in the JSON")
    body = json.loads(one("#app-json").get_attribute("value"))
    fill("#app-json", "{ no json")
    inside("#app", "Save").click()
    until(lambda: "no JSON object" in text("#app"), "the refusal")
    fill("#app-json", json.dumps({**body, "refresh_token_expiry": 0}))
    inside("#app", "Save").click()
    until(lambda: "from 1 to" in text("#app-refresh_token_expiry-mistake"), "the same check as in the field")
    fill("#app-json", json.dumps({**body, "refresh_token_expiry": 60, "redirect_uris": ["http://far.example.com/"]}))
    inside("#app", "Save").click()
    until(lambda: text("#app-redirect_uris-mistake"), "the server's refusal beside its field")
    fill("#app-json", json.dumps({**body, "refresh_token_expiry": 60}))
    inside("#app", "Save").click()
    until(lambda: app("grafana")["consent"] is True and app("grafana")["refresh_token_expiry"] == 60, "the change")
    until(lambda: "is saved" in text("#toasts"), "the answer")
    go(f"#admin/backends?app={app('grafana')['id']}")
    fill("#keep-days", "7")
    inside("#new-secret", "Make").click()
    until(lambda: every("#client_secret"), "another secret")
    go(f"#admin/backends?app={app('grafana')['id']}")
    assert "good until" in text("[aria-labelledby=secrets]")
    for _ in range(2):
        one("[aria-label='Delete grafana']").click()
    until(lambda: text("#view h1") == "Apps" and "grafana" not in text(), "no app")


@test("An app's page says who uses it, latest use first, page by page, with links")
def _():
    made = request("POST", "/admin/backends", {"name": "who", "grant_types": ["password"]})[1]
    go(f"#admin/backends?app={made['id']}")
    assert text("#app-users") == "Nobody has a token of this app."
    users = []
    for number in range(21):
        user = {"schemas": [CORE], "userName": f"user{number}", "displayName": f"User {number}", "password": "four ducks on a pond"}
        users.append(scim("POST", "/scim/v2/Users", user)["id"])
        form = {"grant_type": "password", "username": f"user{number}", "password": "four ducks on a pond", "client_id": made["client_id"], "client_secret": made["client_secret"], "scope": "openid"}
        urllib.request.urlopen(BASE + "/oauth2/token", urllib.parse.urlencode(form).encode()).close()
    go(f"#admin/backends?app={made['id']}")
    assert len(every("#app-users li")) == 20
    inside("[aria-labelledby=users-title]", "Show more").click()
    until(lambda: len(every("#app-users li")) == 21, "the last one")
    assert not every("[aria-labelledby=users-title] button")[-1].is_displayed() and not flaws() and fits(), flaws()
    shown = [one.get_attribute("href").split("/")[-1] for one in every("#app-users a")]
    assert shown == users[::-1] and text("#app-users li").startswith("User 20"), shown
    picture("administration-app-users")
    for user in users:
        request("DELETE", f"/scim/v2/Users/{user}")
    request("DELETE", f"/admin/backends/{made['id']}")


@test("Each app with a guide, and each kind of app, can be made, and is told what it must know")
def _():
    go("#admin/backends?new=choose")
    known, kinds = ([one.get_attribute("href").split("=")[-1] for one in every(f"#{part} ~ ul a")] for part in ["known-apps", "app-kinds"])
    assert len(known) == 10 and len(kinds) == 9, (known, kinds)
    public = ["spa", "mobile", "device", "mobile-social"]
    for key in known + kinds:
        go(f"#admin/backends?new={key}")
        if key == "gitea":
            assert "add-ldap" in text("#lines")
            continue
        fill("#new-app-name", f"Kind {key}")
        for field, value in [("origin", "https://app.example.com"), ("redirect_uris", "https://app.example.com/callback")]:
            if every(f"#new-app-{field}"):
                fill(f"#new-app-{field}", value)
        inside("#new-app", "Create").click()
        until(lambda: every("#lines"), key)
        made = app(f"Kind {key}")
        assert (made["client_id"] if key != "nginx" else "server_name app.example.com;") in text("#lines") and made["public"] == (key in public), made
        request("DELETE", f"/admin/backends/{made['id']}")


@test("A program's token is made, shown once, and ended")
def _():
    go("#admin/tokens")
    fill("#new-token-name", "hr")
    fill("#new-token-days", "many")
    inside("#new-token", "Create").click()
    until(lambda: "whole number" in text("#new-token-days-mistake"), "the refusal")
    fill("#new-token-days", "30")
    one("#new-token details summary").click()
    fill("#new-token-source", "entra")
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


@test("A reading program's token names what the program reads, and a mistake is told beside its field")
def _():
    go("#admin/tokens")
    assert not one("#new-token-attributes").is_displayed(), "only reading programs name attributes"
    fill("#new-token-name", "the wiki")
    Select(one("#new-token-role")).select_by_visible_text("Reading: reads some attributes of some people")
    assert one("#new-token-attributes").is_displayed() and one("#new-token-members_of").is_displayed()
    fill("#new-token-attributes", "uid\nmial")
    inside("#new-token", "Create").click()
    until(lambda: "mial" in text("#new-token"), "the refusal")
    fill("#new-token-attributes", "uid\nmail")
    fill("#new-token-members_of", "platform")
    inside("#new-token", "Create").click()
    until(lambda: every(".note code"), "the token")
    go("#admin/tokens")
    until(lambda: "reads mail, uid of the members of platform" in text(), "what it reads")
    assert "no use recorded" in text(), "the last use"
    for _ in range(2):
        one("[aria-label='End the token the wiki']").click()
    until(lambda: "the wiki" not in [one.text for one in every(".rows strong")], "no token")


@test("A signing key is made")
def _():
    go("#admin/keys")
    before = len(every(".rows li strong"))
    inside("#new-key", "Make").click()
    until(lambda: len(every(".rows li strong")) > before, "the key")


@test("An attribute is declared, renamed, read by more people after a question, and removed with what is lost")
def _():
    go("#admin/attributes?new=1")
    fill("#new-attribute-name", "shoeSize")
    Select(one("#new-attribute-type")).select_by_visible_text("Whole number")
    inside("#new-attribute", "Declare").click()
    until(lambda: "Shoe size" in text("table"), "the attribute")
    assert readers_of("shoeSize") == "administrators"
    request("PUT", "/forms/emma.mueller", {"shoeSize": 39})
    go("#admin/attributes?name=shoeSize&of=user")
    assert "1 person has a value." in text()
    for answer, expected in [("Leave it", "administrators"), ("Let them", "signedIn")]:
        Select(one("#attribute-readers")).select_by_visible_text("Everybody who is signed in")
        inside("#attribute", "Save").click()
        until(lambda: "Everybody who is signed in can read it then" in text("dialog"), "the question")
        assert readers_of("shoeSize") == "administrators", "nothing is changed before the answer"
        inside("dialog", answer).click()
        until(lambda: readers_of("shoeSize") == expected, answer)
    until(lambda: "is saved" in text("#toasts"), "the answer")
    inside("#toasts", "Undo").click()
    until(lambda: readers_of("shoeSize") == "administrators", "the former readers")
    go("#admin/attributes?name=shoeSize&of=user")
    inside("#attribute", "More settings").click()
    fill("#attribute-labels-en", "Shoe size (EU)")
    fill("#attribute-labels-de", "Schuhgröße")
    fill("#attribute-descriptions-en", "Half sizes are rounded up.")
    inside("#attribute", "Save").click()
    until(lambda: text("#view h1") == "Shoe size (EU)", "the name for people")
    go("#new/person")
    one("#new-person .more-fields summary").click()
    assert "Shoe size (EU)" in text("#new-person") and "Half sizes are rounded up." in text("#new-person")
    go("#admin/attributes?name=shoeSize&of=user")
    inside("#attribute", "More settings").click()
    assert request("PUT", "/admin/attributes/shoeSize", {"labels": {"es": "Talla"}})[0] == 200
    fill("#attribute-labels-en", " ")
    fill("#attribute-labels-de", " ")
    inside("#attribute", "Save").click()
    until(lambda: text("#view h1") == "Shoe size", "the name in words again")
    assert attribute("shoeSize")["labels"] == {"es": "Talla"}, "what somebody else set meanwhile in another language stays"
    inside("#toasts", "Undo").click()
    until(lambda: text("#view h1") == "Shoe size (EU)", "the former names")
    assert attribute("shoeSize")["labels"] == {"de": "Schuhgröße", "en": "Shoe size (EU)", "es": "Talla"}
    assert request("PUT", "/admin/attributes/shoeSize", {"labels": None})[0] == 200
    driver.refresh()
    until(lambda: text("#view h1") == "Shoe size", "the name in words again")
    fill("#attribute-name", "footSize")
    inside("#attribute", "Save").click()
    until(lambda: "must say" in text("dialog"), "the question")
    inside("dialog", "Rename").click()
    until(lambda: text("#view h1") == "Foot size", "the new name")
    one("[aria-label='Remove footSize with its values']").click()
    until(lambda: "1 person has a value. All these values are lost" in text("dialog"), "what is lost")
    inside("dialog", "Remove").click()
    until(lambda: text("#view h1") == "Attributes" and "Foot size" not in text(), "no attribute")


@test("The audit log is filtered, also by days, tells its details, and is saved")
def _():
    scim("DELETE", "/scim/v2/Users/" + scim("POST", "/scim/v2/Users", {"schemas": [CORE], "userName": "gone.person"})["id"])
    go("#admin/audit")
    rows = "#audit-rows tbody tr"
    until(lambda: every(rows), "entries")
    Select(one("#audit-kind")).select_by_value("deleted")
    fill("#audit-subject", "gone.person")
    inside("#audit-filter", "Filter").click()
    until(lambda: len(every(rows)) == 1 and "gone.person" in text(rows) and "admin" in text(rows), "one entry")
    assert "kind=deleted" in driver.current_url and "subject=gone.person" in driver.current_url
    driver.refresh()
    until(lambda: len(every(rows)) == 1 and one("#audit-subject").get_attribute("value") == "gone.person", "the same after a reload")
    inside(rows, "Details").click()
    until(lambda: "gone.person" in text("dialog"), "what was lost")
    inside("dialog", "Close").click()
    today = time.strftime("%Y-%m-%d")
    for first, last, found in [(today, today, 1), ("", "2020-01-01", 0), ("2099-01-01", "", 0), ("2020-01-01", "2099-01-01", 1)]:
        go(f"#admin/audit?kind=deleted&subject=gone.person&from={first}&to={last}")
        until(lambda: len(every(rows)) == found, (first, last))
    inside("#view", "Save").click()
    until(lambda: "1 entry is saved" in text("#toasts"), "the file")


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
