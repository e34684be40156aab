"""Speed and memory of trajectories: reading, minimal violating sets, packing, checking, writing and the attack, each apart.

`python benchmarks/trajectories_speed.py [RECORDS x BLOCKS ...]`, by default the sizes of Figure 5.5 of Chen's thesis that matter:
linear in records (250,000, 500,000 and a million), and twice the dimensions. Each size runs in a process of its own, so that its
memory is told; seconds are those of the clock and, behind them, of the processor, which is what counts where others use it too.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tacita.attacks.trajectories import attack_trajectories
from tacita.public.time_grid import TimeGrid
from tacita.simulate import CityWorld
from tacita.trajectories import (
    PairColumns,
    Requirement,
    SensitiveGroup,
    Strategy,
    Suppression,
    TrajectoryReading,
    TrajectoryRecords,
    find_violations,
    pack,
    read_trajectories,
    suppress_greedily,
    verify,
)
from tacita.trajectories.suppression import _published

SIZES = ("250000x167", "500000x167", "1000000x167", "1000000x334")
GREEDY = "10000x26"
Result = TypeVar("Result")


def timed(what: str, work: Callable[[], Result], note: Callable[[Result], str] = lambda _: "") -> Result:
    """What some work gives; its time and the peak of the memory so far are printed."""
    start, processor = time.perf_counter(), time.process_time()
    found = work()
    start, processor = time.perf_counter() - start, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"  {what:<26} {start:>8.1f} s  {processor:>8.1f} s cpu  {peak:>6.2f} GB  {note(found)}", flush=True)
    return found


def read(world: CityWorld, folder: Path) -> tuple[TrajectoryRecords, Requirement]:
    """Write a world's tables, then read them as a user would."""
    tables = world.tables()
    tables["trajectories"].write_parquet(folder / "data.parquet")
    tables["attributes"].write_parquet(folder / "attributes.parquet")
    groups = tuple(
        SensitiveGroup(attribute="attribute", values=(value,), confidence="3/5") for value in world.trajectories().sensitive
    )
    del tables
    grid = TimeGrid(start=0, interval=1, intervals=world.hours)
    options = TrajectoryReading(attributes=folder / "attributes.parquet")
    records = timed(
        "reading",
        lambda: read_trajectories(folder / "data.parquet", universe=world.universe, grid=grid, options=options, name="city"),
    )
    return records, Requirement(crowd=30, known_pairs=3, groups=groups)


def measure(world: CityWorld) -> None:
    """All steps of one publication at (30, 60 %)_3, and the exact attack with up to 3 pairs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records, requirement = read(world, folder)
        columns: PairColumns = timed("columns", lambda: records.pair_columns(requirement))
        timed("minimal violating sets", lambda: find_violations(columns, requirement), lambda found: f"{len(found):,} sets")
        timed("attack with 3 pairs", lambda: attack_trajectories(columns, known_pairs=3))
        keep = timed("packing", lambda: pack(columns, requirement), lambda kept: f"loss {1 - kept.mean():.3f}")
        lists = columns.where(keep).lists()
        timed("check", lambda: verify(lists, requirement, sensitive=columns.sensitive), lambda found: f"holds: {found.holds}")
        data, _ = _published(records, lists, requirement)
        timed("writing", lambda: data.write(folder, file_format="parquet"))


def greedy(world: CityWorld) -> None:
    """The published greedy at (10, 60 %)_2, in violating sets per second."""
    with tempfile.TemporaryDirectory() as name:
        records, asked = read(world, Path(name))
        method = Suppression(crowd=10, known_pairs=2, sensitive=asked.groups, strategy=Strategy.PUBLISHED)
        columns = records.pair_columns(method.requirement)
        number = len(find_violations(columns, method.requirement))
        begun = time.process_time()
        timed(
            "published greedy", lambda: suppress_greedily(columns, method.requirement), lambda kept: f"loss {1 - kept.mean():.3f}"
        )
        print(f"  {number:,} sets, {number / (time.process_time() - begun):,.0f} a second of cpu", flush=True)


def main() -> None:
    """Measure one size in this process, or all in processes of their own."""
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        people, blocks = map(int, sys.argv[2].split("x"))
        world = CityWorld(people=people, blocks=blocks)
        print(f"{people:,} records x {blocks * world.hours:,} dimensions", flush=True)
        (greedy if sys.argv[2] == GREEDY else measure)(world)
        return
    for size in sys.argv[1:] or (*SIZES, GREEDY):
        subprocess.run([sys.executable, __file__, "--one", size], check=True)


if __name__ == "__main__":
    main()
