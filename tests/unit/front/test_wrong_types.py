"""Every public call with a wrong type is refused in a sentence, and never ends in an error of Python's own."""

from __future__ import annotations

import inspect
from contextlib import suppress

import pytest

import tacita as ta

WRONG = [1, 1.5, None, object(), [], b"x", "a\0b", {"a": 1}]
NAMES = [str(type(value).__name__) + str(place) for place, value in enumerate(WRONG)]
LEDGER = ("set_cap", "balance", "digest_of", "note_verified", "open", "resume", "finish")
BUILT = ("Ledger", "Universe", "Taxonomy", "TimeGrid", "PublicInputs", "PerPerson", "PureDP", "ApproxDP")
NEEDED = {"forecast": {"records": 5}, "choose_method": {"budget": None}}
VERBS = {
    "publish": {"kind": "sequences", "epsilon": 1, "universe": ["a"]},
    "explain": {"kind": "sequences", "epsilon": 1},
    "forecast": {"kind": "sequences", "epsilon": 1, "records": 5},
    "evaluate": {},
    "report": {},
    "verify": {},
    "inspect": {},
    "open_release": {},
    "choose_method": {"budget": ta.PureDP(1)},
}


def answered(call):
    """A value that fits is fine; anything else must be refused by the library."""
    with suppress(ta.TacitaError):
        call()


def positions(function):
    found = inspect.signature(function).parameters.values()
    return [
        part for part in found if part.kind in (part.POSITIONAL_ONLY, part.POSITIONAL_OR_KEYWORD) and part.default is part.empty
    ]


def by_name(function):
    return [part.name for part in inspect.signature(function).parameters.values() if part.kind is part.KEYWORD_ONLY]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("wrong", WRONG, ids=NAMES)
@pytest.mark.parametrize("name", LEDGER)
def test_a_ledger_refuses_what_is_no_name_budget_or_charge(name, wrong):
    method = getattr(ta.Ledger(), name)
    needed = {
        part: "text" for part in by_name(method) if inspect.signature(method).parameters[part].default is inspect.Parameter.empty
    }

    def call():
        found = method(*[wrong] * len(positions(method)), **needed)
        if hasattr(found, "__enter__"):
            found.__enter__()

    answered(call)


@pytest.mark.parametrize("wrong", WRONG, ids=NAMES)
def test_a_cap_is_a_budget(wrong):
    with pytest.raises(ta.TacitaError, match="a cap must be of the type PureDP or ApproxDP or ZeroConcentrated, got"):
        ta.Ledger().set_cap("taps", wrong)


@pytest.mark.parametrize("wrong", WRONG, ids=NAMES)
@pytest.mark.parametrize("name", BUILT)
def test_public_inputs_and_budgets_refuse_what_they_cannot_be_made_of(name, wrong):
    made = getattr(ta, name)
    answered(lambda: made(*[wrong] * len(positions(made)), **dict.fromkeys(by_name(made), wrong)))


@pytest.mark.parametrize("wrong", WRONG, ids=NAMES)
@pytest.mark.parametrize("name", VERBS)
def test_every_argument_of_a_verb_is_looked_at(name, wrong):
    verb, given = getattr(ta, name), VERBS[name]
    first = ["sequences"] if name == "choose_method" else ["missing.csv"] * len(positions(verb))
    answered(lambda: verb(*[wrong] * len(first), **NEEDED.get(name, {})))
    for argument in by_name(verb):
        answered(lambda argument=argument: verb(*first, **{**given, argument: wrong}))
