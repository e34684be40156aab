"""What a release is good for, by one rule from measures beside their floors; for the owner's eyes only.

Every measure says how far the release is off, and how far off two floors are: *nothing*, which publishes nothing, and the
*simplest* release of the same kind at the same budget. A floor wins where the release is off by clearly more than it: by more
than a tenth of the floor, and by more than half of what is good. Then:

- *good*: off by at most the good limit of the measure, better than nothing, and the simplest release does not win;
- *do not use*: off by more than the care limit, no better than nothing, or beaten by the simplest release while not within the
  good limit;
- *use with care*: all else.

The limits are in one table, by what is measured. They were chosen before any report was made with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby

from tacita.pictures.picture import percent

__all__ = ["LIMITS", "Grade", "Judged", "Judgement", "Limits", "Use", "grouped", "headline", "joined"]

LONGEST_TITLE = 90


class Grade(StrEnum):
    """What a measure says."""

    GOOD = "good"
    CARE = "care"
    BAD = "bad"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Off by at most `good` is good; off by more than `care` is not to be used."""

    good: float
    care: float
    what: str


LIMITS: Mapping[str, Limits] = {
    "count": Limits(good=0.10, care=0.30, what="the average relative error of counting questions"),
    "distribution": Limits(good=0.10, care=0.30, what="the share of records, visits or steps that would have to change"),
    "column": Limits(good=0.05, care=0.15, what="the share of rows that would have to change in one column"),
    "links": Limits(good=0.10, care=0.30, what="the share of strong links between columns that are lost or invented"),
    "frequent": Limits(good=0.10, care=0.30, what="the share of the most frequent patterns that are not found again"),
    "forecast": Limits(good=0.10, care=0.20, what="the share of right forecasts that are lost"),
    "area": Limits(good=0.20, care=0.40, what="the mean error of an area at one time, as a share of its mean"),
    "total": Limits(good=0.10, care=0.30, what="the mean error of all areas together, as a share of their mean"),
    "property": Limits(good=0.10, care=0.30, what="how far a number that describes the whole is off, as a share of it"),
    "lost": Limits(good=0.10, care=0.30, what="the share that was removed or made coarser"),
}
"""By what is measured. Single columns are simple, so less is forgiven; areas at one time are hard, so more is."""

MARGIN, MATTERS = 0.1, 0.5
"""A floor wins by this share of itself at least, and by this share of the good limit: less is chance, or does not matter."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One measure of a release: what it is for, how far off it is, and how far off its floors are."""

    use: str
    """What somebody would use the release for, such as `Visits per place`."""
    short: str
    """The same within a sentence, such as `visits per place`."""
    measure: str
    """One of `LIMITS`."""
    off: float
    nothing: float
    simplest: float
    note: str = ""
    is_main: bool = False
    """Whether it is what matters most, so that the first line of the page speaks of it."""
    group: str = ""
    """Measures of a group and a grade are one line, such as all areas that are good."""

    @property
    def limits(self) -> Limits:
        """What is good, and what needs care."""
        return LIMITS[self.measure]

    def loses_to(self, floor: float) -> bool:
        """Whether the release is off by clearly more than a floor."""
        return self.off > floor * (1 + MARGIN) and self.off - floor > MATTERS * self.limits.good

    @property
    def grade(self) -> Grade:
        """Good, care, or bad, by the rule."""
        if self.off > self.limits.care or self.off >= self.nothing > 0:
            return Grade.BAD
        beaten = self.loses_to(self.simplest)
        if self.off <= self.limits.good:
            return Grade.CARE if beaten else Grade.GOOD
        return Grade.BAD if beaten else Grade.CARE

    @property
    def said(self) -> str:
        """How far off, and against which floors."""
        floors = f"nothing {percent(self.nothing)}, simplest {percent(self.simplest)}"
        if self.loses_to(self.simplest):
            floors = f"the simplest release is better: {percent(self.simplest)}"
        elif self.off >= self.nothing > 0:
            floors = f"publishing nothing is as good: {percent(self.nothing)}"
        return f"off by {percent(self.off)}; {floors}" + (f"; {self.note}" if self.note else "")

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        floors = {"nothing": self.nothing, "simplest": self.simplest}
        return {"use": self.use, "measure": self.measure, "off": self.off, **floors, "grade": str(self.grade)}


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """All that was measured for a report, computed from raw data: for the owner's eyes only."""

    measures: Sequence[Judged]
    sizes: tuple[int, int]
    """How many records the raw data and the release have."""
    pieces: str
    """What records are called, such as sequences."""
    simplest: str
    """What the simplest release is, in half a sentence."""
    figures: Mapping[str, object] = field(default_factory=dict)
    """Further figures, for the appendix."""
    seen: Mapping[str, object] = field(default_factory=dict, repr=False)
    """What the pictures need of it."""
    not_checked: Sequence[str] = ()
    """What was not checked, of a release that is verified."""

    @property
    def main(self) -> Judged:
        """What matters most."""
        return next((each for each in self.measures if each.is_main), self.measures[0])

    def of(self, grade: Grade) -> list[Use]:
        """What a grade was given to, groups as one line."""
        return grouped([each for each in self.measures if each.grade is grade])

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        measures = [each.as_json() for each in self.measures]
        sizes = dict(zip(("raw", "released"), self.sizes, strict=True))
        return {"headline": headline(self), "records": sizes, "measures": measures, **self.figures}


