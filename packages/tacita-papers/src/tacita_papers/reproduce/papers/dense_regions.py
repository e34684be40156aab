"""Chen's thesis, chapter 7: networks under (epsilon, k)-differential privacy (DER)."""

from __future__ import annotations

from tacita_papers.reproduce.claims import Below, Bound, Direction, Equals, Matches, Trend, Untold, Way
from tacita_papers.reproduce.experiment import Experiment, Form, Paper
from tacita_papers.reproduce.papers.printed import THESIS, statistics, table

__all__ = ["EXPERIMENTS"]

PAPER = Paper(title=THESIS.title, hardware="C++ on an Intel Core 2 Duo at 2.80 GHz with 8 GB of memory")
DATA = (
    "ca-GrQc, ca-HepTh (its first 5,000 vertices), wiki-Vote real; "
    "the STM network simulated (the 7,860 busiest pairs of stations)"
)
LARGE, EPSILONS, KS = ("0.2", "0.4", "0.6", "0.8", "1"), ("0.2", "0.6", "1"), ("1", "5", "25")
CORRECTED = (
    "DER is the corrected one. As printed it loses up to twice the budget that it claims, because an edge lies in two "
    "mirrored regions, and its errors are smaller than sampling alone allows a graph that copies no edges. Without noise DER "
    "is the network itself, since its regions end at single cells."
)
SMOOTHED = "The divergence of Eq. 7.1 is infinite as soon as a degree is missing in the release; ours adds 1e-6 to every degree."
BOTH = ("DER", "Random", "shape")

