"""Coarser places and intervals before anything is suppressed, and a table of what each grain keeps.

A coarser pair is shared by more persons, so less of it is suppressed; but it says less. The table has both: the share of the
original instances whose coarser pair is kept, and the information kept, where an instance of which only a group of m out of all
n pairs is still known counts 1 - log m / log n. The figures come from raw data: they are for the owner, who chooses a grain and
should choose it for all releases of such data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import log

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, distinct
from tacita.errors import ParameterError
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.privacy.publishing import require_records_of
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of, whole_number
from tacita.public.taxonomy import Taxonomy, require_taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.trajectories.packing import pack
from tacita.trajectories.places import PLACES, PlaceGroups
from tacita.trajectories.records import TrajectoryRecords
from tacita.trajectories.requirement import Requirement

__all__ = ["Grain", "at_grain", "codes_at_grain", "generalized", "in_groups", "lattice"]


@dataclass(frozen=True, kw_only=True)
class Grain:
    """How coarse places and times are.

    Places are replaced by their ancestors that many steps below the root of a taxonomy (None: they stay), and that many intervals
    become one.
    """

    place_depth: int | None = None
    intervals: int = 1

    def __post_init__(self) -> None:
        """Check the numbers."""
        whole_number(self.intervals, name="intervals", least=1)
        if self.place_depth is not None:
            whole_number(self.place_depth, name="place_depth", least=0)


def generalized(records: TrajectoryRecords, grain: Grain, *, taxonomy: Taxonomy | None = None) -> TrajectoryRecords:
    """The same records at a coarser grain.

    >>> day = TimeGrid(start=0, interval=1, intervals=24)
    >>> walk = TrajectoryRecords.from_pairs([[("a", 1), ("b", 3)]], universe=Universe(["a", "b"]), grid=day)
    >>> coarse = generalized(walk, Grain(intervals=4))
    >>> coarse.trajectories.to_lists(), coarse.grid.intervals
    ([[0, 1]], 6)
    """
    codes, universe, grid = _coarser(records, grain, taxonomy)
    places = records.places
    if grain.place_depth is not None:
        groups, _ = _places(records.universe, grain.place_depth, taxonomy)
        places = PlaceGroups(fine=records.universe, coarse=universe, groups=groups).after(places)
    coarse = _recoded(records, codes, universe, grid)
    return replace(coarse, places=places, read_rules=(*records.read_rules, *_rule(grain)))


def in_groups(records: TrajectoryRecords, places: PlaceGroups) -> TrajectoryRecords:
    """Records of fine places at the coarser places of a release."""
    if records.universe != places.fine:
        message = "the places of the records must be those that the coarser ones are groups of"
        raise ParameterError(message)
    intervals = np.repeat(np.arange(records.grid.intervals), len(places.fine))
    codes = intervals * len(places.coarse) + np.tile(places.groups, records.grid.intervals)
    return replace(_recoded(records, codes, places.coarse, records.grid), places=places.after(records.places))


def codes_at_grain(records: TrajectoryRecords, public: PublicInputs) -> Integers:
    """For each pair of the records, its code in a release with these public inputs, whose grain may be coarser."""
    places, grid, universe = public.others.get(PLACES), public.grid, public.required_universe()
    grouped = isinstance(places, PlaceGroups) and records.universe == places.fine
    if grid is None or not grid.is_coarser_than(records.grid) or not (grouped or records.universe == universe):
        message = "the places and times of a release must be those of the private records, or groups of them"
        raise ParameterError(message)
    group = places.groups if isinstance(places, PlaceGroups) and grouped else np.arange(len(universe))
    interval = np.arange(records.grid.intervals) // (grid.ticks_interval // records.grid.ticks_interval)
    return np.repeat(interval, len(records.universe)) * len(universe) + np.tile(group, records.grid.intervals)


def at_grain(records: TrajectoryRecords, public: PublicInputs) -> TrajectoryRecords:
    """The records as they would look at the grain of a release with these public inputs."""
    codes, grid = codes_at_grain(records, public), public.grid
    return records if grid is None else _recoded(records, codes, public.required_universe(), grid)


def _recoded(records: TrajectoryRecords, codes: Integers, universe: Universe, grid: TimeGrid) -> TrajectoryRecords:
    """The same records with another code for each pair; quasi-identifiers stay behind them."""
    pairs = len(universe) * grid.intervals
    table = np.concatenate([codes, np.arange(len(records.quasi)) + pairs])
    lists = Ragged(table[records.trajectories.codes].astype(np.int32), records.trajectories.offsets)
    return replace(records, trajectories=distinct(lists, symbols=pairs + len(records.quasi)), universe=universe, grid=grid)


def lattice(
    records: TrajectoryRecords,
    requirement: Requirement,
    *,
    intervals: Sequence[int] = (1, 2, 4, 8),
    taxonomy: Taxonomy | None = None,
) -> pl.DataFrame:
    """What packing keeps at each grain, one row per depth of the taxonomy and number of intervals joined. For the owner only."""
    require_records_of(records, TrajectoryRecords, method="lattice")
    instance_of(requirement, Requirement, name="a requirement")
    instance_of(intervals, Sequence, name="the numbers of intervals")
    require_taxonomy(taxonomy)
    depths: list[int | None] = [None] if taxonomy is None else [None, *range(taxonomy.height - 1, 0, -1)]
    rows = []
    for depth, joined in product(depths, intervals):
        grain = Grain(place_depth=depth, intervals=joined)
        kept, information = _kept(records, grain, requirement, taxonomy)
        rows.append({"place depth": depth, "intervals joined": joined, "instances kept": kept, "information kept": information})
    return pl.DataFrame(
        rows,
        schema={"place depth": pl.Int64, "intervals joined": pl.Int64}
        | dict.fromkeys(("instances kept", "information kept"), pl.Float64),
    )


@dataclass(frozen=True, kw_only=True)
class LatticeTable:
    """What each grain keeps. For the owner's eyes only."""

    table: pl.DataFrame

    def __str__(self) -> str:
        """One line per grain."""
        lines = [f"{'places':>20} {'intervals joined':>17} {'instances kept':>15} {'information kept':>17}"]
        for depth, joined, kept, information in self.table.iter_rows():
            places = "as they are" if depth is None else f"{depth} below the root"
            lines.append(f"{places:>20} {joined:>17} {kept:>15.3f} {information:>17.3f}")
        return "\n".join((OWNER_ONLY, "", *lines))

    def as_json(self) -> dict[str, object]:
        """The table for scripts, with the same warning."""
        names = ("place_depth", "join_intervals", "instances_kept", "information_kept")
        return {"warning": OWNER_ONLY, "grains": [dict(zip(names, row, strict=True)) for row in self.table.iter_rows()]}


