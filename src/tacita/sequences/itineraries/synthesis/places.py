"""What is known of places: where one goes from where, and what makes a return more or less likely.

A walker stands in a *row*: the longest gram of places that ends where it stands and whose continuations are known, or row 0 if
none is. For row r,

- `new[r, x]` is the probability that a step to a new place goes to x, among places that are all new;
- `affinity[r, x]` says how many times as likely a step back to x, or a stay, is as for the average walker with the same letters;
- `ends[r]` says the same of the end.

At first rows of one place share their new steps as the noisy pairs do, longer grams as their last place does, and affinities are
1, but for stays, which the pairs tell directly. The rounds of `fit` then scale all of them until expected counts agree with the
noisy ones, as far as these are above their noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.sequences.itineraries.synthesis.noisy import NoisyItineraries, calmed, scaled
from tacita.sequences.ngrams.synthesis import GramTree, contexts_of
from tacita.sequences.ngrams.synthesis.fit import Contexts
from tacita.sequences.ngrams.synthesis.shares import known_of, largest, numbered

__all__ = ["Places", "Target", "places_of"]


MOST_SHARES = 2**21
"""How many probabilities the rows may have; with more places and grams than that, rare ones are left out."""

GUIDES, STEPS = 256, 3
"""How many numbers of each row are looked up beforehand, and how many places are tried from there before one is searched."""

LEAST_STAY, LARGEST_STAY, LARGEST_ODDS = 0.002, 0.98, 20.0
"""No place is taken to hold people, or to lose them, for sure; nor to hold them so many times as much as others."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Target:
    """Noisy counts of what comes after all rows that end with an owner's gram: places and, last, the end.

    `owners[r]` is the owner of row r, or -1; `deviations` is infinite where a count was not released.
    """

    is_single: bool
    owners: Integers
    counts: Reals
    deviations: Reals


@dataclass(kw_only=True, eq=False)
class Places:
    """Rows, and which row comes after which place. `first` is where sequences begin."""

    first: Reals
    first_state: int
    following: Numbers
    row_of: Integers
    lasts: Integers
    """The last place of each row, -1 for row 0."""
    new: Reals
    affinity: Reals
    ends: Reals
    targets: tuple[Target, ...]
    reached: Reals = field(init=False)
    _ascending: Reals = field(init=False)
    """What is reached in each row, plus the number of the row: one ascending table in which all rows are searched at once."""
    _guide: Numbers = field(init=False)
    """The place that each of `GUIDES` evenly spread numbers reaches in each row."""

    def __post_init__(self) -> None:
        """Prepare the draw of new places."""
        self.normalise()

    def normalise(self) -> None:
        """Make every row of new places a distribution again."""
        self.new /= np.maximum(self.new.sum(axis=1, keepdims=True), 1e-300)
        self.reached = np.cumsum(self.new, axis=1)
        self.reached /= np.maximum(self.reached[:, -1:], 1e-300)
        rows, symbols = self.reached.shape
        numbers = np.arange(rows)[:, None]
        self._ascending = (self.reached + numbers).ravel()
        guides = np.searchsorted(self._ascending, (numbers + np.arange(GUIDES) / GUIDES).ravel(), side="right")
        self._guide = (guides - np.repeat(np.arange(rows) * symbols, GUIDES)).astype(np.int32)

    def inverted(self, rows: Integers, numbers: Reals) -> Integers:
        """The new place that each number from 0 to 1 reaches in its row: from the guide on, a few places further."""
        symbols = self.reached.shape[1]
        numbers = np.minimum(numbers, 1 - 1e-12)
        first, reached = rows * symbols, self.reached
        found = first + self._guide.take(rows * GUIDES + (numbers * GUIDES).astype(np.int64))
        behind = np.flatnonzero(reached.take(found, mode="clip") <= numbers)
        for _ in range(STEPS):
            found[behind] += 1
            behind = behind[reached.take(found.take(behind), mode="clip") <= numbers.take(behind)]
        found[behind] = np.searchsorted(self._ascending, rows[behind] + numbers[behind], side="right")
        return np.asarray(np.clip(found - first, 0, symbols - 1), dtype=np.int64)


