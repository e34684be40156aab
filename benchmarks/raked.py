"""Raked sequences beside other methods and the simplest releases, on worlds that chose constants and on worlds that did not.

    python benchmarks/raked.py [--worlds choosing|judging] [--only WORLD ...] [--people 300 2000 10000] [--epsilon 0.1 0.5 1]
                               [--method NAME ...] [--runs 3] [--kept FILE] [--tag NAME] [--set MODULE:NAME=VALUE ...]
                               [--delta 1e-9]

Prints for each rival how many cells `raked` wins, draws and loses: a cell is a world, a number of people, an epsilon and a
measure, and a difference counts if it is more than 10 % and more than .02. With `--kept`, what was measured is kept in a file of
JSON lines and is not measured again; another `--tag` measures `raked` anew, and `--set` changes a constant of it. With `--delta`,
`raked` is measured with it too, beside each release without it: the ratio of both errors, in each measure and in all of them.
"""

from __future__ import annotations

import argparse
import json
import time
from ast import literal_eval
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

from sequence_worlds import CHOOSING, JUDGING, LONG
from tacita.arrays.ragged import Ragged, distinct, offsets_of
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.ledger import Ledger
from tacita.seeded import PublicGenerator, SeededSource, public_generator
from tacita.sequences import NGram, PrefixTree, Raked, SequenceRecords

OURS = "raked"
METHODS = {
    OURS: Raked(),
    "ngram": NGram(),
    "prefix-tree": PrefixTree(height=12),
}
LARGER_IS_BETTER = {"top 100", "pairs 100", "next"}
MEASURES = ("top 100", "pairs 100", "people", "random people", "distinct", "round", "steps", "lengths", "ends", "next")
QUERIES, SANITY_SHARE, TOP, FAR, EVEN = 1_000, 0.001, 100, 20, 0.02
Numbers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Tally = tuple[Numbers, Numbers]


def _tallied(keys: Numbers) -> Tally:
    found, counts = np.unique(keys, return_counts=True)
    return found, counts


def _variation(one: Tally, other: Tally) -> float:
    """The total variation distance of two distributions; 1 if the second has nothing."""
    if not other[1].sum():
        return 1.0
    keys = np.union1d(one[0], other[0])
    shares = []
    for found, counts in (one, other):
        share = np.zeros(keys.size)
        share[np.searchsorted(keys, found)] = counts / counts.sum()
        shares.append(share)
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


