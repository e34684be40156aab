"""Short ways to write down printed figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacita_papers.reproduce.experiment import Paper, Point

__all__ = ["CORE_2_DUO", "ICDM", "KDD", "STREAMS", "THESIS", "WSDM", "statistics", "table"]

CORE_2_DUO = "C++ on an Intel Core 2 Duo at 2.26 GHz with 2 GB of memory"
KDD = Paper(title="Chen, Fung, Desai, Sossou, KDD 2012", hardware=CORE_2_DUO)
ICDM = Paper(title="Chen, Fung, Desai, Differentially private trajectory data publication", hardware=CORE_2_DUO)
THESIS = Paper(title="Chen, PhD thesis, Concordia University 2012", hardware=CORE_2_DUO)
STREAMS = Paper(title="Li, Quan, Yu, m-context privacy", hardware="not told")
WSDM = Paper(title="Bonomi, Fan, Jin, WSDM 2016", hardware="not told")


def table(xs: Iterable[str], lines: Mapping[tuple[str, str], str], *, panel: str = "") -> tuple[Point, ...]:
    """Points of a table: for each (data, series) its figures as they are printed, separated by spaces."""
    names = list(xs)
    return tuple(
        Point(data=data, series=series, x=x, value=float(value), panel=panel)
        for (data, series), line in lines.items()
        for x, value in zip(names, line.split(), strict=True)
    )


def statistics(figures: Mapping[str, Mapping[str, float]], *, panel: str = "statistics") -> tuple[Point, ...]:
    """Points of a table of statistics of data."""
    return tuple(
        Point(data=data, series=name, x=name, value=value, panel=panel)
        for data, own in figures.items()
        for name, value in own.items()
    )
