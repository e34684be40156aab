"""What grams can show without noise: the n-gram method on exact counts, for the owner's eyes only.

The error of a release has two sources: noise, and what grams of limited length cannot show. The same pipeline on exact counts
(the *Baseline* of the thesis, section 6.4.3) has only the second. Its result is raw data in another form. It is a plain list of
codes, not a release; it cannot be written as one, and it must not leave the house.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.privacy.paths import Paths
from tacita.privacy.questions import BlockQuestion, Cells
from tacita.sequences import Allocation, Missing, NGram, PrivateLength, PublishedSequences, SequenceRecords
from tacita.utility.sequences import SequenceUtility, report

__all__ = ["noiseless_report", "noiseless_sequences"]

PLENTY = Fraction(10**9)
"""A budget so large that every threshold is 1."""


def noiseless_sequences(records: SequenceRecords, method: NGram) -> Ragged:
    """The sequences that the method would publish if there were no noise. For the owner's eyes only: they are not private."""
    if isinstance(method.max_length, PrivateLength):
        message = "without noise there is no budget to choose a length with; give max_length as a number"
        raise ParameterError(message)
    exact = replace(method, allocation=Allocation.UNIFORM, missing=Missing.ZERO)  # every gram is extended, none is missing
    sequences, _ = exact.pipeline(method.max_length, symbols=len(records.universe)).run(records.counts(), _Exact())
    return sequences


def noiseless_report(records: SequenceRecords, published: PublishedSequences, *, mechanism: Mapping[str, Any]) -> SequenceUtility:
    """How useful n-grams with the parameters of a release would be if they had no noise: the error of approximation and cutting.

    `mechanism` is what the manifest of the release says of its method.
    """
    if mechanism["name"] != "ngram":
        message = f"what a release would be without noise is known for ngram only, got {mechanism['name']}"
        raise ParameterError(message)
    told = mechanism["parameters"]
    method = NGram(max_length=told["max_length"], max_gram=told["max_gram"], synthesis=told["synthesis"])
    return report(records, noiseless_sequences(records, method), symbols=len(published.universe))


class _Exact:
    """Answers with the counts themselves."""

    def paths(self, step: str, *, starts: int = 1) -> Paths:
        """A tree of questions with an ample budget."""
        return Paths(step=step, epsilon=PLENTY, starts=starts, answer=_true_cells)


def _true_cells(question: BlockQuestion, counts: Cells) -> Cells:
    del question
    return counts
