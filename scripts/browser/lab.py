"""Does with the laboratory's page what a person does: lab.py URL [PICTURES]"""
import re, shutil, subprocess, sys, tempfile
from urllib.parse import quote, urlsplit
from driver import *

URL, PICTURES = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
LINKS = ["Phone-Tablet", "Phone-Mac", "Tablet-Mac"]


def shows(driver, device, words):
    return words in text(driver, "device-" + device)


def wrong_token(driver):
    driver.get(URL.split("#")[0] + "#wrong")
    until("the refusal", lambda: text(driver, "state") == "The token is wrong.")
    assert not driver.find_element(By.ID, "content").is_displayed()
    driver.get("about:blank")
    driver.get(URL)
    until("the devices", lambda: shows(driver, "Mac", "Connected with"))
    assert "#" not in driver.current_url, "the token stays in the address"


def top(driver, name, centred=True):
    """Where something stands in the window, in the middle unless it is left where it is."""
    return driver.execute_script("const one = document.getElementById(arguments[0]); if (arguments[1]) one.scrollIntoView({block: 'center'}); return one.getBoundingClientRect().top", name, centred)


def bars(driver):
    """How full the bar of each device is that has one, in hundredths, and what a full one stands for."""
    return [(round(100 * float(one.get_attribute("value")) / float(one.get_attribute("max"))), one.get_attribute("title")) for one in driver.find_elements(By.TAG_NAME, "meter")]


def scale(driver):
    """Where one device has more than a year, the bars of all have the longer scale."""
    scales = driver.execute_script("""
        const now = state, longer = structuredClone(state);
        longer.devices[0].status.lines[0].runs[0].end = "2028-03-01T00:00:00.000Z";
        state = longer;
        redraw();
        const found = [...document.querySelectorAll("meter")].map(one => one.title);
        state = now;
        redraw();
        return found""")
    assert scales == ["A full bar is 3 years."] * 3, scales


def nine_months(driver):
    click(driver, "cut-Phone-Tablet")
    until("the way round the cut", lambda: "Phone and Tablet still meet through Mac. To keep them apart, press “Cut” in the row “Phone – Mac” too." in text(driver, "links"))
    assert "mixed" in text(driver, "link-all"), text(driver, "link-all")
    before = len(API(URL).get("/v1/lab")["story"])
    click(driver, "cut-all")
    until("that all are cut", lambda: all(re.search(r"\bcut\b", text(driver, "link-" + link)) for link in ["all"] + LINKS))
    cuts = [line for line in API(URL).get("/v1/lab")["story"][before:] if line != "settle"]
    assert cuts == ["cut " + link.replace("-", " ") for link in LINKS], cuts
    for device, product in [("Phone", "3monthsOfRandom"), ("Tablet", "6monthsOfRandom")]:
        choose(driver, "product-" + device, product)
        click(driver, "buy-" + device)
    until("April and July", lambda: shows(driver, "Phone", "1 Apr 2026") and shows(driver, "Tablet", "1 Jul 2026"))
    assert bars(driver) == [(25, "A full bar is a year."), (49, "A full bar is a year.")], bars(driver)
    assert "still meet" not in text(driver, "links")
    assert text(driver, "crossings") == "Nothing has crossed yet.", text(driver, "crossings")
    until("that they differ", lambda: text(driver, "agreement") == "3 running devices hold 3 different states.")
    for link in ["Phone-Mac", "Tablet-Mac"]:
        click(driver, "mend-" + link)
    until("nine months", lambda: all(shows(driver, device, "1 Oct 2026") for device in ["Phone", "Tablet", "Mac"]))
    assert bars(driver) == [(75, "A full bar is a year.")] * 3, bars(driver)
    until("the way round the cut", lambda: "Phone and Tablet still meet through Mac." in text(driver, "links"))
    until("that they agree", lambda: text(driver, "agreement") == "All 3 running devices hold the same.")


