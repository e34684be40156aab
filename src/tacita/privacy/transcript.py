"""What was asked across the wall and what came back: recorded, replayed, and never the true counts.

A question is public: the step, its cost, the domain, the threshold. An answer is noisy: the cells that were kept and their
values. So a transcript is as harmless as the release that it led to. Replaying it on other data gives the same answers to the
same questions, while what the other data *would* have counted is kept aside in a trace, for an auditor to compare. A run that
asks another question than the recorded one has looked at raw data, and the replay stops there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, chosen, lexicographic_order, ranges
from tacita.errors import ReplayError
from tacita.privacy import noise
from tacita.privacy.randomness import Source
from tacita.privacy.selection import permute_and_flip

__all__ = [
    "Answer",
    "Answers",
    "BlockQuestion",
    "CellQuestion",
    "Cells",
    "Drawing",
    "Lists",
    "Question",
    "Recording",
    "Replaying",
    "SelectionQuestion",
    "StableQuestion",
    "Terms",
    "Trace",
    "Transcript",
    "with_open_blocks",
]

Integers = npt.NDArray[np.int64]

_NO_THRESHOLD = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of a domain by their number, in increasing order, each with an integer."""

    keys: Integers
    values: Integers


@dataclass(frozen=True, kw_only=True)
class CellQuestion:
    """The question which of `domain` disjoint cells reach the threshold, and with what noisy count."""

    step: str
    epsilon: Fraction
    sensitivity: int
    domain: int
    threshold: int

    @property
    def rate(self) -> Fraction:
        """The inverse of the noise scale."""
        return self.epsilon / self.sensitivity


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a block of cells is asked at: its cost, and from which noisy count on a cell is kept; without one, all are."""

    epsilon: Fraction
    threshold: int | None


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockQuestion:
    """Many blocks of disjoint cells in one question, each at terms of its own; block b has the cells from bases[b] on.

    Each block is asked at a node of the tree that earlier answers have grown. One record changes the counts of all blocks that
    are asked at one node, and of those below, by `sensitivity` in sum at the most.
    """

    step: str
    sensitivity: int
    table: tuple[Terms, ...]
    terms: Integers
    nodes: Integers
    sizes: Integers

    @cached_property
    def bases(self) -> Integers:
        """The first cell of each block and, last, the number of all cells."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.sizes)])

    @property
    def domain(self) -> int:
        """The number of all cells."""
        return int(self.bases[-1])

    @property
    def rates(self) -> tuple[Fraction, ...]:
        """The inverse of the noise scale for each of the terms."""
        return tuple(terms.epsilon / self.sensitivity for terms in self.table)

    def block_of(self, keys: Integers) -> npt.NDArray[np.intp]:
        """The block that each cell is in."""
        return np.searchsorted(self.bases[1:], keys, side="right")

    def __eq__(self, other: object) -> bool:
        """Two questions are the same if all their parts are."""
        if not isinstance(other, BlockQuestion):
            return NotImplemented
        return (self.step, self.sensitivity, self.table) == (other.step, other.sensitivity, other.table) and all(
            np.array_equal(mine, theirs)
            for mine, theirs in ((self.terms, other.terms), (self.nodes, other.nodes), (self.sizes, other.sizes))
        )

    def __hash__(self) -> int:
        """Questions of one step are told apart by comparing them."""
        return hash((self.step, self.sensitivity, self.table))


@dataclass(frozen=True, eq=False)
class Lists:
    """Different lists of codes, each with an integer."""

    lists: Ragged
    values: Integers


@dataclass(frozen=True, kw_only=True)
class StableQuestion:
    """The question which lists that somebody has reach the threshold; lists that nobody has are not asked.

    One record changes the number of one list by one. A list that one person alone has passes with a probability of at most delta,
    which is all that tells it from one that nobody has.
    """

    step: str
    epsilon: Fraction
    delta: Fraction
    threshold: int


@dataclass(frozen=True, kw_only=True)
class SelectionQuestion:
    """The question which of some candidates has a high score."""

    step: str
    epsilon: Fraction
    sensitivity: Fraction
    candidates: int


