"""What a release with times keeps of places and hours, beside two baselines of thirty lines and the prefix tree.

    TACITA_DATA=folder python benchmarks/times.py [--runs 3] [--data NAME ...] [--epsilon 0.1 0.5 1] [--method NAME ...]

Prints a Markdown table. All distances are total variations of shares: of cells (a place and an interval) over all visits, of
hours, of places, of first visits (place and interval together), and of gaps between successive visits in intervals.

- *marginals*: 10 % of epsilon for lengths, 45 % each for places and hours, in sequences cut at the noisy mean length. Places and
  hours are drawn independently; the hours of a sequence are sorted.
- *groups*: the same, but hours are asked for each of eight groups of places: neighbours in the order of the universe.
- *chain*: 10 % for lengths, 60 % for what follows what (and what begins), 30 % for hours, which are drawn independently.

These draw their noise in floats and are not private. Constants were chosen on the data named in `CHOSEN_ON`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import polars as pl

from movements import cells as grid_cells
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, Raked, SequenceRecords
from tacita.simulate import TransitWorld
from tacita_papers.reproduce.data.files import data_file
from tacita_papers.reproduce.data.movements import MOVEMENTS

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

HOUR, WEEK_HOURS, GROUPS, LONGEST = 3600, 168, 8, 20
CHOSEN_ON = ("routes 744 x 173, 100,000", "routes 100 x 48, 30,000", "agency 60 x 168", "Foursquare weeks")


def routes(places: int, intervals: int, people: int, *, kinds: int, mixed: float, seed: int) -> SequenceRecords:
    """One event a person: places of a few kinds, each with its hours of the day, and a share of events at any usual hour."""
    generator = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, places + 1) ** generator.uniform(0.7, 1.1)
    place = generator.permutation(places)[np.searchsorted(np.cumsum(popularity / popularity.sum()), generator.random(people))]
    hours = np.arange(intervals) % 24
    profiles = []
    for _ in range(kinds):
        peaks = generator.uniform(6, 22, 2)
        curve = sum(np.exp(-(np.minimum(abs(hours - peak), 24 - abs(hours - peak)) ** 2) / 8) for peak in peaks) + 0.03
        days = generator.uniform(0.5, 1.5, intervals // 24 + 1)[np.arange(intervals) // 24]
        profiles.append(curve * days / (curve * days).sum())
    usual = np.mean(profiles, axis=0)
    reached = np.cumsum(mixed * usual + (1 - mixed) * np.array(profiles), axis=1)
    kind = generator.integers(0, kinds, places)[place]
    draws = generator.random(people)
    when = np.zeros(people, dtype=np.int64)
    for which in range(kinds):
        mine = kind == which
        when[mine] = np.minimum(np.searchsorted(reached[which], draws[mine]), intervals - 1)
    lists = Ragged((when * places + place).astype(np.int32), np.arange(people + 1, dtype=np.int64))
    return SequenceRecords(
        sequences=lists,
        universe=Universe([f"p{number:04d}" for number in range(places)]),
        grid=TimeGrid(start=0, interval=HOUR, intervals=intervals),
    )


def agency(world: TransitWorld) -> SequenceRecords:
    """Taps of a simulated agency by the hour of the week."""
    lists, grid = world.sequences(), TimeGrid(start=0, interval=HOUR, intervals=24 * world.days)
    codes = grid.places(world.times()) * len(world.universe) + lists.codes
    return SequenceRecords(sequences=Ragged(codes.astype(np.int32), lists.offsets), universe=world.universe, grid=grid)


def foursquare(days: int) -> SequenceRecords:
    """Check-ins of a person within this number of days, by their hour."""
    places = pl.read_csv(data_file("foursquare_nyc", "nyc_pois.csv.gz"))
    frame = pl.read_csv(data_file("foursquare_nyc", "nyc_checkins.csv.gz")).join(
        places, on="poi", how="inner", maintain_order="left"
    )
    frame = frame.with_columns(time=pl.col("minute") // (days * 24 * 60)).sort("user", "minute", maintain_order=True)
    box = (-74.05, -73.85, 40.65, 40.85)
    frame = frame.filter(pl.col("lon").is_between(*box[:2], closed="left") & pl.col("lat").is_between(*box[2:], closed="left"))
    untimed = grid_cells(frame, box, ["user", "time"], entered=False)
    hours = frame["minute"].to_numpy() // 60 % (days * 24)
    codes = hours * len(untimed.universe) + untimed.sequences.codes
    grid = TimeGrid(start=0, interval=HOUR, intervals=days * 24)
    lists = Ragged(codes.astype(np.int32), untimed.sequences.offsets)
    return SequenceRecords(sequences=lists, universe=untimed.universe, grid=grid)


DATA: dict[str, Callable[[], SequenceRecords]] = {
    "routes 744 x 173, 100,000": lambda: routes(744, 173, 100_000, kinds=4, mixed=0.5, seed=1),
    "routes 100 x 48, 30,000": lambda: routes(100, 48, 30_000, kinds=3, mixed=0.3, seed=2),
    "agency 60 x 168": lambda: agency(TransitWorld(passengers=100_000, stations=60, lines=4, mean_length=4.2, max_length=40)),
    "Foursquare weeks": lambda: foursquare(7),
    "routes 744 x 173, 200,000": lambda: routes(744, 173, 200_000, kinds=6, mixed=0.7, seed=11),
    "routes 744 x 173, 1,000,000": lambda: routes(744, 173, 1_000_000, kinds=5, mixed=0.4, seed=12),
    "routes 300 x 24, 50,000": lambda: routes(300, 24, 50_000, kinds=2, mixed=0.2, seed=13),
    "Metro 68 x 168": lambda: agency(TransitWorld.metro(passengers=100_000, seed=3)),
    "Oyster 445 x 26": lambda: MOVEMENTS["Oyster with hours"]().records,
    "Foursquare days": lambda: foursquare(1),
}


class Judge:
    """The columns of the table for one data set."""

    def __init__(self, raw: Ragged, places: int, intervals: int) -> None:
        """Count the raw side."""
        self.places, self.intervals, self.number = places, intervals, len(raw)
        self.raw = self.tables(raw)

    def tables(self, lists: Ragged) -> Mapping[str, Integers]:
        """Histograms of one side."""
        codes = lists.codes.astype(np.int64)
        hours, size = codes // self.places, self.places * self.intervals
        begins = lists.offsets[:-1][lists.lengths > 0]
        inside = np.ones(codes.size, dtype=np.bool_)
        inside[begins] = False
        gaps = np.diff(hours, prepend=0)[inside]
        return {
            "cells": np.bincount(codes, minlength=size),
            "hours": np.bincount(hours, minlength=self.intervals),
            "places": np.bincount(codes % self.places, minlength=self.places),
            "first": np.bincount(codes[begins], minlength=size),
            "gaps": np.bincount(np.maximum(gaps, 0), minlength=self.intervals),
            "lengths": np.bincount(np.minimum(lists.lengths, LONGEST), minlength=LONGEST + 1),
        }

    def measure(self, lists: Ragged) -> list[float]:
        """Distances and, last, the number of records over the true one."""
        found = self.tables(lists)
        return [_distance(self.raw[name], found[name]) for name in self.raw] + [len(lists) / self.number]


def _distance(mine: Integers, other: Integers) -> float:
    """The total variation distance of two histograms; 1 if one side is empty."""
    if not mine.sum() or not other.sum():
        return float(bool(mine.sum()) != bool(other.sum()))
    return float(abs(mine / max(mine.sum(), 1) - other / max(other.sum(), 1)).sum() / 2)


def noisy(counts: npt.NDArray[np.integer], scale: float, generator: np.random.Generator) -> Reals:
    """Counts with noise, none below 0."""
    return np.maximum(counts + generator.laplace(0, scale, counts.shape), 0) + 1e-9


def drawn(weights: Reals, size: int, generator: np.random.Generator) -> Integers:
    """So many cells, as likely as they weigh."""
    return np.searchsorted(np.cumsum(weights) / weights.sum(), generator.random(size)).astype(np.int64)


def _noisy_lengths(raw: Ragged, most: int, epsilon: float, generator: np.random.Generator) -> tuple[Integers, Integers, int]:
    """Released lengths, the rows that are counted, and the cap that they were cut at."""
    counts = noisy(np.bincount(np.minimum(raw.lengths, most), minlength=most + 1)[1:], 10 / epsilon, generator)
    number = round(float(counts.sum()))
    cap = max(1, round(float(counts @ np.arange(1, most + 1)) / max(number, 1)))
    inside = np.arange(raw.codes.size) - np.repeat(raw.offsets[:-1], raw.lengths) < cap
    return drawn(counts, number, generator) + 1, np.flatnonzero(inside), cap


def _written(places: Integers, hours: Integers, lengths: Integers, size: int) -> Ragged:
    """Sequences with the hours of each in order."""
    who = np.repeat(np.arange(lengths.size), lengths)
    return Ragged(hours[np.lexsort((hours, who))] * size + places, offsets_of(lengths))


def marginals(records: SequenceRecords, epsilon: float, most: int, generator: np.random.Generator, groups: int = 1) -> Ragged:
    """Places, and hours (of groups of places), one by one."""
    size, intervals = len(records.universe), records.grid.intervals
    lengths, inside, cap = _noisy_lengths(records.sequences, most, epsilon, generator)
    codes = records.sequences.codes[inside].astype(np.int64)
    group_of, scale = np.arange(size) * groups // size, cap / (0.45 * epsilon)
    places = drawn(noisy(np.bincount(codes % size, minlength=size), scale, generator), int(lengths.sum()), generator)
    cells = np.bincount(group_of[codes % size] * intervals + codes // size, minlength=groups * intervals)
    table = noisy(cells, scale, generator).reshape(groups, -1)
    hours = np.zeros_like(places)
    for group in range(groups):
        mine = np.flatnonzero(group_of[places] == group)
        hours[mine] = drawn(table[group], mine.size, generator)
    return _written(places, hours, lengths, size)


def chain(records: SequenceRecords, epsilon: float, most: int, generator: np.random.Generator) -> Ragged:
    """What follows what, and hours."""
    size, intervals, raw = len(records.universe), records.grid.intervals, records.sequences
    lengths, inside, cap = _noisy_lengths(raw, most, epsilon, generator)
    codes = raw.codes.astype(np.int64) % size
    before = np.concatenate([[size], codes[:-1]])
    before[raw.offsets[:-1][raw.lengths > 0]] = size
    pairs = np.bincount((before * size + codes)[inside], minlength=(size + 1) * size)
    table = noisy(pairs, cap / (0.6 * epsilon), generator).reshape(size + 1, size)
    reached = np.cumsum(table, axis=1) / table.sum(axis=1, keepdims=True)
    places, starts = np.zeros(int(lengths.sum()), dtype=np.int64), offsets_of(lengths)[:-1]
    now = np.full(lengths.size, size)
    for step in range(int(lengths.max(initial=0))):
        going = np.flatnonzero(lengths > step)
        order = going[np.argsort(now[going], kind="stable")]
        for state, members in zip(*_grouped(now[order], order), strict=True):
            now[members] = np.minimum(np.searchsorted(reached[state], generator.random(members.size)), size - 1)
        places[starts[going] + step] = now[going]
    hour_counts = np.bincount(raw.codes[inside] // size, minlength=intervals)
    hours = drawn(noisy(hour_counts, cap / (0.3 * epsilon), generator), places.size, generator)
    return _written(places, hours, lengths, size)


def _grouped(keys: Integers, members: Integers) -> tuple[list[int], list[Integers]]:
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[begins].tolist(), np.split(members, begins[1:])


def raked(records: SequenceRecords, epsilon: float, most: int, _: np.random.Generator) -> Ragged:
    """Ours."""
    return _published(Raked(max_length=most), records, epsilon)


def tree(records: SequenceRecords, epsilon: float, most: int, _: np.random.Generator) -> Ragged:
    """A hybrid prefix tree, which was chosen for times before."""
    return _published(PrefixTree(height=min(most, 12), granularity="hybrid"), records, epsilon)


def _published(method: Raked | PrefixTree, records: SequenceRecords, epsilon: float) -> Ragged:
    return method.publish(records, budget=PureDP(str(epsilon)), ledger=Ledger()).data.sequences


METHODS = {
    "marginals": marginals,
    "groups": lambda *given: marginals(*given, groups=GROUPS),
    "chain": chain,
    "prefix tree": tree,
    "raked": raked,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--data", nargs="*", default=list(DATA))
    parser.add_argument("--epsilon", nargs="*", type=float, default=[0.1, 0.5, 1.0])
    parser.add_argument("--method", nargs="*", default=list(METHODS))
    given = parser.parse_args()
    print("| data | epsilon | method | cells | hours | places | first visits | gaps | lengths | records | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in given.data:
        records = DATA[name]()
        judge = Judge(records.sequences, len(records.universe), records.grid.intervals)
        most = min(LONGEST, int(records.sequences.lengths.max()))
        for epsilon in given.epsilon:
            for method in given.method:
                if method == "chain" and most == 1:
                    continue
                begin = time.process_time()
                runs = (METHODS[method](records, epsilon, most, np.random.default_rng(run)) for run in range(given.runs))
                rows = [judge.measure(lists) for lists in runs]
                spent = (time.process_time() - begin) / given.runs
                figures = " | ".join(f"{figure:.3f}" for figure in np.mean(rows, axis=0))
                print(f"| {name} | {epsilon:g} | {method} | {figures} | {spent:.1f} |", flush=True)


if __name__ == "__main__":
    main()
