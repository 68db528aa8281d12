#!/usr/bin/env python3
"""Uses the page for people in headless Chromium, on a server that serves Seeds/company.json. The environment is that of browser.py."""
import time

from selenium.webdriver.common.keys import Keys

from browser import (
    BASE, CORE as core, ENTERPRISE as enterprise, button, driver, enter, every, focus, go, identifier, network, one, own_id, picture,
    run, scim, sign_in, size, test, text, until)


@test("Without a session the page leads to the sign-in form at once, and shows nothing of the directory")
def _():
    size(1400)
    driver.get(BASE + "/")
    until(lambda: every("#username"), "the form")
    assert not every("#menu") and focus("id") == "username"
    picture("entry")


@test("A wrong password is told, and lets nobody in")
def _():
    sign_in(password="not the password")
    until(lambda: "wrong" in text("[role=alert]"), "the refusal")
    driver.get(BASE + "/")
    until(lambda: every("#username"), "the form again")


@test("Who signs in sees their home first")
def _():
    sign_in()
    until(lambda: text("#view h1") == "Hello, Administrator", "the home")
    assert driver.execute_script("return location.hash") == "#home"
    assert driver.execute_script("return document.activeElement.tagName") == "H1"


@test("The first view takes less than 100 kB")
def _():
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
    driver.refresh()
    until(lambda: every("#view h1"), "the page")
    sizes = driver.execute_script("return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).map((one) => one.transferSize)")
    driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
    assert 20_000 < sum(sizes) < 100_000, sizes


@test("Somebody is found while one types, and opened by the keyboard alone")
def _():
    field = one("#query")
    assert field.get_attribute("role") == "combobox" and field.get_attribute("aria-expanded") == "false"
    field.send_keys("ken")
    until(lambda: every("#results li"), "results")
    until(lambda: "found" in text("#count"), "the number is announced")
    assert one("#count").get_attribute("role") == "status" and field.get_attribute("aria-expanded") == "true"
    picture("search")
    field.send_keys(Keys.ARROW_DOWN)
    active = field.get_attribute("aria-activedescendant")
    assert one(f"#{active}").get_attribute("aria-selected") == "true"
    wanted = one(f"#{active}").text
    assert "kenji.sato" in wanted, wanted
    field.send_keys(Keys.ENTER)
    until(lambda: text("#view h1") and text("#view h1") in wanted, "the profile that was chosen")
    assert focus("tagName") == "H1" and field.get_attribute("value") == ""


@test("Enter waits for the answer to what was typed last")
def _():
    one("#query").send_keys("ilse.brandt", Keys.ENTER)
    until(lambda: text("#view h1") == "Ilse Brandt", "who was typed, not who was found before")


@test("Escape closes the results, and nobody found is said")
def _():
    field = one("#query")
    field.send_keys("a")
    until(lambda: every("#results li"), "results of one letter")
    field.send_keys(Keys.ARROW_UP)
    assert every("#results li")[-1].get_attribute("aria-selected") == "true"
    field.send_keys(Keys.ESCAPE)
    assert not one("#panel").is_displayed() and field.get_attribute("aria-activedescendant") is None
    field.send_keys(Keys.ESCAPE)
    assert field.get_attribute("value") == ""
    field.send_keys("qqqzz")
    until(lambda: one("#nobody").is_displayed() and "Nobody" in text("#count"), "nobody")
    field.send_keys(Keys.ESCAPE, Keys.ESCAPE)


@test("More results come when they are asked for")
def _():
    field = one("#query")
    field.send_keys("nordwind")
    until(lambda: len(every("#results li")) == 20, "the first twenty")
    field.send_keys(Keys.TAB)
    assert focus("id") == "more"
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: len(every("#results li")) > 20 and focus("id") == "query", "the others")
    names = [option.get_attribute("data-user") for option in every("#results li")]
    assert len(names) == len(set(names))
    field.send_keys(Keys.ESCAPE, Keys.ESCAPE)


