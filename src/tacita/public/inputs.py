"""The public inputs of a mechanism, in one object.

Most kinds of data have a universe and perhaps a time grid; a kind with other public inputs (blocks of vertices, say) adds them by
name. Each input describes itself in the manifest, with a hash, so that a recipient can check that they have the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

from tacita.errors import ParameterError
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["UNKNOWN", "PublicInput", "PublicInputs"]


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
        named: dict[str, PublicInput | None] = {"universe": self.universe, **self.others, "time_grid": self.grid}
        return {name: dict(each.as_json()) for name, each in named.items() if each is not None}

    @property
    def voids(self) -> tuple[str, ...]:
        """The reasons why no guarantee holds with these inputs, if any."""
        if self.universe is None or self.universe.is_public:
            return ()
        return ("its universe was read from the data, so that a label can show that somebody is there",)


UNKNOWN = PublicInputs()
"""Public inputs of which nothing is known yet."""