@dataclass(frozen=True, kw_only=True)
class Use:
    """A line of the verdict."""

    use: str
    said: str
    short: str


def grouped(measures: Sequence[Judged]) -> list[Use]:
    """One line per measure, or per group."""
    found = []
    ordered = sorted(measures, key=lambda each: (not each.is_main, bool(each.group)))
    for group, several in groupby(ordered, key=lambda each: each.group or each.use):
        some = list(several)
        if len(some) == 1:
            found.append(Use(use=some[0].use, said=some[0].said, short=some[0].short))
            continue
        low, high = min(each.off for each in some), max(each.off for each in some)
        beaten = sum(each.loses_to(each.simplest) for each in some)
        said = f"off by {percent(low)} to {percent(high)}" + (f"; the simplest release is better at {beaten}" if beaten else "")
        names = joined([each.use for each in some], most=4)
        found.append(Use(use=names, said=said, short=f"{len(some)} {group}"))
    return found


def headline(of: Judgement) -> str:
    """The first line of the owner's page: at most ninety characters, and what is worse than a floor says so.

    It is worse if it is at what matters most, or at most measures; a group, such as all columns, is not counted.

    >>> one = Judged(use="Counts", short="counts", measure="count", off=0.4, nothing=1.0, simplest=0.05, is_main=True)
    >>> headline(Judgement(measures=[one], sizes=(9, 9), pieces="rows", simplest="columns alone"))
    'Do not publish this one: a simpler release is 8 times better'
    """
    main, alone = of.main, [each for each in of.measures if not each.group]
    wins = [each for each in alone if each.loses_to(each.simplest)]
    if not of.sizes[1]:
        return "This release is empty: it says nothing. Raise ε, or ask for less"
    if main.off >= main.nothing > 0:
        return "Do not publish this one: publishing nothing would mislead less"
    if main in wins:
        times = main.off / max(main.simplest, 1e-9)
        how = f"{times:.0f} times better" if 1.5 <= times < 1000 else "better"
        if times < 1.5:
            how = f"better: {percent(main.simplest)} off, not {percent(main.off)}"
        return f"Do not publish this one: a simpler release is {how}"
    if 2 * len(wins) > len(alone):
        return f"Do not publish this one: a simpler release is better at {len(wins)} of {len(alone)} measures"
    good, care, bad = ([each.short for each in of.of(grade)] for grade in Grade)
    return _fitting(good, care, bad)


def _fitting(good: list[str], care: list[str], bad: list[str]) -> str:
    """Which grades have what, with as many of their uses as fit."""
    for most in ((2, 2), (2, 1), (1, 1)):
        first, last = joined(good or care, most=most[0], of=2), joined(bad, most=most[1], of=2)
        if not good and not care:
            words = "Do not use this one: nothing that was measured is kept well enough"
        elif not good:
            words = f"Use with care for {first}" + (f"; not for {last}" if bad else "")
        elif bad:
            words = f"Good for {first}; not for {last}"
        elif care:
            words = f"Good for {first}; use with care for {joined(care, most=most[1], of=2)}"
        else:
            words = f"Good for all {len(good)} uses that were measured" if len(good) > 1 else f"Good for {first}"
        if len(words) <= LONGEST_TITLE:
            return words
    return f"Good for {len(good)} uses, with care for {len(care)}, not for {len(bad)}"


def joined(names: Sequence[str], *, most: int, of: int = 0) -> str:
    """Names in a row; of too many, the first ones and how many more.

    >>> joined(["a", "b", "c"], most=4), joined(["a", "b", "c", "d"], most=2), joined(["a", "b", "c"], most=2, of=2)
    ('a, b and c', 'a, b and 2 more', 'a and b')
    """
    if of and len(names) > most:
        names = names[:most]
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
