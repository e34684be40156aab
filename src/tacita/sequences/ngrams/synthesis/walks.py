"""Sequences written by a machine of contexts, millions of them at once.

No randomness is needed: sequences in the same state take evenly spaced positions in the distribution of the next symbol, so every
frequency is as expected, up to rounding. Positions are assigned in steps of the golden ratio, so that where a sequence came from
does not decide where it goes. Millions more are written in parts, each of which begins at other positions.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Reals
from tacita.arrays.parts import in_parts, part_of
from tacita.arrays.ragged import Ragged, by_length, offsets_of
from tacita.privacy.flood import refuse_flood
from tacita.sequences.ngrams.synthesis.fit import Fitted

__all__ = ["walked"]


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
