"""The wall: the only object through which a mechanism learns anything about private data.

An account is opened by a ledger for one publication, after its whole cost has been committed. It holds the plan, answers each
step of it once, at exactly the cost that the plan gives, and writes every draw down before it is made. So what `explain`
printed, what the ledger charged and what the noise was drawn with cannot differ. A step whose parts depend on earlier answers (as
many levels as a private height says) is planned as one cost and unfolded when they are known; one whose cost is shared in another
way along each path of a tree is planned as one cost too, and every path is held to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar

from tacita.errors import ParameterError, UnplannedDrawError
from tacita.privacy.answers import Answers
from tacita.privacy.budget import Plan, Step, decimal_text
from tacita.privacy.paths import Paths
from tacita.privacy.questions import BlockQuestion, Cells, Question
from tacita.public.parameters import whole_number

__all__ = ["Account", "Charge", "Draw"]

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, kw_only=True)
class Charge:
    """What a publication costs, of which data set, before anything is drawn.

    A ledger counts what one person can lose. The plan is the price of one record, so a person who may have several of them is
    charged as often.
    """

    dataset: str
    mechanism: str
    plan: Plan
    records_per_person: int = 1

    def __post_init__(self) -> None:
        """Several records of one person are priced for pure differential privacy only."""
        if self.records_per_person > 1 and self.plan.delta:
            message = (
                "several records a person are charged under pure differential privacy only; join them, or choose a pure method"
            )
            raise ParameterError(message)

    @property
    def epsilon(self) -> Fraction:
        """What one person can lose."""
        return self.plan.epsilon * self.records_per_person

    @property
    def delta(self) -> Fraction:
        """The delta that goes with it."""
        return self.plan.delta


@dataclass(frozen=True, kw_only=True)
class Draw:
    """One draw as the account of a release tells it: public facts only."""

    step: str
    epsilon: Fraction
    delta: Fraction
    noise: str
    note: str

    def as_json(self) -> dict[str, str]:
        """The draw as the manifest holds it."""
        return {
            "step": self.step,
            "epsilon": decimal_text(self.epsilon),
            "delta": decimal_text(self.delta),
            "noise": self.noise,
            "note": self.note,
        }


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
    draws: list[Draw] = field(default_factory=list)
    unfolded: dict[str, Plan] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    process: int = field(default_factory=os.getpid)
    closed: bool = False

    def unfold(self, step: str, plan: Plan) -> None:
        """Spend what was set aside for one step of the plan by a plan of its own, which earlier answers have decided.

        It may cost less than what was set aside, never more; its steps are then drawn in place of the one.
        """
        planned = self._take(step)
        if plan.epsilon > planned.epsilon or plan.delta > planned.delta:
            message = (
                f"what was set aside for step {step!r} is epsilon {decimal_text(planned.epsilon)}, "
                f"and its parts would cost {decimal_text(plan.epsilon)}"
            )
            raise UnplannedDrawError(message)
        names = {part.name for whole in (self.charge.plan, *self.unfolded.values()) for part in whole.steps()}
        if names & {part.name for part in plan.steps()}:
            message = f"the parts of step {step!r} must have names that no other step has"
            raise UnplannedDrawError(message)
        self.unfolded[step] = plan

    @property
    def plan(self) -> Plan:
        """The plan with unfolded steps in place of what was set aside for them."""
        return _with_parts(self.charge.plan, self.unfolded)

    def planned(self, step: str, /) -> Step:
        """The step of the plan by this name, if it has not been drawn yet."""
        return self._take(step)

    def ask(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Answer one question: at exactly the cost that the plan gives its step, once, written down before it is drawn."""
        planned = self._take(question.step)
        if question.epsilon != planned.epsilon or question.delta > planned.delta:
            plan, asked = (f"epsilon {decimal_text(it.epsilon)}, delta {decimal_text(it.delta)}" for it in (planned, question))
            message = f"step {question.step!r} must be asked at the planned cost, {plan}, got {asked}"
            raise UnplannedDrawError(message)
        question.check(truth)
        self._write_down(planned, question.noise)
        return self.answers.answer(question, truth)

    def paths(self, step: str, *, starts: int = 1) -> Paths:
        """Open a step whose epsilon is shared along the paths of a tree that the answers grow; see `Paths`.

        One record starts at most `starts` paths: it adds up to that many to the counts of the first cells, and what it adds to
        the cells below a kept one is what it added to that one at the most.
        """
        whole_number(starts, name="starts", least=1)
        planned = self._take(step)
        if planned.delta:
            message = f"step {step!r} is shared along paths, which is proved for pure differential privacy only"
            raise UnplannedDrawError(message)
        self.shared.add(step)

        def answer(question: BlockQuestion, counts: Cells) -> Cells:
            self._require_open(step)
            self._write_down(_round_of(question), question.noise)
            return self.answers.answer(question, counts)

        return Paths(step=step, epsilon=planned.epsilon, starts=starts, answer=answer)

    def _take(self, step: str) -> Step:
        self._require_open(step)
        plans = (self.charge.plan, *self.unfolded.values())
        planned = next((part for plan in plans for part in plan.steps() if part.name == step), None)
        if planned is None:
            message = f"the plan of {self.charge.mechanism} has no step {step!r}; every draw must be planned and paid for"
            raise UnplannedDrawError(message)
        if step in self.unfolded or step in self.shared or any(draw.step == step for draw in self.draws):
            message = f"step {step!r} of {self.charge.mechanism} was drawn already; a second draw must be planned and paid for"
            raise UnplannedDrawError(message)
        return planned

    def _require_open(self, step: str) -> None:
        if self.closed:
            message = f"the account of {self.charge.mechanism} is closed; step {step!r} must be drawn before the publication ends"
            raise UnplannedDrawError(message)
        if os.getpid() != self.process:
            message = f"step {step!r} must be drawn by the process that opened the account; a copy of it would draw twice"
            raise UnplannedDrawError(message)

    def _write_down(self, planned: Step, noise: str) -> None:
        draw = Draw(step=planned.name, epsilon=planned.epsilon, delta=planned.delta, noise=noise, note=planned.note)
        self.commit(draw)
        self.draws.append(draw)


def _round_of(question: BlockQuestion) -> Step:
    """One round of a shared step, as the account of a release tells it."""
    return Step(
        name=question.step,
        epsilon=question.epsilon,
        note="the most that a path pays in this round; what all rounds cost along one path is bounded by the plan",
    )


def _with_parts(plan: Plan, unfolded: Mapping[str, Plan]) -> Plan:
    if isinstance(plan, Step):
        parts = unfolded.get(plan.name)
        return plan if parts is None else _with_parts(parts, {name: part for name, part in unfolded.items() if name != plan.name})
    return replace(plan, parts=tuple(_with_parts(part, unfolded) for part in plan.parts))
