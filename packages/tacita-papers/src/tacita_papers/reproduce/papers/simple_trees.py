"""Chen, Fung, Desai: Differentially private trajectory data publication (the paper on simple prefix trees)."""

from __future__ import annotations

from tacita_papers.reproduce.claims import Below, Bound, Direction, Equals, Gain, Matches, Trend, Way
from tacita_papers.reproduce.experiment import Experiment, Form
from tacita_papers.reproduce.papers.hybrid_trees import EPSILONS, FEW_EPSILONS, FEW_HEIGHTS, HEIGHTS
from tacita_papers.reproduce.papers.printed import ICDM, statistics, table

__all__ = ["EXPERIMENTS"]

TREES = ("Basic", "Full")
NEARER = "STM (16 partners)"
SIMULATED = "STM: simulated at the published size, since the data are private"
SIZE_1 = "This paper does not exclude patterns of a single place, the paper at KDD does; so patterns of size 1 are counted here."
COUNTS = ("50", "100", "150", "200", "250")
_MATCHES = (
    Matches(text="Basic finds as many of the top patterns as printed", better=Direction.HIGHER, series=("Basic",)),
    Matches(text="Full finds as many of the top patterns as printed", better=Direction.HIGHER, series=("Full",)),
)

EXPERIMENTS = (
    Experiment(
        id="004-F3",
        title="Distribution of the length of trajectories",
        paper=ICDM,
        data=SIMULATED + "; MSNBC real",
        parameters="none",
        measured_by="sequences:length_histogram",
        options={"data": ("STM", "MSNBC")},
        form=Form.BARS,
        x_label="length",
        y_label="share of the records",
        published=statistics(
            {"STM": {"records": 1_210_096, "labels": 1_012, "max": 121, "mean": 6.7}, "MSNBC": {"max over mean": 2_500}}
        ),
        claims=(
            Equals(text="the simulated world has the printed sizes", where={"data": "STM"}),
            Bound(
                text="the longest record of MSNBC is more than 2,500 times the mean",
                where={"data": "MSNBC", "series": "max over mean"},
                least=2_500,
            ),
        ),
    ),
    Experiment(
        id="004-F4",
        title="Average relative error against the budget",
        paper=ICDM,
        data=SIMULATED + "; Foursquare, real days of check-ins, beside it",
        parameters="height 12; epsilon 0.5 to 1.5; 40,000 count queries on sets of places in 4 subsets",
        measured_by="sequences:errors_by_epsilon",
        options={
            "data": ("STM", NEARER, "Foursquare days"),
            "series": (*TREES, "exact", "raked"),
            "epsilons": FEW_EPSILONS,
        },
        x_label="epsilon",
        y_label="average relative error",
        claims=(
            Bound(
                text="the error of Full is below 12 % in the worst case",
                where={"data": "STM", "series": "Full", "x": "0.5", "panel": "max |Q| = 3"},
                most=0.12,
            ),
            Bound(
                text="the same bound by the method that the product chooses",
                where={"data": "STM", "series": "raked", "x": "0.5", "panel": "max |Q| = 3"},
                most=0.12,
                beside={"raked": "Full"},
            ),
            Bound(
                text="the error of Full is below 10 % at epsilon 1 for all subsets",
                where={"data": "STM", "series": "Full", "x": "1"},
                most=0.10,
            ),
            Gain(
                text="inference improves the error by 30 % to 74 %",
                of="Full",
                over="Basic",
                least=0.30,
                most=0.74,
            ),
        ),
        note="Figures of Foursquare are mean errors over thousands of queries; no count of its data is shown.",
    ),
    Experiment(
        id="004-F5",
        title="Average relative error against the height",
        paper=ICDM,
        data=SIMULATED,
        parameters="queries of up to 6 places; heights 6 to 20; epsilon 0.5 to 1.25",
        measured_by="sequences:errors_by_height",
        options={"data": ("STM",), "series": TREES, "heights": FEW_HEIGHTS, "epsilons": ("0.5", "1.25")},
        x_label="height of the tree",
        y_label="average relative error",
        claims=(
            Trend(text="errors fall with the height, then rise", way=Way.DIPS),
            Below(text="Full is better than Basic at every height", lower="Full", higher="Basic"),
        ),
    ),
    Experiment(
        id="004-T3",
        title="Frequent sequential patterns against their number",
        paper=ICDM,
        data=SIMULATED,
        parameters="epsilon 1, height 12; the k most frequent gapped patterns of any size; true positives",
        measured_by="sequences:patterns_by_count",
        options={"data": ("STM", NEARER), "series": (*TREES, "raked"), "counts": COUNTS, "least": 1},
        x_label="number of patterns k",
        y_label="true positives",
        published=table(COUNTS, {("STM", "Basic"): "50 92 131 150 171", ("STM", "Full"): "50 96 139 169 197"}),
        claims=(
            *_MATCHES,
            Matches(
                text="the method that the product chooses finds as many as the printed Full",
                better=Direction.HIGHER,
                series=("Full",),
                ours={"Full": "raked"},
                beside={"raked": "Full"},
            ),
        ),
        note=SIZE_1,
    ),
    Experiment(
        id="004-T4",
        title="Frequent sequential patterns against the budget",
        paper=ICDM,
        data=SIMULATED,
        parameters="height 12, k = 200; epsilon 0.5 to 1.5; true positives, patterns of any size",
        measured_by="sequences:patterns_by_epsilon",
        options={"data": ("STM",), "series": TREES, "epsilons": FEW_EPSILONS, "count": 200, "least": 1},
        x_label="epsilon",
        y_label="true positives of 200",
        published=table(EPSILONS, {("STM", "Basic"): "145 147 150 153 153", ("STM", "Full"): "160 161 169 169 170"}),
        claims=_MATCHES,
        note=SIZE_1,
    ),
    Experiment(
        id="004-T5",
        title="Frequent sequential patterns against the height",
        paper=ICDM,
        data=SIMULATED,
        parameters="epsilon 1, k = 200; heights 6 to 20; true positives, patterns of any size",
        measured_by="sequences:patterns_by_height",
        options={"data": ("STM",), "series": TREES, "heights": FEW_HEIGHTS, "count": 200, "least": 1},
        x_label="height of the tree",
        y_label="true positives of 200",
        published=table(
            HEIGHTS,
            {("STM", "Basic"): "154 154 153 150 150 148 145 146", ("STM", "Full"): "167 168 168 169 169 168 167 167"},
        ),
        claims=_MATCHES,
        note=SIZE_1,
    ),
    Experiment(
        id="004-F6a",
        title="Run time against the number of records",
        paper=ICDM,
        data=SIMULATED,
        parameters="epsilon 1, height 20, 1,012 locations; in memory, processor time of one core, best of 3",
        measured_by="sequences:seconds_by_records",
        options={"data": ("STM",), "series": TREES, "records": ("400000", "600000", "800000", "1000000", "1200000")},
        x_label="records",
        y_label="seconds",
        published=table(["1200000"], {("STM", "Full"): "24"}),
        claims=(
            Matches(text="24 s at 1,200,000 records", better=Direction.LOWER),
            Trend(text="linear in the number of records", way=Way.LINEAR),
            Gain(text="the cost of inference is negligible (at most half as much again)", of="Full", over="Basic", least=-0.5),
        ),
    ),
    Experiment(
        id="004-F6b",
        title="Run time against the number of locations",
        paper=ICDM,
        data="STM: simulated, reduced to 400 to 1,000 locations",
        parameters="epsilon 1, height 20, 800,000 records; in memory, processor time of one core, best of 3",
        measured_by="sequences:seconds_by_labels",
        options={"data": ("STM",), "series": TREES, "labels": ("400", "600", "800", "1000"), "records": 800_000},
        x_label="locations",
        y_label="seconds",
        claims=(
            Bound(text="every run takes less than 25 s", where={"series": TREES}, most=25),
            Trend(text="linear in the number of locations", way=Way.LINEAR),
        ),
    ),
)
