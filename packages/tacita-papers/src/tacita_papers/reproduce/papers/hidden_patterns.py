"""Bonomi, Fan, Jin: An information-theoretic approach to individual sequential data sanitization (WSDM 2016)."""

from __future__ import annotations

from tacita_papers.reproduce.claims import Below, Bound, Equals, Gain, Trend, Way
from tacita_papers.reproduce.experiment import Experiment, Form
from tacita_papers.reproduce.papers.printed import WSDM, statistics

__all__ = ["EXPERIMENTS"]

MSNBC = "MSNBC, real: the 36 people with 500 symbols or more"
PHONES = "phones: simulated in place of Reality Mining (32 people, 69 areas), which is not to be had"
DEFAULTS = "4 patterns of 2 symbols that occur 10 times or more within 10 places, half of the entropy unless varied"
LIMITS = ("0.1", "0.3", "0.5", "0.7", "0.9")
READING = (
    "Information is measured on tuples; as printed it is no mutual information and exceeds the entropy in half of the cases."
)
TREE = "The paper's tree over the 17 pages is lost; ours has four groups."
ABSOLUTE = "Absolute bounds mean nothing for rare patterns (guarantee)"
LOSS, TIME = ("loss, linear", "loss, exponential", "loss, information-loss"), ("milliseconds, linear",)


def _by_limit(identifier: str, name: str, where: str, costs: tuple[str, ...], people: int) -> Experiment:
    return Experiment(
        id=identifier,
        title=f"Time and loss against the limit, {name}",
        paper=WSDM,
        data=where,
        parameters=DEFAULTS + "; 10 % to 90 % of the entropy; loss per symbol",
        measured_by="hiding:by_limit",
        options={"data": (name,), "costs": costs, "limits": LIMITS, "most": people, "runs": 3},
        x_label="share of the entropy",
        y_label="loss per symbol, or milliseconds",
        claims=(
            Trend(text="loss falls with the limit", way=Way.FALLS, where={"panel": LOSS}),
            Trend(text="bottom-up is faster with a larger limit", way=Way.FALLS, where={"series": "bottom-up", "panel": TIME}),
            Below(text="top-down loses less than bottom-up", lower="top-down", higher="bottom-up", where={"panel": LOSS}),
            Below(text="the product's search loses least", lower="best", higher="top-down", where={"panel": LOSS}),
            *(
                (
                    Gain(
                        text="bottom-up is ten times faster than top-down",
                        of="bottom-up",
                        over="top-down",
                        least=0.9,
                        where={"panel": TIME},
                    ),
                )
                if name == "phones"
                else ()
            ),
        ),
        note=READING + " " + TREE,
    )


EXPERIMENTS = (
    Experiment(
        id="003-T1",
        title="Default parameters",
        paper=WSDM,
        data="none",
        parameters=DEFAULTS,
        measured_by="hiding:parameters",
        form=Form.TABLE,
        published=statistics({"defaults": {"m": 2, "w": 10, "f_min": 10, "patterns": 4, "share of the entropy": 0.5}}),
        claims=(Equals(text="our runs have the printed defaults", within=0.0),),
    ),
    _by_limit("003-F4", "MSNBC", MSNBC, ("linear", "exponential", "information-loss"), 36),
    _by_limit("003-F5", "phones", PHONES, ("linear", "information-loss"), 8),
    Experiment(
        id="003-F6",
        title="Impact of the length of patterns",
        paper=WSDM,
        data=f"{MSNBC}; {PHONES}; 8 people of each",
        parameters=DEFAULTS + "; patterns of 2 to 4 symbols",
        measured_by="hiding:by_shape",
        options={"data": ("MSNBC", "phones"), "shapes": ((2, 4), (3, 4), (4, 4)), "vary": "length", "runs": 2},
        x_label="length of a pattern",
        y_label="loss per symbol, or milliseconds",
        claims=(
            Trend(
                text="time grows with the length",
                way=Way.RISES,
                where={"panel": "milliseconds", "series": ("top-down", "bottom-up")},
            ),
            Trend(text="loss does not", way=Way.STABLE, where={"panel": "loss", "series": ("top-down", "bottom-up")}, within=1.5),
        ),
        note=READING,
    ),
    Experiment(
        id="003-F7",
        title="Impact of the number of patterns",
        paper=WSDM,
        data=f"{MSNBC}; {PHONES}; 8 people of each",
        parameters=DEFAULTS + "; 2 to 10 patterns",
        measured_by="hiding:by_shape",
        options={"data": ("MSNBC", "phones"), "shapes": ((2, 2), (2, 4), (2, 6), (2, 8), (2, 10)), "vary": "number", "runs": 2},
        x_label="number of patterns",
        y_label="loss per symbol, or milliseconds",
        claims=(
            Trend(text="loss grows with the number", way=Way.RISES, where={"panel": "loss", "series": ("top-down", "bottom-up")}),
            Trend(
                text="time grows on MSNBC",
                way=Way.RISES,
                where={"panel": "milliseconds", "series": ("top-down", "bottom-up"), "data": "MSNBC"},
            ),
            Trend(
                text="time of top-down is stable on the phones",
                way=Way.STABLE,
                where={"panel": "milliseconds", "series": "top-down", "data": "phones"},
                within=2.0,
            ),
        ),
        note=READING,
    ),
    Experiment(
        id="003-F8",
        title="Impact of the frequency of patterns",
        paper=WSDM,
        data="one person of MSNBC, real",
        parameters="two patterns, one at least alpha times as frequent as the other; absolute limit 0.1, measured as printed",
        measured_by="hiding:by_frequency",
        options={"ratios": ("2", "4", "8", "16", "32")},
        x_label="ratio alpha",
        y_label="loss per symbol, or milliseconds",
        claims=(
            Trend(text="loss grows with alpha", way=Way.RISES, where={"panel": "loss"}, erratum=ABSOLUTE),
            Trend(text="time grows with alpha", way=Way.RISES, where={"panel": "milliseconds"}, erratum=ABSOLUTE),
        ),
    ),
    Experiment(
        id="003-F9",
        title="Case study: the ten most frequent patterns before and after",
        paper=WSDM,
        data="one person of MSNBC, real",
        parameters=DEFAULTS + "; top-down",
        measured_by="hiding:case_study",
        form=Form.BARS,
        x_label="pattern",
        y_label="occurrences",
        claims=(
            Bound(
                text="many of the ten patterns are preserved (we take three as many)",
                where={"series": "preserved"},
                least=3,
            ),
        ),
        note=TREE + " The person of the paper is not told, so the patterns differ.",
    ),
    Experiment(
        id="003-S3.1",
        title="Every pattern is sanitised even at nine tenths of the entropy",
        paper=WSDM,
        data=MSNBC,
        parameters=DEFAULTS + "; 50 % to 90 % of the entropy; share of runs in which every pattern was changed",
        measured_by="hiding:sanitised",
        options={"limits": ("0.5", "0.7", "0.9"), "runs": 3},
        x_label="share of the entropy",
        y_label="share of runs",
        claims=(
            Bound(text="every pattern is changed in every run at 90 %", where={"series": "top-down", "x": "0.9"}, least=1.0),
        ),
        note=READING,
    ),
)
