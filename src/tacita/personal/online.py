"""Online sanitization: what is shown of a symbol is decided when it comes, for good (section 3.2 of the paper, not solved there).

The sanitizer follows a plan: a showing that was found on an earlier sequence of the same person. Each symbol is shown as its
plan says, or as the lowest node above that at which everything published so far still keeps the belief, or it is withheld. A
withheld symbol is as if it had never been: what was published is then a sequence without it, and distances are those within
what was published.

It promises, at every moment: among all tuples of places published so far that show one string, at most the limit hold one
sensitive pattern, and at most the limit any of them (the forms `tuples-single` and `tuples-any`). It cannot promise the beliefs
by starting places, because a place can become a start when it is long published; nor anything about when symbols were withheld,
if that is seen.

Each step looks at the tuples that end in the new place, of which there are C(window, m - 1) for each length m.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb

from tacita.errors import ParameterError
from tacita.personal.bounds import BeliefBound
from tacita.personal.patterns import SensitivePatterns
from tacita.public.taxonomy import Taxonomy

__all__ = ["OnlineSanitizer"]

MOST_TUPLES = 100_000

String = tuple[int, ...]


@dataclass(kw_only=True)
class OnlineSanitizer:
    """Decides what is shown of each symbol of a growing sequence; `plan` says as which node at the finest a label may be shown.

    A label without a plan is shown as the root at the finest.

    >>> from tacita.public.universe import Universe
    >>> shop = Taxonomy.flat(Universe(["beer", "chips", "milk"]))
    >>> hidden = SensitivePatterns.from_labels([["beer", "chips"]], universe=shop.universe, window=2)
    >>> online = OnlineSanitizer(patterns=hidden, taxonomy=shop, limit="0.5", plan={0: 0, 1: 3, 2: 3})
    >>> [online.show(label) for label in (0, 2, 1, 0, 1)]  # node 3 is the root; the last chips would be believed too much
    [0, 3, 3, 0, None]
    """

    patterns: SensitivePatterns
    taxonomy: Taxonomy
    limit: Fraction | str | float
    plan: Mapping[int, int]
    _limit: Fraction = field(init=False, repr=False)
    _before: deque[tuple[int, int]] = field(init=False, repr=False)
    _shown: dict[int, Counter[String]] = field(init=False, repr=False)
    _held: dict[String, Counter[String]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the limit and the plan, and that one step is not too much work."""
        self._limit = BeliefBound(limit=self.limit).limit
        lengths = {len(pattern) for pattern in self.patterns.codes}
        if max(comb(self.patterns.window, length - 1) for length in lengths) > MOST_TUPLES:
            message = f"one step may look at {MOST_TUPLES:,} tuples at most; choose a smaller window or shorter patterns"
            raise ParameterError(message)
        for label, node in self.plan.items():
            if not 0 <= label < len(self.taxonomy.universe) or node not in self.taxonomy.above(label):
                message = f"a plan must show a label as itself or a node above it, got node {node} for label {label}"
                raise ParameterError(message)
        self._before = deque(maxlen=self.patterns.window)
        self._shown = {length: Counter() for length in sorted(lengths)}
        self._held = {}

    def show(self, label: int) -> int | None:
        """The node to publish for the next symbol, or nothing if it is withheld."""
        path = self.taxonomy.above(label)
        for node in path[path.index(self.plan.get(label, self.taxonomy.root)) :]:
            if self._publish(label, node):
                return node
        return None

    def show_all(self, labels: Iterable[int]) -> list[int | None]:
        """The same for several symbols in a row."""
        return [self.show(label) for label in labels]

    def _publish(self, label: int, node: int) -> bool:
        """Take the symbol in as published under this node, unless this would break the limit."""
        shown, held = self._added(label, node)
        for string, number in held.items():
            patterns = self._held.get(string, Counter()) + number
            total = self._shown[len(string)][string] + shown[len(string)][string]
            if patterns.total() > self._limit * total:  # any of them; one alone is less
                return False
        for length, strings in shown.items():
            self._shown[length].update(strings)
        for string, number in held.items():
            self._held.setdefault(string, Counter()).update(number)
        self._before.append((label, node))
        return True

    def _added(self, label: int, node: int) -> tuple[dict[int, Counter[String]], dict[String, Counter[String]]]:
        """What the tuples that end here show, and which of them hold a pattern."""
        sensitive = set(self.patterns.codes)
        shown: dict[int, Counter[String]] = {}
        held: dict[String, Counter[String]] = {}
        for length in self._shown:
            shown[length] = Counter()
            for earlier in combinations(self._before, length - 1):
                string = (*(other for _, other in earlier), node)
                truth = (*(other for other, _ in earlier), label)
                shown[length][string] += 1
                if truth in sensitive:
                    held.setdefault(string, Counter())[truth] += 1
        return shown, held
