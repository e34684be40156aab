"""What a paper claims, as rules that compute a verdict from measured rows and printed points.

- `Matches`: our figures against the printed ones, cell by cell. *Better* if none is worse, *reached* if the mean is not worse by
  more than a fiftieth, else *not reached*.
- `Bound`: the worst (or the mean) of some figures against a stated bound. *Better* below nine tenths of an upper bound.
- `Gain`: how much smaller one series is than another, against a stated range; *better* above the range.
- `Below`: one series below another at every x; *reached* if so in nine of ten places.
- `Trend`: how a series moves along x.
- `Equals`: statistics of data; *reached* within the last digit that is printed.
- `Untold`: a claim that cannot be compared, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import isclose, log
from statistics import mean
from typing import Protocol

from tacita.public.parameters import Chosen
from tacita_papers.reproduce.experiment import Point, Row

__all__ = [
    "Below",
    "Bound",
    "Claim",
    "Direction",
    "Equals",
    "Gain",
    "Judgement",
    "Matches",
    "Trend",
    "Untold",
    "Verdict",
    "Way",
    "overall",
]

REACHED_WITHIN = 0.02
EVERYWHERE = 0.9
CLEARLY = 0.9


class Verdict(StrEnum):
    """How our result compares with a claim."""

    BETTER = "better"
    REACHED = "reached"
    NOT_REACHED = "not reached"
    NOT_COMPARABLE = "not comparable"


class Direction(StrEnum):
    """Which figures are good."""

    LOWER = "lower"
    HIGHER = "higher"


class Way(StrEnum):
    """How a series moves along x."""

    FALLS = "falls"
    RISES = "rises"
    STABLE = "stable"
    LINEAR = "at most linear"
    QUADRATIC = "at most quadratic"
    DIPS = "falls, then rises"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A verdict with its reason in figures."""

    claim: str
    verdict: Chosen[Verdict] = Chosen(Verdict)
    reason: str


class Claim(Protocol):
    """A rule."""

    def judge(self, rows: Sequence[Row], published: Sequence[Point]) -> Judgement:
        """Compare."""
        ...


Filter = Mapping[str, str | tuple[str, ...]]


def _chosen(rows: Iterable[Row], where: Filter) -> list[Row]:
    def fits(row: Row) -> bool:
        return all(
            getattr(row, name) in wanted if isinstance(wanted, tuple) else getattr(row, name) == wanted
            for name, wanted in where.items()
        )

    return [row for row in rows if fits(row)]


def _missing(claim: str, what: str) -> Judgement:
    return Judgement(claim=claim, verdict=Verdict.NOT_COMPARABLE, reason=f"nothing was measured for {what}")


def _where(where: Filter) -> str:
    return ", ".join(" or ".join(value) if isinstance(value, tuple) else value for value in where.values()) or "this"


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:,.0f}"


@dataclass(frozen=True, kw_only=True)
class Matches:
    """Our figures against the printed ones; `ours` names our series where it differs from the printed one."""

    text: str
    better: Chosen[Direction] = Chosen(Direction)
    series: tuple[str, ...] = ()
    ours: Mapping[str, str] = field(default_factory=dict)
    where: Filter = field(default_factory=dict)

    def judge(self, rows: Sequence[Row], published: Sequence[Point]) -> Judgement:
        """Compare cell by cell."""
        found = {(row.data, row.series, row.panel, row.x): row.value for row in _chosen(rows, self.where)}
        pairs = [
            (found[key], point.value)
            for point in published
            if (not self.series or point.series in self.series)
            and (key := (point.data, self.ours.get(point.series, point.series), point.panel, point.x)) in found
        ]
        if not pairs:
            return _missing(self.text, _where(self.where))
        sign = -1 if self.better is Direction.LOWER else 1
        ahead = sum(sign * (ours - theirs) >= 0 for ours, theirs in pairs)
        our_mean, their_mean = mean(ours for ours, _ in pairs), mean(theirs for _, theirs in pairs)
        if ahead == len(pairs):
            verdict = Verdict.BETTER
        elif sign * (our_mean - their_mean) >= -REACHED_WITHIN * abs(their_mean):
            verdict = Verdict.REACHED
        else:
            verdict = Verdict.NOT_REACHED
        reason = (
            f"ours is at least as good in {ahead} of {len(pairs)} cells; mean {_number(our_mean)}, printed {_number(their_mean)}"
        )
        return Judgement(claim=self.text, verdict=verdict, reason=reason)


