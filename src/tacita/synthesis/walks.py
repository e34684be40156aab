"""Walks of a chain, each given its length: chances of ending in time go backward, draws go forward.

With B_0(s) the chance to end after s and B_k(s) = sum over x of P(s, x) B_{k-1}(x), a walk at s that is to take k more symbols
goes to x with a chance proportional to P(s, x) B_{k-1}(x). So lengths are met exactly and nothing is cut.

What is drawn here needs no secret: numbers are hashed, so that the same noisy answers give the same walks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.arrays.scatter import spread

__all__ = ["ANY", "FRO", "STAY", "Chain", "Habits", "walks"]


NEVER = 1e-9
"""Every step is possible, so that every length can be met."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """`table[r]` holds the mass of each next symbol, and of the end in the last column; the last row is that of the start.

    A chain without memory has one row.
    """

    table: Reals

    @property
    def symbols(self) -> int:
        """The number of symbols."""
        return int(self.table.shape[1]) - 1

    @property
    def has_memory(self) -> bool:
        """Whether what comes next depends on the last symbol."""
        return int(self.table.shape[0]) > 1

    @property
    def chances(self) -> Reals:
        """The rows as probabilities."""
        sums = self.table.sum(axis=1, keepdims=True)
        even = np.full_like(self.table, 1 / self.table.shape[1])
        found = np.where(sums > 0, self.table / np.maximum(sums, 1e-300), even) + NEVER / self.table.shape[1]
        return np.asarray(found, dtype=np.float64)

    def rows_of(self, symbols: Integers) -> Integers:
        """The row after each symbol."""
        return symbols if self.has_memory else np.zeros_like(symbols)


@dataclass(frozen=True, kw_only=True, eq=False)
class Habits:
    """How walkers go back: with which chance at each step, to which place, and whether home at last."""

    returning: Reals
    to: Integers
    home: Booleans


STAY, FRO, ANY = 0, 1, 2
"""Where a step back leads: nowhere else; to the symbol before the last, as commuters go; to any earlier one, but not the last."""


def walks(
    chain: Chain, lengths: Integers, *, habits: Habits | None = None, again: Integers | None = None, salt: int = 0
) -> Ragged:
    """A walk of each length, the lengths in decreasing order.

    A step back leads to a symbol that the walk has already. Who goes home ends a walk of three symbols or more where it began.
    `again` says how such a symbol is written.
    """
    chances = chain.chances
    go, begins = chances[:, :-1], offsets_of(lengths)[:-1]
    longest, number = int(lengths.max(initial=0)), lengths.size
    in_time = _in_time(chain, chances, longest)
    found: Numbers = np.empty(int(lengths.sum()), dtype=np.int32)
    rows = np.full(number, go.shape[0] - 1, dtype=np.int64)
    done = np.zeros(number, dtype=np.int64)
    still_many = np.searchsorted(-lengths, -np.arange(longest + 1), side="right")  # how many walks have at least k symbols
    for left in range(longest, 0, -1):
        going = int(still_many[left])
        if not going:
            continue
        draws = spread(np.arange(going), salt=salt + 3 * left)
        symbols = _drawn(go, in_time[left - 1], rows[:going], draws)
        if habits is not None:
            is_back = spread(np.arange(going), salt=salt + 3 * left + 1) < np.where(
                done[:going] > 0, habits.returning[:going], 0.0
            )
            goes_home = habits.home[:going] & (done[:going] > 1) if left == 1 else np.zeros(going, dtype=np.bool_)
            back = np.flatnonzero(is_back | goes_home)
            earlier = (spread(back, salt=salt + 3 * left + 2) * done[back]).astype(np.int64)
            way = habits.to[back]
            earlier = np.where(way == STAY, done[back] - 1, np.where((way == FRO) & (done[back] > 1), done[back] - 2, earlier))
            earlier[goes_home[back]] = 0
            known = found[begins[back] + earlier]
            is_other = (known != found[begins[back] + done[back] - 1]) | (way == STAY) | goes_home[back]
            symbols[back[is_other]] = (known if again is None else again[known])[is_other]
        found[begins[:going] + done[:going]] = symbols
        rows[:going] = chain.rows_of(symbols)
        done[:going] += 1
    return Ragged(found, offsets_of(lengths))


def _in_time(chain: Chain, chances: Reals, longest: int) -> list[Reals]:
    """For each number of further symbols, from 0, how likely a walk ends right after them, by its last symbol."""
    row_after = chain.rows_of(np.arange(chain.symbols))
    found = [chances[row_after, -1]]
    for _ in range(longest - 1):
        by_row = chances[:, :-1] @ found[-1]
        found.append(by_row[row_after] / by_row[row_after].max())
    return found


def _drawn(go: Reals, in_time: Reals, rows: Integers, draws: Reals) -> Integers:
    """The next symbol of each walk: only rows that some walk is in are summed."""
    used, row_of = np.unique(rows, return_inverse=True)
    reached = np.cumsum(go[used] * in_time, axis=1)
    reached /= reached[:, -1:]
    flat = (reached + np.arange(used.size)[:, np.newaxis]).ravel()
    place = np.searchsorted(flat, row_of.reshape(-1) + draws * (1 - 1e-12), side="right") - row_of.reshape(-1) * go.shape[1]
    return np.asarray(np.clip(place, 0, go.shape[1] - 1), dtype=np.int64)
