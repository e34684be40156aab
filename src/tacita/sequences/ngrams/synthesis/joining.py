"""Two ways to write sequences: joined from grams, as the thesis does, or walked by the fitted machine.

`joined` follows section 6.4.1 of Chen's thesis. The tree is extended level by level: a gram continues like its longest suffix
with known continuations, until sequences have their longest length. Then, from the longest grams to the shortest, each gram that
ends a sequence is written out as many times as it was counted, and subtracted from the counts of all grams in it; what is left of
shorter grams becomes shorter sequences. Departures: counts are whole numbers that add up (largest remainders), no count goes
below 0, and only grams that end a sequence, or that nothing is known to follow, are written out, so that no sequence is written
twice.

`walked` lets the machine of `fit` write all sequences at once.
"""

from __future__ import annotations

from functools import partial
from math import inf

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Reals
from tacita.arrays.parts import in_parts, part_of
from tacita.arrays.ragged import Ragged, by_length, offsets_of, ranges
from tacita.arrays.scatter import evenly_rounded
from tacita.privacy.limits import refuse_flood
from tacita.sequences.ngrams.synthesis.fit import Fitted
from tacita.sequences.ngrams.synthesis.tree import shared_out
from tacita.trees.noisy_tree import NoisyTree

__all__ = ["JoinedGrams", "joined", "walked"]


def joined(tree: NoisyTree, *, symbols: int, max_length: int, most: float = inf) -> Ragged:
    """Write out sequences of up to `max_length` symbols, at most so many; in the tree, the number `symbols` is the end."""
    grams = JoinedGrams(tree, symbols=symbols)
    while grams.depth < max_length and grams.extend():
        pass
    single = float(tree.levels[0].counts.clip(min=0).sum()) if tree.levels else 0.0
    return by_length(grams.written(share=min(1.0, most / max(single, 1.0))), symbols=symbols)  # each takes one of these at least


