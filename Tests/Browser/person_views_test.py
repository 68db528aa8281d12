#!/usr/bin/env python3
"""Walks the views of one person in headless Chromium, on a server that serves Seeds/company.json: overview, roles, access, and history with
taking changes back; and what happens if two change the same. The environment is that of browser.py."""
from selenium.webdriver.common.keys import Keys

from browser import (
    CORE, button, driver, enter, every, fill, fits, flaws, focus, give_password, go, identifier, inside, one, picture, request, role, run,
    scim, size, test, text, told, until, values_of)

PERSON, PASSWORD = "noah.davies", "four ducks on a pond"


def show(part, name=PERSON):
    go(f"#user/{identifier(name)}?show={part}")


def change(**values):
    assert request("PUT", f"/forms/{PERSON}", values)[0] == 200


def entries():
    return [one.text.split("\n")[0] for one in every("#history > li")]


@test("A person has tabs, each with an address and a title, and the way to it from the start")
def _():
    size(1400)
    enter(view="user/" + identifier(PERSON))
    assert [one.text for one in every(".tabs a")] == ["Overview", "Chart", "Roles", "Access", "History", "Edit"]
    assert text(".crumbs").split("\n") == ["Home", "People", "Noah Davies"] and driver.title == "Noah Davies – Roster"
    for name in ["Roles", "Access", "History", "Edit", "Chart"]:
        next(one for one in every(".tabs a") if one.text == name).click()
        until(lambda: every(".tabs [aria-current=page]") and text(".tabs [aria-current=page]") == name, name)
        assert text(".crumbs").split("\n") == ["Home", "People", "Noah Davies", name] and driver.title == f"Noah Davies – {name} – Roster"
        assert text("#view h1") == "Noah Davies" and not flaws() and fits(), (name, flaws())
        picture(f"person-{name.lower()}")
    driver.back()
    until(lambda: text(".tabs [aria-current=page]") == "Edit", "back")
    one(".crumbs li:nth-child(3) a").click()
    until(lambda: text(".tabs [aria-current=page]") == "Overview", "the overview")


@test("The user name, a mail address and the identifier are copied; the other attributes are folded away")
def _():
    driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    for what, expected in [("user name", PERSON), ("mail address noah.davies@nordwind.example", "noah.davies@nordwind.example"),
                           ("identifier", identifier(PERSON))]:
        one(f"[aria-label='Copy the {what}']").click()
        until(lambda: "Copied." in text("#toasts"), what)
        assert driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])") == expected, what
        button("×", "#toasts").click()
    assert "Badge" not in text("#view dl")
    one("#all-attributes summary").click()
    until(lambda: "Badge\n33" in text("#all-attributes"), "all of them")
    assert not flaws() and fits(), flaws()
    go("#manage/" + identifier(PERSON))
    assert not every("#form-hireDate")[0].is_displayed() and one("#form-title").is_displayed()
    inside("#edit-person", "Attributes that you can only read").click()
    until(lambda: "Created" in text("#read-only"), "what can only be read")
    assert "UTC" in text("#read-only") or "GMT" in text("#read-only"), "the zone of a time"


@test("A person's roles are those held directly, and those through others with the way there")
def _():
    show("roles")
    assert text("ul[aria-labelledby=roles]").startswith("Products team")
    through = text("ul[aria-labelledby=indirect-roles]")
    assert "Engineering\nWhy: Products team → Engineering" in through and "Why: Products team → Engineering → Everyone" in through, through
    show("roles", "joerg.muench")
    assert text("ul[aria-labelledby=owned-roles]") == "Products team"


@test("A person's access lists sessions, app passwords and apps, and ends them")
def _():
    give_password(PERSON, PASSWORD)
    assert request("POST", f"/admin/users/{PERSON}/app-passwords", {"name": "Printer", "for": "ldap"})[0] == 201
    show("access")
    assert "Printer\nfor LDAP" in text("ul[aria-labelledby=app-passwords]") and "never used" in text("ul[aria-labelledby=app-passwords]")
    for part in ["sessions", "devices", "grants", "links"]:
        assert text(f"ul[aria-labelledby={part}]"), part
    for _ in range(2):
        one("[aria-label='End the app password Printer']").click()
    until(lambda: "There is no app password." in text(), "none")


