"""The report on released sets."""

import json

import jsonschema
import pytest

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError, UniverseError
from tacita.io import FileFormat, LongColumns
from tacita.public.universe import Universe
from tacita.schemas import output_schema
from tacita.sets import BasketRecords, PublishedBaskets
from tacita.simulate import BasketWorld
from tacita.utility import OWNER_ONLY, QueryWorkload, SetMeasures, preservation, sets

QUICK = SetMeasures(queries=QueryWorkload(longest=4, subsets=2, queries_each=100), tops=(2, 5))
SHOP = Universe(["beer", "milk", "rolls", "soda"])


@pytest.fixture(scope="module")
def records():
    rows = [["milk", "rolls"]] * 200 + [["milk", "rolls", "soda"]] * 100 + [["soda"]] * 50
    return BasketRecords.from_labels(rows, universe=SHOP)


@pytest.fixture(scope="module")
def published():
    baskets = Ragged.from_lists([[1, 2]] * 190 + [[1, 2, 3]] * 105 + [[0]] * 40)
    return PublishedBaskets(baskets=baskets, universe=SHOP, file_format=FileFormat.CSV, columns=LongColumns(time=None))


def test_records_and_published_baskets_are_compared_however_they_come(records, published):
    whole = sets.report(records, published, measures=QUICK)
    assert (whole.raw_records, whole.released_records) == (350, 335)
    assert sets.report(records.baskets, published, measures=QUICK) == whole
    assert sets.report(records.baskets, published.baskets, measures=QUICK, symbols=4) == whole


def test_the_figures_are_those_of_the_definitions(records, published):
    found = sets.report(records, published, measures=SetMeasures(queries=QueryWorkload(longest=1, subsets=1), tops=(3,)))
    assert found.raw_mean_length == pytest.approx(750 / 350)
    assert found.distributions.sizes == pytest.approx(
        (abs(200 / 350 - 190 / 335) + abs(100 / 350 - 105 / 335) + abs(50 / 350 - 40 / 335)) / 2
    )
    (query,) = found.queries
    assert (query.matched / 10_000, query.average_absolute_error) == (
        pytest.approx(0.75, abs=0.02),
        pytest.approx((40 + 5 + 5 + 45) / 4, abs=1),
    )
    ((top,),) = (pattern.tops for pattern in found.patterns)
    assert (top.true_positives, top.false_positives, top.false_drops) == (3, 0, 0)  # milk, rolls, and both
    assert top.utility == pytest.approx(1 - 5 / 300)


def test_raw_data_as_its_own_release_is_perfect_and_an_empty_one_has_lost_everything(records):
    same = sets.report(records, records.baskets, measures=QUICK)
    assert {query.average_relative_error for query in same.queries} == {0.0}
    assert {top.utility for pattern in same.patterns for top in pattern.tops} == {1.0}
    assert set(same.distributions.as_json().values()) == {0.0}
    empty = sets.report(records, Ragged.from_lists([]), measures=QUICK)
    assert {top.utility for pattern in empty.patterns for top in pattern.tops} == {0.0}
    assert set(empty.distributions.as_json().values()) == {1.0}
    assert all(0 < query.average_relative_error <= 1 for query in empty.queries)


def test_a_report_reads_well_says_for_whom_it_is_and_follows_its_schema(records, published):
    found = sets.report(records, published, measures=QUICK)
    text = str(found)
    assert text.splitlines()[0] == OWNER_ONLY
    for word in ("records", "mean length", "sizes", "items", "itemset", "absolute", "utility loss"):
        assert word in text
    as_json = json.loads(json.dumps(found.as_json()))
    told = {"schema": "tacita-evaluate-sets-1", "input": "raw.csv", "release": "release", "left_out": "", "sets": as_json}
    jsonschema.validate(told, output_schema("tacita-evaluate-sets-1"))
    as_json["queries"][0]["kind"] = "occurrences"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(told, output_schema("tacita-evaluate-sets-1"))


def test_the_thesis_measures_are_the_default():
    world = BasketWorld(baskets=400, items=30, categories=3, mean_length=4, max_length=17)
    baskets = world.baskets_of_codes()
    found = sets.report(baskets, baskets, symbols=30)
    largest = int(baskets.lengths.max())
    assert [(query.max_length, query.queries) for query in found.queries] == [
        (largest * number // 5, 10_000) for number in range(1, 6)
    ]
    assert [top.count for pattern in found.patterns for top in pattern.tops] == [20, 40, 60, 80, 100]


def test_small_baskets_are_asked_for_up_to_five_items_so_that_no_subset_is_empty(records):
    assert [query.max_length for query in sets.report(records, records.baskets).queries] == [1, 2, 3, 4, 5]


def test_tops_that_cannot_be_measured_are_named(monkeypatch):
    monkeypatch.setattr(preservation, "PATTERN_LIMIT", 100)
    one = Ragged.from_lists([list(range(12))])
    assert "not measured: too many patterns tie" in str(sets.report(one, one, symbols=12, measures=QUICK))


def test_sides_that_cannot_be_compared_are_refused(records, published):
    other = BasketRecords.from_labels([["milk"]], universe=Universe(["milk", "beer", "rolls", "soda"]))
    with pytest.raises(UniverseError, match="must have the same universe, with its labels in the same order"):
        sets.report(other, published, measures=QUICK)
    with pytest.raises(ParameterError, match="must be given, because neither side carries a universe"):
        sets.report(records.baskets, published.baskets)
    with pytest.raises(ParameterError, match="at least one raw record"):
        sets.report(Ragged.from_lists([]), published)
    with pytest.raises(ParameterError, match="every basket must strictly increase"):
        sets.report(records, Ragged.from_lists([[2, 1]]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sanity_share": 0.0}, "sanity_share must be above 0 and at most 1, got 0.0"),
        ({"tops": (5, True)}, r"tops must be whole numbers of at least 1, got \(5, True\)"),
    ],
)
def test_measures_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        SetMeasures(**wrong)
