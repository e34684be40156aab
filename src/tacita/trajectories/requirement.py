"""What (K,C)_L-privacy asks for, and what it promises: how much may be known, in how large a crowd, with which confidence.

Chen's thesis, 2012, Definition 5.1, has one confidence for all sensitive values. Here each group of values has its own, which
gives the privacy templates of section 2.1.3, and a group may hold several values: with one bound per value an attacker may
still be sure that somebody has *one of them*. Confidences are fractions and are compared in whole numbers.

`Requirement` is what the owner asks for; `LinkagePrivacy` is the guarantee of a release that satisfies it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from tacita.arrays import Booleans, Integers
from tacita.errors import ParameterError
from tacita.privacy.budget import Exact, decimal_text, share_of
from tacita.privacy.guarantee import NOT_PRIVATE, Verified
from tacita.public.parameters import instance_of, whole_number

__all__ = ["NOT_PROMISED", "LinkagePrivacy", "Requirement", "SensitiveGroup", "share_text"]


@dataclass(frozen=True, kw_only=True)
class SensitiveGroup:
    """Values of an attribute of which nobody may be known to have one with more than this confidence.

    >>> SensitiveGroup(attribute="diagnosis", values=("HIV",), confidence="1/2").confidence
    Fraction(1, 2)
    """

    attribute: str
    values: tuple[str, ...]
    confidence: Fraction

    def __init__(self, *, attribute: str, values: Iterable[str], confidence: Exact) -> None:
        """Check that there are values, each once, and a confidence from 0 to 1."""
        object.__setattr__(self, "attribute", attribute)
        instance_of(values, Iterable, name="the values of a sensitive group")
        object.__setattr__(self, "values", tuple(values))
        object.__setattr__(self, "confidence", share_of(confidence, name="confidence"))
        if not attribute or not self.values or len(set(self.values)) != len(self.values):
            message = f"a sensitive group must name an attribute and values of it, each once, got {attribute!r}: {self.values}"
            raise ParameterError(message)

    def __str__(self) -> str:
        """As it is written on the command line."""
        return f"{self.attribute}={'|'.join(self.values)}<={self.confidence}"


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """(K,C)_L: how much may be known, how large a crowd must be, and with which confidence something may be inferred.

    Anyone who knows up to `known_pairs` pairs of a person (None: all) finds a crowd of `crowd` persons, of whom at most the
    confidence of each sensitive group have a value of it.

    >>> print(Requirement(crowd=30, known_pairs=2))
    (30, 100 %)_2
    """

    crowd: int
    known_pairs: int | None
    groups: tuple[SensitiveGroup, ...] = ()

    def __post_init__(self) -> None:
        """Check the numbers, and that no group comes twice."""
        whole_number(self.crowd, name="crowd", least=1)
        if self.known_pairs is not None:
            whole_number(self.known_pairs, name="known_pairs", least=1)
        given = Counter((group.attribute, frozenset(group.values)) for group in self.groups)
        for (attribute, values), times in given.items():
            if times > 1:
                named = "|".join(sorted(values))
                message = f"every sensitive group must have one confidence, but {attribute}={named} has {times}; leave one"
                raise ParameterError(message)
        if self.crowd == 1 and not self.groups:
            message = (
                "a crowd of 1 asks for nothing without a sensitive group; ask for 2 persons at least, or name sensitive values"
            )
            raise ParameterError(message)

    def __str__(self) -> str:
        """As the thesis writes it; of several confidences the highest is written."""
        highest = max((group.confidence for group in self.groups), default=Fraction(1))
        most = "all" if self.known_pairs is None else self.known_pairs
        return f"({self.crowd}, {share_text(highest)})_{most}"

    @property
    def bounds(self) -> tuple[Fraction, ...]:
        """The confidence of each group."""
        return tuple(group.confidence for group in self.groups)

    def broken(self, persons: Integers, sensitive: Integers) -> Booleans:
        """Which sets violate it, given how many persons have each (one row per set) and how many of them each group (columns)."""
        wrong = (persons > 0) & (persons < self.crowd)
        for place, bound in enumerate(self.bounds):
            wrong |= sensitive[:, place] * bound.denominator > persons * bound.numerator
        return wrong


def share_text(share: Fraction) -> str:
    """A share exactly, as a percentage or, where that does not end, as a fraction: a rounded one could promise too much.

    >>> share_text(Fraction(3, 5)), share_text(Fraction(1, 3))
    ('60 %', '1/3')
    """
    percent = decimal_text(share * 100)
    return str(share) if "/" in percent else f"{percent} %"


# The guarantee: what holds for the release, who checked it, and what it does not promise.

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
        words = f"anyone who knows {known} of place and time of a person finds nobody or at least {crowd} here"
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