def places_of(noisy: NoisyItineraries) -> Places:
    """The rows before any fitting."""
    symbols = noisy.symbols
    tree = largest(scaled(calmed(noisy.places), 1 / noisy.cover), MOST_SHARES // (symbols + 2))
    contexts = contexts_of(
        tree,
        calmed(noisy.first, like=noisy.places),
        max_length=noisy.max_length,
        lengths=noisy.lengths,
        shares_missing=True,
        max_cells=2 * MOST_SHARES,
    )
    is_gram = np.arange(len(contexts)) < contexts.first
    is_gram[contexts.runs.states.ravel()] = False
    single = np.flatnonzero(is_gram & (contexts.depths == 1))
    longer = np.flatnonzero(is_gram & (contexts.depths > 1))
    states = np.concatenate([[0], single, longer])
    lasts = np.where(contexts.depths[states] > 0, contexts.lasts[states], -1)
    row_of_state = np.zeros(len(contexts), dtype=np.int64)
    row_of_state[states] = np.arange(states.size)
    shares = contexts.shares[:, :symbols]
    alone = shares[single].copy()
    alone[np.arange(single.size), lasts[1 : 1 + single.size]] = 0.0
    row_of_place = np.zeros(symbols, dtype=np.int64)
    row_of_place[lasts[1 : 1 + single.size]] = 1 + np.arange(single.size)
    new = np.concatenate([shares[:1], alone, np.zeros((longer.size, symbols))]) + 1e-12
    new /= new.sum(axis=1, keepdims=True)
    new[1 + single.size :] = new[row_of_place[lasts[1 + single.size :]]]
    targets = _targets(tree, contexts, states, is_gram)
    affinity = np.ones_like(new)
    known = np.flatnonzero(lasts >= 0)
    affinity[known, lasts[known]] = _stays(targets, lasts, symbols)[lasts[known]]
    first = shares[contexts.first] + 1e-12
    return Places(
        first=first / first.sum(),
        first_state=contexts.first,
        following=contexts.following,
        row_of=row_of_state[_grams_of(contexts, is_gram)],
        lasts=lasts,
        new=new,
        affinity=affinity,
        ends=np.ones(states.size),
        targets=targets,
    )


def _grams_of(contexts: Contexts, is_gram: Booleans) -> Integers:
    """The longest suffix of each state that is a known gram."""
    found = np.arange(len(contexts))
    while not is_gram[found].all():
        found = np.where(is_gram[found], found, contexts.suffixes[found])
    return found


def _targets(tree: GramTree, contexts: Contexts, states: Integers, is_gram: Booleans) -> tuple[Target, ...]:
    """Long grams first, single places last; in counts that are weighted as those of the walkers will be."""
    known = known_of(tree, numbered(tree.levels, first=1), first=0)
    targets = []
    for depth in range(int(contexts.depths[states].max()), -1, -1):
        owner = _suffixes(contexts, states, is_gram, depth)
        different, owners = np.unique(owner[owner >= 0], return_inverse=True)
        place = np.full(len(contexts) + 1, -1, dtype=np.int64)
        place[different] = np.arange(different.size)
        counts = np.zeros((different.size, tree.symbols + 1))
        deviations = np.full(counts.shape, np.inf)
        here = (place[known.states] >= 0) & (known.symbols <= tree.symbols)
        cells = place[known.states[here]], known.symbols[here]
        counts[cells] = known.counts[here]
        deviations[cells] = np.sqrt(2) * known.scales[here]
        owner[owner >= 0] = owners.reshape(-1)
        targets.append(Target(is_single=depth == 0, owners=owner, counts=counts, deviations=deviations))
    return tuple(targets)


def _suffixes(contexts: Contexts, states: Integers, is_gram: Booleans, depth: int) -> Integers:
    """The suffix of each state that has this length, or -1."""
    if not depth:
        return np.zeros(states.size, dtype=np.int64)
    owner = np.full(states.size, -1, dtype=np.int64)
    current = states.copy()
    while current.any():
        here = (owner < 0) & is_gram[current] & (contexts.depths[current] == depth)
        owner[here] = current[here]
        current = contexts.suffixes[current]
    return owner


def _stays(targets: tuple[Target, ...], lasts: Integers, symbols: int) -> Reals:
    """How many times the usual odds people have to stay at each place; 1 where pairs do not tell."""
    odds = np.ones(symbols)
    if len(targets) < 2:
        return odds
    single, pairs = targets[-1], targets[-2]
    rows = np.flatnonzero((pairs.owners >= 0) & (lasts >= 0))
    owners, places = pairs.owners[rows], lasts[rows]
    visits = np.maximum(single.counts[0, places], 1.0)
    is_known = np.isfinite(pairs.deviations[owners, places])
    share = np.clip(pairs.counts[owners, places] / visits, LEAST_STAY, LARGEST_STAY)
    if is_known.any():
        mean = float(np.average(share[is_known], weights=visits[is_known]))
        relative = np.clip(share / (1 - share) / (mean / (1 - mean)), 1 / LARGEST_ODDS, LARGEST_ODDS)
        odds[places[is_known]] = relative[is_known]
    return odds
