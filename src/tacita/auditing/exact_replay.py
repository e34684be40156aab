"""Exact replay: the privacy loss of a run, draw by draw, and the audit that replays many runs on neighbours.

First the loss of one run (`record`, `replay`, `transcript_loss`), then the audit made of it: on every neighbour of many small
data sets, and on sampled neighbours of real ones. Apart from excessive loss the audit finds:

- questions that depend on raw data, for example a domain read from the data;
- draws that bypass the ledger: the same answers twice do not give the same output;
- raw data that reaches the output: the same answers give neighbours different output (`Left`, of `runs`, holds every byte);
- a plan that costs more than the budget.

A mechanism that never publishes, or for which no neighbour changes anything, has proved nothing and does not pass. A person may
have several records; the loss is compared with what the ledger charged for a person. Every run is also replayed on unrelated
data: whatever is decided by answers alone is the same there too, so a rule that looks at true numbers shows wherever its bounds
are.

If the plan is priced in rho, the rho that the noise of all questions loses between two neighbours is added up, in fractions, and
compared with what was charged. Otherwise, if the budget has a delta, a loss may be infinite: one side cannot make this release at
all. Our mechanisms of that kind are pure otherwise, so every finite loss must stay within epsilon here too, which is more than
(epsilon, delta) requires. Infinite losses may occur with a probability of at most delta on any pair. So one neighbour of each run
on a small data set (the last one, which is fixed before the run) counts as a trial, and the number of infinite trials is compared
with what delta allows by the exact tail of the binomial distribution. A small delta is beyond such counting: the output test
computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeVar

from tacita.auditing.cases.case import AuditCase, HasCrowds, Rows
from tacita.auditing.exact_laws import exact_rho
from tacita.auditing.file_rows import row_neighbours
from tacita.auditing.runs import Left, left_by
from tacita.auditing.verdict import Check, at_least
from tacita.errors import ParameterError, ReplayError, TacitaError
from tacita.privacy.account import Charge, Replay, StandIn
from tacita.privacy.answers import Drawing, Recording, Trace, Transcript
from tacita.privacy.budget import Budget
from tacita.privacy.ledger import Ledger, OpensAccounts
from tacita.privacy.questions import AnyQuestion
from tacita.seeded import SeededSource, public_generator

__all__ = [
    "ROUNDING",
    "Publishes",
    "ReplayedCase",
    "audit_file_replay",
    "audit_pairs",
    "audit_real_replay",
    "audit_replay",
    "record",
    "replay",
    "transcript_loss",
]


# The loss of one run. A run on one data set is recorded and replayed on a neighbour. Every answer has a known law, so the
# log-ratio of its probabilities on the two is computed from the true counts, summed over all draws, and compared with the
# budget. Replay proves the accounting, not the sampling: it evaluates the law that the code claims. The sampler's output is
# tested separately.

Records = TypeVar("Records")
Records_contra = TypeVar("Records_contra", contravariant=True)


class Publishes(Protocol[Records_contra]):
    """Anything that publishes through a ledger."""

    def publish(self, records: Records_contra, /, *, budget: Budget, ledger: OpensAccounts) -> object:
        """Publish the records."""
        ...


def record(mechanism: Publishes[Records], records: Records, *, budget: Budget) -> Transcript:
    """Publish once with private noise and keep the transcript."""
    transcript = Transcript()
    mechanism.publish(records, budget=budget, ledger=Ledger(transcript=transcript))
    return transcript


def replay(mechanism: Publishes[Records], records: Records, *, budget: Budget, transcript: Transcript) -> Trace:
    """Publish with the answers of a transcript and keep what these records would have counted."""
    ledger = Replay(transcript)
    mechanism.publish(records, budget=budget, ledger=ledger)
    return ledger.trace


def transcript_loss(transcript: Transcript, first: Trace, second: Trace) -> float:
    """Compute log P(transcript | first) - log P(transcript | second); its absolute value must never exceed epsilon."""
    if not len(transcript.entries) == len(first.entries) == len(second.entries):
        message = "both traces must come from replays of this transcript"
        raise ReplayError(message)
    losses = [
        _question_loss(entry, mine, other)
        for entry, mine, other in zip(transcript.entries, first.entries, second.entries, strict=True)
    ]
    return float(sum(losses))


def _question_loss(entry: tuple[AnyQuestion, Any], first: tuple[AnyQuestion, Any], second: tuple[AnyQuestion, Any]) -> float:
    question, answer = entry
    if not question == first[0] == second[0]:
        message = "both traces must answer the questions of this transcript"
        raise ReplayError(message)
    try:
        return question.log_ratio(answer, first[1], second[1])
    except (AttributeError, TypeError, IndexError):
        message = f"step {question.step!r} has an answer or a trace of a different kind from its question"
        raise ReplayError(message) from None


ROUNDING = 1e-9
"""The share of the budget by which a loss may exceed it, because the sum of its logarithms is rounded."""

TIGHT_RUNS = 6
"""The number of runs on tight pairs per small data set, shared among the pairs."""

ROUND_NUMBERS = (1, 2, 5, 10, 50, 64, 100, 128, 256, 500, 512, 1000, 1024, 2000, 4096, 5000, 10_000)
"""The sizes of crowds: a rule that looks at the true number of records is likely to have its bounds at such numbers."""

FEWEST_TIGHT_RUNS = 20
"""The fewest runs of a tight pair."""

FLAKE_RATE = 1e-6
"""The probability that a mechanism that keeps its delta has this many infinite trials by chance."""

Progress = Callable[[int, int], None]


class ReplayedCase(Protocol):
    """What a replay needs from a case: a mechanism, its budget, records and the value of a release."""

    @property
    def name(self) -> str:
        """The mechanism's name in reports."""
        ...

    @property
    def mechanism(self) -> Any:  # noqa: ANN401 - whatever has a publish
        """What is audited."""
        ...

    @property
    def budget(self) -> Budget:
        """What it may spend."""
        ...

    def records(self, rows: Any, /) -> Any:  # noqa: ANN401 - each kind has records of its own
        """Private records from rows."""
        ...

    def outcome(self, release: Any, /) -> Hashable:  # noqa: ANN401 - each kind has releases of its own
        """The published data, as one value."""
        ...


