"""A released table beside the raw one: how many rows look alike before and after, and how widely columns are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacita.pictures import Picture
from tacita.tables import PublishedBuckets, PublishedTable, TableRecords
from tacita.tables.pictures import crowd_picture

__all__ = ["pictures"]


def pictures(records: TableRecords, published: PublishedTable | PublishedBuckets, *, found: Mapping[str, Any]) -> list[Picture]:  # noqa: ARG001 - as of all kinds
    """Crowds on both sides, then what is drawn of the release alone."""
    _, raw = np.unique(np.stack(records.quasi, axis=1), axis=0, return_counts=True)
    released = np.bincount(published.buckets) if isinstance(published, PublishedBuckets) else published.sizes
    return [crowd_picture({"raw": raw.astype(np.int64), "released": released.astype(np.int64)}), *published.pictures()[1:]]
