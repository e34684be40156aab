"""What a paper claims, as rules over measured rows and printed points; `verdicts` makes verdicts of them.

- `Matches`: our figures against the printed ones, cell by cell. It holds if the mean is not worse by more than a fiftieth, and is
  *better* if no cell is worse.
- `Bound`: the worst (or the mean) of some figures against a stated bound; *better* below nine tenths of an upper bound.
- `Gain`: how much smaller one series is than another, against a stated range; *better* above the range.
- `Below`: one series below another at every x; it holds if so in nine of ten places.
- `Trend`: how a series moves along x.
- `Equals`: statistics of data, within the last digit that is printed.
- `Untold`: a claim that cannot be compared, and why.

A rule compares the rows of one data set. `errors` eases every comparison by that many standard errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import isclose, isnan, log
from statistics import mean
from typing import Protocol

from tacita.public.parameters import Chosen
from tacita_papers.reproduce.experiment import Point, Row, stands_for

__all__ = ["Below", "Bound", "Claim", "Direction", "Equals", "Finding", "Gain", "Matches", "Trend", "Untold", "Way"]

WITHIN = 0.02
EVERYWHERE = 0.9
CLEARLY = 0.9


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
class Finding:
    """Whether a rule holds, and more than that, with the figures that say so."""

    holds: bool
    is_better: bool = False
    reason: str


class Claim(Protocol):
    """A rule. `beside` names the print's series for each of ours, `erratum` the heading of what is wrong with the claim."""

    @property
    def text(self) -> str:
        """What the paper says."""
        ...

    @property
    def beside(self) -> Mapping[str, str]:
        """The print's series beside which one of ours is held, where names differ."""
        ...

    @property
    def erratum(self) -> str:
        """The heading in the errata, if the print contradicts itself here."""
        ...

    @property
    def untold(self) -> str:
        """Why nobody can compare, if so."""
        ...

    def uses(self, row: Row) -> bool:
        """Whether the rule looks at a row."""
        ...

    def compare(self, rows: Sequence[Row], published: Sequence[Point], *, errors: float) -> Finding | None:
        """What the rule finds; nothing if there is nothing to compare."""
        ...


Filter = Mapping[str, str | tuple[str, ...]]


def _fits(row: Row, where: Filter) -> bool:
    for name, wanted in where.items():
        value = stands_for(row.data) if name == "data" else str(getattr(row, name))
        if value not in ((wanted,) if isinstance(wanted, str) else wanted):
            return False
    return True


def _where(where: Filter) -> str:
    told = [" or ".join(value) if isinstance(value, tuple) else value for name, value in where.items() if name != "data"]
    return ", ".join(told) or "all"


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _eased(error: float, errors: float) -> float:
    """Some standard errors; none are nothing, also where an error is infinite."""
    return errors * error if errors else 0.0


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """What all rules have."""

    text: str
    beside: Mapping[str, str] = field(default_factory=dict)
    erratum: str = ""
    untold: str = ""


@dataclass(frozen=True, kw_only=True)
class _Filtered(_Rule):
    """A rule over the rows that a filter lets through."""

    where: Filter = field(default_factory=dict)

    def uses(self, row: Row) -> bool:
        """Whether the filter lets the row through."""
        return _fits(row, self.where)

    def chosen(self, rows: Iterable[Row]) -> list[Row]:
        """The rows with a figure that the filter lets through."""
        return [row for row in rows if self.uses(row) and not isnan(row.value)]


@dataclass(frozen=True, kw_only=True)
class Matches(_Rule):
    """Our figures against the printed ones; `ours` names our series where it differs from the printed one."""

    better: Chosen[Direction] = Chosen(Direction)
    series: tuple[str, ...] = ()
    ours: Mapping[str, str] = field(default_factory=dict)

    def uses(self, row: Row) -> bool:
        """Whether the row is of a series that is compared."""
        wanted = {self.ours.get(name, name) for name in self.series} or {*self.ours.values()}
        return not wanted or row.series in wanted

    def compare(self, rows: Sequence[Row], published: Sequence[Point], *, errors: float) -> Finding | None:
        """Compare cell by cell."""
        found = {(stands_for(row.data), row.series, row.panel, row.x): row for row in rows if not isnan(row.value)}
        pairs = [
            (found[key], point.value)
            for point in published
            if (not self.series or point.series in self.series)
            and (key := (point.data, self.ours.get(point.series, point.series), point.panel, point.x)) in found
        ]
        if not pairs:
            return None
        sign = -1 if self.better is Direction.LOWER else 1
        ahead = sum(sign * (row.value - theirs) >= 0 for row, theirs in pairs)
        our_mean, their_mean = mean(row.value for row, _ in pairs), mean(theirs for _, theirs in pairs)
        least = -WITHIN * abs(their_mean) - _eased(_error_of_mean([row for row, _ in pairs]), errors)
        return Finding(
            holds=sign * (our_mean - their_mean) >= least,
            is_better=ahead == len(pairs),
            reason=f"at least as good in {ahead} of {len(pairs)} cells; mean {_number(our_mean)}, printed {_number(their_mean)}",
        )


