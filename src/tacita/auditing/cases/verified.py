"""Audits of methods whose releases are verified: small data sets of personal sequences and of trajectories.

The check of personal sequences looks at every tuple of places one by one, and raw records must fail it. It shares nothing with
the one that every release has passed before it was published: it goes through the tuples that end at each place, in the order
in which the places came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, repeat
from math import log
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.auditing.cases.case import Rows
from tacita.errors import ParameterError
from tacita.personal import (
    BeliefBound,
    EveryPattern,
    Form,
    InformationBound,
    OnlineHiding,
    PatternHiding,
    PatternList,
    PersonalRecords,
    PublishedPersonal,
    Scope,
)
from tacita.privacy.budget import Budget
from tacita.public.taxonomy import Taxonomy, equal_width_bins
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator
from tacita.trajectories import PublishedTrajectories, SensitiveGroups, Strategy, Suppression, TrajectoryRecords

__all__ = ["PersonalCase", "Tally", "TrajectoryCase"]

_TREE = Taxonomy.balanced(Universe("abcdefghi"), fan_out=3)
_PATTERNS = PatternList((("a", "b"), ("c", "d"), ("e", "a", "b")))
_WINDOW, _FEWEST = 4, 9
String = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class PersonalCase:
    """A method that hides patterns, on one short random sequence at a time, of the symbols of its patterns and some others."""

    name: str
    mechanism: Any
    budget: Budget | None = None
    _raw: list[PersonalRecords] = field(default_factory=list, repr=False)

    @classmethod
    def variants(cls, name: str) -> dict[str, PatternHiding | OnlineHiding]:
        """A belief, a share of the entropy and the paper's rule, each global and local; and online."""
        if name == "online-hiding":
            found = OnlineHiding(belief=Fraction(3, 10), patterns=_PATTERNS, taxonomy=_TREE, window=_WINDOW)
            return {f"{name}, {found.bound}": found}
        bounds = (BeliefBound(limit="0.3"), InformationBound(limit="0.4"), EveryPattern())
        return {
            f"{name}, {bound}, {scope}": PatternHiding(
                bound=bound, patterns=_PATTERNS, taxonomy=_TREE, window=_WINDOW, scope=scope
            )
            for bound in bounds
            for scope in Scope
        }

    @property
    def tree(self) -> Taxonomy:
        """The taxonomy of the method; if it makes bins, of the numbers of its patterns and those that come next."""
        taxonomy: Taxonomy | None = self.mechanism.taxonomy
        if taxonomy is not None:
            return taxonomy
        try:
            numbers = {int(label) + more for pattern in self.mechanism.patterns.labels for label in pattern for more in range(9)}
        except ValueError:
            message = "bins are for labels that are whole numbers, and so are patterns over them"
            raise ParameterError(message) from None
        return equal_width_bins(Universe(map(str, sorted(numbers))), widths=self.mechanism.bins)

    def random_rows(self, generator: PublicGenerator) -> list[int]:
        """A sequence of 60 to 300 symbols, some of them far more frequent than others."""
        codes = self.mechanism.patterns.within(self.mechanism.window, universe=self.tree.universe).codes
        sensitive = list(dict.fromkeys(code for pattern in codes for code in pattern))
        others = [code for code in range(len(self.tree.universe)) if code not in sensitive]
        symbols = [*sensitive, *others][: max(_FEWEST, len(sensitive) + 4)]
        size = int(generator.integers(60, 300))
        return [symbols[int(place)] for place in np.minimum(*generator.integers(0, len(symbols), (2, size)))]

    def records(self, rows: list[int]) -> PersonalRecords:
        """The sequence as private records."""
        self._raw[:] = [PersonalRecords(sequences=Ragged.from_lists([rows]), universe=self.tree.universe, name="audit")]
        return self._raw[0]

    def unprotected(self, records: PersonalRecords) -> PublishedPersonal:
        """Everything shown as it is."""
        return PublishedPersonal(sequences=records.sequences, taxonomy=self.tree)

    def violations(self, published: PublishedPersonal) -> list[str]:
        """What a release gives away beyond the bound, in the end, and online at every moment."""
        truth, shown = self._raw[0].person(0)[0].tolist(), published.sequences.codes.tolist()
        if len(shown) < len(truth) and isinstance(self.mechanism, OnlineHiding):
            truth = [truth[place] for place in self.mechanism.outcomes(self._raw[0])[0].places]
        if len(shown) != len(truth) or not all(map(_is_above, shown, truth, repeat(self.tree))):
            return ["a place shows no node above its symbol"]
        tally = Tally(patterns=self.mechanism.patterns.within(self.mechanism.window, universe=self.tree.universe).codes)
        moments = [
            _exceeded(tally, self.mechanism.bound)
            for _ in tally.grown(truth, shown, window=self.mechanism.window)
            if isinstance(self.mechanism, OnlineHiding)
        ]
        return ["a bound is exceeded"] if any(moments) or _exceeded(tally, self.mechanism.bound) else []


def _is_above(node: int, label: int, tree: Taxonomy) -> bool:
    """Whether a node is a label or above it."""
    while label not in {node, -1}:
        label = tree.parents[label]
    return label == node


