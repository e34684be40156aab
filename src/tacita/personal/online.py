"""Online hiding: each symbol of a person's sequence is sanitized when it comes, for good, symbol by symbol or over whole files.

Section 3.2 of Bonomi, Fan and Jin (WSDM 2016) names the problem and leaves it open. `OnlineSanitizer` is the algorithm: it
decides about each symbol when it comes. `OnlineHiding` is the mechanism: it runs the sanitizer over files. What is published of
a sequence depends only on what came before, so the same file with more rows at its end gives the same release with more rows at
its end. A phone that publishes every evening never has to take anything back. Without a plan every symbol may be shown as
itself, so groups have no cover, and what would be believed too much is mostly withheld; `PlanTable.learned` makes a plan from
an earlier sequence.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Places
from tacita.errors import ParameterError, VerificationError
from tacita.personal.bounds import BeliefBound, Form
from tacita.personal.pattern_hiding import PatternHiding
from tacita.personal.patterns import PatternList, SensitivePatterns
from tacita.personal.published import PublishedPersonal, guarantee_of, in_their_own_order
from tacita.personal.records import PersonalRecords
from tacita.personal.searches import Infeasible
from tacita.personal.verification import highest_beliefs, is_generalization
from tacita.privacy.budget import Explanation
from tacita.privacy.publishing import Progress, parameters_of, require_records_of, verified_release
from tacita.privacy.release import Release
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.taxonomy import Taxonomy, equal_width_bins
from tacita.public.universe import public_text

__all__ = ["OnlineHiding", "OnlineSanitizer", "PlanTable", "Shown"]


# The sanitizer. It follows a plan: a showing that was found on an earlier sequence of the same person. Each symbol is shown as
# its plan says, or as the lowest node above that at which everything published so far still keeps the belief, or it is
# withheld. A withheld symbol is as if it had never been: what was published is then a sequence without it, and distances are
# those within what was published.
#
# It promises, at every moment: among all tuples of places published so far that show one string, at most the limit hold one
# sensitive pattern, and at most the limit any of them (the forms `tuples-single` and `tuples-any`). It cannot promise the
# beliefs by starting places, because a place can become a start long after it was published; nor anything about when symbols
# were withheld, if that is seen.
#
# Each step looks at the tuples that end in the new place, of which there are C(window, m - 1) for each length m.

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


FORMS = (Form.TUPLES_SINGLE, Form.TUPLES_ANY)


@dataclass(frozen=True)
class PlanTable:
    """As which node each label may be shown at the finest; labels that are not given may be shown as they are."""

    nodes: Mapping[str, str] = field(hash=False)

    @classmethod
    def parse(cls, text: str) -> PlanTable:
        """The plan in the file of this name."""
        return cls.read(text)

    @classmethod
    def read(cls, path: str | Path) -> PlanTable:
        """Read the columns label and node of a CSV file."""
        reader = csv.DictReader(io.StringIO(public_text(path, what="plan", error=ParameterError), newline=""))
        if not {"label", "node"} <= set(reader.fieldnames or []):
            message = f"the plan {str(path)!r} must have the columns label and node"
            raise ParameterError(message)
        return cls({(row["label"] or "").strip(): (row["node"] or "").strip() for row in reader})

    @classmethod
    def learned(cls, hiding: PatternHiding, earlier: PersonalRecords) -> PlanTable:
        """What pattern hiding showed of earlier sequences of the same persons, as the coarsest node of each label.

        So there is cover from the start. A plan is chosen by looking at private data, as every showing is.
        """
        tree = hiding.task(earlier.public).taxonomy
        nodes: dict[int, int] = {}
        for place, found in enumerate(hiding.outcomes(earlier)):
            if not isinstance(found.outcome, Infeasible):
                pairs = np.unique(np.stack([earlier.person(place)[0], found.outcome.nodes]), axis=1).T.tolist()
                for label, node in pairs:
                    nodes[label] = min(nodes.get(label, node), node, key=tree.depth)
        return cls({tree.name(label): tree.name(node) for label, node in nodes.items() if label != node})

    def write(self, path: str | Path) -> None:
        """Write the plan as it is read."""
        with Path(path).open("x", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("label", "node"), *self.nodes.items()])

    def codes(self, taxonomy: Taxonomy) -> dict[int, int]:
        """The plan as numbers, for every label of the taxonomy."""
        numbers = {taxonomy.name(node): node for node in range(len(taxonomy.parents))}
        unknown = next((name for pair in self.nodes.items() for name in pair if name not in numbers), None)
        if unknown is not None:
            message = f"a plan must name labels and nodes of the taxonomy, it has no {unknown!r}"
            raise ParameterError(message)
        shown = {taxonomy.universe.code(label): numbers[node] for label, node in self.nodes.items()}
        return {label: shown.get(label, label) for label in range(len(taxonomy.universe))}

    def digest(self) -> str:
        """A hash of the plan, for manifests."""
        lines = [f"{label}\t{node}" for label, node in sorted(self.nodes.items())]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """At which places of a person's sequence something is shown, and what. For the owner's eyes."""

    places: Places
    nodes: Integers


@dataclass(frozen=True, kw_only=True)
class OnlineHiding:
    """Publish personal sequences as they would have been published symbol by symbol, with sensitive patterns hidden.

    Needs: sequences over a public universe, one per person; a public taxonomy (given, or bins of numeric labels); the patterns to
        hide, and the window within which they occur; as which node labels may be shown at the finest, if not as themselves.
    Guarantees: the belief, at every moment: of all tuples of places published so far that look alike, no more than the limit are
        sensitive, for single patterns and for any of them. Places are those of what was published.
    Protects: where in a sequence a sensitive pattern is. Nothing else: not who the person is, nor any other symbol.
    Verified by: `tacita.personal.verification`, on what was published up to each place.
    Not covered: beliefs by starting places, because a place can become a start when it is long published; when a symbol was
        withheld, if that is seen; what can be inferred from the choices, which depend on the sequence.
    Reference: Bonomi, Fan and Jin, WSDM 2016, section 3.2, where the problem is named but not solved.

    >>> shop = Taxonomy.from_columns([("beer", "drinks"), ("milk", "drinks"), ("bread", "food")], universe=None)
    >>> day = PersonalRecords.from_labels([["milk", "bread", "beer", "bread", "milk"]], universe=shop.universe)
    >>> hiding = OnlineHiding(belief=Fraction(1, 2), patterns=PatternList((("beer", "bread"),)), taxonomy=shop, window=1)
    >>> " ".join(hiding.publish(day).data.to_labels()[0])
    'milk bread beer milk'
    """

    belief: Fraction
    patterns: PatternList
    window: int = 10
    taxonomy: Taxonomy | None = None
    bins: tuple[int, ...] | None = None
    plan: PlanTable | None = None

    def __post_init__(self) -> None:
        """Check what can be checked without a universe."""
        object.__setattr__(self, "belief", self.bound.limit)
        if (self.taxonomy is None) == (self.bins is None):
            message = "online hiding needs a taxonomy, or bins of numeric labels, and not both"
            raise ParameterError(message)

    @property
    def bound(self) -> BeliefBound:
        """What is promised at every moment."""
        return BeliefBound(limit=self.belief, forms=FORMS)

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What will be guaranteed and what not, and the public facts around it."""
        facts = [
            guarantee_of(self.bound, unit="", voids=()).statement(),
            "this holds at every moment, of everything published so far, in places of what was published",
            f"{len(self.patterns.labels)} sensitive patterns within a window of {self.window}; they are public",
            "nobody's sequence depends on another one's, and nothing is spent",
            "not covered: beliefs by starting places, when a symbol was withheld, and what the choices give away",
        ]
        if public.universe is not None:
            tree = self._sanitizer(public).taxonomy
            facts.append(f"{len(public.universe)} labels in {len(tree.inner_names)} groups, at most {tree.height} deep")
        return Explanation(title=f"online-hiding with the bound {self.bound}", facts=tuple(facts))

    def outcomes(self, records: PersonalRecords, *, progress: Progress | None = None) -> list[Shown]:
        """What is shown of each person, and where. For the owner's eyes; publishes nothing."""
        found = []
        for place in range(len(records)):
            nodes = self._sanitizer(records.public).show_all(records.person(place)[0].tolist())
            kept = [at for at, node in enumerate(nodes) if node is not None]
            shown = [node for node in nodes if node is not None]
            found.append(Shown(places=np.array(kept, dtype=np.intp), nodes=np.array(shown, dtype=np.int64)))
            if progress is not None:
                progress(place + 1, len(records))
        return found

    def publish(self, records: PersonalRecords, *, progress: Progress | None = None) -> Release[PublishedPersonal]:
        """Publish the sequences, or refuse to if a check does not pass."""
        require_records_of(records, PersonalRecords, method="online-hiding")
        sanitizer = self._sanitizer(records.public)
        found = self.outcomes(records, progress=progress)
        for place, shown in enumerate(found):
            self._check(records.person(place)[0][shown.places], shown.nodes, sanitizer, place=place + 1)
        data = PublishedPersonal(
            sequences=in_their_own_order([each.nodes for each in found]),
            taxonomy=sanitizer.taxonomy,
            file_format=records.file_format,
            columns=records.columns,
        )
        return verified_release(
            records,
            data,
            guarantee_of(self.bound, unit=records.unit, voids=records.public.voids),
            mechanism="online-hiding",
            parameters=parameters_of(self),
            rules=(
                "each symbol is shown as itself or as a group that it belongs to, or withheld, whatever comes later",
                "the bound holds of everything up to each place",
            ),
            others={"taxonomy": sanitizer.taxonomy, "patterns": sanitizer.patterns},
        )

    def _sanitizer(self, public: PublicInputs) -> OnlineSanitizer:
        """A sanitizer that has seen nothing yet."""
        universe = public.required_universe()
        taxonomy = equal_width_bins(universe, widths=self.bins) if self.bins is not None else self.taxonomy
        if taxonomy is None or taxonomy.universe != universe:
            message = "the taxonomy must be over the universe of the sequences; make both from the same labels"
            raise ParameterError(message)
        return OnlineSanitizer(
            patterns=self.patterns.within(self.window, universe=universe),
            taxonomy=taxonomy,
            limit=self.belief,
            plan=(self.plan or PlanTable({})).codes(taxonomy),
        )

    def _check(self, truth: AnyIntegers, nodes: Integers, asked: OnlineSanitizer, *, place: int) -> None:
        """Refuse what the independent check does not agree with."""
        highest = highest_beliefs(truth, nodes, patterns=asked.patterns.codes, window=asked.patterns.window)
        if not is_generalization(truth, nodes, asked.taxonomy.parents) or max(highest.values()) > self.belief:
            message = f"person {place}: what was shown does not keep the bound by the independent check; nothing was published"
            raise VerificationError(message)
