"""Take the picture of the studio that the documents show: `python tools/studio_picture.py`, with Chromium and Playwright.

The file is written here, with semicolons and dates that can be read both ways, so that the page shows what it asks.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "studio.png"


def main() -> None:
    """Open the studio on a small file, map it, and keep what the page looks like."""
    with TemporaryDirectory() as folder:
        stops = "ABCDEFGH"
        rows = [f"{row % 40};Stop {stops[row * row % 8]};0{row % 9 + 1}/11/2026 0{row % 9}:15;{row % 7}" for row in range(400)]
        Path(folder, "taps.csv").write_text("\n".join(["card;station;tap;gate", *rows]) + "\n", encoding="utf-8-sig")
        Path(folder, "stations.txt").write_text("\n".join(f"Stop {letter}" for letter in stops) + "\n", encoding="utf-8")
        words = [sys.executable, "-m", "tacita.cli", "studio", folder, "--no-browser"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as studio:  # noqa: S603 - our own program
            try:
                _take(next(line.strip() for line in studio.stdout or () if "http://" in line))
            finally:
                studio.send_signal(signal.SIGINT)


def _take(link: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(link)
        page.select_option("#file", "taps.csv")
        page.get_by_role("button", name="Choose this file").click()
        page.get_by_role("heading", name="Who is in this file").wait_for()
        page.fill("#option-universe", "stations.txt")
        page.locator("#aside").get_by_text('universe = "stations.txt"').wait_for()
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
