"""The exact law of releases, checked where it can be written down by hand."""

from math import exp

import pytest

from tacita.auditing import SequenceCase, exact_law
from tacita.auditing.exact_laws import is_within_span
from tacita.privacy.answers import Transcript
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.questions import select
from tacita.public.inputs import PublicInputs
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree

CASE = SequenceCase(name="tree", mechanism=PrefixTree(height=1), budget=PureDP(1), labels="AB", longest=1)


def mass(value, count):
    ratio = exp(-1)
    return (1 - ratio) / (1 + ratio) * ratio ** abs(value - count)


def test_the_law_of_one_level_is_the_product_of_its_cells():
    threshold = CASE.mechanism.schedules(CASE.budget, PublicInputs(universe=Universe("AB")))[0].thresholds[0]
    law = exact_law(CASE, CASE.records(("A",) * 4), span=3)
    dropped = {count: sum(mass(value, count) for value in range(-200, threshold)) for count in (0, 4)}
    assert law[()] == pytest.approx(dropped[4] * dropped[0])
    assert law[(((0,), threshold), ((1,), threshold + 2))] == pytest.approx(mass(threshold, 4) * mass(threshold + 2, 0))
    assert law[(((0,), threshold + 3),)] == pytest.approx(mass(threshold + 3, 4) * dropped[0])
    assert len(law) == 5**2


def test_the_law_and_the_rest_are_everything():
    law = exact_law(CASE, CASE.records(("A",) * 4), span=40)
    assert sum(law.values()) == pytest.approx(1)


def test_a_selection_is_enumerated_by_its_probabilities():
    class Chooses:
        def publish(self, records, /, *, budget, ledger):
            from types import SimpleNamespace

            from tacita.arrays.ragged import Ragged
            from tacita.privacy.account import Charge
            from tacita.privacy.budget import Sequential, Step

            plan = Sequential(name="all", parts=(Step(name="choice", epsilon=budget.epsilon),))
            with ledger.open(Charge(dataset="d", mechanism="m", plan=plan)) as account:
                chosen = select(account, "choice", scores=[len(records.sequences), 0])
            return SimpleNamespace(data=SimpleNamespace(sequences=Ragged.from_lists([[chosen]])))

    case = SequenceCase(name="chooses", mechanism=Chooses(), budget=PureDP(2), labels="AB")
    law = exact_law(case, case.records(("A",)), span=1)
    low = exp(-1)
    assert law == pytest.approx({(((0,), 1),): 1 - low / 2, (((1,), 1),): low / 2})


def test_a_run_is_within_the_span_if_no_value_is_beyond_it():
    transcript = Transcript()
    CASE.mechanism.publish(CASE.records(("A",) * 500), budget=CASE.budget, ledger=Ledger(transcript=transcript))
    assert not is_within_span(transcript, span=10)
    assert is_within_span(transcript, span=10_000)