@dataclass
class _Worst:
    """The worst pair so far, the trials of what only delta allows, and the first fault found."""

    epsilon: float
    loss: float = 0.0
    pair: str = "no pair"
    pairs: int = 0
    finding: str = ""
    trials: int = 0
    infinite: int = 0
    beyond: int = 0
    published: int = 0
    refused: int = 0
    refusal: str = ""
    in_rho: bool = False

    def take(self, loss: float, pair: str, *, has_delta: bool = False) -> None:
        self.pairs += 1
        if has_delta and isinf(loss):
            self.beyond += 1
            return
        loss = inf if isnan(loss) else loss  # NaN is the worst of all
        if loss > self.loss:
            self.loss, self.pair = loss, pair

    @property
    def currency(self) -> str:
        """What the loss is a loss of, if that is no epsilon."""
        return "rho " if self.in_rho else ""

    @property
    def is_beyond(self) -> bool:
        """Whether a loss exceeded the claim."""
        return self.loss > self.epsilon * (1 + ROUNDING)

    def try_delta(self, loss: float) -> None:
        self.trials += 1
        self.infinite += isinf(loss)

    def count(self, run: _Run) -> None:
        """Count a run that should have been published, and compare losses with what it charged a person."""
        if run.left.refusal is not None:
            self.refused += 1
            self.refusal = self.refusal or run.left.refusal
            return
        self.published += 1
        if run.charge is not None:
            self.epsilon, self.in_rho = float(run.charge.rho or run.charge.epsilon), run.charge.rho > 0

    def require_published(self) -> None:
        """Report that nothing, or only the smaller part, was published of what should have been."""
        if not self.finding and not self.published:
            self.finding = f"nothing was published, so nothing is proved; the first refusal: {self.refusal}"
        elif not self.finding and self.refused > self.published:
            self.finding = f"most runs were refused, so too little is proved; the first refusal: {self.refusal}"

    def require_loss(self) -> None:
        """Report that no neighbour changed anything that was asked."""
        if not self.finding and not self.loss and not self.beyond:
            self.finding = "no neighbour changed anything that was asked, so nothing is proved"