class JoinedGrams:
    """All grams as nodes of one numbering: 0 is the empty gram, then level by level, each in the order of its symbols.

    A node's key is its parent's number times the number of symbols and ends, plus its last symbol; keys increase with numbers.
    `links` gives the node of the longest proper suffix in the tree.
    """

    def __init__(self, tree: NoisyTree, *, symbols: int) -> None:
        """Number the nodes of the tree, and link them."""
        self.bins, self.end = symbols + 1, symbols
        zero = np.zeros(1, dtype=np.int64)
        self.keys, self.counts, self.links = zero - 1, zero.copy(), zero.copy()
        self.begins = [0, 1]
        for level in tree.levels:
            self._add(self.begins[-2] + level.parents if len(self.begins) > 2 else level.parents, level.symbols, level.counts)

    @property
    def depth(self) -> int:
        """The length of the longest grams."""
        return len(self.begins) - 2

    def _add(self, parents: Integers, symbols: Integers, counts: Integers) -> None:
        kept = np.flatnonzero(counts > 0)
        parents, symbols = parents[kept], symbols[kept]
        links = np.zeros(kept.size, dtype=np.int64)
        if self.depth:
            links = self._linked(self.links[parents], symbols)
        self.keys = np.concatenate([self.keys, parents * self.bins + symbols])
        self.counts = np.concatenate([self.counts, counts[kept]])
        self.links = np.concatenate([self.links, links])
        self.begins.append(self.keys.size)

    def _linked(self, states: Integers, symbols: Integers) -> Integers:
        """The longest gram among the suffixes of some grams, each extended by one symbol; found by following links."""
        found = np.zeros(symbols.size, dtype=np.int64)
        waiting = np.arange(symbols.size)
        while waiting.size:
            children = self._child(states[waiting], symbols[waiting])
            there = children >= 0
            found[waiting[there]] = children[there]
            waiting = waiting[~there & (states[waiting] > 0)]
            states[waiting] = self.links[states[waiting]]
        return found

    def _child(self, states: Integers, symbols: Integers) -> Integers:
        wanted = states * self.bins + symbols
        guess = np.minimum(np.searchsorted(self.keys, wanted), self.keys.size - 1)
        return np.where(self.keys[guess] == wanted, guess, -1)

    def extend(self) -> bool:
        """Extend grams by one symbol, or by an end; says whether there are any."""
        first, last = self.begins[-2:]
        nodes = np.arange(first, last)
        nodes = nodes[self.keys[nodes] % self.bins != self.end]
        if not nodes.size:
            return False
        suffixes = self.links[nodes]
        begins, sizes = self._children(suffixes)
        while True:
            shorter = np.flatnonzero((sizes == 0) & (suffixes > 0))
            if not shorter.size:
                break
            suffixes[shorter] = self.links[suffixes[shorter]]
            begins[shorter], sizes[shorter] = self._children(suffixes[shorter])
        sizes = np.where(suffixes > 0, sizes, 0)
        going_on = ranges(begins, sizes)
        owners = np.repeat(np.arange(nodes.size), sizes)
        totals = np.where(sizes > 0, self.counts[nodes], 0)
        counts = shared_out(totals, owners, self.counts[going_on].astype(np.float64))
        self._add(nodes[owners], self.keys[going_on] % self.bins, counts)
        return bool(self.begins[-1] > self.begins[-2])

    def _children(self, nodes: Integers) -> tuple[Integers, Integers]:
        begins = np.searchsorted(self.keys, nodes * self.bins)
        return begins, np.searchsorted(self.keys, (nodes + 1) * self.bins) - begins

    def written(self, *, share: float = 1.0) -> Ragged:
        """Write out grams from the longest to the shortest, each time subtracting their contents from the counts.

        Of less than all, an even share is written.
        """
        parts, lengths = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int64)]
        left = self.counts.copy()
        for length in range(self.depth, 0, -1):
            nodes = np.arange(self.begins[length], self.begins[length + 1])
            ends = self.keys[nodes] % self.bins == self.end
            nodes = nodes[(ends | (self._children(nodes)[1] == 0)) & (left[nodes] > 0)]
            if not nodes.size:
                continue
            words = self.words(nodes, length)
            times = left[nodes]
            self.take_off(left, words, times)
            is_end = words[:, -1] == self.end
            times = evenly_rounded(times * share, start=0.0) if share < 1 else times
            refuse_flood(float(times.sum()) * length)
            for ended in (True, False):
                rows = words[is_end == ended][:, : length - 1 if ended else length]
                copies = times[is_end == ended]
                if rows.shape[1]:
                    parts.append(np.repeat(rows, copies, axis=0).ravel().astype(np.int32))
                    lengths.append(np.full(int(copies.sum()), rows.shape[1], dtype=np.int64))
        return Ragged(np.concatenate(parts), offsets_of(np.concatenate(lengths)))

    def words(self, nodes: Integers, length: int) -> Integers:
        """The symbols of some grams of one length, one gram per row."""
        words = np.empty((nodes.size, length), dtype=np.int64)
        for column in range(length - 1, -1, -1):
            words[:, column] = self.keys[nodes] % self.bins
            nodes = self.keys[nodes] // self.bins
        return words

    def take_off(self, left: Integers, words: Integers, times: Integers) -> None:
        """Subtract the copies of some grams from every gram that occurs in them, once per occurrence."""
        for start in range(words.shape[1]):
            nodes, rows = np.zeros(times.size, dtype=np.int64), np.arange(times.size)
            for column in range(start, words.shape[1]):
                nodes = self._child(nodes, words[rows, column])
                there = nodes >= 0
                nodes, rows = nodes[there], rows[there]
                if not rows.size:
                    break
                np.subtract.at(left, nodes, times[rows])
        np.maximum(left, 0, out=left)


# Sequences written by the machine of `fit`, millions of them at once.
#
# No randomness is needed: sequences in the same state take evenly spaced positions in the distribution of the next symbol, so
# every frequency is as expected, up to rounding. Positions are assigned in steps of the golden ratio, so that where a sequence
# came from does not decide where it goes. Millions more are written in parts, each of which begins at other positions.


_GOLDEN, _SILVER, _BRONZE = (5**0.5 - 1) / 2, 2**0.5 - 1, (13**0.5 - 3) / 2
_GUIDES = 64


