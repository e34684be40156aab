"""What a method has to spend, in whichever currency its budget is: an epsilon for Laplace noise, or a rho for Gaussian noise.

A method divides its funds into steps and asks how large the noise of a share would be, without knowing which currency it has. One
count that a person changes by 1 has, for a share s of the funds,

    discrete Laplace noise of scale 1 / (s epsilon), or discrete Gaussian noise of variance 1 / (2 s rho).

Asking again for what was asked already adds up to one answer with twice the share in rho, and to less than that in epsilon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, expm1, floor, pi, sqrt

from tacita.privacy.budget import USUAL_DELTA, ApproxDP, Budget, PureDP, Step, ZeroConcentrated
from tacita.privacy.concentrated import rho_for, rounded_up
from tacita.privacy.noise import require_rate, require_rho
from tacita.public.parameters import instance_of

__all__ = ["Funds", "compared", "pays_from"]


@dataclass(frozen=True, kw_only=True)
class Funds:
    """An amount of one currency."""

    amount: Fraction
    in_rho: bool = False

    @classmethod
    def of(cls, budget: Budget) -> Funds:
        """What a budget has: its epsilon, or the rho that implies its epsilon and delta.

        >>> from tacita.privacy.budget import ApproxDP
        >>> Funds.of(PureDP("1")), Funds.of(ApproxDP("1", "1e-9")).in_rho
        (Funds(amount=Fraction(1, 1), in_rho=False), True)
        """
        instance_of(budget, PureDP, ApproxDP, ZeroConcentrated, name="a budget")
        return cls(amount=budget.epsilon) if isinstance(budget, PureDP) else cls(amount=budget.rho, in_rho=True)

    def require_share(self, share: Fraction) -> None:
        """Refuse funds of which this share would be too little for any noise."""
        (require_rho if self.in_rho else require_rate)(self.amount * share)

    def step(self, name: str, share: Fraction, *, note: str = "") -> Step:
        """A step that costs this share."""
        return self.step_of(name, self.amount * share, note=note)

    def step_of(self, name: str, amount: Fraction, *, note: str = "") -> Step:
        """A step that costs this amount."""
        return Step(name=name, rho=amount, note=note) if self.in_rho else Step(name=name, epsilon=amount, note=note)

    def deviation(self, share: float) -> float:
        """The standard deviation of one count, asked for this share."""
        cost = float(self.amount) * share
        return sqrt(0.5 / cost) if self.in_rho else sqrt(2 * exp(-cost)) / -expm1(-cost)

    def mean_noise(self, share: float) -> float:
        """The mean absolute noise of one count."""
        cost = float(self.amount) * share
        return sqrt(1 / (pi * cost)) if self.in_rho else 2 * exp(-cost) / -expm1(-2 * cost)

    def worth(self, cells: float = 1) -> float:
        """The epsilon that would buy as little noise for a question in which a person changes this many counts by 1 each.

        Laplace noise has a scale of cells / epsilon, Gaussian noise a variance of cells / (2 rho).
        """
        return 2 * sqrt(float(self.amount) * max(cells, 1.0)) if self.in_rho else float(self.amount)

    def price_of(self, worth: float, cells: float = 1) -> float:
        """What it takes for this worth."""
        return worth**2 / (4 * max(cells, 1.0)) if self.in_rho else worth

    def part_for(self, part: float) -> float:
        """The share of the funds that buys this part of their worth: in rho, noise falls with the root of what it costs."""
        return part**2 if self.in_rho else part

    def part(self, amount: Fraction) -> Funds:
        """Some of the funds."""
        return replace(self, amount=amount)

    def noise_of(self, cells: int = 1) -> float:
        """The standard deviation of each count, if a person changes this many by 1 each; Laplace noise is taken as continuous."""
        return sqrt(cells / (2 * float(self.amount))) if self.in_rho else sqrt(2) * cells / float(self.amount)

    def doubt(self, share: float) -> float:
        """By how much a choice made for this share takes a worse score for a better one, with a sensitivity of 1, on average."""
        cost = float(self.amount) * share
        return sqrt(2 / cost) if self.in_rho else 2 / cost


def pays_from(budget: Budget, share: Fraction = Fraction(1)) -> int:
    """From how many answers on, which add up and which a person changes by 1 each, Gaussian noise is the smaller one.

    If only a share of the budget is for them, fewer are enough: Gaussian noise grows with the root of what is left out.

    >>> pays_from(PureDP("1"))
    17
    """
    rho = rho_for(budget.epsilon, USUAL_DELTA) if isinstance(budget, PureDP) else Funds.of(budget).amount
    return floor(share * budget.epsilon**2 / (4 * rho)) + 1


def compared(budget: Budget, noise: Callable[[Funds], float], *, of: str, takes_delta: bool = True) -> str:
    """Both currencies side by side, given the noise that each buys, and which is better; for `explain`.

    Where many answers add up, Laplace noise grows with their number, Gaussian noise with its root.

    >>> print(compared(PureDP("1"), lambda funds: funds.deviation(1 / 100), of="each of 100 answers"))
    noise of each of 100 answers: about 141 by epsilon 1 alone, about 57.8 with a delta of 1e-9 beside it, so add the delta
    """
    is_pure = isinstance(budget, PureDP)
    delta = USUAL_DELTA if is_pure else budget.delta
    rho = rho_for(budget.epsilon, delta) if is_pure else Funds.of(budget).amount
    alone, beside = noise(Funds(amount=budget.epsilon)), noise(Funds(amount=rho, in_rho=True))
    if not takes_delta:
        verdict = "but this method takes no delta" if beside < alone else "and this method takes no delta"
    elif beside < alone:
        verdict = "so add the delta" if is_pure else "so the delta pays"
    else:
        verdict = "so leave out the delta"
    alone_as, beside_as = f"about {alone:.3g} by epsilon {float(budget.epsilon):.4g} alone", f"about {beside:.3g}"
    return f"noise of {of}: {alone_as}, {beside_as} with a delta of {rounded_up(delta)} beside it, {verdict}"
