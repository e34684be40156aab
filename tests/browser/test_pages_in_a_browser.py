"""Pages in a real browser: no console error, no violation of accessibility, no request to anywhere, nothing wider than it.

Chromium is that of the system; nothing is downloaded. Without it these tests are skipped and say so.
"""

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import numpy as np
import pytest

from released import WORLDS, people_report_of, points_report_of, report_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.service.live import LivePage

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCREENS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
SCHEMES = ("light", "dark")
PATIENCE = 300_000
"""Milliseconds; machines may be busy, and nothing here is measured."""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE)
        yield launched
        launched.close()


def axe():
    from axe_core_python.sync_playwright import Axe

    return Axe()


def problems(browser, path, screens, schemes):
    """Everything that is wrong with a page on these screens, in words."""
    found = []
    for screen in screens:
        for scheme in schemes:
            context = browser.new_context(viewport=SCREENS[screen], color_scheme=scheme)
            page, said, asked = context.new_page(), [], []
            page.set_default_timeout(PATIENCE)
            page.add_init_script("window.setInterval = () => 0")  # a live page would replace itself meanwhile
            page.on("console", lambda message, said=said: said.append(message.text))
            page.on("pageerror", lambda error, said=said: said.append(str(error)))
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(path.as_uri())
            for details in page.locator("details").all():
                details.evaluate("each => { each.open = true }")
            where = f"{path.name}, {screen}, {scheme}"
            found += [f"{where}: {line}" for line in said]
            found += [f"{where}: asked for {url}" for url in asked if url != path.as_uri()]
            if page.evaluate("document.documentElement.scrollWidth") > SCREENS[screen]["width"]:
                found.append(f"{where}: wider than the screen")
            violations = axe().run(page)["violations"]
            found += [f"{where}: {each['id']}: {each['nodes'][0]['html'][:200]}" for each in violations]
            context.close()
    return found


def test_a_report_is_accessible_and_asks_for_nothing(browser, tmp_path):
    _, shared = report_of("tables", tmp_path)
    assert problems(browser, shared, ["phone"], ["dark"]) == []


def released_at(place, sixteenths):
    unknown = dict.fromkeys(("means", "interval", "deviation"))
    return SimpleNamespace(place=place, sixteenths=np.array(sixteenths), measured=not place, **unknown)


def test_a_live_page_is_accessible_and_replaces_its_figures_without_being_loaded_again(browser, tmp_path):
    grid = TimeGrid(start=datetime(2026, 11, 18, tzinfo=UTC), interval=timedelta(minutes=15), intervals=96)
    live = LivePage(tmp_path / "live.html", title="Wards", promise="epsilon 1", cells=Universe(["Lobby", "Cafeteria"]), grid=grid)
    live.put([released_at(place, [160, 320]) for place in (0, 1, 4)])
    live.close()
    html = (tmp_path / "live.html").read_text(encoding="utf-8")
    assert "Cafeteria and Lobby are fullest" in html
    assert "2 times are missing" in html
    assert "the next is for 01:15" in html
    assert problems(browser, tmp_path / "live.html", ["phone"], ["dark"]) == []
    page = browser.new_page()
    served = {"html": html}
    page.route("http://live.test/**", lambda route: route.fulfill(body=served["html"], content_type="text/html"))
    page.goto("http://live.test/")
    page.evaluate("window.kept = true")
    live.put([released_at(5, [16, 16])])
    live.close()
    served["html"] = (tmp_path / "live.html").read_text(encoding="utf-8")
    page.evaluate("again()")
    page.wait_for_function("document.querySelector('.big').textContent === '2'", timeout=PATIENCE)
    assert page.evaluate("window.kept"), "the page was not loaded again"
    page.close()


@pytest.mark.parametrize(("hour", "is_late"), [(1, False), (2, True)])
def test_a_live_page_turns_grey_and_says_so_when_the_next_figures_are_late(browser, tmp_path, hour, is_late):
    grid = TimeGrid(start=datetime(2026, 11, 18, tzinfo=UTC), interval=timedelta(minutes=30), intervals=96)
    wards = {"title": "Wards", "promise": "epsilon 1", "cells": Universe(["Lobby", "Cafeteria"]), "grid": grid}
    live = LivePage(tmp_path / "live.html", **wards, grace=timedelta(minutes=1))
    live.put([released_at(0, [160, 320])])
    live.close()
    page = browser.new_page()
    now = int(datetime(2026, 11, 18, hour, tzinfo=UTC).timestamp() * 1000)
    page.add_init_script(f"Date.now = () => {now}")
    page.goto((tmp_path / "live.html").as_uri())
    assert page.get_by_text("were due at 01:01:00 UTC").is_visible() is is_late
    assert page.evaluate("document.documentElement.classList.contains('late')") is is_late
    violations = axe().run(page)["violations"]
    assert [each["id"] for each in violations] == []
    page.close()