def blocks(driver):
    """Every block has the dates of `why`."""
    api, count = API(URL), 0
    until("the blocks of three devices", lambda: len(driver.find_elements(By.CSS_SELECTOR, "[data-kind=block]")) == 6)
    for device in ["Phone", "Tablet", "Mac"]:
        line = api.get(f"/v1/lab/devices/{device}?path={quote('/v1/entitlements/random-owls/why')}")["lines"][0]
        start = line["runs"][0]["start"]
        for step in line["steps"]:
            block = driver.find_element(By.CSS_SELECTOR, f"[data-device={device}][data-id='{step['transaction']['transactionId']}']")
            assert (block.get_attribute("data-start"), block.get_attribute("data-end")) == (start, step["end"]), (device, step)
            start, count = step["end"], count + 1
    assert count == 6 and legend(driver) == ["bought on Phone", "bought on Tablet"], legend(driver)
    block = driver.find_element(By.CSS_SELECTOR, "[data-kind=block]")
    driver.execute_script("arguments[0].focus()", block)
    assert "bought on Phone" in text(driver, "timeline-said") and "months" in text(driver, "timeline-said"), text(driver, "timeline-said")


def legend(driver):
    return [one.text for one in driver.find_elements(By.CSS_SELECTOR, "#legend > span")]


def arrows(driver):
    """A purchase draws one arrow for each time it crosses, and none over a cut link."""
    def drawn():
        return [tuple(one.get_attribute(name) for name in ["data-from", "data-to", "data-commit", "data-ids"]) for one in driver.find_elements(By.CSS_SELECTOR, ".arrow")]

    until("both purchases to have crossed", lambda: {one[3] for one in drawn()} >= {one["transactionId"] for one in API(URL).get("/v1/lab")["purchases"]})
    assert not [one for one in drawn() if {one[0], one[1]} == {"Phone", "Tablet"}], drawn()
    # On a machine that is busy a device may ask a second time for what is on its way: then it does cross twice.
    crossed = [one[:3] for one in drawn()]
    assert all(crossed.count(one) <= 2 for one in crossed), f"a commit came again and again: {drawn()}"
    arrived = {one[1:] for one in crossed}
    assert len(set(crossed)) == len(arrived), f"a commit came from two devices: {drawn()}"


def near(driver):
    """At 1280 pixels the first window has devices, links and refunds, and the second one the story."""
    ends = driver.execute_script("return ['refund-p2', 'link-Phone-Tablet', 'save', 'replay'].map(id => document.getElementById(id).getBoundingClientRect().bottom + scrollY)")
    assert max(ends[:2]) < 900 and max(ends[2:]) < 1800, ends


def boxed(driver):
    """What crossed takes no more room than it has, and shows the newest."""
    box = lambda: driver.execute_script("const one = document.getElementById('crossed'); return [one.scrollTop, one.clientHeight, one.scrollHeight]")
    until("the newest arrow at the end of its box", lambda: box()[1] < box()[2] and abs(sum(box()[:2]) - box()[2]) < 4)
    assert box()[1] < 450, box()


def news(driver):
    """A purchase, or its refund, is news to a device once, and to the one that bought it never; an arrow says what it brought."""
    api, arrived = API(URL), {}
    for one in driver.find_elements(By.CSS_SELECTOR, ".arrow[data-news=true]"):
        for transaction in one.get_attribute("data-ids").split():
            of = (transaction, transaction in (one.get_attribute("data-revoked") or ""), one.get_attribute("data-to"))
            arrived.setdefault(of, set()).add((one.get_attribute("data-from"), one.get_attribute("data-commit")))
    # On a machine that is busy it may be asked for a second time before it is taken in: one device tells the same then.
    assert all(len(ways) == 1 for ways in arrived.values()), f"news came twice: {arrived}"
    for one in api.get("/v1/lab")["purchases"]:
        told = {to for transaction, is_refund, to in arrived if transaction == one["transactionId"] and not is_refund}
        assert told == {"Phone", "Tablet", "Mac"} - {one["device"]}, (one, arrived)
    arrow = driver.find_elements(By.CSS_SELECTOR, ".arrow")[-1]
    driver.execute_script("arguments[0].focus()", arrow)
    assert text(driver, "crossing-said") == arrow.get_attribute("aria-label") and "’s record" in text(driver, "crossing-said"), text(driver, "crossing-said")


def refunded(driver):
    """What brings a refund says so."""
    until("the refund to have crossed", lambda: driver.find_elements(By.CSS_SELECTOR, ".arrow.back"))
    refunds = [one for one in driver.find_elements(By.CSS_SELECTOR, ".arrow") if one.get_attribute("data-revoked")]
    assert all("p1 3monthsOfRandom: refunded" in one.get_attribute("aria-label") for one in refunds), [one.get_attribute("aria-label") for one in refunds]
    assert len(refunds) < len(driver.find_elements(By.CSS_SELECTOR, ".arrow")), "purchases are marked as refunds"


