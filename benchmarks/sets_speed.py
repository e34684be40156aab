"""How fast baskets are published: MSNBC as sets from file to folder, and a simulated agency of the size of STM.

The authors' own C++ of DiffPart takes 0.75 s on MSNBC as sets (989,818 baskets, epsilon 1, fan-out 10; text file to release, on a
machine of this class), which is the peer here; the pinned floor reads and writes the same baskets as long rows.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from floor import long_rows_floor
from tacita.arrays.ragged import Ragged, chosen, distinct, offsets_of
from tacita.io import declared_universe
from tacita.privacy.budget import ApproxDP, Budget, PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.publishing import Mechanism
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts, StableHistogram, read_baskets
from tacita.simulate import TransitWorld
from timing import best, line

THEIRS = 0.75
METHODS: dict[str, tuple[Mechanism, Budget]] = {
    "diffpart": (DiffPart(fan_out=10), PureDP("1")),
    "histogram": (FlatHistogram(), PureDP("1")),
    "itemset-counts": (ItemsetCounts(), PureDP("1")),
    "stable-histogram": (StableHistogram(), ApproxDP("1", "1e-9")),
}


def publish(source: Path, universe: Universe, name: str, out: Path) -> None:
    """From file to folder, overwriting what an earlier turn left."""
    shutil.rmtree(out, ignore_errors=True)
    method, budget = METHODS[name]
    method.publish(read_baskets(source, universe=universe), budget=budget, ledger=Ledger()).write(out)


def msnbc(folder: Path) -> None:
    """Page categories as sets: the text file against the authors' program, long rows against the floor."""
    data = Path(os.environ.get("TACITA_DATA", ""), "msnbc", "msnbc990928.seq.gz")
    if not data.is_file():
        print("MSNBC is left out: set TACITA_DATA to the folder with the real data")
        return
    universe = declared_universe(data)
    text = folder / "msnbc.seq"
    text.write_bytes(gzip.decompress(data.read_bytes()))
    for name in METHODS:
        (ours,) = best(5, lambda name=name: publish(text, universe, name, folder / "out"))
        bound = "below 1" if name == "diffpart" else ""
        line(f"MSNBC as sets, {name}, text file to folder: over the C++ of DiffPart", ours / THEIRS, bound, f"{ours:.2f} s")
    _long_rows(read_baskets(data, universe=universe), folder)
    for ending in (".parquet", ".csv"):
        source = folder / f"long{ending}"
        for name in METHODS:
            ours, floor = best(
                5,
                lambda name=name, source=source: publish(source, universe, name, folder / "out"),
                lambda source=source: long_rows_floor(source, folder / f"floor{source.suffix}", list(universe.labels)),
            )
            bound = "at most 4" if name == "diffpart" else ""
            what = f"MSNBC as sets, {name}, from {ending[1:]}: ours over the floor"
            line(what, ours / floor, bound, f"{ours:.2f} s, floor {floor:.2f} s")


def _long_rows(records: BasketRecords, folder: Path) -> None:
    """One row per item, with a time that is not used, because the floor has one."""
    baskets = records.baskets
    frame = pl.DataFrame(
        {
            "id": np.repeat(np.arange(len(baskets)), baskets.lengths),
            "label": pl.Series(baskets.codes).cast(pl.Int64).replace_strict(dict(enumerate(records.universe.labels))),
            "time": np.arange(baskets.codes.size) % 86_400,
        }
    )
    frame.write_parquet(folder / "long.parquet")
    frame.write_csv(folder / "long.csv")


def agency() -> None:
    """The stations of 1.2 million passengers: seconds, and growth in records and in the universe."""
    world = TransitWorld.stm()
    baskets = distinct(world.sequences(), symbols=len(world.universe))
    whole = BasketRecords(baskets=baskets, universe=world.universe)
    half = BasketRecords(baskets=chosen(baskets, np.arange(len(baskets) // 2)), universe=world.universe)
    narrow = _narrowed(baskets, world.universe, len(world.universe) // 2)
    for name in ("diffpart", "itemset-counts"):
        method, budget = METHODS[name]
        all_s, half_s, narrow_s = best(
            3,
            *(
                lambda records=records, method=method, budget=budget: method.publish(records, budget=budget, ledger=Ledger())
                for records in (whole, half, narrow)
            ),
        )
        line(f"STM as sets, {name}: over the 35 s of the thesis", all_s / 35, "at most 10 s", f"{all_s:.2f} s")
        line(f"STM as sets, {name}: twice the records, time over linear", all_s / half_s / 2, "about 1", f"{half_s:.2f} s before")
        growth = all_s / narrow_s / (baskets.codes.size / narrow.baskets.codes.size)
        line(f"STM as sets, {name}: twice the universe, time over that of items", growth, "", f"{narrow_s:.2f} s before")


def _narrowed(baskets: Ragged, universe: Universe, items: int) -> BasketRecords:
    """The same baskets with only the first items of the universe."""
    inside = baskets.codes < items
    before = offsets_of(inside.astype(np.int64))[baskets.offsets]
    kept = distinct(Ragged(baskets.codes[inside], before), symbols=items)
    return BasketRecords(baskets=kept, universe=Universe(universe.labels[:items]))


def main() -> None:
    """Run all of them."""
    print(f"{'what':<84} {'ratio':>8}  {'bound':<14} seconds (Polars threads: {pl.thread_pool_size()})")
    with tempfile.TemporaryDirectory() as folder:
        msnbc(Path(folder))
    agency()


if __name__ == "__main__":
    main()
