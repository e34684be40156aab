"""The papers' tables and figures, run again: one experiment per row of their catalogue, with verdicts that are computed.

Read `experiment` (what an experiment is), `claims` (how a verdict is computed), then a module of `papers` (the experiments as
data) with the module of `runners` that it names, and `running` (processes, resuming, files).
"""

from tacita_papers.reproduce.catalogue import chosen_experiments, experiments
from tacita_papers.reproduce.claims import Judgement, Verdict
from tacita_papers.reproduce.experiment import Experiment, Point, Row, Scale
from tacita_papers.reproduce.running import Outcome, judged, outcomes, run_experiments

__all__ = [
    "Experiment",
    "Judgement",
    "Outcome",
    "Point",
    "Row",
    "Scale",
    "Verdict",
    "chosen_experiments",
    "experiments",
    "judged",
    "outcomes",
    "run_experiments",
]
