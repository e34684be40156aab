"""How useful a release still is. What is found here comes from raw data, is for the owner's eyes only, and enters no release."""

from tacita.utility.answers import count_location_sets, count_occurrences
from tacita.utility.count_queries import QueryError, QueryKind, measure_queries, relative_errors
from tacita.utility.distributions import Distributions, measure_distributions, total_variation
from tacita.utility.noiseless import noiseless_sequences
from tacita.utility.preservation import PatternKind, PatternPreservation, PatternTop, compare_tops, measure_patterns
from tacita.utility.sequences import OWNER_ONLY, PAPERS, SequenceMeasures, SequenceUtility, report
from tacita.utility.workloads import QueryWorkload, location_sequences, location_sets

__all__ = [
    "OWNER_ONLY",
    "PAPERS",
    "Distributions",
    "PatternKind",
    "PatternPreservation",
    "PatternTop",
    "QueryError",
    "QueryKind",
    "QueryWorkload",
    "SequenceMeasures",
    "SequenceUtility",
    "compare_tops",
    "count_location_sets",
    "count_occurrences",
    "location_sequences",
    "location_sets",
    "measure_distributions",
    "measure_patterns",
    "measure_queries",
    "noiseless_sequences",
    "relative_errors",
    "report",
    "total_variation",
]
