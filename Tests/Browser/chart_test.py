#!/usr/bin/env python3
"""Uses the chart of the page in headless Chromium, on a server that serves Seeds/company.json. The environment is that of browser.py."""
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import (
    CORE as core, ENTERPRISE as enterprise, button, driver, enter, every, fits, flaws, focus, identifier, one, picture, run, scim, size,
    test, text, until)
from chart_page import attribute, camera, card_with_focus, chart, choose, is_seen, names, node, press, shown, still


@test("The whole company is shown from the top, with the number of reports, as a tree")
def _():
    size(1400)
    enter()
    next(link for link in every("#places a") if link.text == "Chart").click()
    until(lambda: every(".node"), "the chart")
    assert driver.execute_script("return location.hash") == "#chart" and text("#places [aria-current]") == "Chart"
    still()
    until(lambda: "39" in (node("Ilse Brandt").text if node("Ilse Brandt") else ""), "the numbers")
    assert text("#view h1") == "The whole company" and driver.title.startswith("The whole company")
    assert {"Ilse Brandt", "佐藤 健司", "Maria Müller", "Owen Clarke", "Sofia Weiß", "Administrator"} <= set(names())
    top = node("Ilse Brandt")
    assert one(".plane").get_attribute("role") == "tree" and top.get_attribute("role") == "treeitem"
    assert top.get_attribute("aria-label") == "Ilse Brandt, Chief Executive, 4 reports, 39 in all"
    assert [top.get_attribute(f"aria-{name}") for name in ("level", "posinset", "setsize", "expanded")] == ["1", "1", "2", "true"]
    assert len(every(".node[tabindex='0']")) == 1, "one card is on the way of the tab key"
    picture("chart-company")


@test("Reports are shown and hidden by a click on their number")
def _():
    chart("?levels=1")
    assert node("Grace Okafor") is None
    before = node("佐藤 健司").rect
    node("佐藤 健司").find_element("css selector", ".pill").click()
    until(lambda: node("Grace Okafor"), "the reports")
    assert node("佐藤 健司").get_attribute("aria-expanded") == "true" and card_with_focus() == "佐藤 健司"
    still()
    after = node("佐藤 健司").rect
    assert abs(before["x"] - after["x"]) < 2 and abs(before["y"] - after["y"]) < 60, "the card stays about where it was"
    node("佐藤 健司").find_element("css selector", ".pill").click()
    until(lambda: node("Grace Okafor") is None, "the reports are hidden")


@test("The keyboard alone walks to everybody")
def _():
    chart("?levels=1")
    one("#chart-find").click()
    for _ in range(12):
        press(Keys.TAB)
        if attribute("role") == "treeitem":
            break
    press(Keys.HOME)
    seen = []

    def walk():
        seen.append(attribute("data-id"))
        until(lambda: "report" in attribute("aria-label"), "the number of reports, which comes after the card")
        if attribute("aria-expanded") == "false":
            press(" ")
            until(lambda: attribute("aria-expanded") == "true", "the reports")
        if attribute("aria-expanded") == "true":
            level = int(attribute("aria-level"))
            press(Keys.ARROW_DOWN)
            assert int(attribute("aria-level")) == level + 1 and attribute("aria-posinset") == "1"
            for _ in range(int(attribute("aria-setsize"))):
                walk()
                press(Keys.ARROW_RIGHT)
            while int(attribute("aria-level")) > level:
                press(Keys.ARROW_UP)

    walk()
    press(Keys.ARROW_RIGHT)
    walk()
    total = scim("GET", "/scim/v2/Users?count=0")["totalResults"]
    assert len(seen) == len(set(seen)) == total, (len(seen), total)
    assert shown() == f"{total} people shown", shown()
    # The card that has the focus is always seen.
    press(Keys.HOME)
    still()
    assert card_with_focus() == "Ilse Brandt" and is_seen("Ilse Brandt")


@test("The address holds the levels and the colours")
def _():
    chart()
    one("#chart-levels option[value='2']").click()
    until(lambda: driver.execute_script("return location.hash") == "#chart?levels=2", "the address")
    one("#chart-colour option[value=department]").click()
    until(lambda: "Engineering" in text(".legend"), "the legend")
    address = driver.execute_script("return location.hash")
    assert address == "#chart?levels=2&colour=department", address
    before = shown()
    driver.refresh()
    until(lambda: every(".node") and "Engineering" in text(".legend"), "the same chart")
    assert shown() == before and one("#chart-levels").get_attribute("value") == "2"
    picture("chart-colours")
    one("#chart-levels option[value=all]").click()
    total = scim("GET", "/scim/v2/Users?count=0")["totalResults"]
    until(lambda: shown() == f"{total} people shown", "all levels")
    one("#chart-colour option[value='']").click()
    assert not one(".legend").is_displayed()


@test("The search flies to somebody who is not shown yet")
def _():
    chart("?levels=1")
    assert node("Grace Okafor") is None
    choose("#chart-find", "okafor gr", "Grace Okafor")
    until(lambda: card_with_focus() == "Grace Okafor", "who was sought")
    still()
    assert is_seen("Grace Okafor") and "Director Research" in text(".selected")
    one("#chart-find").send_keys("Nobody Atall", Keys.ENTER)
    until(lambda: "no name of a person" in text("#notice"), "the refusal")


