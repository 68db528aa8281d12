"""What tests of the chart ask and do on its page."""
import time

from selenium.webdriver.common.keys import Keys

from browser import driver, every, go, one, text, until


def names():
    return driver.execute_script("return [...document.querySelectorAll('.node .name')].map((one) => one.textContent)")


def node(name):
    """The card of somebody; None where it is not drawn."""
    return driver.execute_script(
        "return [...document.querySelectorAll('.node')].find((one) => one.querySelector('.name').textContent === arguments[0])", name)


def card_with_focus():
    return driver.execute_script("return document.activeElement.querySelector?.('.name')?.textContent")


def press(*keys):
    for key in keys:
        driver.switch_to.active_element.send_keys(key)


def attribute(name):
    return driver.switch_to.active_element.get_attribute(name)


def camera():
    return driver.execute_script(
        "const one = new DOMMatrix(document.querySelector('.plane').style.transform); return [one.e, one.f, one.a]")


def still():
    """Waits until the chart has come to rest."""
    time.sleep(0.1)
    until(lambda: camera() == (time.sleep(0.12), camera())[1], "the chart is at rest")


def is_seen(name):
    return driver.execute_script(
        "const one = arguments[0].getBoundingClientRect(), stage = document.querySelector('.stage').getBoundingClientRect();"
        " return one.top >= stage.top && one.bottom <= stage.bottom && one.left >= stage.left && one.right <= stage.right", node(name))


def shown():
    """How many people the chart says it shows."""
    return text(".chart > [role=status]:last-child")


def choose(field, words, found):
    """Types words into a field that finds people, and chooses the first one."""
    one(field).clear()
    one(field).send_keys(words)
    until(lambda: found in text(field + "-list"), words)
    press(Keys.ENTER)


def chart(place=""):
    go("#chart" + place)
    until(lambda: every(".node"), "the chart")
    still()