@test("A person's second factors are listed with their last use, and removed after a question; the history tells of it")
def _():
    questions = [{"question": "What was your first street?", "answer": "rue de la paix"}, {"question": "Who taught you to swim?", "answer": "aunt zoë"}]
    show("access")
    assert "There is no second factor" in text("ul[aria-labelledby=factors]")
    assert request("PUT", "/account/challenge-questions", {"questions": questions}, who=(PERSON, PASSWORD))[0] == 204
    show("access")
    until(lambda: "Challenge questions\n2 questions, since " in text("ul[aria-labelledby=factors]"), "the questions")
    assert "never used" in text("ul[aria-labelledby=factors]") and "street" not in text() and not flaws() and fits(), flaws()
    picture("person-factors")
    one("[aria-label='Remove: Challenge questions']").click()
    assert "Be sure that Noah Davies asks you" in text("dialog")
    button("Keep it", "dialog").click()
    assert "Challenge questions" in text("ul[aria-labelledby=factors]")
    one("[aria-label='Remove: Challenge questions']").click()
    button("Remove", "dialog").click()
    until(lambda: "There is no second factor" in text("ul[aria-labelledby=factors]"), "none")
    assert request("GET", "/scim/v2/Me", who=(PERSON, PASSWORD))[0] == 200
    show("history&of=sign-ins")
    until(lambda: "Sessions or tokens ended" in text("#history"), "the removal")
    one("#history summary").click()
    assert "challenge questions" in text("#history"), text("#history")


@test("The history says who changed what, from which value to which, and leaves passwords out")
def _():
    change(title="Engineer II", manager=identifier("tom.evans"))
    change(nickName="Ducky", languages=["en", "cy"])
    show("history")
    assert entries() == ["Changed: Languages, Nickname", "Changed: Manager, Title", "Changed: Password", "Added to the role Products team", "Created"], entries()
    shown = every("#history > li")[1].text
    for part in ["by admin", "Manager Anna Schröder Tom Evans", "Title Engineer Engineer II"]:
        assert part in shown, (part, shown)
    assert len(every("#history > li > button")) == 2, "a password is not set again"
    picture("person-history")
    assert not flaws() and fits(), flaws()


@test("A change is undone by a new one, after a look at it; what was changed again since is left out")
def _():
    change(title="Engineer III")
    show("history")
    every("#history > li > button")[2].click()
    until(lambda: every("#undo tbody tr"), "what changes")
    rows = [row.text.replace("\n", " ") for row in every("#undo tbody tr")]
    assert rows == ["Manager Tom Evans Anna Schröder", "Title Engineer III Engineer · was changed again since"], rows
    assert not one("#undo-title").is_selected() and one("#undo-manager").is_selected() and not flaws(), flaws()
    picture("person-undo")
    button("Undo", "dialog").click()
    until(lambda: "undone" in text("#toasts") and len(entries()) == 7, "the new change")
    values = values_of(PERSON)
    assert values["manager"] == identifier("anna.schroeder") and values["title"] == "Engineer III", values
    every("#history > li > button")[0].click()
    until(lambda: every("#undo tbody tr"), "the undoing itself")
    button("Cancel", "dialog").click()
    assert values_of(PERSON)["manager"] == identifier("anna.schroeder")


@test("Sign-ins are a part of the history of their own")
def _():
    assert request("GET", "/scim/v2/Me", who=(PERSON, PASSWORD))[0] == 200

    def shown():
        show("history&of=sign-ins")
        return text("#history")

    until(lambda: "Signed in" in shown(), "the sign-in, which is written a moment later")
    assert "Changed" not in text("#history")


