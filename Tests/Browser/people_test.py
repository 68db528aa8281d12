#!/usr/bin/env python3
"""Uses the lists of people and roles in headless Chromium, on a server that serves Seeds/company.json: filters, columns, pages, changes to
several people at once, and why somebody is in a role. The environment is that of browser.py."""
import glob, os, tempfile, time, urllib.parse

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser import (
    BASE, CORE, ENTERPRISE, button, driver, enter, every, fill, flaws, focus, give_password, go, identifier, one, own_id, pick, picture,
    request, role, run, scim, size, test, text, until, values_of)

LEAVERS = 130
COMPANY = "#people?f=not%20(department%20eq%20%22Leavers%22)"
folder = tempfile.mkdtemp()


def total():
    return text("#view .total")


def found(filter):
    """What the table says of how many people a filter finds."""
    count = scim("GET", "/scim/v2/Users?count=0&filter=" + urllib.parse.quote(filter))["totalResults"]
    return "1 person" if count == 1 else f"{count} people"


def rows():
    return [one.text for one in every("tbody th")]


def show(fragment, expected):
    go(fragment)
    until(lambda: total() == expected, f"{fragment}: {expected}, not {total()}")


def add_filter(kind, **fields):
    button("Add a filter").click()
    until(lambda: every("#filter-form"), "the form")
    Select(one("#filter-kind")).select_by_value(kind)
    for name, value in fields.items():
        if name in ("attribute", "operator"):
            Select(one(f"#filter-{name}")).select_by_value(value)
        elif name in ("role", "person"):
            pick(f"#filter-{name}", value, value)
        else:
            fill(f"#filter-{name}", value)
    button("Show them", "dialog").click()


def choose(*names):
    for name in names:
        driver.execute_script("arguments[0].click()", one(f"[aria-label='Choose {name}']"))
    until(lambda: text(".bulk").startswith(f"{len(names)} chosen") and every(".bulk button"), "the chosen ones")


def bulk(label):
    until(lambda: every(".bulk button"), "the actions")
    button(label, ".bulk").click()
    until(lambda: every("dialog[open]"), label)


def preview():
    button("Show what changes", "dialog").click()
    until(lambda: every("#bulk-preview"), "the preview")
    return text("#bulk-preview")


def carry_out(label):
    button(label, "dialog").click()


@test("All people are in a table, by name, with their number")
def _():
    size(1280)
    enter(view="people")
    until(lambda: total() == "41 people", "the number")
    assert len(every("tbody tr")) == 41 and rows()[2] == "Anna Schröder"
    assert one("thead th").get_attribute("aria-sort") == "ascending"
    picture("people")
    assert not flaws(), flaws()


@test("The table is sorted by a column, both ways, by the keyboard")
def _():
    driver.execute_script("arguments[0].focus()", button("Title", "thead"))
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: "sort=title" in driver.current_url and rows()[:1] == ["Heike Bärenfänger"], "the order")
    until(lambda: focus("textContent") == "Title ↑", "the focus stays")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: "sort=-title" in driver.current_url and every("tbody tr"), "the other order")
    until(lambda: one("[aria-sort=descending]").text.startswith("Title"), "the mark")


