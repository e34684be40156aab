"""The page about utility is true."""

import re
from pathlib import Path

from tacita.arrays.ragged import Ragged
from tacita.cli import main
from tacita.utility import PAPERS, THESIS, preservation

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "utility.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs_on_the_demonstration(tmp_path, monkeypatch, capsys):
    main(["demo", "--out", str(tmp_path / "tacita-demo")])
    monkeypatch.chdir(tmp_path / "tacita-demo")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(code, "utility.md", "exec"), {})
    assert "for the owner's eyes only" in capsys.readouterr().out


def test_the_numbers_of_the_page_are_those_of_the_code():
    assert "sizes uniform in 1..3, 1..6, 1..9, 1..12" in PAGE
    assert PAPERS.set_queries.max_lengths == (3, 6, 9, 12)
    assert "lengths uniform in 1..4, ..., 1..20" in PAGE
    assert PAPERS.occurrence_queries.max_lengths == (4, 8, 12, 16, 20)
    assert f"more than {preservation.PATTERN_LIMIT:,} patterns tie" in PAGE
    assert PAPERS.sanity_share == 0.001


def test_the_numbers_of_the_part_on_sets_are_those_of_the_code():
    workload = THESIS.workload(Ragged.from_lists([list(range(17))]))
    assert "up to 3, 6, 10, 13 and 17\non MSNBC" in PAGE
    assert workload.max_lengths == (3, 6, 10, 13, 17)
    assert "subsets of 10,000 queries" in PAGE
    assert (workload.subsets, workload.queries_each) == (5, 10_000)
    assert "K = 20, 40, 60, 80 and 100" in PAGE
    assert THESIS.tops == (20, 40, 60, 80, 100)
    assert THESIS.sanity_share == 0.001
