"""One person's problem: what occurs in the sequence, what must be hidden in it, and what showing less costs.

`Occurrences` counts strings in the sequence, for any grouping of its symbols. `Problem` joins these counts with the taxonomy,
the costs and the patterns. Symbols that never occur are left out, since nothing depends on them, and so are patterns that never
occur. What is left is numbered 0 ... n - 1; a *showing* is an array that holds, for each of these symbols, the node of the
taxonomy that is shown in its place. It is a public function of the symbol (a global generalization): all symbols that are shown
as one node form a *block*.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, combinations
from math import comb, fsum, log
from operator import or_

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Places, Reals
from tacita.errors import ParameterError
from tacita.personal.patterns import SensitivePatterns
from tacita.public.taxonomy import Taxonomy

__all__ = [
    "Occurrences",
    "Problem",
    "Tree",
    "count_occurrences",
    "count_tuples",
    "entropy_of",
]


# Exact numbers of occurrences in one sequence, for any grouping of its symbols.
#
# A block is a set of symbols that are shown alike, as the bits of an integer. A string of blocks b1 ... bm is shown at the
# places i1 < ... < im if each place holds a symbol of its block and im - i1 is at most the window w. Each such tuple of places
# spells one string only, so nothing is counted twice, whatever overlaps.
#
# - *Tuples* are counted from a table of all strings of m symbols, built once, where that is small; if not, by going through the
#   w distances from all first places at once, which takes O(|S| w m).
# - *Starts*, the places at which a string begins, are the bits of one long integer, found by the same walk with `or` for `+`:
#   O(|S| w m / 64).

Block = int

_TABLE_WORK = 2**24
_TABLE_CELLS = 2**20
_PIECE = 2**20
_BITS = 2**30
"""How many bits may be remembered, or needed at once: 128 MB."""
_MEMBERS = 2**21
"""How many symbols of blocks may be remembered: 16 MB."""


def count_occurrences(sequence: AnyIntegers, pattern: tuple[int, ...], *, window: int) -> int:
    """How many tuples of places hold the pattern within the window.

    >>> count_occurrences(np.array([0, 0, 1]), (0, 1), window=2)
    2
    """
    return _count([sequence == symbol for symbol in pattern], window)


def count_tuples(length: int, *, window: int, symbols: int) -> int:
    """How many tuples of `symbols` places a sequence has within the window, whatever they hold."""
    whole = max(0, length - window)
    rest = sum(comb(length - 1 - place, symbols - 1) for place in range(whole, length))
    return whole * comb(window, symbols - 1) + rest


class Occurrences:
    """Answers how often strings of blocks occur in one sequence of symbols 0 ... `symbols` - 1; remembers its answers."""

    def __init__(self, sequence: AnyIntegers, *, symbols: int, window: int) -> None:
        """Keep the sequence; the window is never wider than it."""
        self.sequence, self.symbols = sequence, symbols
        self.window = max(1, min(window, sequence.size))
        self._tables: dict[int, Integers | None] = {}
        self._tuples: dict[tuple[Block, ...], int] = {}
        self._starts: dict[tuple[Block, ...], int] = {}
        self._places: dict[Block, int] = {}
        self._members: dict[Block, Places] = {}
        self._totals: dict[int, int] = {}

    def total(self, length: int) -> int:
        """How many tuples of this length there are."""
        if length not in self._totals:
            total = count_tuples(self.sequence.size, window=self.window, symbols=length)
            if total >= 2**62:
                message = "the window must not hold more than 2**62 tuples of a pattern's length; choose a smaller one"
                raise ParameterError(message)
            self._totals[length] = total
        return self._totals[length]

    def tuples(self, string: tuple[Block, ...]) -> int:
        """How many tuples of places show this string of blocks."""
        if string not in self._tuples:
            table = self._table(len(string))
            if table is None:
                self._tuples[string] = _count([self._holds(block)[self.sequence] for block in string], self.window)
            else:
                for place, block in sorted(enumerate(string), key=lambda part: part[1].bit_count()):  # small ones first
                    table = table.take(self._symbols(block), axis=place)
                self._tuples[string] = int(table.sum())
        return self._tuples[string]

    def starts(self, string: tuple[Block, ...]) -> int:
        """The places at which this string of blocks begins, as bits."""
        if string not in self._starts:
            self._forget(self._starts)
            reached = [self._bits(block) if place == 0 else 0 for place, block in enumerate(string)]
            ahead = [self._bits(block) for block in string]
            for distance in range(1, self.window + 1 if len(string) > 1 else 1):
                for place in range(min(len(string) - 1, distance), 0, -1):
                    reached[place] |= reached[place - 1] & (ahead[place] >> distance)
            self._starts[string] = reached[-1]
        return self._starts[string]

    def places(self, string: tuple[Block, ...]) -> int:
        """The places that take part in a tuple that shows this string of blocks, as bits.

        `ahead[k][d]` are the first places from which the k-th block is at distance d; `before` and `after` those from which the
        blocks before it, and after it, are where they should be too.
        """
        if len(string) * self.window * self.sequence.size > _BITS:
            message = "local generalization needs a smaller window for a sequence as long as this; or choose the global one"
            raise ParameterError(message)
        last, distances = len(string) - 1, range(self.window + 1)
        ahead = [[self._bits(block) >> distance for distance in distances] for block in string]
        before = [[ahead[0][0], *[0] * self.window]]
        for part in range(1, last + 1):
            so_far = [0, *accumulate(before[-1], or_)]
            before.append([so_far[distance] & ahead[part][distance] for distance in distances])
        found, after = 0, [-1] * (self.window + 1)
        for part in range(last, -1, -1):
            there = [one & other for one, other in zip(before[part], after, strict=True)]
            for distance, firsts in enumerate(there):
                found |= firsts << distance
            complete = [one & other for one, other in zip(ahead[part], after, strict=True)]
            after = [0, *accumulate(reversed(complete), or_)][-2::-1]
        return found

    def _forget(self, remembered: dict[Block, int] | dict[tuple[Block, ...], int]) -> None:
        """Make room where a long sequence would fill the memory with answers."""
        if len(remembered) * self.sequence.size > _BITS // 4:
            remembered.clear()

    def _symbols(self, block: Block) -> Places:
        """The symbols of a block."""
        if block not in self._members:
            if len(self._members) * self.symbols > _MEMBERS:
                self._members.clear()
            self._members[block] = np.flatnonzero(self._holds(block))
        return self._members[block]

    def _holds(self, block: Block) -> Booleans:
        """Which symbols are in a block."""
        octets = np.frombuffer(block.to_bytes(-(-self.symbols // 8), "little"), dtype=np.uint8)
        return np.unpackbits(octets, count=self.symbols, bitorder="little").view(np.bool_)

    def _bits(self, block: Block) -> int:
        """The places that hold a symbol of the block."""
        if block not in self._places:
            self._forget(self._places)
            there = np.packbits(self._holds(block)[self.sequence], bitorder="little")
            self._places[block] = int.from_bytes(there.tobytes(), "little")
        return self._places[block]

    def _table(self, length: int) -> Integers | None:
        """How often each string of this many symbols occurs, or nothing where the table would be too large."""
        if length not in self._tables:
            cells, ways = self.symbols**length, comb(self.window, length - 1)
            fits = cells <= _TABLE_CELLS and ways * self.sequence.size * length + cells <= _TABLE_WORK
            self._tables[length] = self._counted(length) if fits else None
        return self._tables[length]

    def _counted(self, length: int) -> Integers:
        sequence, cells = self.sequence.astype(np.int32), self.symbols**length
        table, keys, waiting = np.zeros(cells, dtype=np.int64), [np.zeros(0, dtype=np.int32)], 0
        for distances in combinations(range(1, self.window + 1), length - 1):
            size = max(0, sequence.size - (distances[-1] if distances else 0))
            key = sequence[:size]
            for distance in distances:
                key = key * np.int32(self.symbols) + sequence[distance : distance + size]
            keys.append(key)
            waiting += size
            if waiting > _PIECE:
                table += np.bincount(np.concatenate(keys), minlength=cells)
                keys, waiting = [], 0
        if keys:
            table += np.bincount(np.concatenate(keys), minlength=cells)
        return table.reshape((self.symbols,) * length)


def _count(there: list[Booleans], window: int) -> int:
    """Tuples of places at which each part of a string is there, in order, within the window.

    `reached[k]` says, for each first place, in how many ways the parts up to k lie within the distance walked so far.
    """
    first, size = np.flatnonzero(there[0]), there[0].size
    if len(there) == 1:
        return int(first.size)
    window = min(window, size)
    number = np.int32 if comb(window, len(there) - 1) < 2**31 else np.int64
    ahead = np.zeros((len(there) - 1, size + window), dtype=number)
    ahead[:, :size] = there[1:]
    sparse = 4 * first.size < size
    reached = np.zeros((len(there), first.size if sparse else size), dtype=number)
    reached[0] = 1 if sparse else there[0]
    for distance in range(1, window + 1):
        reached[1:] += reached[:-1] * (ahead[:, first + distance] if sparse else ahead[:, distance : distance + size])
    return int(reached[-1].sum(dtype=np.int64))


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
