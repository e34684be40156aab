"""The replay as an audit: every neighbour of many small data sets, and sampled neighbours of real ones.

Beyond the loss it finds what no loss shows: questions that depend on raw data (a domain read from the data among them), draws
that bypass the ledger (the same answers do not give the same release twice), raw data behind the wall (the same answers give
neighbours different releases), and a plan that costs more than the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from math import inf, isnan
from typing import Any

from tacita.audit.cases import AuditCase, Rows, SequenceCase
from tacita.audit.replay import transcript_loss
from tacita.audit.verdict import Check
from tacita.core.errors import ParameterError, ReplayError
from tacita.core.ledger import OpensAccounts, Replay
from tacita.core.transcript import Trace, Transcript
from tacita.sequences import SequenceRecords
from tacita.testing import public_generator, seeded_ledger

__all__ = ["ROUNDING", "audit_real_replay", "audit_replay"]

ROUNDING = 1e-9
"""By which share of the budget a loss may pass it because the sum of its logarithms is rounded."""

TIGHT_RUNS = 1200
"""How many runs on tight pairs are shared by the levels of a mechanism."""

Progress = Callable[[int, int], None]


@dataclass
class _Worst:
    """The worst of all pairs so far, and the first thing that should not be."""

    loss: float = 0.0
    pair: str = "no pair"
    pairs: int = 0
    finding: str = ""

    def take(self, loss: float, pair: str) -> None:
        self.pairs += 1
        loss = inf if isnan(loss) else loss  # what is no number is the worst of all
        if loss > self.loss:
            self.loss, self.pair = loss, pair


@dataclass(frozen=True)
class _Run:
    """A recorded run on some records and its replay on the same ones."""

    case: AuditCase
    transcript: Transcript
    trace: Trace
    outcome: Hashable

    @classmethod
    def record(cls, case: AuditCase, records: Any, seed: int) -> _Run:  # noqa: ANN401 - each kind has records of its own
        transcript = Transcript()
        published = _published(case, records, seeded_ledger(seed, transcript=transcript))
        trace, replayed = _replay(case, records, transcript)
        if replayed != published:
            message = "the same answers gave another release: something is drawn past the ledger"
            raise ReplayError(message)
        return cls(case, transcript, trace, published)

    def loss(self, neighbour: Any) -> float:  # noqa: ANN401 - each kind has records of its own
        trace, outcome = _replay(self.case, neighbour, self.transcript)
        if outcome != self.outcome:
            message = "the same answers gave neighbours different releases: raw data reaches what is published"
            raise ReplayError(message)
        return abs(transcript_loss(self.transcript, self.trace, trace))


def _published(case: AuditCase, records: Any, ledger: OpensAccounts) -> Hashable:  # noqa: ANN401
    """What a run tells; a refusal tells something too, and must be the same for neighbours."""
    try:
        return case.told(case.mechanism.publish(records, budget=case.budget, ledger=ledger))
    except (ReplayError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - whatever a mechanism raises is what its user sees
        return f"refused by {type(error).__name__}"


def _replay(case: AuditCase, records: Any, transcript: Transcript) -> tuple[Trace, Hashable]:  # noqa: ANN401
    ledger = Replay(transcript)
    outcome = _published(case, records, ledger)
    if ledger.charge is not None and (
        ledger.charge.plan.epsilon > case.budget.epsilon or ledger.charge.plan.delta > case.budget.delta
    ):
        message = "the plan costs more than the budget"
        raise ReplayError(message)
    return ledger.trace, outcome


def audit_replay(case: AuditCase, *, data_sets: int = 200, seed: int = 0, progress: Progress | None = None) -> Check:
    """Replay on every neighbour of random small data sets and of the pairs that should be tight."""
    worst, generator = _Worst(), public_generator(seed)
    tight_pairs = case.tight_pairs()
    crowds = {first: [second for other, second in tight_pairs if other == first] for first, _ in tight_pairs}
    tight = list(crowds.items()) * max(20, TIGHT_RUNS // max(1, len(tight_pairs)))
    small = [case.random_rows(generator) for _ in range(data_sets)]
    work: list[tuple[Rows, Iterable[Rows]]] = [*tight, *((rows, case.neighbours(rows)) for rows in small)]
    for turn, (rows, neighbours) in enumerate(work):
        try:
            run = _Run.record(case, case.records(rows), seed * 1_000_003 + turn)
            for neighbour in neighbours:
                worst.take(run.loss(case.records(neighbour)), f"{_shown(rows)} and {_shown(neighbour)}")
        except ReplayError as error:
            worst.finding = f"{error} (on {_shown(rows)})"
            break
        if worst.loss > float(case.budget.epsilon) * (1 + ROUNDING):
            break
        if progress is not None:
            progress(turn + 1, len(work))
    again = f"audit_replay(case, data_sets={data_sets}, seed={seed})"
    return _check(case, worst, "exact replay", f"all neighbours of {data_sets} small data sets", again)


def audit_real_replay(
    case: SequenceCase, records: SequenceRecords, *, neighbours: int = 1000, seed: int = 0, progress: Progress | None = None
) -> Check:
    """Replay one run on real data on sampled neighbours of it; a person is named by their position."""
    if neighbours < 1 or len(records.sequences) == 0:
        message = f"a replay on real data needs a person and a neighbour at least, got {neighbours} neighbours"
        raise ParameterError(message)
    worst = _Worst()
    try:
        run = _Run.record(case, records, seed)
        sampled = case.sampled_neighbours(records, number=neighbours, seed=seed)
        for turn, (what, neighbour) in enumerate(sampled):
            worst.take(run.loss(neighbour), f"the data and {what}")
            if progress is not None:
                progress(turn + 1, neighbours)
    except ReplayError as error:
        worst.finding = str(error)
    again = f"audit_real_replay(case, records, neighbours={neighbours}, seed={seed})"
    return _check(case, worst, "exact replay on real data", f"{neighbours} sampled neighbours", again)


def _check(case: AuditCase, worst: _Worst, test: str, scope: str, reproduce: str) -> Check:
    epsilon = float(case.budget.epsilon)
    share = worst.loss / epsilon
    passed = not worst.finding and worst.pairs > 0 and worst.loss <= epsilon * (1 + ROUNDING)
    summary = worst.finding or f"worst loss {worst.loss:.6g} of a budget of {epsilon:.6g} ({share:.3f}), {scope}"
    evidence = (f"worst pair: {worst.pair}", f"pairs replayed: {worst.pairs}")
    figures = {"worst_loss": worst.loss, "epsilon": epsilon, "share": share, "pairs": float(worst.pairs)}
    return Check(
        subject=case.name, test=test, passed=passed, summary=summary, evidence=evidence, reproduce=reproduce, figures=figures
    )


def _shown(rows: Rows) -> str:
    """A small data set for people: each different record with how often it occurs."""
    counts = {row: rows.count(row) for row in dict.fromkeys(rows)}
    return "{" + ", ".join(f"{row or 'nothing'} x {times}" for row, times in counts.items()) + "}"
