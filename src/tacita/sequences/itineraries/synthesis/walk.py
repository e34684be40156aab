"""Sequences that walkers write, all of them together, one symbol after the other.

A walker knows the state t of its template (what its letters were), its row r (where it stands), and the places that it visited,
the latest first. It chooses the letter a with probability proportional to g[t, a] * m[a], where m is what is possible for it:

    m[back to x] = affinity[r, x],   m[new] = sqrt(sum of new[r, x] over places x that it has not visited),   m[end] = ends[r],

letters that several places have in common taking the sum. Then it chooses one of these places by its affinity, or a new one by
new[r]. The factors g are found on the way, so that the walkers in one state choose each letter as often, all together, as the
template says; factors on the end see to it that the right number of sequences end here, and that they have the right shapes.
Who goes where depends on places, how many do so on letters.

A pilot of some thousand walkers finds these factors and the expected flows between places; the others use the factors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.arrays.recency import NEW, Recent
from tacita.public.letters import Alphabet
from tacita.sequences.itineraries.synthesis.noisy import NoisyItineraries
from tacita.sequences.itineraries.synthesis.places import Places
from tacita.sequences.itineraries.synthesis.spread import evenly, mixed
from tacita.sequences.ngrams.synthesis.fit import Fitted

__all__ = ["Flows", "Steering", "Walk"]

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

TURNS = 3
"""How often the factors of letters are corrected at each place."""

LARGEST_CORRECTION = 10.0
SHAPE_DOUBT = 0.5
"""How far off, in relation to itself, the number of ends of one shape is taken to be without having asked."""

_TINY = 1e-300
_HUGE = 1e100
"""Odds that are as good as certain; beyond them products would overflow."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Steering:
    """The factors at one place of all sequences: for each state of the template that occurs, and for ends of each shape."""

    states: Integers
    factors: Reals
    ends: Reals


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
class _Party:
    """Walkers that are still going: who they are, their states, and what they have visited."""

    who: Integers
    template: Integers
    states: Integers
    recent: Recent
    first: Integers

    def only(self, which: npt.NDArray[np.intp]) -> _Party:
        return _Party(
            who=self.who[which],
            template=self.template[which],
            states=self.states[which],
            recent=self.recent.only(which),
            first=self.first[which],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Choice:
    """What each walker may do: the letters of the places that it visited and their weights, and the weight of each letter."""

    rows: Integers
    cells: Integers
    places: npt.NDArray[np.int32]
    letters: npt.NDArray[np.int8]
    weights: Reals
    unvisited: Reals
    masses: Reals


@dataclass(kw_only=True, eq=False)
class _Record:
    """What a pilot writes down, to be weighted once the lengths of all sequences are known."""

    cells: list[Integers] = field(default_factory=list)
    back: list[Reals] = field(default_factory=list)
    visited: list[Reals] = field(default_factory=list)
    who: list[Integers] = field(default_factory=list)
    rows: list[tuple[Integers, Integers, Reals, Reals]] = field(default_factory=list)


@dataclass(kw_only=True, eq=False)
class Walk:
    """Walkers on a template and over places. `after[a, b]` scales the template's letter b after a; see `fit`."""

    noisy: NoisyItineraries
    template: Fitted
    places: Places
    after: Reals

    def pilot(self, walkers: int) -> tuple[list[Steering], Flows]:
        """Find the factors, and what is expected of them."""
        record = _Record()
        steering: list[Steering] = []
        letters = np.zeros_like(self.after)
        written = self._walk(walkers, steering=steering, record=record, letters=letters, turn=0)
        return steering, self._flows(record, letters, written)

    def write(self, walkers: int, steering: list[Steering], *, turn: int) -> Ragged:
        """Sequences of that many walkers."""
        return self._walk(walkers, steering=steering, record=None, letters=None, turn=turn)

    def _walk(
        self, walkers: int, *, steering: list[Steering], record: _Record | None, letters: Reals | None, turn: int
    ) -> Ragged:
        contexts, alphabet = self.template.contexts, self.noisy.alphabet
        party = self._begin(walkers, turn)
        lengths = np.full(walkers, self.noisy.max_length, dtype=np.int64)
        written = [(party.who, party.first)]
        for place in range(1, self.noisy.max_length):
            choice = self._choice(party)
            if record is None:
                found = steering[place - 1] if place <= len(steering) else None
                chances = self._chances(party, choice, place, found, walkers)
            else:
                chances, found = self._steered(party, choice, place, walkers)
                steering.append(found)
                self._note(record, party, choice, chances)
                if letters is not None:
                    letters += _sums(chances, contexts.lasts[party.template] % letters.shape[0], letters.shape[0]).T
            chosen = _drawn(chances, evenly(party.template, turn=turn + place))
            over = chosen == len(alphabet)
            lengths[party.who[over]] = place
            going = np.flatnonzero(~over)
            if not going.size:
                break
            party = party.only(going)
            codes, found_at = self._places(party, choice, going, chosen[going], turn + 7 * place)
            party.recent.visit(codes, found_at)
            written.append((party.who, codes))
            party.template = contexts.following[party.template, chosen[going]].astype(np.int64)
            party.states = self.places.following[party.states, codes].astype(np.int64)
        return _gathered(written, lengths)

    def _begin(self, walkers: int, turn: int) -> _Party:
        """Everybody at a first place."""
        reached = np.cumsum(self.places.first)
        order = np.argsort(mixed(walkers, turn=turn + 1))
        evenly_spread = (np.arange(walkers) + 0.5) / max(walkers, 1)
        codes = np.minimum(np.searchsorted(reached, evenly_spread * reached[-1]), reached.size - 1)[order].astype(np.int64)
        recent = Recent.of(walkers)
        recent.visit(codes, np.full(walkers, NEW, dtype=np.int64))
        template = self.template.contexts
        return _Party(
            who=np.arange(walkers),
            template=np.full(walkers, template.following[template.first, Alphabet.FIRST], dtype=np.int64),
            states=self.places.following[self.places.first_state, codes].astype(np.int64),
            recent=recent,
            first=codes,
        )

    def _choice(self, party: _Party) -> _Choice:
        """What each walker may do. Tables have a column for each walker."""
        alphabet, rows = self.noisy.alphabet, self.places.row_of[party.states]
        width = max(1, int(party.recent.sizes.max(initial=1)))
        visited = party.recent.codes[:width]
        is_there = visited >= 0
        cells = rows * self.noisy.symbols + np.where(is_there, visited, 0)
        weights = np.where(is_there, self.places.affinity.ravel()[cells], 0.0)
        unvisited = np.clip(1 - np.where(is_there, self.places.new.ravel()[cells], 0.0).sum(axis=0), 0.0, 1.0)
        unvisited[(party.recent.sizes >= self.noisy.symbols) | (unvisited < 1e-9)] = 0.0
        is_first = visited == party.first
        to_first, elsewhere = np.where(is_first, weights, 0.0), np.where(is_first, 0.0, weights)
        near = min(width, alphabet.recent)
        masses = np.zeros((len(alphabet) + 1, rows.size))
        masses[alphabet.NEW] = np.sqrt(unvisited)
        masses[alphabet.FIRST] = to_first[1:].sum(axis=0)
        masses[alphabet.STAYS_FIRST] = to_first[0]
        masses[alphabet.STAYS : alphabet.STAYS + near] = elsewhere[:near]
        masses[alphabet.far] = elsewhere[near:].sum(axis=0)
        masses[-1] = self.places.ends[rows]
        letters = np.where(
            is_first, alphabet.FIRST, np.minimum(np.arange(width) + alphabet.STAYS, alphabet.far).astype(np.int8)[:, None]
        ).astype(np.int8)
        letters[0] = np.where(is_first[0], alphabet.STAYS_FIRST, alphabet.STAYS)
        return _Choice(
            rows=rows, cells=cells, places=visited, letters=letters, weights=weights, unvisited=unvisited, masses=masses
        )

    def _wanted(self, states: Integers, place: int) -> Reals:
        """What the template says for some of its states."""
        contexts = self.template.contexts
        shares: Reals = (contexts.shares[states] * self.after[contexts.lasts[states]]).T
        shares[-1] *= self.template.ends[place]
        return _normalised(shares)

    def _steered(self, party: _Party, choice: _Choice, place: int, walkers: int) -> tuple[Reals, Steering]:
        """Chances of each letter with factors that are found for them."""
        states, numbers = np.unique(party.template, return_inverse=True)
        wanted, size = self._wanted(states, place), np.bincount(numbers, minlength=states.size)
        factors = wanted / np.maximum(_sums(choice.masses, numbers, states.size) / size, 1e-9)
        chances = _normalised(choice.masses * factors[:, numbers])
        for _ in range(TURNS - 1):
            mean = _sums(chances, numbers, states.size) / size
            ratio = np.clip(wanted / np.maximum(mean, 1e-12), 1 / LARGEST_CORRECTION, LARGEST_CORRECTION)
            factors *= np.where(mean > 0, ratio, 1.0)
            chances = _normalised(choice.masses * factors[:, numbers])
        ends = self._end_factors(party, chances[-1], place, walkers)
        chances[-1] *= ends[_shape_of(party)]
        return _normalised(chances), Steering(states=states, factors=factors, ends=ends)

    def _end_factors(self, party: _Party, chances: Reals, place: int, walkers: int) -> Reals:
        """Factors on the odds of the end for each shape: first so that the length comes out, then so that shapes do."""
        scale = walkers / max(float(self.noisy.lengths.sum()), _TINY)
        wanted, shapes = float(self.noisy.lengths[place]) * scale, _shape_of(party)
        size = self.noisy.shapes.shape[1]
        all_alike = np.zeros(shapes.size, dtype=np.int64)
        common = float(_odds_factors(chances, all_alike, np.array([wanted]))[0])
        if wanted <= 0:
            return np.zeros(size)
        ends = _ends_with(chances, common)
        guess = np.bincount(shapes, weights=ends, minlength=size)
        there = np.bincount(shapes, minlength=size).astype(np.float64)
        doubt, noise = (SHAPE_DOUBT * guess) ** 2, (self.noisy.shape_deviation * scale) ** 2
        asked = guess + doubt / np.maximum(doubt + noise, _TINY) * (self.noisy.shapes[place] * scale - guess)
        asked = np.clip(asked, 0.0, there)
        for _ in range(6):
            asked = np.minimum(asked * (wanted / max(float(asked.sum()), _TINY)), there)
        return common * _odds_factors(ends, shapes, asked)

    def _chances(self, party: _Party, choice: _Choice, place: int, found: Steering | None, walkers: int) -> Reals:
        """Chances of each letter with the factors of a pilot; the number that ends here is met again."""
        factors = np.zeros((choice.masses.shape[0], len(self.template.contexts)))
        present = np.flatnonzero(np.bincount(party.template, minlength=factors.shape[1]))
        factors[:, present] = self._wanted(present, place)
        if found is not None:
            factors[:, found.states] = found.factors
        chances = factors[:, party.template]
        chances *= choice.masses
        others = chances[:-1].sum(axis=0)
        if found is not None:
            chances[-1] *= found.ends[_shape_of(party)]
        number = float(self.noisy.lengths[place]) * walkers / max(float(self.noisy.lengths.sum()), _TINY)
        ends = chances[-1] / np.maximum(chances[-1] + others, _TINY)
        factor = 1.0
        for _ in range(3):
            factor = min(factor * number / max(float(_ends_with(ends, factor).sum()), _TINY), _HUGE)
        chances[-1] *= factor
        return chances

    def _places(self, party: _Party, choice: _Choice, going: Integers, chosen: Integers, turn: int) -> tuple[Integers, Integers]:
        """Where the walkers go who chose these letters, and where that place stands among those that they visited."""
        codes, found = np.zeros(going.size, dtype=np.int64), np.full(going.size, NEW, dtype=np.int64)
        back = np.flatnonzero(chosen != Alphabet.NEW)
        who = going[back]
        weights = np.where(choice.letters[:, who] == chosen[back], choice.weights[:, who], 0.0)
        found[back] = _drawn(weights, mixed(back.size, turn=turn + 4))
        codes[back] = choice.places[found[back], who]
        new = np.flatnonzero(chosen == Alphabet.NEW)
        rows = choice.rows[going[new]]
        codes[new] = self._new_places(rows, party.recent.codes[:, new], evenly(rows, turn=turn + 5))
        return codes, found

    def _new_places(self, rows: Integers, visited: npt.NDArray[np.int32], numbers: Reals) -> Integers:
        """A place that was not visited, for each walker: the distribution of its row without the visited places, inverted."""
        size = self.noisy.symbols
        new, reached = self.places.new.ravel(), self.places.reached.ravel()
        ordered = np.sort(np.where(visited < 0, size, visited), axis=0).astype(np.int64)
        is_there = ordered < size
        cells = rows * size + np.where(is_there, ordered, 0)
        shares = np.where(is_there, new[cells], 0.0)
        numbers = numbers * np.maximum(1 - shares.sum(axis=0), 0.0)
        for cell, share, there in zip(cells, shares, is_there, strict=True):
            numbers += np.where(there & (reached[cell] - share <= numbers + 1e-15), share, 0.0)
        low, high = np.zeros(rows.size, dtype=np.int64), np.full(rows.size, size - 1, dtype=np.int64)
        for _ in range(int(size).bit_length()):
            middle = (low + high) // 2
            above = reached[rows * size + middle] <= numbers
            low, high = np.where(above, np.minimum(middle + 1, high), low), np.where(above, high, middle)
        again = np.flatnonzero((ordered == low).any(axis=0))  # a rounding error: any other place will do
        for row in again.tolist():
            left = np.setdiff1d(np.arange(size), ordered[:, row])
            low[row] = left[0] if left.size else low[row]
        return low

    def _note(self, record: _Record, party: _Party, choice: _Choice, chances: Reals) -> None:
        """Write down the expected steps of each walker."""
        is_there = choice.places >= 0
        masses = np.take_along_axis(choice.masses, choice.letters.astype(np.intp), axis=0)
        back = np.take_along_axis(chances, choice.letters.astype(np.intp), axis=0) * choice.weights / np.maximum(masses, _TINY)
        new = np.where(choice.unvisited > 0, chances[Alphabet.NEW] / np.maximum(choice.unvisited, 1e-9), 0.0)
        record.cells.append(choice.cells[is_there])
        record.back.append(back[is_there])
        record.visited.append((new * self.places.new.ravel()[choice.cells])[is_there])
        record.who.append(np.broadcast_to(party.who, is_there.shape)[is_there])
        record.rows.append((choice.rows, party.who, new, chances[-1]))

    def _flows(self, record: _Record, letters: Reals, written: Ragged) -> Flows:
        """What was written down, weighted by the lengths that the sequences have."""
        size, rows = self.noisy.symbols, self.places.new.shape[0]
        scale = float(self.noisy.lengths.sum()) / max(len(written), 1)
        weights = np.minimum(1.0, self.noisy.cap / np.maximum(written.lengths, 1)) / self.noisy.cover * scale
        cells, of_walkers = np.concatenate(record.cells), weights[np.concatenate(record.who)]
        back = np.bincount(cells, weights=np.concatenate(record.back) * of_walkers, minlength=rows * size)
        visited = np.bincount(cells, weights=np.concatenate(record.visited) * of_walkers, minlength=rows * size)
        going, ending = np.zeros(rows), np.zeros(rows)
        for standing, who, new, ends in record.rows:
            going += np.bincount(standing, weights=new * weights[who], minlength=rows)
            ending += np.bincount(standing, weights=ends * weights[who], minlength=rows)
        return Flows(
            new=np.maximum(going[:, None] * self.places.new - visited.reshape(rows, size), 0.0),
            back=np.asarray(back.reshape(rows, size), dtype=np.float64),
            ends=ending,
            first=np.bincount(written.codes[written.offsets[:-1]], weights=weights, minlength=size).astype(np.float64),
            letters=letters * scale,
        )


def _shape_of(party: _Party) -> Integers:
    """The column of `shapes` in which a sequence would be that ended here."""
    return np.asarray(2 * party.recent.sizes + (party.recent.codes[0] == party.first), dtype=np.int64)


def _normalised(weights: Reals) -> Reals:
    """Every column as shares of its sum."""
    return np.asarray(weights / np.maximum(weights.sum(axis=0), _TINY), dtype=np.float64)


def _sums(table: Reals, groups: Integers, size: int) -> Reals:
    """The sums of the columns of each group."""
    return np.stack([np.bincount(groups, weights=row, minlength=size) for row in table])


def _drawn(weights: Reals, numbers: Reals) -> Integers:
    """A row for each column, by its weight; the last one if nothing has any."""
    reached = np.cumsum(weights, axis=0)
    chosen = (reached <= numbers * reached[-1]).sum(axis=0)
    return np.asarray(np.minimum(chosen, weights.shape[0] - 1), dtype=np.int64)


def _ends_with(ends: Reals, factor: float | Reals) -> Reals:
    """Probabilities whose odds are multiplied."""
    return np.asarray(factor * ends / np.maximum(1 - ends + factor * ends, _TINY), dtype=np.float64)


def _odds_factors(ends: Reals, groups: Integers, wanted: Reals) -> Reals:
    """For each group the factor on the odds under which as many as wanted end; by bisection of its logarithm."""
    low, high = np.full(wanted.size, -14.0), np.full(wanted.size, 14.0)
    for _ in range(18):
        middle = (low + high) / 2
        less = np.bincount(groups, weights=_ends_with(ends, np.exp(middle)[groups]), minlength=wanted.size) < wanted
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return np.where(wanted > 0, np.exp((low + high) / 2), 0.0)


def _gathered(written: list[tuple[Integers, Integers]], lengths: Integers) -> Ragged:
    offsets = offsets_of(lengths)
    codes = np.empty(int(offsets[-1]), dtype=np.int32)
    for place, (who, chosen) in enumerate(written):
        codes[offsets[who] + place] = chosen
    return Ragged(codes, offsets)