@dataclass(kw_only=True)
class Tally:
    """What all tuples of places so far show and hold, and where they start."""

    patterns: tuple[String, ...]
    shown: Counter[String] = field(default_factory=Counter)
    held: dict[String, Counter[String]] = field(default_factory=dict)
    shown_from: dict[String, set[int]] = field(default_factory=dict)
    held_from: dict[tuple[String, String], set[int]] = field(default_factory=dict)

    def grown(self, truth: list[int], nodes: list[int], *, window: int) -> Iterator[int]:
        """Add the tuples that end at each place, one place after the other."""
        lengths = {len(pattern) for pattern in self.patterns}
        for end in range(len(truth)):
            for length in lengths:
                for before in combinations(range(max(0, end - window), end), length - 1):
                    self._add((*before, end), truth, nodes)
            yield end

    def _add(self, places: tuple[int, ...], truth: list[int], nodes: list[int]) -> None:
        string, pattern = (tuple(values[place] for place in places) for values in (nodes, truth))
        self.shown[string] += 1
        self.shown_from.setdefault(string, set()).add(places[0])
        if pattern in self.patterns:
            self.held.setdefault(string, Counter())[pattern] += 1
            self.held_from.setdefault((string, pattern), set()).add(places[0])

    def belief(self, form: Form) -> Fraction:
        """The greatest belief of a form."""
        match form:
            case Form.TUPLES_SINGLE:
                found = [Fraction(max(held.values()), self.shown[string]) for string, held in self.held.items()]
            case Form.TUPLES_ANY:
                found = [Fraction(held.total(), self.shown[string]) for string, held in self.held.items()]
            case Form.STARTS_SINGLE:
                found = [Fraction(len(held), len(self.shown_from[string])) for (string, _), held in self.held_from.items()]
            case Form.STARTS_ANY:
                held_at = set().union(*self.held_from.values())
                shown_at = set().union(*(self.shown_from[string] for string in self.held))
                found = [Fraction(len(held_at), len(shown_at))] if held_at else []
        return max(found, default=Fraction(0))

    def information(self, length: int) -> tuple[float, float]:
        """I and H of which pattern of this length a tuple holds, if any, and what it shows; from the joint distribution."""
        joint: Counter[tuple[String, String | None]] = Counter()
        for string, number in self.shown.items():
            if len(string) == length:
                held = self.held.get(string, Counter())
                joint.update({(string, pattern): count for pattern, count in held.items()})
                joint[string, None] = number - held.total()
        truths: Counter[String | None] = Counter()
        for (_, pattern), number in joint.items():
            truths[pattern] += number
        total = truths.total()
        given = sum(
            number / total * log(number * total / (truths[pattern] * self.shown[string]))
            for (string, pattern), number in joint.items()
            if number
        )
        return given, -sum(number / total * log(number / total) for number in truths.values() if number)


def _exceeded(tally: Tally, bound: Any) -> bool:  # noqa: ANN401 - any bound
    """Whether more is given away than the bound allows."""
    lengths = {len(pattern) for held in tally.held.values() for pattern in held}
    if isinstance(bound, BeliefBound):
        return any(tally.belief(form) > bound.limit for form in bound.forms)
    if isinstance(bound, EveryPattern):
        return any(string in held for string, held in tally.held.items())
    if isinstance(bound, InformationBound):
        pairs = (tally.information(length) for length in lengths)
        return any(given > float(bound.limit) * entropy + 1e-9 for given, entropy in pairs)
    return False  # a measure of the paper promises nothing


# Trajectories.

LABELS = "ABCDEF"
ILL = SensitiveGroups.parse("state=ill<=1/2")


@dataclass(frozen=True, kw_only=True)
class TrajectoryCase:
    """A method for trajectories on some labels, each at its own time; a row that ends with `!` is of somebody who is ill."""

    name: str
    mechanism: Any
    budget: None = None

    @staticmethod
    def variants(method: str) -> dict[str, Suppression]:
        """Every strategy, with and without a sensitive value."""
        found = {}
        for strategy in Strategy:
            found[f"{method}, {strategy}"] = Suppression(crowd=2, known_pairs=3, strategy=strategy)
            found[f"{method}, {strategy}, sensitive"] = Suppression(crowd=2, known_pairs=2, strategy=strategy, sensitive=ILL)
        return found

    def records(self, rows: Rows) -> TrajectoryRecords:
        """Private records from rows."""
        pairs = [[(label, LABELS.index(label)) for label in row if label in LABELS] for row in rows]
        return TrajectoryRecords.from_pairs(
            pairs,
            universe=Universe(LABELS),
            grid=TimeGrid(start=0, interval=1, intervals=len(LABELS)),
            attributes={"state": ["ill" if row.endswith("!") else "well" for row in rows]},
            name="audit",
        )

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Two to twelve persons."""
        rows = []
        for _ in range(int(generator.integers(2, 13))):
            row = "".join(label for label in LABELS if generator.integers(0, 2)) or LABELS[0]
            rows.append(row + ("!" if generator.integers(0, 4) == 0 else ""))
        return tuple(rows)

    def unprotected(self, records: TrajectoryRecords) -> PublishedTrajectories:
        """The raw records as if they were published."""
        return PublishedTrajectories(
            trajectories=records.trajectories,
            universe=records.universe,
            grid=records.grid,
            attributes=records.attributes,
            requirement=self.mechanism.requirement,
        )

    def violations(self, published: PublishedTrajectories) -> list[str]:
        """Every small set that too few records have, or that reveals too much, by trying all of them."""
        asked = self.mechanism.requirement
        rows = [frozenset(row) for row in published.trajectories.to_lists()]
        states = ["well"] * len(rows) if published.attributes is None else published.attributes.to_series().to_list()
        known = {
            frozenset(some)
            for row in rows
            for size in range(1, (asked.known_pairs or len(row)) + 1)
            for some in combinations(sorted(row), size)
        }
        found = []
        for some in sorted(known, key=sorted):
            having = [state for row, state in zip(rows, states, strict=True) if some <= row]
            wrong = len(having) < asked.crowd
            wrong |= any(
                sum(state in group.values for state in having) > group.confidence * len(having) for group in asked.groups
            )
            found += [f"{len(some)} pairs that {len(having)} records have"] if wrong else []
        return found
