"""What itineraries ask, through the paths of an account, and why one record cannot change it much. This is the wall.

Every question is about sequences that are cut after `max_length` symbols, which is a map of one record, and so is the rewriting
in letters. Adding or removing one record x of l <= max_length symbols changes

- *lengths*: one cell by 1, because x has one length (or is cut). Sensitivity 1.
- *shapes*: one cell by 1, or none if x was cut. Sensitivity 1.
- *beginnings* and *first places*: one path, from the first letter or place of x on, each cell of it by 1. One path starts, so
  what x costs is the sum along it, which `Paths` holds to the plan.
- *letters* and *places*: x starts one path at each of its l symbols, and each cell of it counts w = floor(UNIT * cap / l), or
  UNIT if l <= cap. Per path the cells of one level change by w in sum, and all l paths together by l * w <= UNIT * cap: if
  l <= cap, l * UNIT <= cap * UNIT; otherwise l * floor(UNIT * cap / l) <= UNIT * cap. So `Paths` is opened with `starts` =
  UNIT * cap: the argument of `tacita.privacy.paths` holds with a path of weight w in place of w paths of weight 1. Counts
  and noise are integers, and are divided by UNIT afterwards. With cap = max_length every weight is 1, and so is UNIT.

Sequences of one symbol have no returns and one shape: with max_length = 1, only lengths and first places are asked.

What is asked later (caps, lengths of grams, which cells are followed) is decided by noisy answers and public parameters alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import on_simplex
from tacita.counting import GramCounts, ItineraryCounts, SequenceCounts
from tacita.privacy.paths import Blocks, Paths, Terms
from tacita.privacy.publishing import Progress, believed
from tacita.public.letters import UNIT, Alphabet, shape_cells
from tacita.sequences.itineraries.shares import Caps, beginning_rule, first_rule, letter_rule, longest_gram, place_rule
from tacita.sequences.itineraries.synthesis import NoisyItineraries
from tacita.sequences.ngrams.exploration import GramRule, explore
from tacita.sequences.ngrams.synthesis import GramLevel, GramTree

__all__ = ["AnswersPaths", "Questions"]


class AnswersPaths(Protocol):
    """Whoever answers: an account, with noise."""

    def paths(self, step: str, *, starts: int = 1) -> Paths:
        """A tree of questions that share a budget."""
        ...


@dataclass(frozen=True, kw_only=True)
class Questions:
    """Everything that is asked of sequences over this many places. All parameters are public."""

    symbols: int
    max_length: int
    max_gram: int
    alphabet: Alphabet
    epsilons: Mapping[str, Fraction]
    """What each step of the plan costs."""
    max_nodes: int

    def asked(self, counts: SequenceCounts, answers: AnswersPaths, *, progress: Progress | None = None) -> NoisyItineraries:
        """Ask one question after the other."""
        return self.asked_further(counts, answers, known=self.lengths(counts, answers), progress=progress)

    def asked_further(
        self,
        counts: SequenceCounts,
        answers: AnswersPaths,
        *,
        known: tuple[Integers, Reals],
        progress: Progress | None = None,
    ) -> NoisyItineraries:
        """Ask everything but the lengths, which are known as drawn, and as estimated."""
        counted = counts.itineraries(max_length=self.max_length)
        drawn, lengths = known
        caps = Caps(lengths=lengths, max_length=self.max_length)
        shapes, shape_deviation = self._shapes(counted, answers.paths("shapes"))
        size = len(self.alphabet)
        beginnings = self._explored(
            counted.letters(self.alphabet, most=None).beginnings(),
            answers.paths("beginnings"),
            beginning_rule(size, max_length=self.max_length),
        )
        first = self._explored(
            counted.places(symbols=self.symbols, most=None).beginnings(), answers.paths("first places"), first_rule(self.symbols)
        )
        letter_cap = caps.best(symbols=size, epsilon=self.epsilons["letters"])
        most, unit = self._weights(letter_cap)
        rule = letter_rule(size, starts=unit * letter_cap, max_length=self.max_length)
        paths = answers.paths("letters", starts=rule.starts)
        letters = self._weighted(counted.letters(self.alphabet, most=most), paths, rule, unit)
        epsilon = self.epsilons["places"]
        cap = caps.best(symbols=self.symbols, epsilon=epsilon)
        most, unit = self._weights(cap)
        length = longest_gram(caps, cap=cap, symbols=self.symbols, epsilon=epsilon, max_gram=self.max_gram)
        rule = place_rule(self.symbols, starts=unit * cap, length=length)
        paths = answers.paths("places", starts=rule.starts)
        places = self._weighted(counted.places(symbols=self.symbols, most=most), paths, rule, unit, progress)
        return NoisyItineraries(
            alphabet=self.alphabet,
            symbols=self.symbols,
            max_length=self.max_length,
            drawn_lengths=drawn,
            lengths=lengths,
            shapes=shapes,
            shape_deviation=shape_deviation,
            beginnings=beginnings,
            letters=letters,
            letter_cover=caps.cover(letter_cap),
            first=first,
            places=places,
            cap=cap,
            cover=caps.cover(cap),
        )

    def asked_singly(self, counts: SequenceCounts, answers: AnswersPaths) -> tuple[Integers, int, GramTree]:
        """Ask how many sequences there are, and which symbol they begin with; all that there is of sequences of one symbol."""
        drawn, lengths = self.lengths(counts, answers)
        return drawn, round(float(lengths.sum())), self.first_places(counts, answers)

    def first_places(self, counts: SequenceCounts, answers: AnswersPaths) -> GramTree:
        """Ask which symbol sequences begin with."""
        counter = counts.itineraries(max_length=self.max_length).places(symbols=self.symbols, most=None).beginnings()
        return self._explored(counter, answers.paths("first places"), first_rule(self.symbols))

    def lengths(self, counted: SequenceCounts, answers: AnswersPaths) -> tuple[Integers, Reals]:
        """Ask how many sequences have each length: as drawn, from 1 on, and estimated, from 0 on; the last were cut.

        What is not above its noise is taken for less: a release with too few sequences is better than one with too many.
        """
        counts, paths = np.array(counted.lengths(longest=self.max_length + 1), dtype=np.int64), answers.paths("lengths")
        noisy = _asked_at_once(paths, counts.size, np.flatnonzero(counts), counts[counts > 0])
        variance = 2 * noisy.size / float(paths.epsilon) ** 2
        total = max(0.0, believed(float(noisy.sum()), variance**0.5))
        lengths = np.zeros(self.max_length + 2)
        lengths[1:] = on_simplex(noisy, total * total**2 / (total**2 + variance)) if total > 0 else 0.0
        return noisy.astype(np.int64), lengths

    def _shapes(self, counted: ItineraryCounts, paths: Paths) -> tuple[Reals, float]:
        """How many whole sequences of each length visit how many places, and end where they began; and the noise."""
        keys, counts = counted.shapes()
        noisy = _asked_at_once(paths, shape_cells(self.max_length), keys, counts)
        return noisy.reshape(self.max_length + 1, -1), float(np.sqrt(2) / float(paths.epsilon))

    def _weighted(
        self, counter: GramCounts, paths: Paths, rule: GramRule, unit: int, progress: Progress | None = None
    ) -> GramTree:
        """The noisy tree in counts of symbols, whatever they weigh."""
        tree = self._explored(counter, paths, rule, progress=progress)
        return replace(tree, levels=tuple(_in_units(level, unit) for level in tree.levels))

    def _weights(self, cap: int) -> tuple[int | None, int]:
        """The weight that a record is held to, none if it never has more, and the unit in which it is counted."""
        return (None, 1) if cap >= self.max_length else (cap, UNIT)

    def _explored(self, counter: GramCounts, paths: Paths, rule: GramRule, *, progress: Progress | None = None) -> GramTree:
        return explore(counter, paths, rule, max_nodes=self.max_nodes, progress=progress)


def _asked_at_once(paths: Paths, size: int, cells: Integers, counts: Integers) -> Reals:
    """The noisy counts of all cells of one block, which costs everything that there is."""
    one = np.zeros(1, dtype=np.int64)
    blocks = Blocks(nodes=one, sizes=one + size, terms=one, table=(Terms(epsilon=paths.epsilon, threshold=None),))
    kept = paths.ask(blocks, places=np.zeros_like(cells), cells=cells, counts=counts)
    noisy = np.zeros(size)
    noisy[kept.cells] = kept.values
    return noisy


def _in_units(level: GramLevel, unit: int) -> GramLevel:
    counts = np.rint(level.counts / unit).astype(np.int64)
    return GramLevel(level.parents, level.symbols, counts, level.asked, level.scales / unit)
