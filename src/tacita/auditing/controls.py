"""Mechanisms that are broken on purpose, each by a mistake that was really published or shipped.

An auditor that misses one of them is itself broken.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from tacita.auditing.black_box import epsilon_lower_bound
from tacita.auditing.broken_mechanisms import (
    LONGEST,
    Counting,
    first_symbols,
    floating_point_laplace,
    integer_laplace,
    levels_by_records,
    noisy_counts,
    observed_unigrams,
    one_of_all,
    one_of_ten,
    symbols_along_paths,
    tie_by_insertion,
    true_counts,
    two_levels,
    unigrams,
    unigrams_and_ends,
    whole_baskets,
    without_rare,
)
from tacita.auditing.broken_samplers import (
    EMPTIES_OF_ANOTHER_SCALE,
    EMPTIES_OF_ANOTHER_THRESHOLD,
    EMPTIES_OFF_BY_ONE,
    INSERTION_ORDER,
    NO_NOISE_FOR_LARGE,
    SCALE_FROM_DATA,
    BrokenSampler,
    MatrixRegions,
    RepeatingSource,
)
from tacita.auditing.cases.case import AuditCase
from tacita.auditing.cases.networks import NetworkCase
from tacita.auditing.cases.sequences import SequenceCase
from tacita.auditing.cases.sets import BasketCase
from tacita.auditing.exact_replay import audit_replay
from tacita.auditing.output_test import audit_output
from tacita.auditing.samplers import audit_counts, audit_repeats
from tacita.auditing.verdict import Check
from tacita.privacy.account import StandIn
from tacita.privacy.answers import Answers, Drawing, Recording, Transcript
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.randomness import SecureSource
from tacita.sequences import PrefixTree
from tacita.sets import DiffPart
from tacita.trees import Inference

__all__ = ["CONTROLS", "Control", "run_control"]


@dataclass(frozen=True, kw_only=True)
class Control:
    """A mistake, where it comes from, and the test that must catch it."""

    name: str
    origin: str
    test: str
    run: Callable[[], Check]
    mended: Callable[[], Check]
    """The same without the mistake. It must pass, or the control is caught for another reason."""


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


def _by_replay(name: str, mechanism: Counting, *, per_person: int = 1) -> Check:
    case = SequenceCase(name=name, mechanism=mechanism, budget=PureDP(1), longest=LONGEST, per_person=per_person)
    return audit_replay(case, data_sets=20)


def _by_output(case: AuditCase, sampler: Answers, *, runs: int) -> Check:
    def ledger(_number: int, transcript: Transcript) -> OpensAccounts:
        return StandIn(Recording(sampler, transcript))

    return audit_output(case, runs=runs, ledger=ledger, processes=1)


def _by_black_box(mechanism: Callable[[int, int], Hashable]) -> Check:
    bound = epsilon_lower_bound(mechanism, 0, 1, runs=20_000)
    return Check(
        subject="Laplace noise",
        test="black box",
        passed=bound.epsilon <= 1,
        summary=f"claims epsilon 1, but {bound}",
        figures={"bound": bound.epsilon},
    )


def _replay_control(name: str, origin: str, broken: Counting, mended: Counting, *, per_person: int = 1) -> Control:
    return Control(
        name=name,
        origin=origin,
        test="exact replay",
        run=lambda: _by_replay(name, broken, per_person=per_person),
        mended=lambda: _by_replay(name, mended, per_person=per_person),
    )


def _output_control(
    name: str,
    origin: str,
    sampler: BrokenSampler,
    mechanism: PrefixTree | Counting = PrefixTree(height=1, inference=Inference.NONE),  # noqa: B008 - it is frozen
    *,
    runs: int = 1_500,
) -> Control:
    """A faulty sampler, and the product's own."""
    case = SequenceCase(name=name, mechanism=mechanism, budget=PureDP(1), labels="AB", longest=1)
    return Control(
        name=name,
        origin=origin,
        test="output",
        run=lambda: _by_output(case, sampler, runs=runs),
        mended=lambda: _by_output(case, Drawing(SecureSource()), runs=runs),
    )


def _mirrored_regions() -> Control:
    """An edge in two regions of a symmetric matrix, which are disjoint as sets of cells but not as data."""
    name = "an edge in a region and in its mirror image"

    def replayed(*, mirrored: bool) -> Check:
        case = NetworkCase(name=name, mechanism=MatrixRegions(mirrored=mirrored), budget=PureDP(1), labels="ABCD")
        return audit_replay(case, data_sets=20)

    return Control(
        name=name,
        origin=f"{_THESIS}, Algorithm 7.2: parallel composition over mirrored regions of the adjacency matrix",
        test="exact replay",
        run=lambda: replayed(mirrored=True),
        mended=lambda: replayed(mirrored=False),
    )


def _too_many_empties() -> Control:
    """DiffPart on two items, which split into three baskets; one person, or nobody."""
    name = "DiffPart's wrong number of empties"
    case = BasketCase(name=name, mechanism=DiffPart(), budget=PureDP(Fraction(3, 2)), labels="AB", small_pairs=(((), ("A",)),))
    return Control(
        name=name,
        origin=f"{_THESIS}, Algorithm 4.2 line 15: one empty cell too many is tested",
        test="output",
        run=lambda: _by_output(case, EMPTIES_OFF_BY_ONE, runs=2_000),
        mended=lambda: _by_output(case, Drawing(SecureSource()), runs=2_000),
    )


