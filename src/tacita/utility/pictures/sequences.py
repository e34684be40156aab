"""Released sequences beside the raw ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.pictures import Picture
from tacita.public.taxonomy import Taxonomy
from tacita.sequences import PublishedSequences, SequenceRecords
from tacita.sequences.pictures import sequence_pictures
from tacita.utility.pictures.measures import measure_pictures

__all__ = ["pictures"]


def pictures(
    records: SequenceRecords, published: PublishedSequences, *, found: Mapping[str, Any], taxonomy: Taxonomy | None = None
) -> list[Picture]:
    """What was measured, and both sides."""
    measured = found["labels"]
    sides = {"raw": records.sequences, "released": published.sequences}
    drawn = sequence_pictures(sides, universe=published.universe, grid=published.grid, taxonomy=taxonomy)
    return [*measure_pictures(measured), *drawn]
