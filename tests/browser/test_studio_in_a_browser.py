"""The studio in a real browser, from a file to a downloaded release: no console error, no violation, no other host."""

import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tacita.cli import main

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCREENS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
PATIENCE = 300_000
"""Milliseconds; machines may be busy, and nothing here is measured."""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")


class Visitor:
    """A browser window that looks at every page in both schemes, and remembers what was wrong."""

    def __init__(self, page, folder):
        self.page, self._folder = page, folder
        self.problems, self.hosts = [], set()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self.problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname or ""))

    def look(self, name):
        from axe_core_python.sync_playwright import Axe

        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.page.screenshot(path=self._folder / f"{name}-{scheme}.png", full_page=True)
            if self.page.evaluate("document.documentElement.scrollWidth") > self.page.viewport_size["width"]:
                self.problems.append(f"{name}, {scheme}: wider than the screen")
            violations = Axe().run(self.page)["violations"]
            self.problems += [f"{name}, {scheme}: {each['id']}: {each['nodes'][0]['html'][:200]}" for each in violations]

    def press(self, name):
        self.page.get_by_role("button", name=name).click()


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE)
        yield launched
        launched.close()


@pytest.fixture
def visit(chromium, tmp_path):
    """Open the studio of a folder on a screen."""
    started = []

    def opened(folder, screen):
        words = [sys.executable, "-m", "tacita.cli", "studio", str(folder), "--no-browser"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        link = next(line.strip() for line in process.stdout if "http://" in line)
        (tmp_path / "seen").mkdir()
        visitor = Visitor(chromium.new_context(viewport=SCREENS[screen], accept_downloads=True).new_page(), tmp_path / "seen")
        visitor.page.goto(link)
        return visitor

    yield opened
    for process in started:
        process.send_signal(signal.SIGINT)
        assert "Traceback" not in process.communicate(timeout=600)[1]


def first_file(folder):
    """A file whose dates can be read both ways, and the public list of its labels."""
    rows = [f"{row % 10};{'AB'[row % 2]};0{row % 9 + 1}/03/2026" for row in range(60)]
    (folder / "taps.csv").write_text("\n".join(["card;station;tap", *rows]) + "\n", encoding="utf-8")
    (folder / "stations.txt").write_text("A\nB\n", encoding="utf-8")


def test_the_first_pages_are_accessible_and_ask_no_other_host(visit, tmp_path):
    """From the list to a map with what is missing; what the page writes follows what is typed, by the keyboard alone."""
    folder = tmp_path / "work"
    folder.mkdir()
    first_file(folder)
    visitor = visit(folder, "phone")
    page = visitor.page
    page.select_option("#file", "taps.csv")
    visitor.press("Choose this file")
    page.get_by_role("heading", name="Who is in this file").wait_for()
    page.wait_for_load_state()  # the page's script listens to what is typed from then on
    page.locator("#option-universe").focus()
    page.keyboard.type("stations.txt")
    page.locator("#aside").get_by_text('universe = "stations.txt"').wait_for()
    with page.expect_navigation():  # the link stands on the page that is left too
        page.keyboard.press("Enter")
    page.get_by_role("link", name="Which is meant?").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**#answer-time-format")
    visitor.look("data")
    assert (visitor.problems, visitor.hosts) == ([], {"127.0.0.1"})


FOCUS = """() => {
  const each = document.activeElement, label = each.closest("label");
  const shown = [each, label, label && each.nextElementSibling].filter(Boolean).map((part) => getComputedStyle(part));
  return shown.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
}"""
"""Whether one sees where the keyboard is."""


def reach(page, target):
    """Go to an element by Tab alone, and see at each stop where one is."""
    for _ in range(150):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS) or page.evaluate("document.activeElement === document.body"), page.evaluate(
            "document.activeElement.outerHTML.slice(0, 200)"
        )
        if target.evaluate("each => each === document.activeElement"):
            return
    pytest.fail(f"Tab does not lead to {target}")


def press(page, name, role="button"):
    """Reach a button or a link, and press it."""
    reach(page, page.get_by_role(role, name=name).first)
    page.keyboard.press("Enter")


def write(page, selector, text):
    """Reach a field, and replace what it holds."""
    reach(page, page.locator(selector))
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