def _error_of_mean(rows: Sequence[Row]) -> float:
    """The standard error of the mean of rows that may come from the same runs."""
    runs = {len(row.each) for row in rows}
    if len(runs) == 1 and runs != {0}:
        return Row.of(map(mean, zip(*(row.each for row in rows), strict=True)), data="", series="", x="").error
    return sum(row.error for row in rows) / len(rows)  # as if all were off together, which is the most that is possible


@dataclass(frozen=True, kw_only=True)
class Bound(_Filtered):
    """The worst, or the mean, of some figures against a stated bound."""

    most: float | None = None
    least: float | None = None
    of: Callable[[list[float]], float] | None = None

    def compare(self, rows: Sequence[Row], published: Sequence[Point], *, errors: float) -> Finding | None:
        """Compare with the bound."""
        del published
        chosen = self.chosen(rows)
        if not chosen:
            return None
        sign = 1 if self.most is not None else -1
        eased = [row.value - sign * _eased(row.error, errors) for row in chosen]
        if self.most is not None:
            value, bound, word = (self.of or max)([row.value for row in chosen]), self.most, "at most"
            holds, is_better = (self.of or max)(eased) <= bound, value < CLEARLY * bound
        else:
            value, bound, word = (self.of or min)([row.value for row in chosen]), self.least or 0.0, "at least"
            holds, is_better = (self.of or min)(eased) >= bound, value > bound
        reason = f"{_number(value)} ({_where(self.where)}); stated: {word} {_number(bound)}"
        return Finding(holds=holds, is_better=is_better, reason=reason)


def _pairs(rows: Iterable[Row], one: str, other: str) -> list[tuple[Row, Row]]:
    found = {(row.series, row.panel, row.x): row for row in rows}
    return [
        (row, found[other, panel, x]) for (series, panel, x), row in found.items() if series == one and (other, panel, x) in found
    ]


@dataclass(frozen=True, kw_only=True)
class Gain(_Filtered):
    """How much smaller one series is than another on average, as a share, against a stated range."""

    of: str
    over: str
    least: float
    most: float | None = None
    among: Callable[[list[float]], float] = mean

    def uses(self, row: Row) -> bool:
        """Whether the row is of one of the two series."""
        return row.series in {self.of, self.over} and _fits(row, self.where)

    def compare(self, rows: Sequence[Row], published: Sequence[Point], *, errors: float) -> Finding | None:
        """Compare the gain with the range."""
        del published
        pairs = [(low, high) for low, high in _pairs(self.chosen(rows), self.of, self.over) if high.value > 0]
        if not pairs:
            return None
        gains = [1 - low.value / high.value for low, high in pairs]
        gain = self.among(gains)
        highest = self.least if self.most is None else self.most
        told = f"{self.least:.0%}" if self.most is None else f"{self.least:.0%} to {self.most:.0%}"
        return Finding(
            holds=gain + _eased(self._error(pairs), errors) >= self.least,
            is_better=gain > highest,
            reason=f"{self.of} is {gain:+.0%} better than {self.over} ({min(gains):+.0%} to {max(gains):+.0%}); stated: {told}",
        )

    def _error(self, pairs: Sequence[tuple[Row, Row]]) -> float:
        """The standard error of the gain over runs that are pairs; else at most the largest error of a place."""
        sizes = {len(row.each) for pair in pairs for row in pair}
        if len(sizes) == 1 and sizes != {0} and all(min(high.each) > 0 for _, high in pairs):
            runs = range(sizes.pop())
            each = [self.among([1 - low.each[run] / high.each[run] for low, high in pairs]) for run in runs]
            return Row.of(each, data="", series="", x="").error
        return max(low.difference(high, lambda mine, theirs: 1 - mine / theirs if theirs else 0.0) for low, high in pairs)


