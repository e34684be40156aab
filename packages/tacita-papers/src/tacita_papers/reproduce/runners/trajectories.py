"""Loss and run time of suppression: chapter 5 of the thesis.

*KCL-Local* and *KCL-Global* are the greedy of the thesis, with a sound check in place of its own; *Trad-Local* and *Trad-
Global* the same where an adversary may know everything, which is k-anonymity (or confidence bounding); *packing* is the
product's method, which is told of the support K' where frequent sequences are counted. An adversary who knows everything makes
sets of any size count, so this runs on a few thousand people only, of several worlds. Nothing else is drawn.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tacita.arrays import Booleans
from tacita.errors import MissingDataError
from tacita.public.time_grid import TimeGrid
from tacita.simulate import CityWorld, FareWorld
from tacita.trajectories import (
    PairColumns,
    Requirement,
    Scope,
    SensitiveGroups,
    Suppression,
    TrajectoryReading,
    find_violations,
    frequent_loss,
    instance_loss,
    pack,
    read_trajectories,
    suppress_greedily,
)
from tacita.trajectories.loss import FrequentSets
from tacita_papers.reproduce.data.trajectories import asked, columns_of, journeys, simulated
from tacita_papers.reproduce.experiment import Row, Scale

__all__ = ["loss_by_confidence", "loss_by_crowd", "loss_by_support", "seconds_by_dimensions", "seconds_by_records"]

SUPPORT = 800
REAL = "Oyster"
WAYS: dict[str, Callable[[PairColumns, Requirement], Booleans]] = {
    "KCL-Local": suppress_greedily,
    "KCL-Global": lambda columns, requirement: suppress_greedily(columns, requirement, scope=Scope.GLOBAL),
    "packing": pack,
}
SMALL = "City80K, 4,000 people"
SEEDS = {SMALL: (0, 1, 2)}
WORLDS: dict[str, Callable[[Scale, int], CityWorld | FareWorld]] = {
    "City80K": lambda scale, _: CityWorld.city80k(people=scale.records(80_000, least=8_000)),
    SMALL: lambda scale, seed: CityWorld.city80k(people=2_000 if scale.quick else 4_000, seed=seed),
    "STM460K": lambda scale, _: FareWorld.stm460k(passengers=scale.records(462_483)),
    "STM460K, 100,000 people": lambda scale, _: FareWorld.stm460k(passengers=scale.records(100_000)),
}


def _columns(
    data: str, scale: Scale, series: str, *, crowd: int, confidence: str, seed: int = 0
) -> tuple[PairColumns, Requirement]:
    known = None if series.startswith("Trad") else 3
    if data == REAL:
        return journeys(scale), Requirement(crowd=crowd, known_pairs=known)
    made, lists = simulated(WORLDS[data](scale, seed))
    requirement = asked(made, crowd=crowd, known=known, confidence=confidence)
    return columns_of(made, lists, requirement), requirement


def _kept(series: str, columns: PairColumns, requirement: Requirement) -> Booleans:
    return WAYS[series.replace("Trad", "KCL")](columns, requirement)


def loss_by_crowd(scale: Scale, /, *, cases: dict[str, Sequence[str]], crowds: Sequence[str]) -> Iterator[Row]:
    """The loss of instances and of maximal frequent sequences at L = 3 and C = 60 % against K, for each data set its series."""
    for data, series in _at_hand(cases, scale):
        seeds = SEEDS.get(data, (0,))
        for crowd in scale.few(crowds):
            for label in series:
                losses = []
                for seed in seeds:
                    columns, requirement = _columns(data, scale, label, crowd=int(crowd), confidence="3/5", seed=seed)
                    keep = _kept(label, columns, requirement)
                    losses.append((instance_loss(keep), _frequent(label, columns, requirement, keep, scale)))
                for panel, values in zip(("instances", "frequent sequences"), zip(*losses, strict=True), strict=True):
                    row = Row.of(values, data=data, series=label, x=crowd, panel=panel)
                    yield row if len(seeds) > 1 else replace(row, each=())


def _at_hand(cases: dict[str, Sequence[str]], scale: Scale) -> Iterator[tuple[str, Sequence[str]]]:
    """The cases without real data that are not there."""
    for data, series in cases.items():
        try:
            _ = journeys(scale) if data == REAL else None
        except MissingDataError:
            continue
        yield data, series


def _frequent(
    series: str, columns: PairColumns, requirement: Requirement, keep: Booleans, scale: Scale, support: int = SUPPORT
) -> float:
    """The loss of frequent sequences; packing is told of them, as `Suppression` does with a `frequent_support`."""
    least = max(2, support // 10) if scale.quick else support
    if series == "packing":
        worth = np.where(FrequentSets(columns, support=least).has_pairs, 2.0, 1.0)
        keep = pack(columns, requirement, weights=worth)
    return frequent_loss(columns, keep, support=least)


def loss_by_confidence(scale: Scale, /, *, cases: dict[str, Sequence[str]], confidences: Sequence[str]) -> Iterator[Row]:
    """The loss of instances at L = 3 and K = 30 against C in percent."""
    for data, series in cases.items():
        for percent in scale.few(confidences):
            for label in series:
                keep = _kept(label, *_columns(data, scale, label, crowd=30, confidence=f"{percent}/100"))
                yield Row(data=data, series=label, x=percent, value=instance_loss(keep), panel="instances")


def loss_by_support(scale: Scale, /, *, cases: dict[str, Sequence[str]], supports: Sequence[str]) -> Iterator[Row]:
    """The loss of maximal frequent sequences at L = 3, K = 30 and C = 60 % against their support K'."""
    for data, series in cases.items():
        for label in series:
            columns, requirement = _columns(data, scale, label, crowd=30, confidence="3/5")
            keep = _kept(label, columns, requirement)
            for support in supports:
                value = _frequent(label, columns, requirement, keep, scale, int(support))
                yield Row(data=data, series=label, x=support, value=value, panel="frequent sequences")