def _low_threshold() -> Control:
    """A delta that is large enough to be seen in few runs."""
    name = "a stable histogram with a threshold one too low"
    broken, mended = (
        BasketCase(
            name=name,
            mechanism=Counting(partial(whole_baskets, hidden=hidden)),
            budget=ApproxDP(1, Fraction(1, 20)),
            labels="AB",
            small_pairs=((("B",) * 3, ("A", *("B",) * 3)),),
            span=8,
        )
        for hidden in (0, 1)
    )
    return Control(
        name=name,
        origin="a threshold that hides baskets which nobody has, where it must hide those that one person has",
        test="output",
        run=lambda: _by_output(broken, Drawing(SecureSource()), runs=3_000),
        mended=lambda: _by_output(mended, Drawing(SecureSource()), runs=3_000),
    )


_THESIS = "Chen's thesis 2012"
_REVIEW = "a review of this library: the auditor missed it at the time"
_HALF = Fraction(1, 2)
_SAFE = partial(unigrams, sensitivity=LONGEST)
_TENTHS = (Fraction(1, 10),) * 10

CONTROLS = {
    control.name: control
    for control in (
        Control(
            name="continuous Laplace in floating point",
            origin="Mironov 2012; every library that adds a double from a logarithm",
            test="black box",
            run=lambda: _by_black_box(floating_point_laplace),
            mended=lambda: _by_black_box(integer_laplace),
        ),
        _replay_control(
            "a sensitivity forgotten",
            "counting events where people are protected: one person changes the counts by up to three",
            Counting(partial(unigrams, sensitivity=1)),
            Counting(partial(unigrams, sensitivity=LONGEST)),
        ),
        _replay_control(
            "n-grams with the end symbol uncounted",
            f"{_THESIS}, Algorithm 6.3: the end symbol is a unigram, the sensitivity leaves it out",
            Counting(partial(unigrams_and_ends, sensitivity=LONGEST)),
            Counting(partial(unigrams_and_ends, sensitivity=LONGEST + 1)),
        ),
        _replay_control(
            "n-gram heights not rounded up",
            f"{_THESIS}, section 6.4: the remaining budget is divided by a height of 0.34, so a level has a third of its noise",
            Counting(partial(two_levels, sensitivity=LONGEST // 3), shares=(_HALF, _HALF)),
            Counting(partial(two_levels, sensitivity=LONGEST), shares=(_HALF, _HALF)),
        ),
        _replay_control(
            "a universe read from the data",
            "ports of the n-gram code take the alphabet from the data",
            Counting(observed_unigrams),
            Counting(partial(unigrams, sensitivity=LONGEST)),
        ),
        _replay_control(
            "the best of several runs at the price of one",
            f"{_THESIS}, section 4.3: constants tried on the raw data",
            Counting(partial(one_of_ten, by_truth=True), shares=_TENTHS),
            Counting(partial(one_of_ten, by_truth=False), shares=_TENTHS),
        ),
        _replay_control(
            "a path for each symbol at the price of one",
            "n-grams that are counted at every position, with noise for one position",
            Counting(partial(symbols_along_paths, starts=1)),
            Counting(partial(symbols_along_paths, starts=LONGEST)),
        ),
        _replay_control(
            "a record in branches that it has not entered",
            "counting below a node of a tree what its records have anywhere",
            Counting(partial(symbols_along_paths, starts=LONGEST, follow=False)),
            Counting(partial(symbols_along_paths, starts=LONGEST)),
        ),
        _mirrored_regions(),
        _replay_control(
            "true counts in a side file", _REVIEW, Counting(_SAFE, beside=true_counts), Counting(_SAFE, beside=noisy_counts)
        ),
        _replay_control(
            "a height that depends on the true number of records",
            _REVIEW,
            Counting(partial(levels_by_records, many=1000), shares=(_HALF, _HALF)),
            Counting(partial(levels_by_records, many=None), shares=(_HALF, _HALF)),
        ),
        _replay_control(
            "a filter that depends on the true number of records",
            _REVIEW,
            Counting(partial(without_rare, many=1000)),
            Counting(partial(without_rare, many=None)),
        ),
        _replay_control(
            "a unit that tells the number of records", _REVIEW, Counting(_SAFE, promised=one_of_all), Counting(_SAFE)
        ),
        _replay_control(
            "several records of a person charged once",
            _REVIEW,
            Counting(_SAFE, whole_people=False),
            Counting(_SAFE),
            per_person=3,
        ),
        Control(
            name="no noise for counts of 1,000 and more",
            origin=_REVIEW,
            test="distribution",
            run=lambda: audit_counts(NO_NOISE_FOR_LARGE, draws=20_000),
            mended=lambda: audit_counts(Drawing(SecureSource()), draws=20_000),
        ),
        Control(
            name="noise that repeats after 65,536 words",
            origin=_REVIEW,
            test="repeats",
            run=lambda: audit_repeats(RepeatingSource()),
            mended=lambda: audit_repeats(SecureSource()),
        ),
        _too_many_empties(),
        _low_threshold(),
        _output_control(
            "empties drawn with another scale than the rest",
            "testing empty cells with the budget of another step",
            EMPTIES_OF_ANOTHER_SCALE,
        ),
        _output_control(
            "empties held to another threshold than the rest",
            "rounding the threshold differently for empty cells",
            EMPTIES_OF_ANOTHER_THRESHOLD,
            runs=4_000,
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
            Counting(first_symbols),
        ),
        _output_control(
            "a tie in rounding broken by insertion order",
            "largest-remainder rounding of cells that are sorted only at the end",
            INSERTION_ORDER,
            Counting(tie_by_insertion),
        ),
    )
}
