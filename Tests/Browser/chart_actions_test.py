#!/usr/bin/env python3
"""Moves people in the chart, exports and prints it, in headless Chromium, on a server that serves Seeds/company.json. The environment is
that of browser.py."""
import time, xml.dom.minidom

from browser import (
    CORE as core, ENTERPRISE as enterprise, PASSWORD, button, driver, enter, every, flaws, focus, give_password, identifier, one, picture,
    request, run, scim, size, test, text, until)
from chart_page import chart, choose, names, node, press, shown


@test("An administrator sees the chart")
def _():
    size(1400)
    enter()
    chart()
    assert names()


@test("Moving somebody tells before what changes, refuses circles, and can be undone")
def _():
    grace, maria = identifier("grace.okafor"), identifier("maria.mueller")
    manager = lambda: scim("GET", "/scim/v2/Users/" + grace)[enterprise]["manager"]["value"]
    was = manager()
    chart("/" + grace)
    driver.execute_script("document.querySelector('.self').focus()")
    press("m")
    until(lambda: every("dialog[open]"), "the question")
    assert focus("id") == "move-to" and not button("Move", "dialog").is_enabled()
    below = scim("GET", f"/scim/v2/Users?filter=manager%20eq%20%22{grace}%22")["Resources"][0]
    choose("#move-to", below["userName"], below["displayName"])
    until(lambda: "circle" in text(".preview-text"), "the circle")
    assert not button("Move", "dialog").is_enabled()
    choose("#move-to", "Maria Müller", "Maria Müller")
    until(lambda: "managers change" in text(".preview-text"), "the preview")
    assert "3 people move, 2 managers change." in text(".preview-text"), text(".preview-text")
    assert not flaws(), flaws()
    picture("chart-move")
    assert manager() == was, "nothing has changed yet"
    button("Move", "dialog").click()
    until(lambda: not every("dialog") and "Grace Okafor reports to Maria Müller now" in text(".moved"), "the move")
    assert manager() == maria
    until(lambda: node("Maria Müller"), "the chart shows it")
    button("Undo", ".moved").click()
    until(lambda: manager() == was and not text(".moved"), "the way back")


@test("A change that somebody else made meanwhile stops a move")
def _():
    grace = identifier("grace.okafor")
    before = scim("GET", "/scim/v2/Users/" + grace)[enterprise]["manager"]["value"]
    chart("/" + grace)
    one("#move-person").click()
    choose("#move-to", "Maria Müller", "Maria Müller")
    until(lambda: "managers change" in text(".preview-text"), "the preview")
    scim("PATCH", "/scim/v2/Users/" + grace, {
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [{"op": "replace", "path": "nickName", "value": f"G{time.time_ns()}"}]})
    button("Move", "dialog").click()
    until(lambda: every(".problem"), "the refusal")
    button("Cancel", "dialog").click()
    until(lambda: not every("dialog"), "the end of the dialog")
    assert scim("GET", "/scim/v2/Users/" + grace)[enterprise]["manager"]["value"] == before


@test("The picture in SVG and the table in CSV have everybody who is shown, as text")
def _():
    name = "=<b>&\"'Wild"
    made = scim("POST", "/scim/v2/Users", {"schemas": [core, enterprise], "userName": "wild.one", "displayName": name, "title": "@SUM(1)",
                                           enterprise: {"manager": {"value": identifier("grace.okafor")}}})
    try:
        chart("?levels=all&colour=department")
        driver.execute_script("""
            window.files = [];
            window.made = URL.createObjectURL;
            URL.createObjectURL = (blob) => { blob.text().then((text) => files.push(text)); return 'data:,'; };""")
        button("SVG", ".files").click()
        until(lambda: driver.execute_script("return files.length") == 1, "the picture")
        button("CSV", ".files").click()
        until(lambda: driver.execute_script("return files.length") == 2, "the table")
        svg, csv = driver.execute_script("URL.createObjectURL = made; return files")
        total = scim("GET", "/scim/v2/Users?count=0")["totalResults"]
        drawing = xml.dom.minidom.parseString(svg)
        assert len(drawing.getElementsByTagName("g")) == total and not drawing.getElementsByTagName("b")
        assert "style" not in svg
        rows = csv.lstrip("\ufeff").splitlines()
        assert rows[0].startswith("level,user name,name,title,department") and len(rows) == total + 1
        assert any(row.startswith("4,wild.one,\"'=<b>&\"\"'Wild\",'@SUM(1),") for row in rows), rows
        assert not every(".node b")
    finally:
        scim("DELETE", "/scim/v2/Users/" + made["id"])


@test("What is printed is the whole chart")
def _():
    chart()
    driver.execute_script("window.printed = []; window.print = () => printed.push(document.querySelectorAll('.chart-print svg g').length)")
    button("Print", ".files").click()
    until(lambda: driver.execute_script("return printed.length") == 1, "the printer")
    assert driver.execute_script("return printed[0]") == len(names())
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert not every(".chart-print")


@test("Who may not change people is offered no move, and the server refuses one")
def _():
    who = "grace.okafor"
    give_password(who, PASSWORD)
    enter(who, PASSWORD)
    chart()
    node("Ilse Brandt").click()
    until(lambda: "Ilse Brandt" in text(".selected"), "the selection")
    assert not every("#move-person") and every(".selected a")
    press("m")
    assert not every("dialog")
    status, _ = request("POST", "/directory/v1/setManager", {"user": {"id": {"_0": identifier("grace.okafor")}}, "manager": None}, who=(who, PASSWORD))
    assert status == 403, status


@test("The browser has nothing to complain about")
def _():
    complaints = [entry["message"] for entry in driver.get_log("browser")
                  if not any(known in entry["message"] for known in ["status of 401", "status of 409", "status of 412"])]
    assert not complaints, complaints


run("chart_actions_test")
