#!/usr/bin/env python3
"""Does 25 tasks of the people who use the page, by the keyboard alone, in headless Chromium on a server that serves Seeds/company.json, and
counts their steps. A step is a shortcut, a key that acts or chooses, or a text that is typed into a field. Moving the focus by Tab is no
step, but each task moves it so: what Tab does not reach fails. The environment is that of browser.py."""
import glob, os, tempfile

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import (
    CORE, ENTERPRISE, USER, driver, enter, every, focus, go, identifier, one, own_id, request, role, run, scim, size, test, text, until, values_of)

steps = []
table = []
MOST_TABS = 160


def keys(*given):
    ActionChains(driver).send_keys(*given).perform()


def press(*given):
    """One step: a key, or keys that are pressed one after the other to choose something."""
    keys(*given)
    steps.append(" ".join(repr(one)[1:-1] for one in given))


def chord(*given):
    """One step: a shortcut of several keys."""
    actions = ActionChains(driver)
    for key in given[:-1]:
        actions.key_down(key)
    actions.send_keys(given[-1])
    for key in given[:-1]:
        actions.key_up(key)
    actions.perform()
    steps.append("shortcut")


def write(words):
    """One step: types into the field with the focus, in place of what is there."""
    ActionChains(driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys(words).perform()
    steps.append(words)


def tab(selector, label="", back=False):
    """Moves the focus to a control by Tab."""
    script = """
        const [selector, label] = arguments, active = document.activeElement;
        const name = active.getAttribute?.('aria-label') ?? active.textContent;
        return active.matches(selector) && name.trim().startsWith(label)"""
    for _ in range(MOST_TABS):
        if driver.execute_script(script, selector, label):
            return
        if back:
            ActionChains(driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
        else:
            keys(Keys.TAB)
    raise AssertionError(f"Tab does not reach {selector} {label!r}")


def command(words, found):
    """Three steps: the palette, some letters, and Enter."""
    chord(Keys.CONTROL, "k")
    until(lambda: every("#command"), "the palette")
    write(words)
    until(lambda: found in text("#command-list li"), found)
    press(Keys.ENTER)


def look_up(words, name):
    """Three steps: the search, some letters, and Enter."""
    keys(Keys.ESCAPE)
    press("/")
    until(lambda: focus("id") == "query", "the search")
    write(words)
    press(Keys.ENTER)
    until(lambda: text("#view h1") == name, name)


def fill_in(words, found, field, value):
    """Five steps: a command, and one field of its form, which Enter sends."""
    command(words, found)
    until(lambda: every(field), "the form")
    tab(field)
    write(value)
    press(Keys.ENTER)


def pick(words, found, field):
    """Two steps: types into a field that searches, and chooses the first one."""
    write(words)
    until(lambda: any(found in one.text for one in every(f"{field}-list li")), found)
    press(Keys.ARROW_DOWN, Keys.ENTER)


def task(statement, most, start="#home"):
    """A task with the most steps that it may take, and the view at which it starts."""
    def add(body):
        @test(f"{statement}, in {most} steps at most")
        def _():
            if start:
                go(start)
            steps.clear()
            body()
            table.append((statement, len(steps), most))
            assert len(steps) <= most, steps
        return body
    return add


@test("An administrator signs in")
def _():
    size(1280)
    enter()
    for number in range(12):
        scim("POST", "/scim/v2/Users", {"schemas": [CORE, ENTERPRISE], "userName": f"leaver.{number:02}", "displayName": f"Leaver {number:02}",
                                        ENTERPRISE: {"department": "Leavers"}})


@task("Find somebody by the family name", 3)
def _():
    look_up("okafor gr", "Grace Okafor")


@task("Who may approve for Emma", 3)
def _():
    look_up("emma.mueller", "Emma Müller")
    until(lambda: "伊藤 遥" in text(), "the manager")


@task("Why somebody is in a role", 4)
def _():
    look_up("emma.mueller", "Emma Müller")
    tab("a", "Roles")
    press(Keys.ENTER)
    until(lambda: "→ Everyone" in text("[aria-labelledby=indirect-roles]"), "the path")


@task("Disable twelve leavers", 8)
def _():
    tab("nav a", "People", back=True)
    press(Keys.ENTER)
    until(lambda: every("#people-words"), "the list")
    tab("#people-words")
    write("leavers")
    until(lambda: text("#view .total") == "12 people", "the leavers")
    tab("thead input")
    press(Keys.SPACE)
    until(lambda: text(".bulk").startswith("12 chosen"), "twelve")
    tab(".bulk button", "Disable")
    press(Keys.ENTER)
    until(lambda: every("#bulk-preview"), "the preview")
    tab("dialog button", "Disable")
    press(Keys.ENTER)
    until(lambda: "12 people disabled." in text("#toasts"), "the answer")
    assert values_of("leaver.11")["active"] is False


@task("Take a change to several people back", 2, start=None)
def _():
    tab("#toasts button", "Undo")
    press(Keys.ENTER)
    until(lambda: values_of("leaver.11")["active"] is True and values_of("leaver.00")["active"] is True, "the way back")
    keys(Keys.ESCAPE)


@task("Add two people to a role", 8, start="#people")
def _():
    for name in ["Grace Okafor", "Maria Müller"]:
        tab("tbody input", f"Choose {name}")
        press(Keys.SPACE)
    tab(".bulk button", "Add to a role")
    press(Keys.ENTER)
    until(lambda: focus("id") == "bulk-role", "the question")
    pick("On call", "On call", "#bulk-role")
    tab("dialog button", "Show what changes")
    press(Keys.ENTER)
    until(lambda: every("#bulk-preview"), "the preview")
    tab("dialog button", "Add to a role")
    press(Keys.ENTER)
    until(lambda: "added" in text("#toasts"), "the answer")


@task("Find the people without a manager", 3)
def _():
    command("without", "People without a manager")
    until(lambda: "No manager" in text(".chips"), "the list")


@task("Sort the people by title, and write them into a file", 2, start="#people")
def _():
    folder = tempfile.mkdtemp()
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
    tab("main button", "Export CSV")
    tab("thead button", "Title")
    press(Keys.ENTER)
    until(lambda: "sort=title" in driver.current_url, "the order")
    tab("main button", "Export CSV", back=True)
    press(Keys.ENTER)
    until(lambda: glob.glob(os.path.join(folder, "*.csv")), "the file")


@task("Save a view by its name", 3, start="#people?f=active%20eq%20false")
def _():
    until(lambda: every(".views button"), "Save as a view")
    tab(".views button", "Save as")
    press(Keys.ENTER)
    until(lambda: focus("id") == "view-name", "the question")
    write("Disabled accounts")
    press(Keys.ENTER)
    until(lambda: "Disabled accounts" in text(".views ul"), "the view")
    assert request("DELETE", "/admin/views/Disabled%20accounts")[0] == 204


@task("Create a person with a manager and a mail address", 10)
def _():
    command("new person", "New person")
    until(lambda: every("#form-uid"), "the form")
    for field, value in [("uid", "vera.neu"), ("givenName", "Vera"), ("familyName", "Neu"), ("emails-1-value", "vera.neu@nordwind.example")]:
        tab(f"#form-{field}")
        write(value)
    tab("#form-manager")
    pick("Uwe Gr", "Uwe Groß", "#form-manager")
    tab("#new-person button", "Create")
    press(Keys.ENTER)
    until(lambda: text("#view h1").endswith("Vera Neu") or every("#edit-person"), "the person")
    assert values_of("vera.neu")["manager"] == identifier("uwe.gross")


@task("Change somebody's title", 6)
def _():
    look_up("vera.neu", "Vera Neu")
    tab("main a", "Edit")
    press(Keys.ENTER)
    until(lambda: every("#form-title"), "the form")
    tab("#form-title")
    write("Assistant")
    press(Keys.ENTER)
    until(lambda: values_of("vera.neu")["title"] == "Assistant", "the title")


@task("Give somebody a mobile number", 8)
def _():
    look_up("vera.neu", "Vera Neu")
    tab("main a", "Edit")
    press(Keys.ENTER)
    until(lambda: every("#edit-person"), "the form")
    tab("#edit-person button", "Add a telephone")
    press(Keys.ENTER)
    until(lambda: focus("id") == "form-phoneNumbers-1-value", "the row")
    write("+49 40 5550 900")
    tab("#form-phoneNumbers-1-type")
    press("mob")
    tab("#edit-person button", "Save")
    press(Keys.ENTER)
    until(lambda: values_of("vera.neu")["mobile"] == "+49 40 5550 900", "the number")


@task("Make a password link for somebody", 5)
def _():
    look_up("vera.neu", "Vera Neu")
    tab("main a", "Access")
    press(Keys.ENTER)
    until(lambda: every("#set-password"), "the access")
    tab("main button", "Make a password link")
    press(Keys.ENTER)
    until(lambda: every("#password-link"), "the link")


@task("Move somebody in the chart after a preview", 6)
def _():
    go(f"#chart/{identifier('vera.neu')}")
    until(lambda: every(".node.self"), "the chart")
    tab(".node", "")
    press("m")
    until(lambda: focus("id") == "move-to", "the question")
    pick("Maria Müller", "Maria Müller", "#move-to")
    until(lambda: "change" in text(".preview-text"), "the preview")
    tab("dialog button", "Move")
    press(Keys.ENTER)
    until(lambda: values_of("vera.neu")["manager"] == identifier("maria.mueller"), "the move")


@task("Find somebody in the chart", 3, start="#chart")
def _():
    until(lambda: every(".node"), "the chart")
    tab("#chart-find")
    pick("vera.neu", "Vera Neu", "#chart-find")
    until(lambda: "Vera Neu" in driver.execute_script("return document.activeElement.textContent"), "the card")


@task("Delete somebody", 7)
def _():
    look_up("vera.neu", "Vera Neu")
    tab("main a", "Edit")
    press(Keys.ENTER)
    until(lambda: every("#delete-name"), "the form")
    tab("#delete-name")
    write("vera.neu")
    press(Keys.ENTER)
    until(lambda: request("GET", "/forms/vera.neu")[0] == 404, "nobody")


@task("Make a role", 5)
def _():
    fill_in("new role", "New role", "#role-name", "night-shift")
    until(lambda: "is created" in text("#toasts"), "the role")
    scim("DELETE", "/scim/v2/Groups/" + role("night-shift"))


@task("Connect Grafana", 6)
def _():
    command("connect", "Connect an app")
    until(lambda: every("a[href='#admin/backends?new=grafana']"), "the apps")
    tab("a[href='#admin/backends?new=grafana']")
    press(Keys.ENTER)
    until(lambda: every("#new-app-origin"), "the form")
    tab("#new-app-origin")
    write("https://grafana.example.com")
    press(Keys.ENTER)
    until(lambda: every("#client_secret"), "the secret")
    app = next(one for one in request("GET", "/admin/backends")[1]["backends"] if one["name"].lower() == "grafana")
    request("DELETE", f"/admin/backends/{app['id']}")


@task("Make a token for a program", 5)
def _():
    fill_in("tokens", "Programs' tokens", "#new-token-name", "hr")
    until(lambda: every(".note code"), "the token")
    request("DELETE", "/admin/tokens/hr")


@task("Declare an attribute", 6)
def _():
    command("attributes", "Attributes")
    until(lambda: every("a[href='#admin/attributes?new=1']"), "the attributes")
    tab("a[href='#admin/attributes?new=1']")
    press(Keys.ENTER)
    until(lambda: every("#new-attribute-name"), "the form")
    tab("#new-attribute-name")
    write("shoeSize")
    press(Keys.ENTER)
    until(lambda: "Shoe size" in text("table"), "the attribute")
    request("DELETE", "/admin/attributes/shoeSize")


@task("Let access tokens end sooner", 5)
def _():
    fill_in("policies", "Policies", "#policies-form-token_settings-access_token_expiry", "15")
    until(lambda: "aved" in text("#toasts") + text("#policies-form .result"), "the answer")


@task("Give the page the name of the organization", 5)
def _():
    fill_in("look", "Look", "#branding-organization_name", "Example Ltd.")
    until(lambda: "Example Ltd." in text("header .brand"), "the name")
    tab("#toasts button", "Undo")
    keys(Keys.ENTER)
    until(lambda: text("header .brand") == "Roster", "the former name")


@task("Who deleted an account", 7)
def _():
    fill_in("audit", "Audit", "#audit-subject", "vera.neu")
    until(lambda: every("#audit-rows tbody tr") and all("vera.neu" in one.text for one in every("#audit-rows tbody tr")), "the entries")
    assert USER in text("#audit-rows tbody") and "elete" in text("#audit-rows tbody")


@task("Make an app password for a program", 6)
def _():
    command("account", "My account")
    until(lambda: every("#own-app-passwords"), "the account")
    tab("summary", "Make an app password")
    press(Keys.ENTER)
    tab("#new-app-password-name")
    write("printer")
    press(Keys.ENTER)
    until(lambda: every("#app-password"), "the app password")
    request("DELETE", f"/admin/users/{USER}/app-passwords/printer")


@task("Sign out", 3)
def _():
    command("sign out", "Sign out")
    until(lambda: every("#username") or "Sign in" in text("body"), "the sign-in page")


@test("All 25 tasks were done")
def _():
    for statement, count, most in table:
        print(f"   {statement}: {count} of {most} steps")
    assert len(table) == 25, len(table)
    for number in range(12):
        scim("DELETE", "/scim/v2/Users/" + identifier(f"leaver.{number:02}"))


run("tasks_test")
