"""The collections on which forecasts are judged, for every method of every kind; see `forecast_coverage.py`.

Every generator takes the folder of real data and a text that the names of collections must hold, and yields the fields of cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from movements import DATA, every
from network_worlds import FAMILIES, SHAPES, simulated
from set_floors import collections as set_collections
from table_worlds import WORLDS
from tacita.arrays.ragged import Ragged, chosen
from tacita.forecasts.networks import CUTS
from tacita.networks import DegreeNetwork, DenseRegions, ShapeNetwork
from tacita.personal import BeliefBound, CostKind, OnlineHiding, PatternHiding, PatternList, PersonalRecords
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import NGram, PrefixTree, Raked, SequenceRecords
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts, StableHistogram
from tacita.simulate import BasketWorld, CensusWorld, CityWorld, FareWorld
from tacita.streams import Pace, Republish, Sample, StreamRecords, Uniform
from tacita.tables import (
    Bucketize,
    CellSuppression,
    FullDomain,
    Independent,
    Marginals,
    Mondrian,
    TableRecords,
    TopDown,
    declared,
)
from tacita.trajectories import Suppression, TrajectoryRecords
from tacita.utility import QueryWorkload, count_location_sets, location_sets, relative_errors
from tacita.utility.distributions import total_variation
from tacita.utility.networks import degree_divergence, measure_cuts
from tacita.utility.personal import report as personal_report
from tacita.utility.sets import kept_of
from tacita.utility.streams import measure as measure_stream
from tacita.utility.tables import TableQueries
from tacita.utility.tables import report as table_report
from tacita.utility.trajectories import report as trajectory_report
from tacita_papers import BinaryTree, BudgetAbsorption, DegreeGenerator, FrequentStrings, LaplaceNetwork, RandomNetwork, TopFilter
from tacita_papers.reproduce.data.networks import FILES, network
from tacita_papers.reproduce.data.people import frequent_patterns, people_of
from tacita_papers.reproduce.data.streams import WORLDS as STREAMS
from tacita_papers.reproduce.data.trajectories import simulated as simulated_trajectories
from times import CHOSEN_ON
from times import DATA as TIMED

__all__ = ["CASES"]

Fields = Mapping[str, Any]
Records = Published = Any
"""Of any kind: what a method takes, and what it publishes."""

EPSILONS = ("0.1", "1")


def _few_items(*, items: int, mean_length: float, loyalty: float) -> BasketRecords:
    world = BasketWorld(
        baskets=40_000, items=items, categories=4, shopper_types=5, mean_length=mean_length, max_length=items, loyalty=loyalty
    )
    return BasketRecords(baskets=world.baskets_of_codes(), universe=world.universe)


WIDENED_BY = ("BMS-WebView-1", "Foursquare days", "ca-GrQc", "roads", "small world", "small world, sparse")
FEW_ITEMS = {
    name: partial(_few_items, items=items, mean_length=mean, loyalty=loyalty)
    for name, items, mean, loyalty in (("kiosk of 12", 12, 2.2, 0.6), ("kiosk of 18", 18, 3.5, 0.8), ("kiosk of 8", 8, 1.6, 0.3))
}
"""Small enough for a histogram of all baskets."""

MOST = 60_000
"""Larger collections are judged by every n-th record, so that all methods can be tried on all of them."""


def sets(folder: Path, only: str) -> Iterator[Fields]:
    """Real baskets and simulated ones of six shapes; all methods."""
    methods = {"itemset-counts": ItemsetCounts(), "diffpart": DiffPart(), "histogram": FlatHistogram()}
    for name, make in {**set_collections(folder), **FEW_ITEMS}.items():
        if only not in name or "boardings" in name or "agency" in name:
            continue
        whole = make()
        baskets = _thinned(whole.baskets)
        records = BasketRecords(baskets=baskets, universe=whole.universe)
        items = len(whole.universe)
        common = _common(_marked(name), records, len(baskets), mean_length=float(baskets.lengths.mean()))

        def measure(raw: BasketRecords, released: Published, items: int = items) -> dict[str, float]:
            kept = kept_of(raw.baskets, released.baskets, items=items)
            share = released.baskets.codes.size / raw.baskets.codes.size
            return {"items_kept": share, "query_error": kept.error, "itemset_loss": kept.lost}

        for epsilon in EPSILONS:
            for title, method in methods.items():
                if title != "histogram" or items <= 20:
                    yield {**common, "name": title, "method": method, "budget": PureDP(epsilon), "measure": measure}
        stable = {"method": StableHistogram(), "budget": ApproxDP("1", "1e-6")}
        yield {**common, "name": "stable-histogram", **stable, "measure": measure}


def sequences(_: Path, only: str) -> Iterator[Fields]:
    """Movements, pages and journeys; all methods."""
    for name, make in DATA.items():
        if only not in name:
            continue
        whole = make()
        records = every(whole, -(-len(whole.sequences) // MOST))
        raw, labels = records.sequences, len(records.universe)
        common = _common(_marked(name), records, len(raw), mean_length=float(raw.lengths.mean()), longest=int(raw.lengths.max()))
        methods = {
            "prefix-tree": PrefixTree(height=4),
            "ngram": NGram(max_length=20),
            "raked": Raked(),
            "ffs": FrequentStrings(length=3),
        }

        def measure(given: SequenceRecords, released: Published, labels: int = labels) -> dict[str, float]:
            lists, made = given.sequences, released.sequences
            (queries,) = location_sets(QueryWorkload(longest=3, subsets=1, queries_each=2000), symbols=labels)
            answers = [count_location_sets(side, queries, symbols=labels) for side in (lists, made)]
            error = float(relative_errors(*answers, sanity_bound=0.001 * len(lists)).mean())
            return {
                "symbols_kept": made.codes.size / lists.codes.size,
                "mean_length": made.codes.size / max(1, len(made)),
                "records_ratio": len(made) / len(lists),
                "query_error": error,
            }

        for epsilon in EPSILONS:
            for title, method in methods.items():
                yield {**common, "name": title, "method": method, "budget": PureDP(epsilon), "measure": measure}


def timed(_: Path, only: str) -> Iterator[Fields]:
    """Routes, a transit agency, check-ins and journeys with hours; both methods that take times."""
    for name, make in TIMED.items():
        if only not in name:
            continue
        whole = make()
        records = every(whole, -(-len(whole.sequences) // MOST))
        raw, labels = records.sequences, len(records.universe)
        longest = min(int(raw.lengths.max()), 20)
        mean = float(raw.lengths.mean())
        common = _common(name + "*" * (name in CHOSEN_ON), records, len(raw), mean_length=mean, longest=int(raw.lengths.max()))

        def measure(given: SequenceRecords, released: Published, labels: int = labels) -> dict[str, float]:
            sides = given.sequences, released.sequences
            (queries,) = location_sets(QueryWorkload(longest=3, subsets=1, queries_each=2000), symbols=labels)
            untimed = [Ragged(side.codes % labels, side.offsets) for side in sides]
            answers = [count_location_sets(side, queries, symbols=labels) for side in untimed]
            return {
                "symbols_kept": sides[1].codes.size / sides[0].codes.size,
                "records_ratio": len(sides[1]) / len(sides[0]),
                "query_error": float(relative_errors(*answers, sanity_bound=0.001 * len(sides[0])).mean()),
                "cells": total_variation(sides[0].codes, sides[1].codes),
            }

        methods = {"raked": Raked(max_length=longest), "prefix-tree": PrefixTree(height=longest)}
        for epsilon in EPSILONS:
            for title, method in methods.items():
                yield {**common, "name": title, "method": method, "budget": PureDP(epsilon), "measure": measure}


def networks(_: Path, only: str) -> Iterator[Fields]:
    """Real graphs and simulated ones of several families; methods that look at every pair on small ones of other shapes."""
    methods = {
        "shape": ShapeNetwork(),
        "degree": DegreeNetwork(),
        "random": RandomNetwork(),
        "tmf": TopFilter(),
        "dgg": DegreeGenerator(),
        "der": DenseRegions(),
        "laplace": LaplaceNetwork(),
    }
    for name in (*FAMILIES, *FILES, *SHAPES):
        if only not in name or name == "dense":  # more than a quarter of all pairs, which no forecast knows
            continue
        records = network(name) if name in FILES else simulated(name)

        def measure(given: Records, released: Published) -> dict[str, float]:
            raw, made = given.graph, released.graph
            triangles = raw.triangles()
            (cuts,) = measure_cuts(raw, made, CUTS)
            return {
                "cut_error": cuts.average_relative_error,
                "degree_divergence": degree_divergence(raw.degrees, made.degrees),
                "triangles": abs(made.triangles() - triangles) / max(triangles, 1),
            }

        common = _common(_marked(name), records, len(records.graph))
        for title, method in methods.items():
            if records.graph.vertices <= 3000 if title in {"der", "laplace"} else name not in SHAPES:
                yield {**common, "name": title, "method": method, "budget": PureDP(1), "measure": measure}


def streams(_: Path, only: str) -> Iterator[Fields]:
    """Taxis, people, check-ins and a city; all methods."""
    for name, make in STREAMS.items():
        if only not in name:
            continue
        world = make()
        if world.starts is None or world.users is None or world.cells is None:
            continue
        steps, cells = min(world.truth.shape[0], 300), world.truth.shape[1]
        events = int(world.starts[steps])
        records = StreamRecords(
            starts=world.starts[: steps + 1].copy(),
            users=world.users[:events].copy(),
            places=world.cells[:events].copy(),
            cells=Universe(map(str, range(cells))),
            grid=TimeGrid(start=0, interval=1, intervals=steps),
        )

        def measure(given: StreamRecords, released: Published) -> dict[str, float]:
            found = measure_stream(given, released)
            share = found.mean_absolute_error / max(found.absolute_error_of_zero, 1e-9)
            return {"share_of_zeros": share, "relative_error": found.mean_relative_error}

        common = _common(name, records, events)
        methods = {
            "pace": Pace,
            "uniform": Uniform,
            "sample": Sample,
            "republish": Republish,
            "tree": BinaryTree,
            "absorption": BudgetAbsorption,
        }
        for contexts in (10, 40):
            for title, method in methods.items():
                yield {**common, "name": title, "method": method(contexts=contexts), "budget": PureDP(1), "measure": measure}


SYNTHETIC = {"marginals": Marginals(), "independent": Independent()}


def tables(_: Path, only: str) -> Iterator[Fields]:
    """Simulated censuses and other tables, whose columns depend on each other in ways that lookalikes do not know."""
    methods = {
        "mondrian": Mondrian(models="k=10"),
        "full-domain": FullDomain(models="k=10"),
        "cell-suppression": CellSuppression(models="k=10"),
        "bucketize": Bucketize(),
        "top-down": TopDown(),
    }
    for people, columns in ((3_000, 8), (12_000, 8), (12_000, 5), (30_162, 4)):
        name = f"census of {people:,} with {columns} columns"
        if only not in name:
            continue
        world = CensusWorld.adult(people=people, seed=10)
        whole = TableRecords.from_frame(world.frame, schema=declared(world.declaration()), name="census")
        part = columns - len(whole.schema.hidden)
        records = replace(whole, schema=replace(whole.schema, quasi=whole.schema.quasi[:part]), quasi=whole.quasi[:part])

        def measure(given: TableRecords, released: Published) -> dict[str, float]:
            found = table_report(given, released, queries=TableQueries(queries=500))
            return {"relative_error": found.relative_error, "absolute_error": found.absolute_error}

        common = _common(f"{name}{'*' if people == 3_000 else ''}", records, len(records))
        for title, method in methods.items():
            if title != "top-down":
                yield {**common, "name": title, "method": method, "measure": measure}
        for epsilon in EPSILONS:
            for title in ("top-down", *SYNTHETIC):
                method = methods[title] if title in methods else SYNTHETIC[title]
                yield {**common, "name": title, "method": method, "budget": PureDP(epsilon), "measure": measure}
    yield from _worlds_of_tables(only)


def _worlds_of_tables(only: str) -> Iterator[Fields]:
    """The simulated tables that publishers of tables are judged on, by the methods that make synthetic rows."""

    def measure(given: TableRecords, released: Published) -> dict[str, float]:
        found = table_report(given, released, queries=TableQueries(queries=500))
        return {"relative_error": found.relative_error, "absolute_error": found.absolute_error}

    for title in ("judging", "new"):
        for shape, make in WORLDS[title].items():
            if only not in f"{title} {shape}":
                continue
            records = make().records
            common = _common(f"{title} {shape}", records, len(records))
            for epsilon in EPSILONS:
                for own, method in SYNTHETIC.items():
                    yield {**common, "name": own, "method": method, "budget": PureDP(epsilon), "measure": measure}


def trajectories(_: Path, only: str) -> Iterator[Fields]:
    """Made-up cities and a transit agency, and check-ins in New York."""
    from trajectories import foursquare_days, oyster  # noqa: PLC0415 - needs real data

    def made(world: CityWorld | FareWorld) -> TrajectoryRecords:
        _, lists = simulated_trajectories(world)
        grid = TimeGrid(start=0, interval=1, intervals=-(-(int(lists.codes.max()) + 1) // len(world.universe)))
        return TrajectoryRecords(trajectories=lists, universe=world.universe, grid=grid)

    worlds: dict[str, Callable[[], TrajectoryRecords]] = {
        "City80K, a quarter": lambda: made(CityWorld.city80k(people=20_000)),
        "city that stays, 20,000": lambda: made(CityWorld(people=20_000, blocks=60, hours=12, mean_length=4, stay=0.8, seed=3)),
        "STM460K, a tenth": lambda: made(FareWorld.stm460k(passengers=46_000)),
        "Oyster": oyster,
        "Foursquare by 5 km and 12 hours": lambda: foursquare_days(side_km=5, hours=12),
    }
    for name, make in worlds.items():
        if only not in name:
            continue
        records = make()
        lists = records.trajectories
        common = _common(name, records, len(lists), mean_length=float(lists.lengths.mean()))

        def measure(given: TrajectoryRecords, released: Published) -> dict[str, float]:
            found = trajectory_report(given, released)
            return {
                "instances_kept": 1 - found.instance_loss,
                "instance_loss": found.instance_loss,
                "frequent_loss": found.frequent_loss,
            }

        for crowd, known in ((10, 2), (30, 2), (10, 1)):
            method = Suppression(crowd=crowd, known_pairs=known)
            yield {**common, "name": "suppression", "method": method, "measure": measure}


def personal(_: Path, only: str) -> Iterator[Fields]:
    """Single people of MSNBC, Foursquare and GeoLife, and simulated phones; up to 1,500 places of each."""
    for name in ("msnbc", "phones", "foursquare", "geolife"):
        if only not in name:
            continue
        for number, person in enumerate(people_of(name)[:4]):
            row = person.sequence[:1500].astype(np.int32)
            universe = person.taxonomy.universe
            records = PersonalRecords(sequences=Ragged(row, np.array([0, row.size])), universe=universe)
            patterns, counts = frequent_patterns(row.astype(np.int64), length=2, window=10, least=10)
            if len(patterns) < 2:
                continue
            order = np.argsort(-counts, kind="stable")[[len(counts) // 4, len(counts) // 2]]
            words = PatternList(tuple(tuple(universe.labels[code] for code in patterns[place]) for place in order.tolist()))

            def measure(given: PersonalRecords, released: Published) -> dict[str, float]:
                found = personal_report(given, released)
                return {"loss": found.losses[str(CostKind.LINEAR)], "shown": found.shown_as_they_are}

            common = _common(f"{name} {number + 1}", records, 1, mean_length=float(row.size))
            hiding = PatternHiding(bound=BeliefBound(limit="0.3"), patterns=words, taxonomy=person.taxonomy)
            online = OnlineHiding(belief="0.3", patterns=words, taxonomy=person.taxonomy)
            for title, method in (("pattern-hiding", hiding), ("online-hiding", online)):
                refused = {"loss": 1.0, "shown": 0.0}
                yield {**common, "name": title, "method": method, "measure": measure, "refused": refused}


def _common(name: str, records: Records, number: int, **facts: float) -> dict[str, Any]:
    public: PublicInputs = records.public
    return {"collection": name, "records": records, "public": public, "number": number, "facts": facts}


def _marked(name: str) -> str:
    """With a star, if constants of the method or of its forecast were chosen on it."""
    return name.replace(" choosing", "*") + "*" * (name in WIDENED_BY)


def _thinned(lists: Ragged) -> Ragged:
    return chosen(lists, np.arange(0, len(lists), -(-len(lists) // MOST)))


CASES: dict[str, Callable[[Path, str], Iterator[Fields]]] = {
    "sets": sets,
    "sequences": sequences,
    "times": timed,
    "networks": networks,
    "streams": streams,
    "tables": tables,
    "trajectories": trajectories,
    "personal": personal,
}