@test("Filters are chips in words, work together, stand in the address, and go one by one")
def _():
    show("#people", "41 people")
    add_filter("attribute", attribute="department", operator="eq", value="Engineering")
    until(lambda: "Department is Engineering" in text(".chips") and total() == "19 people", "an attribute")
    add_filter("role", role="Platform team")
    until(lambda: "In role Platform team, also through others" in text(".chips") and total() == "8 people", "a role")
    picture("people-filtered")
    assert not flaws(), flaws()
    driver.refresh()
    until(lambda: total() == "8 people" and len(every(".chip")) == 2, "the same after a reload")
    one("[aria-label^='Take away: Department']").click()
    until(lambda: len(every(".chip")) == 1 and total() == "8 people", "one filter")
    driver.back()
    until(lambda: len(every(".chip")) == 2, "back")
    for kind, fields, chip, expected in [
            ("none", {}, "No manager", "2 people"), ("disabled", {}, "Disabled", "2 people"),
            ("below", {"person": "Uwe Groß"}, "Below Uwe Groß", found('managers eq "uwe.gross"')), ("reports", {"person": "Ilse Brandt"}, "Reports to Ilse Brandt", found('manager eq "ilse.brandt"')),
            ("since", {"day": "01-01-2020"}, "Changed since", "41 people"), ("attribute", {"attribute": "mail", "operator": "no"}, "Mail has no value", found("not (mail pr)")),
            ("text", {"text": 'title sw "Head" or title co "Treasurer"'}, 'title sw "Head" or title co "Treasurer"', None)]:
        go("#people")
        until(lambda: total() == "41 people", "everybody")
        add_filter(kind, **fields)
        until(lambda: chip in text(".chips") and (not expected or total() == expected), (chip, expected, total()))


@test("An expression that cannot be read is told, and nobody found is said with a way out")
def _():
    show("#people", "41 people")
    add_filter("text", text="title maybe \"Head\"")
    until(lambda: "filter" in text("#filter-form .result"), "the refusal")
    button("Cancel", "dialog").click()
    go("#people?f=title%20eq%20%22Nothing%22")
    until(lambda: "Nobody was found" in text(), "nobody")
    assert not flaws(), flaws()
    button("Show everybody").click()
    until(lambda: total() == "41 people", "everybody")


@test("Words find people by rank, and together with filters")
def _():
    show("#people?q=muller", "2 people")
    show("#people?q=muller&f=department%20eq%20%22Sales%22", "1 person")
    assert rows() == ["Maria Müller"]


@test("Columns are chosen and ordered, and stand in the address")
def _():
    show("#people", "41 people")
    button("Columns").click()
    until(lambda: every(".order"), "the columns")
    assert not flaws(), flaws()
    for name in ["department", "manager", "active"]:
        one(f"#column-{name}").click()
    driver.execute_script("arguments[0].click()", one("#column-badge"))
    for _ in range(3):
        one("[aria-label='Move up: Mail']").click()
    button("Show these", "dialog").click()
    until(lambda: [one.text.rstrip(" ↑") for one in every("thead th")] == ["Name", "Mail", "Title", "Badge"], "the columns")
    driver.refresh()
    until(lambda: [one.text.rstrip(" ↑") for one in every("thead th")] == ["Name", "Mail", "Title", "Badge"] and total() == "41 people", "the reload")
    button("Badge", "thead").click()
    until(lambda: "sort=badge" in driver.current_url and every("tbody tr td:last-child")[0].text == "1", "sorted by a declared attribute")


@test("More people come by scrolling, and the file has what is seen")
def _():
    operations = [{"method": "POST", "path": "/Users", "bulkId": f"b{number}", "data": {
        "schemas": [CORE, ENTERPRISE], "userName": f"leaver.{number:03}", "displayName": f"Leaver {number:03}", "title": "=1+1",
        ENTERPRISE: {"department": "Leavers"}}} for number in range(LEAVERS)]
    answer = scim("POST", "/scim/v2/Bulk", {"schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": operations})
    assert all(one["status"] == "201" for one in answer["Operations"])
    show("#people?f=department%20eq%20%22Leavers%22&columns=name,title,department", f"{LEAVERS} people")
    assert len(every("tbody tr")) == 100
    driver.execute_script("document.querySelector('.grid').scrollTop = 1e6")
    until(lambda: len(every("tbody tr")) == LEAVERS, "the others")
    assert rows() == [f"Leaver {number:03}" for number in range(LEAVERS)]
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
    button("Export CSV").click()
    path = os.path.join(folder, "people.csv")
    until(lambda: os.path.exists(path) and not glob.glob(os.path.join(folder, "*.crdownload")), "the file")
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = file.read().split("\r\n")
    assert lines[0] == "Name,Title,Department" and lines[1] == "Leaver 000,'=1+1,Leavers" and len(lines) == LEAVERS + 2, lines[:3]


