"""What a pilot expects: how many steps go from each row to each place, new or back, and how many sequences end there.

Expected steps are written down as walkers go, and weighted once the lengths of all sequences are known: the noisy counts were
weighted by length too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.public.letters import Alphabet
from tacita.sequences.itineraries.synthesis.choices import Choice
from tacita.sequences.itineraries.synthesis.noisy import NoisyItineraries
from tacita.sequences.itineraries.synthesis.places import Places
from tacita.sequences.itineraries.synthesis.walkers import Paths, Walkers

__all__ = ["Flows", "Notes"]


_TINY = 1e-300


@dataclass(frozen=True, kw_only=True, eq=False)
class Flows:
    """Expected numbers, weighted as the noisy counts are: steps to new places and back from each row, ends, first places.

    `letters` counts what comes after each last letter, without weights.
    """

    new: Reals
    back: Reals
    ends: Reals
    first: Reals
    letters: Reals


@dataclass(kw_only=True, eq=False)
class Notes:
    """What a pilot writes down. `lasts` is the last letter of each state of the template."""

    lasts: Integers
    letters: Reals
    cells: list[Integers] = field(default_factory=list)
    back: list[Reals] = field(default_factory=list)
    visited: list[Reals] = field(default_factory=list)
    nodes: list[Integers] = field(default_factory=list)
    rows: list[tuple[Integers, Integers, Reals, Reals]] = field(default_factory=list)

    def add(self, walkers: Walkers, choice: Choice, chances: Reals, places: Places, alphabet: Alphabet) -> None:
        """Write down the expected steps of each group."""
        expected = chances * walkers.sizes
        size = self.letters.shape[0]
        last = self.lasts[walkers.template] % size
        self.letters += np.stack([np.bincount(last, weights=row, minlength=size) for row in expected]).T
        per_weight = expected / np.maximum(choice.masses, _TINY)
        letters = np.minimum(np.arange(choice.visited.shape[0]) + alphabet.STAYS, alphabet.far)
        back = choice.weights * per_weight[letters]
        groups = np.arange(len(walkers))
        to_first = np.where(walkers.firsts > 0, expected[alphabet.FIRST], expected[alphabet.STAYS_FIRST])
        back[walkers.firsts, groups] = to_first
        new = np.where(choice.unvisited > 0, expected[alphabet.NEW] / np.maximum(choice.unvisited, 1e-9), 0.0)
        is_there = choice.visited >= 0
        cells = choice.cells[is_there]
        self.cells.append(cells)
        self.back.append(back[is_there])
        self.nodes.append(np.broadcast_to(walkers.nodes, is_there.shape)[is_there])
        self.visited.append(np.broadcast_to(new, is_there.shape)[is_there] * places.new.ravel()[cells])
        self.rows.append((choice.rows, walkers.nodes, new, expected[-1]))

    def flows(self, paths: Paths, noisy: NoisyItineraries, places: Places, *, walkers: int) -> Flows:
        """What was written down, weighted by the lengths that the sequences have."""
        rows, size = places.new.shape
        scale = float(noisy.lengths.sum()) / max(walkers, 1)
        by_length = np.minimum(1.0, noisy.cap / np.maximum(np.arange(noisy.max_length + 1), 1)) / noisy.cover * scale
        sums, numbers = paths.sums_below(by_length), paths.sums_below(np.ones(noisy.max_length + 1))
        weights = sums / np.maximum(numbers, 1.0)
        cells, of_nodes = np.concatenate(self.cells), weights[np.concatenate(self.nodes)]
        back = np.bincount(cells, weights=np.concatenate(self.back) * of_nodes, minlength=rows * size)
        visited = np.bincount(cells, weights=np.concatenate(self.visited) * of_nodes, minlength=rows * size)
        going, ending = np.zeros(rows), np.zeros(rows)
        for standing, nodes, new, ends in self.rows:
            going += np.bincount(standing, weights=new * weights[nodes], minlength=rows)
            ending += np.bincount(standing, weights=ends * weights[nodes], minlength=rows)
        return Flows(
            new=np.maximum(going[:, None] * places.new - visited.reshape(rows, size), 0.0),
            back=np.asarray(back.reshape(rows, size), dtype=np.float64),
            ends=ending,
            first=paths.first_places(sums, symbols=size),
            letters=self.letters * scale,
        )