@test("The history tells which roles a person came to and left, in the order of the other changes, with a link to each role that is there")
def _():
    member = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [{"op": "add", "path": "members", "value": [{"value": identifier(PERSON)}]}]}
    made = scim("POST", "/scim/v2/Groups", {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Night watch"})["id"]
    for group in [made, role("Finance")]:
        request("PATCH", f"/scim/v2/Groups/{group}", member, kind="application/scim+json")
    change(nickName="Coot")
    request("DELETE", f"/scim/v2/Groups/{made}")
    show("history")
    assert entries()[:4] == ["Removed from the role Night watch", "Changed: Nickname", "Added to the role Finance", "Added to the role Night watch"], entries()
    assert "by admin · the role was deleted" in every("#history > li")[0].text and not every("#history > li")[0].find_elements("css selector", "a[href*=group]")
    picture("person-history-roles")
    assert not flaws() and fits(), flaws()
    one("#history a[href*=group]").click()
    until(lambda: text("#view h1") == "Finance", "the role")


@test("What two change meanwhile is shown side by side, and one chooses by the keyboard; other attributes are kept from both")
def _():
    go("#manage/" + identifier(PERSON))
    fill("#form-title", "Engineer IV")
    fill("#form-nickName", "Drake")
    change(title="Principal", department="Web", nickName="Teal")
    inside("#edit-person", "Save").click()
    until(lambda: every("#conflict tbody tr"), "both values")
    assert text("dialog h2") == "admin changed this meanwhile"
    rows = {row.find_element("css selector", "th").text: [cell.text.split("\n")[-1] for cell in row.find_elements("css selector", "td")] for row in every("#conflict tbody tr")}
    assert rows == {"Title": ["Engineer III", "Principal", "Engineer IV"], "Nickname": ["Coot", "Teal", "Drake"]}, rows
    picture("person-conflict")
    assert not flaws(), flaws()
    button("Back to the form", "dialog").click()
    until(lambda: told("#edit-person") == "Nothing is saved yet.", "the form")
    assert values_of(PERSON)["title"] == "Principal" and one("#form-title").get_attribute("value") == "Engineer IV"
    inside("#edit-person", "Save").click()
    until(lambda: every("#conflict tbody tr"), "both values again")
    driver.execute_script("arguments[0].focus()", one("#conflict-title-theirs"))
    driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert focus("id") == "conflict-title-mine"
    button("Save these", "dialog").click()
    until(lambda: told("#edit-person") == "Saved. Meanwhile admin changed: Department.", told("#edit-person"))
    values = values_of(PERSON)
    assert (values["title"], values["nickName"], values["department"]) == ("Engineer IV", "Teal", "Web"), values
    assert one("#form-nickName").get_attribute("value") == "Teal" and one("#form-department").get_attribute("value") == "Web"


@test("Changes of different attributes at the same time are both kept without a question")
def _():
    fill("#form-title", "Engineer V")
    change(department="Engineering")
    inside("#edit-person", "Save").click()
    until(lambda: told("#edit-person") == "Saved. Meanwhile admin changed: Department.", told("#edit-person"))
    assert values_of(PERSON)["title"] == "Engineer V" and values_of(PERSON)["department"] == "Engineering"


@test("A user sees the own history without others' names, and nobody else's access, history or form")
def _():
    enter(PERSON, PASSWORD, view="user/" + identifier(PERSON))
    assert [one.text for one in every(".tabs a")] == ["Overview", "Chart", "Roles", "History"]
    show("history")
    assert "Changed: Title" in text("#history") and "by somebody else" in text("#history") and "admin" not in text("#history")
    assert not every("#history > li > button") and not flaws(), flaws()
    for part, name in [("history", "tom.evans"), ("access", "tom.evans"), ("access", PERSON)]:
        show(part, name)
        assert text("#view h1") == "This is not for you.", (part, name)
    show("nonsense")
    assert text("#view h1") == "There is nothing here."


@test("The browser has nothing to complain about")
def _():
    expected = ["status of 403", "status of 404", "status of 412"]
    complaints = [entry["message"] for entry in driver.get_log("browser") if not any(known in entry["message"] for known in expected)]
    assert not complaints, complaints


run("person_views_test")
