"""Figures of trajectories: losses side by side, sweeps, risk before and after, and grains. Speed is in `trajectories_speed.py`.

`python benchmarks/trajectories.py losses|long|sweeps|risk|grains` prints the tables of `docs/reference/measured-trajectories.md`.
Losses are measured on simulated worlds, long records, risk and grains on real taxis, journeys and check-ins, if `TACITA_DATA`
names their folder. Seconds are processor time of this process, with the number of minimal violating sets beside them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged, distinct, offsets_of
from tacita.attacks.trajectories import attack_trajectories
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.simulate import CityWorld, FareWorld, Trajectories
from tacita.trajectories import (
    Requirement,
    Scope,
    Suppression,
    TrajectoryRecords,
    find_violations,
    frequent_loss,
    instance_loss,
    lattice,
    least_loss,
    pack,
    suppress_greedily,
    verify,
)
from tacita.utility.trajectories import risk_picture
from tacita_papers.reproduce.data.trajectories import asked, columns_of, simulated

PICTURES = Path(__file__).parents[1] / "docs" / "reference" / "pictures"
FREQUENT = 800
Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What some work gives, and its processor time."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def one_row(name: str, made: Trajectories, lists: Ragged, requirement: Requirement, *, published: bool) -> None:
    """Losses of all ways, by instances and by maximal frequent sequences, with the processor time of each."""
    columns = columns_of(made, lists, requirement)
    violations = len(find_violations(columns, requirement))
    cells = [f"{least_loss(columns, requirement):.3f}"]
    ways: list[Callable[[], np.ndarray]] = [lambda: suppress_greedily(columns, requirement, scope=Scope.GLOBAL)]
    ways += [lambda: suppress_greedily(columns, requirement)] if published else []
    ways += [lambda: pack(columns, requirement)]
    for way in ways:
        keep, seconds = timed(way)
        flags = columns.sensitive if requirement.groups else None
        holds = verify(columns.where(keep).lists(), requirement, sensitive=flags).holds
        frequent = frequent_loss(columns, keep, support=FREQUENT)
        cells.append(f"{instance_loss(keep):.3f}, {frequent:.3f} ({seconds:.1f} s){'' if holds else ' VIOLATES'}")
    if not published:
        cells.insert(2, "-")
    print(f"| {name} {requirement} | {violations:,} | " + " | ".join(cells) + " |", flush=True)


def losses() -> None:
    """Bound, global, published and packing; instances, then maximal frequent sequences."""
    print("| data | minimal violating | bound | global | published | packing |\n|---|---|---|---|---|---|")
    city, city_lists = simulated(CityWorld.city80k())
    compiled = find_spec("numba") is not None  # without it, the published greedy takes minutes to hours from here on
    if compiled:  # so that compiling is not measured
        requirement = asked(city, crowd=10, known=2, confidence="3/5")
        columns = columns_of(city, city_lists, requirement)
        suppress_greedily(columns.where(columns.records < 20_000), requirement)
    one_row("City80K", city, city_lists, asked(city, crowd=10, known=2, confidence="3/5"), published=True)
    for crowd in (10, 20, 30, 40, 50):
        requirement = asked(city, crowd=crowd, known=3, confidence="3/5")
        one_row("City80K", city, city_lists, requirement, published=compiled)
    one_row("Oyster", *without_attributes(oyster().trajectories), Requirement(crowd=10, known_pairs=2), published=compiled)
    stm, stm_lists = simulated(FareWorld.stm460k())
    for crowd in (10, 30, 50):
        one_row("STM460K", stm, stm_lists, asked(stm, crowd=crowd, known=3, confidence="3/5"), published=compiled)


def sweeps() -> None:
    """Losses by the confidence C, and by the support K' of maximal frequent sequences, at K = 30 and L = 3 on City80K."""
    city, lists = simulated(CityWorld.city80k())
    print("| C | minimal violating | bound | global | packing |\n|---|---|---|---|---|", flush=True)
    for confidence in ("1/5", "2/5", "3/5", "4/5", "1"):
        requirement = asked(city, crowd=30, known=3, confidence=confidence)
        columns = columns_of(city, lists, requirement)
        everywhere = instance_loss(suppress_greedily(columns, requirement, scope=Scope.GLOBAL))
        packed = pack(columns, requirement)
        cells = [f"{float(Fraction(confidence)):.0%}", f"{len(find_violations(columns, requirement)):,}"]
        cells += [f"{loss:.3f}" for loss in (least_loss(columns, requirement), everywhere, instance_loss(packed))]
        print(f"| {' | '.join(cells)} |", flush=True)
        if confidence == "3/5":
            keeps = {"global": suppress_greedily(columns, requirement, scope=Scope.GLOBAL), "packing": packed}
    print("\n| K' | " + " | ".join(keeps) + " |\n|---|---|---|", flush=True)
    for support in (400, 600, 800, 1000, 1200):
        lost = [f"{frequent_loss(columns, keep, support=support):.3f}" for keep in keeps.values()]
        print(f"| {support} | {' | '.join(lost)} |", flush=True)


