"""The public inputs of a mechanism in one object, and how many records one person may have.

Most kinds of data have a universe and perhaps a time grid; a kind with other public inputs (blocks of vertices, say) adds them
by name. Each input describes itself in the manifest, with a hash, so that a recipient can check that they have the same one.

A guarantee protects a record, so `PerPerson` decides what it means for a person who has several.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import ClassVar, Protocol

from tacita.errors import ParameterError
from tacita.public.cells import CELLS
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["UNKNOWN", "PerPerson", "PublicInput", "PublicInputs"]


class PublicInput(Protocol):
    """Something public that a mechanism depends on."""

    def as_json(self) -> Mapping[str, object]:
        """Its description in the manifest, with a `sha256` of everything that a mechanism sees."""
        ...


@dataclass(frozen=True, kw_only=True)
class PublicInputs:
    """The public inputs of a publication; None for what is not known yet or what the kind does not have.

    >>> PublicInputs(universe=Universe("ab")).size
    2
    """

    universe: Universe | None = None
    grid: TimeGrid | None = None
    others: Mapping[str, PublicInput] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the mapping read-only."""
        instance_of(self.others, Mapping, name="other public inputs")
        object.__setattr__(self, "others", MappingProxyType(dict(self.others)))

    @property
    def size(self) -> int | None:
        """The number of labels, if it is known."""
        return None if self.universe is None else len(self.universe)

    def required_universe(self) -> Universe:
        """The universe; an error if it is not known."""
        if self.universe is None:
            message = "the public universe must be given: the list of all labels that may occur"
            raise ParameterError(message)
        return self.universe

    def having(self, **more: PublicInput | None) -> PublicInputs:
        """A copy with further inputs; None values are left out."""
        return replace(self, others={**self.others, **{name: each for name, each in more.items() if each is not None}})

    def as_json(self) -> dict[str, object]:
        """The inputs as a manifest holds them."""
        cells = None if self.universe is None else self.universe.cells
        named: dict[str, PublicInput | None] = {"universe": self.universe, CELLS: cells, **self.others, "time_grid": self.grid}
        return {name: dict(each.as_json()) for name, each in named.items() if each is not None}

    @property
    def voids(self) -> tuple[str, ...]:
        """The reasons why no guarantee holds with these inputs, if any."""
        if self.universe is None or self.universe.is_public:
            return ()
        return ("its universe was read from the data, so that a label can show that somebody is there",)


UNKNOWN = PublicInputs()
"""Public inputs of which nothing is known yet."""


# Records per person: one, or several up to a cap.
#
# If a file distinguishes a person's trips or days, either all of them are joined into one record, and the guarantee protects
# the person; or each stays a record of its own, up to a cap per person, and the guarantee says so: a person with c records is
# protected at c times epsilon.


@dataclass(frozen=True)
class PerPerson:
    """Join a person's records into one, or keep the first few as separate records.

    >>> PerPerson.parse("cap=3").records
    3
    >>> print(PerPerson.JOIN)
    join
    """

    most: int | None = None

    JOIN: ClassVar[PerPerson]

    def __post_init__(self) -> None:
        """A cap is a whole number of records, one at least."""
        if self.most is not None and (isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 1):
            message = f"a cap on the records of a person must be a whole number of at least 1, got {self.most!r}"
            raise ParameterError(message)

    @classmethod
    def cap(cls, most: int) -> PerPerson:
        """Keep at most the first `most` records of a person, by the time of their first row, then by their name."""
        return cls(most)

    @classmethod
    def parse(cls, text: str) -> PerPerson:
        """Read `join` or `cap=3`."""
        name, equals, number = text.partition("=")
        if text == "join":
            return cls()
        if name == "cap" and equals and number.isascii() and number.isdigit() and len(number) <= 9:
            return cls(int(number))
        message = f"the rule for a person's records must be join or cap=N, got {text!r}"
        raise ParameterError(message)

    @property
    def records(self) -> int:
        """The largest number of records one person can have."""
        return 1 if self.most is None else self.most

    def unit(self, noun: str, *, order: str = "in order of time") -> str:
        """What one protected record is, for a guarantee.

        `noun` names the record, such as sequence, and `order` says which records of a person come first.
        """
        if self.most is None:
            return f"one person's {noun}"
        if self.most == 1:
            return f"one person's {noun}, the first of theirs {order}"
        whole = f"a whole person is protected at {self.most} times epsilon"
        return f"one of the {noun}s kept, at most {self.most} of each person ({whole})"

    def __str__(self) -> str:
        """Render as it is parsed."""
        return "join" if self.most is None else f"cap={self.most}"


PerPerson.JOIN = PerPerson()
