"""A bound on the size of a release: at a very small epsilon, noise alone can exceed any data and any memory."""

from __future__ import annotations

from tacita.errors import TooManyNodesError

__all__ = ["LARGEST_IN_PARTS", "LARGEST_OUTPUT", "refuse_flood"]

LARGEST_OUTPUT = 2**29
"""How many symbols a release may have that is held in memory."""

LARGEST_IN_PARTS = 2**33
"""The same for one that is made and written part by part: a billion records of eight symbols."""


def refuse_flood(symbols: float, *, in_parts: bool = False) -> None:
    """Refuse output that is too large; `symbols` is noisy or public, so refusing reveals nothing else."""
    most = LARGEST_IN_PARTS if in_parts else LARGEST_OUTPUT
    if symbols > most:
        message = (
            f"a release must have at most {most:,} symbols in all, but this one would have about {symbols:.1e}: "
            "the noise is larger than any data; raise epsilon, or ask for less"
        )
        raise TooManyNodesError(message)
