"""Numbers between 0 and 1 that are spread evenly, in place of random ones: what is written here needs no secret.

Two kinds: numbers that look random, by mixing bits of a counter (Steele, Lea and Flood, OOPSLA 2014); and numbers that fill the
interval evenly within each group, by multiples of the golden ratio, so that every frequency comes out nearly as expected.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import AnyIntegers, Reals

__all__ = ["STREAM", "evenly", "mixed"]


STREAM = 1 << 20
"""The turns of one stream; every part of a large release has a stream of its own."""

_GOLDEN, _SILVER = (5**0.5 - 1) / 2, 2**0.5 - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(size: int, *, turn: int) -> Reals:
    """As many numbers, others for each turn.

    >>> mixed(2, turn=1).round(3).tolist() == mixed(3, turn=1)[:2].round(3).tolist()
    True
    """
    bits = np.arange(size, dtype=np.uint64) + np.uint64((turn * 0x632BE59BD9B4E019) % 2**64)
    bits *= np.uint64(_STEP)
    for shift, factor in ((30, _FIRST), (27, _SECOND)):
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(31)
    return (bits >> np.uint64(11)).astype(np.float64) / 2**53


def evenly(groups: AnyIntegers, *, turn: int) -> Reals:
    """A number for each element, spread evenly over the elements of each group."""
    narrow = groups.astype(np.uint16) if int(groups.max(initial=0)) < 2**16 else groups  # 16 bits sort by radix
    numbers = np.empty(groups.size)
    stream, own = divmod(turn, STREAM)
    numbers[np.argsort(narrow, kind="stable")] = (np.arange(groups.size) * _GOLDEN + 0.37 * own + stream * _SILVER) % 1.0
    return numbers
