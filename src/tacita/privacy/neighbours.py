"""Neighbouring relations: which pairs of data sets a guarantee makes hard to tell apart.

The relation is part of a guarantee, so it is a type. A mechanism names the relations that it proves and refuses any other. A
relation also says what a ledger counts: spends add up per `counted` (a person, an edge), and the same person or edge must not be
counted under two names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from tacita.errors import NeighboursError
from tacita.public.parameters import whole_number

__all__ = ["AddRemoveRecord", "EdgeGroup", "Neighbours", "ReplaceRecord", "StatusContexts", "TimedEvents", "require"]


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
