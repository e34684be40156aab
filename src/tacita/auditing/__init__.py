"""Checks of the guarantees. The findings are for the owner only and enter no release."""

from tacita.auditing.anything import Target, audit_any
from tacita.auditing.black_box import BlackBoxBound, epsilon_lower_bound
from tacita.auditing.cases.case import AuditCase, Subject, Variant
from tacita.auditing.cases.sequences import SequenceCase
from tacita.auditing.cases.sets import BasketCase
from tacita.auditing.controls import CONTROLS, Control, run_control
from tacita.auditing.exact_laws import exact_law
from tacita.auditing.exact_replay import (
    Publishes,
    audit_file_replay,
    audit_real_replay,
    audit_replay,
    record,
    replay,
    transcript_loss,
)
from tacita.auditing.foreign_answers import audit_foreign_answers
from tacita.auditing.output_test import audit_output
from tacita.auditing.product import (
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
from tacita.auditing.runs import side_by_side
from tacita.auditing.samplers import audit_counts, audit_repeats, audit_samplers
from tacita.auditing.verdict import AuditReport, Check

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
