"""Probabilities that give back the counts that they were made from.

A machine whose probabilities are shares of noisy counts does not write data with those counts: contexts that were not kept are
told by shorter ones, sequences stop at the longest length, and every count has noise of its own. Here the expected counts of what
the machine writes are computed exactly, state by state and place by place, and its probabilities scaled until they agree with
what was released: long contexts first and short ones last, because these have the least noise. How many sequences end after how
many symbols is met at every place. This is iterative proportional fitting; it sees noisy counts alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.trees.gram_contexts import Contexts

__all__ = ["Fitted", "fitted"]

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

ROUNDS = 6
LARGEST_STEP = 3.0
"""One correction changes a probability by this factor at the most."""

_TINY = 1e-300


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """A machine, and by how much the end is more likely than in its probabilities after each number of symbols."""

    contexts: Contexts
    ends: Reals
    expected: Reals
    """How often each symbol, or the end, is expected after each context."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Target:
    """Counts to be met: of `symbols[i]` after all states that belong to owner `owners[i]`, by changing some of these states.

    `order` sorts the states that are measured by their owner, with `begins` where each owner begins; `changed` gives the owner of
    each state that may be changed, -1 for the others.
    """

    order: Integers
    begins: Integers
    changed: Integers
    owners: Integers
    symbols: Integers
    counts: Reals


def fitted(contexts: Contexts, *, lengths: Reals, rounds: int = ROUNDS) -> Fitted:
    """Scale the probabilities; `lengths[l]` sequences are to have l symbols, the last place counting those that were cut."""
    targets = [*_run_targets(contexts), *_gram_targets(contexts)]
    shares = contexts.shares.copy()
    for _ in range(rounds):
        flows = _expected(contexts, shares, lengths).expected
        for target in targets:
            _meet(target, shares, flows, first=contexts.first)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), _TINY)
    return _expected(contexts, shares, lengths)


def _gram_targets(contexts: Contexts) -> list[_Target]:
    """For each length of a context, from long to short: what was released after contexts of this length."""
    known = contexts.known
    targets = []
    for depth in range(int(contexts.depths[: contexts.first].max(initial=0)), -1, -1):
        owner = _owners(contexts, depth)
        measured = np.flatnonzero(owner >= 0)
        order = measured[np.argsort(owner[measured], kind="stable")]
        begins = np.flatnonzero(np.diff(owner[order], prepend=-1))
        place = np.full(len(contexts), -1, dtype=np.int64)
        place[owner[order[begins]]] = np.arange(begins.size)
        here = np.flatnonzero((contexts.depths[known.states] == depth) & (known.symbols <= contexts.symbols) & (known.counts > 0))
        changed = np.where((owner >= 0) & (np.arange(owner.size) < contexts.first), place[owner], -1)
        targets.append(
            _Target(
                order=order,
                begins=begins,
                changed=changed,
                owners=place[known.states[here]],
                symbols=known.symbols[here],
                counts=known.counts[here],
            )
        )
    return targets


def _owners(contexts: Contexts, depth: int) -> Integers:
    """The suffix of each state that is an asked gram of this length, or -1."""
    is_gram = np.arange(len(contexts)) < contexts.first
    is_gram[contexts.runs.states.ravel()] = False
    owner = np.full(len(contexts), -1, dtype=np.int64)
    state = np.arange(len(contexts))
    while True:
        here = (owner < 0) & is_gram[state] & (contexts.depths[state] == depth)
        owner[here] = state[here]
        if not state.any():
            return owner
        state = contexts.suffixes[state]


def _run_targets(contexts: Contexts) -> list[_Target]:
    """For each known length of runs, from long to short: how often the symbol occurs so often in a row.

    It is met by changing at which rate all runs go on that are longer than the known length before.
    """
    runs = contexts.runs
    targets = []
    for place in range(runs.known.size - 1, 0, -1):
        rows = np.flatnonzero((runs.counts[:, place] > 0) & (runs.counts[:, place - 1] > 0))
        if not rows.size:
            continue
        measured = runs.states[rows][:, runs.lengths >= runs.known[place] - 1]
        changed = np.full(len(contexts), -1, dtype=np.int64)
        changed[runs.states[rows][:, runs.lengths >= runs.known[place - 1]]] = np.arange(rows.size)[:, None]
        targets.append(
            _Target(
                order=measured.ravel(),
                begins=np.arange(rows.size) * measured.shape[1],
                changed=changed,
                owners=np.arange(rows.size),
                symbols=runs.symbols[rows],
                counts=runs.counts[rows, place],
            )
        )
    return targets


def _meet(target: _Target, shares: Reals, flows: Reals, *, first: int) -> None:
    """Scale probabilities and expected counts towards the target; beginnings are measured and stay as they are."""
    if not target.owners.size:
        return
    fixed = np.where(target.order >= first, 1.0, 0.0)[:, None]
    ordered = flows[target.order]
    total = np.add.reduceat(ordered, target.begins, axis=0)[target.owners, target.symbols]
    given = np.add.reduceat(ordered * fixed, target.begins, axis=0)[target.owners, target.symbols]
    loose = total - given
    wanted = np.maximum(target.counts - given, 0.0)
    factors = np.ones((target.begins.size, shares.shape[1]))
    ratio = np.clip(wanted / np.maximum(loose, _TINY), 1 / LARGEST_STEP, LARGEST_STEP)
    factors[target.owners, target.symbols] = np.where(loose > 0, ratio, 1.0)
    states = np.flatnonzero(target.changed >= 0)
    scale = factors[target.changed[states]]
    shares[states] *= scale
    flows[states] *= scale


def _expected(contexts: Contexts, shares: Reals, lengths: Reals) -> Fitted:
    """Follow the expected number of sequences in each state from place to place; ends are scaled to the lengths."""
    symbols, longest = contexts.symbols, lengths.size - 2
    here = np.zeros(len(contexts))
    here[contexts.first] = lengths.sum()
    spread, ended = np.zeros(len(contexts)), np.zeros(len(contexts))
    ends = np.ones(longest + 1)
    end = shares[:, symbols]
    for place in range(longest):
        states = np.flatnonzero(here > 0)
        if not states.size:
            break
        if place:
            ends[place] = _end_factor(here[states], end[states], float(lengths[place]))
        norm = here[states] / (1 - end[states] + ends[place] * end[states])
        spread[states] += norm
        ended[states] += norm * ends[place]
        moving = norm[:, None] * shares[states, :symbols]
        here = np.bincount(contexts.following[states].ravel(), weights=moving.ravel(), minlength=len(contexts))
    expected = shares * spread[:, None]
    expected[:, symbols] = end * ended
    return Fitted(contexts=contexts.with_shares(shares), ends=ends, expected=expected)


def _end_factor(weights: Reals, end: Reals, wanted: float) -> float:
    """The factor on the odds of the end under which as many sequences as wanted end here; found by bisection of its logarithm."""
    if wanted <= 0 or not (weights * end).any():
        return 0.0 if wanted <= 0 else 1.0
    low, high = -12.0, 12.0
    for _ in range(40):
        middle = (low + high) / 2
        factor = np.exp(middle)
        if float((weights * factor * end / (1 - end + factor * end)).sum()) < wanted:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))