def walked(machine: Fitted, *, records: int, max_length: int) -> Ragged:
    """Write that many sequences; each ends where the machine says, or after `max_length` symbols."""
    refuse_flood(float(records) * max_length, in_parts=True)
    return in_parts(records, partial(_walked, machine, records, max_length), longest=max_length)


def _walked(machine: Fitted, everybody: int, max_length: int, part: int, parts: int) -> Ragged:
    """The sequences of one part; where the positions begin is another number for each part."""
    records = part_of(everybody, part, parts)
    contexts = machine.contexts
    symbols = contexts.symbols
    narrow = np.uint16 if len(contexts) <= 2**16 else np.int32
    who: AnyIntegers = np.arange(records, dtype=np.int32 if records < 2**31 else np.int64)
    states: AnyIntegers = np.full(records, contexts.first, dtype=narrow)
    lengths = np.full(records, max_length, dtype=np.int64)
    written: list[tuple[AnyIntegers, AnyIntegers]] = []
    for place in range(max_length):
        if not who.size:
            break
        order = np.argsort(states, kind="stable")  # NumPy sorts 16-bit numbers by radix
        who, states = who[order], states[order]
        chosen = _next(contexts.shares, machine.ends[place] if place else 0.0, states, place, part)
        is_over = chosen == symbols
        lengths[who[is_over]] = place
        going = np.flatnonzero(~is_over)
        who, states, chosen = who[going], states[going], chosen[going]
        written.append((who, chosen))
        states = contexts.following[states, chosen].astype(narrow)
    offsets = offsets_of(lengths)
    codes = np.empty(int(offsets[-1]), dtype=np.int32)
    for place, (owners, chosen) in enumerate(written):
        codes[offsets[owners] + place] = chosen
    return by_length(Ragged(codes, offsets), symbols=symbols)


def _next(shares: Reals, end: float, states: AnyIntegers, place: int, part: int) -> AnyIntegers:
    """The next symbol of each sequence; sequences come in the order of their states."""
    present, numbers = np.unique(states, return_inverse=True) if states.size < 2**12 else _present(states, shares.shape[0])
    rows = shares[present]
    rows[:, -1] *= end
    reached = np.cumsum(rows, axis=1)
    reached /= np.maximum(reached[:, -1:], 1e-300)
    reached[:, -1] = 1.0
    begins = np.searchsorted(numbers, np.arange(present.size))
    inside = np.arange(states.size) - begins[numbers]
    sizes = np.diff(np.append(begins, states.size))
    offsets = 0.01 + 0.98 * (((present + 1) * _GOLDEN + place * _SILVER + part * _BRONZE) % 1.0)
    turn = (inside * _strides(sizes)[numbers]) % sizes[numbers]
    spread = (turn + offsets[numbers]) / sizes[numbers]
    grid = np.arange(_GUIDES) / _GUIDES
    rows_first = np.arange(present.size)[:, None]
    guide = np.searchsorted((rows_first + reached).ravel(), (rows_first + grid).ravel(), side="right").reshape(-1, _GUIDES)
    guide = np.minimum(guide - rows_first * rows.shape[1], rows.shape[1] - 1).astype(np.int32)
    chosen: AnyIntegers = guide[numbers, (spread * _GUIDES).astype(np.int64)]
    waiting = np.flatnonzero(reached[numbers, chosen] <= spread)
    while waiting.size:
        chosen[waiting] += 1
        waiting = waiting[reached[numbers[waiting], chosen[waiting]] <= spread[waiting]]
    return chosen


def _strides(sizes: Integers) -> Integers:
    """For each size, a number near its golden section that is coprime to it, so that its multiples reach every position."""
    strides: Integers = np.maximum(1, np.rint(sizes * _GOLDEN)).astype(np.int64)
    while True:
        shared = np.flatnonzero(np.gcd(strides, sizes) > 1)
        if not shared.size:
            return strides
        strides[shared] += 1


def _present(states: AnyIntegers, size: int) -> tuple[Integers, Integers]:
    """The states that occur, and the index of each sequence's state among them."""
    table = np.bincount(states, minlength=size) > 0
    numbers = np.cumsum(table) - 1
    return np.flatnonzero(table), numbers[states]