def apart(driver):
    """No device has a socket to another: all goes by the laboratory's relays."""
    if not shutil.which("ss"):
        return
    owner = {}
    for line in subprocess.run(["ss", "-tnpH"], capture_output=True, text=True).stdout.splitlines():
        fields, process = line.split(), re.search(r"pid=(\d+)", line)
        if process:
            owner[fields[3], fields[4]] = process.group(1)

    listening = subprocess.run(["ss", "-tlnpH", f"sport = :{urlsplit(URL).port}"], capture_output=True, text=True).stdout
    laboratory = re.search(r"pid=(\d+)", listening).group(1)

    def is_device(process):
        try:
            # Its parent stands two words behind its name, which may hold blanks.
            parent = open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[1]
            return parent == laboratory and b"--announce" in open(f"/proc/{process}/cmdline", "rb").read()
        except OSError:
            # Another process of the machine, which has ended since.
            return False

    assert sum(is_device(process) for process in set(owner.values())) == 3, "not all devices were found"

    direct = [ends for ends, one in owner.items() if ends[::-1] in owner and is_device(one) and is_device(owner[ends[::-1]])]
    assert not direct, f"devices are connected directly: {direct}"


def keyboard(driver):
    """Buys, cuts and sets a clock without a pointer; the focus stays."""
    driver.execute_script("document.activeElement.blur(); scrollTo(0, 0)")
    tab_to(driver, "product-Mac")
    choose(driver, "product-Mac", "RandomOwls")
    tab_to(driver, "buy-Mac")
    press(driver, Keys.ENTER)
    until("owls on Phone", lambda: shows(driver, "Phone", "5 owls"))
    idle(driver)
    assert focused(driver) == "buy-Mac", focused(driver)
    tab_to(driver, "cut-Phone-Mac")
    press(driver, Keys.SPACE)
    until("the cut", lambda: "cut" in text(driver, "link-Phone-Mac").split("\n")[0])
    idle(driver)
    assert focused(driver) == "cut-Phone-Mac", focused(driver)
    click(driver, "mend-Phone-Mac")


def mistakes(driver):
    """What goes wrong is said where one acted."""
    driver.find_element(By.ID, "line").send_keys("Phone flies" + Keys.ENTER)
    until("the problem", lambda: "no verb `flies`" in text(driver, "problem-story"))
    assert driver.find_element(By.ID, "problem-story").get_attribute("role") == "alert"
    driver.find_element(By.ID, "line").clear()


def clocks(driver):
    """A wrong clock is marked, and the page goes on with the store's time."""
    # The clocks of devices go on by themselves: of a right one the page shows what it has in common with the store's.
    assert all(shows(driver, device, "Its own clock says 1 Jan 2026.") for device in ["Phone", "Tablet", "Mac"]) and "In the store it is 1 Jan 2026, 00:00" in text(driver, "store")
    driver.find_element(By.CSS_SELECTOR, "#device-Phone summary").click()
    choose(driver, "clock-Phone", "400")
    click(driver, "set-clock-Phone")
    until("the wrong clock", lambda: shows(driver, "Phone", "400 days ahead"))
    assert "2026" in text(driver, "store") and "Jan" in driver.execute_script("return document.querySelector('text.now').textContent")
    assert shows(driver, "Phone", "5 Feb 2027, 00:"), "its own clock is not shown"
    choose(driver, "clock-Phone", "0")
    click(driver, "set-clock-Phone")
    until("the right clock", lambda: not shows(driver, "Phone", "ahead"))
    choose(driver, "clock-Phone", "-30")
    click(driver, "set-clock-Phone")
    until("that it follows the store", lambda: shows(driver, "Phone", "right again: it follows the store's clock") and not shows(driver, "Phone", "behind"))
    choose(driver, "clock-Phone", "0")
    click(driver, "set-clock-Phone")
    until("the right clock", lambda: not shows(driver, "Phone", "right again"))


def dates(driver):
    """A date that is missing takes nothing away, and what takes all away asks before."""
    click(driver, "date-Phone")
    until("that a date is missing", lambda: "Choose a date first." in text(driver, "problem-Phone"))
    click(driver, "no-date-Phone")
    assert "All cover of random-owls is taken away" in text(driver, "question"), text(driver, "question")
    driver.find_element(By.ID, "no").click()
    assert not [line for line in API(URL).get("/v1/lab")["story"] if " sets " in line]


