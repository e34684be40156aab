"""Trajectories with sensitive attributes: sets of (place, time) pairs, published by suppression under (K,C)_L-privacy.

Read `requirement` first (the promise), then `places`, `records` and `reading`; `indexed_sets` and `occurrences` (how sets
are counted); `packing` with `choices`, or `greedy`, which is the published algorithm made sound; `verification`, which shares
no code with any of these; and `suppression`, the method, with the list of all violations. `generalization` makes places and
times coarser first, `loss` measures what was lost.
"""

from tacita.registered import loaded_when_used

_HOMES = {
    "tacita.trajectories.places": ("PlaceGroups", "PlaceWeights"),
    "tacita.trajectories.generalization": ("Grain", "at_grain", "codes_at_grain", "generalized", "in_groups", "lattice"),
    "tacita.trajectories.greedy": ("Scope", "Score", "suppress_greedily"),
    "tacita.trajectories.indexed_sets": ("PairColumns",),
    "tacita.trajectories.loss": ("frequent_loss", "instance_loss", "least_loss", "maximal_frequent", "weighted_loss"),
    "tacita.trajectories.packing": ("pack",),
    "tacita.trajectories.published": ("PublishedTrajectories", "opened_trajectories", "read_published_trajectories"),
    "tacita.trajectories.reading": ("no_trajectories", "read_for_kind", "read_trajectories"),
    "tacita.trajectories.records": ("TrajectoryReading", "TrajectoryRecords"),
    "tacita.trajectories.requirement": ("LinkagePrivacy", "Requirement", "SensitiveGroup"),
    "tacita.trajectories.suppression": ("SensitiveGroups", "Strategy", "Suppression", "Violations", "find_violations"),
    "tacita.trajectories.verification": ("Verdict", "verify", "verify_published"),
}
"""The modules of the public names; type checkers read `__init__.pyi`, which is generated from this."""

__getattr__, __dir__ = loaded_when_used(__name__, _HOMES)
