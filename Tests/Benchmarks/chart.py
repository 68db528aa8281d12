#!/usr/bin/env python3
"""Measures the chart of the page in headless Chromium on a server with 20,000 generated people: Tests/Benchmarks/chart.py PROGRAM.

Prints the time to the first picture, the time to expand somebody's reports, and Chromium's trace of a pan: how long the main thread
works on a frame, by the clock of the processor, so that other work on the machine does not count. The first line says how fast the machine is.
Needs PyPI's selenium, and Debian's chromium and chromium-driver.
"""
import json, math, os, pathlib, statistics, subprocess, sys, tempfile, time, urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
import websocket

program, password = sys.argv[1], "correct horse battery staple"
work = pathlib.Path(tempfile.mkdtemp())
(work / "password").write_text(password)
database = work / "people.db"
subprocess.run([program, "generate", "--people", "20000", "--database", database], check=True, stdout=subprocess.DEVNULL)
server = subprocess.Popen([program, "serve", "--database", database, "--listen", "127.0.0.1:0", "--admin-password-file", work / "password", "--quiet"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
base = server.stdout.readline().split()[-1]

options = webdriver.ChromeOptions()
options.binary_location = "/usr/bin/chromium"
for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en", "--window-size=1280,900"]:
    options.add_argument(argument)
driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
driver.set_script_timeout(60)


def until(script):
    WebDriverWait(driver, 60, 0.05).until(lambda _: driver.execute_script("return " + script))


def go(fragment):
    driver.execute_script("document.querySelector('#view').replaceChildren(); if (location.hash === arguments[0])"
                          " dispatchEvent(new HashChangeEvent('hashchange')); else location.hash = arguments[0]", fragment)
    until("document.querySelector('.chart > [role=status]:last-child')?.textContent.includes('shown')")


def first_pictures(fragment, count=7):
    """The times from the click on a link to the chart until the chart is painted, after a reload of the page."""
    times = []
    for _ in range(count):
        driver.get(base + "/?" + str(time.time_ns()) + "#me")
        until("document.querySelector('#view h1') !== null")
        time.sleep(0.5)
        times.append(driver.execute_async_script("""
            const [fragment, done] = arguments;
            const start = performance.now();
            new MutationObserver((_, observer) => {
              if (document.querySelectorAll('.stage .node').length < 2) return;
              observer.disconnect();
              requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
            }).observe(document.querySelector('#view'), {subtree: true, childList: true});
            location.hash = fragment;""", fragment))
    return times


def told(name, times):
    print(f"{name}: median {statistics.median(times):.0f} ms, most {max(times):.0f} ms ({len(times)} times)", flush=True)


class Trace:
    """Chromium's trace, from its start until `events` is called."""

    def __init__(self):
        with urllib.request.urlopen(f"http://{driver.capabilities['goog:chromeOptions']['debuggerAddress']}/json/version") as answer:
            self.socket = websocket.create_connection(json.load(answer)["webSocketDebuggerUrl"], suppress_origin=True, timeout=60)
        self.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": ["devtools.timeline", "toplevel"]}})
        while json.loads(self.socket.recv()).get("id") != 1:
            pass

    def send(self, method, values):
        self.socket.send(json.dumps({"id": 1, "method": method, "params": values}))

    def events(self):
        self.send("Tracing.end", {})
        events = []
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "Tracing.dataCollected":
                events += message["params"]["value"]
            if message.get("method") == "Tracing.tracingComplete":
                self.socket.close()
                return events


def pan(name):
    recorded = Trace()
    frames = driver.execute_async_script("""
        const done = arguments[0];
        const stage = document.querySelector('.stage');
        const box = stage.getBoundingClientRect();
        stage.setPointerCapture = () => {};
        let [x, y, frame] = [box.left + box.width / 2, box.top + box.height / 2, 0];
        const send = (type) => stage.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: x, clientY: y, button: 0, bubbles: true, isPrimary: true}));
        send('pointerdown');
        const step = () => {
          x += (frame % 60 < 30 ? -1 : 1) * 37;
          y += (frame % 90 < 45 ? -1 : 1) * 23;
          send('pointermove');
          frame += 1;
          if (frame < 180) return requestAnimationFrame(step);
          send('pointerup');
          setTimeout(() => done(frame), 400);
        };
        requestAnimationFrame(step);""")
    trace = recorded.events()
    renderer = {(event["pid"], event["tid"]) for event in trace if event.get("name") == "FireAnimationFrame"}
    mine = [event for event in trace if (event.get("pid"), event.get("tid")) in renderer and "tdur" in event]
    tasks = [event for event in mine if event["name"].endswith("RunTask")]
    ticks = [event for event in mine if event["name"] == "FireAnimationFrame"]
    # A frame's task calls the step of this test, which sends the pointer, and the chart.
    scripts = sorted(sum(tick["tdur"] for tick in ticks if task["ts"] <= tick["ts"] < task["ts"] + task["dur"]) / 1000 for task in tasks)
    scripts = [time for time in scripts if time > 0]
    longest = max((task["tdur"] / 1000 for task in tasks), default=0)
    nodes = driver.execute_script("return document.querySelectorAll('.stage .node').length")
    heap = driver.execute_script("return performance.memory.usedJSHeapSize") / 1e6
    if not scripts:
        return print(f"{name}: the trace has no frame among {len(trace)} events", flush=True)
    print(f"{name}: {frames} frames; script for a frame: median {statistics.median(scripts):.1f} ms, 99 of 100 below {scripts[int(0.99 * len(scripts))]:.1f} ms, "
          f"most {scripts[-1]:.1f} ms; longest task {longest:.1f} ms; {nodes} cards are elements; heap {heap:.0f} MB", flush=True)


try:
    driver.get(base + "/oauth2/sign-in")
    driver.find_element(By.CSS_SELECTOR, "#username").send_keys("admin")
    driver.find_element(By.CSS_SELECTOR, "#password").send_keys(password)
    driver.find_element(By.CSS_SELECTOR, "form button").click()
    until("document.querySelector('#view h1') !== null")
    work_time = driver.execute_script("const t = performance.now(); let s = 0; for (let i = 0; i < 2e7; i++) s += i % 7; return performance.now() - t + s * 0")
    print(f"calibration: 20 million additions take {work_time:.0f} ms; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
    told("first picture of the whole company", first_pictures("#chart"))
    deep = driver.execute_async_script(
        "const done = arguments[0]; fetch('scim/v2/Users?count=1&startIndex=15000').then((one) => one.json()).then((one) => done(one.Resources[0].id))")
    told("first picture around a person on the last level", first_pictures("#chart/" + deep))
    expanded = []
    for _ in range(4):
        go("#chart")
        time.sleep(1)
        expanded += driver.execute_async_script("""
        const done = arguments[0];
        const pause = (time) => new Promise((done) => setTimeout(done, time));
        (async () => {
          const times = [];
          for (let turn = 0; turn < 20; turn += 1) {
            const stage = document.querySelector('.stage').getBoundingClientRect();
            const isSeen = (box) => box.top > stage.top && box.bottom < stage.bottom && box.left > stage.left && box.right < stage.right;
            const closed = [...document.querySelectorAll('.node[aria-expanded=false]')].find((one) => isSeen(one.getBoundingClientRect()));
            if (!closed) break;
            const said = document.querySelector('.chart > [role=status]:last-child');
            const before = said.textContent;
            const start = performance.now();
            closed.querySelector('.pill').click();
            while (said.textContent === before) await pause(1);
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            times.push(performance.now() - start);
            await pause(600);
          }
          done(times);
        })();""")
    told("expanding", expanded)
    pan("panning with some people open")
    wheel = """
        const stage = document.querySelector('.stage');
        const box = stage.getBoundingClientRect();
        for (let turn = 0; turn < arguments[0]; turn += 1) stage.dispatchEvent(new WheelEvent('wheel', {deltaY: arguments[1], ctrlKey: true,
          clientX: box.left + 0.42 * box.width, clientY: box.top + 0.15 * box.height, bubbles: true, cancelable: true}));"""
    go("#chart?levels=all&colour=department")
    time.sleep(2)
    pan("panning 20,000 people, seen as a whole")
    for scale in (0.1, 0.4, 1):
        now = driver.execute_script("return new DOMMatrix(document.querySelector('.plane').style.transform).a")
        steps = round(abs(math.log(scale / now)) * 120 / 20)
        driver.execute_script(wheel, steps, -20 if scale > now else 20)
        time.sleep(1)
        pan(f"panning 20,000 people at {100 * scale:.0f} %")
finally:
    driver.quit()
    server.terminate()
    server.wait()
