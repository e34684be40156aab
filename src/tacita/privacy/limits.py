"""Bounds on the size of a release: at a very small epsilon, noise alone can exceed any data and any memory.

They depend on public and noisy numbers only, and are the same on every engine.
"""

from __future__ import annotations

from tacita.errors import TooManyNodesError

__all__ = ["LARGEST_IN_PARTS", "LARGEST_OUTPUT", "MOST_UNSURE", "SURE", "believed", "is_sure", "refuse_flood", "unsure_rules"]

LARGEST_OUTPUT = 2**29
"""How many symbols a release may have that its method makes at once; which engine counts the records does not matter."""

LARGEST_IN_PARTS = 2**33
"""The same for methods that make their release part by part: a billion records of eight symbols."""

SURE, MOST_UNSURE = 5.0, 100_000
"""A noisy number of records is believed if it is this many standard deviations of its noise; otherwise up to that many."""


def unsure_rules(written: int) -> tuple[str, ...]:
    """The rule that kept a release at its bound, if this one has as many sequences as the bound allows.

    >>> unsure_rules(MOST_UNSURE - 1)
    ()
    """
    told = (
        f"noise could explain the noisy number of sequences ({SURE:g} standard deviations), so only {MOST_UNSURE:,} were written"
    )
    return (told,) if written == MOST_UNSURE else ()


def is_sure(number: float, deviation: float) -> bool:
    """Whether a noisy number is too large to be noise alone."""
    return number >= SURE * deviation


def believed(number: float, deviation: float) -> float:
    """How many records to write, given their noisy number: what may be noise alone fills no disk.

    >>> believed(30_000_000, 1_000_000), believed(3_000_000, 1_000_000), believed(2_000, 1_000_000)
    (30000000, 100000, 2000)
    """
    return number if is_sure(number, deviation) else min(number, MOST_UNSURE)


def refuse_flood(symbols: float, *, in_parts: bool = False) -> None:
    """Refuse output that is too large; `symbols` is noisy or public, so refusing reveals nothing else."""
    most = LARGEST_IN_PARTS if in_parts else LARGEST_OUTPUT
    if symbols > most:
        message = (
            f"a release must have at most {most:,} symbols in all, but this one would have about {symbols:.1e}: "
            "the noise is larger than any data; raise epsilon, or ask for less"
        )
        raise TooManyNodesError(message)
