"""Sequences that walkers write, all of them together, one symbol after the other.

Who goes where depends on places (`choices`), how many do so on letters (`steering`), and everybody is dealt out evenly
(`dealing`). A pilot of some thousand walkers finds the factors of the steering and the expected flows between places; the walk
of everybody uses the factors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tacita.arrays import Reals
from tacita.arrays.parts import in_parts, part_of
from tacita.arrays.ragged import Ragged
from tacita.arrays.recency import NEW, Recent
from tacita.public.letters import Alphabet
from tacita.sequences.itineraries.synthesis.choices import Choice, children_of, choice_of
from tacita.sequences.itineraries.synthesis.dealing import dealt
from tacita.sequences.itineraries.synthesis.flows import Flows, Notes
from tacita.sequences.itineraries.synthesis.noisy import NoisyItineraries
from tacita.sequences.itineraries.synthesis.places import Places
from tacita.sequences.itineraries.synthesis.spread import STREAM, evenly
from tacita.sequences.itineraries.synthesis.steering import Steering, Template, steered, steering_for
from tacita.sequences.itineraries.synthesis.walkers import Paths, Walkers

__all__ = ["Walk"]


AT_ONCE = 2**16
"""How many groups of walkers take their steps together; more are divided, and written one part after the other."""


@dataclass(kw_only=True, eq=False)
class Walk:
    """Walkers on a template and over places."""

    noisy: NoisyItineraries
    template: Template
    places: Places

    def pilot(self, walkers: int) -> tuple[list[Steering], Flows]:
        """Find the factors, and what is expected of them."""
        notes = Notes(lasts=self.template.machine.contexts.lasts, letters=np.zeros_like(self.template.after))
        steering: list[Steering] = []
        paths = Paths()
        party = self._begin(walkers, paths)
        for place in range(1, self.noisy.max_length):
            choice = choice_of(party, self.places, self.noisy.alphabet)
            chances, found = steering_for(self.template, party, choice.masses, place, walkers)
            steering.append(found)
            notes.add(party, choice, chances, self.places, self.noisy.alphabet)
            party = self._moved(party, choice, chances, place, paths)
            if not len(party):
                break
        paths.end(party.nodes, party.sizes, length=self.noisy.max_length)
        return steering, notes.flows(paths, self.noisy, self.places, walkers=walkers)

    def write(self, walkers: int, steering: list[Steering]) -> Ragged:
        """The sequences of that many walkers."""
        return in_parts(walkers, partial(self._written, walkers, steering), longest=self.noisy.max_length)

    def _written(self, everybody: int, steering: list[Steering], part: int, parts: int) -> Ragged:
        """The sequences of one part, which is dealt out by a stream of its own."""
        paths = Paths()
        walkers, stream = part_of(everybody, part, parts), part * STREAM
        waiting = [(1, self._begin(walkers, paths, stream=stream))]
        while waiting:
            place, party = waiting.pop()
            if place == self.noisy.max_length:
                paths.end(party.nodes, party.sizes, length=place)
                continue
            choice = choice_of(party, self.places, self.noisy.alphabet)
            found = steering[place - 1] if place <= len(steering) else None
            weights = steered(self.template, party, choice.masses, place, found, walkers)
            party = self._moved(party, choice, weights, place, paths, stream=stream)
            waiting += [(place + 1, part) for part in party.parts(AT_ONCE)] if len(party) else []
        return paths.sequences(symbols=self.noisy.symbols)

    def _begin(self, walkers: int, paths: Paths, *, stream: int = 0) -> Walkers:
        """Everybody at a first place."""
        contexts = self.template.machine.contexts
        start = evenly(np.zeros(1, dtype=np.int64), turn=stream) if stream else np.array([0.5])
        counts = dealt(self.places.first[:, None], np.array([walkers]), start)[:, 0]
        codes = np.flatnonzero(counts)
        recent = Recent.of(codes.size)
        recent.visit(codes, np.full(codes.size, NEW, dtype=np.int64))
        return Walkers(
            sizes=counts[codes],
            template=np.full(codes.size, contexts.following[contexts.first, Alphabet.FIRST], dtype=np.int64),
            states=self.places.following[self.places.first_state, codes].astype(np.int64),
            recent=recent,
            firsts=np.zeros(codes.size, dtype=np.int64),
            nodes=paths.grow(np.full(codes.size, -1, dtype=np.int64), codes),
        )

    def _moved(self, party: Walkers, choice: Choice, weights: Reals, place: int, paths: Paths, *, stream: int = 0) -> Walkers:
        """Let everybody choose, end or go on."""
        counts = dealt(weights, party.sizes, evenly(party.template, turn=stream + place))
        paths.end(party.nodes, counts[-1], length=place)
        children = children_of(party, choice, counts, self.places, self.noisy.alphabet, turn=stream + 7 * place)
        following = self.template.machine.contexts.following[party.template[children.parents], children.letters]
        states = self.places.following[party.states[children.parents], children.codes]
        nodes = paths.grow(party.nodes[children.parents], children.codes)
        return party.moved(children, following.astype(np.int64), states.astype(np.int64), nodes)
