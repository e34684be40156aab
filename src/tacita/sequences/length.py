"""The longest length of sequences: a public number, or one that is chosen privately with a share of the budget.

A length read off the data without noise would reveal whether somebody has a long sequence. A private quantile of the
lengths is chosen by permute-and-flip among public candidates, with a small share of the budget.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tacita.errors import ParameterError
from tacita.privacy.budget import Exact, decimal_text, exact
from tacita.public.parameters import whole_number

__all__ = ["MOST_LEVELS", "PrivateLength", "quantile_scores"]


MOST_LEVELS = 10_000
"""Deeper trees take hours and keep nothing, because every level needs a share of the budget."""


@dataclass(frozen=True, kw_only=True)
class PrivateLength:
    """Choose a length between 1 and `longest` that about a share `quantile` of the sequences does not exceed.

    It costs `share` of the budget, which is then missing for the rest of the publication.
    """

    longest: int
    quantile: Fraction = Fraction(9, 10)
    share: Fraction = Fraction(1, 25)

    def __init__(self, *, longest: int, quantile: Exact = Fraction(9, 10), share: Exact = Fraction(1, 25)) -> None:
        """Check the public parameters."""
        object.__setattr__(self, "longest", longest)
        for name, value in (("quantile", quantile), ("share", share)):
            fraction = exact(value, name=name)
            if not 0 < fraction < 1:
                message = f"the {name} of a private length must lie between 0 and 1, got {value}"
                raise ParameterError(message)
            object.__setattr__(self, name, fraction)
        whole_number(longest, name="longest", least=1, most=MOST_LEVELS)

    @classmethod
    def parse(cls, text: str) -> PrivateLength:
        """Parse `private:20`, as typed on the command line, or the words of a manifest."""
        stated = re.fullmatch(
            r"a length from 1 to ([0-9]{1,9}) that (\S+) of the sequences do not exceed, for (\S+) of epsilon", text
        )
        if stated is not None:
            return cls(longest=int(stated[1]), quantile=stated[2], share=stated[3])
        name, _, longest = text.partition(":")
        if name != "private" or not longest.isdigit():
            message = f"a private length must be written as private:LONGEST, got {text!r}"
            raise ParameterError(message)
        return cls(longest=int(longest))

    def __str__(self) -> str:
        """Render for a manifest."""
        quantile, share = decimal_text(self.quantile), decimal_text(self.share)
        return f"a length from 1 to {self.longest} that {quantile} of the sequences do not exceed, for {share} of epsilon"

    @property
    def sensitivity(self) -> Fraction:
        """The most by which one sequence changes a score."""
        return max(self.quantile, 1 - self.quantile)


def quantile_scores(lengths: Sequence[int], *, quantile: Fraction) -> list[Fraction]:
    """The score of each length from 1: minus the number of sequences by which it misses the quantile.

    A length is the quantile if fewer than that share are shorter and at least that share are not longer. If many sequences have
    the same length, this score distinguishes it from all others; the distance of one cumulative count from the quantile would
    not. `lengths[i]` sequences have length i + 1; the last entry counts the longer ones too.
    """
    wanted = quantile * sum(lengths)
    scores: list[Fraction] = []
    within = 0
    for count in lengths:
        shorter, within = within, within + count
        scores.append(-max(Fraction(0), wanted - within, shorter - wanted))
    return scores
