import json

import pytest

import tacita
from strategies import sequence_records
from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError, UniverseError
from tacita.privacy.budget import PureDP
from tacita.sequences import PrefixTree, SequenceRecords, read_published
from tacita.simulate import TransitWorld
from tacita.testing import seeded_ledger
from tacita.utility import OWNER_ONLY, QueryWorkload, SequenceMeasures, preservation, report

QUICK = SequenceMeasures(
    set_queries=QueryWorkload(longest=4, subsets=2, queries_each=100),
    occurrence_queries=QueryWorkload(longest=4, subsets=2, queries_each=100),
    tops=(2, 5),
)


@pytest.fixture(scope="module")
def records():
    return sequence_records(["AB"] * 200 + ["ABC"] * 100 + ["C"] * 50)


@pytest.fixture(scope="module")
def release(records):
    return PrefixTree(height=2).publish(records, budget=PureDP("2"), ledger=seeded_ledger(3))


def test_records_and_release_are_compared_however_they_come(records, release, tmp_path):
    whole = report(records, release, measures=QUICK)
    assert whole.raw_records == 350
    assert whole.released_records == len(release.data)
    assert report(records, release.data, measures=QUICK) == whole
    assert report(records.sequences, release.data, measures=QUICK, symbols=4) == whole
    assert report(records.sequences, release.data.sequences, measures=QUICK, symbols=4) == whole
    folder = release.write(tmp_path / "out")
    assert report(records, read_published(folder, universe=records.universe), measures=QUICK) == whole


def test_raw_data_as_its_own_release_is_perfect(records):
    found = report(records, records.sequences, measures=QUICK)
    assert {query.average_relative_error for query in found.queries} == {0.0}
    assert {top.true_positive_ratio for pattern in found.patterns for top in pattern.tops} == {1.0}
    assert found.raw_mean_length == found.released_mean_length == pytest.approx(750 / 350)
    assert set(found.distributions.as_json().values()) == {0.0}


def test_an_empty_release_has_lost_everything(records):
    found = report(records, Ragged.from_lists([]), measures=QUICK)
    assert {top.true_positives for pattern in found.patterns for top in pattern.tops} == {0}
    assert set(found.distributions.as_json().values()) == {1.0}
    assert found.released_mean_length == 0
    assert all(0 < query.average_relative_error <= 1 for query in found.queries)


def test_a_report_reads_well_and_says_for_whom_it_is(records, release):
    found = report(records, release, measures=QUICK)
    text = str(found)
    assert text.splitlines()[0] == OWNER_ONLY
    assert "for the owner's eyes only" in text
    for word in ("records", "mean length", "transitions", "location set", "occurrences", "gapped", "contiguous", "utility loss"):
        assert word in text
    as_json = json.loads(json.dumps(found.as_json()))
    assert as_json["warning"] == OWNER_ONLY
    assert as_json["records"] == {"raw": 350, "released": len(release.data)}
    assert [query["max_length"] for query in as_json["queries"]] == [2, 4, 2, 4]
    assert [top["count"] for top in as_json["patterns"][0]["tops"]] == [2, 5]


def test_a_report_names_tops_that_were_not_measured(monkeypatch):
    monkeypatch.setattr(preservation, "PATTERN_LIMIT", 100)
    records = sequence_records(["ABCDABCDABCDABCDABCDABCD"])
    assert "not measured: too many patterns tie" in str(report(records, records.sequences, measures=QUICK))


def test_the_papers_measures_are_the_default():
    world = TransitWorld(passengers=300, stations=12, lines=3)
    records = SequenceRecords(sequences=world.sequences(), universe=world.universe)
    found = tacita.utility.report(records, records.sequences)
    assert [(query.max_length, query.queries) for query in found.queries] == [
        (length, 10_000) for length in (3, 6, 9, 12, 4, 8, 12, 16, 20)
    ]
    assert [top.count for pattern in found.patterns for top in pattern.tops] == [20, 100, 300] * 2


def test_another_universe_is_refused(records):
    other = PrefixTree(height=1).publish(sequence_records(["A"] * 20, labels="BACD"), budget=PureDP("2"))
    with pytest.raises(UniverseError, match="must have the same universe, with its labels in the same order"):
        report(records, other, measures=QUICK)
    with pytest.raises(ParameterError, match="symbols must be the size of the universe, 4, got 5"):
        report(records, records.sequences, symbols=5)
    with pytest.raises(ParameterError, match="must be given, because neither side carries a universe"):
        report(records.sequences, records.sequences)
    with pytest.raises(ParameterError, match="below the number of symbols, 4"):
        report(records, Ragged.from_lists([[4]]), measures=QUICK)


def test_nothing_to_compare_with_is_refused(release):
    with pytest.raises(ParameterError, match="at least one raw record"):
        report(sequence_records([]), release, measures=QUICK)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sanity_share": 0.0}, "above 0 and at most 1, got 0.0"),
        ({"sanity_share": float("nan")}, "above 0 and at most 1"),
        ({"tops": (5, 0)}, r"tops must be whole numbers of at least 1, got \(5, 0\)"),
    ],
)
def test_measures_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        SequenceMeasures(**wrong)
