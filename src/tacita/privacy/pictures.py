"""Where a budget goes, and what was spent of each data set beside its cap, as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from tacita.pictures import Bars, Picture, bar_plot

__all__ = ["Spent", "plan_picture", "spent_picture"]

MOST_STEPS = 16


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


def plan_picture(plan: Mapping[str, Any]) -> Picture:
    """Where a budget goes, from a plan as a manifest holds it: one bar per part, or per step if there is one part only."""
    currency = "rho" if "rho" in plan else "epsilon"
    rule, parts = "step", [plan]
    while len(parts) == 1 and parts[0].get("parts"):
        rule, parts = parts[0]["composition"], list(parts[0]["parts"])
    together = "the largest of" if len(parts) > 1 and rule == "parallel" else "the sum of"
    shown = parts[:MOST_STEPS] if len(parts) > MOST_STEPS + 1 else parts
    names, values = [part["name"] for part in shown], [Fraction(part.get(currency, 0)) for part in shown]
    if len(shown) < len(parts):
        rest = [Fraction(part.get(currency, 0)) for part in parts[len(shown) :]]
        names.append(f"{len(rest)} further steps")
        values.append(max(rest) if together == "the largest of" else sum(rest, Fraction(0)))
    return bar_plot(
        f"Where the budget goes: {currency} {plan[currency]} is {together} these parts",
        names,
        [Bars(name=currency, values=[float(value) for value in values])],
        unit=currency,
        about="One bar per part of the plan that was charged before any noise was drawn.",
    )
