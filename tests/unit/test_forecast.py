"""A forecast tells intervals from public facts alone, and reality lies in them."""

import builtins
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.forecasts.sequences import Interval, forecast
from tacita.io import declared_universe
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.sequences import Granularity, PrefixTree, PrivateLength, SequenceRecords, read_sequences
from tacita.simulate import Behaviour, PublicFacts, TransitWorld
from tacita.utility import QueryKind, QueryWorkload, measure_queries

FACTS = PublicFacts(records=5_000, labels=20)
INTERVALS = ("symbols_kept", "mean_length", "records", "query_error")


def test_intervals_are_ordered_and_every_behaviour_took_part():
    found = forecast(PrefixTree(height=3), PureDP("1"), facts=FACTS)
    for name in INTERVALS:
        interval = getattr(found, name)
        assert 0 <= interval.low <= interval.middle <= interval.high, name
    assert {world.split("-")[0] for world in found.worlds} == set(Behaviour)


def test_known_behaviours_and_lengths_narrow_the_worlds():
    journeys = forecast(PrefixTree(height=2), PureDP("1"), facts=FACTS, behaviours=[Behaviour.JOURNEY])
    assert {world.split("-")[0] for world in journeys.worlds} == {"journey"}
    assert journeys.mean_length.high <= 2 * 1.5
    longer = forecast(PrefixTree(height=2), PureDP("1"), facts=replace(FACTS, mean_length=6.5, max_length=9))
    assert not any(world.startswith("journey") for world in longer.worlds)


def test_no_file_is_opened_and_no_ledger_is_touched(tmp_path, monkeypatch):
    ledger = Ledger.create(tmp_path / "owner.ledger")
    ledger.set_cap("simulated", PureDP("1"))
    before = ledger.path.read_bytes()
    monkeypatch.chdir(tmp_path)
    forecast(
        PrefixTree(height=1), PureDP("1"), facts=FACTS, behaviours=[Behaviour.SESSION]
    )  # reads the version of the product, once

    def refused(*_args, **_rest):
        message = "a forecast opens nothing"
        raise AssertionError(message)

    for owner, name in ((builtins, "open"), (Path, "open"), (pl, "read_csv"), (pl, "read_parquet"), (pl, "scan_parquet")):
        monkeypatch.setattr(owner, name, refused)
    forecast(PrefixTree(height=2), PureDP("1"), facts=FACTS, behaviours=[Behaviour.SESSION])
    monkeypatch.undo()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["owner.ledger", "owner.ledger.mark"]
    assert ledger.path.read_bytes() == before


def test_a_seed_chooses_the_worlds_and_the_same_seed_the_same_ones(monkeypatch):
    from tacita.simulate import Lookalike

    made = []
    original = Lookalike.sequences

    def kept(world):
        made.append(original(world))
        return made[-1]

    monkeypatch.setattr(Lookalike, "sequences", kept)
    few = {"facts": replace(FACTS, records=200), "behaviours": [Behaviour.COMMUTER]}
    for seed in (3, 3, 4):
        forecast(PrefixTree(height=2), PureDP("1"), seed=seed, **few)
    first, again, other = ([world.to_lists() for world in made[place : place + 3]] for place in (0, 3, 6))
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("facts", "behaviours", "message"),
    [
        (replace(FACTS, records=0), tuple(Behaviour), "needs a number of records of at least 1"),
        (replace(FACTS, mean_length=3.0), [Behaviour.JOURNEY], "no simulated world agrees"),
        (FACTS, [], "no simulated world agrees"),
    ],
)
def test_facts_that_no_world_can_have_are_refused(facts, behaviours, message):
    with pytest.raises(ParameterError, match=message):
        forecast(PrefixTree(height=2), PureDP("1"), facts=facts, behaviours=behaviours)


@pytest.mark.parametrize("change", [{"records": -1}, {"labels": 0}, {"mean_length": 0.5}, {"mean_length": 9.0, "max_length": 4}])
def test_facts_that_contradict_themselves_are_refused(change):
    with pytest.raises(ParameterError):
        replace(FACTS, **change)


def test_progress_goes_up_to_its_total():
    told = []
    facts = replace(FACTS, records=500)
    forecast(PrefixTree(height=2), PureDP("1"), facts=facts, progress=lambda done, total: told.append((done, total)))
    done = [step for step, _ in told]
    assert done == sorted(done)
    assert {total for _, total in told} == {done[-1]}


def test_a_height_that_is_far_too_large_gets_a_better_variant_named():
    found = forecast(PrefixTree(height=20), PureDP("1"), facts=FACTS, behaviours=[Behaviour.JOURNEY])
    assert found.suggestion is not None
    assert found.suggestion.query_error.middle < found.query_error.middle
    assert "better on these worlds" in found.lines()[-1]
    assert found.as_json()["better"]["changes"] == found.suggestion.changes


def test_a_taxonomy_is_used_and_its_universe_is_that_of_the_worlds():
    universe = Universe(f"stop {number}" for number in range(20))
    groups = Taxonomy.balanced(universe, fan_out=5)
    found = forecast(PrefixTree(height=3, taxonomy=groups), PureDP("1"), facts=replace(FACTS, taxonomy=groups), taxonomy=groups)
    assert found.symbols_kept.high > 0