@dataclass(frozen=True)
class _Run:
    """A recorded run on some records and its replay on the same ones."""

    case: ReplayedCase
    transcript: Transcript
    trace: Trace
    left: Left
    charge: Charge | None

    @classmethod
    def record(cls, case: ReplayedCase, records: Any, seed: int) -> _Run:  # noqa: ANN401 - each kind has records of its own
        transcript = Transcript()
        answers = Recording(Drawing(SeededSource(seed)), transcript)
        published = _left(case, records, StandIn(answers))
        replayed = _replay(case, records, transcript)
        difference = published.difference(replayed.left)
        if difference:
            message = f"the same answers gave another release: something is drawn past the ledger ({difference})"
            raise ReplayError(message)
        return replayed

    def loss(self, neighbour: Any) -> float:  # noqa: ANN401 - each kind has records of its own
        """What the answers lose; in rho, what the noise loses whatever the answers are."""
        other = self.same_on(neighbour).trace
        if self.charge is not None and self.charge.rho:
            return float(exact_rho(self.trace, other))
        return abs(transcript_loss(self.transcript, self.trace, other))

    def same_on(self, others: Any) -> _Run:  # noqa: ANN401 - each kind has records of its own
        """The replay on other records, neighbours or not: with the same answers, output and charge must be the same."""
        other = _replay(self.case, others, self.transcript)
        difference = self.left.difference(other.left)
        if difference:
            message = f"the same answers gave neighbours different releases: raw data reaches what is published ({difference})"
            raise ReplayError(message)
        if self.charge != other.charge:
            message = "what is charged depends on raw data"
            raise ReplayError(message)
        return other


def _left(case: ReplayedCase, records: Any, ledger: OpensAccounts) -> Left:  # noqa: ANN401
    """The output of a run; a refusal also says something, and must be the same for neighbours."""
    return left_by(lambda: case.mechanism.publish(records, budget=case.budget, ledger=ledger), returned=case.outcome)


def _replay(case: ReplayedCase, records: Any, transcript: Transcript) -> _Run:  # noqa: ANN401
    ledger = Replay(transcript)
    left = _left(case, records, ledger)
    if ledger.charge is not None:
        plan, people = ledger.charge.plan, getattr(records, "records_per_person", 1)
        if not case.budget.covers(plan.cost):
            message = "the plan costs more than the budget"
            raise ReplayError(message)
        if ledger.charge.epsilon > case.budget.epsilon * people:
            message = "a person is charged more than the budget for each of their records"
            raise ReplayError(message)
    return _Run(case, transcript, ledger.trace, left, ledger.charge)


