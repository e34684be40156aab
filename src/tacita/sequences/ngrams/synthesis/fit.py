"""The machine that writes sequences: its contexts, made of noisy grams, and its fit to the released counts.

A machine whose probabilities are simply shares of noisy counts does not reproduce those counts: contexts that were not kept use
shorter ones, sequences stop at the longest length, and every count has noise of its own. So its expected counts are computed
exactly. With shares[c, s] = P(symbol s | context c), p(c) = shares[c, end] and a factor ends[t] on the odds of the end after t
symbols, here(c), the expected number of sequences in context c, evolves from place t to t + 1 by

    norm(c) = here(c) / (1 - p(c) + ends[t] * p(c)),  ends[t] such that the sum of norm(c) * ends[t] * p(c) is lengths[t]
    here'(d) = sum of norm(c) * shares[c, s] over all (c, s) that lead to d
    expected[c, s] = shares[c, s] * sum of norm(c) over all places

Then the probabilities of all contexts c with the suffix o are scaled towards the released shares wanted[o, s], and normalised:

    shares[c, s] *= (wanted[o, s] * visits[o] / (sum of expected[c, s] over these c)) ** (trust[o, s] * DAMPING)

with the factor between 1 / LARGEST_STEP and LARGEST_STEP, and o from long to short, because short contexts have the least noise;
what the trusted entries of a row leave over or lack goes to the others. This is iterative proportional fitting; it sees noisy
counts only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.sequences.ngrams.synthesis.shares import Estimate, Runs, known_of, largest, links_of, numbered, runs_of
from tacita.sequences.ngrams.synthesis.tree import GramTree

__all__ = ["Contexts", "Fitted", "contexts_of", "fitted"]


# The machine: its states are contexts, with probabilities of what comes next.
#
# A context is how the sequence so far ends: a gram whose continuations were asked for, a run of one symbol of a known length,
# or the whole beginning of the sequence. A sequence is always in the longest known context. The released counts say how a
# context continues; the rest of its count is divided as after its longest proper suffix (its Markov parent in the thesis,
# section 6.4.1), and the rest of the empty context's count is divided equally.


@dataclass(frozen=True, kw_only=True, eq=False)
class Contexts:
    """States from 0, the empty context, in this order: asked grams by length, runs of one symbol by length, beginnings.

    `shares[s]` are the probabilities of each symbol and, last, the end; `following[s]` the state after each symbol; `depths` are
    lengths (a run longer than any gram counts as the longest gram), `lasts` the last symbols, and `trails` how often these are
    repeated at the end. `first` is the state in which every sequence begins; it and all later states are beginnings.
    """

    shares: Reals
    following: Numbers
    suffixes: Integers
    depths: Integers
    lasts: Integers
    trails: Integers
    first: int
    wanted: Reals
    """The share of a context's own count that each released continuation has; negative if it was not released."""
    trust: Reals
    """How far to trust each share, from 0 to 1: less if noise is large; what was not released has the trust of the rest."""
    runs: Runs

    @property
    def symbols(self) -> int:
        """The number of symbols; the end is one more."""
        return int(self.following.shape[1])

    def with_shares(self, shares: Reals) -> Contexts:
        """The same machine with other probabilities."""
        return replace(self, shares=shares)

    def __len__(self) -> int:
        """The number of states."""
        return int(self.depths.size)


