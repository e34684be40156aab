"""Noise that repeats itself, for tests of code that publishes. Nothing made with it is private, and every release says so.

`tacita.testing.contract` has the rules that every method must keep, for authors of new ones.
"""

from __future__ import annotations

from tacita.privacy.answers import Transcript
from tacita.privacy.ledger import Ledger
from tacita.seeded import PublicGenerator, SeededSource, public_generator

__all__ = ["PublicGenerator", "SeededSource", "public_generator", "seeded_ledger"]


def seeded_ledger(seed: int, *, transcript: Transcript | None = None) -> Ledger:
    """A ledger in memory whose noise is the same for the same seed; releases made with it are stamped NOT PRIVATE."""
    return Ledger(source=SeededSource(seed), transcript=transcript)