def test_a_height_that_is_bought_is_forecast_too():
    found = forecast(PrefixTree(height=PrivateLength(longest=6)), PureDP("1"), facts=FACTS)
    assert found.mean_length.middle > 0


def test_many_records_are_tried_as_few_with_a_larger_epsilon():
    found = forecast(PrefixTree(height=2), PureDP("1"), facts=replace(FACTS, records=2_000_000), behaviours=[Behaviour.JOURNEY])
    assert found.facts.records == 2_000_000
    assert found.query_error.middle < 0.1


def test_an_interval_is_as_much_wider_as_it_is_told():
    assert Interval.of([1.0, 2.0, 4.0], wider=2) == Interval(low=0.5, middle=2.0, high=8.0)


@pytest.mark.slow  # half a minute
def test_at_the_size_of_a_city_a_height_of_twenty_gets_a_smaller_one_named():
    found = forecast(PrefixTree(height=20), PureDP("1"), facts=PublicFacts(records=200_000, labels=1_012))
    assert found.suggestion is not None
    assert found.suggestion.method.height < 12


def msnbc(data_folder):
    path = data_folder / "msnbc" / "msnbc990928.seq.gz"
    return 20, read_sequences(path, universe=declared_universe(path))


def oyster(data_folder):
    """One record a journey: the station where it began, then the one where it ended."""
    path = data_folder / "oyster" / "oyster_rail_journeys.csv.gz"
    frame = pl.read_csv(path, columns=["start_station", "end_station"], infer_schema=False).drop_nulls()
    stations = Universe(sorted(set(frame["start_station"].unique()) | set(frame["end_station"].unique())))
    places = {label: code for code, label in enumerate(stations.labels)}
    pairs = frame.select(pl.all().replace_strict(places, return_dtype=pl.Int32)).to_numpy()
    lists = Ragged(pairs.reshape(-1), np.arange(0, 2 * len(frame) + 1, 2))
    return 2, SequenceRecords(sequences=lists, universe=stations, name="oyster")


def world(name):
    made = getattr(TransitWorld, name)()
    return 12, SequenceRecords(sequences=made.sequences(), universe=made.universe, name=name)


REAL = {"msnbc": msnbc, "oyster": oyster} | {name: lambda _, name=name: world(name) for name in ("metro", "bus", "stm")}


@pytest.mark.slow  # two minutes for all of them
@pytest.mark.parametrize("name", REAL)
def test_reality_lies_in_the_forecast(name, data_folder):
    height, records = REAL[name](data_folder)
    raw, labels = records.sequences, len(records.universe)
    facts = PublicFacts(records=len(raw), labels=labels)
    for epsilon in ("0.5", "1"):
        method, budget = PrefixTree(height=height), PureDP(epsilon)
        released = method.publish(records, budget=budget).data.sequences
        workload = QueryWorkload(longest=3, subsets=1, queries_each=2_000)
        (queries,) = measure_queries(raw, released, symbols=labels, kind=QueryKind.LOCATION_SET, workload=workload)
        real = {
            "symbols_kept": released.codes.size / raw.codes.size,
            "mean_length": released.codes.size / max(1, len(released)),
            "records": len(released) / len(raw),
            "query_error": queries.average_relative_error,
        }
        found = forecast(method, budget, facts=facts)
        for figure, value in real.items():
            interval = getattr(found, figure)
            near = interval.middle / 1.5 <= value <= interval.middle * 1.5
            assert near or interval.low <= value <= interval.high, (epsilon, figure, value, interval)


def test_between_the_granularities_any_gain_decides(monkeypatch):
    """Groups by number over few labels are of no use, and a hybrid tree pays for them; nothing else is tried here."""
    monkeypatch.setattr("tacita.forecasts.sequences.HEIGHTS", ())
    taxonomy = Taxonomy.balanced(Universe([f"L{place}" for place in range(17)]), fan_out=4)
    hybrid = PrefixTree(height=12, taxonomy=taxonomy, lost="continue", inference="corrected")
    facts = PublicFacts(records=200_000, labels=17, mean_length=4.7, max_length=12)
    found = forecast(hybrid, PureDP("1"), facts=facts, behaviours=[Behaviour.SESSION])
    assert found.suggestion is not None
    assert found.suggestion.method.granularity is Granularity.SIMPLE


@pytest.mark.parametrize(
    ("world", "records", "mean", "picked"), [("bus", 778_724, 5.67, "simple"), ("metro", 847_668, 4.21, None)]
)
def test_commuters_on_many_lines_are_told_to_leave_the_groups_out_and_those_on_few_are_not(world, records, mean, picked):
    taxonomy = getattr(TransitWorld, world)(passengers=1).taxonomy
    facts = PublicFacts(records=records, labels=len(taxonomy.universe), mean_length=mean, max_length=121, taxonomy=taxonomy)
    hybrid = PrefixTree(height=12, taxonomy=taxonomy)
    found = forecast(hybrid, PureDP("0.5"), facts=facts, behaviours=[Behaviour.COMMUTER], taxonomy=taxonomy)
    assert (None if found.suggestion is None else str(found.suggestion.method.granularity)) == picked