def lattice_for_kind(
    records: TrajectoryRecords, requirement: Requirement, *, taxonomy: Taxonomy | None, intervals: Sequence[int] | None
) -> LatticeTable:
    """The lattice as `tacita lattice` asks for it."""
    joined = (1, 2, 4, 8) if intervals is None else intervals
    most = records.grid.intervals
    return LatticeTable(
        table=lattice(records, requirement, intervals=[each for each in joined if each <= most], taxonomy=taxonomy)
    )


def _kept(records: TrajectoryRecords, grain: Grain, requirement: Requirement, taxonomy: Taxonomy | None) -> tuple[float, float]:
    """The share of original instances whose coarser pair is kept, and their information."""
    codes, _, _ = _coarser(records, grain, taxonomy)
    coarse = generalized(records, grain, taxonomy=taxonomy)
    columns = coarse.pair_columns(requirement)
    kept = pack(columns, requirement)
    published = columns.where(kept)
    span = int(columns.codes.max(initial=0)) + 1
    there = np.sort(published.records.astype(np.int64) * span + columns.codes[published.pairs])
    original = records.trajectories
    mine = original.codes < records.pairs
    owner = np.repeat(np.arange(len(original), dtype=np.int64), original.lengths)[mine]
    wanted = owner * span + codes[original.codes[mine]]
    at = np.minimum(np.searchsorted(there, wanted), max(there.size - 1, 0))
    stays = there[at] == wanted if there.size else np.zeros(wanted.size, dtype=np.bool_)
    groups = np.bincount(codes)
    worth = 1 - np.log(groups[codes[original.codes[mine]]]) / log(max(records.pairs, 2))
    return float(stays.mean()), float(np.where(stays, worth, 0.0).mean())


def _coarser(records: TrajectoryRecords, grain: Grain, taxonomy: Taxonomy | None) -> tuple[Integers, Universe, TimeGrid]:
    """The coarser code of each pair, and the coarser universe and grid."""
    places, universe = _places(records.universe, grain.place_depth, taxonomy)
    grid = records.grid
    if grain.intervals > 1:
        number = -(-grid.intervals // grain.intervals)
        grid = TimeGrid(start=grid.start, interval=grid.interval * grain.intervals, intervals=number)
    interval = np.repeat(np.arange(records.grid.intervals) // grain.intervals, len(records.universe))
    return interval * len(universe) + np.tile(places, records.grid.intervals), universe, grid


def _places(universe: Universe, depth: int | None, taxonomy: Taxonomy | None) -> tuple[Integers, Universe]:
    if depth is None:
        return np.arange(len(universe)), universe
    if taxonomy is None or taxonomy.universe != universe:
        message = "coarser places need a taxonomy over the universe of the records; give one"
        raise ParameterError(message)
    nodes = [_ancestor(taxonomy, place, depth) for place in range(len(universe))]
    found = sorted(set(nodes))
    number = {node: place for place, node in enumerate(found)}
    names = [taxonomy.name(node) for node in found]
    return np.array([number[node] for node in nodes], dtype=np.int64), Universe(names, origin=universe.origin)


def _ancestor(taxonomy: Taxonomy, node: int, depth: int) -> int:
    for _ in range(max(0, taxonomy.depth(node) - depth)):
        node = taxonomy.parents[node]
    return node


def _rule(grain: Grain) -> tuple[str, ...]:
    rules = []
    if grain.place_depth is not None:
        rules.append(f"places were replaced by their groups {grain.place_depth} steps below the root of the taxonomy")
    if grain.intervals > 1:
        rules.append(f"every {grain.intervals} intervals of the grid were joined into one")
    return tuple(rules)
