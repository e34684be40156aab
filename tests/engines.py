"""Random small data sets in files, and releases of them on any engine; shared by the tests of engines."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from mechanisms import CASES, Case
from tacita.arrays.ragged import Ragged
from tacita.io import Engine, LongColumns, ReadOptions
from tacita.kinds import methods
from tacita.public.universe import Universe
from tacita.sequences import open_sequences
from tacita.sets import open_baskets
from tacita.testing import seeded_ledger

UNIVERSE = Universe("ABCD")

COUNTED = [case for case in CASES if methods()[case.name].kind in {"sequences", "sets"}]
NAMES = [f"{place}-{case.name}" for place, case in enumerate(COUNTED)]


def random_file(path: Path, seed: int, *, most: int = 60) -> Path:
    """A CSV file of events in random order, with ties in time, labels outside the universe, and ids of all sorts."""
    chance = random.Random(seed)
    names = [chance.choice([str(who), f"p{who}", f"0{who}"]) for who in range(chance.randrange(1, most))]
    habits = [chance.choices("ABCDx", k=3) for _ in range(3)]
    rows = [
        f"{name},{chance.choice(habits[number % 3])},{chance.randrange(4)}"
        for number, name in enumerate(names)
        for _ in range(chance.randrange(1, 6))
    ]
    rows.append("always,A,0")
    chance.shuffle(rows)
    path.write_text("id,label,time\n" + "\n".join(rows) + "\n")
    return path


def opened(case: Case, source: Any, engine: Engine, *, universe: Universe = UNIVERSE) -> Any:
    """The records of a source on an engine."""
    if methods()[case.name].kind == "sets":
        options = ReadOptions(engine=engine, columns=LongColumns(time=None))
        return open_baskets(source, universe=universe, options=options, name="random")
    return open_sequences(source, universe=universe, options=ReadOptions(engine=engine), name="random")


def released(case: Case, records: Any, seed: int) -> tuple[list[int], list[int]]:
    """The lists that are published with a fixed source of noise."""
    release = case.mechanism.publish(records, budget=case.budget, ledger=seeded_ledger(seed))
    lists: Ragged = release.data.baskets if methods()[case.name].kind == "sets" else release.data.sequences
    return np.asarray(lists.codes).tolist(), lists.offsets.tolist()