def approval(driver):
    driver.find_element(By.CSS_SELECTOR, "#console summary").click()
    click(driver, "asking")
    choose(driver, "product-Mac", "ShyOwl")
    click(driver, "buy-Mac")
    until("that it waits", lambda: "waits for approval" in text(driver, "purchases"))
    name = re.search(r"(p\d+): ShyOwl", text(driver, "purchases")).group(1)
    click(driver, "approve-" + name)
    until("ShyOwl everywhere", lambda: all(shows(driver, device, "ShyOwl") for device in ["Phone", "Tablet", "Mac"]))


def replayed(driver):
    idle(driver)
    driver.execute_script("document.getElementById('save').click()")
    until("what was saved", lambda: "Saved as lab-story.txt." in text(driver, "replayed"))
    assert text(driver, "replay") == "Replay in virtual time and by real processes", text(driver, "replay")
    driver.execute_script("document.getElementById('replay').click()")
    until("both replays", lambda: len(driver.find_elements(By.CSS_SELECTOR, "#replayed details")) == 2, 600)
    assert "In virtual time the story holds." in text(driver, "replayed") and "By real processes the story holds." in text(driver, "replayed"), text(driver, "replayed")
    # What was replayed and what is saved have the numbers of the story above.
    lines = API(URL).get("/v1/lab")["story"]
    saved = API(URL).ask("GET", "/v1/lab/story").split("\n")
    assert saved[:len(lines)] == lines, saved
    assert "expect Mac ShyOwl active now" in saved and not [line for line in saved if "NightOwl" in line], saved
    shown = driver.execute_script("return [...document.querySelector('#replayed ol').children].map(one => [one.value, one.querySelector('code').textContent])")
    assert [line for line in shown if line[0] <= len(lines)] == [[number + 1, line] for number, line in enumerate(lines)], shown
    assert [line for line in shown if line[0] > len(lines)] == [[number, saved[number - 1]] for number, _ in shown[len(lines):]], shown


def console(driver):
    """The store's console: accounts, families, prices, billing, time by the slider, and what comes next."""
    driver.find_element(By.ID, "account-name").send_keys("anna")
    choose(driver, "account-device", "Mac")
    click(driver, "use-account")
    until("the account", lambda: "anna: Mac" in text(driver, "accounts"))
    driver.find_element(By.ID, "family-name").send_keys("owls")
    choose(driver, "family-account", "anna")
    click(driver, "share")
    until("the family", lambda: "in the family owls" in text(driver, "account-anna"))
    click(driver, "billing-anna")
    until("failing payments", lambda: "Payments fail now" in text(driver, "account-anna"))
    click(driver, "billing-anna")
    choose(driver, "price-product", "pro.monthly")
    click(driver, "raise")
    until("that a price is missing", lambda: "One word" in text(driver, "problem-store"))
    driver.find_element(By.ID, "price").send_keys("2.49")
    click(driver, "raise")
    until("the price", lambda: "pro.monthly: 2.49" in text(driver, "price-product"))
    choose(driver, "product-Phone", "pro.monthly")
    click(driver, "buy-Phone")
    until("what comes", lambda: "pro.monthly of" in text(driver, "coming") and "1 Feb 2026" in text(driver, "coming"))
    driver.execute_script("document.getElementById('days').focus()")
    press(driver, Keys.ARROW_RIGHT)
    until("the slider", lambda: text(driver, "drag").startswith("11 days"))
    click(driver, "drag")
    until("eleven days", lambda: "12 Jan 2026" in text(driver, "store"))


def stepped(driver):
    """A story that comes with peerd is opened, and gone through line by line, by keyboard as well."""
    idle(driver)
    until("the list of stories", lambda: len(driver.find_elements(By.CSS_SELECTOR, "#shipped option")) > 50)
    choose(driver, "shipped", "A1-renewals-apart-add-up")
    click(driver, "open-shipped")
    until("the story", lambda: "A1-renewals-apart-add-up" in text(driver, "opened") and text(driver, "step").startswith("Step 1 of "))
    assert "In virtual time the story holds." in text(driver, "opened")
    assert "What each device shows" not in text(driver, "step"), "a heading over nothing"
    driver.execute_script("document.getElementById('step-next').focus()")
    press(driver, Keys.ENTER, Keys.SPACE)
    until("the third line", lambda: text(driver, "step").startswith("Step 3 of "))
    assert re.match(r"Step 3 of \d+, line 7: cut Phone Tablet", text(driver, "step")), text(driver, "step")
    assert focused(driver) == "step-next", focused(driver)
    click(driver, "step-last")
    until("what devices show", lambda: "What each device shows after it" in text(driver, "step") and "Phone: " in text(driver, "step-shows"))


