"""Which estimate is best for which use: prefix trees of real and simulated data, every estimate on the same noise.

    python benchmarks/inference.py [runs]

MSNBC is read from the folder that TACITA_DATA names, and left out without it. These are compared with the true records, for the
owner's eyes only: count queries on sets of one to three labels (relative error with a sanity bound of 0.1 % of the records),
released / true records, released / true mean length (both cut at the height), distance of the length distributions (total
variation), the share of the 100 most frequent contiguous patterns (one to five labels) that are found; and, for the kept prefixes
below the first level, the sum of their estimated counts / that of their true counts. The last row is not an estimate: it gives
every kept prefix its true count, which shows what no inference on the kept prefixes can repair.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged
from tacita.io import declared_universe
from tacita.privacy.account import Replay
from tacita.privacy.answers import Trace, Transcript
from tacita.privacy.budget import PureDP
from tacita.privacy.noise import passing_probability
from tacita.privacy.questions import CellQuestion, Cells
from tacita.sequences import PrefixTree, SequenceRecords, read_sequences
from tacita.simulate import TransitWorld
from tacita.testing import public_generator, seeded_ledger
from tacita.trees import Inference, LevelNoise, NoisyTree, TreeLevel, estimate, sequences_from_tree

EPSILONS = ("0.1", "0.5", "1")
QUERIES, TOP, LONGEST_PATTERN = 400, 100, 5
ORACLE = "(true)"
COLUMNS = ("query error", "records", "mean length", "length TV", "top 100", "kept sum")


@dataclass(frozen=True)
class Reference:
    """What the true records say."""

    records: SequenceRecords
    height: int

    @cached_property
    def queries(self) -> list[npt.NDArray[np.int64]]:
        """Random sets of labels."""
        generator, symbols = public_generator(1), len(self.records.universe)
        return [generator.choice(symbols, size=int(generator.integers(1, 4)), replace=False) for _ in range(QUERIES)]

    @cached_property
    def truth(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], set[int]]:
        """Answers, length distribution and top patterns of the true records."""
        return self.look(self.records.sequences)

    def look(self, sequences: Ragged) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], set[int]]:
        """The same of any sequences."""
        return self.answers(sequences), self.lengths(sequences), self.patterns(sequences)

    def answers(self, sequences: Ragged) -> npt.NDArray[np.float64]:
        """How many sequences hold all labels of each query, by one row of bits per label."""
        size = len(sequences)
        owners = np.repeat(np.arange(size), sequences.lengths)
        bits = np.zeros((len(self.records.universe), size // 8 + 1), dtype=np.uint8)
        np.bitwise_or.at(bits, (sequences.codes, owners >> 3), (1 << (owners & 7)).astype(np.uint8))
        return np.array(
            [np.bitwise_count(np.bitwise_and.reduce(bits[query])).sum(dtype=np.int64) for query in self.queries], float
        )

    def lengths(self, sequences: Ragged) -> npt.NDArray[np.float64]:
        """The share of each length from 1 to the height."""
        found = np.bincount(np.minimum(sequences.lengths, self.height), minlength=self.height + 1)[1:]
        return np.asarray(found / max(1, found.sum()), dtype=np.float64)

    def patterns(self, sequences: Ragged) -> set[int]:
        """The most frequent contiguous patterns, as numbers."""
        codes = sequences.codes.astype(np.int64)
        room = np.repeat(sequences.offsets[1:], sequences.lengths) - np.arange(codes.size)
        base, numbers = len(self.records.universe) + 1, np.zeros(codes.size, dtype=np.int64)
        found, counts = [], []
        for length in range(1, LONGEST_PATTERN + 1):
            numbers = numbers * base + np.concatenate([codes[length - 1 :], np.zeros(length - 1, dtype=np.int64)]) + 1
            some, often = np.unique(numbers[room >= length], return_counts=True)
            found.append(some)
            counts.append(often)
        keys, often = np.concatenate(found), np.concatenate(counts)
        return set(keys[np.lexsort((keys, -often))[:TOP]].tolist())

    def compare(self, sequences: Ragged) -> list[float]:
        """The figures of a release, in the order of the columns, except the last."""
        (answers, lengths, patterns), (true_answers, true_lengths, true_patterns) = self.look(sequences), self.truth
        size, places = len(self.records.sequences), np.arange(1, self.height + 1)
        error = np.abs(answers - true_answers) / np.maximum(true_answers, 0.001 * size)
        return [
            float(error.mean()),
            len(sequences) / size,
            float((lengths @ places) / (true_lengths @ places)),
            float(np.abs(lengths - true_lengths).sum() / 2),
            len(patterns & true_patterns) / TOP,
        ]


def references() -> Iterator[tuple[str, Reference]]:
    """The data sets by name."""
    path = Path(os.environ.get("TACITA_DATA", ""), "msnbc", "msnbc990928.seq.gz")
    if path.is_file():
        yield "MSNBC, height 20", Reference(read_sequences(path, universe=declared_universe(path)), 20)
    for stations, lines in ((68, 4), (944, 70)):
        world = TransitWorld(passengers=400_000, stations=stations, lines=lines)
        records = SequenceRecords(sequences=world.sequences(), universe=world.universe)
        yield f"transit, {stations} stations, height 12", Reference(records, 12)


def noisy_tree(
    reference: Reference, *, epsilon: str, seed: int
) -> tuple[NoisyTree, list[LevelNoise], list[npt.NDArray[np.int64]]]:
    """The noisy tree of one publication, what is public about its noise, and the true counts of its nodes."""
    method, transcript = PrefixTree(height=reference.height), Transcript()
    method.publish(reference.records, budget=PureDP(epsilon), ledger=seeded_ledger(seed, transcript=transcript))
    replay = Replay(transcript)
    method.publish(reference.records, budget=PureDP(epsilon), ledger=replay)
    levels, noise = [], []
    for question, answer in transcript.entries:
        if isinstance(question, CellQuestion) and isinstance(answer, Cells):
            levels.append(TreeLevel.from_cells(answer, symbols=len(reference.records.universe)))
            false = question.domain * passing_probability(question.rate, question.threshold)
            noise.append(LevelNoise(rate=question.rate, threshold=question.threshold, expected_false=false))
    return NoisyTree(tuple(levels)), noise, true_counts(transcript, replay.trace)


def true_counts(transcript: Transcript, trace: Trace) -> list[npt.NDArray[np.int64]]:
    """The true counts of the kept cells of each question."""
    found = []
    for (_, answer), (_, truth) in zip(transcript.entries, trace.entries, strict=True):
        if isinstance(answer, Cells) and isinstance(truth, Cells):
            keys, values = np.append(truth.keys, -1), np.append(truth.values, 0)
            places = np.searchsorted(truth.keys, answer.keys)
            found.append(np.where(keys[places] == answer.keys, values[places], 0))
    return found


def main() -> None:
    """Print a table for each data set and budget, as means over the runs."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for name, reference in references():
        for epsilon in EPSILONS:
            rows: dict[str, list[list[float]]] = {str(row): [] for row in (*Inference, ORACLE)}
            for seed in range(100, 100 + runs):
                tree, noise, true = noisy_tree(reference, epsilon=epsilon, seed=seed)
                below = sum(int(level.sum()) for level in true[1:])
                trees = {str(inference): estimate(tree, inference, noise=noise) for inference in Inference}
                for estimator, result in (trees | {ORACLE: tree.with_counts(true)}).items():
                    kept = sum(int(level.counts.sum()) for level in result.levels[1:])
                    rows[estimator].append([*reference.compare(sequences_from_tree(result)), kept / max(1, below)])
            print(f"\n{name}, epsilon {epsilon}, {len(tree):,} nodes, kept if at least {noise[0].threshold}, {runs} runs")
            print(f"{'':<12}" + "".join(f"{column:>13}" for column in COLUMNS))
            for estimator, figures in rows.items():
                print(f"{estimator:<12}" + "".join(f"{value:>13.3f}" for value in np.mean(figures, axis=0)), flush=True)


if __name__ == "__main__":
    main()
