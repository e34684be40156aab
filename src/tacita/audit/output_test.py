"""The output test: what comes out, counted over many runs, against the exact law and against epsilon.

Replay evaluates the law that the code claims. This looks at what the code does: the product runs with its own noise on both
sides of a pair, the frequencies of its releases are compared with the law that `enumeration` computes, and the ratios of
frequencies with e^epsilon.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from math import log
from typing import Any

from tacita.audit.cases import AuditCase
from tacita.audit.enumeration import exact_law, is_within_span
from tacita.audit.exact_replay import ROUNDING
from tacita.audit.runs import count_outcomes
from tacita.audit.statistics import chi_square, clopper_pearson
from tacita.audit.verdict import Check
from tacita.core.ledger import Ledger, OpensAccounts
from tacita.core.transcript import Transcript

__all__ = ["SPAN", "audit_output"]

MakeLedger = Callable[[int, Transcript], OpensAccounts]
"""From the number of a run, and the transcript that it is to be recorded in, to the ledger of that run."""

REST = "a value beyond the span"

SPAN = 2
FLAKE_RATE = 1e-5


def audit_output(
    case: AuditCase,
    *,
    runs: int,
    span: int = SPAN,
    ledger: MakeLedger | None = None,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """Run on both sides of every output pair; `ledger` makes the ledger of each run, the product's own if not given.

    Values up to `span` above the threshold are enumerated; a mechanism with many cells needs a smaller one.
    """
    make: MakeLedger = _product_ledger if ledger is None else ledger
    findings: list[str] = []
    least, widest, sharpest = 1.0, 0.0, 0.0
    for pair in case.output_pairs():
        sides = [case.records(rows) for rows in pair]
        laws = [exact_law(case, records, span=span) for records in sides]
        seen = [_count(case, records, (runs, span), make, processes, progress) for records in sides]
        for rows, counted, law in zip(pair, seen, laws, strict=True):
            impossible = sum(times for outcome, times in counted.items() if outcome not in law and outcome != REST)
            if impossible:
                findings.append(f"on {rows} releases came out {impossible} times that no answers lead to")
            pvalue = _fit(counted, law, runs)
            least = min(least, pvalue)
            if pvalue < FLAKE_RATE:
                findings.append(f"on {rows} the outputs do not follow the exact law: p = {pvalue:.1e}")
        sharpest = max(sharpest, _exact_ratio(laws[0], laws[1]))
        ratio, event = _certain_ratio(seen[0], seen[1], runs)
        widest = max(widest, ratio)
        if ratio > float(case.budget.epsilon):
            findings.append(f"on {pair} a release is e^{ratio:.3f} times as likely on one side: {event}")
    if sharpest > float(case.budget.epsilon) * (1 + ROUNDING):
        findings.append(f"the exact law itself has a ratio of e^{sharpest:.3f}")
    epsilon = float(case.budget.epsilon)
    ratios = f"exact ratio e^{sharpest:.4g}, certain ratio e^{widest:.3g}, epsilon {epsilon:.4g}"
    fine = f"smallest p {least:.2g}, {ratios}, {runs:,} runs a side"
    return Check(
        subject=case.name,
        test="output",
        passed=not findings,
        summary="; ".join(findings[:1]) or fine,
        evidence=(
            *findings,
            fine,
            f"a correct mechanism fails this about {3 * len(case.output_pairs())} times in {1 / FLAKE_RATE:,.0f} audits",
        ),
        reproduce=f"audit_output(case, runs={runs})",
        figures={"p": least, "exact_ratio": sharpest, "certain_ratio": widest, "epsilon": epsilon, "runs": float(runs)},
    )


def _product_ledger(_number: int, transcript: Transcript) -> OpensAccounts:
    return Ledger(transcript=transcript)


def _count(
    case: AuditCase,
    records: Any,  # noqa: ANN401 - each kind has records of its own
    effort: tuple[int, int],
    make: MakeLedger,
    processes: int | None,
    progress: Callable[[int, int], None] | None,
) -> Counter[Hashable]:
    runs, span = effort

    def run(data: Any, number: int) -> Hashable:  # noqa: ANN401 - each kind has records of its own
        transcript = Transcript()
        release = case.mechanism.publish(data, budget=case.budget, ledger=make(number, transcript))
        return case.outcome(release) if is_within_span(transcript, span=span) else REST

    return sum(count_outcomes(run, records, runs=runs, processes=processes, progress=progress), Counter())


def _fit(seen: Counter[Hashable], law: dict[Hashable, float], runs: int) -> float:
    """Chi-square of all outcomes that the law names; everything else is the rest."""
    outcomes = list(law)
    observed = [seen[outcome] for outcome in outcomes]
    expected = [law[outcome] * runs for outcome in outcomes]
    return chi_square([*observed, runs - sum(observed)], [*expected, max(0.0, 1 - sum(law.values())) * runs])


def _exact_ratio(first: dict[Hashable, float], second: dict[Hashable, float]) -> float:
    """The largest log-ratio of the exact laws; infinite if one side can publish what the other cannot."""
    if first.keys() != second.keys():
        return float("inf")
    return max(abs(log(first[outcome]) - log(second[outcome])) for outcome in first)


def _certain_ratio(first: Counter[Hashable], second: Counter[Hashable], runs: int) -> tuple[float, str]:
    """The largest log-ratio that the frequencies prove, over all releases and both directions."""
    events = list(first.keys() | second.keys())
    risk = FLAKE_RATE / (4 * len(events))
    worst, shown = 0.0, "none"
    for event in events:
        for mine, other in ((first[event], second[event]), (second[event], first[event])):
            if mine <= other:
                continue
            low, high = clopper_pearson(mine, runs, risk=risk)[0], clopper_pearson(other, runs, risk=risk)[1]
            if low > 0 and log(low / high) > worst:
                worst, shown = log(low / high), f"{event!r} came {mine} against {other} times"
    return worst, shown
