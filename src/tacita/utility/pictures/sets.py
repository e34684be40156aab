"""Released baskets beside the raw ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.pictures import Picture
from tacita.sets import BasketRecords, PublishedBaskets
from tacita.sets.pictures import basket_pictures
from tacita.utility.pictures.measures import measure_pictures

__all__ = ["pictures"]


def pictures(records: BasketRecords, published: PublishedBaskets, *, found: Mapping[str, Any]) -> list[Picture]:
    """What was measured, and both sides."""
    sides = {"raw": records.baskets, "released": published.baskets}
    return [*measure_pictures(found["sets"]), *basket_pictures(sides, universe=published.universe)]
