"""The findings of an attack, for a terminal and for scripts, and exact confidence intervals; the same for all attacks."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, log1p

from tacita.privacy.guarantee import OWNER_ONLY

__all__ = ["OWNER_ONLY", "Assessment", "Figure", "clopper_pearson"]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number that an attack found, with an interval if it is an estimate, and the bound of the guarantee, if any."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    bound: float | None = None
    is_share: bool = True
    """Whether it is a share, which can be drawn, and no number of people or values."""

    def as_json(self) -> dict[str, object]:
        """The figure for scripts."""
        found = {"name": self.name, "value": self.value, "low": self.low, "high": self.high, "bound": self.bound}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """The figures of one attack. For the owner only: passing them on means passing on private data.

    >>> print(Assessment(attack="linkage", against="raw table", figures=(Figure(name="singled out", value=0.25),)))
    linkage against raw table
    for the owner's eyes only: these figures are computed from raw data, without noise
    <BLANKLINE>
    singled out                                                           0.25
    """

    attack: str
    against: str
    figures: tuple[Figure, ...]
    assumptions: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        """The value of a figure by its name."""
        return next(figure.value for figure in self.figures if figure.name == name)

    def __str__(self) -> str:
        """Render for a terminal."""
        lines = [f"{self.attack} against {self.against}", OWNER_ONLY, *(f"assumes: {each}" for each in self.assumptions), ""]
        return "\n".join([*lines, *(_line(figure) for figure in self.figures)])

    def as_json(self) -> dict[str, object]:
        """The same for scripts, with the same warning."""
        return {
            "warning": OWNER_ONLY,
            "attack": self.attack,
            "against": self.against,
            "assumptions": list(self.assumptions),
            "figures": [figure.as_json() for figure in self.figures],
        }


def _line(figure: Figure) -> str:
    value = f"{figure.value:,.0f}" if figure.value == int(figure.value) and abs(figure.value) > 1 else f"{figure.value:.4g}"
    line = f"{figure.name:<60}{value:>14}"
    if figure.low is not None and figure.high is not None:
        line += f"  [{figure.low:.4g}, {figure.high:.4g}]"
    return line if figure.bound is None else f"{line}  bound {figure.bound:.4g}"


# Exact confidence intervals for a probability (Clopper and Pearson, 1934), by bisection of binomial tails.


def clopper_pearson(hits: int, runs: int, *, risk: float) -> tuple[float, float]:
    """An interval that misses the probability of a hit, on each side, with probability at most `risk`.

    >>> [round(end, 4) for end in clopper_pearson(5, 10, risk=0.025)]
    [0.1871, 0.8129]
    """
    low = 0.0 if hits == 0 else _bisect(lambda share: _at_least(hits, runs, share) >= risk)
    high = 1.0 if hits == runs else 1 - _bisect(lambda share: _at_least(runs - hits, runs, share) >= risk)
    return low, high


def _bisect(reached: object) -> float:
    """The smallest share at which a monotone question is answered yes, approached from below."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if callable(reached) and reached(middle) else (middle, high)
    return low


def _at_least(hits: int, runs: int, share: float) -> float:
    """The probability of at least this many hits."""
    if share <= 0:
        return 0.0
    if share >= 1:
        return 1.0
    whole = lgamma(runs + 1)
    terms = (
        exp(whole - lgamma(k + 1) - lgamma(runs - k + 1) + k * log(share) + (runs - k) * log1p(-share))
        for k in range(hits, runs + 1)
    )
    return sum(terms)
