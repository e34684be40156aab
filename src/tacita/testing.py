"""Sources of noise that repeat themselves, for tests. Nothing that they touch is private, and every release says so."""

from __future__ import annotations

import numpy as np

from tacita.privacy.answers import Transcript
from tacita.privacy.ledger import Ledger

__all__ = ["PublicGenerator", "SeededSource", "public_generator", "seeded_ledger"]

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
    """Random numbers for data that is public anyway, such as the small data sets of an audit."""
    return np.random.Generator(np.random.PCG64(seed))


def seeded_ledger(seed: int, *, transcript: Transcript | None = None) -> Ledger:
    """A ledger in memory whose noise is the same for the same seed; releases made with it are stamped NOT PRIVATE."""
    return Ledger(source=SeededSource(seed), transcript=transcript)