@test("An answer that comes late is dropped")
def _():
    # The first question is answered after the second.
    driver.execute_script("""
        window.fetched = window.fetch;
        window.fetch = async (path, options) => {
          const answer = await window.fetched(path, {...options, signal: undefined});
          await new Promise((done) => setTimeout(done, path.includes('kenji') ? 1200 : 0));
          return answer;
        }""")
    try:
        field = one("#query")
        field.send_keys("kenji")
        time.sleep(0.3)
        field.send_keys(Keys.BACKSPACE * 5, "grace")
        until(lambda: "Grace Okafor" in text("#results"), "the second answer")
        time.sleep(1.4)
        assert "kenji" not in text("#results") and "Grace Okafor" in text("#results")
        field.send_keys(Keys.ESCAPE, Keys.ESCAPE)
    finally:
        driver.execute_script("window.fetch = window.fetched")


@test("A profile shows title, mail, manager, roles and reports")
def _():
    go("#user/" + identifier("kenji.sato"))
    shown = text()
    for part in ["Head of Engineering", "kenji.sato@nordwind.example", "Ilse Brandt", "Engineering", "Reports (3)",
                 "Everyone · through another role"]:
        assert part in shown, part
    picture("profile")
    go("#user/" + identifier("matthias.schmidt"))
    assert "Disabled" in text()


@test("The skip link leads to the content, and changes nothing else")
def _():
    go("#user/" + identifier("kenji.sato"))
    driver.execute_script("document.querySelector('.skip').focus()")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    time.sleep(0.2)
    assert focus("id") == "content" and "kenji.sato" in text()


@test("Of many reports the profile shows a hundred, and the others when they are asked for")
def _():
    manager = scim("POST", "/scim/v2/Users", {"schemas": [core], "userName": "many.manager", "displayName": "Many Manager"})
    made = [manager["id"]]
    try:
        for number in range(103):
            made.append(scim("POST", "/scim/v2/Users", {
                "schemas": [core, enterprise], "userName": f"many.{number}", "displayName": f"Person {number}",
                enterprise: {"manager": {"value": manager["id"]}}})["id"])
        go("#user/" + manager["id"])
        until(lambda: "Reports (103)" in text(), "the list")
        button("Show more").click()
        until(lambda: len(every(".list li")) == 103, "all of them")
        assert focus("tagName") == "A" and not any(one.text == "Show more" for one in every("#view button"))
    finally:
        for id in reversed(made):
            scim("DELETE", "/scim/v2/Users/" + id)


@test("A role shows its members, the roles in it and around it, and its owners")
def _():
    go("#user/" + identifier("kenji.sato"))
    [role] = [link for link in every("dd a") if link.text == "Engineering" and "#group/" in link.get_attribute("href")]
    role.click()
    until(lambda: text("#view h1") == "Engineering" and "members (6)" in text(), "the role")
    for part in ["Direct members (6)", "Jörg Münch", "Roles in this role", "Platform team", "In other roles", "Everyone", "Owners"]:
        assert part in text(), part
    picture("group")
    [inner] = [link for link in every(".list a") if link.text == "Platform team"]
    inner.click()
    until(lambda: "Members (8)" in text(), "the role in it")
    driver.back()
    until(lambda: text("#view h1") == "Engineering", "the role around it")


@test("Back goes back")
def _():
    driver.back()
    until(lambda: "kenji.sato" in text(), "the profile again")


@test("A hostile name is text")
def _():
    name = "<img src=x onerror=alert(1)>"
    made = scim("POST", "/scim/v2/Users", {"schemas": [core], "userName": "hostile.one", "displayName": name, "title": name})
    try:
        for kind in ["user", "chart"]:
            go(f"#{kind}/" + made["id"])
            assert text("#view h1") == name
        one("#query").send_keys("<img")
        until(lambda: name in text("#results"), "results")
        one("#query").send_keys(Keys.ESCAPE, Keys.ESCAPE)
        assert not every("#view img") and not every("#results img")
        assert driver.title.startswith(name)
    finally:
        scim("DELETE", "/scim/v2/Users/" + made["id"])


