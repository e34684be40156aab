"""What the replay must not pass: mechanisms that never publish, and those that leak where no draw shows it."""

from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from tacita.arrays.ragged import repeated
from tacita.auditing import CONTROLS, BasketCase, SequenceCase, audit_real_replay, audit_replay, replay_case
from tacita.auditing.broken_mechanisms import LONGEST, Counting, two_levels
from tacita.auditing.cases.sets import Itemsets, Partitions
from tacita.counting.local import sets
from tacita.errors import TooManyNodesError
from tacita.privacy.budget import PureDP
from tacita.privacy.questions import select
from tacita.sequences import PrefixTree
from tacita.sets import FlatHistogram, itemset_counts

TREE = PrefixTree(height=1)


class Refuses:
    """Asks what a prefix tree asks, and then raises what a function of the records says, or does that before."""

    def __init__(self, error, *, asks=True):
        self.error, self.asks = error, asks

    def publish(self, records, /, *, budget, ledger):
        if self.asks:
            TREE.publish(records, budget=budget, ledger=ledger)
        raise self.error(records)


def sequences(mechanism):
    return SequenceCase(name="sequences", mechanism=mechanism, budget=PureDP(1), crowd=30)


def baskets(mechanism):
    return BasketCase(name="baskets", mechanism=mechanism, budget=PureDP(1), labels="AB", crowd=30)


def variant_of(subject, name):
    return next(variant for variant in subject.variants if variant.name == name)


@pytest.mark.parametrize("asks", [False, True])
def test_a_mechanism_that_never_publishes_does_not_pass(asks):
    case = sequences(Refuses(lambda _: TypeError("not today"), asks=asks))
    for check in (audit_replay(case, data_sets=3), audit_real_replay(case, case.records(("AB", "C")), neighbours=3)):
        assert not check.passed
        assert check.summary.endswith("nothing is proved; the first refusal: TypeError: not today")


def test_a_mechanism_that_no_neighbour_changes_anything_for_does_not_pass():
    def nothing(_records, account):
        return [[select(account, "step 0", scores=[0, 0])]]

    check = audit_replay(sequences(Counting(nothing)), data_sets=3)
    assert not check.passed
    assert "no neighbour changed anything" in check.summary


@pytest.mark.parametrize("noted", [False, True])
def test_an_error_whose_sentence_tells_the_number_of_people_is_found(noted):
    def told(records):
        people = f"{len(records.sequences)} people"
        error = TooManyNodesError("too many" if noted else people)
        if noted:
            error.add_note(people)
        return error

    check = audit_replay(sequences(Refuses(told)), data_sets=3)
    assert not check.passed
    assert "raw data reaches what is published" in check.summary


@pytest.mark.parametrize(
    ("make", "mechanism", "figure", "people"),
    [
        (sequences, TREE, "dropped_labels", ("AB", "C")),
        (baskets, FlatHistogram(), "dropped_labels", ("AB", "A")),
        (baskets, FlatHistogram(), "dropped_baskets", ("AB", "A")),
    ],
)
def test_a_manifest_that_tells_what_was_dropped_while_reading_is_found(make, mechanism, figure, people):
    class Boastful:
        def publish(self, records, /, *, budget, ledger):
            release = mechanism.publish(records, budget=budget, ledger=ledger)
            return SimpleNamespace(data=release.data, manifest={**release.manifest, figure: getattr(records, figure)})

    case = make(Boastful())
    for check in (audit_replay(case, data_sets=3), audit_real_replay(case, case.records(people), neighbours=3)):
        assert "raw data reaches what is published" in check.summary
    assert audit_replay(make(mechanism), data_sets=3).passed


def test_the_replay_of_a_core_of_two_runs_the_core(monkeypatch):
    """No output test can, so a core that fails must not pass here."""
    case = replay_case(variant_of(Itemsets(), "itemset-counts, a core of two"), PureDP(1))

    def fails(*_, **__):
        message = "no core"
        raise ValueError(message)

    monkeypatch.setattr(itemset_counts, "ask_core_sizes", fails)
    check = audit_replay(case, data_sets=0)
    assert not check.passed
    assert "the first refusal: ValueError: no core" in check.summary


def test_the_name_of_an_output_test_tells_what_it_leaves_out():
    core = variant_of(Itemsets(), "itemset-counts, a core of two")
    assert Itemsets().output_case(core).name == "itemset-counts, a core of two, cut to all items together"
    many = variant_of(Partitions(), "diffpart, many labels")
    assert Partitions().output_case(many).name == "diffpart, many labels, cut to few"


def test_baskets_over_many_labels_that_are_counted_twice_are_found(monkeypatch):
    """Over few labels, each different basket is counted once, with a weight; this is about the other way to count."""
    honest = sets._weighted

    def twice(baskets, *, items):
        counted, weights = honest(baskets, items=items)
        return (repeated(counted, np.full(len(counted), 2)), None) if weights is None else (counted, weights)

    monkeypatch.setattr(sets, "_weighted", twice)
    check = audit_replay(replay_case(variant_of(Partitions(), "diffpart, many labels"), PureDP(1)), data_sets=1)
    assert not check.passed
    assert check.figures["worst_loss"] > 1.1
    assert audit_replay(replay_case(variant_of(Partitions(), "diffpart, fan-out 3"), PureDP(1)), data_sets=1).passed


def test_heights_that_are_not_rounded_up_are_caught_by_what_is_lost():
    found = CONTROLS["n-gram heights not rounded up"].run()
    assert not found.passed
    assert found.summary.startswith("worst loss")
    assert 1.1 < found.figures["worst_loss"] <= 1.5 + 1e-9


def test_a_plan_that_costs_more_than_the_budget_is_found():
    shares = (Fraction(1, 2), Fraction(1, 2) / Fraction(34, 100))
    check = audit_replay(sequences(Counting(partial(two_levels, sensitivity=LONGEST), shares=shares)), data_sets=1)
    assert not check.passed
    assert "the plan costs more than the budget" in check.summary


def test_a_quick_audit_replays_tight_pairs_less_often():
    few, usual = (audit_replay(sequences(TREE), data_sets=1, tight_runs=runs).figures["pairs"] for runs in (1, None))
    assert 0 < few < usual
