"""What was spent of each data set, and the caps, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from tacita.pictures import Bars, Picture, bar_plot

__all__ = ["Spent", "spent_picture"]


class Spent(Protocol):
    """One line of a ledger's balances."""

    @property
    def datasets(self) -> Sequence[str]:
        """The data sets that are counted together."""
        ...

    @property
    def unit(self) -> str:
        """What the spends add up for."""
        ...

    @property
    def epsilon(self) -> Fraction:
        """What was spent."""
        ...

    @property
    def cap_epsilon(self) -> Fraction | None:
        """The most that may be spent."""
        ...


def spent_picture(balances: Sequence[Spent]) -> Picture:
    """One bar per data set, with a thick mark at its cap."""
    caps = [None if balance.cap_epsilon is None else float(balance.cap_epsilon) for balance in balances]
    return bar_plot(
        "What was spent of each data set; a thick mark is its cap",
        [f"{', '.join(balance.datasets)} ({balance.unit})" for balance in balances],
        [
            Bars(
                name="spent",
                values=[float(balance.epsilon) for balance in balances],
                bounds=caps if any(cap is not None for cap in caps) else None,
            )
        ],
        unit="epsilon",
    )