class Answers(Protocol):
    """Whoever can answer questions about private data: by drawing noise, or by replaying what was drawn before."""

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """Answer from the non-empty cells; every other cell of the domain has count 0."""
        ...

    def blocks(self, question: BlockQuestion, counts: Cells) -> Cells:
        """Answer from the non-empty cells of all blocks; every other cell of them has count 0."""
        ...

    def stable(self, question: StableQuestion, counts: Lists) -> Lists:
        """Answer from the different lists that there are, in any order; the answer is in the order of the lists."""
        ...

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Answer from the scores of all candidates."""
        ...


@dataclass(frozen=True)
class Drawing:
    """Answers by fresh noise."""

    source: Source

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """Noise the non-empty cells, find the empty ones that pass, and merge both in the order of their keys."""
        rate, threshold = question.rate, question.threshold
        noisy = noise.add_noise(counts.values, rate=rate, source=self.source)
        kept = noisy >= threshold
        ranks = noise.passing_ranks(question.domain - counts.keys.size, rate=rate, threshold=threshold, source=self.source)
        false_keys = _skip(ranks, counts.keys)
        false_values = noise.tail_above(ranks.size, rate=rate, threshold=threshold, source=self.source)
        keys = np.concatenate([counts.keys[kept], false_keys])
        values = np.concatenate([noisy[kept], false_values])
        order = np.argsort(keys, kind="stable")
        return Cells(keys[order], values[order])

    def blocks(self, question: BlockQuestion, counts: Cells) -> Cells:
        """Noise the non-empty cells and all those of open blocks, find the empty ones that pass, and merge all in order."""
        counts = with_open_blocks(question, counts)
        rates = question.rates
        terms = question.terms[question.block_of(counts.keys)]
        noisy = noise.saturate(counts.values + noise.discrete_laplace_each(terms, rates=rates, source=self.source))
        least = np.array([_NO_THRESHOLD if each.threshold is None else each.threshold for each in question.table], dtype=np.int64)
        kept = noisy >= least[terms]
        keys, values = [counts.keys[kept]], [noisy[kept]]
        for which, (each, rate) in enumerate(zip(question.table, rates, strict=True)):
            if each.threshold is None:
                continue
            blocks = np.flatnonzero(question.terms == which)
            taken = counts.keys[terms == which]
            starts = np.concatenate(
                [np.zeros(1, dtype=np.int64), np.cumsum(question.sizes[blocks])]
            )  # as if there were no others
            beside = question.bases[blocks] - starts[:-1]
            inside = taken - beside[np.searchsorted(question.bases[blocks], taken, side="right") - 1] if taken.size else taken
            ranks = noise.passing_ranks(int(starts[-1]) - taken.size, rate=rate, threshold=each.threshold, source=self.source)
            if ranks.size:
                false_keys = _skip(ranks, inside)
                keys.append(false_keys + beside[np.searchsorted(starts[1:], false_keys, side="right")])
                values.append(noise.tail_above(ranks.size, rate=rate, threshold=each.threshold, source=self.source))
        all_keys, all_values = np.concatenate(keys), np.concatenate(values)
        order = np.argsort(all_keys, kind="stable")
        return Cells(all_keys[order], all_values[order])

    def stable(self, question: StableQuestion, counts: Lists) -> Lists:
        """Noise every number and keep those that reach the threshold."""
        noisy = noise.add_noise(counts.values, rate=question.epsilon, source=self.source)
        kept = np.flatnonzero(noisy >= question.threshold)
        order = kept[lexicographic_order(chosen(counts.lists, kept))]
        return Lists(chosen(counts.lists, order), noisy[order])

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Draw by permute-and-flip."""
        return permute_and_flip(scores, epsilon=question.epsilon, sensitivity=question.sensitivity, source=self.source)


def _skip(ranks: Integers, taken: Integers) -> Integers:
    """The `rank`-th cells (from 0) of a domain from which the `taken` cells are left out; both sorted."""
    free_before = taken - np.arange(taken.size)  # how many free cells lie before each taken one
    return ranks + np.searchsorted(free_before, ranks, side="right")


