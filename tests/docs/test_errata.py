"""Every erratum has an example on its page, and every example runs."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "errata.md"
SECTIONS = re.split(r"\n(?=###? )", PAGE.read_text(encoding="utf-8"))
ERRATA = {
    part.partition("\n")[0].strip("# "): part for part in SECTIONS if part.startswith("### ") or "in floating point" in part[:60]
}


@pytest.mark.parametrize("title", ERRATA)
def test_the_example_of_every_erratum_runs_and_asserts_something(title):
    (code,) = re.findall(r"```python\n(.*?)```", ERRATA[title], flags=re.DOTALL)
    assert "assert " in code
    exec(compile(code, title, "exec"), {})


def test_every_erratum_of_a_paper_says_what_it_breaks():
    kinds = {title.rpartition("(")[2].strip(")") for title in ERRATA if "floating point" not in title}
    assert kinds == {"guarantee", "utility", "text"}
    assert len(ERRATA) >= 50