def test_nobody_waits_for_figures_that_no_clock_announces_or_that_never_come(tmp_path):
    grid = TimeGrid(start=datetime(2026, 11, 18, tzinfo=UTC), interval=timedelta(minutes=30), intervals=1)
    wards = {"title": "Wards", "promise": "epsilon 1", "cells": Universe(["Lobby", "Cafeteria"])}
    last = LivePage(tmp_path / "last.html", **wards, grid=grid, grace=timedelta(0))
    recorded = LivePage(tmp_path / "recorded.html", **wards, grid=replace(grid, intervals=9))
    for live, name in ((last, "last"), (recorded, "recorded")):
        live.put([released_at(0, [160, 320])])
        live.close()
        assert "data-late=" not in (tmp_path / f"{name}.html").read_text(encoding="utf-8")


def read_aloud(page):
    """What a screen reader meets, in order: roles with their names, from the accessibility tree of the browser."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    nodes, waiting, spoken = {node["nodeId"]: node for node in tree}, [tree[0]["nodeId"]], []
    while waiting:
        node = nodes[waiting.pop()]
        waiting.extend(reversed([child for child in node.get("childIds", []) if child in nodes]))
        if not node.get("ignored"):
            spoken.append((node["role"]["value"], node.get("name", {}).get("value", "")))
    return [(role, name) for role, name in spoken if role in {"heading", "image", "table", "figure", "navigation", "main"}]


def test_a_screen_reader_meets_a_named_picture_and_then_its_table_under_one_title(browser, tmp_path):
    _, shared = report_of("tables", tmp_path)
    page = browser.new_page()
    page.goto(shared.as_uri())
    for details in page.locator("details").all():
        details.evaluate("each => { each.open = true }")
    spoken = read_aloud(page)
    assert next(name for role, name in spoken if role == "heading") == "A release of a table, and what it promises"
    assert page.locator("h1").count() == 1
    assert all(name for role, name in spoken if role in {"heading", "image", "table"}), "everything has a name"
    images = [place for place, (role, _) in enumerate(spoken) if role == "image"]
    assert len(images) == page.locator("figure svg:visible").count() >= 2
    for place in images:
        assert spoken[place + 1][0] == "table", "the figures come right after the picture"
    page.close()


def test_a_printed_page_is_light_has_no_links_to_jump_and_shows_the_tables_behind_its_pictures(browser, tmp_path):
    _, shared = report_of("tables", tmp_path)
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(shared.as_uri())
    table = page.locator("figure details:not(.large) table").first
    assert not table.is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert table.is_visible()
    assert not page.locator("nav").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("details summary:visible").count() == page.locator("details.large").count()
    assert page.evaluate("getComputedStyle(document.querySelector('.board')).breakAfter") == "page", (
        "a board has a page of its own"
    )
    page.context.close()


WIDTH, HEIGHT = 680, 957
"""What a printed page has room for in pixels: as wide as A4 and as high as letter paper, within the margins of the sheet."""


@pytest.mark.parametrize("name", ["tables", *(pytest.param(name, marks=pytest.mark.slow) for name in WORLDS if name != "tables")])
def test_verdict_and_promise_are_on_the_first_printed_page_of_the_owner(name, browser, tmp_path):
    owner, _ = report_of(name, tmp_path)
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.goto(owner.as_uri())
    page.emulate_media(media="print")
    for part in ("#verdict", "#promise"):
        assert page.evaluate(f"document.querySelector('.board {part}').getBoundingClientRect().bottom") <= HEIGHT
    page.close()


@pytest.mark.slow  # ten seconds for each kind
@pytest.mark.parametrize("name", WORLDS)
def test_both_pages_of_every_kind_are_accessible_on_every_screen_and_scheme(name, browser, tmp_path):
    for path in report_of(name, tmp_path):
        assert problems(browser, path, SCREENS, SCHEMES) == []


@pytest.mark.slow
@pytest.mark.parametrize("report", [points_report_of, people_report_of])
def test_both_pages_with_maps_of_cells_and_on_people_with_events_are_accessible(report, browser, tmp_path):
    for path in report(tmp_path):
        assert problems(browser, path, SCREENS, SCHEMES) == []


def test_a_browser_would_notice_what_these_tests_look_for(browser, tmp_path):
    page = tmp_path / "bad.html"
    page.write_text(
        '<html><body><p style="width:3000px;color:#ddd;background:#fff">pale words</p><img src="http://127.0.0.1:9/a.png">'
        "<script>console.error('broken')</script></body></html>",
        encoding="utf-8",
    )
    found = " ".join(problems(browser, page, ["phone"], ["light"]))
    for expected in ("broken", "asked for http://127.0.0.1:9/a.png", "wider than the screen", "image-alt", "color-contrast"):
        assert expected in found
