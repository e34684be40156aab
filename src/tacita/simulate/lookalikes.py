"""Lookalikes: worlds of sequences that agree with what is public about a data set and differ in what is not known.

Before a budget is spent, a method can be run on each of them; the results span an interval. Nothing here sees private data: a
lookalike is made from public facts alone. What is unknown is varied: how concentrated popularity is (Zipf exponents), and how
people move from one label to the next:

- *session*: people stay at the same label with probability 0.65 and otherwise go to a new one; lengths have a very heavy tail.
  The page categories of msnbc.com are like this (17 categories, mean length 4.7, 65 % of all steps stay);
- *commuter*: people go back and forth between two labels, now and then to another one;
- *journey*: exactly two different labels, as in rail journeys with an entry and an exit. Left out if the known lengths cannot be
  two;
- *wanderer*: people go from one label to one near it, in the order of the taxonomy or, without one, of the universe.

The interval proves nothing: the data may be unlike all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tacita.arrays import AnyIntegers, Integers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.public.parameters import Chosen
from tacita.public.taxonomy import Taxonomy
from tacita.simulate.draws import Popularity, heavy_lengths, is_exponent, positions_of, require_sizes

__all__ = ["EXPONENTS", "Behaviour", "Lookalike", "PublicFacts", "lookalikes"]

EXPONENTS = (0.3, 0.8, 1.3)
STAY = 0.65
ELSEWHERE = 0.2
JOURNEY = 2
UNKNOWN_LONGEST = 10_000


class Behaviour(StrEnum):
    """How people move from one label to the next."""

    SESSION = "session"
    COMMUTER = "commuter"
    JOURNEY = "journey"
    WANDERER = "wanderer"


@dataclass(frozen=True, kw_only=True)
class PublicFacts:
    """What anybody may know about a data set of sequences; None means not known.

    `records` is the number of people, `labels` the size of the universe; `mean_length` and `max_length` count labels per record.
    A fact computed from private data is not public: leave it out, or the forecast will reveal something about the data.
    """

    records: int
    labels: int
    mean_length: float | None = None
    max_length: int | None = None
    taxonomy: Taxonomy | None = None

    def __post_init__(self) -> None:
        """Check the sizes, and that the taxonomy has as many labels as the universe."""
        mean = 1 if self.mean_length is None else self.mean_length
        longest = mean if self.max_length is None else self.max_length
        fits = self.taxonomy is None or len(self.taxonomy.universe) == self.labels
        require_sizes(
            self,
            (self.records >= 0 and self.labels >= 1, "public facts need at least one label and no negative number of records"),
            (1 <= mean <= longest, "lengths must fit: 1 <= mean_length <= max_length"),
            (fits, "the taxonomy must have as many labels as the universe"),
        )


@dataclass(frozen=True, kw_only=True)
class Lookalike:
    """One world that agrees with the facts; the same fields give the same sequences."""

    facts: PublicFacts
    behaviour: Chosen[Behaviour] = Chosen(Behaviour)
    exponent: float
    seed: int = 0

    def __post_init__(self) -> None:
        """Check that the exponent can be used, and that a journey is possible."""
        require_sizes(
            self,
            (
                is_exponent(self.exponent) and self.seed >= 0,
                "Zipf exponents must be between 0 and 10, and a seed must not be negative",
            ),
            (_allows(self.facts, self.behaviour), "a journey needs two labels, and lengths that can be two"),
        )

    @property
    def name(self) -> str:
        """Behaviour and exponent, such as `commuter-0.8`."""
        return f"{self.behaviour}-{self.exponent:g}"

    @property
    def description(self) -> str:
        """What is assumed, in a sentence."""
        return f"{_MANNERS[self.behaviour].sentence}; labels are popular by a Zipf law with exponent {self.exponent:g}."

    def sequences(self) -> Ragged:
        """One sequence of label codes per record."""
        generator = np.random.default_rng(self.seed)
        manner, facts = _MANNERS[self.behaviour], self.facts
        popularity = Popularity.zipf(facts.labels, exponent=self.exponent, generator=generator)
        if self.behaviour is Behaviour.JOURNEY:
            lengths = np.full(facts.records, JOURNEY, dtype=np.int64)
        else:
            longest = UNKNOWN_LONGEST if facts.max_length is None else facts.max_length
            mean = min(manner.mean_length, longest) if facts.mean_length is None else facts.mean_length
            longest = max(longest, int(np.ceil(mean)))
            lengths = heavy_lengths(generator, facts.records, mean=mean, longest=longest, spread=manner.spread)
        offsets = offsets_of(lengths)
        return Ragged(manner.walk(generator, popularity, offsets, facts).astype(np.int32), offsets)


def lookalikes(facts: PublicFacts, *, exponents: tuple[float, ...] = EXPONENTS, seed: int = 0) -> tuple[Lookalike, ...]:
    """Every behaviour that the facts allow, with each exponent.

    >>> [world.name for world in lookalikes(PublicFacts(records=9, labels=5, mean_length=4.5), exponents=(0.8,))]
    ['session-0.8', 'commuter-0.8', 'wanderer-0.8']
    """
    possible = [behaviour for behaviour in Behaviour if _allows(facts, behaviour)]
    return tuple(
        Lookalike(facts=facts, behaviour=behaviour, exponent=exponent, seed=seed)
        for behaviour in possible
        for exponent in exponents
    )


def _allows(facts: PublicFacts, behaviour: Behaviour) -> bool:
    """Whether this behaviour is possible if the facts hold."""
    mean = JOURNEY if facts.mean_length is None else facts.mean_length
    longest = JOURNEY if facts.max_length is None else facts.max_length
    return behaviour is not Behaviour.JOURNEY or (facts.labels > 1 and mean == JOURNEY and longest >= JOURNEY)


_Walk = Callable[[np.random.Generator, Popularity, Integers, PublicFacts], AnyIntegers]


@dataclass(frozen=True)
class _Manner:
    """How people move; mean length and spread are used if the facts give no mean."""

    sentence: str
    mean_length: float
    spread: float
    walk: _Walk


def _session(generator: np.random.Generator, popularity: Popularity, offsets: Integers, _: PublicFacts) -> AnyIntegers:
    """Draw a label at the first position and now and then later; every other position repeats the last draw."""
    positions = positions_of(offsets)
    anew = (positions == 0) | (generator.random(positions.size) >= STAY)
    drawn = popularity.draw(generator, int(np.count_nonzero(anew)))
    return np.asarray(drawn[np.cumsum(anew) - 1])


def _commuter(generator: np.random.Generator, popularity: Popularity, offsets: Integers, facts: PublicFacts) -> AnyIntegers:
    """Go back and forth between two labels of one's own, except for some positions that are drawn afresh."""
    codes = _two_labels(generator, popularity, offsets, facts)
    other = np.flatnonzero(generator.random(codes.size) < ELSEWHERE)
    codes[other] = popularity.draw(generator, other.size)
    return codes


