from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import sequence_records
from tacita.errors import BudgetError, ParameterError
from tacita.privacy.budget import PureDP
from tacita.sequences import PrefixTree, PrivateLength
from tacita.sequences.length import quantile_scores
from tacita.testing import seeded_ledger


def test_the_best_score_splits_the_sequences_as_the_quantile_says():
    lengths = [10, 20, 30, 30, 5, 3, 2]  # 90 of 100 have at most 4 symbols
    scores = quantile_scores(lengths, quantile=Fraction(9, 10))
    assert scores.index(max(scores)) == 3
    assert max(scores) == 0


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.integers(0, 7), st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_one_sequence_changes_no_score_by_more_than_the_sensitivity(lengths, place, quantile):
    more = list(lengths)
    more[place % len(more)] += 1
    claimed = PrivateLength(longest=len(more), quantile=quantile).sensitivity
    pairs = zip(quantile_scores(lengths, quantile=quantile), quantile_scores(more, quantile=quantile), strict=True)
    assert max(abs(one - other) for one, other in pairs) <= claimed


def test_a_private_height_is_near_the_quantile_and_its_levels_share_the_rest():
    records = sequence_records(["A"] * 600 + ["ABC"] * 340 + ["ABCD"] * 60)
    tree = PrefixTree(height=PrivateLength(longest=5, share="1/10"))
    release = tree.publish(records, budget=PureDP("4"), ledger=seeded_ledger(1))
    assert release.manifest["mechanism"]["parameters"]["height"] == 3
    draws = {draw["step"]: draw["epsilon"] for draw in release.manifest["budget"]["draws"]}
    assert draws == {"height": "0.4", "level 1": "1.2", "level 2": "1.2", "level 3": "1.2"}


def test_sequences_past_the_longest_length_count_as_cut():
    records = sequence_records(["ABCDABCD"] * 500)
    release = PrefixTree(height=PrivateLength(longest=4)).publish(records, budget=PureDP("40"), ledger=seeded_ledger(2))
    assert release.manifest["mechanism"]["parameters"]["height"] == 4


@pytest.mark.parametrize("wrong", [{"longest": 0}, {"longest": 3, "share": 1}, {"longest": 3, "quantile": 0}, {"longest": True}])
def test_a_private_length_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ParameterError, match="must"):
        PrivateLength(**wrong)


def test_a_budget_too_small_for_the_longest_height_is_refused_before_the_height_is_known():
    with pytest.raises(BudgetError, match="at least 2\\*\\*-40"):
        PrefixTree(height=PrivateLength(longest=5)).plan(PureDP(Fraction(1, 2**39)))


def test_where_all_sequences_have_one_length_it_is_found():
    scores = quantile_scores([0, 1000, 0, 0, 0], quantile=Fraction(9, 10))
    assert scores == [-900, 0, -100, -100, -100]


def test_the_manifest_tells_what_was_bought_and_a_plan_that_adds_up():
    tree = PrefixTree(height=PrivateLength(longest=3, share="1/10"), lost="continue")
    manifest = tree.publish(sequence_records(["AB"] * 400), budget=PureDP("2")).manifest
    assert any("chosen privately: a length from 1 to 3 that 0.9" in rule for rule in manifest["rules"])
    assert any("continued like similar ones" in rule for rule in manifest["rules"])

    def steps(plan):
        return [plan["name"]] if plan["composition"] == "step" else [name for part in plan["parts"] for name in steps(part)]

    plan = manifest["budget"]["plan"]
    assert Fraction(plan["epsilon"]) == 2
    assert sorted(steps(plan)) == sorted(draw["step"] for draw in manifest["budget"]["draws"])
