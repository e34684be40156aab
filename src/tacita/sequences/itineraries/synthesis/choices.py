"""What each group of walkers may do: how much each letter weighs for it, and how far back each visited place is.

A walker in the state t of its template and in row r chooses the letter a with probability proportional to g[t, a] * m[a], where

    m[back to x] = affinity[r, x],   m[new] = sqrt(sum of new[r, x] over places x that it has not visited),   m[end] = ends[r],

letters that several places have in common taking the sum. The factors g are those of `steering`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers, Numbers, Reals
from tacita.arrays.recency import NEW
from tacita.public.letters import Alphabet
from tacita.sequences.itineraries.synthesis.dealing import dealt, new_places
from tacita.sequences.itineraries.synthesis.places import Places
from tacita.sequences.itineraries.synthesis.spread import mixed
from tacita.sequences.itineraries.synthesis.walkers import Children, Walkers

__all__ = ["Choice", "children_of", "choice_of"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """What each group may do. Tables have a column per group; rows are visited places, the latest first, or letters.

    `weights` are affinities of visited places, `unvisited` the probability of those that are not, and `masses` the weight of each
    letter and, last, of the end.
    """

    rows: Integers
    visited: Numbers
    cells: Integers
    weights: Reals
    unvisited: Reals
    masses: Reals


def choice_of(walkers: Walkers, places: Places, alphabet: Alphabet) -> Choice:
    """What walkers may do where they are."""
    symbols, rows = places.new.shape[1], places.row_of[walkers.states]
    width = max(1, int(walkers.recent.sizes.max(initial=1)))
    visited = walkers.recent.codes[:width]
    is_there = visited >= 0
    cells = rows * symbols + np.maximum(visited, 0)
    weights = places.affinity.take(cells, mode="clip")
    weights *= is_there
    unvisited = places.new.take(cells, mode="clip")
    unvisited *= is_there
    unvisited = np.clip(1 - unvisited.sum(axis=0), 0.0, 1.0)
    unvisited[(walkers.recent.sizes >= symbols) | (unvisited < 1e-9)] = 0.0
    groups, near = np.arange(rows.size), min(width, alphabet.recent)
    masses = np.zeros((len(alphabet) + 1, rows.size))
    masses[alphabet.NEW] = np.sqrt(unvisited)
    to_first = weights[walkers.firsts, groups]
    masses[alphabet.FIRST] = np.where(walkers.firsts > 0, to_first, 0.0)
    masses[alphabet.STAYS_FIRST] = to_first - masses[alphabet.FIRST]
    masses[alphabet.STAYS : alphabet.STAYS + near] = weights[:near]
    masses[alphabet.far] = weights[near:].sum(axis=0)
    close = walkers.firsts < alphabet.recent
    masses[alphabet.STAYS + walkers.firsts[close], groups[close]] = 0.0
    masses[alphabet.far, ~close] = np.maximum(masses[alphabet.far] - to_first, 0.0)[~close]
    masses[-1] = places.ends[rows]
    return Choice(rows=rows, visited=visited, cells=cells, weights=weights, unvisited=unvisited, masses=masses)


def children_of(walkers: Walkers, choice: Choice, counts: Integers, places: Places, alphabet: Alphabet, *, turn: int) -> Children:
    """The groups that these split into, given how many of each chose each letter (and, in the last row, the end).

    Most letters lead to one place. Those who go far back are dealt out by affinities, those who go somewhere new by their row.
    """
    letters, groups = np.nonzero(counts[:-1])
    numbers = counts[letters, groups]
    one = (letters != alphabet.NEW) & (letters != alphabet.far)
    back = np.where(letters == alphabet.FIRST, walkers.firsts[groups], np.maximum(letters - alphabet.STAYS, 0))[one]
    kinds = [(groups[one], letters[one], choice.visited[back, groups[one]].astype(np.int64), back, numbers[one])]
    far = np.flatnonzero(letters == alphabet.far)
    if far.size:
        who = groups[far]
        weights = choice.weights[:, who]
        weights[: alphabet.recent] = 0.0
        weights[walkers.firsts[who], np.arange(who.size)] = 0.0
        split = dealt(weights, numbers[far], mixed(who.size, turn=turn + 4))
        found, which = np.nonzero(split)
        parents = who[which]
        codes = choice.visited[found, parents].astype(np.int64)
        kinds.append((parents, np.full(parents.size, alphabet.far), codes, found, split[found, which]))
    new = np.flatnonzero(letters == alphabet.NEW)
    if new.size:
        who = groups[new]
        which, codes, split = new_places(places, choice.rows[who], choice.visited[:, who], numbers[new], turn=turn + 5)
        fresh = np.full(which.size, alphabet.NEW), codes, np.full(which.size, NEW)
        kinds.append((who[which], *fresh, split))
    parents, chosen, codes, found, sizes = (np.concatenate(parts) for parts in zip(*kinds, strict=True))
    return Children(parents=parents, letters=chosen, codes=codes, found=found, sizes=sizes)