@test("Around a person stand the managers, the peers and the reports")
def _():
    chart("/" + identifier("grace.okafor"))
    assert text("#view h1") == "Grace Okafor" and "self" in node("Grace Okafor").get_attribute("class")
    assert {"Ilse Brandt", "佐藤 健司", "Jörg Münch", "田中 由紀"} <= set(names()) and "Maria Müller" not in names()
    assert node("Grace Okafor").get_attribute("aria-current") == "true"
    picture("chart-around")
    node("Ilse Brandt").find_element("css selector", ".pill").click()
    until(lambda: node("Maria Müller"), "the other reports of the manager's manager")
    node("Jörg Münch").click()
    until(lambda: "Jörg Münch" in text(".selected"), "who was clicked")
    assert [link.text for link in every(".selected a")] == ["Profile", "Chart around"]
    press(Keys.ENTER)
    until(lambda: text("#view h1") == "Jörg Münch", "the chart around the other")
    until(lambda: card_with_focus() == "Jörg Münch", "the focus is on them")
    driver.back()
    until(lambda: text("#view h1") == "Grace Okafor", "back in the chart")


@test("A pointer pans, the wheel and the keys zoom, and Fit shows everything")
def _():
    chart()
    x, y, k = camera()
    stage = one(".stage")
    ActionChains(driver).move_to_element_with_offset(stage, -stage.size["width"] // 2 + 30, 180).click_and_hold().move_by_offset(90, -40).release().perform()
    still()
    after = camera()
    assert [round(after[0] - x), round(after[1] - y), after[2]] == [90, -40, k], (x, y, after)
    # A drag that begins on the number of somebody's reports shows nobody.
    before = names()
    ActionChains(driver).click_and_hold(node("Maria Müller").find_element("css selector", ".pill")).move_by_offset(60, 30).release().perform()
    still()
    assert names() == before
    middle = "const box = arguments[0].getBoundingClientRect();"
    driver.execute_script(middle + "arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -60, ctrlKey: true, bubbles: true, cancelable: true,"
                          " clientX: box.left + 100, clientY: box.top + 100}))", stage)
    still()
    assert camera()[2] > k * 1.4
    driver.execute_script("document.querySelector('.node[tabindex=\"0\"]').focus({preventScroll: true})")
    still()
    press("-")
    still()
    closer = camera()[2]
    button("Fit", ".zooms").click()
    still()
    assert camera()[2] < closer and all(is_seen(name) for name in names())


@test("A click on a card that is too small to be read comes near it")
def _():
    size(1280)
    chart("?levels=all")
    assert camera()[2] < 0.36, camera()
    x, y, k = camera()
    top = node("Ilse Brandt").rect
    # The first of the reports is painted below the top, on the canvas.
    found = driver.execute_script("""
        const [left, top, height] = arguments;
        for (let down = height; down < 5 * height; down += 2) {
          for (let across = -400; across < 400; across += 10) {
            const target = document.elementFromPoint(left + across, top + down);
            target?.dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: left + across, clientY: top + down}));
            if (document.activeElement.classList.contains('node')) return document.activeElement.querySelector('.name').textContent;
          }
        }""", top["x"], top["y"], top["height"])
    still()
    assert found and found != "Ilse Brandt" and camera()[2] > 0.5 and is_seen(found), (found, camera())
    size(1400)


@test("Those who want no motion see none")
def _():
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    try:
        chart()
        places = driver.execute_async_script("""
            const done = arguments[0];
            const plane = document.querySelector('.plane');
            const seen = new Set([plane.style.transform]);
            document.querySelector('.zooms button').click();
            const start = performance.now();
            const look = () => {
              seen.add(plane.style.transform);
              if (performance.now() - start < 500) requestAnimationFrame(look); else done(seen.size);
            };
            requestAnimationFrame(look);""")
        assert places == 2, places
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@test("Many reports stand in a compact grid, of which the page has what is near the view")
def _():
    manager = scim("POST", "/scim/v2/Users", {"schemas": [core], "userName": "many.manager", "displayName": "Maximiliane Wolkenstein-Trostburg zu Hohenlohe", "title": "Head of many"})
    made = [manager["id"]]
    try:
        for number in range(103):
            made.append(scim("POST", "/scim/v2/Users", {
                "schemas": [core, enterprise], "userName": f"many.{number}", "displayName": f"Person {number}",
                enterprise: {"manager": {"value": manager["id"]}}})["id"])
        chart("/" + manager["id"])
        assert shown() == "104 people shown"
        assert one(".self").get_attribute("aria-label").endswith("103 reports")
        picture("chart-many")
        driver.execute_script("document.querySelector('.self').focus()")
        press(Keys.ARROW_DOWN)
        assert card_with_focus() == "Person 0", "in the order of their names"
        press(Keys.ARROW_DOWN)
        still()
        assert int(attribute("aria-posinset")) > 5 and is_seen(card_with_focus()), "the row below"
        press(Keys.ARROW_UP, Keys.ARROW_UP)
        assert focus("classList.contains('self')")
        for _ in range(6):
            press("+")
            time.sleep(0.3)
        still()
        assert len(every(".node")) < 60, len(every(".node"))
    finally:
        for id in reversed(made):
            scim("DELETE", "/scim/v2/Users/" + id)


@test("axe-core finds nothing in the chart, in both widths and both schemes of colours")
def _():
    person = identifier("kenji.sato")
    for width in (1400, 360):
        size(width)
        for colours in ("light", "dark"):
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": colours}]})
            for place in ("", "/" + person + "?colour=department", "?levels=all"):
                chart(place)
                assert not flaws(), (width, colours, place, flaws())
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    size(1400)
    chart()
    assert fits()


@test("The browser has nothing to complain about")
def _():
    complaints = [entry["message"] for entry in driver.get_log("browser")
                  if not any(known in entry["message"] for known in ["status of 401", "status of 409", "status of 412"])]
    assert not complaints, complaints


run("chart_test")
