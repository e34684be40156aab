"""Accounts: the wall, through which a mechanism learns anything about private data, and substitutes for audits and rehearsals.

An account is the only object that answers questions about private data. A ledger opens it for one publication, after its whole
cost has been committed. It holds the plan, answers each step of it once, at exactly the planned cost, and records every draw
before making it. So what `explain` printed, what the ledger charged and what the noise was drawn with cannot differ. A step
whose parts depend on earlier answers (one level per unit of a private height) is planned as a single cost and unfolded once
they are known; a step whose cost is divided differently along each path of a tree is planned as a single cost too, and no path
may exceed it.

`StandIn`, `Replay` and `Rehearsal` open accounts where a ledger would, for audits and rehearsals. They charge nothing.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar

from tacita.errors import ParameterError, ReplayError, UnplannedDrawError
from tacita.privacy.answers import Answers, Rehearsing, Replaying, Trace, Transcript
from tacita.privacy.budget import Cost, Plan, Sequential, Sliding, Step, decimal_text, sliding_parts
from tacita.privacy.paths import Paths
from tacita.privacy.questions import BlockQuestion, Cells, Question, rho_of
from tacita.privacy.randomness import SecureSource, describe
from tacita.privacy.windows import Tallies, Tally
from tacita.public.parameters import whole_number

__all__ = ["Account", "Charge", "Draw", "Rehearsal", "Replay", "StandIn", "Window", "charged_for"]

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, kw_only=True)
class Charge:
    """The cost of one publication of a data set, fixed before anything is drawn.

    A ledger counts what one unit can lose: a person, or an edge of a network. The plan is the price of one record, so a person
    who may have several of them is charged that many times. A plan that is the price of several units together (any 10 edges)
    costs one unit its share, which is what the noise was scaled for: see (epsilon, k)-differential privacy, which is epsilon / k
    per edge. A rho grows with the square of the number of records or units (Bun and Steinke 2016, proposition 1.9).
    """

    dataset: str
    mechanism: str
    plan: Plan
    records_per_person: int = 1
    unit: str = "person"
    units_together: int = 1

    def __post_init__(self) -> None:
        """Several records of one person, or several units together, have no price where there is a delta."""
        if self.records_per_person > 1 and self.plan.delta:
            message = (
                "several records per person can be charged in epsilon or rho, and not with the delta of this method; "
                "join them, or choose another method"
            )
            raise ParameterError(message)
        if self.units_together > 1 and self.plan.delta:
            message = "several units together can be priced in epsilon or rho, and not with a delta; choose another method"
            raise ParameterError(message)

    @property
    def cost(self) -> Cost:
        """What one unit can lose."""
        return charged_for(self.plan, records_per_person=self.records_per_person, units_together=self.units_together)

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of it."""
        return self.cost.epsilon

    @property
    def lasts(self) -> bool:
        """Whether the charge stays open when its account is left: its plan goes on for as long as there is data."""
        return any(True for _ in sliding_parts(self.plan))

    @property
    def delta(self) -> Fraction:
        """The delta of it."""
        return self.cost.delta

    @property
    def rho(self) -> Fraction:
        """The rho of it."""
        return self.cost.rho


def charged_for(plan: Plan, *, records_per_person: int = 1, units_together: int = 1) -> Cost:
    """What one unit loses, given the price of one record or of several units together: rho goes with the square."""
    units = Fraction(records_per_person, units_together)
    return Cost(plan.epsilon * units, plan.delta, plan.rho * units**2)


@dataclass(frozen=True, kw_only=True)
class Draw:
    """One draw as the manifest reports it: public facts only; `within` names the sliding part that it belongs to."""

    step: str
    epsilon: Fraction
    delta: Fraction
    noise: str
    note: str
    rho: Fraction = Fraction(0)
    within: str = ""
    tick: int | None = None

    def as_json(self) -> dict[str, str]:
        """The draw as the manifest holds it."""
        return {
            "step": self.step,
            "epsilon": decimal_text(self.epsilon),
            "delta": decimal_text(self.delta),
            **({"rho": decimal_text(self.rho)} if self.rho else {}),
            "noise": self.noise,
            "note": self.note,
        }


