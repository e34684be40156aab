"""Which fine place lies in which coarser one: public, and part of a release whose places were made coarser.

Whoever judges such a release reads the private file with its fine places, and brings them to the grain of the release by this.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.public.parameters import instance_of
from tacita.public.universe import Universe

__all__ = ["PLACES", "PlaceGroups"]

PLACES = "places"
"""What it is called among the public inputs, and its file in a release folder."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PlaceGroups:
    """For each place of a fine universe, the number of its place in a coarser one.

    >>> halves = PlaceGroups(fine=Universe("abc"), coarse=Universe(["ab", "c"]), groups=np.array([0, 0, 1]))
    >>> halves.frame().rows()
    [('a', 'ab'), ('b', 'ab'), ('c', 'c')]
    """

    fine: Universe
    coarse: Universe
    groups: Integers = field(repr=False)

    def __post_init__(self) -> None:
        """Check that every fine place has a group."""
        instance_of(self.groups, np.ndarray, name="the groups of places")
        inside = self.groups.size and 0 <= int(self.groups.min()) <= int(self.groups.max()) < len(self.coarse)
        if self.groups.shape != (len(self.fine),) or not inside:
            message = "every fine place must lie in one of the coarser places"
            raise ParameterError(message)

    def after(self, finer: PlaceGroups | None) -> PlaceGroups:
        """The same for the places that these are already groups of, if they are."""
        return self if finer is None else PlaceGroups(fine=finer.fine, coarse=self.coarse, groups=self.groups[finer.groups])

    def frame(self) -> pl.DataFrame:
        """One row per fine place."""
        labels = pl.Series(self.coarse.labels, dtype=pl.String)
        return pl.DataFrame({"place": list(self.fine.labels), "group": labels.gather(self.groups)})

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, *, coarse: Universe) -> PlaceGroups:
        """Read them back, for the coarser places of a release."""
        groups = [coarse.code(label) for label in frame["group"].to_list()]
        return cls(fine=Universe(frame["place"].to_list()), coarse=coarse, groups=np.array(groups, dtype=np.int64))

    def as_json(self) -> dict[str, object]:
        """The groups as a manifest holds them."""
        digest = hashlib.sha256("\n".join(map("\t".join, self.frame().iter_rows())).encode()).hexdigest()
        return {"size": len(self.fine), "groups": len(self.coarse), "sha256": digest}
