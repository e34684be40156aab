"""What a release promises: neighbouring relations, the interface of a guarantee, and differential privacy as one of them.

A guarantee says in one sentence what holds, for whom, and on what evidence. The evidence is *spent*, an account whose draws add
up to the plan, or *verified*, an independent check of the finished release that passed before anything was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from tacita.errors import NeighboursError
from tacita.privacy.budget import Budget, ZeroConcentrated, decimal_text
from tacita.privacy.concentrated import rounded_up
from tacita.public.parameters import whole_number

__all__ = [
    "NOT_PRIVATE",
    "OWNER_ONLY",
    "AddRemoveRecord",
    "DifferentialPrivacy",
    "EdgeGroup",
    "Evidence",
    "Guarantee",
    "Neighbours",
    "ReplaceRecord",
    "Spent",
    "StatusContexts",
    "TimedEvents",
    "Verified",
    "VerifiedBound",
    "require",
]


# Neighbouring relations: which pairs of data sets a guarantee makes hard to tell apart.
#
# The relation is part of a guarantee, so it is a type. A mechanism names the relations that it proves and refuses any other. A
# relation also says what a ledger counts: spends add up per `counted` (a person, an edge), and the same person or edge must not
# be counted under two names.


class Neighbours(Protocol):
    """Which two data sets are neighbours, in words and for a manifest."""

    @property
    def name(self) -> str:
        """The name in a manifest."""
        ...

    @property
    def unit(self) -> str:
        """What one protected thing is."""
        ...

    @property
    def counted(self) -> str:
        """What a ledger adds up spends for: the smallest protected thing."""
        ...

    def as_json(self) -> Mapping[str, object]:
        """The relation as a manifest holds it."""
        ...

    def __str__(self) -> str:
        """Complete the sentence "differential privacy for ..."."""
        ...


@dataclass(frozen=True, kw_only=True)
class AddRemoveRecord:
    """Two data sets are neighbours if one has one record more than the other."""

    unit: str = "one record"
    name = "add-remove-record"
    counted = "person"

    def as_json(self) -> dict[str, object]:
        """The relation as a manifest holds it."""
        return {"relation": self.name, "unit": self.unit}

    def __str__(self) -> str:
        """Render for people."""
        return f"adding or removing {self.unit}"


@dataclass(frozen=True, kw_only=True)
class ReplaceRecord:
    """Two data sets of the same size are neighbours if one record differs."""

    unit: str = "one record"
    name = "replace-record"
    counted = "person"

    def as_json(self) -> dict[str, object]:
        """The relation as a manifest holds it."""
        return {"relation": self.name, "unit": self.unit}

    def __str__(self) -> str:
        """Render for people."""
        return f"replacing {self.unit} by another"


@dataclass(frozen=True, kw_only=True)
class EdgeGroup:
    """Two networks over the same vertices are neighbours if they differ in at most `edges` edges."""

    edges: int = 1
    name = "edge-group"
    counted = "edge"

    def __post_init__(self) -> None:
        """A group has at least one edge."""
        whole_number(self.edges, name="edges", least=1)

    @property
    def unit(self) -> str:
        """What one protected thing is."""
        return "one edge" if self.edges == 1 else f"any group of up to {self.edges:,} edges"

    def as_json(self) -> dict[str, object]:
        """The relation as a manifest holds it."""
        return {"relation": self.name, "unit": self.unit, "edges": self.edges}

    def __str__(self) -> str:
        """Render for people."""
        return f"adding or removing {self.unit}"


@dataclass(frozen=True, kw_only=True)
class StatusContexts:
    """Two streams are neighbours if the statuses of one person differ in at most `contexts` successive contexts of theirs.

    When a person is active is the same in both, and so not protected.
    """

    contexts: int
    name = "status-contexts"

    def __post_init__(self) -> None:
        """A window has at least one context."""
        whole_number(self.contexts, name="contexts", least=1)

    @property
    def counted(self) -> str:
        """What a ledger adds spends up for: windows of one length, never persons."""
        return f"person's window of {_number(self.contexts, 'context')}"

    @property
    def unit(self) -> str:
        """What one protected thing is."""
        return f"the statuses of one person in any {self.contexts:,} successive contexts of theirs"

    def as_json(self) -> dict[str, object]:
        """The relation as a manifest holds it."""
        return {"relation": self.name, "unit": self.unit, "contexts": self.contexts, "presence": "public"}

    def __str__(self) -> str:
        """Render for people."""
        return f"changing {self.unit}; when a person is active is public"


@dataclass(frozen=True, kw_only=True)
class TimedEvents:
    """Two streams are neighbours if the events of one person differ within `timestamps` successive timestamps.

    With `replaces`, a status is changed into another one; without, events are added or removed.
    """

    timestamps: int
    replaces: bool = True
    name = "timed-events"

    def __post_init__(self) -> None:
        """A window has at least one timestamp."""
        whole_number(self.timestamps, name="timestamps", least=1)

    @property
    def counted(self) -> str:
        """What a ledger adds spends up for; a presence costs less than a change, so that the two are not added up."""
        whose = "person's" if self.replaces else "person's presence in a"
        return f"{whose} window of {_number(self.timestamps, 'timestamp')}"

    @property
    def unit(self) -> str:
        """What one protected thing is."""
        return f"all that one person does within any {self.timestamps:,} successive timestamps"

    def as_json(self) -> dict[str, object]:
        """The relation as a manifest holds it."""
        return {"relation": self.name, "unit": self.unit, "timestamps": self.timestamps, "replaces": self.replaces}

    def __str__(self) -> str:
        """Render for people."""
        return f"{'changing' if self.replaces else 'adding or removing'} {self.unit}"


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def require(asked: Neighbours, *, proved: tuple[type[object], ...], mechanism: str) -> Neighbours:
    """Return the requested relation if the mechanism proves it; otherwise refuse."""
    if not isinstance(asked, proved):
        names = ", ".join(relation.__name__ for relation in proved)
        message = f"{mechanism} proves its guarantee for {names}, not for {type(asked).__name__}; ask for one that it proves"
        raise NeighboursError(message)
    return asked


NOT_PRIVATE = "NOT PRIVATE"

OWNER_ONLY = "for the owner's eyes only: these figures are computed from raw data, without noise"
"""What every figure is shown with that has no guarantee at all."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """The evidence is an account: the plan was charged, and every draw under it is in the manifest."""

    def as_json(self) -> dict[str, object]:
        """The evidence as a manifest holds it."""
        return {"kind": "spent"}


@dataclass(frozen=True, kw_only=True)
class Verified:
    """The evidence is a check of the finished release by code that shares nothing with what made it.

    `check` says what was checked, `by` names the code.
    """

    check: str
    by: str

    def as_json(self) -> dict[str, object]:
        """The evidence as a manifest holds it."""
        return {"kind": "verified", "check": self.check, "by": self.by}


Evidence = Spent | Verified


class Guarantee(Protocol):
    """What holds for a release, in one sentence and as JSON, and why it may be believed."""

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest, such as pure-dp."""
        ...

    @property
    def voids(self) -> tuple[str, ...]:
        """The reasons why no guarantee holds at all, if any; a promise must never be shown without its exceptions."""
        ...

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        ...

    @property
    def evidence(self) -> Evidence:
        """Why it may be believed."""
        ...

    def statement(self) -> str:
        """The promise in plain words, rendered from the fields."""
        ...

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it, with `definition`, `holds`, `voids`, `evidence` and `statement`."""
        ...


@dataclass(frozen=True, kw_only=True)
class VerifiedBound:
    """A guarantee whose parameters are plain numbers or words, and which an independent check has passed."""

    definition: str
    sentence: str
    parameters: Mapping[str, object]
    evidence: Verified
    voids: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    def statement(self) -> str:
        """The promise in plain words."""
        return self.sentence if self.holds else f"{NOT_PRIVATE}. {self.sentence} But this does not hold: {'; '.join(self.voids)}."

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        return {
            "definition": self.definition,
            **self.parameters,
            "holds": self.holds,
            "voids": list(self.voids),
            "evidence": self.evidence.as_json(),
            "statement": self.statement(),
        }


@dataclass(frozen=True, kw_only=True)
class DifferentialPrivacy:
    """Differential privacy for one relation, together with the weaknesses that void it.

    A void means that no guarantee holds at all (a seeded source, a universe read from the data).
    """

    budget: Budget
    neighbours: Neighbours
    voids: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    @property
    def evidence(self) -> Evidence:
        """The account."""
        return Spent()

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest."""
        if isinstance(self.budget, ZeroConcentrated):
            return "zero-concentrated-dp"
        return "approximate-dp" if self.budget.delta else "pure-dp"

    def statement(self) -> str:
        """The promise as one paragraph, rendered from the fields."""
        promise = f"{_definition_words(self.budget)} for {self.neighbours}"
        if self.holds:
            return f"This release satisfies {promise}."
        reasons = "; ".join(self.voids)
        return f"{NOT_PRIVATE}. This release would satisfy {promise}, but does not: {reasons}."

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        relation: Mapping[str, object] = self.neighbours.as_json()
        return {
            "definition": self.definition,
            "epsilon": decimal_text(self.budget.epsilon),
            "delta": decimal_text(self.budget.delta),
            **({"rho": decimal_text(self.budget.rho)} if isinstance(self.budget, ZeroConcentrated) else {}),
            "neighbours": dict(relation),
            "holds": self.holds,
            "voids": list(self.voids),
            "evidence": self.evidence.as_json(),
            "statement": self.statement(),
        }


def _definition_words(budget: Budget) -> str:
    if isinstance(budget, ZeroConcentrated):
        implied = f"({rounded_up(budget.epsilon)}, {rounded_up(budget.delta)})-differential privacy"
        return f"{decimal_text(budget.rho)}-zero-concentrated differential privacy, and therefore {implied},"
    epsilon = decimal_text(budget.epsilon)
    if budget.delta == Fraction(0):
        return f"{epsilon}-differential privacy"
    return f"({epsilon}, {decimal_text(budget.delta)})-differential privacy"