EXPERIMENTS = (
    Experiment(
        id="001-T7.1",
        title="Statistics of the networks",
        paper=PAPER,
        data=DATA,
        parameters="edges with those of a vertex to itself, as printed",
        measured_by="networks:sizes",
        form=Form.TABLE,
        published=statistics(
            {
                "ca-GrQc": {"vertices": 5_242, "edges": 14_496, "density": 0.00106},
                "ca-HepTh": {"vertices": 5_000, "edges": 17_138, "density": 0.00137},
                "wiki-Vote": {"vertices": 7_115, "edges": 100_762, "density": 0.00398},
                "STM": {"vertices": 1_012, "edges": 7_860, "density": 0.01536},
            }
        ),
        claims=(Equals(text="the networks have the printed sizes", within=0.005),),
        note="Table 7.1 counts 12 and 18 edges of a vertex to itself, although its graphs are called simple.",
    ),
    Experiment(
        id="001-T7.2",
        title="Error of large cut queries",
        paper=PAPER,
        data=DATA,
        parameters="epsilon 1, k 1; 2,048 queries of any two subsets of up to 0.2 to 1 of the vertices; bound 0.1 %",
        measured_by="networks:cuts_by_size",
        options={"series": BOTH, "largest": LARGE, "queries": 2_048},
        x_label="largest subset, share of the vertices",
        y_label="average relative error",
        published=table(
            LARGE,
            {
                ("ca-GrQc", "DER"): ".040 .033 .036 .050 .047",
                ("ca-HepTh", "DER"): ".035 .037 .036 .045 .042",
                ("wiki-Vote", "DER"): ".041 .046 .045 .042 .047",
                ("STM", "DER"): ".076 .043 .024 .014 .009",
            },
        ),
        claims=(
            Matches(text="DER has the printed errors", better=Direction.LOWER, series=("DER",)),
            Matches(
                text="the product's method has the printed errors of DER",
                better=Direction.LOWER,
                ours={"DER": "shape"},
                beside={"shape": "DER"},
            ),
        ),
        note=CORRECTED,
    ),
    Experiment(
        id="001-F7.3",
        title="Error of small cut queries",
        paper=PAPER,
        data=DATA,
        parameters="epsilon 1, k 1; queries of any two subsets of up to 3, 5, 20, 100, 200 and 500 vertices",
        measured_by="networks:cuts_by_size",
        options={
            "series": (*BOTH, "Laplace"),
            "largest": ("3", "5", "20", "100", "200", "500"),
            "queries": 1_024,
        },
        x_label="largest subset",
        y_label="average relative error",
        log_y=True,
        claims=(
            Below(text="Random is far better than Laplace", lower="Random", higher="Laplace"),
            Below(text="DER is better than Random", lower="DER", higher="Random"),
            Below(text="the product's method is better than Random", lower="shape", higher="Random", beside={"shape": "DER"}),
        ),
        note=CORRECTED + " Random buys its number of edges from the budget; in the thesis it is given the true one.",
    ),
    Experiment(
        id="001-F7.4",
        title="Error of cut queries against the budget",
        paper=PAPER,
        data=DATA,
        parameters="k 1; queries of up to 0.4 of the vertices; epsilon 0.2 to 1",
        measured_by="networks:cuts_by_epsilon",
        options={"series": BOTH, "epsilons": EPSILONS, "queries": 1_024},
        x_label="epsilon",
        y_label="average relative error",
        claims=(
            Bound(
                text="the error of DER at epsilon 0.2 is below 14 % on all networks",
                where={"series": "DER", "x": "0.2"},
                most=0.14,
            ),
            Bound(
                text="the same bound by the product's method",
                where={"series": "shape", "x": "0.2"},
                most=0.14,
                beside={"shape": "DER"},
            ),
            Below(text="DER is better than Random", lower="DER", higher="Random"),
        ),
        note=CORRECTED,
    ),
    Experiment(
        id="001-F7.5",
        title="Error of cut queries against the correlation",
        paper=PAPER,
        data=DATA,
        parameters="epsilon 1; queries of up to 0.4 of the vertices; k 1 to 25",
        measured_by="networks:cuts_by_correlation",
        options={"series": ("DER", "shape"), "ks": KS, "queries": 1_024},
        x_label="correlated edges k",
        y_label="average relative error",
        published=table(["5"], {("STM", "DER"): ".10"}),
        claims=(
            Matches(text="10 % on STM at k = 5", better=Direction.LOWER, series=("DER",)),
            Matches(
                text="the same by the product's method", better=Direction.LOWER, ours={"DER": "shape"}, beside={"shape": "DER"}
            ),
            Trend(text="errors rise with k", way=Way.RISES, where={"series": "DER"}),
        ),
        note=CORRECTED,
    ),
    Experiment(
        id="001-F7.6",
        title="Degree distribution against the budget",
        paper=PAPER,
        data=DATA,
        parameters="k 1; divergence of the degree distribution; epsilon 0.2 to 1",
        measured_by="networks:degrees_by_epsilon",
        options={"series": BOTH, "epsilons": EPSILONS},
        x_label="epsilon",
        y_label="KL divergence",
        log_y=True,
        claims=(
            Below(text="DER is better than Random", lower="DER", higher="Random"),
            Below(text="the product's method is better than DER", lower="shape", higher="DER"),
            Untold(text="Laplace is like an empty graph", untold=f"{SMOOTHED} What the thesis added is not told."),
        ),
        note=CORRECTED + " " + SMOOTHED,
    ),
    Experiment(
        id="001-F7.7",
        title="Degree distribution against the correlation",
        paper=PAPER,
        data=DATA,
        parameters="epsilon 1; divergence of the degree distribution; k 1 to 25",
        measured_by="networks:degrees_by_correlation",
        options={"series": ("DER", "shape"), "ks": KS},
        x_label="correlated edges k",
        y_label="KL divergence",
        log_y=True,
        claims=(
            Trend(text="DER is stable up to k = 25", way=Way.STABLE, where={"series": "DER"}, within=2.0),
            Below(text="the product's method is better than DER", lower="shape", higher="DER"),
        ),
        note=CORRECTED + " " + SMOOTHED,
    ),
    Experiment(
        id="001-F7.8",
        title="Run time against the number of vertices",
        paper=PAPER,
        data=DATA,
        parameters="epsilon 1, k 1; random subsets of 20 % to 100 % of the vertices; in memory, processor time",
        measured_by="networks:seconds_by_vertices",
        options={"series": ("DER", "shape"), "shares": ("20", "40", "60", "80", "100")},
        x_label="vertices, %",
        y_label="seconds",
        claims=(
            Trend(text="at most quadratic in the vertices", way=Way.QUADRATIC, where={"series": "DER"}),
            Untold(
                text="a step of 10 between splitting points is 8 times faster and 10 % worse",
                untold="ours asks about a public grid of at most 16 by 16 splits from the start: there is no slow version of it",
            ),
        ),
        note="Seconds of the thesis are in a lost picture.",
    ),
)
