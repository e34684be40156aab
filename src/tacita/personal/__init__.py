"""One person's sequence: hiding sensitive patterns in it by showing some symbols as groups that they belong to.

Read `pattern_hiding` for what is promised; `patterns`, `costs` and `bounds` for what the owner chooses and how it is measured;
`problem` for what is counted; `searches` for how a showing is found; `online` for sequences that grow; `verification` for the
independent check.
"""

from tacita.personal.bounds import BeliefBound, EveryPattern, Form, InformationBound, PaperBound, Reading
from tacita.personal.costs import CostKind, CostTable
from tacita.personal.online import OnlineHiding, OnlineSanitizer, PlanTable
from tacita.personal.pattern_hiding import OnInfeasible, PatternHiding
from tacita.personal.patterns import PatternList, SensitivePatterns
from tacita.personal.published import (
    BoundedBelief,
    BoundedInformation,
    PublishedPersonal,
    opened_personal,
    read_published_personal,
)
from tacita.personal.records import PersonalReading, PersonalRecords, Weights, nobodys_sequences, read_for_kind, read_personal
from tacita.personal.searches import Algorithm, Infeasible, Sanitized, Scope

__all__ = [
    "Algorithm",
    "BeliefBound",
    "BoundedBelief",
    "BoundedInformation",
    "CostKind",
    "CostTable",
    "EveryPattern",
    "Form",
    "Infeasible",
    "InformationBound",
    "OnInfeasible",
    "OnlineHiding",
    "OnlineSanitizer",
    "PaperBound",
    "PatternHiding",
    "PatternList",
    "PersonalReading",
    "PersonalRecords",
    "PlanTable",
    "PublishedPersonal",
    "Reading",
    "Sanitized",
    "Scope",
    "SensitivePatterns",
    "Weights",
    "nobodys_sequences",
    "opened_personal",
    "read_for_kind",
    "read_personal",
    "read_published_personal",
]
