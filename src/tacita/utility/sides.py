"""The two sides of a comparison, and the checks on them that the reports of all kinds share."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.counting.blocks.adding import added_up
from tacita.errors import ParameterError, UniverseError
from tacita.public.universe import Universe

__all__ = ["OverUniverse", "lists_of", "mean_length", "require_records", "require_share", "require_tops", "universe_size"]


class OverUniverse(Protocol):
    """Records or a release: something that carries its universe."""

    @property
    def universe(self) -> Universe:
        """The public labels."""
        ...


def universe_size(records: OverUniverse | Ragged, published: OverUniverse | Ragged, *, symbols: int | None) -> int:
    """The size of the universe that both sides share."""
    for side in (records, published):
        if not isinstance(side, Ragged) and not hasattr(side, "universe"):
            message = f"records and a release over a universe must be compared, got {type(side).__name__}"
            raise ParameterError(message)
    universes = [side.universe for side in (records, published) if not isinstance(side, Ragged)]
    if len(universes) == 2 and universes[0] != universes[1]:
        message = "records and release must have the same universe, with its labels in the same order; these two differ"
        raise UniverseError(message)
    size = len(universes[0]) if universes else symbols
    if size is None:
        message = "the number of symbols must be given, because neither side carries a universe"
        raise ParameterError(message)
    if symbols is not None and symbols != size:
        message = f"symbols must be the size of the universe, {size}, got {symbols}"
        raise ParameterError(message)
    return size


def require_records(raw: Ragged) -> None:
    """Refuse an empty raw side."""
    if not len(raw):
        message = "a report needs at least one raw record, got none: there is nothing to compare with"
        raise ParameterError(message)


def require_share(sanity_share: float) -> None:
    """Refuse anything that is not a share of the records."""
    if not 0 < sanity_share <= 1:
        message = f"sanity_share must be above 0 and at most 1, got {sanity_share!r}"
        raise ParameterError(message)


def require_tops(tops: tuple[int, ...]) -> None:
    """Refuse tops that cannot be numbers of patterns."""
    if any(isinstance(count, bool) or not isinstance(count, int) or count < 1 for count in tops):
        message = f"tops must be whole numbers of at least 1, got {tops!r}"
        raise ParameterError(message)


def mean_length(lists: Ragged) -> float:
    """The mean length of the lists; 0 if there are none."""
    return float(added_up(lists, _codes)[0] / len(lists)) if len(lists) else 0.0


def _codes(lists: Ragged) -> Integers:
    return np.array([lists.codes.size])


def lists_of(side: object, *, held: str) -> Ragged:
    """The lists of one side; an error if it is of another kind of data, which holds none by this name."""
    lists: Ragged | None = side if isinstance(side, Ragged) else getattr(side, held, None)
    if lists is None:
        message = f"{held} can be compared with {held} only, got {type(side).__name__}; choose the report for that kind of data"
        raise ParameterError(message)
    return lists
