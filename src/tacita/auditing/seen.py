"""What can be seen of one return value: its numbers, each by its place, and its form (types, shapes, order), or a refusal.

Two values that Python takes for equal may look different in every file: `True` and `1`, 3 and 3.0, an array of another type, a
dictionary in another order. So an outcome is a pair of leaves and form, and both are examined. What there is too much of to
examine piece by piece is compared as a whole first, and the pieces that differ most are examined; the rest is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import copysign, isfinite, isnan
from typing import Any

import numpy as np

from tacita.auditing.black_box import Examined, Feature, number_features
from tacita.errors import ParameterError

__all__ = ["MOST_EXAMINED", "Seen", "examined", "refused", "seen"]

MOST_EXAMINED = 64
"""So many places are examined one by one; of more, those whose frequencies differ most."""

LONGEST_FORM = 64
"""The types of so many parts of one sequence are told one by one; of more, which types there are."""


class Seen:
    """One outcome: each leaf with the place where it was, and the form of the whole."""

    __slots__ = ("_hash", "_table", "form", "leaves")

    def __init__(self, leaves: tuple[tuple[Hashable, Hashable], ...], form: Hashable) -> None:
        """Keep both; they are hashed once, because every way to look at outcomes counts them again."""
        self.leaves, self.form = leaves, form
        self._hash = hash((leaves, form))
        self._table: dict[Hashable, Hashable] | None = None

    def __hash__(self) -> int:
        """The hash of both."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Equal if nothing that can be seen differs."""
        return isinstance(other, Seen) and (self.form, self.leaves) == (other.form, other.leaves)

    def __repr__(self) -> str:
        """The leaves, and how they were held."""
        return f"{[value for _, value in self.leaves]} as {self.form}"

    def __reduce__(self) -> tuple[type[Seen], tuple[Hashable, Hashable]]:
        """Make it anew in another process, where hashes may differ."""
        return Seen, (self.leaves, self.form)

    @property
    def table(self) -> dict[Hashable, Hashable]:
        """The leaf at each place."""
        if self._table is None:
            self._table = dict(self.leaves)
        return self._table

    @property
    def is_refusal(self) -> bool:
        """Whether nothing came back."""
        return isinstance(self.form, tuple) and self.form[:1] == ("refused",)


def refused(error: Exception) -> Seen:
    """What is seen of a run that raises: the kind of error and its words."""
    return Seen((), ("refused", type(error).__name__, str(error)))


def seen(value: Any) -> Seen:  # noqa: ANN401 - whatever a mechanism returns
    """Take a return value apart."""
    leaves: list[tuple[Hashable, Hashable]] = []
    form = _taken_apart(value, (), leaves)
    return Seen(tuple(leaves), form)


def _taken_apart(value: Any, place: tuple[Hashable, ...], leaves: list[tuple[Hashable, Hashable]]) -> Hashable:  # noqa: ANN401, PLR0911 - one line for each sort of value
    if hasattr(value, "manifest") and hasattr(value, "data"):
        return _taken_apart(value.data, place, leaves)
    if hasattr(value, "to_labels"):
        return _taken_apart(value.to_labels(), place, leaves)
    name = type(value).__name__
    if isinstance(value, np.generic):
        return (name, _taken_apart(value.item(), place, leaves))
    if isinstance(value, np.ndarray):
        for number, part in enumerate(value.reshape(-1).tolist()):
            _taken_apart(part, (*place, number), leaves)
        return (name, str(value.dtype), value.shape)
    if isinstance(value, Mapping):
        keys = {key: seen(key) for key in value}
        forms = {key: _taken_apart(value[key], (*place, keys[key]), leaves) for key in sorted(value, key=repr)}
        return (name, tuple((keys[key], forms[key]) for key in value))
    if isinstance(value, AbstractSet):
        whole = frozenset(seen(part) for part in value)
        leaves.append((place, whole))
        return (name, len(value))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        forms_in_order = [_taken_apart(part, (*place, number), leaves) for number, part in enumerate(value)]
        return (name, len(value), tuple(forms_in_order) if len(value) <= LONGEST_FORM else frozenset(forms_in_order))
    if not isinstance(value, Hashable):
        message = f"the mechanism returns {name}, which cannot be counted; give an outcome that makes a value of it"
        raise ParameterError(message)
    leaves.append((place, _told_apart(value)))
    return name