def data() -> Path:
    """The folder of real data."""
    return Path(os.environ["TACITA_DATA"])


def oyster(*, hours: int = 1) -> TrajectoryRecords:
    """Journeys by rail: one record each, of a station and an interval at either end."""
    frame = pl.read_csv(data() / "oyster" / "oyster_rail_journeys.csv.gz")
    stations = Universe(sorted(set(frame["start_station"]) | set(frame["end_station"])), origin="public list of stations")
    number = np.arange(len(frame))
    ends = [("start_station", "entry_time"), ("end_station", "exit_time")]
    codes = []
    for station, clock in ends:
        place = frame[station].cast(pl.Enum(stations.labels)).to_physical().to_numpy().astype(np.int64)
        hour = frame[clock].str.slice(0, 2).cast(pl.Int64).to_numpy() // hours
        codes.append(hour * len(stations) + place)
    both = np.stack(codes, axis=1)
    both.sort(axis=1)
    lists = distinct(Ragged(both.ravel().astype(np.int32), offsets_of(np.full(number.size, 2))), symbols=int(both.max()) + 1)
    grid = TimeGrid(start=0, interval=hours, intervals=int(both.max()) // len(stations) + 1)
    return TrajectoryRecords(trajectories=lists, universe=stations, grid=grid, name="oyster")


def taxi_days(*, side_km: float, hours: int) -> Ragged:
    """Taxis in Beijing: one record per taxi and day, of cells and intervals; these are the longest records."""
    frame = pl.read_csv(data() / "tdrive" / "tdrive_600taxis.csv.gz").filter(
        pl.col("lat").is_between(39.6, 40.3), pl.col("lon").is_between(115.9, 117.0)
    )
    row = ((frame["lat"].to_numpy() - 39.6) * 111.2 // side_km).astype(np.int64)
    column = ((frame["lon"].to_numpy() - 115.9) * 85.2 // side_km).astype(np.int64)
    cells, across = (int(row.max()) + 1) * (int(column.max()) + 1), int(column.max()) + 1
    clock = frame["unix_time"].to_numpy()
    code = (clock // 3600 % 24 // hours) * cells + row * across + column
    rows = pl.DataFrame({"taxi": frame["taxi"], "day": clock // 86_400, "code": code}).unique().sort("taxi", "day", "code")
    starts = rows.select(pl.struct("taxi", "day").is_first_distinct()).to_series().to_numpy()
    return Ragged(rows["code"].to_numpy().astype(np.int32), np.append(np.flatnonzero(starts), len(rows)).astype(np.int64))


def long() -> None:
    """Packing at L = 3 where records are long."""
    print("| data | minimal violating | bound | global | published | packing |\n|---|---|---|---|---|---|")
    for hours in (6, 3):
        lists = taxi_days(side_km=8, hours=hours)
        name = f"taxis, 8 km, {hours} h, {lists.codes.size / len(lists):.1f} pairs a record"
        for crowd in (10, 30):
            one_row(name, *without_attributes(lists), Requirement(crowd=crowd, known_pairs=3), published=True)


def without_attributes(lists: Ragged) -> tuple[Trajectories, Ragged]:
    """Records for a row of losses; nothing is sensitive."""
    nobody = np.ones(len(lists), dtype=np.int64)
    made = Trajectories(
        places=lists,
        hours=np.zeros(lists.codes.size, dtype=np.int64),
        attributes=nobody,
        attribute_values=("x", "y"),
        sensitive_values=1,
    )
    return made, lists


def foursquare_days(*, side_km: float, hours: int) -> TrajectoryRecords:
    """Check-ins: one record per user and day, of cells and intervals; K counts users."""
    folder = data() / "foursquare_nyc"
    frame = pl.read_csv(folder / "nyc_checkins.csv.gz").join(pl.read_csv(folder / "nyc_pois.csv.gz"), on="poi")
    row = ((frame["lat"].to_numpy() - 40.5) * 111.2 // side_km).astype(np.int64)
    column = ((frame["lon"].to_numpy() + 74.3) * 84.4 // side_km).astype(np.int64)
    across = int(column.max()) + 1
    minute = frame["minute"].to_numpy()
    universe = Universe([f"cell {number}" for number in range((int(row.max()) + 1) * across)])
    code = (minute // 60 % 24 // hours) * len(universe) + row * across + column
    rows = pl.DataFrame({"user": frame["user"], "day": minute // 1440, "code": code}).unique().sort("user", "day", "code")
    starts = rows.select(pl.struct("user", "day").is_first_distinct()).to_series().to_numpy()
    offsets = np.append(np.flatnonzero(starts), len(rows)).astype(np.int64)
    persons = (rows["user"].filter(pl.Series(starts)).rank("dense") - 1).to_numpy().astype(np.int32)
    return TrajectoryRecords(
        trajectories=Ragged(rows["code"].to_numpy().astype(np.int32), offsets),
        universe=universe,
        grid=TimeGrid(start=0, interval=hours, intervals=-(-24 // hours)),
        persons=persons,
        name="foursquare",
    )


def risk() -> None:
    """What somebody learns who knows 1 to 4 pairs, before and after."""
    for name, records, method in (
        ("Oyster, hours", oyster(), Suppression(crowd=10, known_pairs=2)),
        ("Foursquare, 2 km, 6 h", foursquare_days(side_km=2, hours=6), Suppression(crowd=5, known_pairs=2)),
    ):
        before = attack_trajectories(records.pair_columns(method.requirement), known_pairs=4)
        release, seconds = timed(lambda method=method, records=records: method.publish(records))
        columns = records.pair_columns(method.requirement)
        kept = columns.where(pack(columns, method.requirement))
        loss = 1 - release.data.trajectories.codes.size / records.trajectories.codes.size
        print(f"\n{name}, {method.requirement}: loss {loss:.3f}, published and verified in {seconds:.1f} s\n\nbefore\n{before}")
        after = attack_trajectories(kept, known_pairs=4)
        print(f"\nafter\n{after}", flush=True)
        title = f"{name}: who is singled out, in the worst case"
        picture = PICTURES / f"{records.name}-risk.svg"
        picture.write_text(risk_picture(title, before, after, promised=method.known_pairs).svg(), encoding="utf-8")
    city, lists = simulated(CityWorld.city80k())
    requirement = asked(city, crowd=30, known=2, confidence="1")
    columns = columns_of(city, lists, requirement)
    kept = columns.where(pack(columns, requirement))
    print(f"\nCity80K after (30, 100 %)_2\n{attack_trajectories(kept, known_pairs=4)}")


def grains() -> None:
    """The lattice of Oyster: hours joined."""
    print(lattice(oyster(), Requirement(crowd=10, known_pairs=2), intervals=(1, 2, 4, 8)))


def main() -> None:
    """Print the tables that are named, or all."""
    tables = {"losses": losses, "long": long, "risk": risk, "sweeps": sweeps, "grains": grains}
    for name in sys.argv[1:] or tables:
        print(f"\n== {name} ==", flush=True)
        tables[name]()


if __name__ == "__main__":
    main()