def contexts_of(
    grams: GramTree, starts: GramTree, *, max_length: int, lengths: Reals, shares_missing: bool, max_cells: int
) -> Contexts:
    """Make the machine; `lengths[l]` sequences have l symbols, and the last entry counts those that were cut.

    Without `shares_missing`, continuations that were not released are assumed not to exist. As many contexts are used as
    `max_cells` probabilities allow, those with the largest counts first.
    """
    grams = largest(grams, max_cells // (grams.symbols + 2) // 2)
    starts = largest(starts, max_cells // (grams.symbols + 2) // 2)
    asked = numbered(grams.levels, first=1)
    runs = runs_of(grams, first=1 + sum(int(level.asked.sum()) for level in grams.levels), max_length=max_length)
    first = 1 + sum(int(level.asked.sum()) for level in grams.levels) + runs.states.size
    begun = numbered(starts.levels, first=first + 1)
    size = first + 1 + sum(int(level.asked.sum()) for level in starts.levels)
    links = links_of(grams, starts, asked, begun, runs, first=first, size=size)
    known, own = known_of(grams, asked, first=0), known_of(starts, begun, first=first)
    guess = Estimate.of(links, (known, own), symbols=grams.symbols, shares_missing=shares_missing)
    shares = guess.shares(lengths=lengths, runs=runs, first=first)
    return Contexts(
        shares=shares,
        following=links.following,
        suffixes=links.suffixes,
        depths=links.depths,
        lasts=links.places,
        trails=links.trails,
        first=first,
        wanted=guess.wanted,
        trust=guess.trust(),
        runs=runs,
    )


# The fit: expected counts, and corrections towards the released ones.


ROUNDS = 10
POLISH = 12
"""Rounds of correction for all contexts, and then for the shortest ones alone."""
LARGEST_STEP = 3.0
"""One correction changes a probability by at most this factor."""

DAMPING = 0.5
"""Corrections for long and short contexts overlap, so each is damped by this exponent."""

SLACK = 0.01
"""What a correction adds to some entries is taken from the less trusted ones, and a little (this share) from all."""

PIECE, NARROWEST = 2**17, 2**14
"""About how many entries of a table are computed at a time, and the fewest columns of it."""

_TINY = 1e-300


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """A fitted machine, with a factor on the odds of the end after each number of symbols."""

    contexts: Contexts
    ends: Reals
    expected: Reals
    """How often each symbol, or the end, is expected after each context."""
    stopped: Reals
    """How many sequences are expected to be cut in each context, at the longest length."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Target:
    """Wanted shares of what comes after all states that belong to one owner, met by scaling the probabilities of those states.

    `order` sorts these states by their owner; `begins` is where each owner begins, `owners` the index of each one's owner.
    `wanted` and `trust` have a row for each owner, as in `Contexts`. `lasts` is given for the empty context, where runs of one
    symbol are left alone.
    """

    order: Integers
    begins: Integers
    owners: Integers
    wanted: Reals
    trust: Reals
    lasts: Integers | None


@dataclass(frozen=True, kw_only=True, eq=False)
class _Room:
    """Tables to compute in, made once: over a large universe, making new ones would take longer than the arithmetic.

    Sums run over whole rows, and everything else is computed for some columns at a time, so that it stays in the cache.
    """

    of_owners: Reals
    of_states: Reals
    flows: Reals

    @classmethod
    def of(cls, targets: list[_Target], shares: Reals) -> _Room:
        """Room for the largest target."""
        owners, states = (max(len(part) for part in parts) for parts in zip(*((t.begins, t.order) for t in targets), strict=True))
        columns = shares.shape[1]
        return cls(
            of_owners=np.empty((4, owners, columns)), of_states=np.empty((3, states, columns)), flows=np.empty_like(shares)
        )

    def parts(self, rows: int) -> list[slice]:
        """The columns in parts, for tables of that many rows."""
        width = max(NARROWEST, PIECE // max(rows, 1))
        return [slice(start, start + width) for start in range(0, self.flows.shape[1], width)]


def fitted(contexts: Contexts, *, lengths: Reals, rounds: int = ROUNDS) -> Fitted:
    """Fit the probabilities; `lengths[l]` sequences should have l symbols, and the last entry counts those that were cut."""
    targets = _targets(contexts)
    room = _Room.of(targets, contexts.shares)
    shares = contexts.shares.copy()
    fixed = contexts.wanted >= 0  # released beginnings, which have little noise
    fixed[: contexts.first] = False
    for number in range(rounds + POLISH):
        now = _expected(contexts, shares, lengths, out=room.flows)
        flows = now.expected
        for target in targets if number < rounds else targets[-2:]:
            _meet(target, shares, flows, now.stopped, fixed, room)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), _TINY)
        _meet_runs(contexts, shares, flows)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), _TINY)
    return _expected(contexts, shares, lengths)


def _targets(contexts: Contexts) -> list[_Target]:
    """For each length of a context, from long to short: what was estimated to come after contexts of this length."""
    targets = []
    for depth in range(int(contexts.depths[: contexts.first].max(initial=0)), -1, -1):
        owner = _owners(contexts, depth)
        measured = np.flatnonzero(owner >= 0)
        order = measured[np.argsort(owner[measured], kind="stable")]
        begins = np.flatnonzero(np.diff(owner[order], prepend=-1))
        states = owner[order[begins]]
        owners = np.repeat(np.arange(begins.size), np.diff(np.append(begins, order.size)))
        targets.append(
            _Target(
                order=order,
                begins=begins,
                owners=owners,
                wanted=contexts.wanted[states],
                trust=contexts.trust[states],
                lasts=None if depth else contexts.lasts,
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


def _meet_runs(contexts: Contexts, shares: Reals, flows: Reals) -> None:
    """Scale the rate at which runs of one symbol continue, for each known length; large counts have relatively little noise.

    The target is how often a symbol occurs `known[place]` times in a row, relative to `known[place - 1]` times.
    """
    known, counts = contexts.runs.known, contexts.runs.counts
    ends = np.flatnonzero(contexts.lasts >= 0)
    if not ends.size:
        return
    lasts, trails = contexts.lasts[ends], contexts.trails[ends]
    loose = ends < contexts.first
    longest = np.max(np.where(counts > 0, known, 0), axis=1)
    for place in range(known.size - 1, 0, -1):
        on = flows[ends, lasts]
        reached = np.bincount(lasts, weights=on * (trails >= known[place] - 1), minlength=counts.shape[0])
        before = (
            np.bincount(lasts, weights=on * (trails >= known[place - 1] - 1), minlength=counts.shape[0])
            if known[place - 1] > 1
            else flows[:, : contexts.symbols].sum(axis=0)
        )
        both = (counts[:, place] > 0) & (counts[:, place - 1] > 0)
        wanted = counts[:, place] / np.maximum(counts[:, place - 1], 1.0) * before
        ratio = np.clip(wanted / np.maximum(reached, _TINY), 1 / LARGEST_STEP, LARGEST_STEP)
        ratio = np.where(both & (reached > 0), ratio, 1.0) ** (DAMPING / (known[place] - known[place - 1]))
        here = loose & (trails >= known[place - 1]) & ((trails < known[place]) | (longest[lasts] == known[place])) & both[lasts]
        states, symbols = ends[here], lasts[here]
        rate = shares[states, symbols]
        new = np.clip(rate * ratio[symbols], rate / 2, (1 + rate) / 2)
        for table in (shares, flows):
            keep = table[states, symbols] * (new / np.maximum(rate, _TINY))
            table[states] *= ((1 - new) / np.maximum(1 - rate, _TINY))[:, None]
            table[states, symbols] = keep


def _meet(target: _Target, shares: Reals, flows: Reals, stopped: Reals, fixed: Booleans, room: _Room) -> None:
    """Scale probabilities and expected counts towards the target; fixed entries were measured and stay as they are."""
    loose, given, wanted, change = room.of_owners[:, : target.begins.size]
    parts = room.parts(target.order.size)
    for part in parts:
        ordered, held = flows[:, part][target.order], fixed[:, part][target.order]
        loose[:, part] = _sums(ordered, target.begins)
        given[:, part] = _sums(np.where(held, ordered, 0.0), target.begins)
    visits = loose.sum(axis=1) + np.add.reduceat(stopped[target.order], target.begins)
    if target.lasts is not None:
        visits = loose[:, :-1].sum(axis=1)
    for part in parts:
        known = target.wanted[:, part] >= 0
        loose[:, part] -= given[:, part]
        wanted[:, part] = np.where(known, np.maximum(target.wanted[:, part] * visits[:, None] - given[:, part], 0.0), 0.0)
        given[:, part] = np.where(known, 0.0, loose[:, part])
    others = given.sum(axis=1, keepdims=True)
    left = np.maximum(loose.sum(axis=1, keepdims=True) - wanted.sum(axis=1, keepdims=True), others / LARGEST_STEP)
    moved, slack = wanted, given
    for part in parts:
        here, trust = loose[:, part], target.trust[:, part]
        ratio = np.where(target.wanted[:, part] >= 0, wanted[:, part] / np.maximum(here, _TINY), left / np.maximum(others, _TINY))
        moved[:, part] = here * np.clip(ratio, 1 / LARGEST_STEP, LARGEST_STEP) ** trust
        slack[:, part] = (1 + SLACK - trust) * here
        change[:, part] = here - moved[:, part]
    missing = change.sum(axis=1, keepdims=True) / np.maximum(slack.sum(axis=1, keepdims=True), _TINY)
    scale = room.of_states[0, : target.order.size]
    for part in parts:
        here = loose[:, part]
        factors = np.where(here > 0, (moved[:, part] + missing * slack[:, part]) / np.maximum(here, _TINY), 1.0)
        scale[:, part] = (np.clip(factors, 1 / LARGEST_STEP, LARGEST_STEP) ** DAMPING)[target.owners]
    if target.lasts is not None:
        repeating = np.flatnonzero(target.lasts[target.order] >= 0)
        scale[repeating, target.lasts[target.order[repeating]]] = 1.0
        scale[:, -1] = 1.0
    for table in (shares, flows):
        _scaled(table, target.order, scale, fixed, room)


def _sums(rows: Reals, begins: Integers) -> Reals:
    """The sums of consecutive rows; of two rows, which is all that a very large universe has, by the fastest way."""
    found = rows[:1] + rows[1:] if len(rows) == 2 and begins.size == 1 else np.add.reduceat(rows, begins, axis=0)
    return np.asarray(found, dtype=np.float64)


def _scaled(table: Reals, order: Integers, scale: Reals, fixed: Booleans, room: _Room) -> None:
    """Scale these rows of a table, except for fixed entries; what the others of a row add up to stays the same."""
    before, after = room.of_states[1:, : order.size]
    parts = room.parts(order.size)
    for part in parts:
        rows, held = table[:, part][order], fixed[:, part][order]
        before[:, part] = np.where(held, 0.0, rows)
        after[:, part] = np.where(held, 0.0, rows * scale[:, part])
    factors = (before.sum(axis=1) / np.maximum(after.sum(axis=1), _TINY))[:, None]
    for part in parts:
        here = table[:, part]
        here[order] = np.where(fixed[:, part][order], here[order], after[:, part] * factors)


def _expected(contexts: Contexts, shares: Reals, lengths: Reals, *, out: Reals | None = None) -> Fitted:
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
        norm = here[states] / np.maximum(1 - end[states] + ends[place] * end[states], 1e-12)
        spread[states] += norm
        ended[states] += norm * ends[place]
        here = _led_to(contexts, shares, states, norm)
    expected = np.multiply(shares, spread[:, None], out=out)
    ending = _share_that_ends(lengths)
    expected[:, symbols] = end * ended + here * ending  # those that reach the longest length without being cut end there
    return Fitted(contexts=contexts.with_shares(shares), ends=ends, expected=expected, stopped=here * (1 - ending))


def _led_to(contexts: Contexts, shares: Reals, states: Integers, norm: Reals) -> Reals:
    """How many sequences are in each state one place later, added up in the order of states and symbols."""
    found = np.zeros(len(contexts))
    every = np.arange(len(contexts))
    for rows, columns in _pieces(states.size, contexts.symbols, least=8 * len(contexts)):
        moving = norm[rows, None] * shares[states[rows], columns]
        leading = np.concatenate([every, contexts.following[states[rows], columns].ravel()])  # what was found, then more
        weights = np.concatenate([found, moving.ravel()])
        found = np.bincount(leading, weights=weights, minlength=len(contexts)).astype(np.float64, copy=False)
    return found


def _pieces(rows: int, columns: int, *, least: int) -> Iterator[tuple[slice, slice]]:
    """A table in pieces, row by row: several rows each, or parts of one row if it is long."""
    cells = max(PIECE, least)
    height = max(1, cells // columns)
    for first in range(0, rows, height):
        for start in range(0, columns, cells):
            yield slice(first, first + height), slice(start, min(start + cells, columns))


def _share_that_ends(lengths: Reals) -> float:
    """The share of the sequences reaching the longest length that end there; the others were cut."""
    reaching = float(lengths[-2:].sum())
    return float(lengths[-2]) / reaching if reaching > 0 else 0.0


def _end_factor(weights: Reals, end: Reals, wanted: float) -> float:
    """The factor on the odds of the end for which `wanted` sequences end here, found by bisection of its logarithm."""
    if wanted <= 0 or not (weights * end).any():
        return 0.0 if wanted <= 0 else 1.0
    low, high = -12.0, 12.0
    for _ in range(24):
        middle = (low + high) / 2
        factor = np.exp(middle)
        if float((weights * factor * end / (1 - end + factor * end)).sum()) < wanted:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))
