"""Trajectories with sensitive attributes: sets of (place, time) pairs, published by suppression under (K,C)_L-privacy.

Read `requirement` first (what is asked for), then `cells`, `records` and `reading`; `indexed_sets` and `occurrences` (how sets
are counted); `packing` with `choices`, or `greedy`, which is the published algorithm made sound; `verification`, which shares
no code with any of these; and `suppression`, the method, with the list of all violations. `generalization` makes places and
times coarser first, `loss` measures what was lost.
"""

from tacita.trajectories.cells import CellGrid, PlaceGroups, PlaceWeights
from tacita.trajectories.generalization import Grain, at_grain, codes_at_grain, generalized, in_groups, lattice
from tacita.trajectories.greedy import Scope, Score, suppress_greedily
from tacita.trajectories.indexed_sets import PairColumns
from tacita.trajectories.loss import frequent_loss, instance_loss, least_loss, maximal_frequent, weighted_loss
from tacita.trajectories.packing import pack
from tacita.trajectories.published import PublishedTrajectories, opened_trajectories, read_published_trajectories
from tacita.trajectories.reading import no_trajectories, read_for_kind, read_points, read_trajectories
from tacita.trajectories.records import TrajectoryReading, TrajectoryRecords
from tacita.trajectories.requirement import LinkagePrivacy, Requirement, SensitiveGroup
from tacita.trajectories.suppression import SensitiveGroups, Strategy, Suppression, Violations, find_violations
from tacita.trajectories.verification import Verdict, verify, verify_published

__all__ = [
    "CellGrid",
    "Grain",
    "LinkagePrivacy",
    "PairColumns",
    "PlaceGroups",
    "PlaceWeights",
    "PublishedTrajectories",
    "Requirement",
    "Scope",
    "Score",
    "SensitiveGroup",
    "SensitiveGroups",
    "Strategy",
    "Suppression",
    "TrajectoryReading",
    "TrajectoryRecords",
    "Verdict",
    "Violations",
    "at_grain",
    "codes_at_grain",
    "find_violations",
    "frequent_loss",
    "generalized",
    "in_groups",
    "instance_loss",
    "lattice",
    "least_loss",
    "maximal_frequent",
    "no_trajectories",
    "opened_trajectories",
    "pack",
    "read_for_kind",
    "read_points",
    "read_published_trajectories",
    "read_trajectories",
    "suppress_greedily",
    "verify",
    "verify_published",
    "weighted_loss",
]
