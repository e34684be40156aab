"""Loss and run time of suppression: chapter 5 of the thesis.

*KCL-Local* and *KCL-Global* are the greedy of the thesis, with a sound check in place of its own; *Trad-Local* and *Trad-
Global* the same where an adversary may know everything, which is k-anonymity (or confidence bounding); *packing* is the
product's method. An adversary who knows everything makes sets of any size count, so this runs on a few thousand people only.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

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
WORLDS: dict[str, Callable[[Scale], CityWorld | FareWorld]] = {
    "City80K": lambda scale: CityWorld.city80k(people=scale.records(80_000, least=8_000)),
    "City80K, 4,000 people": lambda scale: CityWorld.city80k(people=2_000 if scale.quick else 4_000),
    "STM460K": lambda scale: FareWorld.stm460k(passengers=scale.records(462_483)),
    "STM460K, 100,000 people": lambda scale: FareWorld.stm460k(passengers=scale.records(100_000)),
}


def _losses(data: str, scale: Scale, series: str, *, crowd: int, confidence: str) -> tuple[PairColumns, Booleans]:
    known = None if series.startswith("Trad") else 3
    if data == REAL:
        columns, requirement = journeys(scale), Requirement(crowd=crowd, known_pairs=known)
    else:
        made, lists = simulated(WORLDS[data](scale))
        requirement = asked(made, crowd=crowd, known=known, confidence=confidence)
        columns = columns_of(made, lists, requirement)
    return columns, WAYS[series.replace("Trad", "KCL")](columns, requirement)


def loss_by_crowd(scale: Scale, /, *, cases: dict[str, Sequence[str]], crowds: Sequence[str]) -> Iterator[Row]:
    """The loss of instances and of maximal frequent sequences at L = 3 and C = 60 % against K, for each data set its series."""
    for data, series in _at_hand(cases, scale):
        for crowd in scale.few(crowds):
            for label in series:
                columns, keep = _losses(data, scale, label, crowd=int(crowd), confidence="3/5")
                yield Row(data=data, series=label, x=crowd, value=instance_loss(keep), panel="instances")
                yield Row(data=data, series=label, x=crowd, value=_frequent(columns, keep, scale), panel="frequent sequences")


def _at_hand(cases: dict[str, Sequence[str]], scale: Scale) -> Iterator[tuple[str, Sequence[str]]]:
    """The cases without real data that are not there."""
    for data, series in cases.items():
        try:
            _ = journeys(scale) if data == REAL else None
        except MissingDataError:
            continue
        yield data, series


def _frequent(columns: PairColumns, keep: Booleans, scale: Scale, support: int = SUPPORT) -> float:
    return frequent_loss(columns, keep, support=max(2, support // 10) if scale.quick else support)


def loss_by_confidence(scale: Scale, /, *, cases: dict[str, Sequence[str]], confidences: Sequence[str]) -> Iterator[Row]:
    """The loss of instances at L = 3 and K = 30 against C in percent."""
    for data, series in cases.items():
        for percent in scale.few(confidences):
            for label in series:
                _, keep = _losses(data, scale, label, crowd=30, confidence=f"{percent}/100")
                yield Row(data=data, series=label, x=percent, value=instance_loss(keep), panel="instances")


def loss_by_support(scale: Scale, /, *, cases: dict[str, Sequence[str]], supports: Sequence[str]) -> Iterator[Row]:
    """The loss of maximal frequent sequences at L = 3, K = 30 and C = 60 % against their support K'."""
    for data, series in cases.items():
        for label in series:
            columns, keep = _losses(data, scale, label, crowd=30, confidence="3/5")
            for support in supports:
                value = _frequent(columns, keep, scale, int(support))
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
            yield Row(data="City, 4,008 dimensions", series=label, x=number, value=seconds)


def seconds_by_dimensions(scale: Scale, /, *, blocks: Sequence[str], records: int) -> Iterator[Row]:
    """The same against the number of dimensions."""
    for number in scale.few(blocks):
        world = CityWorld(people=scale.records(records), blocks=int(number))
        for label, seconds in _seconds(world).items():
            yield Row(data="City, 1,000,000 people", series=label, x=str(int(number) * world.hours), value=seconds)
