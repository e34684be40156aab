"""Programs of users pass a strict type checker, and what they get back is typed."""

from pathlib import Path

import pytest
from mypy import api

PROGRAMS = {
    "an analyst": """
import polars as pl
import tacita as ta

taps = pl.read_csv("taps.csv")
release = ta.publish(
    taps, kind="sequences", person="card", label="station", time="tap", universe=["A", "B"], epsilon=1, name="taps"
)
frame: pl.DataFrame = release.to_polars()
text: str = release.guarantee.statement()
figures: dict[str, object] = ta.evaluate(taps, release).as_json()
page = ta.report(taps, release, "report.html")
print(page.name, len(release.data), text)
reveal_type(release)
reveal_type(release.to_polars())
reveal_type(page)
""",
    "an officer": """
from fractions import Fraction
from pathlib import Path
import tacita as ta

ledger = ta.Ledger(Path("metro.ledger"))
release = ta.publish(
    Path("taps.csv"), method=ta.sequences.PrefixTree(height=4), universe="stations.txt", epsilon=Fraction(1, 2), ledger=ledger
)
folder: Path = release.write("release")
found = ta.verify(folder)
failed: list[str] = [finding.check for finding in found.failed]
print(found, failed)
reveal_type(found)
reveal_type(found.passed)
""",
    "a planner": """
import tacita as ta

explained = ta.explain(kind="sets", epsilon="0.5", universe=ta.Universe(["A", "B"]), records=1000)
if explained.forecast is not None:
    lines: list[str] = explained.forecast.lines()
print(explained, explained.method)
reveal_type(explained)
reveal_type(ta.__version__)
reveal_type(ta.evaluate("a.csv", "release")["labels"])
""",
    "a data scientist": """
import pandas as pd
import tacita as ta

people = pd.DataFrame({"age": [31], "sex": ["F"]})
release = ta.publish(
    people,
    kind="tables",
    columns={"age": {"type": "number", "low": 0, "high": 99}, "sex": {"type": "category", "values": ["F", "M"]}},
    epsilon=1,
    name="people",
)
frame: pd.DataFrame = release.to_pandas()
opened = ta.open_release(release.write("release"))
print(frame.shape, opened.manifest["kind"])
reveal_type(release.to_pandas())
reveal_type(opened)
reveal_type(opened.data)
""",
    "an engineer": """
import tacita as ta

found = ta.inspect("taps.csv")
written = found.write("tacita.toml")
release = ta.publish(config=written)
print(release.guarantee.statement(), found.kind)
reveal_type(found)
reveal_type(written)
reveal_type(found.kind)
""",
    "an auditor": """
import tacita as ta

audited = ta.audit("prefix-tree", epsilon="1/2")
forecast = ta.forecast(kind="sets", method="itemset-counts", epsilon=1, universe=["A", "B"], records=500)
lines: list[str] = forecast.lines()
print(audited, lines)
reveal_type(audited)
reveal_type(forecast)
""",
}


WRONG = """
import tacita as ta

ta.publish('a.csv', kind=5)
ta.verify(3)
ta.sets.DiffPart(threshold=3)
reveal_type(ta.sequences.NGram(threshold='published').threshold)
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What mypy says of each program, in one run with the options of `make check`, whose cache serves it."""
    folder = tmp_path_factory.mktemp("programs")
    scripts = {program: folder / f"program_{number}.py" for number, program in enumerate((*PROGRAMS, WRONG))}
    for program, script in scripts.items():
        script.write_text(PROGRAMS.get(program, program), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(Path(__file__).parents[3])
        text, wrong, _ = api.run(["--strict", *map(str, scripts.values())])
    assert not wrong
    return {program: [line for line in text.splitlines() if script.name in line] for program, script in scripts.items()}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_passes_mypy_and_nothing_that_it_shows_is_untyped(program, told):
    said = told[program]
    assert said
    assert all("note: Revealed type is" in line and 'is "Any"' not in line for line in said), said


def test_wrong_arguments_do_not_pass_and_a_choice_may_be_given_by_name(told):
    errors = [line for line in told[WRONG] if "error:" in line]
    assert len(errors) == 3
    assert "incompatible type" in errors[2]
    assert any("Threshold" in line for line in told[WRONG] if "note: Revealed type" in line)
