"""The page on auditing any mechanism is true: its code runs, and finds the mistakes that it says it finds."""

import re
from pathlib import Path

import opendp.prelude as dp
import pytest

import tacita as ta
from tacita.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "audit-any-mechanism.md"


def code():
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture
def names():
    """What the page defines, with fewer runs than it asks for."""
    known = {}
    for block in code():
        exec(block.replace("20_000", "4_000").replace("=2_000", "=200"), known)
        if "report" in known:
            known.setdefault("reports", []).append(known.pop("report"))
    return known


def test_the_page_finds_what_it_says(names):
    floating, observed, product = names["reports"]
    assert not floating.passed
    assert "last binary digit" in str(floating)
    assert not observed.passed
    assert observed.checks[0].figures["bound"] > 2
    assert product.passed, str(product)
    assert [check.test for check in product.checks] == ["exact replay", "black box"]
    assert product.checks[0].figures["share"] > 0.9
    assert isinstance(names["target"], ta.auditing.Target)


def test_a_correct_library_passes_with_most_of_its_epsilon_seen():
    """Flake rate: once in a million runs."""
    dp.enable_features("contrib")
    laplace = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)
    claim = {"epsilon": 1, "runs": 4_000, "confidence": 1 - 1e-6}
    report = ta.auditing.audit_any(lambda people: laplace(len(people)), [([], ["Ada"])], **claim)
    assert report.passed, str(report)
    assert report.checks[0].figures["bound"] > 0.3


def test_a_target_of_any_module_is_audited_from_the_command_line(tmp_path, monkeypatch, capsys):
    page = code()
    (tmp_path / "claims_of_a_page.py").write_text(page[0].split("report =")[0] + page[-1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "claims_of_a_page:target", "--quick"]) == 1
    printed = capsys.readouterr()
    assert "FAIL noisy_count, black box" in printed.out
    assert "the audit found something in 1 of 1 checks" in printed.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere:at_all"], "must name an attribute of a module"),
        (["tacita.sets:FlatHistogram"], "a word after it must say what"),
        (["math:pi"], "must be an audit.Target"),
        (["math:pi", "--input", "taps.csv"], "files are for methods"),
    ],
)
def test_what_cannot_be_audited_is_refused_with_what_to_do(words, message, capsys):
    assert main(["audit", *words, "--quick"]) == 1
    assert message in capsys.readouterr().err
