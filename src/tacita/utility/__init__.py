"""How useful a release still is. These figures are computed from raw data: they are for the owner only and enter no release."""

from tacita.utility.behaviour import (
    NextPlace,
    different_places,
    measure_next_place,
    origins_and_destinations,
    recency_of_steps,
    round_trips,
)
from tacita.utility.containment import count_location_sets
from tacita.utility.count_queries import QueryError, QueryKind, measure_queries, relative_errors
from tacita.utility.distributions import (
    BasketDistributions,
    Distributions,
    measure_basket_distributions,
    measure_distributions,
    total_variation,
)
from tacita.utility.noiseless import noiseless_report, noiseless_sequences
from tacita.utility.occurrences import count_occurrences
from tacita.utility.preservation import PatternKind, PatternPreservation, PatternTop, compare_tops, measure_patterns
from tacita.utility.rendering import OWNER_ONLY
from tacita.utility.sequences import PAPERS, SequenceMeasures, SequenceUtility, report
from tacita.utility.sets import THESIS, SetMeasures, SetUtility
from tacita.utility.tasks import Tasks, TaskScore, measure_rules, measure_tasks
from tacita.utility.workloads import QueryWorkload, itemsets, location_sequences, location_sets

__all__ = [
    "OWNER_ONLY",
    "PAPERS",
    "THESIS",
    "BasketDistributions",
    "Distributions",
    "NextPlace",
    "PatternKind",
    "PatternPreservation",
    "PatternTop",
    "QueryError",
    "QueryKind",
    "QueryWorkload",
    "SequenceMeasures",
    "SequenceUtility",
    "SetMeasures",
    "SetUtility",
    "TaskScore",
    "Tasks",
    "compare_tops",
    "count_location_sets",
    "count_occurrences",
    "different_places",
    "itemsets",
    "location_sequences",
    "location_sets",
    "measure_basket_distributions",
    "measure_distributions",
    "measure_next_place",
    "measure_patterns",
    "measure_queries",
    "measure_rules",
    "measure_tasks",
    "noiseless_report",
    "noiseless_sequences",
    "origins_and_destinations",
    "recency_of_steps",
    "relative_errors",
    "report",
    "round_trips",
    "total_variation",
]
