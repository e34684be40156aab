"""Neighbouring relations: between which two data sets a guarantee makes no one able to tell.

The relation is part of a guarantee, so it is a type. A mechanism names the relations that it proves and refuses any other.
"""

from __future__ import annotations

from dataclasses import dataclass

from tacita.errors import NeighboursError

__all__ = ["AddRemoveRecord", "Neighbours", "ReplaceRecord", "require"]


@dataclass(frozen=True, kw_only=True)
class AddRemoveRecord:
    """Two data sets are neighbours if one holds one record more than the other."""

    unit: str = "one record"

    @property
    def name(self) -> str:
        """The name in a manifest."""
        return "add-remove-record"

    def __str__(self) -> str:
        """Render for people."""
        return f"adding or removing {self.unit}"


@dataclass(frozen=True, kw_only=True)
class ReplaceRecord:
    """Two data sets of one size are neighbours if one record differs."""

    unit: str = "one record"

    @property
    def name(self) -> str:
        """The name in a manifest."""
        return "replace-record"

    def __str__(self) -> str:
        """Render for people."""
        return f"replacing {self.unit} by another"


Neighbours = AddRemoveRecord | ReplaceRecord


def require(asked: Neighbours, *, proved: tuple[type[Neighbours], ...], mechanism: str) -> Neighbours:
    """Give back the relation that was asked for if the mechanism proves it, refuse it otherwise."""
    if not isinstance(asked, proved):
        names = ", ".join(relation.__name__ for relation in proved)
        message = f"{mechanism} proves its guarantee for {names}, not for {type(asked).__name__}; ask for one that it proves"
        raise NeighboursError(message)
    return asked
