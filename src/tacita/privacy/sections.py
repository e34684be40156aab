"""A part of an open account, for a method that publishes inside the publication of another.

A method whose data has several parts (a table and events) publishes each by a method that stands, with that method's own plan,
proof and code. The outer plan sets a cost aside as one step; a `Section` is handed to the inner method where a ledger would be.
When it opens an account, the step is replaced by the inner plan, whose steps get a prefix, since inner methods may use the same
names. Every draw of the inner account is committed by the outer one, under its prefixed name, before it is made. So ledger and
manifest hold one list, and an auditor who replays the outer account sees every question.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from tacita.errors import UnplannedDrawError
from tacita.privacy.account import Account, Charge, Draw
from tacita.privacy.budget import Parallel, Plan, Sequential, Step
from tacita.privacy.questions import Question

__all__ = ["Section", "renamed"]

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, kw_only=True)
class Section:
    """One step of an account, to be spent by another method; it can be opened once, as any step can be drawn once."""

    account: Account
    step: str
    prefix: str

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        """Replace the step by the plan of the charge, and open an account for it; a plan that costs more is refused."""
        outer = self.account
        if charge.unit != outer.charge.unit or charge.records_per_person != 1 or charge.units_together != 1:
            message = f"step {self.step!r} of {outer.charge.mechanism} pays for one record of each {outer.charge.unit}"
            raise UnplannedDrawError(message)
        outer.unfold(self.step, renamed(charge.plan, self.prefix))
        inner = _Inner(
            charge=charge,
            charge_id=outer.charge_id,
            private=outer.private,
            noise_source=outer.noise_source,
            ledger_kind=outer.ledger_kind,
            answers=_Prefixed(outer, self.prefix),
            commit=self._commit,
            process=outer.process,
            outer=self,
        )
        try:
            yield inner
        finally:
            inner.closed = True

    def _commit(self, draw: Draw) -> None:
        mine = replace(draw, step=self.prefix + draw.step)
        self.account.commit(mine)
        self.account.draws.append(mine)


@dataclass(frozen=True)
class _Prefixed:
    """Answers of the outer account to questions whose step has a prefix there; none once it is closed."""

    outer: Account
    prefix: str

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Ask the outer account's answerer."""
        if self.outer.closed:
            message = f"the account of {self.outer.charge.mechanism} is closed; step {question.step!r} cannot be drawn"
            raise UnplannedDrawError(message)
        asked: Any = question
        answer: AnswerT = self.outer.answers.answer(replace(asked, step=self.prefix + question.step), truth)
        return answer


@dataclass(kw_only=True)
class _Inner(Account):
    """The account of a section; what it unfolds is unfolded outside too."""

    outer: Section = field(repr=False)

    def unfold(self, step: str, plan: Plan) -> None:
        """Replace one step by a plan of its own, here and in the outer account."""
        super().unfold(step, plan)
        self.outer.account.unfold(self.outer.prefix + step, renamed(plan, self.outer.prefix))


def renamed(plan: Plan, prefix: str) -> Plan:
    """The same plan, whose steps have a prefix; parts that group steps keep their names."""
    if isinstance(plan, Step):
        return replace(plan, name=prefix + plan.name)
    if isinstance(plan, Sequential | Parallel):
        return replace(plan, parts=tuple(renamed(part, prefix) for part in plan.parts))
    message = f"a plan that goes on ({plan.name!r}) cannot be a part of another"
    raise UnplannedDrawError(message)