def _told_apart(value: Hashable) -> Hashable:
    """The value, or its name: no NaN equals another one, and a zero with a sign equals one without, though people see both."""
    is_odd = isinstance(value, float) and (isnan(value) or (value == 0 and copysign(1, value) < 0))
    return str(value) if is_odd else value


# How outcomes are looked at.


def examined(learnt: Sequence[Counter[Hashable]]) -> Examined:
    """The ways to look at outcomes, chosen by some runs of both sides, and a sentence on what is examined and what is not."""
    features: list[tuple[str, Feature]] = [
        ("the types, shapes and order of the output", _form),
        ("whether it is refused", _refusal),
        ("which places there are", _places),
        *number_features("the sum of all numbers", _sum),
    ]
    places = _by_difference(learnt)
    some = places[:MOST_EXAMINED]
    for place in some:
        features += number_features(f"the number at {_shown(place)}", _at(place))
    told = (
        f"examined: the whole output, its types, shapes and order, refusals, the sum, and {len(some):,} of {len(places):,} places"
    )
    if len(places) > len(some):
        told += (
            f"; the frequencies of all {len(places):,} places were compared, "
            f"the {len(places) - len(some):,} that differ least were not examined further"
        )
    return Examined(features=tuple(features), told=f"{told}; not examined: other functions of several numbers, time and memory")


def _by_difference(learnt: Sequence[Counter[Hashable]]) -> list[Hashable]:
    """All places, those first whose values have the most different frequencies on the two sides (rounded to a tenth)."""
    tables: list[dict[Hashable, Counter[Hashable]]] = []
    for side in learnt:
        table: dict[Hashable, Counter[Hashable]] = {}
        for outcome, times in side.items():
            if isinstance(outcome, Seen):
                for place, value in outcome.leaves:
                    table.setdefault(place, Counter())[_coarse(value)] += times
        tables.append(table)
    places = list(dict.fromkeys([*tables[0], *tables[1]]))

    def difference(place: Hashable) -> int:
        first, second = (table.get(place, Counter()) for table in tables)
        return sum(abs(first[value] - second[value]) for value in first.keys() | second.keys())

    return places if len(places) <= MOST_EXAMINED else sorted(places, key=difference, reverse=True)


def _coarse(value: Hashable) -> Hashable:
    return round(value, 1) if isinstance(value, float) and isfinite(value) else value


def _at(place: Hashable) -> Feature:
    def look(outcome: Hashable) -> Hashable:
        return outcome.table.get(place) if isinstance(outcome, Seen) else None

    return look


def _form(outcome: Hashable) -> Hashable:
    return outcome.form if isinstance(outcome, Seen) else None


def _refusal(outcome: Hashable) -> Hashable:
    return isinstance(outcome, Seen) and outcome.is_refusal


def _places(outcome: Hashable) -> Hashable:
    return frozenset(place for place, _ in outcome.leaves) if isinstance(outcome, Seen) else None


def _sum(outcome: Hashable) -> Hashable:
    if not isinstance(outcome, Seen):
        return None
    numbers = [value for _, value in outcome.leaves if isinstance(value, int | float)]
    return sum(numbers) if numbers else None


def _shown(place: Hashable) -> str:
    """A place for people: `1st`, `count`, `3, people`."""
    if not isinstance(place, tuple) or not place:
        return "the only place"
    parts = [step.leaves[0][1] if isinstance(step, Seen) and step.leaves else step for step in place]
    return "place " + ", ".join(str(part + 1) if isinstance(part, int) else repr(part) for part in parts)
