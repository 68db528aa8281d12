#!/usr/bin/env python3
"""The organization's name, colour and logo, and the saved views of the people, in headless Chromium on a server that serves
Seeds/company.json in memory. The environment is that of browser.py."""
import os, struct, tempfile, time, zlib

from browser import (
    BASE, Keys, button, driver, enter, every, fill, fits, flaws, give_password, go, inside, one, picture, request, run, scheme, size, test, text, until)

FORM = "#branding"


def png(width, height, color):
    """The path of a picture of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes(color) * width) * height
    path = os.path.join(tempfile.mkdtemp(), "logo.png")
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return path


def ground():
    """The ground of the form's primary button."""
    return driver.execute_script("return getComputedStyle(document.querySelector('#branding [type=submit]')).backgroundColor")


@test("The form shows what a name, a colour and a logo look like before they are saved")
def _():
    enter(view="admin/branding")
    until(lambda: every(FORM), "the form")
    fill("#branding-organization_name", "Example Ltd.")
    fill("#branding-organization_color", "#9a3412")
    one("#branding-logo").send_keys(png(96, 48, (154, 52, 18)))
    until(lambda: text(".sample.light").find("Example Ltd.") > 0, "the name in the preview")
    until(lambda: "154, 52, 18" in driver.execute_script(
        "return getComputedStyle(document.querySelector('.sample.light .primary')).backgroundColor"), "the colour in the preview")
    assert one(".sample.dark img").is_displayed() and "Roster" in text(".brand")


@test("What is saved is there at once, in the header, the title and the colours, in light and in dark")
def _():
    scheme("light")
    inside(FORM, "Save").click()
    until(lambda: "Example Ltd." in text("header .brand"), "the name in the header")
    until(lambda: "Saved" in text("#toasts"), "a message")
    until(lambda: driver.title.endswith("Example Ltd."), "the title")
    until(lambda: "154, 52, 18" in ground(), "the colour")
    assert one("#brand-logo").is_displayed()
    assert driver.execute_script("return document.querySelector('#brand-logo').naturalWidth") == 96
    picture("branding")
    scheme("light")
    size(1280)
    assert not flaws(), flaws()


@test("A wrong colour is told beside its field, and saves nothing")
def _():
    fill("#branding-organization_color", "red")
    inside(FORM, "Save").click()
    until(lambda: "#" in text(f"{FORM} .mistake:not([hidden])"), "the mistake")
    assert request("GET", "/branding")[1]["color"] == "#9a3412"


@test("What the server says of a value stays when its field is left, and goes with another value")
def _():
    mistake = f"{FORM} .mistake:not([hidden])"
    one("#branding-organization_color").send_keys(Keys.TAB)
    time.sleep(0.5)
    assert "#" in text(mistake), text(FORM)
    fill("#branding-organization_color", "#9a3412")
    one("#branding-organization_color").send_keys(Keys.TAB)
    until(lambda: not text(mistake), "the mistake goes")


@test("The sign-in page has the look")
def _():
    driver.delete_all_cookies()
    driver.get(BASE + "/oauth2/sign-in")
    assert "Example Ltd." in text(".brand") and driver.title.endswith("· Example Ltd.")
    assert driver.execute_script("return document.querySelector('.brand img').naturalWidth") == 96
    picture("branding-sign-in")
    scheme("light")
    size(1280)
    assert not flaws(), flaws()


@test("Reset takes the look away, and Undo brings it back")
def _():
    enter(view="admin/branding")
    until(lambda: every(FORM), "the form")
    inside(FORM, "Reset").click()
    button("Reset", "dialog").click()
    until(lambda: text("header .brand") == "Roster", "the name of the product")
    assert not one("#brand-logo").is_displayed()
    button("Undo", "#toasts").click()
    until(lambda: "Example Ltd." in text("header .brand"), "the name is back")
    until(lambda: one("#brand-logo").is_displayed(), "the logo is back")
    until(lambda: "before" in text("#toasts"), "the message, after which the view is shown again")


@test("An administrator saves a view of the people, renames and deletes it, and Undo brings it back")
def _():
    go("people?f=not%20(manager%20pr)&sort=-title")
    until(lambda: every(".views button"), "Save as a view")
    button("Save as a view").click()
    fill("#view-name", "At the top")
    one("#view-form [type=submit]").click()
    until(lambda: "At the top" in text(".views ul"), "the view")
    assert one(".views a[aria-current]").text == "At the top"
    go("people?f=active%20eq%20false")
    until(lambda: any("Save as" in one.text for one in every(".views button")), "Save as a view")
    button("Save as a view").click()
    fill("#view-name", "At the top")
    one("#view-form [type=submit]").click()
    until(lambda: "There is a view" in text("dialog .result"), "the refusal")
    fill("#view-name", "Leavers")
    one("#view-form [type=submit]").click()
    until(lambda: "Leavers" in text(".views ul"), "the view")
    button("Rename the view").click()
    fill("#view-name", "Disabled accounts")
    one("#view-form [type=submit]").click()
    until(lambda: "Disabled accounts" in text(".views ul") and "Leavers" not in text(".views ul"), "the new name")
    picture("views")
    scheme("light")
    size(1280)
    assert not flaws(), flaws()
    button("Delete the view").click()
    until(lambda: "Disabled accounts" not in text(".views ul"), "the view is gone")
    button("Undo", "#toasts").click()
    until(lambda: "Disabled accounts" in text(".views ul"), "the view is back")


@test("Somebody else sees the views and the look, and cannot change them")
def _():
    give_password("emma.mueller", "a staple of horses")
    enter("emma.mueller", "a staple of horses", view="people")
    until(lambda: "At the top" in text(".views ul"), "the views")
    assert not every(".views button") and "Example Ltd." in text("header .brand")
    next(one for one in every(".views a") if one.text == "At the top").click()
    until(lambda: every(".chips .chip"), "the filter of the view")


@test("The look and the views are taken away again, for the tests that follow")
def _():
    assert request("PUT", "/admin/branding", {"name": None, "color": None, "logo": None})[0] == 200
    for view in request("GET", "/views")[1]["views"]:
        assert request("DELETE", "/admin/views/" + view["name"].replace(" ", "%20"))[0] == 204


run("branding_test")
