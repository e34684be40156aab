"""Cell suppression: single values are replaced by `*`, as few as a greedy search finds; no taxonomy is needed.

Groups that satisfy the model as they are stay untouched. The rows that are left are grouped by all columns but one, then but two,
and so on, and every group that satisfies the model is taken, the column sets that take most rows first. A row that nothing takes
joins the group that has to hide the fewest further cells to admit it; if that would break the model everywhere, the row is left
out. Table 2.3 of the thesis is what this gives for Table 2.1 and k = 2. Finding the fewest cells is NP-hard (Meyerson and
Williams, PODS 2004), so this is a heuristic; its result is verified like every other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.errors import ParameterError
from tacita.tables.full_domain import rows_to_keep
from tacita.tables.histograms import combined, group_rows, histograms
from tacita.tables.models import Model, violating
from tacita.tables.schema import Schema

__all__ = ["MOST_COLUMNS", "Suppressed", "suppressed_cells"]


MOST_COLUMNS = 14
"""All sets of columns are tried, so there must not be too many."""
NOBODY = -1
CLOSEST = 16
"""How many of the nearest groups are asked to admit a row that nothing took."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Suppressed:
    """The group of each row (-1 if it is left out), and for each group its places and which of them are hidden."""

    group_of: Integers
    places: Integers
    hidden: Booleans


@dataclass
class _State:
    """The groups so far."""

    schema: Schema
    quasi: tuple[Integers, ...]
    sensitive: Integers | None
    models: tuple[Model, ...]
    overall: Integers
    group_of: Integers
    places: list[Integers]
    hidden: list[Booleans]
    groups: int = 0

    def grouped(self, rows: Integers, shown: tuple[int, ...]) -> tuple[Integers, Integers, Booleans]:
        """The rows grouped by some columns: the group of each, a row of each group, and which groups satisfy the models."""
        columns = tuple(self.quasi[place][rows] for place in shown)
        keys = combined(columns, tuple(self.schema.sizes[place] for place in shown)) if shown else np.zeros_like(rows)
        group_of, firsts = group_rows(keys)
        return group_of, firsts, ~self.violated(group_of, rows, groups=firsts.size)

    def violated(self, group_of: Integers, rows: Integers, *, groups: int) -> Booleans:
        """Which groups violate a model."""
        values = None if self.sensitive is None else self.sensitive[rows]
        found = histograms(group_of, values, groups=groups, symbols=self.overall.size)
        return violating(self.models, found, self.overall, self.schema)

    def take(self, rows: Integers, group_of: Integers, firsts: Integers, good: Booleans, shown: tuple[int, ...]) -> Integers:
        """Make groups of those that are good, and give back the rows that are left."""
        number = np.cumsum(good) - 1 + self.groups
        taken = good[group_of]
        self.group_of[rows[taken]] = number[group_of[taken]]
        representatives = rows[firsts[good]]
        self.places.append(np.stack([codes[representatives] for codes in self.quasi], axis=1))
        hidden = np.ones((representatives.size, len(self.quasi)), dtype=np.bool_)
        hidden[:, list(shown)] = False
        self.hidden.append(hidden)
        self.groups += int(representatives.size)
        return rows[~taken]


def suppressed_cells(
    schema: Schema, quasi: tuple[Integers, ...], sensitive: Integers | None, models: tuple[Model, ...]
) -> Suppressed:
    """Hide cells until every group satisfies the models."""
    width = len(quasi)
    if width > MOST_COLUMNS:
        message = f"cell suppression tries all sets of columns, so a table must have at most {MOST_COLUMNS}, got {width}"
        raise ParameterError(message)
    symbols = 1 if schema.sensitive is None or sensitive is None else schema.sensitive.size
    values = np.zeros(quasi[0].size, dtype=np.int64) if sensitive is None else sensitive
    order = np.lexsort((values, *quasi[::-1]))  # rows are admitted one by one, so theirs must not be the order of the file
    state = _State(
        schema=schema,
        quasi=tuple(codes[order] for codes in quasi),
        sensitive=None if sensitive is None else sensitive[order],
        models=models,
        overall=np.bincount(values, minlength=symbols).astype(np.int64),
        group_of=np.full(quasi[0].size, NOBODY, dtype=np.int64),
        places=[],
        hidden=[],
    )
    left = np.arange(quasi[0].size, dtype=np.int64)
    for size in range(width + 1):
        for shown in _most_taking_first(state, left, width - size):
            if left.size:
                group_of, firsts, good = state.grouped(left, shown)
                left = state.take(left, group_of, firsts, good, shown)
    places, hidden = np.concatenate(state.places), np.concatenate(state.hidden)
    for row in left.tolist():
        _admit(state, row, places, hidden)
    found = _stable(state, places, hidden)
    group_of = np.empty_like(found.group_of)
    group_of[order] = found.group_of
    return Suppressed(group_of=group_of, places=found.places, hidden=found.hidden)


def _most_taking_first(state: _State, rows: Integers, size: int) -> list[tuple[int, ...]]:
    """The sets of this many columns, those first that would take most of the rows."""
    if not rows.size:
        return []
    taken: list[tuple[int, tuple[int, ...]]] = []
    for shown in combinations(range(len(state.quasi)), size):
        group_of, _, good = state.grouped(rows, shown)
        taken.append((-int(np.count_nonzero(good[group_of])), shown))
    return [shown for _, shown in sorted(taken)]


def _admit(state: _State, row: int, places: Integers, hidden: Booleans) -> None:
    """Let a row join the group that must hide the fewest further cells for it, if the group then still satisfies the models."""
    if not state.groups:
        return
    mine = np.array([codes[row] for codes in state.quasi])
    differs = (places != mine) & ~hidden
    sizes = np.bincount(state.group_of[state.group_of >= 0], minlength=state.groups)
    cost = differs.sum(axis=1) * sizes + (differs | hidden).sum(axis=1)
    cost[sizes == 0] = np.iinfo(np.int64).max
    for group in np.argsort(cost, kind="stable")[:CLOSEST].tolist():
        together = np.append(np.flatnonzero(state.group_of == group), row)
        if not state.violated(np.zeros(together.size, dtype=np.int64), together, groups=1)[0]:
            state.group_of[row] = group
            hidden[group] |= differs[group]
            return


def _stable(state: _State, places: Integers, hidden: Booleans) -> Suppressed:
    """Groups that show the same become one; if rows were left out, what no longer satisfies the models goes as well."""
    shown = np.where(hidden, -1, places)
    _, firsts, merged = np.unique(shown, axis=0, return_index=True, return_inverse=True)
    kept = state.group_of >= 0
    group_of = np.where(kept, merged.reshape(-1)[state.group_of], NOBODY)
    rows = np.flatnonzero(kept)
    values = None if state.sensitive is None else state.sensitive[rows]
    staying = rows_to_keep(
        group_of[rows],
        values,
        state.models,
        state.schema,
        symbols=state.overall.size,
        weights=np.ones(rows.size, dtype=np.int64),
        limit=rows.size,
    )
    group_of[rows[~staying] if staying is not None else rows] = NOBODY
    return Suppressed(group_of=group_of, places=places[firsts], hidden=hidden[firsts])
