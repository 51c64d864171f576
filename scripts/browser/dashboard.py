"""Does with a device's page what a person does: dashboard.py PEERD DIRECTORY [PICTURES]"""
import subprocess, sys
from driver import *

PEERD, HOME, PICTURES = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def peerd(*arguments):
    return subprocess.run([PEERD, *arguments], check=True, capture_output=True, text=True).stdout


def started(*arguments):
    process = subprocess.Popen([PEERD, *arguments, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return process, json.loads(process.stdout.readline())


def device(name, store):
    directory = f"{HOME}/{name}"
    peerd("init", "--data", directory, "--name", name, "--environment", "sandbox", "--bundle-id", "com.example.app", "--trust-root", store["root"])
    return started("run", "--data", directory, "--http", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--announce", "none", "--store", store["http"])[0]


def once(driver):
    """No instant stands twice on the page, once for people and once for programs."""
    assert "T00:" not in driver.find_element(By.TAG_NAME, "body").text, driver.find_element(By.TAG_NAME, "body").text
    put = [row.text for row in driver.find_elements(By.CSS_SELECTOR, "#history tr") if "into the catalogue" in row.text]
    assert len(put) == 1 and "(14)" in put[0], put


def buys(driver):
    until("the products", lambda: driver.find_elements(By.ID, "product"))
    choose(driver, "product", "3monthsOfRandom")
    click(driver, "buy")
    until("the line", lambda: "random-owls until" in text(driver, "standing"))
    until("the purchase", lambda: "3 months of random owls" in text(driver, "purchases"))
    until("the history", lambda: "Phone bought 3 months of random owls" in text(driver, "history"))
    until("the block", lambda: len(driver.find_elements(By.CSS_SELECTOR, "[data-kind=block]")) == 1)
    choose(driver, "product", "RandomOwls")
    click(driver, "buy")
    until("the owls", lambda: "this device: 5" in text(driver, "standing"))
    click(driver, "spend-owls")
    until("that one is spent", lambda: "4 owls" in text(driver, "standing"))
    for product, name, words in [("CarefreeOwl", "Carefree owl", " is owned already: nothing was bought."), ("club.monthly", "Owl club, a month", " is subscribed already until ")]:
        choose(driver, "product", product)
        click(driver, "buy")
        until("the purchase", lambda: name in text(driver, "purchases"))
        assert not text(driver, "problem-actions"), text(driver, "problem-actions")
        click(driver, "buy")
        until("that it is there already", lambda: name + words in text(driver, "problem-actions"))
    choose(driver, "right", "random-owls")
    click(driver, "grant")
    until("the grant", lambda: "granted random-owls" in text(driver, "history"))
    click(driver, "set-date")
    until("that a date is missing", lambda: text(driver, "problem-actions") == "Choose a date first.")
    assert "random-owls until" in text(driver, "standing"), "cover was taken away"
    click(driver, "no-date")
    assert "All cover of random-owls is taken away" in text(driver, "question"), text(driver, "question")
    driver.find_element(By.ID, "no").click()
    assert "random-owls until" in text(driver, "standing"), "cover was taken away"
    driver.find_element(By.CSS_SELECTOR, "[id^=refund-]").click()
    until("the refund", lambda: "refunded" in text(driver, "purchases"))
    driver.find_element(By.CSS_SELECTOR, "[id^=refund-][aria-label*=RandomOwls]").click()
    until("what is owed", lambda: "1 owls owed: the next purchase pays it first" in text(driver, "standing"))
    assert "held by" not in text(driver, "standing"), text(driver, "standing")
    choose(driver, "product", "RandomOwls")
    click(driver, "buy")
    until("that it is paid", lambda: "4 owls, 4 to spend here – held by this device: 4" in text(driver, "standing"))


def dated(driver):
    """A refund under an explicit date says that it changes nothing there."""
    choose(driver, "product", "3monthsOfRandom")
    click(driver, "buy")
    until("the purchase", lambda: driver.find_elements(By.CSS_SELECTOR, "[id^=refund-][aria-label*='3monthsOfRandom']"))
    driver.execute_script("document.getElementById('end').value = '2030-01-01'")
    click(driver, "set-date")
    until("the date", lambda: "random-owls until 1 Jan 2030" in text(driver, "standing"))
    driver.find_element(By.CSS_SELECTOR, "[id^=refund-][aria-label*='3monthsOfRandom']").click()
    until("that it changes nothing", lambda: text(driver, "problem-purchases").startswith("random-owls stays as it is: its explicit date"))
    assert "random-owls until 1 Jan 2030" in text(driver, "standing")


def group(driver):
    click(driver, "invite")
    until("the invitation", lambda: driver.find_elements(By.ID, "qr") and text(driver, "join"))
    assert "No other machine can reach this device" in text(driver, "invitation"), text(driver, "invitation")
    peerd(*[HOME + "/Tablet" if word == "DIR" else word for word in text(driver, "join").split()[1:]])
    until("the tablet", lambda: "Tablet" in text(driver, "group") and "connected" in text(driver, "group"))
    click(driver, "network")
    until("that it is offline", lambda: text(driver, "state").startswith("Offline") and text(driver, "network") == "Go online")
    assert focused(driver) == "network"
    click(driver, "network")


def languages(driver):
    click(driver, "language")
    until("Korean", lambda: "할 수 있는 일" in driver.find_element(By.TAG_NAME, "body").text and "구입했습니다" in text(driver, "history"))
    sane(driver)
    click(driver, "language")
    until("English", lambda: "What it can do" in driver.find_element(By.TAG_NAME, "body").text)


def removed(driver):
    until("that both are connected", lambda: "connected" in text(driver, "group") and "not connected" not in text(driver, "group"))
    peerd("remove", "Phone", "--yes", "--data", HOME + "/Tablet")
    until("that it was removed", lambda: text(driver, "state") == "removed" and text(driver, "warnings").startswith("⚠ this device was removed from its group"))
    assert not driver.find_elements(By.ID, "buy"), "a removed device still sells"


def main():
    store_process, store = started("store", "--data", HOME + "/store", "--catalog", ROOT + "/examples/insomniowl.json", "--catalog", ROOT + "/examples/plans.json", "--http", "127.0.0.1:0")
    phone, tablet = device("Phone", store), device("Tablet", store)
    peerd("catalogue", "add", ROOT + "/examples/insomniowl.json", "--data", HOME + "/Phone")
    driver = browser(900)
    try:
        url = json.loads(peerd("dashboard", "--data", HOME + "/Phone", "--json"))["url"]
        driver.get(url.split("#")[0] + "#wrong")
        until("the refusal", lambda: text(driver, "state") == "The token is wrong.")
        assert not driver.find_element(By.ID, "content").is_displayed()
        driver.get("about:blank")
        driver.get(url)
        until("the page", lambda: text(driver, "name") == "Phone")
        assert "#" not in driver.current_url
        for step in [buys, once, sane, group, languages]:
            step(driver)
        if PICTURES:
            picture(driver, PICTURES + "/dashboard.png", 1500)
        dated(driver)
        removed(driver)
        size(driver, 360)
        sane(driver)
        unbroken(driver)
        phone.terminate()
        until("that the connection is lost", lambda: "lost" in text(driver, "state"))
        clean(driver)
    finally:
        driver.quit()
        for process in [phone, tablet, store_process]:
            process.terminate()
            process.wait()


main()
