"""Forecasts of streams, tables, trajectories and personal sequences: from public facts alone, beside the simplest releases."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tacita.errors import ParameterError
from tacita.forecasts import Request
from tacita.forecasts.sets import forecast_sets
from tacita.forecasts.tables import lookalike
from tacita.forecasts.times import with_times
from tacita.forecasts.trials import Interval, Measure, MethodForecast, TrialForecast, scaled_budget
from tacita.kinds import kinds, load
from tacita.personal import BeliefBound, PatternHiding, PatternList
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.public.inputs import PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, Raked, SequenceRecords
from tacita.sets import StableHistogram
from tacita.simulate import CensusWorld, PublicFacts, lookalikes
from tacita.streams import Pace
from tacita.tables import Bucketize, Independent, Marginals, Mondrian, TopDown, declared
from tacita.tables.published import exact_table
from tacita.trajectories import SensitiveGroups, Suppression
from tacita.utility.tables import report

PLACES = Universe(f"p{number}" for number in range(12))
DAY = TimeGrid(start=0, interval=1, intervals=12)
TREE = Taxonomy.balanced(PLACES, fan_out=3)
COLUMNS = declared(CensusWorld.adult(people=1).declaration())
TYPED = declared(
    {
        "seen": {"type": "time", "first": "1990-01-01T00:00:00", "last": "2024-12-31T23:59:59", "missing": True},
        "paid": {"type": "number", "low": 0, "high": 99_999.99, "step": 0.01, "missing": True},
        "ill": {"type": "yes/no"},
    }
)
"""More values than could be listed one by one."""
HIDING = PatternHiding(bound=BeliefBound(limit="0.5"), patterns=PatternList((("p1", "p2"),)), taxonomy=TREE)

CASES = {
    "pace": (Pace(contexts=4), PureDP(1), PublicInputs(universe=PLACES, grid=DAY), 1200),
    "mondrian": (Mondrian(models="k=20"), None, PublicInputs(others={"columns": COLUMNS}), 9000),
    "bucketize": (Bucketize(), None, PublicInputs(others={"columns": COLUMNS}), 9000),
    "top-down": (TopDown(), PureDP(1), PublicInputs(others={"columns": COLUMNS}), 9000),
    "marginals": (Marginals(), PureDP(1), PublicInputs(others={"columns": TYPED}), 2000),
    "independent": (Independent(), PureDP(1), PublicInputs(others={"columns": TYPED}), 2000),
    "suppression": (Suppression(crowd=5, known_pairs=1), None, PublicInputs(universe=PLACES, grid=DAY), 400),
    "raked": (Raked(max_length=4), PureDP(1), PublicInputs(universe=PLACES, grid=DAY), 900),
    "prefix-tree": (PrefixTree(height=4), PureDP(1), PublicInputs(universe=PLACES, grid=DAY), 900),
    "pattern-hiding": (HIDING, None, PublicInputs(universe=PLACES), 3),
}


def requested(name, **changes):
    from tacita.kinds import method_named

    method, budget, public, records = CASES[name]
    request = Request(name=name, method=method, budget=budget, public=public, records=records, alone=True)
    return load(kinds()[method_named(name).kind].forecast), replace(request, **changes)


@pytest.mark.parametrize("name", CASES)
def test_every_kind_has_ordered_intervals_beside_its_floors(name):
    forecast, request = requested(name)
    found = forecast(request)
    for interval in found.chosen.intervals.values():
        assert 0 <= interval.low <= interval.middle <= interval.high
    assert "nothing" in {floor.method for floor in found.floors}
    assert found.lines()[0].startswith("forecast for ")
    assert found.as_json()["chosen"]["method"] == name
    assert found.figures()[0].method is None


@pytest.mark.parametrize("name", ["pace", "mondrian", "suppression", "pattern-hiding"])
def test_facts_that_a_kind_does_not_know_are_refused(name):
    forecast, request = requested(name, like=("session",))
    with pytest.raises(ParameterError):
        forecast(request)
    forecast, request = requested(name, public=PublicInputs())
    with pytest.raises(ParameterError):
        forecast(request)


def test_every_kind_with_methods_has_a_forecast():
    assert all(kind.forecast is not None for kind in kinds().values() if kind.name in {"sets", "streams", "tables", "networks"})


def test_a_larger_k_loses_more():
    forecast, request = requested("mondrian")
    few, many = (forecast(replace(request, method=Mondrian(models=f"k={k}"))).chosen for k in (10, 2000))
    assert few.intervals["relative_error"].middle < many.intervals["relative_error"].middle


def test_sensitive_groups_are_drawn_for_trajectories():
    forecast, request = requested("suppression")
    method = replace(request.method, sensitive=SensitiveGroups.parse("illness=flu<=1/2"))
    assert forecast(replace(request, method=method, records=200)).chosen.method == "suppression"


def test_a_budget_with_a_delta_keeps_it():
    assert scaled_budget(ApproxDP("1", "1e-6"), Fraction(3)) == ApproxDP("3", "1e-6")
    facts = PublicFacts(records=4000, labels=8, mean_length=2)
    found = forecast_sets("stable-histogram", StableHistogram(), ApproxDP("1", "1e-6"), facts=facts)
    assert found.chosen.method == "stable-histogram"
    assert "itemset-counts" in {other.method for other in found.others}


def made(chosen, floor, *, other=None, kept=1.0):
    measures = (Measure(key="loss", title="loss", decides=True), Measure(key="kept", title="kept", is_share=True))

    def part(name, loss):
        values = {"loss": loss, "kept": kept}
        return MethodForecast(method=name, intervals={key: Interval(low=v, middle=v, high=v) for key, v in values.items()})

    return TrialForecast(
        kind="sets",
        subject="some records",
        facts={},
        worlds=(),
        measures=measures,
        chosen=part("ours", chosen),
        others=() if other is None else (part("theirs", other),),
        floors=(part("independent", floor), part("nothing", 1.0)),
    )


def test_nothing_is_recommended_that_a_floor_beats_by_however_little():
    assert made(0.5, 0.49, other=0.6).lines()[-1].startswith("none of these keeps more")
    assert made(0.5, 0.49).lines()[-1].startswith("ours does not keep more")
    assert made(0.5, 0.51, other=0.6).lines()[-1] == "use ours: nothing here is clearly better"
    assert made(0.5, 0.51, other=0.3).lines()[-1].startswith("use theirs instead of ours")
    assert made(0.5, 0.29, other=0.3).lines()[-1].startswith("none of these keeps more")
    assert made(1.2, 1.5).lines()[-1].startswith("ours does not keep more of such data than an empty release")


def test_a_release_with_next_to_nothing_in_it_is_called_empty():
    assert made(1.0, 0.5, kept=0.0).is_empty
    assert "next to empty" in made(1.0, 0.5, kept=0.0).lines()[-1]
    assert not made(1.0, 0.5).is_empty


@pytest.mark.parametrize("intervals", [1, 12, 96])
def test_lookalikes_with_times_keep_their_labels_and_nobody_goes_back(intervals):
    grid = TimeGrid(start=0, interval=3600, intervals=intervals)
    world = lookalikes(PublicFacts(records=300, labels=12, mean_length=4))[0].sequences()
    timed = with_times(world, grid, labels=12, peaked=0.9, by_place=0.5)
    SequenceRecords(sequences=timed, universe=PLACES, grid=grid)  # which refuses what goes back in time or leaves the grid
    assert (timed.codes % 12 == world.codes).all()
    assert intervals == 1 or np.unique(timed.codes // 12).size > intervals / 2


def test_a_tree_over_places_and_hours_is_told_of_raked():
    forecast, request = requested("prefix-tree", alone=False, records=20_000, mean_length=3.0)
    assert forecast(request).better == "raked"


def test_few_people_are_forecast_from_one_world_of_each_behaviour():
    method, budget, _, _ = CASES["prefix-tree"]
    few, many = (
        load(kinds()["sequences"].forecast)(
            Request(
                name="prefix-tree",
                method=method,
                budget=budget,
                public=PublicInputs(universe=PLACES),
                records=records,
                alone=True,
            )
        ).worlds
        for records in (900, 200_000)
    )
    assert (len(few), len(many)) == (4, 12)
    assert {name.split("-")[0] for name in few} == {name.split("-")[0] for name in many}


def test_made_up_tables_have_missing_values_where_they_are_a_value_and_rows_of_values_are_counted_exactly():
    rows = lookalike(TYPED, rows=300, classes=5, equality=0.6)
    assert 0 < (rows.quasi[0] == TYPED.quasi[0].count).sum() < 60
    assert report(rows, exact_table(TYPED, rows.quasi, None)).absolute_error == 0
