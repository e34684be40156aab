"""What the tests of the command line share."""

import polars as pl
import pytest

from commands import SECRET
from item_counts import APPROXIMATE, PURE
from neighbours import Fixed
from tacita import kinds
from tacita.kinds import Method
from tacita.privacy.answers import Drawing


@pytest.fixture
def files(tmp_path):
    """A small agency: taps of 300 people over three stations, and a label that nobody declared."""
    rows = [{"id": person, "label": label, "time": time} for person in range(300) for time, label in enumerate(["A", "B"])]
    rows.append({"id": 1, "label": SECRET, "time": 9})
    pl.DataFrame(rows).write_parquet(tmp_path / "taps.parquet")
    pl.DataFrame(rows).write_csv(tmp_path / "taps.csv")
    (tmp_path / "stations.txt").write_text("A\nB\nC\n", encoding="utf-8")
    (tmp_path / "blanks.txt").write_text("A\nB B\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A small shop: baskets of 300 people over three items, one of them twice, an item that nobody declared, and two methods."""
    monkeypatch.setattr(kinds, "registered", lambda _, wanted: iter((PURE, APPROXIMATE) if wanted is Method else ()))
    kinds.methods.cache_clear()
    rows = [{"id": person, "label": label} for person in range(300) for label in ("B", "A", "B")]
    rows += [{"id": 1, "label": SECRET}, {"id": 999, "label": SECRET}]
    pl.DataFrame(rows).write_parquet(tmp_path / "baskets.parquet")
    pl.DataFrame(rows).write_csv(tmp_path / "baskets.csv")
    (tmp_path / "baskets.dat").write_text("B A B\n" * 300, encoding="utf-8")
    (tmp_path / "items.txt").write_text("A\nB\nC\n", encoding="utf-8")
    yield tmp_path
    kinds.methods.cache_clear()


@pytest.fixture
def terminal(monkeypatch):
    """Standard error passes for the owner's terminal."""
    monkeypatch.setattr("tacita.cli.screen.is_watched", lambda: True)


@pytest.fixture
def fixed(monkeypatch):
    """Answers that are drawn once, and then given again."""
    answers = Fixed()
    monkeypatch.setattr(Drawing, "answer", lambda _drawing, question, truth: answers.answer(question, truth))
    return answers
