"""People with events judged: `by-class` against a table and sequences that are published apart and joined at random.

Sessions of MSNBC with three pages or more: first page, second page and a class of the length are the row of a person, the pages
from the third on are the events. Total variations of first page x page visited, second page x next page, class of length x
number of events, first page x step, and steps alone; means and standard errors over runs, at the same budget. The first
20,000 sessions chose the constants; the figures of `docs/reference/measured-tables.md` are of 100,000 others.

    TACITA_DATA=... python benchmarks/people.py [--people 100000] [--skip 100000] [--epsilons 0.5,1] [--runs 3]
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
from pathlib import Path

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged, chosen
from tacita.io import LongColumns
from tacita.people import ByClass, PeopleRecords
from tacita.privacy.budget import PureDP
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.seeded import public_generator
from tacita.sequences import Raked, SequenceRecords
from tacita.tables import Categorical, Marginals, PublishedTable, Schema, TableRecords

PAGES, LENGTHS, MOST, LONGEST = 17, 4, 20, 100
MEASURES = ("first x visited", "second x next", "length x number", "first x step", "steps")


def people(number: int, skip: int) -> PeopleRecords:
    """Sessions as persons with events."""
    path = Path(os.environ["TACITA_DATA"]) / "msnbc" / "msnbc990928.seq.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        every = [[int(page) - 1 for page in line.split()] for line in lines if line[:1].isdigit()]
    sessions = [session[: LONGEST + 2] for session in every if len(session) > 2][skip : skip + number]
    rows = np.array([[own[0], own[1], min(len(own), 12) // 3 - 1] for own in sessions], dtype=np.int64).T.copy()
    sizes = {"first": PAGES, "second": PAGES, "length": LENGTHS}
    columns = [
        Categorical(name=name, taxonomy=Taxonomy.flat(Universe(f"v{value:02}" for value in range(size))))
        for name, size in sizes.items()
    ]
    table = TableRecords(schema=Schema(quasi=tuple(columns)), quasi=tuple(rows), name="sessions")
    universe = Universe(f"page {page:02}" for page in range(PAGES))
    events = Ragged.from_lists([own[2:] for own in sessions])
    return PeopleRecords(table=table, events=events, universe=universe, columns=LongColumns())


def figures(rows: Integers, events: Ragged) -> list[Reals]:
    """The distributions that are compared."""
    owners, codes = np.repeat(np.arange(len(events)), events.lengths), events.codes.astype(np.int64)
    visited = np.unique(owners * PAGES + codes)
    some = events.lengths > 0
    inside = owners[1:] == owners[:-1]
    steps = codes[:-1][inside] * PAGES + codes[1:][inside]
    cells = [
        (rows[visited // PAGES, 0] * PAGES + visited % PAGES, PAGES**2),
        (rows[some, 1] * PAGES + codes[events.offsets[:-1][some]], PAGES**2),
        (rows[:, 2] * (MOST + 1) + np.minimum(events.lengths, MOST), LENGTHS * (MOST + 1)),
        (rows[owners[1:][inside], 0] * PAGES**2 + steps, PAGES**3),
        (steps, PAGES**2),
    ]
    return [np.bincount(own, minlength=size) / max(own.size, 1) for own, size in cells]


def distances(records: PeopleRecords, table: PublishedTable, events: Ragged) -> list[float]:
    """Total variations between private and published people."""
    sides = zip(figures(np.stack(records.table.quasi, axis=1), records.events), figures(table.lows, events), strict=True)
    return [float(np.abs(one - other).sum()) / 2 for one, other in sides]


def apart(records: PeopleRecords, epsilon: float, seed: int) -> list[float]:
    """Table and sequences by themselves, each with half of the budget, joined at random."""
    half, every = PureDP(str(epsilon / 2)), records.all_events()
    table = Marginals().publish(records.table, budget=half).data
    if not isinstance(every, SequenceRecords):
        raise TypeError
    made = Raked().publish(every, budget=half).data.sequences
    lists = Ragged(made.codes, made.offsets)
    which = public_generator(seed).permutation(len(lists))[np.arange(len(table)) % len(lists)]
    return distances(records, table, chosen(lists, which))


def together(records: PeopleRecords, epsilon: float, _: int) -> list[float]:
    """People by class of their first page."""
    data = ByClass(class_column="first").publish(records, budget=PureDP(str(epsilon))).data
    return distances(records, data.table, data.events)


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--skip", type=int, default=100_000)
    parser.add_argument("--epsilons", default="0.5,1")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    records = people(given.people, given.skip)
    print(f"| epsilon | method | {' | '.join(MEASURES)} | CPU s |\n|{'---|' * (len(MEASURES) + 3)}")
    for epsilon in map(float, given.epsilons.split(",")):
        for name, method in (("apart", apart), ("by-class", together)):
            start = time.process_time()
            found = np.array([method(records, epsilon, seed) for seed in range(given.runs)])
            seconds = (time.process_time() - start) / given.runs
            errors = found.std(axis=0, ddof=1) / given.runs**0.5 if given.runs > 1 else np.zeros(len(MEASURES))
            cells = [f"{mean:.3f} ± {error:.3f}" for mean, error in zip(found.mean(axis=0), errors, strict=True)]
            print(f"| {epsilon:g} | {name} | {' | '.join(cells)} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