def audit_replay(
    case: AuditCase, *, data_sets: int = 200, seed: int = 0, tight_runs: int | None = None, progress: Progress | None = None
) -> Check:
    """Replay on every neighbour of random small data sets, on pairs that should be tight, and on crowds of round numbers.

    `tight_runs` is how often a tight pair is run at the least, if that is fewer than usual.
    """
    worst, generator = _Worst(float(case.budget.epsilon)), public_generator(seed)
    tight_pairs = case.tight_pairs()
    crowds = {first: [second for other, second in tight_pairs if other == first] for first, _ in tight_pairs}
    fewest = FEWEST_TIGHT_RUNS if tight_runs is None else min(tight_runs, FEWEST_TIGHT_RUNS)
    tight = list(crowds.items()) * max(fewest, TIGHT_RUNS * data_sets // max(1, len(tight_pairs)))
    small = [case.random_rows(generator) for _ in range(data_sets)]
    work: list[tuple[Rows, Iterable[Rows]]] = [*tight, *_crowds(case), *((rows, case.neighbours(rows)) for rows in small)]
    for turn, (rows, neighbours) in enumerate(work):
        try:
            run = _Run.record(case, case.records(rows), seed * 1_000_003 + turn)
            run.same_on(case.records(work[turn * 7 % len(work) - 1][0]))
            _replay_all(run, rows, neighbours, worst, is_trial=turn >= len(work) - len(small))
        except ReplayError as error:
            worst.finding = f"{error} (on {_shown(rows)})"
            break
        if worst.is_beyond:
            break
        if progress is not None:
            progress(turn + 1, len(work))
    worst.require_published()
    worst.require_loss()
    again = f"audit_replay(case, data_sets={data_sets}, seed={seed})"
    listed = "all" if getattr(case, "lists_all", True) else "sampled"
    return _check(case, worst, "exact replay", f"{listed} neighbours of {data_sets} small data sets", again)


def _crowds(case: AuditCase) -> Iterator[tuple[Rows, Iterable[Rows]]]:
    """Crowds of about a round number, and with one more person: where a rule about the number of people would change."""
    if isinstance(case, HasCrowds):
        for number in ROUND_NUMBERS:
            for people in (number - 1, number):
                yield case.crowd_of(people), [case.crowd_of(people + 1)]


def _replay_all(run: _Run, rows: Rows, neighbours: Iterable[Rows], worst: _Worst, *, is_trial: bool) -> None:
    case, loss = run.case, 0.0
    worst.count(run)
    for neighbour in neighbours:
        loss = run.loss(case.records(neighbour))
        worst.take(loss, f"{_shown(rows)} and {_shown(neighbour)}", has_delta=case.budget.delta > 0)
    if is_trial:
        worst.try_delta(loss)


def audit_pairs(case: ReplayedCase, pairs: Sequence[tuple[Any, Any]], *, runs: int, seed: int = 0) -> Check:
    """Replay on given pairs of neighbours: runs on each side, replayed on the other."""
    worst = _Worst(float(case.budget.epsilon))
    sides = [(place, pair, turned) for place, pair in enumerate(pairs, start=1) for turned in (False, True)]
    try:
        for turn, (place, (first, second), turned) in enumerate(sides * runs):
            run = _Run.record(case, case.records(second if turned else first), seed * 1_000_003 + turn)
            worst.count(run)
            worst.take(run.loss(case.records(first if turned else second)), f"pair {place}", has_delta=case.budget.delta > 0)
    except ReplayError as error:
        worst.finding = str(error)
    worst.require_published()
    worst.require_loss()
    return _check(case, worst, "exact replay", f"{runs} runs on each side", f"audit_pairs(..., runs={runs}, seed={seed})")


def audit_real_replay(
    case: AuditCase,
    records: Any,  # noqa: ANN401 - the records of the case
    *,
    neighbours: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Check:
    """Replay one run on real data on sampled neighbours of it; people are identified by position.

    One run is one trial, which says nothing about a delta: what only delta allows is reported, and is not a failure.
    """
    if neighbours < 1 or records.is_empty:
        message = f"a replay on real data needs at least one person and one neighbour, got {neighbours} neighbours"
        raise ParameterError(message)
    worst = _Worst(float(case.budget.epsilon))
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


def audit_file_replay(
    case: ReplayedCase, read: Callable[[Path], Any], path: Path, *, neighbours: int = 40, seed: int = 0
) -> Check:
    """Replay one run on neighbours of the file that it was read from, which are files too: how they are read is part of it.

    A row more or less changes one person's record at the most, which is one record removed and one added: twice what is charged.
    A neighbour that the reader refuses is refused before anything is charged, and is counted.
    """
    worst, refused = _Worst(float(case.budget.epsilon)), 0
    try:
        run = _Run.record(case, read(path), seed)
        worst.count(run)
        worst.epsilon *= 4 if worst.in_rho else 2  # a removal and an addition: rho goes with the square
        with TemporaryDirectory() as folder:
            for what, neighbour in row_neighbours(path, Path(folder), number=neighbours, seed=seed):
                try:
                    others = read(neighbour)
                except TacitaError:
                    refused += 1
                    continue
                worst.take(run.loss(others), f"the file and {what}", has_delta=case.budget.delta > 0)
    except ReplayError as error:
        worst.finding = str(error)
    worst.require_published()
    again = f"audit_file_replay(case, read, path, neighbours={neighbours}, seed={seed})"
    scope = f"{neighbours} neighbours that differ by a row of the file, {refused} of them refused by the reader"
    return _check(case, worst, "exact replay on real data, row by row", scope, again)


def _check(case: ReplayedCase, worst: _Worst, test: str, scope: str, reproduce: str) -> Check:
    epsilon, delta = worst.epsilon, 0.0 if worst.in_rho else float(case.budget.delta)
    share = worst.loss / epsilon
    chance = at_least(worst.infinite, worst.trials, probability=delta)
    finding = worst.finding
    if not finding and delta and chance < FLAKE_RATE:
        finding = f"{worst.infinite} of {worst.trials} runs were impossible on the other side, more than delta {delta:.4g} allows"
    passed = not finding and worst.pairs > 0 and not worst.is_beyond
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
        summary=finding
        or f"worst loss {'of rho ' * worst.in_rho}{worst.loss:.6g} of a budget of {epsilon:.6g} ({share:.3f}), {scope}",
        evidence=tuple(evidence),
        reproduce=reproduce,
        figures=figures,
    )


def _shown(rows: Rows) -> str:
    """A small data set in readable form: each different record with how often it occurs."""
    counts = {row: rows.count(row) for row in dict.fromkeys(rows)}
    return "{" + ", ".join(f"{row or 'nothing'} x {times}" for row, times in counts.items()) + "}"
