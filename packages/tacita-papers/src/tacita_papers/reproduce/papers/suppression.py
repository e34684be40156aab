"""Chen's thesis, chapter 5: trajectories under (K,C)_L-privacy by local suppression."""

from __future__ import annotations

from tacita_papers.reproduce.claims import Below, Bound, Equals, Gain, Trend, Way
from tacita_papers.reproduce.experiment import Experiment, Form, Paper
from tacita_papers.reproduce.papers.printed import THESIS, statistics

__all__ = ["EXPERIMENTS"]

PAPER = Paper(title=THESIS.title, hardware="not told for this chapter")
DATA = "City80K and STM460K: simulated at the published sizes"
SMALL = "City80K, 4,000 people"
WAYS = ("KCL-Local", "KCL-Global", "packing")
CHECKED = (
    "The greedy has a sound check in place of Algorithm 5.2, which lets a quarter of small databases end in a violation. "
    "Packing is told of the support K' where frequent sequences are counted. The print takes too long at these sizes."
)
CASES = {"City80K": WAYS, "STM460K, 100,000 people": WAYS}

EXPERIMENTS = (
    Experiment(
        id="001-T5.3",
        title="Statistics of the data",
        paper=PAPER,
        data="City80K and STM460K: simulated",
        parameters="none",
        measured_by="statistics:of_trajectories",
        form=Form.TABLE,
        published=statistics(
            {
                "City80K": {
                    "records": 80_000,
                    "dimensions": 624,
                    "kilobytes": 2_297,
                    "sensitive attribute values": 1,
                    "attribute values": 5,
                },
                "STM460K": {
                    "records": 462_483,
                    "dimensions": 3_264,
                    "kilobytes": 9_810,
                    "sensitive attribute values": 6,
                    "attribute values": 24,
                },
            }
        ),
        claims=(Equals(text="the simulated worlds have the printed sizes"),),
    ),
    Experiment(
        id="001-F5.2",
        title="Loss against the crowd K",
        paper=PAPER,
        data=DATA + "; Trad on 4,000 people of City80K; Oyster, real journeys by rail, beside them (nothing is sensitive there)",
        parameters="L 3, C 60 %, K' 800; K 10 to 50; Trad: an adversary who knows everything",
        measured_by="trajectories:loss_by_crowd",
        options={
            "cases": {"City80K": WAYS, "STM460K": WAYS, SMALL: (*WAYS, "Trad-Local", "Trad-Global"), "Oyster": WAYS},
            "crowds": ("10", "30", "50"),
        },
        x_label="crowd K",
        y_label="share lost",
        claims=(
            Gain(
                text="local suppression keeps 75 % more instances than global on STM460K (ours: packing)",
                of="packing",
                over="KCL-Global",
                least=0.75,
                where={"data": "STM460K", "panel": "instances"},
            ),
            Gain(
                text="and 68 % more frequent sequences (ours: packing)",
                of="packing",
                over="KCL-Global",
                least=0.68,
                where={"data": "STM460K", "panel": "frequent sequences"},
            ),
            Below(
                text="KCL-Local loses less than KCL-Global", lower="KCL-Local", higher="KCL-Global", where={"panel": "instances"}
            ),
            Below(
                text="KCL-Local loses less than Trad-Local", lower="KCL-Local", higher="Trad-Local", where={"panel": "instances"}
            ),
            Below(text="packing loses less than the greedy", lower="packing", higher="KCL-Local", where={"panel": "instances"}),
            Trend(text="loss rises with K", way=Way.RISES, where={"panel": "instances"}),
        ),
        note=CHECKED + " Trad looks at sets of any size, which is why it runs on a small part of City80K only.",
    ),
    Experiment(
        id="001-F5.3",
        title="Loss against the confidence C",
        paper=PAPER,
        data=DATA + ", of the latter 100,000 people",
        parameters="L 3, K 30; C 20 % to 100 %",
        measured_by="trajectories:loss_by_confidence",
        options={"cases": CASES, "confidences": ("20", "40", "60", "80", "100")},
        x_label="confidence C, %",
        y_label="share of instances lost",
        claims=(
            Trend(text="high for a small C, then lower", way=Way.FALLS),
            Trend(text="insensitive from 40 % on", way=Way.STABLE, where={"x": ("40", "60", "80", "100")}, within=1.1),
            Below(text="packing loses less than global suppression", lower="packing", higher="KCL-Global"),
        ),
        note=CHECKED,
    ),
    Experiment(
        id="001-F5.4",
        title="Loss of frequent sequences against their support",
        paper=PAPER,
        data=DATA + ", of the latter 100,000 people",
        parameters="L 3, K 30, C 60 %; K' 400 to 1,200",
        measured_by="trajectories:loss_by_support",
        options={"cases": CASES, "supports": ("400", "600", "800", "1000", "1200")},
        x_label="support K'",
        y_label="share of frequent sequences lost",
        claims=(
            Trend(text="falls with K'", way=Way.FALLS),
            Below(text="packing loses less than global suppression", lower="packing", higher="KCL-Global"),
        ),
        note=CHECKED,
    ),
    Experiment(
        id="001-F5.5a",
        title="Run time against the number of records",
        paper=PAPER,
        data="pedestrians as in City80K: simulated",
        parameters="4,008 dimensions, 400,000 to 1,200,000 records; L 3, K 30, C 60 %; processor time of all threads",
        measured_by="trajectories:seconds_by_records",
        options={"records": ("400000", "800000", "1200000")},
        x_label="records",
        y_label="seconds",
        claims=(
            Trend(text="finding violating sets is linear in the records", way=Way.LINEAR, where={"series": "violating sets"}),
            Trend(text="the time of the greedy drops as records grow", way=Way.FALLS, where={"series": "greedy"}),
            Bound(text="all of it takes less than 300 s", where={"series": "all"}, most=300),
        ),
        note=(
            "Suppression is by packing, with the independent check. The greedy of the thesis stands beside it, without its "
            "search for violating sets, and is no part of the whole."
        ),
    ),
    Experiment(
        id="001-F5.5b",
        title="Run time against the number of dimensions",
        paper=PAPER,
        data="pedestrians as in City80K: simulated",
        parameters="1,000,000 records, 2,016 to 8,016 dimensions; L 3, K 30, C 60 %; processor time of all threads",
        measured_by="trajectories:seconds_by_dimensions",
        options={"blocks": ("84", "167", "334"), "records": 1_000_000},
        x_label="dimensions",
        y_label="seconds",
        claims=(Bound(text="1,000,000 records of 8,000 dimensions take less than 300 s", where={"series": "all"}, most=300),),
    ),
)
