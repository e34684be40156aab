"""What a release of a personal sequence promises. Both promises are verified on the finished release, not spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tacita.personal.bounds import AnyBound, BeliefBound, EveryPattern, InformationBound, PaperBound
from tacita.personal.measures import Form
from tacita.privacy.budget import decimal_text
from tacita.privacy.guarantee import NOT_PRIVATE, Evidence, Guarantee, Verified

__all__ = ["BoundedBelief", "BoundedInformation", "guarantee_of"]

_CHECK = Verified(
    check="every occurrence was counted again on the finished release, and every place shows its symbol or a node above it",
    by="tacita.personal.verification",
)
_OBSERVER = "sees it and knows the taxonomy, the patterns, the rule and how often each pattern occurs"
_ABOUT = {
    Form.TUPLES_SINGLE: "which places hold one of the patterns",
    Form.TUPLES_ANY: "which places hold any of the patterns",
    Form.STARTS_SINGLE: "where one of the patterns starts",
    Form.STARTS_ANY: "where any of the patterns starts",
}


@dataclass(frozen=True, kw_only=True)
class BoundedBelief:
    """Nobody believes more than the limit about where a sensitive pattern is."""

    bound: BeliefBound
    unit: str
    voids: tuple[str, ...] = ()

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest."""
        return "bounded-belief"

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    @property
    def evidence(self) -> Evidence:
        """The independent check."""
        return _CHECK

    def statement(self) -> str:
        """The promise as one paragraph, rendered from the fields."""
        about = "; ".join(_ABOUT[form] for form in self.bound.forms)
        promise = (
            f"of the places that look alike in it, at most {decimal_text(self.bound.limit)} are sensitive, so that whoever "
            f"{_OBSERVER} believes it of none of them with more ({about})"
        )
        return _sentence(promise, self.voids)

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        own = {"limit": decimal_text(self.bound.limit), "forms": [str(form) for form in self.bound.forms], "unit": self.unit}
        return _as_json(self, own)


@dataclass(frozen=True, kw_only=True)
class BoundedInformation:
    """What is shown gives away no more than a share of the entropy of where sensitive patterns are, on average."""

    bound: InformationBound | EveryPattern | PaperBound
    unit: str
    voids: tuple[str, ...] = ()

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest."""
        return "bounded-information"

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    @property
    def evidence(self) -> Evidence:
        """The independent check."""
        return _CHECK

    def statement(self) -> str:
        """The promise as one paragraph, rendered from the fields."""
        match self.bound:
            case InformationBound(limit=limit):
                what = f"at most {decimal_text(limit)} of the entropy of which sensitive pattern, if any, the places hold"
            case EveryPattern():
                what = "so little about which sensitive pattern the places hold that each of them is shown as something else"
            case PaperBound(limit=limit):
                what = f"by the measure {self.bound.reading} at most {decimal_text(limit)}"
        return _sentence(
            f"whoever {_OBSERVER} learns, on average over all places, {what}; single places can give away more",
            self.voids,
        )

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        limit = None if isinstance(self.bound, EveryPattern) else decimal_text(self.bound.limit)
        return _as_json(self, {"bound": str(self.bound), "limit": limit, "unit": self.unit})


def guarantee_of(bound: AnyBound, *, unit: str, voids: tuple[str, ...]) -> BoundedBelief | BoundedInformation:
    """The guarantee that a bound gives; the paper's own measure gives none."""
    if isinstance(bound, BeliefBound):
        return BoundedBelief(bound=bound, unit=unit, voids=voids)
    if isinstance(bound, PaperBound):
        lacks = "the measure of the paper does not see whether a place holds a sensitive pattern at all, only which one"
        voids = (*voids, lacks)
    return BoundedInformation(bound=bound, unit=unit, voids=voids)


def _sentence(promise: str, voids: tuple[str, ...]) -> str:
    if not voids:
        return f"This release keeps a bound that was verified: {promise}."
    return f"{NOT_PRIVATE}. This release would keep the bound that {promise}, but does not: {'; '.join(voids)}."


def _as_json(guarantee: Guarantee, own: Mapping[str, object]) -> dict[str, object]:
    return {
        "definition": guarantee.definition,
        **own,
        "holds": guarantee.holds,
        "voids": list(guarantee.voids),
        "evidence": guarantee.evidence.as_json(),
        "statement": guarantee.statement(),
    }