def own_story(driver):
    """A file is chosen by a button in the language of the page, by keyboard as well."""
    driver.execute_script("window.asked = 0; document.getElementById('file').onclick = event => { asked++; event.preventDefault(); }; document.getElementById('shipped').focus()")
    tab_to(driver, "choose-file")
    press(driver, Keys.ENTER)
    until("that a file is asked for", lambda: driver.execute_script("return asked") == 1)
    assert text(driver, "choose-file") == "Open a file of yours …" and not driver.find_element(By.ID, "file").is_displayed()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("devices Phone\n")
        file.flush()
        driver.find_element(By.ID, "file").send_keys(file.name)
        until("the story of the file", lambda: text(driver, "step").startswith("Step 1 of 1, line 1: devices Phone"))


def languages(driver):
    click(driver, "language")
    until("Korean", lambda: driver.title == "PeerSync 실험실" and driver.find_element(By.TAG_NAME, "html").get_attribute("lang") == "ko")
    until("the devices in Korean", lambda: shows(driver, "Phone", "연결됨"))
    until("the stories in Korean", lambda: "이용 기한" in text(driver, "step-shows") and "이용 기한" in driver.find_element(By.ID, "replayed").get_attribute("textContent"))
    sane(driver)
    click(driver, "language")
    until("English", lambda: driver.title == "PeerSync laboratory")


def removal(driver):
    """Removing asks, and a removed device has nothing more to do in the group."""
    if not driver.find_element(By.ID, "remove-Phone-Mac").is_displayed():
        driver.find_element(By.CSS_SELECTOR, "#device-Phone summary").click()
    click(driver, "remove-Phone-Mac")
    driver.find_element(By.ID, "no").click()
    assert focused(driver) == "remove-Phone-Mac" and not shows(driver, "Mac", "removed")
    click(driver, "remove-Phone-Mac")
    driver.find_element(By.ID, "yes").click()
    until("that Mac knows", lambda: shows(driver, "Mac", "This device was removed") and not driver.find_elements(By.ID, "buy-Mac"))
    assert "=>" not in text(driver, "device-Mac"), text(driver, "device-Mac")
    until("that it does not count", lambda: text(driver, "agreement") == "All 2 running devices hold the same. 1 removed.")


def main():
    driver = browser()
    try:
        wrong_token(driver)
        sane(driver)
        assert all(shows(driver, device, "random-owls: no days left") for device in ["Phone", "Tablet", "Mac"])
        assert "Buy 3monthsOfRandom on Phone, and 6monthsOfRandom on Tablet." in text(driver, "hint"), text(driver, "hint")
        nine_months(driver)
        scale(driver)
        blocks(driver)
        arrows(driver)
        apart(driver)
        if PICTURES:
            picture(driver, PICTURES + "/lab.png")
        place = top(driver, "refund-p1")
        click(driver, "refund-p1")
        until("July", lambda: all(shows(driver, device, "1 Jul 2026") for device in ["Phone", "Tablet", "Mac"]))
        moved = abs(top(driver, "purchase-p1", False) - place)
        assert moved < 60, f"the page moved by {moved} under the pointer"
        until("the hatched block", lambda: len(driver.find_elements(By.CSS_SELECTOR, "[data-kind=refunded]")) == 3)
        until("what hatched means", lambda: legend(driver) == ["bought on Phone", "bought on Tablet", "refunded"])
        for step in [refunded, near, news, unbroken, keyboard, boxed, mistakes, clocks, dates, approval, console, replayed, own_story, stepped, languages, removal]:
            step(driver)
        for width in [800, 360]:
            size(driver, width)
            sane(driver)
            unbroken(driver)
        if PICTURES:
            picture(driver, PICTURES + "/lab-narrow.png", 1600)
        clean(driver)
    finally:
        driver.quit()


main()
