"""One person's sequence: hiding sensitive patterns in it by showing some symbols as groups that they belong to.

Read `pattern_hiding` for what is promised; `patterns` (with costs) and `bounds` for what the owner chooses and how it is
measured; `problem` for what is counted; `searches` for how a showing is found; `online` for sequences that grow; `verification`
for the independent check.
"""

from tacita.registered import loaded_when_used

_HOMES = {
    "tacita.personal.bounds": ("BeliefBound", "EveryPattern", "Form", "InformationBound", "PaperBound", "Reading"),
    "tacita.personal.online": ("OnlineHiding", "OnlineSanitizer", "PlanTable"),
    "tacita.personal.pattern_hiding": ("OnInfeasible", "PatternHiding"),
    "tacita.personal.patterns": ("CostKind", "CostTable", "PatternList", "SensitivePatterns"),
    "tacita.personal.published": (
        "BoundedBelief",
        "BoundedInformation",
        "PublishedPersonal",
        "opened_personal",
        "read_published_personal",
    ),
    "tacita.personal.records": (
        "PersonalReading",
        "PersonalRecords",
        "Weights",
        "nobodys_sequences",
        "read_for_kind",
        "read_personal",
    ),
    "tacita.personal.searches": ("Algorithm", "Infeasible", "Sanitized", "Scope"),
}
"""The modules of the public names; type checkers read `__init__.pyi`, which is generated from this."""

__getattr__, __dir__ = loaded_when_used(__name__, _HOMES)
