"""Which noise a step needs, and which noise a manifest says that it got: both as numbers that can be compared.

A method says for each of its steps how far one protected unit changes each answer (`Change`). A manifest says of every draw
which noise was added, in words that the questions write themselves. `noise_in_words` reads these words and no others, so that a
law nobody knows is refused rather than believed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from tacita.errors import InputError
from tacita.public.parameters import Chosen

__all__ = ["Change", "Law", "Noise", "noise_in_words"]


class Law(StrEnum):
    """By which law a step is answered; the words of its noise begin with this."""

    COUNTS = "discrete Laplace"
    GAUSSIAN = "discrete Gaussian"
    CHOICE = "permute-and-flip"
    CANDIDATES = "exponential mechanism over candidates"
    LADDER = "ladder"
    ARRANGEMENT = "exponential mechanism over arrangements"
    PLACEMENT = "one pass over the vertices"
    BIT = "one bit"


@dataclass(frozen=True, kw_only=True)
class Change:
    """How far one protected unit changes what a step asks, which its noise must cover.

    The scale of the noise times the epsilon of a draw is at least `least`: sensitivity times the number of units that are
    protected together. Where noisy answers decide the sensitivity (`is_chosen`), `least` is the smallest that they can choose. If
    the draw costs a rho, twice its variance times that rho is at least `squares`, the same in the sense of squares.
    """

    law: Chosen[Law] = Chosen(Law, Law.COUNTS)
    least: Fraction | int = 1
    squares: Fraction | int = 1
    is_chosen: bool = False
    in_rounds: bool = False
    """Whether the step is shared along the paths of a tree, in rounds."""
    part: str | None = None
    """The sliding part of the plan that pays for the step."""
    share: Fraction = Fraction(1)
    """The largest share of that part's epsilon that one draw may cost."""
    threshold: int | None = None
    """The least threshold that a delta allows."""

    def law_for(self, *, rho: bool) -> Law:
        """The law by which the step is answered if it is paid for in epsilon, or in rho."""
        return _IN_RHO.get(self.law, self.law) if rho else self.law


_IN_RHO = {Law.COUNTS: Law.GAUSSIAN, Law.CHOICE: Law.CANDIDATES}


@dataclass(frozen=True, kw_only=True)
class Noise:
    """A law as a manifest states it: its smallest and largest scale, or variance, if it has one, and the smallest threshold."""

    law: Chosen[Law] = Chosen(Law)
    smallest: Fraction | None = None
    largest: Fraction | None = None
    threshold: int | None = None


_ROUNDED = Fraction(100_001, 100_000)
"""The ends of a range are written to six digits, so a true scale may be this much larger than its text."""

_EXACT, _ROUGH = r"([0-9]+(?:\.[0-9]+|/[0-9]+)?)", r"([0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]{1,3})?)"
_LIMIT = r"(?:all kept|in all [0-9]+ cells|kept if the noisy count is at least ([0-9]+)(?: to [0-9]+, depending on the block)?)"
_WORDS = {
    Law.COUNTS: rf"discrete Laplace, scale (?:{_EXACT}|{_ROUGH} to {_ROUGH}), {_LIMIT}",
    Law.GAUSSIAN: rf"discrete Gaussian, variance {_EXACT}, (?:all kept|in all [0-9]+ cells)",
    Law.CANDIDATES: r"exponential mechanism over candidates, [1-9][0-9]* of them",
    Law.CHOICE: r"permute-and-flip (?:over [1-9][0-9]* candidates|in each of several disjoint parts)",
    Law.LADDER: rf"ladder, rungs at a scale of {_EXACT}",
    Law.ARRANGEMENT: rf"exponential mechanism over arrangements, weights exp\({_EXACT}\) for each cell that agrees",
    Law.PLACEMENT: rf"one pass over the vertices, weights of at most exp\({_EXACT}\) for each edge to a block",
    Law.BIT: rf"one bit, by discrete Laplace of scale {_EXACT} on the distance",
}
_LONGEST = 1000


def noise_in_words(words: str) -> Noise:
    """The law that a draw states; refused if no question of Tacita writes these words.

    >>> noise_in_words("discrete Laplace, scale 20/3, all kept").smallest
    Fraction(20, 3)
    >>> noise_in_words("none")
    Traceback (most recent call last):
    tacita.errors.InputError: no question writes its noise as 'none'
    """
    between = re.fullmatch(r"from (.+) to ((?:discrete|permute|one bit).+)", words[:_LONGEST])
    if between is not None:  # of a part that slides: the law of the dearest draw, then that of the cheapest
        first, last = (_single(part, words) for part in between.groups())
        if first.law is not last.law:
            raise _unknown(words)
        return Noise(law=first.law, smallest=first.smallest, largest=last.largest, threshold=first.threshold)
    return _single(words, words)


def _single(part: str, words: str) -> Noise:
    for law, pattern in _WORDS.items():
        found = re.fullmatch(pattern, part) if len(part) <= _LONGEST else None
        if found is None:
            continue
        if law in {Law.CHOICE, Law.CANDIDATES}:
            return Noise(law=law)
        exact = found[1]
        try:
            if exact is None:
                low, high = Fraction(found[2]) * _ROUNDED, Fraction(found[3])
            else:
                low = high = 1 / Fraction(exact) if law in {Law.ARRANGEMENT, Law.PLACEMENT} else Fraction(exact)
        except ZeroDivisionError:
            raise _unknown(words) from None
        threshold = found[4] if law is Law.COUNTS else None
        return Noise(law=law, smallest=low, largest=high, threshold=None if threshold is None else int(threshold))
    raise _unknown(words)


def _unknown(words: str) -> InputError:
    return InputError(f"no question writes its noise as {words[:80]!r}")
