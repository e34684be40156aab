"""Misses of an earlier auditor stay caught, each without its mistake passes, and the reason is the right one."""

import pytest

from tacita.auditing import CONTROLS, run_control

REASONS = {
    "true counts in a side file": "release/counts.csv in the folder differs",
    "a height that depends on the true number of records": "the recorded run had asked no further question",
    "a filter that depends on the true number of records": "the published data differs",
    "a unit that tells the number of records": "raw data reaches what is published",
    "several records of a person charged once": "of a budget of 1 ",
    "no noise for counts of 1,000 and more": "p = 0",
    "noise that repeats after 65,536 words": "words of the source repeat",
    "a sensitivity forgotten": "worst loss 3 of a budget of 1",
}


@pytest.mark.parametrize("name", REASONS)
def test_a_control_is_caught_for_its_mistake(name):
    check = run_control(CONTROLS[name])
    assert check.passed, check.summary
    assert f"caught by {CONTROLS[name].test}" in check.summary
    assert REASONS[name] in check.summary


OTHERS = [
    pytest.param(name, marks=pytest.mark.slow if control.test == "output" else ())  # thousands of runs each
    for name, control in CONTROLS.items()
    if name not in REASONS
]


@pytest.mark.parametrize("name", OTHERS)
def test_every_other_control_is_caught_by_the_test_that_it_names(name):
    check = run_control(CONTROLS[name])
    assert check.passed, check.summary
    assert f"caught by {CONTROLS[name].test}" in check.summary


QUICK = {"a filter that depends on the true number of records", "a unit that tells the number of records"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CONTROLS])
def test_every_control_without_its_mistake_passes(name):
    check = CONTROLS[name].mended()
    assert check.passed, check.summary