@test("A range is chosen by Shift, and disabled after a preview, by few steps")
def _():
    show("#people?f=department%20eq%20%22Leavers%22", f"{LEAVERS} people")
    boxes = every("tbody input")
    boxes[0].click()
    driver.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true }))", boxes[11])
    until(lambda: text(".bulk").startswith("12 chosen"), "twelve")
    bulk("Disable")
    until(lambda: every("#bulk-preview"), "the preview at once")
    assert text("#bulk-preview") == "12 people would be changed, 0 people left out. Nothing is changed yet."
    assert values_of("leaver.000")["active"] is True
    picture("bulk-preview")
    assert not flaws(), flaws()
    carry_out("Disable")
    until(lambda: "12 people disabled." in text("#toasts"), "the answer")
    assert values_of("leaver.000")["active"] is False and values_of("leaver.011")["active"] is False and values_of("leaver.012")["active"] is True


@test("A preview names whom it leaves out: circles, oneself, and who is so already")
def _():
    show(COMPANY, "41 people")
    choose("Ilse Brandt", "Uwe Groß", "Emma Müller")
    bulk("Set the manager")
    pick("#bulk-manager", "Uwe Gr", "Uwe Groß")
    assert preview() == "1 person would be changed, 2 people left out. Nothing is changed yet."
    for part in ["is above Uwe Groß, which would be a circle", "would be the own manager", "伊藤 遥 → Uwe Groß"]:
        assert part in text("dialog"), part
    button("Cancel", "dialog").click()
    assert values_of("emma.mueller")["manager"] == identifier("haruka.ito")
    button("Choose nobody", ".bulk").click()
    choose("Administrator")
    bulk("Disable")
    until(lambda: "is you" in text("dialog"), "oneself")
    button("Cancel", "dialog").click()


@test("People are added to a role and removed from it; members are left out")
def _():
    show(COMPANY, "41 people")
    choose("Grace Okafor", "Uwe Groß")
    bulk("Add to a role")
    pick("#bulk-role", "Engineering", "Engineering")
    assert preview() == "1 person would be changed, 1 person left out. Nothing is changed yet." and "is a member already" in text("dialog")
    carry_out("Add to a role")
    until(lambda: "1 person added, 1 left out." in text("#toasts"), "the answer")
    choose("Emma Müller", "Uwe Groß")
    bulk("Remove from a role")
    pick("#bulk-role", "Engineering", "Engineering")
    assert preview() == "1 person would be changed, 1 person left out. Nothing is changed yet." and "through another role, and stays" in text("dialog")
    carry_out("Remove from a role")
    until(lambda: "1 person removed, 1 left out." in text("#toasts"), "the answer")


@test("An attribute is set, and failures are named: who was changed meanwhile stays as they are")
def _():
    show("#people?f=department%20eq%20%22Leavers%22", f"{LEAVERS} people")
    choose("Leaver 020", "Leaver 021")
    bulk("Set an attribute")
    Select(one("#bulk-attribute")).select_by_value("costCenter")
    fill("#bulk-value", "4711")
    preview()
    assert request("PUT", "/forms/leaver.021", {"costCenter": "other"})[0] == 200
    carry_out("Set an attribute")
    until(lambda: "1 person changed, 1 failed." in text("#bulk-state"), "the answer")
    assert "Leaver 021" in text("dialog") and "Somebody else changed this meanwhile" in text("dialog") and not flaws(), flaws()
    picture("bulk-failures")
    button("Close", "dialog").click()
    assert values_of("leaver.020")["costCenter"] == "4711" and values_of("leaver.021")["costCenter"] == "other"


