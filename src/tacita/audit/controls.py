"""Mechanisms that are broken on purpose, each by a mistake that was published or shipped.

An auditor that misses one of them is broken itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import copysign, log1p
from types import SimpleNamespace
from typing import Any

import numpy as np

from tacita.audit.black_box import epsilon_lower_bound
from tacita.audit.broken_samplers import (
    EMPTIES_OF_ANOTHER_SCALE,
    EMPTIES_OF_ANOTHER_THRESHOLD,
    EMPTIES_OFF_BY_ONE,
    INSERTION_ORDER,
    SCALE_FROM_DATA,
    BrokenSampler,
)
from tacita.audit.cases import SequenceCase
from tacita.audit.exact_replay import audit_replay
from tacita.audit.output_test import audit_output
from tacita.audit.stand_in import StandIn
from tacita.audit.verdict import Check
from tacita.core.account import Account, Charge
from tacita.core.budget import Budget, PureDP, Sequential, Step
from tacita.core.ledger import OpensAccounts
from tacita.core.noise import discrete_laplace
from tacita.core.ragged import Ragged
from tacita.core.randomness import SecureSource
from tacita.core.transcript import Answers, Drawing, Recording, Transcript
from tacita.sequences import PrefixTree, SequenceRecords
from tacita.trees import Inference

__all__ = ["CONTROLS", "Control", "run_control"]

LONGEST = 3


@dataclass(frozen=True, kw_only=True)
class Control:
    """A mistake, where it comes from, and the test that must see it."""

    name: str
    origin: str
    test: str
    run: Callable[[], Check]
    mended: Callable[[], Check]
    """The same without the mistake, which must pass: otherwise the control is caught for another reason."""


def run_control(control: Control) -> Check:
    """Audit a broken mechanism; the check passes if the audit fails."""
    found = control.run()
    verdict = f"caught by {found.test}: {found.summary}" if not found.passed else f"MISSED by {found.test}"
    return Check(
        subject=f"control: {control.name}",
        test=control.test,
        passed=not found.passed,
        summary=verdict,
        evidence=(f"origin: {control.origin}", *found.evidence),
        reproduce=f'run_control(CONTROLS["{control.name}"])',
        figures=found.figures,
    )


@dataclass(frozen=True)
class _Counting:
    """A mechanism that counts something of the records in one step or more, as `ask` does it, and publishes the answers."""

    ask: Callable[[SequenceRecords, Account], list[list[int]]]
    shares: tuple[Fraction, ...] = (Fraction(1),)

    def publish(self, records: SequenceRecords, /, *, budget: Budget, ledger: OpensAccounts) -> Any:  # noqa: ANN401
        steps = tuple(Step(name=f"step {place}", epsilon=budget.epsilon * share) for place, share in enumerate(self.shares))
        charge = Charge(dataset="audit", mechanism="control", plan=Sequential(name="all", parts=steps))
        with ledger.open(charge) as account:
            rows = self.ask(records, account)
        return SimpleNamespace(data=SimpleNamespace(sequences=Ragged.from_lists(rows)))


def _noisy(account: Account, step: str, counts: np.ndarray[Any, Any], *, sensitivity: int = 1) -> list[list[int]]:
    """Noise all cells of a histogram and publish the kept ones as (cell, value)."""
    keys = np.flatnonzero(counts).astype(np.int64)
    values = counts[keys].astype(np.int64)
    kept = account.noisy_cells(step, keys=keys, counts=values, domain=counts.size, threshold=1, sensitivity=sensitivity)
    return [list(cell) for cell in zip(kept.keys.tolist(), kept.values.tolist(), strict=True)]


def _occurrences(records: SequenceRecords, cells: int) -> np.ndarray[Any, Any]:
    return np.bincount(records.sequences.codes, minlength=cells)


def _unigrams(records: SequenceRecords, account: Account, *, sensitivity: int) -> list[list[int]]:
    return _noisy(account, "step 0", _occurrences(records, len(records.universe)), sensitivity=sensitivity)


def _unigrams_and_ends(records: SequenceRecords, account: Account, *, sensitivity: int) -> list[list[int]]:
    """Unigrams with the end symbol among them, whose sensitivity is the longest length plus one."""
    counts = _occurrences(records, len(records.universe) + 1)
    counts[-1] = len(records.sequences)
    return _noisy(account, "step 0", counts, sensitivity=sensitivity)


def _two_levels(records: SequenceRecords, account: Account) -> list[list[int]]:
    """Two levels; the mistake is in what the second one costs."""
    counts = _occurrences(records, len(records.universe))
    return _noisy(account, "step 0", counts, sensitivity=LONGEST) + _noisy(account, "step 1", counts, sensitivity=LONGEST)


def _observed_unigrams(records: SequenceRecords, account: Account) -> list[list[int]]:
    seen = np.unique(records.sequences.codes)
    return _noisy(account, "step 0", _occurrences(records, len(records.universe))[seen], sensitivity=LONGEST)


def _one_of_ten(records: SequenceRecords, account: Account, *, by_truth: bool) -> list[list[int]]:
    """Ten noisy totals, each paid for; choosing the one that is closest to the truth is what nobody paid for."""
    truth = len(records.sequences)
    tries = [_noisy(account, f"step {place}", np.array([truth])) for place in range(10)]
    best = min(tries, key=lambda made: abs(sum(value for _, value in made) - truth)) if by_truth else tries[0]
    return best or [[0, 0]]


def _first_symbols(records: SequenceRecords, account: Account) -> list[list[int]]:
    """Counts of first symbols, published in the order in which they come across the wall."""
    starts = records.sequences.offsets[:-1][records.sequences.lengths > 0]
    counts = np.bincount(records.sequences.codes[starts], minlength=len(records.universe))
    return _noisy(account, "step 0", counts)


def _tie_by_insertion(records: SequenceRecords, account: Account) -> list[list[int]]:
    """Counts of first symbols are halved and rounded so that their sum is kept; who gets the odd one is a matter of position."""
    cells = _first_symbols(records, account)
    left = sum(value for _, value in cells) // 2 - sum(value // 2 for _, value in cells)
    rounded = []
    for key, value in cells:
        odd = value % 2 and left > 0
        left -= 1 if odd else 0
        rounded.append([key, value // 2 + (1 if odd else 0)])
    return sorted(rounded)


def _by_replay(name: str, mechanism: _Counting) -> Check:
    case = SequenceCase(name=name, mechanism=mechanism, budget=PureDP(1), longest=LONGEST)
    return audit_replay(case, data_sets=50)


def _by_output(name: str, sampler: Answers, mechanism: Any = None, *, runs: int = 4_000) -> Check:  # noqa: ANN401
    tree = PrefixTree(height=1, inference=Inference.NONE) if mechanism is None else mechanism
    case = SequenceCase(name=name, mechanism=tree, budget=PureDP(1), labels="AB", longest=1)

    def ledger(_number: int, transcript: Transcript) -> OpensAccounts:
        return StandIn(Recording(sampler, transcript))

    return audit_output(case, runs=runs, ledger=ledger, processes=1)


def _floating_point_laplace(count: int, _number: int) -> float:
    """A count plus Laplace noise of scale 1, computed the usual way from a uniform double."""
    uniform = int.from_bytes(SecureSource().take(8), "little") / 2**64 - 0.5
    return count - copysign(1, uniform) * log1p(-2 * abs(uniform))


def _integer_laplace(count: int, _number: int) -> int:
    """The same with the product's noise."""
    return count + int(discrete_laplace(1, rate=Fraction(1), source=SecureSource())[0])


