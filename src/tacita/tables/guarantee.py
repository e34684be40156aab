"""What a verified table promises: its models, for every group of rows that look alike, and what they do not cover."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.privacy.guarantee import Verified
from tacita.tables.models import Model

__all__ = ["SyntacticPrivacy"]

LIMITS = (
    "This is no differential privacy: it does not cover other releases about the same people, knowledge of how the groups were "
    "made, knowledge about other people's values, or whether somebody is in the table."
)


@dataclass(frozen=True, kw_only=True)
class SyntacticPrivacy:
    """Models that every group of a published table satisfies, by an independent check.

    `group` says what a group is: rows that look alike, or the people of one bucket.
    """

    models: tuple[Model, ...]
    group: str = "rows that show the same"
    voids: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the promise stands; without a passed check there is no release."""
        return not self.voids

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest."""
        return "syntactic"

    @property
    def evidence(self) -> Verified:
        """The check that passed."""
        return Verified(check=f"every group of {self.group} satisfies every model", by="tacita.tables.verifying")

    def statement(self) -> str:
        """The promise in plain words, with what it does not cover."""
        promises = "; ".join(model.statement() for model in self.models)
        return f"In this release, {promises}; alike are {self.group}. {LIMITS}"

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        return {
            "definition": self.definition,
            "models": [model.as_json() for model in self.models],
            "holds": self.holds,
            "voids": list(self.voids),
            "evidence": self.evidence.as_json(),
            "statement": self.statement(),
        }
