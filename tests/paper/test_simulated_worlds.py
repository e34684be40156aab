"""The simulated worlds have the figures that the papers state, within 5 %, and the page that lists them is true."""

import re
import sys
from pathlib import Path

import pytest

from tacita.simulate import make_world

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from world_statistics import FIGURES, MAKERS, table

ROOT = Path(__file__).parents[2]

NEAR = {"rel": 0.05}
CAPS = {("phones", "max length")}
"""Figures that the papers state as a limit of what they kept, which no person needs to reach."""


@pytest.mark.slow  # 10 to 30 seconds: all worlds at full size
def test_every_published_figure_is_met_at_full_size_and_the_page_tells_what_was_met():
    measured = {name: make().statistics() for name, make in MAKERS.items()}
    for name, figure, published in FIGURES:
        if (name, figure) in CAPS:
            assert published / 2 < measured[name][figure] <= published, (name, figure)
        elif published is not None:
            assert measured[name][figure] == pytest.approx(published, **NEAR), (name, figure)
    page = (ROOT / "docs/reference/simulated-worlds.md").read_text(encoding="utf-8")
    assert table(measured) in page


def test_every_world_is_on_the_page_with_the_published_figures_that_we_know():
    page = (ROOT / "docs/reference/simulated-worlds.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    cells = {(row[0], row[1]): row[2] for row in rows}
    for name, figure, published in FIGURES:
        text = cells[(name, figure)]
        assert (text == "not stated") == (published is None)
        if published is not None:
            assert float(re.sub(",", "", text)) == pytest.approx(published)


@pytest.mark.parametrize(
    ("name", "mean", "longest", "distinct"), [("metro", 4.21, 90, None), ("bus", 5.67, 121, None), ("stm", 6.7, 121, 4.82)]
)
def test_a_small_transit_world_has_the_published_means_too(name, mean, longest, distinct):
    statistics = make_world(name, records=20_000).statistics()
    assert statistics["mean length"] == pytest.approx(mean, **NEAR)
    assert statistics["max length"] <= longest
    if distinct is not None:
        assert statistics["mean distinct labels"] == pytest.approx(distinct, **NEAR)


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs/reference/simulated-worlds.md").read_text(encoding="utf-8"), re.DOTALL
    )
    exec(compile(code, "simulated-worlds.md", "exec"), {})
    assert (tmp_path / "city" / "README.md").exists()
