"""The replay as an audit: every neighbour of many small data sets, and sampled neighbours of real ones.

Beyond the loss it finds what no loss shows: questions that depend on raw data (a domain read from the data among them), draws
that bypass the ledger (the same answers do not give the same release twice), raw data behind the wall (the same answers give
neighbours different releases), and a plan that costs more than the budget. A mechanism that never publishes, or that no neighbour
changes anything for, has proved nothing, and does not pass.

A loss may be infinite where the budget has a delta: a release that one side cannot make at all. Our mechanisms with a delta are
pure but for that, so every finite loss must stay within epsilon here too, which is more than (epsilon, delta) asks for. The other
ones must come with a probability of at most delta on any pair. So one neighbour of each run on a small data set, the last one,
which is fixed before the run is made, counts as a trial, and the number of trials that are infinite is held to what delta allows
by the exact tail of the binomial law. A small delta is beyond such counting: the output test computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from math import inf, isinf, isnan
from traceback import format_exception_only
from typing import Any

from tacita.audit.cases.case import AuditCase, Rows
from tacita.audit.replay import transcript_loss
from tacita.audit.statistics import at_least
from tacita.audit.verdict import Check
from tacita.errors import ParameterError, ReplayError
from tacita.privacy.answers import Trace, Transcript
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.stand_ins import Replay
from tacita.testing import public_generator, seeded_ledger

__all__ = ["ROUNDING", "audit_real_replay", "audit_replay"]

ROUNDING = 1e-9
"""By which share of the budget a loss may pass it because the sum of its logarithms is rounded."""

TIGHT_RUNS = 6
"""How many runs on tight pairs there are for each small data set; they are shared by the pairs."""

FEWEST_TIGHT_RUNS = 20
"""How many runs each tight pair has at least."""

FLAKE_RATE = 1e-6
"""How rarely a mechanism that keeps its delta may have so many trials that are infinite."""

Progress = Callable[[int, int], None]


@dataclass
class _Worst:
    """The worst of all pairs so far, the trials of what only delta allows, and the first thing that should not be."""

    loss: float = 0.0
    pair: str = "no pair"
    pairs: int = 0
    finding: str = ""
    trials: int = 0
    infinite: int = 0
    beyond: int = 0
    published: int = 0
    refusal: str = ""

    def take(self, loss: float, pair: str, *, has_delta: bool = False) -> None:
        self.pairs += 1
        if has_delta and isinf(loss):
            self.beyond += 1
            return
        loss = inf if isnan(loss) else loss  # what is no number is the worst of all
        if loss > self.loss:
            self.loss, self.pair = loss, pair

    def try_delta(self, loss: float) -> None:
        self.trials += 1
        self.infinite += isinf(loss)

    def count(self, run: _Run) -> None:
        """Count a run that should have been published."""
        if isinstance(run.outcome, _Refusal):
            self.refusal = self.refusal or run.outcome.text
        else:
            self.published += 1

    def require_published(self) -> None:
        """Find that nothing was published where something should have been."""
        if not self.finding and not self.published:
            self.finding = f"nothing was published, so nothing is proved; the first refusal: {self.refusal}"

    def require_loss(self) -> None:
        """Find that no neighbour changed anything that was asked."""
        if not self.finding and not self.loss and not self.beyond:
            self.finding = "no neighbour changed anything that was asked, so nothing is proved"


@dataclass(frozen=True)
class _Refusal:
    """What a user sees in place of a release: the kind of an error, its sentence and its notes."""

    text: str


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
        return _Refusal("".join(format_exception_only(error)).strip())


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
    tight = list(crowds.items()) * max(FEWEST_TIGHT_RUNS, TIGHT_RUNS * data_sets // max(1, len(tight_pairs)))
    small = [case.random_rows(generator) for _ in range(data_sets)]
    work: list[tuple[Rows, Iterable[Rows]]] = [*tight, *((rows, case.neighbours(rows)) for rows in small)]
    for turn, (rows, neighbours) in enumerate(work):
        try:
            _replay_all(case, rows, neighbours, worst, seed=seed * 1_000_003 + turn, is_trial=turn >= len(tight))
        except ReplayError as error:
            worst.finding = f"{error} (on {_shown(rows)})"
            break
        if worst.loss > float(case.budget.epsilon) * (1 + ROUNDING):
            break
        if progress is not None:
            progress(turn + 1, len(work))
    worst.require_published()
    worst.require_loss()
    again = f"audit_replay(case, data_sets={data_sets}, seed={seed})"
    return _check(case, worst, "exact replay", f"all neighbours of {data_sets} small data sets", again)


def _replay_all(case: AuditCase, rows: Rows, neighbours: Iterable[Rows], worst: _Worst, *, seed: int, is_trial: bool) -> None:
    run = _Run.record(case, case.records(rows), seed)
    loss = 0.0
    for neighbour in neighbours:
        loss = run.loss(case.records(neighbour))
        worst.take(loss, f"{_shown(rows)} and {_shown(neighbour)}", has_delta=case.budget.delta > 0)
    if is_trial:
        worst.try_delta(loss)
    else:
        worst.count(run)


def audit_real_replay(
    case: AuditCase,
    records: Any,  # noqa: ANN401 - the records of the case
    *,
    neighbours: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Check:
    """Replay one run on real data on sampled neighbours of it; a person is named by their position.

    One run is one trial, which says nothing of a delta: what only delta allows is told, and is no failure.
    """
    if neighbours < 1 or len(case.lists(records)) == 0:
        message = f"a replay on real data needs a person and a neighbour at least, got {neighbours} neighbours"
        raise ParameterError(message)
    worst = _Worst()
    try:
        run = _Run.record(case, records, seed)
        worst.count(run)
        sampled = case.sampled_neighbours(records, number=neighbours, seed=seed)
        for turn, (what, neighbour) in enumerate(sampled):
            worst.take(run.loss(neighbour), f"the data and {what}", has_delta=case.budget.delta > 0)
            if progress is not None:
                progress(turn + 1, neighbours)
    except ReplayError as error:
        worst.finding = str(error)
    worst.require_published()
    again = f"audit_real_replay(case, records, neighbours={neighbours}, seed={seed})"
    return _check(case, worst, "exact replay on real data", f"{neighbours} sampled neighbours", again)


def _check(case: AuditCase, worst: _Worst, test: str, scope: str, reproduce: str) -> Check:
    epsilon, delta = float(case.budget.epsilon), float(case.budget.delta)
    share = worst.loss / epsilon
    chance = at_least(worst.infinite, worst.trials, probability=delta)
    finding = worst.finding
    if not finding and delta and chance < FLAKE_RATE:
        finding = f"{worst.infinite} of {worst.trials} runs were impossible on the other side, more than delta {delta:.4g} allows"
    passed = not finding and worst.pairs > 0 and worst.loss <= epsilon * (1 + ROUNDING)
    evidence = [f"worst pair: {worst.pair}", f"pairs replayed: {worst.pairs}"]
    figures = {"worst_loss": worst.loss, "epsilon": epsilon, "share": share, "pairs": float(worst.pairs)}
    if delta:
        evidence.append(
            f"infinite losses, which only delta allows: {worst.beyond} pairs; {worst.infinite} of {worst.trials} trials"
        )
        figures |= {"delta": delta, "infinite": float(worst.infinite), "trials": float(worst.trials)}
    return Check(
        subject=case.name,
        test=test,
        passed=passed,
        summary=finding or f"worst loss {worst.loss:.6g} of a budget of {epsilon:.6g} ({share:.3f}), {scope}",
        evidence=tuple(evidence),
        reproduce=reproduce,
        figures=figures,
    )


def _shown(rows: Rows) -> str:
    """A small data set for people: each different record with how often it occurs."""
    counts = {row: rows.count(row) for row in dict.fromkeys(rows)}
    return "{" + ", ".join(f"{row or 'nothing'} x {times}" for row, times in counts.items()) + "}"