def with_open_blocks(question: BlockQuestion, counts: Cells) -> Cells:
    """The counts with a zero for every empty cell of the blocks that have no threshold."""
    is_open = np.array([each.threshold is None for each in question.table], dtype=np.bool_)[question.terms]
    if not is_open.any():
        return counts
    listed = ranges(question.bases[:-1][is_open], question.sizes[is_open])
    keys = np.union1d(counts.keys, listed)
    values = np.zeros(keys.size, dtype=np.int64)
    values[np.searchsorted(keys, counts.keys)] = counts.values
    return Cells(keys, values)


Question = CellQuestion | BlockQuestion | StableQuestion | SelectionQuestion
Answer = Cells | Lists | int
Truth = Cells | Lists | tuple[int | Fraction, ...]


@dataclass
class Transcript:
    """The questions and answers of one run, in order."""

    entries: list[tuple[Question, Answer]] = field(default_factory=list)


@dataclass
class Trace:
    """The true counts or scores behind each question of a replay. Private: for the owner's auditor, never written."""

    entries: list[tuple[Question, Truth]] = field(default_factory=list)


@dataclass(frozen=True)
class Recording:
    """Answers as `inner` does, and writes them down."""

    inner: Answers
    transcript: Transcript

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """Answer and record."""
        return self._recorded(question, self.inner.cells(question, counts))

    def blocks(self, question: BlockQuestion, counts: Cells) -> Cells:
        """Answer and record."""
        return self._recorded(question, self.inner.blocks(question, counts))

    def _recorded(self, question: Question, answer: Cells) -> Cells:
        for array in (answer.keys, answer.values):
            array.setflags(write=False)  # what was recorded is what was answered
        self.transcript.entries.append((question, answer))
        return answer

    def stable(self, question: StableQuestion, counts: Lists) -> Lists:
        """Answer and record."""
        answer = self.inner.stable(question, counts)
        answer.values.setflags(write=False)
        self.transcript.entries.append((question, answer))
        return answer

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Answer and record."""
        answer = self.inner.select(question, scores)
        self.transcript.entries.append((question, answer))
        return answer


@dataclass
class Replaying:
    """Answers what a transcript says, and keeps the true counts of the data at hand in a trace."""

    transcript: Transcript
    trace: Trace
    position: int = 0

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """Give the recorded answer if the question is the recorded one."""
        return self._same_cells(question, counts)

    def blocks(self, question: BlockQuestion, counts: Cells) -> Cells:
        """Give the recorded answer if the question is the recorded one."""
        return self._same_cells(question, counts)

    def _same_cells(self, question: CellQuestion | BlockQuestion, counts: Cells) -> Cells:
        answer = self._next(question)
        self.trace.entries.append((question, Cells(counts.keys.copy(), counts.values.copy())))
        if not isinstance(answer, Cells):
            message = f"step {question.step!r} was recorded as another kind of question and is replayed as cells"
            raise ReplayError(message)
        return answer

    def stable(self, question: StableQuestion, counts: Lists) -> Lists:
        """Give the recorded answer if the question is the recorded one."""
        answer = self._next(question)
        self.trace.entries.append((question, counts))
        if not isinstance(answer, Lists):
            message = f"step {question.step!r} was recorded as another kind of question and is replayed as lists"
            raise ReplayError(message)
        return answer

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Give the recorded answer if the question is the recorded one."""
        answer = self._next(question)
        self.trace.entries.append((question, tuple(scores)))
        if not isinstance(answer, int):
            message = f"step {question.step!r} was recorded as another kind of question and is replayed as a selection"
            raise ReplayError(message)
        return answer

    def _next(self, question: Question) -> Answer:
        if self.position >= len(self.transcript.entries):
            message = f"the replayed run asks {question.step!r}, but the recorded run had asked no further question"
            raise ReplayError(message)
        recorded, answer = self.transcript.entries[self.position]
        if recorded != question:
            message = f"the replayed run asks {question}, the recorded run asked {recorded}: a decision was taken on raw data"
            raise ReplayError(message)
        self.position += 1
        return answer
