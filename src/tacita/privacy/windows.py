"""Budgets that slide: at most epsilon in any m successive contexts of one person, counted exactly, and a summary of draws.

A context is one timestamp at which a person takes part. What each of them cost is kept in *quanta*: a budget is 2^40 of them,
and every spend is a whole number, so that sums are 64-bit integers and exact. Three ledgers hold a person to the budget:

    OwnWindows     the window of each person's own last contexts; who takes part when is public
    CommonWindow   one window of timestamps for everybody, present or not: presence is protected too
    EvenShares     the same small share for every context, which needs no memory

Use: `begin` with who takes part now, ask for `room`, `charge` once or several times, `end`. A charge that does not fit is
refused. Skipped contexts cost nothing and make room. A person whose window holds no spend is like a new one, so it may be
forgotten; anybody else must be remembered however long ago it was.

`Tallies` summarise the draws of all time steps for the manifest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from tacita.arrays import Booleans, Integers, Places
from tacita.errors import UnplannedDrawError
from tacita.privacy.budget import Sliding, decimal_text
from tacita.public.parameters import whole_number

__all__ = ["QUANTA", "CommonWindow", "EvenShares", "OwnWindows", "Tallies", "Tally", "Windows", "coarse", "price"]

QUANTA = 2**40
MOST_CONTEXTS = 1_000_000
_KEPT_BITS = 10

State = dict[str, Integers]


def price(quanta: int, budget: Fraction) -> Fraction:
    """What that many quanta of a budget are, exactly.

    >>> price(2**39, Fraction(3))
    Fraction(3, 2)
    """
    return budget * int(quanta) / QUANTA


def coarse(quanta: int) -> int:
    """Round down to ten significant bits: laws of noise are then used again, at a cost of less than a thousandth.

    >>> coarse(1023), coarse(2**40 - 1) < 2**40
    (1023, True)
    """
    shift = max(0, int(quanta).bit_length() - _KEPT_BITS)
    return int(quanta) >> shift << shift


class Windows(Protocol):
    """Whatever says how much the people of a timestamp may still spend."""

    def begin(self, users: Places) -> None:
        """Open a timestamp at which these people take part, each named once."""
        ...

    def room(self) -> Integers:
        """The quanta that each of them may still spend now."""
        ...

    def charge(self, quanta: int, included: Booleans | None = None) -> None:
        """Charge all of them, or those included; refused as a whole if it does not fit."""
        ...

    def end(self) -> None:
        """Close the timestamp; what was not charged is free again."""
        ...

    def state(self) -> State:
        """All that must survive a restart, as it is now: to be written down before the next timestamp."""
        ...

    def restore(self, state: Mapping[str, Integers]) -> None:
        """Take up a state that was saved between two timestamps."""
        ...


class OwnWindows:
    """Each person's own last contexts; `contexts` of them are protected, or another number for single people.

    >>> windows = OwnWindows(contexts=2)
    >>> windows.begin(np.array([0, 7]))
    >>> windows.charge(QUANTA // 2)
    >>> windows.end()
    >>> windows.begin(np.array([7, 8]))
    >>> (windows.room() / QUANTA).tolist()
    [0.5, 1.0]
    """

    def __init__(self, *, contexts: int, longer: Mapping[int, int] | None = None) -> None:
        """`longer` holds the number of contexts of people for whom it is another one."""
        self.contexts = whole_number(contexts, name="contexts", least=1, most=MOST_CONTEXTS)
        self._others = dict(longer or {})
        self.longest = max([contexts, *self._others.values()])
        self._lengths = np.zeros(0, dtype=np.int64)
        self._spent = np.zeros((0, max(self.longest - 1, 1)), dtype=np.int64)
        self._next = np.zeros(0, dtype=np.int64)
        self._sums = np.zeros(0, dtype=np.int64)
        self._users = np.zeros(0, dtype=np.intp)
        self._now = np.zeros(0, dtype=np.int64)

    def begin(self, users: Places) -> None:
        """Open a timestamp at which these people take part, each named once."""
        if users.size:
            self._grow(int(users.max()) + 1)
        self._users = users
        self._now = np.zeros(users.size, dtype=np.int64)

    def room(self) -> Integers:
        """The quanta that each of them may still spend now."""
        return np.asarray(QUANTA - self._sums[self._users] - self._now, dtype=np.int64)

    def charge(self, quanta: int, included: Booleans | None = None) -> None:
        """Charge all of them, or those included; refused as a whole if it does not fit."""
        who = np.ones(self._users.size, dtype=np.bool_) if included is None else included
        if quanta < 0 or np.any(self.room()[who] < quanta):
            raise _too_much()
        self._now[who] += quanta

    def end(self) -> None:
        """Close the timestamp; what was not charged is free again."""
        long = self._lengths[self._users] > 1
        users, now = self._users[long], self._now[long]
        places = self._next[users]
        self._sums[users] += now - self._spent[users, places]
        self._spent[users, places] = now
        places += 1
        places[places >= self._lengths[users] - 1] = 0
        self._next[users] = places
        self._users, self._now = self._users[:0], self._now[:0]

    def forgettable(self) -> Places:
        """Who has spent nothing in the whole window: such a person is like a new one."""
        return np.flatnonzero(self._sums == 0)

    def forget(self, users: Places) -> None:
        """Make people new; those who have spent something are refused."""
        if np.any(self._sums[users]):
            message = "a person whose window holds a spend must be remembered; only others can be forgotten"
            raise UnplannedDrawError(message)
        self._next[users] = 0

    def state(self) -> State:
        """All that must survive a restart."""
        return {"spent": self._spent, "next": self._next}

    def restore(self, state: Mapping[str, Integers]) -> None:
        """Take up a state that was saved between two timestamps."""
        self._grow(state["next"].size)
        self._spent[: state["next"].size] = state["spent"]
        self._next[: state["next"].size] = state["next"]
        self._sums = self._spent.sum(axis=1)

    def _grow(self, people: int) -> None:
        have = self._sums.size
        if people <= have:
            return
        more = max(people, 2 * have) - have
        lengths = np.full(more, self.contexts, dtype=np.int64)
        for user, contexts in self._others.items():
            if have <= user < have + more:
                lengths[user - have] = contexts
        self._lengths = np.concatenate([self._lengths, lengths])
        self._spent = np.concatenate([self._spent, np.zeros((more, self._spent.shape[1]), dtype=np.int64)])
        self._next = np.concatenate([self._next, np.zeros(more, dtype=np.int64)])
        self._sums = np.concatenate([self._sums, np.zeros(more, dtype=np.int64)])


class CommonWindow:
    """One window of timestamps for everybody: what any person could have lost, no matter who was there."""

    def __init__(self, *, contexts: int) -> None:
        """At most all quanta in any `contexts` successive timestamps."""
        self.contexts = self.longest = whole_number(contexts, name="contexts", least=1, most=MOST_CONTEXTS)
        self._spent: deque[int] = deque(maxlen=contexts - 1)
        self._sum = 0
        self._now = 0

    def begin(self, users: Places) -> None:  # noqa: ARG002 - who is there must not matter
        """Open a timestamp."""
        self._now = 0

    def room(self) -> Integers:
        """The quanta that may still be spent now, as an array of one."""
        return np.array([QUANTA - self._sum - self._now], dtype=np.int64)

    def charge(self, quanta: int, included: Booleans | None = None) -> None:
        """Charge everybody; leaving people out would depend on who is there."""
        if included is not None:
            message = "nobody can be left out where presence is protected"
            raise UnplannedDrawError(message)
        if quanta < 0 or quanta > self.room()[0]:
            raise _too_much()
        self._now += int(quanta)

    def end(self) -> None:
        """Close the timestamp; what was not charged is free again."""
        if self.contexts > 1:
            if len(self._spent) == self.contexts - 1:
                self._sum -= self._spent[0]
            self._spent.append(self._now)
            self._sum += self._now
        self._now = 0

    def state(self) -> State:
        """All that must survive a restart."""
        return {"spent": np.array(self._spent, dtype=np.int64)}

    def restore(self, state: Mapping[str, Integers]) -> None:
        """Take up a state that was saved between two timestamps."""
        self._spent = deque(state["spent"].tolist(), maxlen=self.contexts - 1)
        self._sum = sum(self._spent)


class EvenShares:
    """The same share for every context of everybody: m of them are the budget at the most, whatever happened before."""

    def __init__(self, *, contexts: int) -> None:
        """`contexts` is the longest window of anybody."""
        self.contexts = self.longest = whole_number(contexts, name="contexts", least=1, most=MOST_CONTEXTS)
        self._now = 0

    def begin(self, users: Places) -> None:  # noqa: ARG002 - the same share for all
        """Open a timestamp."""
        self._now = 0

    def room(self) -> Integers:
        """The quanta that may still be spent now, as an array of one."""
        return np.array([QUANTA // self.contexts - self._now], dtype=np.int64)

    def charge(self, quanta: int, included: Booleans | None = None) -> None:  # noqa: ARG002 - at most this for each
        """Charge; leaving people out changes nothing for the others."""
        if quanta < 0 or quanta > self.room()[0]:
            raise _too_much()
        self._now += int(quanta)

    def end(self) -> None:
        """Close the timestamp."""
        self._now = 0

    def state(self) -> State:
        """Nothing must survive."""
        return {}

    def restore(self, state: Mapping[str, Integers]) -> None:
        """Nothing to take up."""


def _too_much() -> UnplannedDrawError:
    return UnplannedDrawError("a charge must fit into the window of everybody whom it concerns; it was refused as a whole")


# Tallies: the draws of a sliding part in a few lines.
#
# A stream draws for months, so its draws are not kept one by one. What is kept depends on the questions, never on the answers,
# so a manifest may say it. The journal of a stream saves it, so that counting continues after a restart.


@dataclass(kw_only=True)
class Tally:
    """The draws of one step in all time steps: their number, the first and last time step, the least and the largest price."""

    within: str
    draws: int
    first: int
    last: int
    least: tuple[Fraction, str]
    most: tuple[Fraction, str]
    """An amount of the part's currency, with the law of the noise in words."""

    def note(self, part: Sliding) -> str:
        """What was drawn in all, and what any window of it costs."""
        least, most = decimal_text(self.least[0]), decimal_text(self.most[0])
        prices = f"{part.currency} {most} each" if least == most else f"{part.currency} {least} to {most} each"
        when = f"time step {self.first}" if self.first == self.last else f"time steps {self.first} to {self.last}"
        draws = "1 draw" if self.draws == 1 else f"{self.draws:,} draws"
        whose = "successive time steps" if part.common else "successive contexts of one person"
        return f"{draws} in {when}, {prices}; any {part.ticks:,} {whose} cost at most {decimal_text(part.amount)}"

    @property
    def noise(self) -> str:
        """The law in words, or the two laws between which the others are."""
        return self.most[1] if self.least[1] == self.most[1] else f"from {self.most[1]} to {self.least[1]}"


@dataclass
class Tallies:
    """One tally per step that was drawn in a time step."""

    of: dict[str, Tally] = field(default_factory=dict)

    def add(self, step: str, *, within: str, tick: int, price: Fraction, noise: str) -> None:
        """Count one draw; its price is an amount of the part's currency."""
        paid, known = (price, noise), self.of.get(step)
        if known is None:
            self.of[step] = Tally(within=within, draws=1, first=tick, last=tick, least=paid, most=paid)
            return
        known.draws += 1
        known.last = tick
        if price < known.least[0]:
            known.least = paid
        elif price > known.most[0]:
            known.most = paid

    def as_json(self) -> dict[str, object]:
        """The tallies as a journal holds them."""
        return {
            step: {
                "within": tally.within,
                "draws": tally.draws,
                "first": tally.first,
                "last": tally.last,
                "least": [str(tally.least[0]), tally.least[1]],
                "most": [str(tally.most[0]), tally.most[1]],
            }
            for step, tally in self.of.items()
        }

    def restore(self, held: Mapping[str, Any]) -> None:
        """Take up tallies that were saved."""
        for step, tally in held.items():
            least, most = ((Fraction(tally[name][0]), str(tally[name][1])) for name in ("least", "most"))
            draws, first, last = (int(tally[name]) for name in ("draws", "first", "last"))
            self.of[step] = Tally(within=str(tally["within"]), draws=draws, first=first, last=last, least=least, most=most)