@test("A change to several people is undone from the message, which names whom others have changed since")
def _():
    show("#people?f=department%20eq%20%22Leavers%22", f"{LEAVERS} people")
    choose("Leaver 030", "Leaver 031", "Leaver 032")
    bulk("Set an attribute")
    Select(one("#bulk-attribute")).select_by_value("costCenter")
    fill("#bulk-value", "99")
    preview()
    carry_out("Set an attribute")
    until(lambda: "3 people changed." in text("#toasts"), "the answer")
    entry = request("GET", "/admin/changes?limit=1")[1]["elements"][0]
    assert len(request("GET", f"/admin/changes?batch={entry['batch']}")[1]["elements"]) == 3
    assert request("PUT", "/forms/leaver.031", {"costCenter": "mine"})[0] == 200
    button("Undo", "#toasts").click()
    until(lambda: "2 changes undone, 1 left out." in text("#undo-state"), "who is left out")
    assert "leaver.031" in text("dialog") and "was changed since" in text("dialog") and not flaws(), flaws()
    picture("bulk-undo")
    button("Close", "dialog").click()
    assert "costCenter" not in values_of("leaver.030") or not values_of("leaver.030")["costCenter"]
    assert values_of("leaver.031")["costCenter"] == "mine"
    until(lambda: every("tbody input"), "the table again")


@test("All people of a filter are chosen over the pages, and the rest is cancelled")
def _():
    show("#people?f=department%20eq%20%22Leavers%22", f"{LEAVERS} people")
    one("thead input").click()
    until(lambda: text(".bulk").startswith("100 chosen") and any("Choose all" in one.text for one in every(".bulk button")), "a page")
    button(f"Choose all {LEAVERS}", ".bulk").click()
    until(lambda: text(".bulk").startswith(f"{LEAVERS} chosen"), "all of them")
    bulk("Delete")
    assert f"{LEAVERS} people would be changed" in preview()
    driver.execute_script("""
        window.fetched = window.fetch;
        window.fetch = async (...call) => {
          await new Promise((done) => setTimeout(done, 150));
          return window.fetched(...call);
        }""")
    carry_out("Delete")
    until(lambda: "of 130 people" in text("#bulk-state"), "the progress")
    button("Cancel the rest", "dialog").click()
    until(lambda: "cancelled" in text("#bulk-state"), "the end")
    driver.execute_script("window.fetch = window.fetched")
    button("Close", "dialog").click()
    until(lambda: "people" in total(), "the list")
    left = scim("GET", "/scim/v2/Users?count=0&filter=department%20eq%20%22Leavers%22")["totalResults"]
    assert 0 < left < LEAVERS, left


@test("A person with reports is left out of a deletion, unless the reports get another manager")
def _():
    assert request("PUT", "/forms/leaver.129", {"manager": "leaver.128"})[0] == 200
    show("#people?q=leaver.128", "1 person")
    choose("Leaver 128")
    bulk("Delete")
    assert preview() == "0 people would be changed, 1 person left out. Nothing is changed yet." and "has 1 report" in text("dialog")
    button("Cancel", "dialog").click()
    go("#people?f=department%20eq%20%22Leavers%22")
    until(lambda: every("tbody tr"), "the leavers")
    driver.execute_script("document.querySelector('.grid').scrollTop = 1e6")
    time.sleep(0.3)
    one("thead input").click()
    bulk("Delete")
    Select(one("#bulk-reports")).select_by_value("reassign")
    preview()
    assert "the person's manager" in text("dialog")
    carry_out("Delete")
    until(lambda: "deleted" in text("#toasts") and "Nobody was found" in text(), "nobody is left")


@test("Reports are listed by name")
def _():
    go("#user/" + identifier("ilse.brandt"))
    names = [one.text for one in every("#reports ~ .list a")]
    assert len(names) == 4 and names == sorted(names), names


