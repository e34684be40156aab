"""(K,C)_L-privacy as a guarantee: what holds for the release, who checked it, and what it does not promise."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.privacy.guarantee import NOT_PRIVATE, Verified
from tacita.trajectories.requirement import Requirement, share_text

__all__ = ["NOT_PROMISED", "LinkagePrivacy"]

CHECK = "every set of up to the known pairs of every published record was written out and its persons counted"
VERIFIER = "tacita.trajectories.verification"

NOT_PROMISED = (
    "anything against somebody who knows more pairs of a person than the number given",
    "anything against somebody who knows where a person was not, or that a true pair is missing here",
    "anything against somebody who holds another release of the same persons",
    "that an observer cannot tell whether somebody is in the data: this is no differential privacy",
    "k-anonymity or l-diversity of whole records, even if all pairs of a person may be known",
)


@dataclass(frozen=True, kw_only=True)
class LinkagePrivacy:
    """(K,C)_L-privacy of a release that was verified.

    >>> print(LinkagePrivacy(requirement=Requirement(crowd=30, known_pairs=2), unit="one person's trajectory").statement()[:64])
    This release satisfies (30, 100 %)_2-privacy for one person's tr
    """

    requirement: Requirement
    unit: str
    voids: tuple[str, ...] = ()

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest."""
        return "kcl-privacy"

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    @property
    def evidence(self) -> Verified:
        """The independent check."""
        return Verified(check=CHECK, by=VERIFIER)

    def statement(self) -> str:
        """The promise in plain words, and that it ends there."""
        asked = self.requirement
        known = "all pairs" if asked.known_pairs is None else f"up to {asked.known_pairs} pairs"
        crowd = "1 person" if asked.crowd == 1 else f"{asked.crowd} persons"
        words = f"whoever knows {known} of place and time of a person finds nobody or at least {crowd} here"
        for group in asked.groups:
            values = " or ".join(group.values)
            words += f", of whom at most {share_text(group.confidence)} have {group.attribute} {values}"
        promise = f"{asked}-privacy for {self.unit}: {words}"
        if not self.holds:
            return f"{NOT_PRIVATE}. This release would satisfy {promise}, but does not: {'; '.join(self.voids)}."
        return f"This release satisfies {promise}. It does not promise {'; nor '.join(NOT_PROMISED)}."

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        return {
            "definition": self.definition,
            "crowd": self.requirement.crowd,
            "known_pairs": self.requirement.known_pairs,
            "sensitive": [
                {"attribute": group.attribute, "values": list(group.values), "confidence": str(group.confidence)}
                for group in self.requirement.groups
            ],
            "unit": self.unit,
            "holds": self.holds,
            "voids": list(self.voids),
            "evidence": self.evidence.as_json(),
            "statement": self.statement(),
            "not_promised": list(NOT_PROMISED),
        }
