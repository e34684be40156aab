"""The output test: releases, counted over many runs, compared with their exact distribution and with the budget.

Replay evaluates the law that the code claims. This test looks at what the code does: the product runs with its own noise on
both sides of a pair, and the frequencies of its releases are compared with the law that `exact_laws` computes. Then the exact
laws of both sides, and the frequencies, are compared with the budget: their ratio with e^epsilon or, if there is a delta, the
excess over e^epsilon with delta.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Protocol

from tacita.auditing.cases.case import AuditCase, Pair, Rows
from tacita.auditing.exact_laws import Law, certain_excess, exact_excess, exact_law, is_within_span
from tacita.auditing.exact_replay import ROUNDING
from tacita.auditing.runs import count_outcomes
from tacita.auditing.verdict import Check, chi_square, clopper_pearson
from tacita.privacy.answers import Transcript
from tacita.privacy.budget import Budget
from tacita.privacy.ledger import Ledger, OpensAccounts

__all__ = ["audit_output"]

MakeLedger = Callable[[int, Transcript], OpensAccounts]
"""From the number of a run, and the transcript that records it, to the ledger of that run."""

Seen = Sequence[Counter[Hashable]]
"""How often each outcome came, in four parts by the number of the run."""

REST = "a value beyond the span"

FLAKE_RATE = 1e-5


def audit_output(
    case: AuditCase,
    *,
    runs: int,
    span: int | None = None,
    ledger: MakeLedger | None = None,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """Run on both sides of every output pair; `ledger` makes the ledger of each run, by default the product's own.

    Values up to `span` around nothing are enumerated, by default as many as the case says.
    """
    span = case.span if span is None else span
    make: MakeLedger = _product_ledger if ledger is None else ledger
    findings: list[str] = []
    sides: dict[Rows, tuple[Law, Seen]] = {}
    held: _Held = _Excesses(case.budget) if case.budget.delta else _Ratios(case.budget)
    counting = _Counting(case=case, runs=runs, span=span, ledger=make, processes=processes, progress=progress)
    for rows in dict.fromkeys(rows for pair in case.output_pairs() for rows in pair):
        records = case.records(rows)
        sides[rows] = exact_law(case, records, span=span), counting.of(records)
    least = 1.0
    for rows, (law, seen) in sides.items():
        counted = _all(seen)
        impossible = sum(times for outcome, times in counted.items() if outcome not in law and outcome != REST)
        if impossible:
            findings.append(f"on {rows} the mechanism published {impossible} times what no answers lead to")
        pvalue = _fit(counted, law, runs)
        least = min(least, pvalue)
        if pvalue < FLAKE_RATE:
            findings.append(f"on {rows} the outputs do not follow the exact law: p = {pvalue:.1e}")
    for pair in case.output_pairs():
        (first, seen_first), (second, seen_second) = sides[pair[0]], sides[pair[1]]
        findings += held.findings(pair, (first, second), (seen_first, seen_second))
    fine = f"smallest p {least:.2g}, {held}, {runs:,} runs per side"
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
        figures={"p": least, "epsilon": float(case.budget.epsilon), "runs": float(runs), **held.figures()},
    )


class _Held(Protocol):
    """The bound that the laws and the frequencies of pairs must keep."""

    def findings(self, pair: Pair, laws: tuple[Law, Law], seen: tuple[Seen, Seen]) -> list[str]:
        """How one pair breaks it."""
        ...

    def figures(self) -> dict[str, float]:
        """The worst of all pairs."""
        ...


@dataclass
class _Ratios:
    """Pure differential privacy: no release is more than e^epsilon times as likely on one side."""

    budget: Budget
    exact: float = 0.0
    certain: float = 0.0

    def findings(self, pair: Pair, laws: tuple[Law, Law], seen: tuple[Seen, Seen]) -> list[str]:
        epsilon, found = float(self.budget.epsilon), []
        exact, (certain, event) = _exact_ratio(*laws), _certain_ratio(*map(_all, seen))
        self.exact, self.certain = max(self.exact, exact), max(self.certain, certain)
        if certain > epsilon:
            found.append(f"on {pair} a release is e^{certain:.3f} times as likely on one side: {event}")
        if exact > epsilon * (1 + ROUNDING):
            found.append(f"on {pair} the exact law itself has a ratio of e^{exact:.3f}")
        return found

    def figures(self) -> dict[str, float]:
        return {"exact_ratio": self.exact, "certain_ratio": self.certain}

    def __str__(self) -> str:
        return (
            f"exact ratio e^{self.exact:.4g}, certain ratio e^{self.certain:.3g}, at epsilon {float(self.budget.epsilon):.4g}, "
            "which is this test's own: only there can releases be enumerated"
        )


@dataclass
class _Excesses:
    """Approximate differential privacy: the excess over e^epsilon is at most delta.

    The enumeration leaves a rest, so the exact excess is bounded from below and from above; a lower bound above delta is a
    failure, and the upper bound is reported.
    """

    budget: Budget
    exact: tuple[float, float] = (0.0, 0.0)
    certain: float = 0.0

    def findings(self, pair: Pair, laws: tuple[Law, Law], seen: tuple[Seen, Seen]) -> list[str]:
        epsilon, delta, found = float(self.budget.epsilon), float(self.budget.delta), []
        low, high = exact_excess(*laws, epsilon=epsilon)
        learnt, tested = ((_all(seen[0][part]), _all(seen[1][part])) for part in (slice(0, 2), slice(2, 4)))
        certain, event = certain_excess(learnt, tested, epsilon=epsilon, risk=FLAKE_RATE)
        self.exact = max(self.exact[0], low), max(self.exact[1], high)
        self.certain = max(self.certain, certain)
        if certain > delta:
            found.append(f"on {pair} the excess over e^epsilon is at least {certain:.3g}, delta {delta:.4g}: {event}")
        if low > delta * (1 + ROUNDING):
            found.append(f"on {pair} the exact law itself has an excess over e^epsilon of {low:.4g}, delta {delta:.4g}")
        return found

    def figures(self) -> dict[str, float]:
        low, high = self.exact
        delta = float(self.budget.delta)
        return {"exact_excess": low, "exact_excess_at_most": high, "certain_excess": self.certain, "delta": delta}

    def __str__(self) -> str:
        return (
            f"exact excess over e^epsilon {self.exact[0]:.4g} to {self.exact[1]:.4g}, certain excess {self.certain:.3g}, "
            f"delta {float(self.budget.delta):.4g}"
        )


def _product_ledger(_number: int, transcript: Transcript) -> OpensAccounts:
    return Ledger(transcript=transcript)


@dataclass(frozen=True, kw_only=True)
class _Counting:
    """How often each release comes; those with a value beyond the span are the rest."""

    case: AuditCase
    runs: int
    span: int
    ledger: MakeLedger
    processes: int | None
    progress: Callable[[int, int], None] | None

    def of(self, records: Any) -> Seen:  # noqa: ANN401 - each kind has records of its own
        """Publish these records many times."""
        return count_outcomes(self._outcome, records, runs=self.runs, processes=self.processes, progress=self.progress)

    def _outcome(self, records: Any, number: int) -> Hashable:  # noqa: ANN401 - each kind has records of its own
        transcript = Transcript()
        release = self.case.mechanism.publish(records, budget=self.case.budget, ledger=self.ledger(number, transcript))
        return self.case.outcome(release) if is_within_span(transcript, span=self.span) else REST


def _all(quarters: Seen) -> Counter[Hashable]:
    return sum(quarters, Counter())


def _fit(seen: Counter[Hashable], law: Law, runs: int) -> float:
    """Chi-square test of all outcomes that the law lists; everything else is the rest."""
    outcomes = list(law)
    observed = [seen[outcome] for outcome in outcomes]
    expected = [law[outcome] * runs for outcome in outcomes]
    return chi_square([*observed, runs - sum(observed)], [*expected, max(0.0, 1 - sum(law.values())) * runs])


def _exact_ratio(first: Law, second: Law) -> float:
    """The largest log-ratio of the exact laws; infinite if one side can publish what the other cannot."""
    if first.keys() != second.keys():
        return float("inf")
    return max(abs(log(first[outcome]) - log(second[outcome])) for outcome in first)


def _certain_ratio(first: Counter[Hashable], second: Counter[Hashable]) -> tuple[float, str]:
    """The largest log-ratio that the frequencies prove, over all releases and both directions."""
    events, runs = list(first.keys() | second.keys()), first.total()
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