@pytest.mark.slow
def test_the_whole_path_from_a_file_to_a_report_by_the_keyboard_alone(visit, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    first_file(folder)
    visitor = visit(folder, "desktop")
    page = visitor.page
    page.locator("#file").wait_for()  # the link leads on by itself
    reach(page, page.locator("#file"))
    page.keyboard.type("taps.csv")
    press(page, "Choose this file")
    page.get_by_role("heading", name="Who is in this file").wait_for()
    reach(page, page.locator("input[name='answer.time-format']").first)
    page.keyboard.press("Space")
    write(page, "#option-universe", "stations.txt")
    press(page, "Confirm and compare")
    page.get_by_role("heading", name="What would be kept").wait_for()
    write(page, "#fact-records", "1000")
    press(page, "Keep this and forecast")
    page.get_by_text("All forecasts are here").wait_for()
    reach(page, page.locator("input[name=epsilon]:checked"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    press(page, "Go on to publish")
    page.get_by_text("The release would satisfy").wait_for()
    write(page, "#cap-epsilon", "20")
    page.keyboard.press("Enter")
    page.locator("#cap-epsilon[value='20']").wait_for(state="attached")
    press(page, "Publish and spend")
    page.get_by_role("heading", name="Published").wait_for()
    press(page, "Compare the release with the private file")
    page.get_by_role("link", name="Open the report").wait_for()
    press(page, "Verify the release")
    page.get_by_text("verified", exact=True).wait_for()
    with page.expect_popup() as popup:
        press(page, "Open the report", role="link")
    report = popup.value
    reach(report, report.locator("details > summary").first)
    report.keyboard.press("Enter")
    assert report.locator("details").first.evaluate("each => each.open")
    with page.expect_download():
        press(page, "Download the release", role="link")
    assert (visitor.problems, visitor.hosts) == ([], {"127.0.0.1"})


def agency(folder, _real):
    """The demo's files."""
    assert main(["demo", "--out", str(folder / "demo")]) == 0
    return {"file": "demo/taps.parquet", "universe": "demo/stations.csv", "records": "100000", "mean": "4.2"}


def msnbc(folder, real):
    """A day of a news site."""
    assert main(["datasets", "msnbc", "--from", str(real), "--out", str(folder)]) == 0
    name = "msnbc990928.seq.gz"
    return {"file": name, "universe": name, "records": "989818", "mean": "4.7"}


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("data", [agency, msnbc])
def test_the_whole_path_from_a_file_to_a_downloaded_release(visit, tmp_path, data, screen, data_folder):
    folder = tmp_path / "work"
    folder.mkdir()
    given = data(folder, data_folder)
    visitor = visit(folder, screen)
    page = visitor.page
    visitor.look("home")
    page.select_option("#file", given["file"])
    visitor.press("Choose this file")
    page.get_by_role("heading", name="Who is in this file").wait_for()
    page.fill("#option-universe", given["universe"])
    visitor.look("data")
    visitor.press("Confirm and compare")
    page.get_by_role("heading", name="What would be kept").wait_for()
    page.fill("#fact-records", given["records"])
    page.get_by_text("More public facts").click()
    page.fill("#fact-mean_length", given["mean"])
    visitor.press("Keep this and forecast")
    page.get_by_text("All forecasts are here").wait_for()
    assert page.locator("#pictures figure svg").count() >= 1
    visitor.look("compare")
    page.check("input[type=radio][name=epsilon][value='1']")
    page.check("input[type=radio][name=method][value=raked]")
    visitor.press("Go on to publish")
    page.fill("#cap-epsilon", "1.5")
    visitor.press("Set the cap")
    page.get_by_text("The release would satisfy 1-differential privacy").wait_for()
    visitor.look("publish")
    visitor.press("Publish and spend")
    page.get_by_role("heading", name="Published").wait_for()
    visitor.press("Compare the release with the private file")
    page.get_by_role("link", name="Open the report").wait_for()
    visitor.press("Verify the release")
    page.get_by_text("verified", exact=True).wait_for()
    visitor.look("result")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the release").click()
    packed = zipfile.ZipFile(Path(download.value.path()))
    assert any(name.endswith("manifest.json") for name in packed.namelist())
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Open the report").click()
    assert popup.value.locator("svg").count() >= 1
    visitor.press("Publish again with changes")
    page.get_by_text("epsilon 0.5 left of its cap 1.5").wait_for()
    assert page.get_by_role("button", name="Publish and spend").is_disabled()
    visitor.look("refused")
    page.get_by_role("link", name="Ledger").click()
    visitor.look("ledger")
    assert (visitor.problems, visitor.hosts) == ([], {"127.0.0.1"})


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS)
def test_the_map_of_every_kind_of_file_is_accessible(visit, tmp_path, screen):
    """A table by cards, points by cells, a stream by its grid: the pages that differ."""
    folder = tmp_path / "work"
    folder.mkdir()
    for world in ("census", "stream", "network"):
        assert main(["simulate", world, "--records", "300", "--out", str(folder / world)]) == 0
    points = [f"{taxi},39.{taxi},116.{taxi},2008-02-02 08:00:00" for taxi in range(10, 60)]
    (folder / "points.csv").write_text("\n".join(["taxi,lat,lon,time", *points]) + "\n", encoding="utf-8")
    visitor = visit(folder, screen)
    for file in ("census/tables.csv", "stream/streams.csv", "network/networks.txt", "points.csv"):
        visitor.page.goto(f"http://127.0.0.1:{urlsplit(visitor.page.url).port}/")
        visitor.page.select_option("#file", file)
        visitor.press("Choose this file")
        visitor.press("Confirm and compare")
        visitor.page.locator("#missing").wait_for()
        visitor.look(Path(file).stem)
    assert (visitor.problems, visitor.hosts) == ([], {"127.0.0.1"})