@test("Hostile addresses show nothing")
def _():
    for fragment in ["#constructor/x", "#user/", "#user/%", "#__proto__/toString", "#user/..%2F..%2FGroups"]:
        go(fragment)
        assert text("#view h1") == "There is nothing here.", (fragment, text())


@test("What does not exist is told")
def _():
    driver.execute_script("location.hash = '#user/00000000000'")
    until(lambda: "no user" in text("#notice").lower(), "the refusal")
    assert one("#notice").get_attribute("role") == "alert"


@test("A server out of reach is told, and can be asked again")
def _():
    network(True)
    driver.execute_script("location.hash = arguments[0]", "#user/" + own_id())
    until(lambda: "cannot be reached" in text("#notice"), "the failure")
    network(False)
    one("#view button").click()
    until(lambda: text("#view h1") == "Administrator" and not one("#notice").is_displayed(), "the profile")


@test("Signing out forgets who was signed in, and what was on its way")
def _():
    driver.execute_script("""
        window.fetched = window.fetch;
        window.fetch = async (path, options) => {
          const answer = await window.fetched(path, {...options, signal: undefined});
          await new Promise((done) => setTimeout(done, 700));
          return answer;
        }""")
    driver.execute_script("location.hash = arguments[0]", "#user/" + identifier("kenji.sato"))
    time.sleep(0.1)
    one("#leave").click()
    until(lambda: one("#enter").is_displayed(), "the entry")
    time.sleep(1)
    driver.execute_script("window.fetch = window.fetched")
    assert driver.execute_script("return document.querySelector('#view').childElementCount") == 0
    assert "Sign in" in driver.title and "signed out" in text("#notice")
    driver.execute_script("location.hash = '#me'")
    time.sleep(0.3)
    assert one("#enter").is_displayed() and not one("#view").is_displayed()
    driver.get(BASE + "/?after")
    until(lambda: every("#username"), "the session has ended on the server as well")


@test("A link leads to what it names after signing in, and a reload does not ask again")
def _():
    driver.get(BASE + "/?again#user/" + identifier("grace.okafor"))
    sign_in()
    until(lambda: text("#view h1") == "Grace Okafor", "who the link named")
    driver.refresh()
    until(lambda: text("#view h1") == "Grace Okafor", "the same person")


@test("A session that ended elsewhere leads back to the entry")
def _():
    driver.delete_all_cookies()
    driver.execute_script("location.hash = arguments[0]", "#user/" + identifier("kenji.sato"))
    until(lambda: one("#enter").is_displayed() and "not signed in any more" in text("#notice"), "the entry")
    one("#sign-in").click()
    sign_in()
    until(lambda: text("#view h1") == "佐藤 健司", "the person who was asked for")


@test("Somebody is found by title, by department and by role")
def _():
    for words, found in [("gross uw", "Uwe Groß"), ("Okafor, Grace", "Grace Okafor"), ("okafro", "Grace Okafor"), ("Treasurer", "Uwe Groß"), ("Executive Office", "Ilse Brandt"), ("Platform team", "Platform team")]:
        one("#query").send_keys(words)
        until(lambda: found in text("#results"), words)
        if found == words:
            one("#results li").click()
            until(lambda: text("#view h1") == "Platform team", "the role")
        else:
            one("#query").send_keys(Keys.ESCAPE, Keys.ESCAPE)


@test("The browser has nothing to complain about")
def _():
    # Refused and missing answers, and the network that was cut, are noted by the browser itself.
    expected = ["status of 401", "status of 404", "status of 429", "ERR_INTERNET_DISCONNECTED"]
    complaints = [entry["message"] for entry in driver.get_log("browser")
                  if not any(known in entry["message"] for known in expected)]
    assert not complaints, complaints


run("page_test")