@test("Roles are listed with the number of their people and their power, found by name, and shown as a tree")
def _():
    go("#roles")
    until(lambda: total() == "10 roles", "the roles")
    until(lambda: "Engineering 19" in text("tbody").replace("\t", " "), "the numbers")
    until(lambda: "Administrator" in text("tbody"), "the power")
    fill("#role-words", "team")
    until(lambda: total() == "2 roles" and "q=team" in driver.current_url, "by name")
    fill("#role-words", "nothing")
    until(lambda: "No role was found" in text(), "none")
    go("#roles?view=tree")
    assert text(".tree").index("Everyone") < text(".tree").index("Engineering")
    one("[aria-label='Roles in Engineering']").click()
    assert "Platform team" in one("[aria-label='Roles in Engineering'] ~ ul").text and not flaws(), flaws()
    picture("roles-tree")


@test("A role shows who is in it through which role, and a person why they have a role")
def _():
    go("#group/" + role("Everyone"))
    next(one for one in every(".switch a") if one.text == "Also through other roles").click()
    until(lambda: "All members (39)" in text(), "everybody")
    emma = next(one for one in every("[aria-labelledby=members] li") if "Emma Müller" in one.text)
    assert "through Platform team → Engineering" in emma.text and "members=all" in driver.current_url, emma.text
    picture("role-members")
    go("#user/" + identifier("emma.mueller"))
    one(".why summary").click()
    until(lambda: "Platform team → Engineering → Everyone" in text("dl"), "why")
    assert not flaws(), flaws()


@test("Of many roles in a role a hundred are shown, and the others when they are asked for")
def _():
    group = "urn:ietf:params:scim:schemas:core:2.0:Group"
    made = [scim("POST", "/scim/v2/Groups", {"schemas": [group], "displayName": f"Inner {number:03}"})["id"] for number in range(103)]
    outer = scim("POST", "/scim/v2/Groups", {"schemas": [group], "displayName": "Outer", "members": [{"value": id, "type": "Group"} for id in made]})["id"]
    try:
        go("#group/" + outer)
        shown = lambda: [one.text for one in every("[aria-labelledby=inside] a")]
        assert len(shown()) == 100
        button("Show more").click()
        until(lambda: len(shown()) == 103 and len(set(shown())) == 103, "the others")
        assert not any(one.text == "Show more" for one in every("main button"))
    finally:
        for id in [outer, *made]:
            scim("DELETE", "/scim/v2/Groups/" + id)


@test("A power is explained where a role gives it")
def _():
    go("#group/" + role("administrators"))
    assert "Gives the power Administrator. Its members may do everything" in text()


@test("Who has no power sees people and no actions; an owner changes the own roles only; the help desk sees devices by name")
def _():
    give_password("emma.mueller", "quiet rivers in spring")
    give_password("kenji.sato", "lanterns over the river")
    enter("emma.mueller", "quiet rivers in spring", view="people")
    until(lambda: total().endswith("people") and every("tbody tr"), "the people")
    assert not every("tbody input") and not every("a.main")
    enter("kenji.sato", "lanterns over the river", view="people")
    until(lambda: every("tbody input"), "the boxes")
    choose("Uwe Groß")
    assert [one.text for one in every(".bulk button")] == ["Add to a role", "Remove from a role", "Choose nobody"]
    bulk("Add to a role")
    assert [one.text for one in every("#bulk-role option")] == ["Engineering"]
    assert "1 person would be changed" in preview()
    button("Cancel", "dialog").click()
    enter()
    go(f"#user/{identifier('emma.mueller')}?show=access")
    until(lambda: "Chrome on Linux" in text("[aria-labelledby=sessions]"), "the device")


@test("The browser has nothing to complain about")
def _():
    expected = ["status of 400", "status of 401", "status of 403", "status of 404", "status of 412"]
    complaints = [entry["message"] for entry in driver.get_log("browser") if not any(known in entry["message"] for known in expected)]
    assert not complaints, complaints


run("people_test")
