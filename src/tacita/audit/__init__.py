"""Checks of the guarantees. The findings are for the owner only and enter no release."""

from tacita.audit.anything import Target, audit_any
from tacita.audit.black_box import BlackBoxBound, epsilon_lower_bound
from tacita.audit.cases.case import AuditCase, Subject, Variant
from tacita.audit.cases.sequences import SequenceCase
from tacita.audit.cases.sets import BasketCase
from tacita.audit.controls import CONTROLS, Control, run_control
from tacita.audit.exact_laws import exact_law
from tacita.audit.exact_replay import (
    Publishes,
    audit_file_replay,
    audit_real_replay,
    audit_replay,
    record,
    replay,
    transcript_loss,
)
from tacita.audit.foreign_answers import audit_foreign_answers
from tacita.audit.output_test import audit_output
from tacita.audit.product import (
    FULL,
    QUICK,
    Effort,
    audit_auditor,
    audit_foreign,
    audit_mechanism,
    audit_method,
    audit_publisher,
    audit_verified,
    output_case,
    replay_case,
    subject_named,
    subject_of,
    unwatched,
)
from tacita.audit.runs import side_by_side
from tacita.audit.samplers import audit_counts, audit_repeats, audit_samplers
from tacita.audit.verdict import AuditReport, Check

__all__ = [
    "CONTROLS",
    "FULL",
    "QUICK",
    "AuditCase",
    "AuditReport",
    "BasketCase",
    "BlackBoxBound",
    "Check",
    "Control",
    "Effort",
    "Publishes",
    "SequenceCase",
    "Subject",
    "Target",
    "Variant",
    "audit_any",
    "audit_auditor",
    "audit_counts",
    "audit_file_replay",
    "audit_foreign",
    "audit_foreign_answers",
    "audit_mechanism",
    "audit_method",
    "audit_output",
    "audit_publisher",
    "audit_real_replay",
    "audit_repeats",
    "audit_replay",
    "audit_samplers",
    "audit_verified",
    "epsilon_lower_bound",
    "exact_law",
    "output_case",
    "record",
    "replay",
    "replay_case",
    "run_control",
    "side_by_side",
    "subject_named",
    "subject_of",
    "transcript_loss",
    "unwatched",
]
