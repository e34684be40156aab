"""The papers' tables and figures, run again: one experiment per row of their catalogue, with verdicts that are computed.

Read `experiment` (what an experiment is), `claims` (the rules), `verdicts` (what follows if a rule fails), then a module of
`papers` (the experiments as data) with the module of `runners` that it names, and `running` (processes, resuming, files).
"""

from tacita_papers.reproduce.catalogue import chosen_experiments, experiments
from tacita_papers.reproduce.experiment import Experiment, Line, Point, Row, Scale
from tacita_papers.reproduce.running import Outcome, judged, outcomes, run_experiments
from tacita_papers.reproduce.verdicts import Judgement, Verdict

__all__ = [
    "Experiment",
    "Judgement",
    "Line",
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
