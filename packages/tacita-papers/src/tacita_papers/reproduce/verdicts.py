"""The verdict of a claim on a data set, computed from three versions of each method.

A claim is a rule (see `claims`). It is held against our rows, against those of the method *as printed* and against those of ours
*without noise*, all on the same data. A rule that our rows do not meet is met *within errors* if two standard errors of paired
runs would be enough; one run has no error, so it decides nothing. What remains is asked in this order:

1. the print contradicts itself (the claim names its erratum);
2. the print fails here too: as printed, by more than two standard errors, or because it cannot be run on these data;
3. the price of a true guarantee: the print meets the rule, and so do we without noise;
4. ours is weaker: all else, also where no version as printed was measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tacita.public.parameters import Chosen
from tacita_papers.reproduce.claims import Claim, Finding
from tacita_papers.reproduce.experiment import REAL, Line, Point, Row

__all__ = ["ERRORS", "HOLDING", "Judgement", "Verdict", "causes", "judge", "overall"]

ERRORS = 2.0
"""Standard errors within which two figures are not told apart."""


class Verdict(StrEnum):
    """What our result says about a claim, the most serious last."""

    NOT_COMPARABLE = "not comparable"
    BETTER = "better"
    HOLDS = "holds"
    CONTRADICTED = "the print contradicts itself"
    PRINT_FAILS = "the print fails here too"
    NOT_TOLD_APART = "not told apart"
    PRICE = "price of a true guarantee"
    WEAKER = "ours is weaker"


HOLDING = frozenset({Verdict.BETTER, Verdict.HOLDS})


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A verdict on one data set, with its reason in figures."""

    claim: str
    data: str
    verdict: Chosen[Verdict] = Chosen(Verdict)
    reason: str
    erratum: str = ""

    @property
    def is_real(self) -> bool:
        """Whether the data are real."""
        return self.data in REAL


def judge(claim: Claim, rows: Sequence[Row], published: Sequence[Point]) -> list[Judgement]:
    """The judgement of a claim on each data set that it was measured on."""
    used = [row for row in rows if row.line is Line.OURS and claim.uses(row)]
    found = [_judged(claim, data, rows, published) for data in dict.fromkeys(row.data for row in used)]
    known = [each for each in found if each is not None]
    if known:
        return known
    why = claim.untold or "nothing was measured that could be compared"
    return [Judgement(claim=claim.text, data="", verdict=Verdict.NOT_COMPARABLE, reason=why)]


def _judged(claim: Claim, data: str, rows: Sequence[Row], published: Sequence[Point]) -> Judgement | None:
    ours = version(claim, rows, data, Line.OURS)
    strict = claim.compare(ours, published, errors=0.0)
    if strict is None:
        return None
    if strict.holds:
        verdict = Verdict.BETTER if strict.is_better else Verdict.HOLDS
        return Judgement(claim=claim.text, data=data, verdict=verdict, reason=strict.reason)
    eased = claim.compare(ours, published, errors=ERRORS)
    printed = _failure(claim, version(claim, rows, data, Line.PRINTED), published)
    noiseless = claim.compare(version(claim, rows, data, Line.NOISELESS), published, errors=0.0)
    reasons = [strict.reason]
    if eased is not None and eased.holds:
        single = any(len(row.each) == 1 for row in ours if claim.uses(row))
        verdict, told = Verdict.NOT_TOLD_APART, "one run" if single else "within two standard errors"
        reasons.append(told)
    elif claim.erratum:
        verdict = Verdict.CONTRADICTED
    elif printed is not None and not printed.holds:
        verdict = Verdict.PRINT_FAILS
    elif printed is not None and noiseless is not None and noiseless.holds:
        verdict = Verdict.PRICE
    else:
        verdict = Verdict.WEAKER
    reasons += [f"as printed: {printed.reason}"] if printed is not None else []
    reasons += [f"without noise: {noiseless.reason}"] if noiseless is not None else []
    return Judgement(claim=claim.text, data=data, verdict=verdict, reason="; ".join(reasons), erratum=claim.erratum)


def version(claim: Claim, rows: Sequence[Row], data: str, line: Line) -> list[Row]:
    """The rows of one version on one data set: of series that have none, ours; nothing if no series of the claim has any.

    A claim about the product's method is held beside the print of the method that the paper compares: its rows take that name.
    """
    own = [row for row in rows if row.data == data]
    ours = [row for row in own if row.line is Line.OURS]
    if line is Line.OURS:
        return ours
    found = [row for row in own if row.line is line]
    if line is Line.PRINTED and claim.beside:
        found += [replace(row, series=name) for name, print_of in claim.beside.items() for row in found if row.series == print_of]
    if not any(claim.uses(row) for row in found):
        return []
    known = {row.series for row in found}
    return found + [row for row in ours if row.series not in known]


def _failure(claim: Claim, rows: Sequence[Row], published: Sequence[Point]) -> Finding | None:
    """What the print does: it fails only by more than two standard errors, or where it cannot be run."""
    refused = [row.why for row in rows if row.why and claim.uses(row)]
    if refused:
        return Finding(holds=False, reason=f"cannot be run: {refused[0]}")
    strict = claim.compare(rows, published, errors=0.0)
    eased = claim.compare(rows, published, errors=ERRORS)
    if strict is None or eased is None or strict.holds or not eased.holds:
        return strict
    return replace(strict, holds=True)


def overall(judgements: Iterable[Judgement]) -> Verdict:
    """The most serious verdict; *better* only if no claim merely holds."""
    order = list(Verdict)
    told = {each.verdict for each in judgements} - {Verdict.NOT_COMPARABLE}
    return max(told, key=order.index, default=Verdict.NOT_COMPARABLE)


def causes(judgements: Iterable[Judgement]) -> dict[Verdict, tuple[int, int]]:
    """How many claims have each verdict, on real data and on stand-ins; a claim about several data sets counts once for each."""
    found = [each for each in judgements if each.verdict is not Verdict.NOT_COMPARABLE]
    counts = {is_real: Counter(each.verdict for each in found if each.is_real is is_real) for is_real in (True, False)}
    return {verdict: (counts[True][verdict], counts[False][verdict]) for verdict in list(Verdict)[1:]}
