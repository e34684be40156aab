"""Bucketization: quasi-identifiers stay as they are; which sensitive value belongs to whom is told up to a bucket only.

Anatomy (Xiao and Tao, VLDB 2006) makes buckets of at least l people with l different sensitive values, so each value has a share
of at most 1 / l. We make the same kind of buckets without its loop: with n people there are B = n // l buckets, people are
ordered by sensitive value, most frequent first, and person i goes to bucket i mod B. A value that at most B people have is then
at most once in a bucket, and every bucket has l people or more. A value that more have makes it impossible for any method. Who of
the people with one value goes first is drawn from the operating system's entropy, and the published tables are sorted, so that
neither the order of the file nor that of the buckets links anybody.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers
from tacita.privacy.randomness import SecureSource, Source

__all__ = ["bucket_of_rows"]


def bucket_of_rows(sensitive: Integers, *, symbols: int, l: int, source: Source | None = None) -> Integers | None:  # noqa: E741
    """The bucket of each row, or None if a value is so frequent that buckets of l different values are impossible."""
    counts = np.bincount(sensitive, minlength=symbols)
    buckets = sensitive.size // l
    if not buckets or int(counts.max()) > buckets:
        return None
    drawn = np.frombuffer((SecureSource() if source is None else source).take(8 * sensitive.size), dtype=np.uint64)
    rank = np.empty(symbols, dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(symbols)
    order = np.lexsort((drawn, rank[sensitive]))
    bucket = np.empty(sensitive.size, dtype=np.int64)
    bucket[order] = np.arange(sensitive.size) % buckets
    return bucket