@dataclass(frozen=True, kw_only=True)
class Below(_Filtered):
    """One series below another wherever both were measured."""

    lower: str
    higher: str

    def uses(self, row: Row) -> bool:
        """Whether the row is of one of the two series."""
        return row.series in {self.lower, self.higher} and _fits(row, self.where)

    def compare(self, rows: Sequence[Row], published: Sequence[Point], *, errors: float) -> Finding | None:
        """Count where it is so."""
        del published
        pairs = _pairs(self.chosen(rows), self.lower, self.higher)
        if not pairs:
            return None
        holds = [
            low.value - high.value <= _eased(low.difference(high, lambda mine, theirs: mine - theirs), errors)
            for low, high in pairs
        ]
        share = sum(holds) / len(holds)
        reason = f"{self.lower} is not above {self.higher} in {share:.0%} of {len(pairs)} places"
        return Finding(holds=share >= EVERYWHERE, reason=reason)


@dataclass(frozen=True, kw_only=True)
class Trend(_Filtered):
    """How each line of the chosen rows moves along x; `within` is the ratio that still counts as stable."""

    way: Chosen[Way] = Chosen(Way)
    within: float = 1.5

    def compare(self, rows: Sequence[Row], published: Sequence[Point], *, errors: float) -> Finding | None:
        """Look at every line."""
        del published
        lines: dict[tuple[str, str], list[Row]] = {}
        for row in self.chosen(rows):
            lines.setdefault((row.series, row.panel), []).append(row)
        told = [sorted(line, key=lambda row: float(row.x)) for line in lines.values() if len(line) > 1]
        if not told:
            return None
        holds = [self._holds(line, errors) for line in told]
        ratios = sorted(line[-1].value / line[0].value for line in told if line[0].value > 0)
        moved = (
            f"; from the first x to the last, figures change by factors of {ratios[0]:.2f} to {ratios[-1]:.2f}" if ratios else ""
        )
        return Finding(
            holds=sum(holds) / len(holds) >= EVERYWHERE, reason=f"{self.way} in {sum(holds)} of {len(holds)} lines{moved}"
        )

    def _holds(self, line: list[Row], errors: float) -> bool:
        first, last = line[0], line[-1]
        room = _eased(first.difference(last, lambda one, other: one - other), errors)
        match self.way:
            case Way.FALLS:
                return last.value <= first.value * (1 + WITHIN) + room
            case Way.RISES:
                return last.value >= first.value * (1 - WITHIN) - room
            case Way.STABLE:
                most = max(row.value - _eased(row.error, errors) for row in line)
                least = min(row.value + _eased(row.error, errors) for row in line)
                return most <= self.within * max(least, 1e-12)
            case Way.DIPS:
                return any(all(_dips(row, end, errors) for end in (first, last)) for row in line[1:-1])
            case _:
                degree = 1 if self.way is Way.LINEAR else 2
                least = last.value - _eased(last.error, errors)
                most = first.value + _eased(first.error, errors)
                return log(max(least, 1e-12) / max(most, 1e-12)) <= (degree + 0.25) * log(float(last.x) / float(first.x))


def _dips(row: Row, end: Row, errors: float) -> bool:
    room = _eased(row.difference(end, lambda one, other: one - other), errors)
    return row.value < end.value + room


@dataclass(frozen=True, kw_only=True)
class Equals(_Filtered):
    """Statistics that should be the printed ones, to the digits that are printed."""

    within: float = 0.02

    def compare(self, rows: Sequence[Row], published: Sequence[Point], *, errors: float) -> Finding | None:
        """Compare each statistic; nothing was drawn."""
        del errors
        found = {(row.data, row.series, row.panel, row.x): row.value for row in self.chosen(rows)}
        pairs = {
            f"{point.data} {point.x}": (found[key], point.value)
            for point in published
            if (key := (point.data, point.series, point.panel, point.x)) in found
        }
        if not pairs:
            return None
        off = [name for name, (ours, theirs) in pairs.items() if not isclose(ours, theirs, rel_tol=self.within, abs_tol=1e-9)]
        told = "; ".join(f"{name}: {_number(pairs[name][0])}, printed {_number(pairs[name][1])}" for name in off[:4])
        reason = f"{len(pairs) - len(off)} of {len(pairs)} figures agree within {self.within:.0%}" + (f"; {told}" if told else "")
        return Finding(holds=not off, reason=reason)


@dataclass(frozen=True, kw_only=True)
class Untold(_Rule):
    """A claim that nobody can compare, because of what `untold` says."""

    def uses(self, row: Row) -> bool:
        """It looks at nothing."""
        del row
        return False

    def compare(self, rows: Sequence[Row], published: Sequence[Point], *, errors: float) -> Finding | None:
        """Nothing."""
        del rows, published, errors
        return None
