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
PATIENCE = 1_800_000
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


def test_the_first_pages_are_accessible_and_ask_no_other_host(visit, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "taps.csv").write_text("id,label,time\n1,A,0\n", encoding="utf-8")
    visitor = visit(folder, "phone")
    visitor.page.get_by_role("link", name="New publication").click()
    visitor.page.check("input[value=sequences]")
    visitor.press("Go on")
    visitor.page.get_by_role("heading", name="What is in the file").wait_for()
    visitor.look("data")
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
    page.get_by_role("link", name="New publication").click()
    page.select_option("#file", given["file"])
    page.check("input[value=sequences]")
    visitor.look("new")
    visitor.press("Go on")
    page.fill("#option-universe", given["universe"])
    visitor.look("data")
    visitor.press("Keep this and compare")
    page.fill("#fact-records", given["records"])
    page.fill("#fact-mean_length", given["mean"])
    page.fill("#parameter-height", "4")
    visitor.press("Keep this and forecast")
    page.get_by_text("All methods at epsilon").wait_for()
    assert page.locator("#pictures svg").count() >= 2
    visitor.look("compare")
    page.get_by_role("link", name="Choose a method").click()
    page.check("input[value=prefix-tree]")
    visitor.press("Show what this would promise")
    page.fill("#cap-epsilon", "1.5")
    visitor.press("Set the cap")
    page.get_by_text("The release would satisfy 1-differential privacy").wait_for()
    visitor.look("publish")
    visitor.press("Publish and spend")
    page.get_by_role("heading", name="Published").wait_for()
    visitor.press("Compare the release with the private file")
    page.get_by_role("link", name="Open the report").wait_for()
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
