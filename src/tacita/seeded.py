"""Random numbers that repeat themselves, for the judges: small data sets of an audit, queries of a workload, replayed runs.

Nothing private hangs on them. A release whose noise came from here is stamped NOT PRIVATE.
"""

from __future__ import annotations

import numpy as np

__all__ = ["PublicGenerator", "SeededSource", "public_generator"]

PublicGenerator = np.random.Generator


class SeededSource:
    """The same bytes for the same seed. NOT PRIVATE."""

    def __init__(self, seed: int) -> None:
        """Start the stream of this seed."""
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def take(self, size: int) -> bytes:
        """Hand out the next bytes of the stream."""
        return self._generator.bytes(size)


def public_generator(seed: int) -> PublicGenerator:
    """Random numbers for data that is public anyway."""
    return np.random.Generator(np.random.PCG64(seed))
