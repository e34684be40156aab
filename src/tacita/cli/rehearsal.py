"""A rehearsal: a mechanism publishes the records of nobody, and every question is answered by nothing.

So it can be told before anything is spent what a release will promise, in the words that the mechanism itself would use. What is
published in a rehearsal is thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.privacy.account import Account, Charge
from tacita.privacy.budget import Budget
from tacita.privacy.guarantee import DifferentialPrivacy
from tacita.privacy.mechanism import Mechanism
from tacita.privacy.randomness import SecureSource, describe
from tacita.privacy.transcript import (
    BlockQuestion,
    CellQuestion,
    Cells,
    Lists,
    SelectionQuestion,
    StableQuestion,
    with_open_blocks,
)

__all__ = ["rehearsed_guarantee"]


def rehearsed_guarantee(method: Mechanism, records: object, budget: Budget) -> DifferentialPrivacy:
    """What a release will promise, from the records of nobody; nothing is charged or drawn."""
    return method.publish(records, budget=budget, ledger=_Rehearsal()).guarantee


class _Rehearsal:
    """Stands in for a ledger; its accounts pass for private, because those of the real run will be."""

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        yield Account(
            charge=charge,
            charge_id="rehearsal",
            private=True,
            noise_source=describe(SecureSource()),
            ledger_kind="memory",
            answers=_Nothing(),
            commit=lambda _: None,
        )


class _Nothing:
    """Answers that no cell passes its threshold, that all others hold nothing, and that the first candidate is as good as any."""

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:  # noqa: ARG002 - the same answer to everything
        return Cells(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))

    def blocks(self, question: BlockQuestion, counts: Cells) -> Cells:
        empty = Cells(counts.keys[:0], counts.values[:0])
        return with_open_blocks(question, empty)

    def stable(self, question: StableQuestion, counts: Lists) -> Lists:  # noqa: ARG002 - the same answer to everything
        return Lists(Ragged.from_lists([]), counts.values[:0])

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:  # noqa: ARG002
        return 0