def _two_labels(generator: np.random.Generator, popularity: Popularity, offsets: Integers, facts: PublicFacts) -> AnyIntegers:
    """Alternate between two labels."""
    one, other = (popularity.draw(generator, offsets.size - 1) for _ in range(2))
    other = np.where(other == one, (one + 1) % facts.labels, other)
    lengths = np.diff(offsets)
    return np.where(positions_of(offsets) % 2 == 0, np.repeat(one, lengths), np.repeat(other, lengths))


def _wanderer(generator: np.random.Generator, popularity: Popularity, offsets: Integers, facts: PublicFacts) -> AnyIntegers:
    """Start at a popular label, then go up to two labels up or down the order at each step; the order is a circle."""
    lengths = np.diff(offsets)
    order = np.arange(facts.labels) if facts.taxonomy is None else facts.taxonomy.tree.leaf_order
    way = np.cumsum(generator.integers(-2, 3, int(offsets[-1])))
    since_start = way - np.repeat(way[offsets[:-1]], lengths)
    starts = np.argsort(order)[popularity.draw(generator, lengths.size)]
    return np.asarray(order[(np.repeat(starts, lengths) + since_start) % facts.labels])


_MANNERS = {
    Behaviour.SESSION: _Manner(
        "People stay at the same label two times in three and otherwise go to a new one", 4.7, 1.2, _session
    ),
    Behaviour.COMMUTER: _Manner("People go back and forth between two labels, one time in five to a third", 6.0, 0.9, _commuter),
    Behaviour.JOURNEY: _Manner("Each record is exactly two different labels, an entry and an exit", 2.0, 1.0, _two_labels),
    Behaviour.WANDERER: _Manner("People go from one label to another one near it", 10.0, 0.9, _wanderer),
}
