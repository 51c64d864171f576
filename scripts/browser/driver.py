"""A real Chromium, and what tests of pages ask of it."""
import base64, json, os, time, urllib.error, urllib.request
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

# Seconds: as long as a busy machine may take.
PATIENCE = 120


def browser(width=1280, height=900, language="en", dark=False):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--lang={language}", f"--window-size={width},{height}"]:
        options.add_argument(argument)
    # What pages save is read from the page: nothing is left on the machine.
    options.add_experimental_option("prefs", {"intl.accept_languages": language, "download_restrictions": 3})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    size(driver, width, height)
    if dark:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    return driver


def size(driver, width, height=900):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})


def until(what, condition, patience=PATIENCE):
    """Waits for a condition, and says what was waited for in vain."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            if condition():
                return
        except Exception:  # What is being drawn is asked again.
            pass
        time.sleep(0.05)
    raise AssertionError(f"in vain: {what}")


def text(driver, name):
    return driver.find_element(By.ID, name).text


def idle(driver):
    until("the page to be ready", lambda: driver.execute_script("return !doing && (typeof state === 'undefined' || !state?.busy) && wire.isOpen"))


def click(driver, name):
    idle(driver)
    driver.execute_script("document.getElementById(arguments[0]).scrollIntoView({block: 'center'})", name)
    driver.find_element(By.ID, name).click()
    idle(driver)


def choose(driver, name, value):
    Select(driver.find_element(By.ID, name)).select_by_value(value)


def press(driver, *keys):
    for key in keys:
        ActionChains(driver).send_keys(key).perform()


def focused(driver):
    return driver.execute_script("return document.activeElement.id")


def tab_to(driver, name):
    """Goes to something by the keyboard alone."""
    for _ in range(300):
        if focused(driver) == name:
            return
        press(driver, Keys.TAB)
    raise AssertionError(f"Tab does not lead to {name}")


def picture(driver, path, height=None):
    whole = driver.execute_script("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    clip = {"x": 0, "y": 0, "width": whole[0], "height": min(whole[1], height or whole[1]), "scale": 1}
    answer = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(base64.b64decode(answer["data"]))


def sane(driver):
    """What holds of a page at any time: nothing wider than the window, and no two controls of one name."""
    width, inner = driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert width <= inner, f"the page is {width} wide in a window of {inner}"
    names = driver.execute_script(
        "return [...document.querySelectorAll('button, select, input, summary')].filter(one => one.offsetHeight).map(one => one.getAttribute('aria-label') || one.labels?.[0]?.textContent || one.textContent)")
    twice = {name for name in names if names.count(name) > 1}
    assert all(names) and not twice, f"controls of one name: {twice}"
    small = driver.execute_script("return [...document.querySelectorAll('button, select, input')].filter(one => one.offsetHeight && one.offsetHeight < 24).map(one => one.id)")
    assert not small, f"too small to hit: {small}"


def unbroken(driver):
    """On a narrow screen no date is broken in two, and the line of the present goes through no name."""
    broken = driver.execute_script("""
        const dates = /(?:[A-Z][a-z]{2} \\d{1,2}, \\d{4}|\\d{1,2} [A-Z][a-z]+ \\d{4}|\\d{4}년 \\d{1,2}월 \\d{1,2}일)/g, found = [];
        const texts = document.createTreeWalker(document.getElementById("content"), NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          const node = texts.currentNode;
          for (const match of node.data.replaceAll("\\u00a0", " ").matchAll(dates)) {
            const range = document.createRange();
            range.setStart(node, match.index);
            range.setEnd(node, match.index + match[0].length);
            if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) found.push(node.data);
          }
        }
        return found""")
    assert not broken, f"dates in two lines: {broken}"
    crossed = driver.execute_script("""
        const line = document.querySelector("#timeline-picture > line.now")?.getBoundingClientRect();
        return line ? [...document.querySelectorAll("#timeline-picture text.label")].filter(one => {
          const box = one.getBoundingClientRect();
          return box.left < line.right && line.left < box.right;
        }).map(one => one.textContent) : []""")
    assert not crossed, f"the line of the present goes through {crossed}"


def clean(driver):
    """No page complains, but of answers that are asked for in vain."""
    wrong = [line["message"] for line in driver.get_log("browser") if "Failed to load resource" not in line["message"] and "net::ERR" not in line["message"]]
    assert not wrong, wrong


class API:
    """The page's own API."""

    def __init__(self, url):
        self.base, self.token = url.split("/#")

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, data=json.dumps(body).encode() if body is not None else None,
                                         headers={"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read().decode()

    def get(self, path):
        return json.loads(self.ask("GET", path))
