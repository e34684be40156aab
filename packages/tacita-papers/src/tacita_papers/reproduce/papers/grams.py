"""Chen's thesis, section 6.4: variable-length n-grams."""

from __future__ import annotations

from tacita_papers.reproduce.claims import Below, Bound, Direction, Equals, Gain, Matches, Trend, Way
from tacita_papers.reproduce.experiment import Experiment, Form, Paper
from tacita_papers.reproduce.papers.printed import THESIS, statistics, table

__all__ = ["EXPERIMENTS"]

PAPER = Paper(title=THESIS.title, hardware="not told for this chapter")
STM, BOTH = "STM-342", ("MSNBC", "STM-342")
SIMULATED = "STM with 342 labels: simulated, since the data are private and the thesis does not say which 342 of 1,012"
BESIDE = ("STM-342 (as skewed as Oyster)", "Foursquare days")
RELATIVE = SIMULATED + "; the same with the skew of Oyster's journeys; Foursquare, real days of check-ins, beside it"
EPSILONS, SIZES, COUNTS = ("0.1", "1"), ("4", "8", "12", "16", "20"), ("20", "40", "60", "80", "100")
LENGTHS, GRAMS = ("8", "12", "16", "20", "28"), ("3", "5", "7")
QUERIES = "longest length 20, longest gram 5; epsilon 0.1 and 1; 10,000 queries by occurrence of each size"
SERIES = ("N-gram", "N-gram-Uniform", "N-gram-Level-wise", "Prefix", "Baseline")
BEST = "The thesis reports the best of several settings for Prefix and FFS; ours are the best of FFS over lengths 2 to 5."


def _tops(
    data: str, rows: dict[str, tuple[str, str]], identifier: str, where: str, *, beside: tuple[str, ...] = ()
) -> Experiment:
    low, high = ({(data, series): lines[side] for series, lines in rows.items()} for side in (0, 1))
    return Experiment(
        id=identifier,
        title=f"True positives among the most frequent patterns, {data}",
        paper=PAPER,
        data=where,
        parameters="longest length 20, longest gram 5; epsilon 0.1 and 1; contiguous patterns of two symbols or more; percent",
        measured_by="grams:tops",
        options={"data": (data, *beside), "series": ("N-gram", "Prefix", "FFS", "raked"), "epsilons": EPSILONS, "counts": COUNTS},
        x_label="number of patterns K",
        y_label="true positives, %",
        published=(*table(COUNTS, low, panel="epsilon 0.1"), *table(COUNTS, high, panel="epsilon 1")),
        claims=(
            Matches(text="N-gram finds as many as printed", better=Direction.HIGHER, series=("N-gram",)),
            Matches(text="Prefix finds as many as printed", better=Direction.HIGHER, series=("Prefix",)),
            Below(text="N-gram finds more than Prefix", lower="Prefix", higher="N-gram"),
            Below(text="N-gram finds more than FFS", lower="FFS", higher="N-gram"),
        ),
        note=BEST + " The rows of FFS are printed the same at both budgets.",
    )


def _losses(data: str, identifier: str, where: str, *, beside: tuple[str, ...] = ()) -> Experiment:
    return Experiment(
        id=identifier,
        title=f"Loss of support of the most frequent patterns, {data}",
        paper=PAPER,
        data=where,
        parameters="longest length 20, longest gram 5; epsilon 0.1 and 1; mean relative error of supports",
        measured_by="grams:tops",
        options={
            "data": (data, *beside),
            "series": ("N-gram", "Prefix", "FFS"),
            "epsilons": EPSILONS,
            "counts": COUNTS,
            "loss": True,
        },
        x_label="number of patterns K",
        y_label="loss of support",
        claims=(
            Below(text="N-gram loses less than Prefix", lower="N-gram", higher="Prefix"),
            Below(text="N-gram loses less than FFS", lower="N-gram", higher="FFS"),
            Bound(
                text="supports are nearly exact even at epsilon 0.1 (we take a loss of at most 15 %)",
                where={"data": data, "series": "N-gram", "panel": "epsilon 0.1"},
                most=0.15,
            ),
        ),
        note=BEST,
    )


def _errors(data: str, identifier: str, where: str, *, beside: tuple[str, ...] = ()) -> Experiment:
    return Experiment(
        id=identifier,
        title=f"Count queries, {data}",
        paper=PAPER,
        data=where,
        parameters=QUERIES,
        measured_by="grams:errors_by_size",
        options={"data": (data, *beside), "series": SERIES, "epsilons": EPSILONS, "sizes": SIZES},
        x_label="largest query",
        y_label="average relative error",
        log_y=True,
        claims=(
            Below(text="N-gram is better than Prefix everywhere", lower="N-gram", higher="Prefix"),
            Gain(
                text="N-gram improves on Prefix by 32 % to 63 %",
                of="N-gram",
                over="Prefix",
                least=0.32,
                most=0.63,
            ),
            Below(text="N-gram is not worse than N-gram-Uniform", lower="N-gram", higher="N-gram-Uniform"),
            Below(text="the error without noise is the smallest", lower="Baseline", higher="N-gram"),
        ),
        note="N-gram-Level-wise estimates heights level by level, as a footnote of the thesis suggests.",
    )