def _seconds(world: CityWorld, *, greedy: bool = False) -> dict[str, float]:
    """Processor seconds of reading, of finding minimal violating sets, of suppression with its check, and of writing.

    The greedy of the thesis can be timed beside them, without its own search for violating sets.
    """
    found: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the work gives
        start = time.process_time()
        result = work()
        found[name] = time.process_time() - start
        return result

    with tempfile.TemporaryDirectory() as name:
        folder, tables = Path(name), world.tables()
        tables["trajectories"].write_parquet(folder / "data.parquet")
        tables["attributes"].write_parquet(folder / "attributes.parquet")
        requirement = asked(world.trajectories(), crowd=30, known=3, confidence="3/5")
        del tables
        records = timed(
            "reading",
            lambda: read_trajectories(
                folder / "data.parquet",
                universe=world.universe,
                grid=TimeGrid(start=0, interval=1, intervals=world.hours),
                options=TrajectoryReading(attributes=folder / "attributes.parquet"),
                name="city",
            ),
        )
        columns = records.pair_columns(requirement)
        timed("violating sets", lambda: find_violations(columns, requirement))
        method = Suppression(crowd=30, known_pairs=3, sensitive=SensitiveGroups(requirement.groups))
        release = timed("suppression", lambda: method.publish(records))
        timed("writing", lambda: release.write(folder / "release", file_format="parquet"))
        whole = sum(found.values())
        if greedy:
            timed("greedy", lambda: suppress_greedily(columns, requirement))
            found["greedy"] -= found["violating sets"]
    return found | {"all": whole}


def seconds_by_records(scale: Scale, /, *, records: Sequence[str], blocks: int = 167) -> Iterator[Row]:
    """The time of a publication by packing against the number of records, 4,008 dimensions."""
    for number in scale.few(records):
        world = CityWorld(people=scale.records(int(number)), blocks=blocks)
        for label, seconds in _seconds(world, greedy=True).items():
            yield Row.of([seconds], data="City, 4,008 dimensions", series=label, x=number)


def seconds_by_dimensions(scale: Scale, /, *, blocks: Sequence[str], records: int) -> Iterator[Row]:
    """The same against the number of dimensions."""
    for number in scale.few(blocks):
        world = CityWorld(people=scale.records(records), blocks=int(number))
        for label, seconds in _seconds(world).items():
            yield Row.of([seconds], data="City, 1,000,000 people", series=label, x=str(int(number) * world.hours))
