"""What the owner chooses: patterns, costs and bounds."""

from fractions import Fraction

import pytest

from hiding import SHOP
from tacita.errors import ParameterError, UniverseError
from tacita.personal import (
    BeliefBound,
    CostKind,
    CostTable,
    EveryPattern,
    Form,
    InformationBound,
    PaperBound,
    PatternList,
    SensitivePatterns,
)
from tacita.personal.bounds import parse_bound
from tacita.personal.patterns import cost_rows
from tacita.public.universe import Universe


def test_patterns_are_read_from_a_file_with_comments_quotes_and_empty_lines(tmp_path):
    path = tmp_path / "patterns.txt"
    path.write_text('# on the way home\nbeer, chips\n\n"milk, fresh",beer\n', encoding="utf-8")
    assert PatternList.parse(str(path)).labels == (("beer", "chips"), ("milk, fresh", "beer"))


def test_patterns_in_place_may_have_a_single_label():
    assert PatternList.parse("beer,; wine, cheese").labels == (("beer",), ("wine", "cheese"))


def test_a_file_of_patterns_that_is_not_there_is_refused_by_name():
    with pytest.raises(ParameterError, match=r"list of sensitive patterns 'nowhere\.txt' does not exist"):
        PatternList.parse("nowhere.txt")


def test_a_label_outside_the_universe_is_refused():
    with pytest.raises(UniverseError, match="no label 'rum'"):
        PatternList((("rum",),)).within(3, universe=SHOP.universe)


@pytest.mark.parametrize(
    ("codes", "window", "message"),
    [
        ((), 3, "one sensitive pattern at least"),
        (((0, 1, 2, 3),), 2, "1 to 3 symbols, pattern 1 has 4"),
        (((),), 2, "pattern 1 has 0"),
        (((0, 9),), 2, "pattern 1 has another"),
        (((0, 1), (0, 1)), 2, "one comes twice"),
        (((0, 1),), 0, "window must be a whole number of at least 1"),
    ],
)
def test_patterns_that_mean_nothing_are_refused(codes, window, message):
    with pytest.raises(ParameterError, match=message):
        SensitivePatterns(codes=codes, window=window, universe=SHOP.universe)


def test_the_hash_of_patterns_depends_on_labels_and_window():
    universe = Universe("ab")
    hashes = {
        SensitivePatterns(codes=codes, window=window, universe=universe).digest()
        for codes in (((0, 1),), ((1, 0),), ((0,), (1,)))
        for window in (2, 3)
    }
    assert len(hashes) == 6


@pytest.mark.parametrize("kind", list(CostKind))
def test_costs_of_every_kind_fall_from_1_at_the_root_to_0_at_the_label(kind):
    for row in cost_rows(SHOP, kind).tolist():
        assert row[0] == 1.0
        assert row[-1] == 0.0
        assert row == sorted(row, reverse=True)


def test_a_table_of_costs_is_read_and_the_rest_costs_as_the_kind_says(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("label,node,cost\nBeer,Alcohol,0.9\n", encoding="utf-8")
    rows = cost_rows(SHOP, CostTable.read(path))
    assert rows[SHOP.universe.code("Beer")].tolist() == [1.0, 0.9, 0.0]
    assert rows[SHOP.universe.code("Wine")].tolist() == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({("Beer", "Alcohol"): 1.5}, "must not fall on the way to the root"),
        ({("Beer", "Alcohol"): 0.0}, "must be positive"),
        ({("Beer", "Alcohol"): float("nan")}, "must be positive"),
        ({("Beer", "Beer"): 0.1}, "0 for the label itself"),
        ({("Beer", "Snack"): 0.5}, "'Snack' is not above 'Beer'"),
    ],
)
def test_a_table_that_is_no_cost_is_refused(costs, message):
    with pytest.raises(ParameterError, match=message):
        cost_rows(SHOP, CostTable(costs=costs))


def test_a_cost_that_is_no_number_is_refused_with_its_line(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("label,node,cost\nBeer,Alcohol,much\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="line 2 has 'much'"):
        CostTable.read(path)


@pytest.mark.parametrize(
    "bound",
    [
        BeliefBound(limit="0.3"),
        BeliefBound(limit=Fraction(1, 3), forms=("starts-any",)),
        InformationBound(limit=1),
        EveryPattern(),
        PaperBound(limit="0.1", reading="printed", absolute=True),
    ],
)
def test_a_bound_is_parsed_as_it_is_rendered(bound):
    assert parse_bound(str(bound)) == bound


def test_a_share_alone_is_a_belief_of_all_forms():
    assert parse_bound("0.3") == BeliefBound(limit="0.3")
    assert BeliefBound(limit="0.3").forms == tuple(Form)


def test_a_decimal_limit_is_exactly_what_was_written():
    assert BeliefBound(limit=0.1).limit == Fraction(1, 10)


@pytest.mark.parametrize(
    "text",
    ["belief", "belief=1", "belief=-0.1", "belief=nan", "belief=0.3:everywhere", "information=1.1", "0.3x", "1", "-0.3", ""],
)
def test_a_bound_that_means_nothing_is_refused(text):
    with pytest.raises(ParameterError, match="must be"):
        parse_bound(text)
