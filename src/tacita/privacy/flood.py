"""A bound on what is written out: noise at a very small epsilon can be larger than any data, and than any memory."""

from __future__ import annotations

from tacita.errors import TooManyNodesError

__all__ = ["LARGEST_OUTPUT", "refuse_flood"]

LARGEST_OUTPUT = 2**29


def refuse_flood(symbols: float) -> None:
    """Refuse to write out what no memory holds; the number is noisy or public, so that refusing tells nothing else."""
    if symbols > LARGEST_OUTPUT:
        message = (
            f"a release must have at most {LARGEST_OUTPUT:,} symbols in all, this one would have about {symbols:.1e}: "
            "the noise is larger than any data; raise epsilon, or ask for less"
        )
        raise TooManyNodesError(message)
