"""Everything public that a mechanism is told, in one object.

A universe and a time grid are what most kinds of data have; a kind with other public inputs (blocks of vertices, say) names them.
Each input can describe itself for a manifest, by which a receiver can tell whether it is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

from tacita.errors import ParameterError
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["UNKNOWN", "PublicInput", "PublicInputs"]


class PublicInput(Protocol):
    """Something public that a mechanism depends on."""

    def as_json(self) -> Mapping[str, object]:
        """What a manifest says of it, with a `sha256` of all that a mechanism sees."""
        ...


@dataclass(frozen=True, kw_only=True)
class PublicInputs:
    """The public inputs of a publication; what is not known yet, or does not exist for the kind, is None.

    >>> PublicInputs(universe=Universe("ab")).size
    2
    """

    universe: Universe | None = None
    grid: TimeGrid | None = None
    others: Mapping[str, PublicInput] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Nobody changes them afterwards."""
        object.__setattr__(self, "others", MappingProxyType(dict(self.others)))

    @property
    def size(self) -> int | None:
        """The number of labels, if it is known."""
        return None if self.universe is None else len(self.universe)

    def required_universe(self) -> Universe:
        """The universe, which must be known here."""
        if self.universe is None:
            message = "the public universe must be given: the list of all labels that may occur"
            raise ParameterError(message)
        return self.universe

    def having(self, **more: PublicInput | None) -> PublicInputs:
        """The same with further inputs; those that are None are left out."""
        return replace(self, others={**self.others, **{name: each for name, each in more.items() if each is not None}})

    def as_json(self) -> dict[str, object]:
        """The inputs as a manifest holds them."""
        named: dict[str, PublicInput | None] = {"universe": self.universe, **self.others, "time_grid": self.grid}
        return {name: dict(each.as_json()) for name, each in named.items() if each is not None}

    @property
    def voids(self) -> tuple[str, ...]:
        """Why a guarantee does not hold with these inputs, if there is anything."""
        if self.universe is None or self.universe.is_public:
            return ()
        return ("its universe was read from the data, so that a label can show that somebody is there",)


UNKNOWN = PublicInputs()
"""Nothing is known of the public inputs yet."""
