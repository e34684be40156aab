"""Measures the three versions of a method: ours, as printed, and ours without noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tacita.errors import TooManyNodesError
from tacita_papers.reproduce.experiment import Line, Row, Scale

__all__ = ["NOISELESS", "Versions", "best_of"]

NOISELESS = "1000"
"""An epsilon at which noise is nothing: even a hundredth of it leaves every count exact with probability above 0.9998."""

Measure = Callable[[Line, str], Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Versions:
    """One series against some x. What is measured at each x is one figure per panel.

    Ours is measured at every x, the other versions at the ends and the middle. `noiseless` is given up where a method without
    noise means nothing; `is_constant` says that x is the budget, which changes nothing without noise. `flood` says why a
    version as printed cannot be run, if its structure grows beyond its limit.
    """

    data: str
    series: str
    xs: Sequence[str]
    runs: int
    panels: Sequence[str] = ("",)
    printed: bool = False
    noiseless: bool = True
    is_constant: bool = False
    flood: str = ""

    def rows(self, scale: Scale, measure: Measure) -> Iterator[Row]:
        """Every row: the mean of its runs, or without noise of one."""
        yield from self._of(Line.OURS, scale.few(self.xs), scale.runs(self.runs), measure)
        few = Scale(quick=True).few(self.xs)
        if self.printed:
            yield from self._of(Line.PRINTED, few, scale.runs(self.runs), measure)
        if self.noiseless and self.is_constant:
            same = list(self._of(Line.NOISELESS, few[:1], 1, measure))
            yield from (replace(row, x=x) for x in few for row in same)
        elif self.noiseless:
            yield from self._of(Line.NOISELESS, few, 1, measure)

    def _of(self, line: Line, xs: Sequence[str], turns: int, measure: Measure) -> Iterator[Row]:
        for x in xs:
            try:
                runs = [measure(line, x) for _ in range(turns)]
            except TooManyNodesError as error:
                why = self.flood or str(error)
                cells = [(panel, Row.refused(why, data=self.data, series=self.series, x=x, line=line)) for panel in self.panels]
            else:
                columns = zip(*runs, strict=True)
                cells = [
                    (panel, Row.of(values, data=self.data, series=self.series, x=x, line=line))
                    for panel, values in zip(self.panels, columns, strict=True)
                ]
            drawn = line is not Line.NOISELESS
            yield from (replace(row, panel=panel, each=row.each if drawn else ()) for panel, row in cells)


def best_of(seconds: Sequence[float], *, data: str, series: str, x: str) -> Row:
    """The shortest of some run times."""
    return replace(Row.of(seconds, data=data, series=series, x=x), value=min(seconds))
