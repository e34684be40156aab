"""A data scientist has pandas frames: events of customers, and a table of 15 columns."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import tacita as ta

pd = pytest.importorskip("pandas")

PAGES = ["home", "search", "item", "basket", "pay"]


@pytest.fixture
def clicks():
    rows = [
        {
            "customer": f"c{number}",
            "page": PAGES[(number + step) % 5],
            "at": pd.Timestamp(2026, 11, 3) + pd.Timedelta(minutes=step),
        }
        for number in range(500)
        for step in range(4)
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def people():
    """Ten categories, three whole numbers, and two columns that are left out: decimals and dates."""
    columns = {f"answer {number}": ["yes" if row % (number + 2) else "no" for row in range(400)] for number in range(10)}
    columns |= {"age": [18 + row % 60 for row in range(400)], "rooms": [row % 6 for row in range(400)]}
    columns |= {"children": [row % 4 for row in range(400)], "income": [1_000.5 + row for row in range(400)]}
    columns["joined"] = [f"{row % 28 + 1}.3.2020" for row in range(400)]
    return pd.DataFrame(columns)


def test_a_frame_is_published_by_one_call_and_judged_by_another(clicks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"kind": "sequences", "person": "customer", "label": "page", "time": "at", "universe": PAGES, "epsilon": 1}
    release = ta.publish(clicks, name="clicks", **given)
    assert "records" in str(ta.evaluate(clicks, release))
    ta.report(clicks, release, "report.html")
    assert list(release.to_pandas().columns)
    release.write("release")
    assert ta.verify("release").passed


@pytest.mark.parametrize(
    ("left_out", "told"),
    [
        ("universe", "universe="),
        ("person", r"columns .*person="),
        ("epsilon", "epsilon="),
        ("kind", "kind="),
        ("name", "name="),
    ],
)
def test_every_argument_that_is_left_out_is_named(clicks, left_out, told):
    given = {"kind": "sequences", "person": "customer", "label": "page", "time": "at", "universe": PAGES, "epsilon": 1}
    given["name"] = "clicks"
    del given[left_out]
    with pytest.raises(ta.TacitaError, match=told):
        ta.publish(clicks, **given)


def test_a_table_is_inspected_confirmed_and_published(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = ta.inspect(people)
    assert found.kind == "tables"
    found.write()
    text = Path("tacita.toml").read_text(encoding="utf-8")
    bounds = {"age": (18, 99), "rooms": (0, 9), "children": (0, 9)}
    for name, (low, high) in bounds.items():
        head, _, rest = text.partition(f'[columns."{name}"]')
        text = (
            head + f'[columns."{name}"]' + rest.replace('low = "?"', f"low = {low}", 1).replace('high = "?"', f"high = {high}", 1)
        )
    text = text.replace('values = "?"', 'values = ["yes", "no"]').replace('epsilon = "?"', "epsilon = 1")
    text = text.replace('low = "?"', "low = 0").replace('high = "?"', "high = 999_999").replace('step = "?"', "step = 0.5")
    text = text.replace('first = "?"', "first = 1990-01-01").replace('last = "?"', "last = 2030-12-31")
    Path("tacita.toml").write_text(text, encoding="utf-8")
    release = ta.publish(people, config="tacita.toml")
    assert len(release.data)
    made = release.data.to_polars()
    assert made["income"].dtype == pl.Float64
    assert made["joined"].dtype == pl.Date
