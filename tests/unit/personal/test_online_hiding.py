"""Online hiding: what was published stays as it was, the belief holds at every moment, and the check sees when it does not."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hiding import NINE
from tacita.arrays.ragged import Ragged
from tacita.auditing.cases.verified import Tally
from tacita.errors import InputError, ParameterError, VerificationError
from tacita.personal import (
    BeliefBound,
    Form,
    OnlineHiding,
    PatternHiding,
    PatternList,
    PersonalRecords,
    PlanTable,
    PublishedPersonal,
)
from tacita.personal.online import OnlineSanitizer
from tacita.personal.verification import highest_beliefs
from tacita.utility.personal import judged, pictures, report

HIDING = OnlineHiding(belief=Fraction(3, 10), patterns=PatternList((("a", "b"), ("c", "d"))), taxonomy=NINE, window=4)


def records_of(*rows):
    return PersonalRecords(sequences=Ragged.from_lists([list(row) for row in rows]), universe=NINE.universe)


def random_row(size, seed=0):
    return np.minimum(*np.random.default_rng(seed).integers(0, 9, (2, size))).tolist()


def test_what_was_published_stays_when_the_sequence_grows():
    row = random_row(300)
    whole = HIDING.publish(records_of(row)).data.to_labels()[0]
    for size in (1, 50, 299):
        part = HIDING.publish(records_of(row[:size])).data.to_labels()[0]
        assert whole[: len(part)] == part


def test_the_guarantee_names_the_beliefs_by_tuples_only():
    guarantee = HIDING.publish(records_of(random_row(100))).guarantee
    assert guarantee.holds
    assert guarantee.as_json()["forms"] == ["tuples-single", "tuples-any"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), max_size=25), st.integers(1, 4))
def test_the_check_finds_the_highest_belief_of_all_moments(symbols, window):
    truth = [label for label, _ in symbols]
    nodes = [[label, NINE.parents[label], NINE.root][up] for label, up in symbols]
    patterns = ((0, 1), (1, 0), (2, 3, 0))
    tally, expected = Tally(patterns=patterns), dict.fromkeys(("tuples-single", "tuples-any"), Fraction(0))
    for _ in tally.grown(truth, nodes, window=window):
        expected = {form: max(highest, tally.belief(Form(form))) for form, highest in expected.items()}
    codes = np.array(truth, dtype=np.int64), np.array(nodes, dtype=np.int64)
    assert highest_beliefs(*codes, patterns=patterns, window=window) == expected


def test_a_sanitizer_that_shows_everything_is_caught_and_nothing_is_published(monkeypatch):
    monkeypatch.setattr(OnlineSanitizer, "show", lambda _, label: label)
    with pytest.raises(VerificationError, match="person 1: what was shown does not keep the bound"):
        HIDING.publish(records_of([0, 1, 5, 6, 7, 8] * 20))


def test_a_belief_that_was_too_high_once_is_caught_although_it_is_low_in_the_end(monkeypatch):
    row = [0, 1, *[3, 4, 5, 6] * 50]
    monkeypatch.setattr(OnlineSanitizer, "show", lambda _, __: NINE.root)
    with pytest.raises(VerificationError):
        HIDING.publish(records_of(row))
    assert HIDING.publish(records_of([3, 4, 5, 6] * 50)).guarantee.holds


def test_the_belief_in_any_pattern_is_bounded_too():
    """Two patterns that are shown as one string: of six places that look alike two hold one and one the other."""
    plan = PlanTable({label: NINE.name(NINE.parents[code]) for code, label in enumerate("abcdef")})
    hiding = OnlineHiding(
        belief=Fraction(2, 5), patterns=PatternList((("a", "d"), ("a", "e"))), taxonomy=NINE, window=1, plan=plan
    )
    cover, one, other = [1, 5, 8] * 3, [0, 3, 8] * 2, [0, 4, 8]
    assert len(hiding.publish(records_of([*cover, *one])).data.to_labels()[0]) == 15
    last = hiding.publish(records_of([*cover, *one, *other])).data.to_labels()[0]
    assert len(last) < 18


def test_a_plan_that_was_learned_earlier_withholds_less_and_can_be_written(tmp_path):
    earlier, later = records_of(random_row(400, seed=3)), records_of(random_row(400, seed=4))
    batch = PatternHiding(bound=BeliefBound(limit="0.3"), patterns=HIDING.patterns, taxonomy=NINE, window=4)
    plan = PlanTable.learned(batch, earlier)
    plan.write(tmp_path / "plan.csv")
    planned = dataclasses.replace(HIDING, plan=PlanTable.read(tmp_path / "plan.csv"))
    assert planned.plan == plan
    kept = [len(hiding.publish(later).data.to_labels()[0]) for hiding in (HIDING, planned)]
    assert kept[0] < kept[1]


def test_a_plan_says_as_what_a_label_may_be_shown_at_the_finest(tmp_path):
    path = tmp_path / "plan.csv"
    group = NINE.name(NINE.parents[4])
    path.write_text(f"label,node\ne,{group}\n", encoding="utf-8")
    planned = dataclasses.replace(HIDING, plan=PlanTable.parse(str(path)))
    assert planned.publish(records_of([4, 8, 4])).data.to_labels() == [[group, "i", group]]
    assert HIDING.publish(records_of([4, 8, 4])).data.to_labels() == [["e", "i", "e"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label\na\n", "must have the columns label and node"),
        ("label,node\na,nowhere\n", "no 'nowhere'"),
        ("label,node\na,b\n", "above it"),
    ],
)
def test_a_plan_that_means_nothing_is_refused(tmp_path, text, message):
    path = tmp_path / "plan.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=message):
        dataclasses.replace(HIDING, plan=PlanTable.read(path)).publish(records_of([0]))


@pytest.mark.parametrize("changes", [{"belief": Fraction(1)}, {"belief": Fraction(-1)}, {"taxonomy": None}, {"bins": (3,)}])
def test_parameters_that_mean_nothing_are_refused(changes):
    with pytest.raises(ParameterError, match=r"must be at least 0 and below 1|and not both"):
        dataclasses.replace(HIDING, **changes)


def test_what_was_withheld_is_reported_and_drawn_as_a_gap():
    rows = [0, 1] * 15, random_row(60)
    records = records_of(*rows)
    data = HIDING.publish(records).data
    withheld = sum(map(len, rows)) - data.sequences.codes.size
    assert withheld > 0
    found = report(records, data)
    assert found.withheld == withheld
    assert found.symbols == 90
    everything = PublishedPersonal(sequences=Ragged.from_lists([[], []]), taxonomy=NINE)
    assert report(records, everything).losses == {"linear": 1.0, "exponential": 1.0, "information-loss": 1.0}
    strip = pictures(records, data, found=judged(records, data, {}))[-1]
    assert strip.title.startswith("Places 1 to 30 of person 1")
    assert strip.drawing.count("<rect") == 30 + 30 - (30 - len(data.to_labels()[0]))
    assert "withheld" in strip.title


def test_a_release_of_other_records_is_not_reported_on():
    data = HIDING.publish(records_of(random_row(60), random_row(60, seed=1))).data
    with pytest.raises(InputError, match="of the release must come from the records given"):
        report(records_of([8] * 60, random_row(60, seed=1)), data)
