"""Something of the wrong type in a public place is refused in a sentence, never by a bare AttributeError or TypeError."""

import inspect
from dataclasses import is_dataclass

import pytest

import tacita as ta
from tacita.errors import TacitaError
from tacita_papers import FrequentStrings, LaplaceNetwork, RandomNetwork, TopFilter

WRONG = [1, None, "x", [1, 2], 1.5, {"a": 1}, object(), b"x", True]
UNIVERSE = ta.Universe("abc")
GOOD = {
    "universe": UNIVERSE,
    "budget": ta.PureDP("1"),
    "records": ta.sequences.SequenceRecords.from_labels([["a", "b"]] * 5, universe=UNIVERSE),
    "taxonomy": ta.Taxonomy.flat(UNIVERSE),
    "epsilon": "1",
    "delta": "1e-6",
    "method": ta.sequences.PrefixTree(height=2),
}
NAMES = [name for name in sorted(ta.__all__) if inspect.isroutine(found := getattr(ta, name)) or is_dataclass(found)]
METHODS = [
    ta.sequences.PrefixTree(height=2),
    ta.sequences.NGram(max_length=3),
    ta.sequences.Raked(),
    FrequentStrings(),
    ta.sets.DiffPart(),
    ta.sets.ItemsetCounts(),
    ta.sets.FlatHistogram(),
    ta.sets.StableHistogram(),
    ta.networks.ShapeNetwork(),
    ta.networks.DegreeNetwork(),
    ta.networks.DenseRegions(),
    RandomNetwork(),
    LaplaceNetwork(),
    TopFilter(),
    ta.tables.TopDown(),
    ta.tables.Marginals(),
    ta.tables.Independent(),
]


def outcome(call, *values, **named):
    """Nothing, or the error that no user should see; a missing argument is Python's own sentence."""
    try:
        call(*values, **named)
    except TacitaError:
        return None
    except Exception as error:  # noqa: BLE001 - that is the question
        if isinstance(error, TypeError) and "required" in str(error):
            return None
        return f"{type(error).__name__}: {error} from {values} {named}"
    return None


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_refuses_what_it_cannot_use(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    called = getattr(ta, name)
    given = [
        part for part in inspect.signature(called).parameters.values() if part.kind not in {part.VAR_POSITIONAL, part.VAR_KEYWORD}
    ]
    needed = [part.name for part in given if part.default is part.empty]
    for wrong in WRONG:
        for part in given:
            named = {each: GOOD.get(each, wrong) for each in needed} | {part.name: wrong}
            assert outcome(called, **named) is None


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_a_method_refuses_what_is_no_budget_no_public_input_and_no_record(method):
    for wrong in WRONG:
        for call in (method.plan, method.explain):
            assert outcome(call, wrong) is None
            assert outcome(call, ta.PureDP("1"), wrong) is None
        assert outcome(method.publish, wrong, budget=ta.PureDP("1")) is None


def test_the_sentence_says_what_was_wanted_and_what_came():
    with pytest.raises(TacitaError, match="what is public must be of the type PublicInputs, got list"):
        ta.sequences.PrefixTree(height=2).explain(ta.PureDP("1"), ["a", "b"])
    with pytest.raises(TacitaError, match="the file of a ledger must be a path, as a string or a Path, got int"):
        ta.Ledger(1)
    with pytest.raises(TacitaError, match="the file of a ledger must be a path, as a string or a Path, got None"):
        ta.Ledger.create(None)