class Side:
    """One collection of sequences, and what is measured of it."""

    def __init__(self, lists: Ragged, labels: int) -> None:
        """Leave out empty sequences."""
        self.codes, self.labels = lists.codes.astype(np.int64), labels
        self.offsets = np.unique(lists.offsets)
        self.lengths = np.diff(self.offsets)
        self.owners = np.repeat(np.arange(self.lengths.size), self.lengths)
        self.sets = distinct(Ragged(lists.codes, self.offsets), symbols=labels) if self.codes.size else Ragged.from_lists([])
        self.first, self.last = self.codes[self.offsets[:-1]], self.codes[self.offsets[1:] - 1]
        self.having: dict[int, Numbers] = {}
        order = np.argsort(self.sets.codes, kind="stable")
        owners = np.repeat(np.arange(len(self.sets)), self.sets.lengths)[order]
        for code, own in zip(*self._cut(self.sets.codes[order], owners), strict=True):
            self.having[int(code)] = own

    @staticmethod
    def _cut(keys: npt.NDArray[np.integer], values: Numbers) -> tuple[list[int], list[Numbers]]:
        cuts = np.flatnonzero(np.diff(keys, prepend=-1))
        return keys[cuts].tolist(), np.split(values, cuts[1:]) if cuts.size else []

    def grams(self, size: int) -> Tally:
        """Runs of a given number of symbols, as numbers; those of four over many labels wrap around, which makes them hashes."""
        number = max(0, self.codes.size - size + 1)
        inside = self.owners[:number] == self.owners[size - 1 :] if number else np.zeros(0, dtype=bool)
        keys = np.zeros(number, dtype=np.int64)
        for place in range(size):
            keys = keys * self.labels + self.codes[place : place + number]
        return _tallied(keys[inside])

    def top_runs(self) -> set[tuple[int, int]]:
        """The most frequent runs of two to four symbols."""
        found: list[tuple[int, int, int]] = []
        for size in (2, 3, 4):
            keys, counts = self.grams(size)
            first = np.argsort(-counts, kind="stable")[:TOP]
            found += [(count, -size, key) for key, count in zip(keys[first].tolist(), counts[first].tolist(), strict=True)]
        return {(size, key) for _, size, key in sorted(found, reverse=True)[:TOP]}

    def top_pairs(self) -> set[int]:
        """The pairs that the most people have, one after the other, at any distance up to `FAR`."""
        keys = [np.zeros(0, dtype=np.int64)]
        for gap in range(1, min(FAR, int(self.lengths.max(initial=1)))):
            inside = self.owners[:-gap] == self.owners[gap:]
            keys.append((self.owners[:-gap] * self.labels**2 + self.codes[:-gap] * self.labels + self.codes[gap:])[inside])
        found, counts = _tallied(np.unique(np.concatenate(keys)) % self.labels**2)
        return set(found[np.argsort(-counts, kind="stable")[:TOP]].tolist())

    def count(self, query: tuple[int, ...]) -> int:
        """How many people have all of these symbols."""
        found: Numbers | None = None
        for code in query:
            own = self.having.get(code)
            if own is None:
                return 0
            found = own if found is None else np.intersect1d(found, own, assume_unique=True)
        return 0 if found is None else found.size

    def next_of(self) -> dict[int, int]:
        """The most frequent next symbol of each symbol."""
        keys, counts = self.grams(2)
        order = np.lexsort((-counts, keys // self.labels))
        before, after = keys[order] // self.labels, keys[order] % self.labels
        first = np.flatnonzero(np.diff(before, prepend=-1))
        return dict(zip(before[first].tolist(), after[first].tolist(), strict=True))

    def guessed(self, guesses: dict[int, int]) -> float:
        """How often these guesses are right."""
        keys, counts = self.grams(2)
        before, after = np.divmod(keys, self.labels)
        guess = np.array([guesses.get(code, -1) for code in before.tolist()], dtype=np.int64)
        return float(counts[guess == after].sum()) / max(1, int(counts.sum()))


class Judge:
    """The measures of one world."""

    def __init__(self, raw: Ragged, labels: int) -> None:
        """Draw the queries and answer them on raw data."""
        self.raw, generator = Side(raw, labels), public_generator(1)
        sets = self.raw.sets
        several = np.flatnonzero(sets.lengths >= 2)
        self.queries: dict[str, list[tuple[int, ...]]] = {"people": [], "random people": []}
        for _ in range(QUERIES):
            row = int(generator.choice(several))
            own = sets.codes[sets.offsets[row] : sets.offsets[row + 1]]
            size = min(own.size, int(generator.integers(2, 4)))
            self.queries["people"].append(tuple(generator.choice(own, size, replace=False).tolist()))
            random = generator.choice(labels, int(generator.integers(2, 4)), replace=False)
            self.queries["random people"].append(tuple(random.tolist()))
        self.true = {name: np.array([self.raw.count(query) for query in queries]) for name, queries in self.queries.items()}
        self.runs, self.pairs, self.best = self.raw.top_runs(), self.raw.top_pairs(), self.raw.guessed(self.raw.next_of())

    def figures(self, released: Ragged) -> dict[str, float]:
        """What a release keeps."""
        mine, other = self.raw, Side(released, self.raw.labels)
        found = {
            "top 100": len(self.runs & other.top_runs()) / max(1, len(self.runs)) if other.codes.size else 0.0,
            "pairs 100": len(self.pairs & other.top_pairs()) / max(1, len(self.pairs)) if other.codes.size else 0.0,
            "distinct": _variation(_tallied(np.minimum(mine.sets.lengths, 21)), _tallied(np.minimum(other.sets.lengths, 21))),
            "round": abs(_round(mine) - _round(other)),
            "steps": _variation(mine.grams(2), other.grams(2)),
            "lengths": _variation(_tallied(np.minimum(mine.lengths, 21)), _tallied(np.minimum(other.lengths, 21))),
            "ends": _variation(_tallied(mine.first * mine.labels + mine.last), _tallied(other.first * mine.labels + other.last)),
            "next": mine.guessed(other.next_of()) / max(self.best, 1e-9),
        }
        for name, queries in self.queries.items():
            told = np.array([other.count(query) for query in queries])
            true = self.true[name]
            found[name] = float((np.abs(told - true) / np.maximum(true, max(1.0, SANITY_SHARE * mine.lengths.size))).mean())
        return found


def _round(side: Side) -> float:
    return float(((side.lengths > 2) & (side.first == side.last)).mean()) if side.lengths.size else 0.0


# The simplest releases. Their noise is a plain Laplace variable: they are judged, not published.


def _noisy_lengths(raw: Side, epsilon: float, generator: PublicGenerator, longest: int = 20) -> tuple[Reals, int, int]:
    scale = 1 / (0.1 * epsilon)
    counts = np.bincount(np.minimum(raw.lengths, longest), minlength=longest + 1)[1:] + generator.laplace(0, scale, longest)
    people = max(1, round(float(counts.sum())))
    kept = np.where(counts > scale * np.log(longest), counts, 0.0)
    kept = kept if kept.sum() > 0 else np.maximum(counts, 1e-9)
    shares = kept / kept.sum()
    return shares, people, int(np.searchsorted(np.cumsum(shares), 0.9) + 1)


def independent(raw: Side, epsilon: float, generator: PublicGenerator) -> Ragged:
    """Noisy lengths, and noisy symbols above a threshold, independent of each other."""
    shares, people, cap = _noisy_lengths(raw, epsilon, generator)
    codes = raw.codes[np.arange(raw.codes.size) - raw.offsets[raw.owners] < cap]
    scale = cap / (0.9 * epsilon)
    counts = np.bincount(codes, minlength=raw.labels) + generator.laplace(0, scale, raw.labels)
    kept = np.where(counts > scale * np.log(raw.labels), counts, 0.0)
    kept = kept if kept.sum() > 0 else np.maximum(counts, 1e-9)
    lengths = generator.choice(np.arange(1, shares.size + 1), people, p=shares)
    drawn = generator.choice(raw.labels, int(lengths.sum()), p=kept / kept.sum())
    return Ragged(drawn.astype(np.int32), offsets_of(lengths))


def markov(raw: Side, epsilon: float, generator: PublicGenerator) -> Ragged:
    """Noisy lengths, and a first-order chain of noisy steps above a threshold; who is stuck goes anywhere popular."""
    shares, people, cap = _noisy_lengths(raw, epsilon, generator)
    inside = np.arange(raw.codes.size) - raw.offsets[raw.owners] < cap
    before = np.concatenate([[raw.labels], raw.codes[:-1]])
    before[raw.offsets[:-1]] = raw.labels
    width, scale = raw.labels + 1, cap / (0.9 * epsilon)
    table = np.bincount((before * width + raw.codes)[inside], minlength=width * width).astype(np.float64)
    table += generator.laplace(0, scale, table.size)
    table[table < scale * np.log(width * raw.labels)] = 0.0
    table = table.reshape(width, width)[:, :-1]
    if not table.sum() > 0:
        return independent(raw, epsilon, generator)
    popular = table.sum(axis=0)
    table[table.sum(axis=1) == 0] = popular
    running = np.cumsum(table, axis=1)
    lengths = np.sort(generator.choice(np.arange(1, shares.size + 1), people, p=shares))[::-1]
    here, columns = np.full(people, raw.labels), []
    for place in range(int(lengths.max())):
        going = int((lengths > place).sum())
        here = here[:going]
        rows, row_of = np.unique(here, return_inverse=True)
        flat = (running[rows] / running[rows, -1:] + np.arange(rows.size)[:, np.newaxis]).ravel()
        here = np.minimum(
            np.searchsorted(flat, row_of + generator.random(going), side="right") - row_of * raw.labels, raw.labels - 1
        )
        columns.append(np.concatenate([here, np.zeros(people - going, dtype=np.int64)]))
    whole = np.stack(columns, axis=1)
    return Ragged(whole[np.arange(whole.shape[1])[np.newaxis] < lengths[:, np.newaxis]].astype(np.int32), offsets_of(lengths))


SIMPLEST: dict[str, Callable[[Side, float, PublicGenerator], Ragged]] = {
    "empty": lambda *_: Ragged.from_lists([]),
    "independent": independent,
    "markov": markov,
}


def released(name: str, records: SequenceRecords, raw: Side, epsilon: str, run: int) -> Ragged:
    """A release by a method, or one of the simplest."""
    if name in SIMPLEST:
        return SIMPLEST[name](raw, float(epsilon), public_generator(run))
    found: Ragged = METHODS[name].publish(records, budget=PureDP(epsilon), ledger=Ledger(source=SeededSource(run))).data.sequences
    return found


# The second currency: an epsilon with a delta beside the same epsilon alone.


def errors(figures: dict[str, float]) -> Reals:
    """All measures as errors; what is below `EVEN` is as good as none."""
    found = np.array([1 - figures[name] if name in LARGER_IS_BETTER else figures[name] for name in MEASURES])
    return np.asarray(found + EVEN, dtype=np.float64)


def in_both_currencies(asked: argparse.Namespace) -> Iterator[str]:
    """For each world and epsilon, the ratio of errors with the delta and without, over all measures, and its standard error."""
    yield f"| world ({asked.people[0]:,} people) | " + " | ".join(asked.epsilon) + " |"
    yield "|---|" + "---|" * len(asked.epsilon)
    together: dict[str, list[Reals]] = {epsilon: [] for epsilon in asked.epsilon}
    worlds = CHOOSING if asked.worlds == "choosing" else JUDGING | LONG
    for world, make in worlds.items():
        if asked.only and world not in asked.only:
            continue
        records, row = make(asked.people[0]), []
        judge = Judge(records.sequences, len(records.universe))
        for epsilon in asked.epsilon:
            logs = []
            for run in range(asked.runs):
                found = []
                for budget in (ApproxDP(epsilon, asked.delta), PureDP(epsilon)):
                    ledger = Ledger(source=SeededSource(crc32(f"{world} {budget} {run}".encode())))
                    lists = METHODS[OURS].publish(records, budget=budget, ledger=ledger).data.sequences
                    found.append(np.log(errors(judge.figures(lists))))
                logs.append(found[0] - found[1])
            means = np.array([float(each.mean()) for each in logs])
            row.append(f"{np.exp(means.mean()):.2f} +- {means.std(ddof=1) / np.sqrt(asked.runs):.2f}")
            together[epsilon].append(np.mean(logs, axis=0))
        yield f"| {world} | " + " | ".join(row) + " |"
    yield "| measure, over all worlds | " + " | ".join(asked.epsilon) + " |"
    for place, measure in enumerate(MEASURES):
        ratios = [float(np.exp(np.mean([each[place] for each in together[epsilon]]))) for epsilon in asked.epsilon]
        yield f"| {measure} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |"


def compared(mine: float, other: float, measure: str) -> int:
    """1 if the first is clearly better, -1 if clearly worse."""
    gain = (mine - other) * (1 if measure in LARGER_IS_BETTER else -1)
    return 0 if abs(gain) <= max(0.02, 0.1 * max(abs(mine), abs(other))) else (1 if gain > 0 else -1)


Cell = tuple[str, int, str]
Found = dict[tuple[str, int, str, str], dict[str, float]]


def measured(asked: argparse.Namespace, found: Found) -> None:
    """Measure what is not known yet, print it, and keep it."""
    for world, make in (CHOOSING if asked.worlds == "choosing" else JUDGING).items():
        for people in asked.people if not asked.only or world in asked.only else ():
            title = f"{asked.worlds} {world}"
            cells = [(epsilon, name, asked.tag if name == OURS else name) for epsilon in asked.epsilon for name in asked.method]
            todo = [cell for cell in cells if (title, people, cell[0], cell[2]) not in found]
            if not todo:
                continue
            records = make(people)
            judge = Judge(records.sequences, len(records.universe))
            for epsilon, name, tag in todo:
                # other noise in every cell: one lucky draw of noise in all of them would look like a better method
                noises = [f"{title} {people} {epsilon} {run}" for run in range(1 if name == "empty" else asked.runs)]
                begin = time.process_time()
                figures = [judge.figures(released(name, records, judge.raw, epsilon, crc32(noise.encode()))) for noise in noises]
                seconds = time.process_time() - begin
                mean = {measure: float(np.mean([each[measure] for each in figures])) for measure in MEASURES}
                found[title, people, epsilon, tag] = mean
                if asked.kept is not None:
                    row = {"world": title, "people": people, "epsilon": epsilon, "method": tag, "figures": mean}
                    with asked.kept.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
                print(
                    title,
                    people,
                    epsilon,
                    tag,
                    f"{seconds:.1f} s",
                    {key: round(value, 3) for key, value in mean.items()},
                    flush=True,
                )


def tallied(found: Found, asked: argparse.Namespace) -> Iterator[str]:
    """For each rival how many cells are won, drawn and lost, and in which measures they are lost."""
    yield "| rival | win | even | lose | lost in |\n|---|---|---|---|---|"
    mine: dict[Cell, dict[str, float]] = {
        key[:3]: value
        for key, value in found.items()
        if key[3] == asked.tag and key[0].startswith(asked.worlds) and key[1] in asked.people and key[2] in asked.epsilon
    }
    for rival in (*SIMPLEST, *list(METHODS)[1:]):
        results = [
            (measure, compared(value[measure], found[*cell, rival][measure], measure))
            for cell, value in mine.items()
            if (*cell, rival) in found
            for measure in MEASURES
        ]
        number = {sign: sum(result == sign for _, result in results) for sign in (1, 0, -1)}
        lost = {measure: sum(result < 0 and name == measure for name, result in results) for measure in MEASURES}
        said = ", ".join(f"{measure} {times}" for measure, times in lost.items() if times)
        yield f"| {rival} | {number[1]} | {number[0]} | {number[-1]} | {said} |"
    for name in (asked.tag, *SIMPLEST, *list(METHODS)[1:]):
        rows = [found[*cell, name] for cell in mine if (*cell, name) in found]
        if rows:
            means = " | ".join(f"{float(np.mean([row[measure] for row in rows])):.2f}" for measure in MEASURES)
            yield f"| {name} | {means} |"


def main() -> None:
    """Measure and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", choices=("choosing", "judging"), default="judging")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--people", nargs="+", type=int, default=[300, 2_000, 10_000])
    parser.add_argument("--epsilon", nargs="+", default=["0.1", "0.5", "1"])
    parser.add_argument("--method", nargs="+", default=[OURS, *SIMPLEST, *list(METHODS)[1:]])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--tag", default=OURS)
    parser.add_argument(
        "--set", nargs="+", default=[], help="a constant of a module of the library, such as synthesis.raking:BELIEF=1"
    )
    parser.add_argument("--delta", help="measure raked alone, with this delta and without")
    asked = parser.parse_args()
    for change in asked.set:
        place, value = change.split("=")
        module, name = place.split(":")
        setattr(import_module(f"tacita.{module}"), name, literal_eval(value))
    if asked.delta is not None:
        for line in in_both_currencies(asked):
            print(line, flush=True)
        return
    found: Found = {}
    if asked.kept is not None and asked.kept.exists():
        for line in asked.kept.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found[row["world"], row["people"], row["epsilon"], row["method"]] = row["figures"]
    measured(asked, found)
    print("\n".join(tallied(found, asked)))


if __name__ == "__main__":
    main()
