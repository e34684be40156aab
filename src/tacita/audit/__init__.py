"""Guarantees that are checked. What is found here is for the owner's eyes and enters no release."""

from tacita.audit.replay import Mechanism, record, replay, transcript_loss

__all__ = ["Mechanism", "record", "replay", "transcript_loss"]