class Window:
    """What the most recent time steps of a sliding part cost; the ledger adds them up again independently."""

    def __init__(self, part: Sliding) -> None:
        """Start with nothing spent."""
        self.part = part
        self.spends: deque[tuple[int, Fraction]] = deque(maxlen=part.ticks)

    def room(self, tick: int) -> Fraction:
        """What may still be spent at a time step; nothing at or before the latest one."""
        if self.spends and tick <= self.spends[-1][0]:
            return Fraction(0)
        length = self.part.ticks if self.part.common else 1
        kept = sum((amount for when, amount in self.spends if when > tick - length), Fraction(0))
        return self.part.amount - kept

    def check(self, tick: int, amount: Fraction) -> None:
        """Refuse a spend that would exceed the window; amounts are of the part's currency."""
        if amount > self.room(tick):
            message = (
                f"time step {tick} of {self.part.name!r} must come after all others and leave any {self.part.ticks} of them at "
                f"{self.part.currency} {decimal_text(self.part.amount)}; it would cost {decimal_text(amount)}"
            )
            raise UnplannedDrawError(message)

    def note(self, tick: int, amount: Fraction) -> None:
        """Remember a spend."""
        self.spends.append((tick, amount))


@dataclass
class Account:
    """The open account of one publication."""

    charge: Charge
    charge_id: str
    private: bool
    noise_source: str
    ledger_kind: str
    answers: Answers = field(repr=False)
    commit: Callable[[Draw], None] = field(repr=False)
    trace: Callable[[str], bool] | None = field(default=None, repr=False)
    """Notes the digest of the release that was made with the answers."""
    draws: list[Draw] = field(default_factory=list)
    unfolded: dict[str, Plan] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    windows: dict[str, Window] = field(default_factory=dict)
    tallies: Tallies = field(default_factory=Tallies)
    process: int = field(default_factory=os.getpid)
    closed: bool = False

    def slide(self, step: str, *, tick: int, plan: Plan) -> None:
        """Move a sliding part on to a time step; its draws follow a plan of their own, whose cost is committed now.

        Time steps only go forward, and each is paid for once; what was not drawn in the last one is forfeited. A plan that would
        make any window exceed the cost of the part is refused.
        """
        self._require_open(step)
        part = next((part for part in sliding_parts(self.charge.plan) if part.name == step), None)
        if part is None:
            message = f"step {step!r} of {self.charge.mechanism} is not a sliding step; draw it, or plan it as one"
            raise UnplannedDrawError(message)
        window, cost = self.windows.setdefault(step, Window(part)), plan.cost
        is_other = cost not in {Cost(epsilon=cost.amount), Cost(rho=cost.amount)} or bool(cost.rho) != bool(part.rho)
        if not is_other:
            window.check(tick, cost.amount)
        self._leave_tick(step)
        names = {other.name for whole in (self.charge.plan, *self.unfolded.values()) for other in whole.steps()}
        if is_other or names & {other.name for other in plan.steps()}:
            message = (
                f"the plan of a time step of {step!r} must cost {part.currency} only, and its steps must have names of their own"
            )
            raise UnplannedDrawError(message)
        self.commit(Draw(step=step, epsilon=cost.epsilon, delta=cost.delta, rho=cost.rho, noise="", note="", tick=tick))
        window.note(tick, cost.amount)
        self.unfolded[step] = plan

    def take_up(self, steps: Sequence[str], ticks: Mapping[str, Sequence[tuple[int, Fraction]]]) -> None:
        """Continue where another account of the same charge stopped, with the steps it drew and the time steps it paid for."""
        self.shared.update(steps)
        for part in sliding_parts(self.charge.plan):
            window = self.windows.setdefault(part.name, Window(part))
            for tick, amount in ticks.get(part.name, ()):
                window.note(tick, amount)

    def unfold(self, step: str, plan: Plan) -> None:
        """Replace one step of the plan by a plan of its own, which depends on earlier answers.

        The new plan may cost less than the step, never more; its steps are then drawn in place of that step.
        """
        planned = self._take(step)
        if self.charge.lasts:
            message = f"step {step!r} of a charge that lasts cannot be replaced: anyone who resumes it would replace it again"
            raise UnplannedDrawError(message)
        if plan.epsilon > planned.epsilon or plan.delta > planned.delta or plan.rho > planned.rho:
            message = f"what was set aside for step {step!r} is {planned.cost}, and its parts would cost {plan.cost}"
            raise UnplannedDrawError(message)
        names = {part.name for whole in (self.charge.plan, *self.unfolded.values()) for part in whole.steps()}
        if names & {part.name for part in plan.steps()}:
            message = f"the parts of step {step!r} must have unique names"
            raise UnplannedDrawError(message)
        self.unfolded[step] = plan

    @property
    def reported(self) -> list[Draw]:
        """What a manifest lists: each draw by itself; of sliding parts, all draws of a step as one, at the largest price."""
        single = [draw for draw in self.draws if not draw.within]
        parts = {part.name: part for part in sliding_parts(self.charge.plan)}
        return single + [_tallied(step, tally, parts[tally.within]) for step, tally in self.tallies.of.items()]

    @property
    def has_drawn(self) -> bool:
        """Whether anything was drawn, or may have been, since a time step is paid for before its draws."""
        return bool(self.draws or self.windows)

    @property
    def plan(self) -> Plan:
        """The plan with each unfolded step replaced by its parts."""
        return _with_parts(self.charge.plan, self.unfolded)

    def planned(self, step: str, /) -> Step:
        """The step of the plan by this name, if it has not been drawn yet."""
        return self._take(step)

    def ask(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Answer one question, once, at exactly the planned cost; the draw is recorded before it is made."""
        planned = self._take(question.step)
        asked = Cost(question.epsilon, question.delta, rho_of(question))
        if (asked.epsilon, asked.rho) != (planned.epsilon, planned.rho) or asked.delta > planned.delta:
            message = f"step {question.step!r} must be asked at the planned cost, {planned.cost}, got {asked}"
            raise UnplannedDrawError(message)
        question.check(truth)
        self._write_down(planned, question.noise)
        return self.answers.answer(question, truth)

    def paths(self, step: str, *, starts: int = 1) -> Paths:
        """Open a step whose epsilon is shared along the paths of a tree that the answers grow; see `Paths`.

        One record starts at most `starts` paths: it adds at most that many to the counts of the first cells, and below a kept
        cell it adds at most what it added to that cell.
        """
        whole_number(starts, name="starts", least=1)
        planned = self._take(step)
        if not planned.cost.is_pure:
            message = f"step {step!r} is shared along paths, which is proved only for pure differential privacy"
            raise UnplannedDrawError(message)
        self.shared.add(step)

        def answer(question: BlockQuestion, counts: Cells) -> Cells:
            self._require_open(step)
            self._write_down(_round_of(question), question.noise, of=step)
            return self.answers.answer(question, counts)

        return Paths(step=step, epsilon=planned.epsilon, starts=starts, answer=answer)

    def _take(self, step: str) -> Step:
        self._require_open(step)
        plans = (*reversed(self.unfolded.values()), self.charge.plan)  # what was unfolded last is asked for most often
        planned = next((part for plan in plans for part in plan.steps() if part.name == step), None)
        if planned is None:
            message = f"the plan of {self.charge.mechanism} has no step {step!r}; every draw must be planned and paid for"
            raise UnplannedDrawError(message)
        if any(part.name == step for part in sliding_parts(self.charge.plan)):
            message = f"step {step!r} of {self.charge.mechanism} is a sliding step; move on to a time step, and draw its steps"
            raise UnplannedDrawError(message)
        if step in self.unfolded or step in self.shared or any(draw.step == step for draw in self.draws):
            message = (
                f"step {step!r} of {self.charge.mechanism} has already been drawn; a second draw must be planned and paid for"
            )
            raise UnplannedDrawError(message)
        return planned

    def _leave_tick(self, step: str) -> None:
        """Leave the current time step of a sliding part: its steps may be drawn again once they are paid for again.

        Their draws are forgotten one by one; the tallies have counted them.
        """
        within = self._within(step)
        self.unfolded = {name: plan for name, plan in self.unfolded.items() if name not in within | {step}}
        self.shared -= within
        self.draws = [draw for draw in self.draws if draw.within != step]

    def _within(self, step: str) -> set[str]:
        """The steps in the current time step of a sliding part, unfolded ones included."""
        names = {part.name for part in self.unfolded[step].steps()} if step in self.unfolded else set()
        return names.union(*(self._within(name) for name in names))

    def _require_open(self, step: str) -> None:
        if self.closed:
            message = f"the account of {self.charge.mechanism} is closed; step {step!r} must be drawn before the publication ends"
            raise UnplannedDrawError(message)
        if os.getpid() != self.process:
            message = f"step {step!r} must be drawn by the process that opened the account; a copy of it would draw twice"
            raise UnplannedDrawError(message)

    def _write_down(self, planned: Step, noise: str, *, of: str | None = None) -> None:
        """Commit a draw before it is made; draws of a time step were committed together with that step."""
        owner = planned.name if of is None else of
        within = next((part for part in self.windows if owner in self._within(part)), "")
        draw = Draw(
            step=planned.name,
            epsilon=planned.epsilon,
            delta=planned.delta,
            rho=planned.rho,
            noise=noise,
            note=planned.note,
            within=within,
        )
        if within:
            tick = self.windows[within].spends[-1][0]
            self.tallies.add(planned.name, within=within, tick=tick, price=planned.cost.amount, noise=noise)
        else:
            self.commit(draw)
        self.draws.append(draw)


def _tallied(step: str, tally: Tally, part: Sliding) -> Draw:
    """All draws of a step of a sliding part, as the manifest reports them."""
    cost = Cost(rho=tally.most[0]) if part.rho else Cost(epsilon=tally.most[0])
    return Draw(step=step, epsilon=cost.epsilon, delta=cost.delta, rho=cost.rho, noise=tally.noise, note=tally.note(part))


def _round_of(question: BlockQuestion) -> Step:
    """One round of a shared step, as the manifest reports it."""
    return Step(
        name=question.step,
        epsilon=question.epsilon,
        note="the most that a path pays in this round; the plan bounds the total over all rounds along any path",
    )


def _with_parts(plan: Plan, unfolded: Mapping[str, Plan], *, was_unfolded: bool = False) -> Plan:
    """The plan with its parts in place of unfolded steps.

    Where a plan that replaced a step has a step of its own that was replaced by a plan of the same name, that is what was left of
    it and was spent further: it becomes one list, not one within the other.
    """
    if isinstance(plan, Sliding):
        return plan
    if isinstance(plan, Step):
        parts = unfolded.get(plan.name)
        others = {name: part for name, part in unfolded.items() if name != plan.name}
        return plan if parts is None else _with_parts(parts, others, was_unfolded=True)
    every, waiting = [], list(reversed(plan.parts))
    while waiting:
        part = waiting.pop()
        inner = unfolded.get(part.name) if was_unfolded and isinstance(part, Step) else None
        if isinstance(plan, Sequential) and isinstance(inner, Sequential) and inner.name == plan.name:
            waiting.extend(reversed(inner.parts))
        else:
            every.append(_with_parts(part, unfolded))
    return replace(plan, parts=tuple(every))


# Substitutes for a ledger in an audit, a replay or a rehearsal. Nothing is charged, and the output must never be published.

AN_AUDIT = "an audit"
"""The noise source named in releases of an audit; recorded runs and replays share it, because they are compared."""


@dataclass(frozen=True)
class StandIn:
    """Hands out accounts whose answers come from anywhere; what is published with it is stamped NOT PRIVATE."""

    answers: Answers

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        """Hand out an account; nothing is charged."""
        yield _account(charge, "audit", self.answers, noise_source=AN_AUDIT)


class Replay:
    """Gives the answers of a transcript, whatever the data, and keeps the true answers of the current data in `trace`."""

    def __init__(self, transcript: Transcript) -> None:
        """Replay this transcript."""
        self.transcript = transcript
        self.trace = Trace()
        self.charge: Charge | None = None

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        """Hand out an account that replays; nothing is charged, because nothing is drawn."""
        self.charge = charge
        replaying = Replaying(self.transcript, self.trace)
        yield _account(charge, "audit", replaying, noise_source=AN_AUDIT)
        if replaying.position != len(self.transcript.entries):
            message = "the replayed run asked fewer questions than the recorded one: a decision was taken on raw data"
            raise ReplayError(message)


class Rehearsal:
    """Answers every question as if there were no records, to find out beforehand what a release will promise.

    Its accounts count as private, because those of the real run will be. What is published in a rehearsal is discarded.
    """

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        """Hand out an account; nothing is charged or drawn."""
        yield _account(charge, "rehearsal", Rehearsing(), noise_source=describe(SecureSource()), private=True)


def _account(charge: Charge, identity: str, answers: Answers, *, noise_source: str, private: bool = False) -> Account:
    return Account(
        charge=charge,
        charge_id=identity,
        private=private,
        noise_source=noise_source,
        ledger_kind="memory",
        answers=answers,
        commit=lambda _: None,
    )