EXPERIMENTS = (
    Experiment(
        id="001-T6.9",
        title="Statistics of the data",
        paper=PAPER,
        data="MSNBC real; " + SIMULATED,
        parameters="none",
        measured_by="statistics:of_sequences",
        options={"data": BOTH},
        form=Form.TABLE,
        published=statistics(
            {
                "MSNBC": {"records": 989_818, "labels": 17, "max length": 14_795, "mean length": 5.7},
                STM: {"records": 1_210_096, "labels": 342, "max length": 121, "mean length": 6.7},
            }
        ),
        claims=(Equals(text="the data set has the printed sizes", erratum="Tables 6.3, 6.9, 6.10 and 6.11 (text)"),),
        note="The mean length of MSNBC is 4.747; the 5.7 of the table is a misprint.",
    ),
    _errors("MSNBC", "001-F6.7", "MSNBC real"),
    _errors(STM, "001-F6.8", RELATIVE, beside=BESIDE),
    Experiment(
        id="001-F6.9",
        title="Error against the longest length",
        paper=PAPER,
        data="MSNBC real; " + SIMULATED,
        parameters="epsilon 1, longest gram 5; queries of up to 8 symbols",
        measured_by="grams:errors_by_length",
        options={"data": BOTH, "series": ("N-gram", "Prefix"), "lengths": LENGTHS},
        x_label="longest length",
        y_label="average relative error",
        claims=(
            Trend(
                text="stable, best about 16, then a little worse",
                way=Way.STABLE,
                where={"series": "N-gram", "x": LENGTHS[1:]},
                within=3.0,
            ),
            Below(text="N-gram is better than Prefix", lower="N-gram", higher="Prefix"),
        ),
        note="Queries are answered on sequences cut at 20, so length 8 cannot do well and is no part of the first claim.",
    ),
    Experiment(
        id="001-F6.10",
        title="Error against the longest gram",
        paper=PAPER,
        data="MSNBC real; " + SIMULATED,
        parameters="epsilon 1, longest length 20; queries of up to 8 symbols",
        measured_by="grams:errors_by_gram",
        options={"data": BOTH, "series": ("N-gram",), "grams": GRAMS},
        x_label="longest gram",
        y_label="average relative error",
        claims=(Trend(text="insensitive to the longest gram", way=Way.STABLE, within=1.6),),
    ),
    Experiment(
        id="001-F6.11",
        title="Effect of approximating missing counts",
        paper=PAPER,
        data="MSNBC real; " + SIMULATED,
        parameters=QUERIES,
        measured_by="grams:errors_by_size",
        options={"data": BOTH, "series": ("N-gram", "No-Approx"), "epsilons": EPSILONS, "sizes": SIZES},
        x_label="largest query",
        y_label="average relative error",
        claims=(
            Below(text="better for all sizes and budgets", lower="N-gram", higher="No-Approx"),
            Gain(text="up to 47 % better", of="N-gram", over="No-Approx", least=0.47, among=max),
        ),
    ),
    _tops(
        "MSNBC",
        {
            "N-gram": ("100 90 93 96 94", "100 93 97 99 97"),
            "Prefix": ("85 78 80 84 86", "90 82.5 85 90 89"),
            "FFS": ("70 63 57 58 55", "70 63 57 58 55"),
        },
        "001-T6.10",
        "MSNBC real",
    ),
    _tops(
        STM,
        {
            "N-gram": ("95 93 93 94 91", "100 100 98 100 98"),
            "Prefix": ("65 68 75 83 82", "70 68 80 86 85"),
            "FFS": ("35 33 35 36 43", "35 33 35 36 43"),
        },
        "001-T6.11",
        RELATIVE,
        beside=BESIDE,
    ),
    _losses("MSNBC", "001-F6.12", "MSNBC real"),
    _losses(STM, "001-F6.13", RELATIVE, beside=BESIDE),
    Experiment(
        id="001-F6.14",
        title="Loss of support against the longest length",
        paper=PAPER,
        data="MSNBC real; " + SIMULATED,
        parameters="epsilon 1, longest gram 5; the top 100 of sequences cut at 20",
        measured_by="grams:loss_by_length",
        options={"data": BOTH, "lengths": LENGTHS},
        x_label="longest length",
        y_label="loss of support",
        claims=(Trend(text="falls, then rises", way=Way.DIPS),),
    ),
    Experiment(
        id="001-F6.15",
        title="Loss of support against the longest gram",
        paper=PAPER,
        data="MSNBC real; " + SIMULATED,
        parameters="epsilon 1, longest length 20; the top 100",
        measured_by="grams:loss_by_gram",
        options={"data": BOTH, "grams": ("2", "3", "5", "7")},
        x_label="longest gram",
        y_label="loss of support",
        claims=(Trend(text="there is a minimum between the ends", way=Way.DIPS),),
    ),
)
