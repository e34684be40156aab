"""Li, Quan, Yu: streams under m-context privacy."""

from __future__ import annotations

from tacita_papers.reproduce.claims import Below, Equals, Trend, Untold, Way
from tacita_papers.reproduce.experiment import Experiment, Form
from tacita_papers.reproduce.papers.printed import STREAMS, statistics

__all__ = ["EXPERIMENTS"]

QUARTERS = "GeoLife by quarter of an hour"
DATA = "GeoLife, real: 179 people by the quarter of an hour of a day, 100 cells"
CONTEXTS = ("10", "20", "30", "40", "50", "60", "70", "80", "90", "96")
ALL = ("UNIFORM", "Adj", "MA(20)", "MMD", "pace")
CORRECTED = "Adj, MMD and MA(k) are the corrected ones; by the printed formulas the budget is overspent or runs negative."

EXPERIMENTS = (
    Experiment(
        id="002-T1",
        title="Statistics of the data",
        paper=STREAMS,
        data="Geolife and T-Drive: worlds simulated at the printed sizes",
        parameters="none",
        measured_by="streams:sizes",
        form=Form.TABLE,
        published=statistics(
            {
                "Geolife": {"timestamps": 1_440, "points": 240_990, "users": 170},
                "T-Drive": {"timestamps": 886, "points": 37_225, "users": 2_698},
            }
        ),
        claims=(Equals(text="the simulated worlds have the printed sizes"),),
        note="The paper's text says 182 users where its table says 170. The other figures use real GeoLife.",
    ),
    Experiment(
        id="002-F2",
        title="Utility against the number of contexts",
        paper=STREAMS,
        data=DATA + "; T-Drive, real taxis by ten minutes, beside it",
        parameters="epsilon 1; 96 timestamps; m 10 to 96 (the paper goes to 100, which is more than all of its stream)",
        measured_by="streams:errors_by_contexts",
        options={"data": (QUARTERS, "T-Drive 10 x 10"), "series": ALL, "contexts": CONTEXTS},
        x_label="contexts m",
        y_label="mean absolute error",
        log_y=True,
        claims=(
            Below(text="Adj is better than UNIFORM", lower="Adj", higher="UNIFORM"),
            Below(text="MMD is better than Adj", lower="MMD", higher="Adj"),
            Below(text="MA is better than Adj", lower="MA(20)", higher="Adj"),
            Below(text="MMD is better than MA", lower="MMD", higher="MA(20)"),
            Trend(text="utility falls with m", way=Way.RISES, where={"series": ("UNIFORM", "Adj", "MMD", "MA(20)")}),
            Below(text="the product's method is better than all of them", lower="pace", higher="MMD"),
        ),
        note=CORRECTED,
    ),
    Experiment(
        id="002-F3",
        title="Utility of MA(k) against the number of contexts",
        paper=STREAMS,
        data=DATA,
        parameters="epsilon 1; 96 timestamps; k 3 and 20",
        measured_by="streams:errors_by_contexts",
        options={"data": (QUARTERS,), "series": ("Adj", "MA(3)", "MA(20)", "MMD"), "contexts": CONTEXTS},
        x_label="contexts m",
        y_label="mean absolute error",
        log_y=True,
        claims=(
            Below(text="a larger k is better", lower="MA(20)", higher="MA(3)"),
            Below(text="MA(3) is better than Adj", lower="MA(3)", higher="Adj"),
            Untold(text="k = 20 is near MMD, k = 3 near Adj", untold="how near is shown in a lost picture only"),
        ),
        note=CORRECTED,
    ),
    Experiment(
        id="002-F4",
        title="Error against the budget",
        paper=STREAMS,
        data=DATA,
        parameters="40 contexts (the paper does not say how many); epsilon 0.0001 to 1",
        measured_by="streams:errors_by_epsilon",
        options={"data": (QUARTERS,), "series": ALL, "epsilons": ("0.0001", "0.001", "0.01", "0.1", "1"), "runs": 20},
        x_label="epsilon",
        y_label="mean absolute error",
        log_y=True,
        claims=(
            Trend(text="errors fall with epsilon", way=Way.FALLS, where={"series": ("UNIFORM", "Adj", "MMD", "MA(20)")}),
            Below(text="MMD is better than UNIFORM", lower="MMD", higher="UNIFORM"),
            Below(text="MMD is the best of the printed ones", lower="MMD", higher="MA(20)"),
            Below(text="the product's method is better than all of them", lower="pace", higher="MMD"),
        ),
        note=CORRECTED,
    ),
    Experiment(
        id="002-F5",
        title="Run time",
        paper=STREAMS,
        data="WorldCup98: requests per minute, counts only",
        parameters="epsilon 1, 40 contexts; processor time for 720 to 2,880 timestamps",
        measured_by="streams:seconds",
        options={"series": ("UNIFORM", "Adj", "MA(3)", "MA(20)", "MMD", "pace"), "lengths": ("720", "1440", "2880")},
        x_label="timestamps",
        y_label="seconds",
        claims=(
            Below(text="Adj is faster than MA(k)", lower="Adj", higher="MA(20)"),
            Below(text="MA(k) is faster than MMD", lower="MA(20)", higher="MMD"),
            Trend(text="UNIFORM and Adj are linear", way=Way.LINEAR, where={"series": ("UNIFORM", "Adj")}),
        ),
        note="The data of this figure are not among the two that the paper describes.",
    ),
)