def _by_black_box(mechanism: Callable[[int, int], Hashable]) -> Check:
    bound = epsilon_lower_bound(mechanism, 0, 1, runs=20_000)
    return Check(
        subject="Laplace noise",
        test="black box",
        passed=bound.epsilon <= 1,
        summary=f"claims epsilon 1, but {bound}",
        figures={"bound": bound.epsilon},
    )


def _replay_control(name: str, origin: str, broken: _Counting, mended: _Counting) -> Control:
    return Control(
        name=name,
        origin=origin,
        test="exact replay",
        run=lambda: _by_replay(name, broken),
        mended=lambda: _by_replay(name, mended),
    )


def _output_control(name: str, origin: str, sampler: BrokenSampler, mechanism: _Counting | None = None) -> Control:
    return Control(
        name=name,
        origin=origin,
        test="output",
        run=lambda: _by_output(name, sampler, mechanism),
        mended=lambda: _by_output(name, Drawing(SecureSource()), mechanism),
    )


_THESIS = "Chen's thesis 2012"
_HALF = Fraction(1, 2)
_TENTHS = (Fraction(1, 10),) * 10

CONTROLS = {
    control.name: control
    for control in (
        Control(
            name="continuous Laplace in floating point",
            origin="Mironov 2012; every library that adds a double from a logarithm",
            test="black box",
            run=lambda: _by_black_box(_floating_point_laplace),
            mended=lambda: _by_black_box(_integer_laplace),
        ),
        _replay_control(
            "a sensitivity forgotten",
            "counting events where people are protected: one person changes the counts by up to three",
            _Counting(partial(_unigrams, sensitivity=1)),
            _Counting(partial(_unigrams, sensitivity=LONGEST)),
        ),
        _replay_control(
            "n-grams with the end symbol uncounted",
            f"{_THESIS}, Algorithm 6.3: the end symbol is a unigram, the sensitivity leaves it out",
            _Counting(partial(_unigrams_and_ends, sensitivity=LONGEST)),
            _Counting(partial(_unigrams_and_ends, sensitivity=LONGEST + 1)),
        ),
        _replay_control(
            "n-gram heights not rounded up",
            f"{_THESIS}, section 6.4: the remaining budget is divided by a height of 0.34",
            _Counting(_two_levels, shares=(_HALF, _HALF / Fraction(34, 100))),
            _Counting(_two_levels, shares=(_HALF, _HALF)),
        ),
        _replay_control(
            "a universe read from the data",
            "ports of the n-gram code take the alphabet from the data",
            _Counting(_observed_unigrams),
            _Counting(partial(_unigrams, sensitivity=LONGEST)),
        ),
        _replay_control(
            "the best of several runs at the price of one",
            f"{_THESIS}, section 4.3: constants tried on the raw data",
            _Counting(partial(_one_of_ten, by_truth=True), shares=_TENTHS),
            _Counting(partial(_one_of_ten, by_truth=False), shares=_TENTHS),
        ),
        _output_control(
            "DiffPart's wrong number of empties",
            f"{_THESIS}, Algorithm 4.2 line 15: one empty cell too many is tested",
            EMPTIES_OFF_BY_ONE,
        ),
        _output_control(
            "empties drawn with another scale than the rest",
            "testing empty cells with the budget of another step",
            EMPTIES_OF_ANOTHER_SCALE,
        ),
        _output_control(
            "empties held to another threshold than the rest",
            "rounding the threshold differently for empty cells",
            EMPTIES_OF_ANOTHER_THRESHOLD,
        ),
        _output_control(
            "a noise scale that depends on the data",
            "local instead of global sensitivity",
            SCALE_FROM_DATA,
        ),
        _output_control(
            "true cells before false ones",
            "cells published in the order in which they were found",
            INSERTION_ORDER,
            _Counting(_first_symbols),
        ),
        _output_control(
            "a tie in rounding broken by insertion order",
            "largest-remainder rounding of cells that are sorted only at the end",
            INSERTION_ORDER,
            _Counting(_tie_by_insertion),
        ),
    )
}
