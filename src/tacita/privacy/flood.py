"""A bound on the size of a release: at a very small epsilon, noise alone can exceed any data and any memory."""

from __future__ import annotations

from tacita.errors import TooManyNodesError

__all__ = ["LARGEST_OUTPUT", "refuse_flood"]

LARGEST_OUTPUT = 2**29


def refuse_flood(symbols: float) -> None:
    """Refuse output that would not fit in memory; `symbols` is noisy or public, so refusing reveals nothing else."""
    if symbols > LARGEST_OUTPUT:
        message = (
            f"a release must have at most {LARGEST_OUTPUT:,} symbols in all, but this one would have about {symbols:.1e}: "
            "the noise is larger than any data; raise epsilon, or ask for less"
        )
        raise TooManyNodesError(message)
