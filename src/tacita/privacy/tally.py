"""All draws of a part that slides, in a few lines: how many there were, when, and at which prices.

A stream draws for months, so its draws are not kept one by one. What is kept is a function of questions, never of answers: what a
manifest may say. The journal of a stream saves it, so that a restart goes on counting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tacita.privacy.budget import Sliding, decimal_text

__all__ = ["Tallies", "Tally"]


@dataclass(kw_only=True)
class Tally:
    """The draws of one step in all time steps: their number, the first and last time step, the least and the largest price."""

    within: str
    draws: int
    first: int
    last: int
    least: tuple[Fraction, str]
    most: tuple[Fraction, str]
    """An epsilon, with the law of its noise in words."""

    def note(self, part: Sliding) -> str:
        """What was drawn in all, and what any window of it costs."""
        least, most = decimal_text(self.least[0]), decimal_text(self.most[0])
        prices = f"epsilon {most} each" if least == most else f"epsilon {least} to {most} each"
        when = f"time step {self.first}" if self.first == self.last else f"time steps {self.first} to {self.last}"
        draws = "1 draw" if self.draws == 1 else f"{self.draws:,} draws"
        whose = "successive time steps" if part.common else "successive contexts of one person"
        return f"{draws} in {when}, {prices}; any {part.ticks:,} {whose} cost at most {decimal_text(part.epsilon)}"

    @property
    def noise(self) -> str:
        """The law in words, or the two laws between which the others are."""
        return self.most[1] if self.least[1] == self.most[1] else f"from {self.most[1]} to {self.least[1]}"


@dataclass
class Tallies:
    """One tally per step that was drawn in a time step."""

    of: dict[str, Tally] = field(default_factory=dict)

    def add(self, step: str, *, within: str, tick: int, epsilon: Fraction, noise: str) -> None:
        """Count one draw."""
        price, known = (epsilon, noise), self.of.get(step)
        if known is None:
            self.of[step] = Tally(within=within, draws=1, first=tick, last=tick, least=price, most=price)
            return
        known.draws += 1
        known.last = tick
        if epsilon < known.least[0]:
            known.least = price
        elif epsilon > known.most[0]:
            known.most = price

    def as_json(self) -> dict[str, object]:
        """The tallies as a journal holds them."""
        return {
            step: {
                "within": tally.within,
                "draws": tally.draws,
                "first": tally.first,
                "last": tally.last,
                "least": [str(tally.least[0]), tally.least[1]],
                "most": [str(tally.most[0]), tally.most[1]],
            }
            for step, tally in self.of.items()
        }

    def restore(self, held: Mapping[str, Any]) -> None:
        """Take up tallies that were saved."""
        for step, tally in held.items():
            least, most = ((Fraction(tally[name][0]), str(tally[name][1])) for name in ("least", "most"))
            draws, first, last = (int(tally[name]) for name in ("draws", "first", "last"))
            self.of[step] = Tally(within=str(tally["within"]), draws=draws, first=first, last=last, least=least, most=most)
