"""Trajectories of (place, hour) pairs with a sensitive attribute, as columns.

How attributes depend on places is not published: each first place has its own share of sensitive values, by assumption.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.public.universe import Universe
from tacita.simulate.draws import mean_distinct

__all__ = ["Trajectories", "with_attributes"]

CLUSTERING = 8.0  # how similar the shares of sensitive values are from place to place: the sample size of a beta distribution


@dataclass(frozen=True, eq=False, kw_only=True)
class Trajectories:
    """Columns: the places of each person in order, the hour of each place, and one attribute value per person.

    Hours increase strictly within a person. `attributes` are indices into `attribute_values`; the first `sensitive_values` of
    those are sensitive.
    """

    places: Ragged
    hours: Integers
    attributes: Integers
    attribute_values: tuple[str, ...]
    sensitive_values: int

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The values that must not be inferred."""
        return self.attribute_values[: self.sensitive_values]

    def tables(self, universe: Universe) -> dict[str, pl.DataFrame]:
        """Long rows (id, label, time in hours), and the attribute of each id."""
        rows = {
            "id": np.repeat(np.arange(len(self.places)), self.places.lengths),
            "label": pl.Series(universe.labels, dtype=pl.String).gather(self.places.codes),
            "time": self.hours,
        }
        values = pl.Series(self.attribute_values, dtype=pl.String).gather(self.attributes)
        people = {"id": np.arange(len(self.places)), "attribute": values}
        marks = {"attribute": self.attribute_values, "sensitive": [value in self.sensitive for value in self.attribute_values]}
        return {
            "trajectories": pl.DataFrame(rows),
            "attributes": pl.DataFrame(people),
            "attribute_values": pl.DataFrame(marks),
        }

    def statistics(self, universe: Universe, *, hours: int) -> dict[str, float]:
        """The figures that papers report; a pair takes the bytes of one letter or number, the hour, and a space."""
        people = max(len(self.places), 1)
        place_widths = np.array([1 if len(universe) <= 26 else len(str(code + 1)) for code in range(len(universe))])
        hour_widths = np.array([len(str(hour)) for hour in range(hours)])
        size = int(place_widths[self.places.codes].sum() + hour_widths[self.hours].sum() + self.hours.size)
        average, most = mean_distinct(self.places.codes, self.places.offsets, labels=len(universe))
        return {
            "records": len(self.places),
            "labels": len(universe),
            "dimensions": len(universe) * hours,
            "mean length": self.places.codes.size / people,
            "max length": int(self.places.lengths.max(initial=0)),
            "mean distinct labels": average,
            "max distinct labels": most,
            "bytes per record": size / people,
            "attribute values": len(self.attribute_values),
            "sensitive attribute values": self.sensitive_values,
            "share of people with a sensitive value": float((self.attributes < self.sensitive_values).sum() / people),
        }


def with_attributes(
    generator: np.random.Generator,
    places: Ragged,
    hours: Integers,
    *,
    universe: Universe,
    names: tuple[str, int, int],
) -> Trajectories:
    """Add attributes: each first place has its own share of sensitive values, beta-distributed around their overall share."""
    name, values, sensitive = names
    share = sensitive / values
    starts = places.codes[places.offsets[:-1]]
    shares = generator.beta(share * CLUSTERING, (1 - share) * CLUSTERING, len(universe))
    if starts.size:
        shares = np.minimum(shares * (share / shares[starts].mean()), 1.0)
    is_sensitive = generator.random(starts.size) < shares[starts]
    drawn = generator.random(starts.size)
    attributes = np.where(is_sensitive, drawn * sensitive, sensitive + drawn * (values - sensitive)).astype(np.int64)
    labels = tuple(f"{name} {number + 1:02d}" for number in range(values))
    return Trajectories(places=places, hours=hours, attributes=attributes, attribute_values=labels, sensitive_values=sensitive)
