"""One person's problem: what occurs in the sequence, what must be hidden in it, and what showing less costs.

Symbols that never occur are left out, since nothing depends on them, and so are patterns that never occur. What is left is
numbered 0 ... n - 1; a *showing* is an array that holds, for each of these symbols, the node of the taxonomy that is shown in its
place. It is a public function of the symbol (a global generalization): all symbols that are shown as one node form a block.
"""

from __future__ import annotations

from functools import cached_property
from math import fsum, log

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Places, Reals
from tacita.personal.occurrences import Block, Occurrences
from tacita.personal.patterns import SensitivePatterns
from tacita.public.taxonomy import Taxonomy

__all__ = ["Problem", "Tree", "entropy_of"]


class Problem:
    """A sequence with the taxonomy, costs and sensitive patterns that belong to it, narrowed down to what occurs."""

    def __init__(
        self,
        sequence: AnyIntegers,
        *,
        patterns: SensitivePatterns,
        taxonomy: Taxonomy,
        costs: Reals,
        weights: Reals | None = None,
    ) -> None:
        """Number the symbols that occur and find the paths above them; `weights` says how much each place matters."""
        seen = np.zeros(len(taxonomy.universe), dtype=np.bool_)
        seen[sequence] = True
        self.labels = np.flatnonzero(seen)
        number = np.full(len(taxonomy.universe), -1, dtype=np.int64)
        number[self.labels] = np.arange(self.labels.size)
        self.sequence = number[sequence]
        self.occurrences = Occurrences(self.sequence, symbols=self.labels.size, window=patterns.window)
        self.place_weights = np.ones(self.sequence.size) if weights is None else weights
        self.weights = np.bincount(self.sequence, weights=self.place_weights, minlength=self.labels.size).astype(np.float64)
        self.costs = costs[self.labels]
        self.tree = Tree(taxonomy, self.labels)
        named = [tuple(number[list(pattern)].tolist()) for pattern in patterns.codes]
        found = [pattern for pattern in named if min(pattern) >= 0 and self.occurrences.tuples(_single(pattern))]
        self.patterns = tuple(sorted(found, key=len))
        self.sensitive = sorted({symbol for pattern in self.patterns for symbol in pattern})
        self._shown: tuple[tuple[Block, ...] | None, dict[tuple[int, ...], tuple[Block, ...]]] = (None, {})

    @cached_property
    def tuples_of(self) -> dict[tuple[int, ...], int]:
        """How many tuples of places hold each pattern."""
        return {pattern: self.occurrences.tuples(_single(pattern)) for pattern in self.patterns}

    @cached_property
    def starts_of(self) -> dict[tuple[int, ...], int]:
        """The places at which each pattern begins, as bits."""
        return {pattern: self.occurrences.starts(_single(pattern)) for pattern in self.patterns}

    @cached_property
    def by_length(self) -> dict[int, tuple[tuple[int, ...], ...]]:
        """The patterns of each length."""
        lengths = sorted({len(pattern) for pattern in self.patterns})
        return {length: tuple(pattern for pattern in self.patterns if len(pattern) == length) for length in lengths}

    @cached_property
    def entropies(self) -> dict[int, float]:
        """H_m for each length m: the entropy of which pattern a tuple of places holds, if any."""
        found = {}
        for length, patterns in self.by_length.items():
            counts = [self.tuples_of[pattern] for pattern in patterns]
            found[length] = entropy_of([*counts, self.occurrences.total(length) - sum(counts)])
        return found

    @property
    def everything_shown(self) -> Integers:
        """Every symbol as it is."""
        return self.labels.astype(np.int64)

    @property
    def nothing_shown(self) -> Integers:
        """Every symbol as the root."""
        return np.full(self.labels.size, self.tree.root, dtype=np.int64)

    def blocks(self, showing: Integers) -> tuple[Block, ...]:
        """The block of each sensitive symbol; all that measures of privacy depend on."""
        bits: dict[int, Block] = {}
        for node in showing[self.sensitive].tolist():
            if node not in bits:
                bits[node] = int.from_bytes(np.packbits(showing == node, bitorder="little").tobytes(), "little")
        return tuple(bits[node] for node in showing[self.sensitive].tolist())

    def shown_as(self, blocks: tuple[Block, ...]) -> dict[tuple[int, ...], tuple[Block, ...]]:
        """The string of blocks that each pattern is shown as; the last answer is remembered, since all measures ask for it."""
        if self._shown[0] != blocks:
            block = dict(zip(self.sensitive, blocks, strict=True))
            strings = {pattern: tuple(block[symbol] for symbol in pattern) for pattern in self.patterns}
            self._shown = blocks, strings
        return self._shown[1]

    def loss(self, showing: Integers) -> float:
        """What this showing costs, summed over the sequence."""
        return float(self.weights @ self.costs[np.arange(self.labels.size), self.tree.depths[showing]])

    def loss_per_symbol(self, showing: Integers) -> float:
        """The loss in the mean over the sequence, by weight."""
        total = float(self.weights.sum())
        return self.loss(showing) / total if total else 0.0


class Tree:
    """The part of a taxonomy that lies above the symbols of a problem."""

    def __init__(self, taxonomy: Taxonomy, labels: Places) -> None:
        """Walk up from every symbol."""
        self.root = taxonomy.root
        self.parents = taxonomy.parents
        self.depths = taxonomy.tree.depths
        self.above = taxonomy.above
        self.paths: list[list[int]] = []
        members: dict[int, list[int]] = {}
        children: dict[int, dict[int, None]] = {}
        for symbol, label in enumerate(labels.tolist()):
            path = taxonomy.above(label)[::-1]
            self.paths.append(path)
            for depth, node in enumerate(path):
                members.setdefault(node, []).append(symbol)
                if depth:
                    children.setdefault(path[depth - 1], {})[node] = None
        self.members_of = members
        self.members = {node: np.array(symbols, dtype=np.int64) for node, symbols in members.items()}
        self.children = {node: list(below) for node, below in children.items()}

    def common(self, one: int, other: int) -> int:
        """The least node that is at or above both."""
        while one != other:
            if self.depths[one] >= self.depths[other]:
                one = self.parents[one]
            else:
                other = self.parents[other]
        return one


def entropy_of(counts: list[int]) -> float:
    """The entropy of a distribution in nats."""
    total = sum(counts)
    return fsum(count / total * log(total / count) for count in counts if count)


def _single(pattern: tuple[int, ...]) -> tuple[Block, ...]:
    """A pattern as a string of blocks of one symbol each."""
    return tuple(1 << symbol for symbol in pattern)