@dataclass(frozen=True, kw_only=True)
class Bound:
    """The worst, or the mean, of some figures against a stated bound."""

    text: str
    where: Filter
    most: float | None = None
    least: float | None = None
    of: Callable[[list[float]], float] | None = None

    def chosen(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that are held against the bound."""
        return _chosen(rows, self.where)

    def judge(self, rows: Sequence[Row], published: Sequence[Point]) -> Judgement:
        """Compare with the bound."""
        del published
        values = [row.value for row in self.chosen(rows)]
        if not values:
            return _missing(self.text, _where(self.where))
        if self.most is not None:
            value, bound, word = (self.of or max)(values), self.most, "at most"
            verdict = Verdict.BETTER if value < CLEARLY * bound else Verdict.REACHED if value <= bound else Verdict.NOT_REACHED
        else:
            value, bound, word = (self.of or min)(values), self.least or 0.0, "at least"
            verdict = Verdict.BETTER if value > bound else Verdict.REACHED if value == bound else Verdict.NOT_REACHED
        reason = f"{_number(value)} ({_where(self.where)}); stated: {word} {_number(bound)}"
        return Judgement(claim=self.text, verdict=verdict, reason=reason)


@dataclass(frozen=True, kw_only=True)
class Gain:
    """How much smaller one series is than another on average, as a share, against a stated range."""

    text: str
    of: str
    over: str
    least: float
    most: float | None = None
    where: Filter = field(default_factory=dict)
    among: Callable[[list[float]], float] = mean

    def judge(self, rows: Sequence[Row], published: Sequence[Point]) -> Judgement:
        """Compare the gain with the range."""
        del published
        gains = [1 - low / high for low, high in _pairs(_chosen(rows, self.where), self.of, self.over) if high > 0]
        if not gains:
            return _missing(self.text, f"{self.of} and {self.over}")
        gain = self.among(gains)
        highest = self.least if self.most is None else self.most
        verdict = Verdict.BETTER if gain > highest else Verdict.REACHED if gain >= self.least else Verdict.NOT_REACHED
        told = f"{self.least:.0%}" if self.most is None else f"{self.least:.0%} to {self.most:.0%}"
        reason = f"{self.of} is {gain:+.0%} better than {self.over} ({min(gains):+.0%} to {max(gains):+.0%}); stated: {told}"
        return Judgement(claim=self.text, verdict=verdict, reason=reason)


@dataclass(frozen=True, kw_only=True)
class Below:
    """One series below another wherever both were measured."""

    text: str
    lower: str
    higher: str
    where: Filter = field(default_factory=dict)

    def judge(self, rows: Sequence[Row], published: Sequence[Point]) -> Judgement:
        """Count where it is so."""
        del published
        pairs = _pairs(_chosen(rows, self.where), self.lower, self.higher)
        if not pairs:
            return _missing(self.text, f"{self.lower} and {self.higher}")
        share = sum(low <= high for low, high in pairs) / len(pairs)
        verdict = Verdict.REACHED if share >= EVERYWHERE else Verdict.NOT_REACHED
        reason = f"{self.lower} is not above {self.higher} in {share:.0%} of {len(pairs)} places"
        return Judgement(claim=self.text, verdict=verdict, reason=reason)


def _pairs(rows: Iterable[Row], one: str, other: str) -> list[tuple[float, float]]:
    found = {(row.data, row.series, row.panel, row.x): row.value for row in rows}
    return [
        (value, found[data, other, panel, x])
        for (data, series, panel, x), value in found.items()
        if series == one and (data, other, panel, x) in found
    ]


@dataclass(frozen=True, kw_only=True)
class Trend:
    """How each line of the chosen rows moves along x; `within` is the ratio that still counts as stable."""

    text: str
    way: Chosen[Way] = Chosen(Way)
    where: Filter = field(default_factory=dict)
    within: float = 1.5

    def judge(self, rows: Sequence[Row], published: Sequence[Point]) -> Judgement:
        """Look at every line."""
        del published
        lines: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
        for row in _chosen(rows, self.where):
            lines.setdefault((row.data, row.series, row.panel), []).append((float(row.x), row.value))
        told = [sorted(line) for line in lines.values() if len(line) > 1]
        if not told:
            return _missing(self.text, _where(self.where))
        holds = [self._holds(line) for line in told]
        share = sum(holds) / len(holds)
        verdict = Verdict.REACHED if share >= EVERYWHERE else Verdict.NOT_REACHED
        ratios = sorted(line[-1][1] / line[0][1] for line in told if line[0][1] > 0)
        moved = (
            f"; from the first x to the last, figures change by factors of {ratios[0]:.2f} to {ratios[-1]:.2f}" if ratios else ""
        )
        return Judgement(claim=self.text, verdict=verdict, reason=f"{self.way} in {sum(holds)} of {len(holds)} lines{moved}")

    def _holds(self, line: list[tuple[float, float]]) -> bool:
        (first_x, first), (last_x, last) = line[0], line[-1]
        values = [value for _, value in line]
        match self.way:
            case Way.FALLS:
                return last <= first * (1 + REACHED_WITHIN)
            case Way.RISES:
                return last >= first * (1 - REACHED_WITHIN)
            case Way.STABLE:
                return max(values) <= self.within * max(min(values), 1e-12)
            case Way.DIPS:
                return min(values[1:-1], default=first) < min(first, last)
            case _:
                degree = 1 if self.way is Way.LINEAR else 2
                return log(max(last, 1e-12) / max(first, 1e-12)) <= (degree + 0.25) * log(last_x / first_x)


@dataclass(frozen=True, kw_only=True)
class Equals:
    """Statistics that should be the printed ones, to the digits that are printed."""

    text: str
    within: float = 0.02
    where: Filter = field(default_factory=dict)

    def judge(self, rows: Sequence[Row], published: Sequence[Point]) -> Judgement:
        """Compare each statistic."""
        found = {(row.data, row.series, row.panel, row.x): row.value for row in _chosen(rows, self.where)}
        pairs = {
            f"{point.data} {point.x}": (found[key], point.value)
            for point in published
            if (key := (point.data, point.series, point.panel, point.x)) in found
        }
        if not pairs:
            return _missing(self.text, _where(self.where))
        off = [name for name, (ours, theirs) in pairs.items() if not isclose(ours, theirs, rel_tol=self.within, abs_tol=1e-9)]
        verdict = Verdict.NOT_REACHED if off else Verdict.REACHED
        told = "; ".join(f"{name}: {_number(pairs[name][0])}, printed {_number(pairs[name][1])}" for name in off[:4])
        reason = f"{len(pairs) - len(off)} of {len(pairs)} figures agree within {self.within:.0%}" + (f"; {told}" if told else "")
        return Judgement(claim=self.text, verdict=verdict, reason=reason)


@dataclass(frozen=True, kw_only=True)
class Untold:
    """A claim that nobody can compare."""

    text: str
    because: str

    def judge(self, rows: Sequence[Row], published: Sequence[Point]) -> Judgement:
        """Say why not."""
        del rows, published
        return Judgement(claim=self.text, verdict=Verdict.NOT_COMPARABLE, reason=self.because)


def overall(judgements: Sequence[Judgement]) -> Verdict:
    """Not reached if any claim is not; better if one is better and the rest reached; nothing if nothing can be compared."""
    told = {each.verdict for each in judgements} - {Verdict.NOT_COMPARABLE}
    if not told:
        return Verdict.NOT_COMPARABLE
    if Verdict.NOT_REACHED in told:
        return Verdict.NOT_REACHED
    return Verdict.BETTER if Verdict.BETTER in told else Verdict.REACHED
