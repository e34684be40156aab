"""Guarantees that are checked. What is found here is for the owner's eyes and enters no release."""

from tacita.audit.basket_case import BasketCase
from tacita.audit.black_box import BlackBoxBound, epsilon_lower_bound
from tacita.audit.cases import AuditCase
from tacita.audit.controls import CONTROLS, Control, run_control
from tacita.audit.enumeration import exact_law
from tacita.audit.exact_replay import audit_real_replay, audit_replay
from tacita.audit.output_test import audit_output
from tacita.audit.product import (
    FULL,
    QUICK,
    SUBJECTS,
    VARIANTS,
    Effort,
    audit_auditor,
    audit_mechanism,
    output_case,
    replay_case,
    subject_of,
)
from tacita.audit.replay import Publishes, record, replay, transcript_loss
from tacita.audit.samplers import audit_samplers
from tacita.audit.sequence_case import SequenceCase
from tacita.audit.variants import Subject, Variant
from tacita.audit.verdict import AuditReport, Check

__all__ = [
    "CONTROLS",
    "FULL",
    "QUICK",
    "SUBJECTS",
    "VARIANTS",
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
    "Variant",
    "audit_auditor",
    "audit_mechanism",
    "audit_output",
    "audit_real_replay",
    "audit_replay",
    "audit_samplers",
    "epsilon_lower_bound",
    "exact_law",
    "output_case",
    "record",
    "replay",
    "replay_case",
    "run_control",
    "subject_of",
    "transcript_loss",
]
