"""What a method has to spend, in whichever currency its budget is: an epsilon for Laplace noise, or a rho for Gaussian noise.

A method divides its funds into steps and asks how large the noise of a share would be, without knowing which currency it has. One
count that a person changes by 1 has, for a share s of the funds,

    discrete Laplace noise of scale 1 / (s epsilon), or discrete Gaussian noise of variance 1 / (2 s rho).

Asking again for what was asked already adds up to one answer with twice the share in rho, and to less than that in epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, pi, sqrt

from tacita.privacy.budget import USUAL_DELTA, ApproxDP, Budget, PureDP, Step, ZeroConcentrated
from tacita.privacy.concentrated import rho_for, rounded_up
from tacita.privacy.gaussian import require_rho
from tacita.privacy.noise import require_rate
from tacita.public.parameters import instance_of

__all__ = ["Funds", "other_currency"]


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
        cost = self.amount * share
        return Step(name=name, rho=cost, note=note) if self.in_rho else Step(name=name, epsilon=cost, note=note)

    def deviation(self, share: float) -> float:
        """The standard deviation of one count, asked for this share."""
        cost = float(self.amount) * share
        return sqrt(0.5 / cost) if self.in_rho else sqrt(2 * exp(-cost)) / -expm1(-cost)

    def mean_noise(self, share: float) -> float:
        """The mean absolute noise of one count."""
        cost = float(self.amount) * share
        return sqrt(1 / (pi * cost)) if self.in_rho else 2 * exp(-cost) / -expm1(-2 * cost)

    def doubt(self, share: float) -> float:
        """By how much a choice made for this share takes a worse score for a better one, with a sensitivity of 1, on average."""
        cost = float(self.amount) * share
        return sqrt(2 / cost) if self.in_rho else 2 / cost


def other_currency(budget: Budget, *, questions: int) -> str:
    """Which currency has less noise where so many questions add up, each of which a person changes by 1; for `explain`.

    Laplace noise grows with the number of questions, Gaussian noise with its root.

    >>> print(other_currency(PureDP("1"), questions=100))
    with a delta of 1e-9 beside it, Gaussian noise would be 0.41 times as large as this Laplace noise: about 100 questions add up
    """
    is_pure = isinstance(budget, PureDP)
    delta = USUAL_DELTA if is_pure else budget.delta
    rho = rho_for(budget.epsilon, delta) if is_pure else Funds.of(budget).amount
    ratio = sqrt(questions / (2 * float(rho))) / (sqrt(2) * questions / float(budget.epsilon))
    many = f"about {questions} questions add up"
    if is_pure:
        beside = f"with a delta of {rounded_up(delta)} beside it"
        return f"{beside}, Gaussian noise would be {ratio:.2f} times as large as this Laplace noise: {many}"
    if ratio > 1:
        return f"Laplace noise would be {1 / ratio:.2f} times as large as this Gaussian noise: {many}, so leave out the delta"
    return (
        f"Gaussian noise is {ratio:.2f} times as large as the Laplace noise of epsilon {float(budget.epsilon):.4g} alone: {many}"
    )
