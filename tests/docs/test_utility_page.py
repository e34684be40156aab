"""The page about utility is true."""

import re
from pathlib import Path

from tacita.cli import main
from tacita.utility import PAPERS, preservation

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
    assert f"more than {preservation.MAX_PATTERNS:,} patterns tie" in PAGE
    assert PAPERS.sanity_share == 0.001
