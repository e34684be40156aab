"""The methods of streams: public parameters with the verbs plan, explain and publish, and `start` for a publisher that goes on.

What runs is elsewhere: `pace` (the default), and `schedules` (UNIFORM, Sample, Adj, MMD, MA); the verbs are those of
`publishing`. All protect `contexts` successive contexts of a person, with `presence` public or private; see `protection`.
"event" is event-level privacy, "user" is user-level privacy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.errors import ParameterError
from tacita.privacy.budget import Budget, PureDP
from tacita.privacy.funds import Funds, pays_from
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import Chosen, whole_number
from tacita.streams.pace.bank import DRIFTS, Bank, Rates
from tacita.streams.pace.running import TOTAL_SHARE, Pacing
from tacita.streams.protection import Presence, Protection, checked_contexts, contexts_in
from tacita.streams.published import with_other
from tacita.streams.publishing import StreamMethod, changed, explained, planned, published, relation_of
from tacita.streams.questions import Wall
from tacita.streams.schedules import Evenly, Republishing, Sampling, single_histograms, trailing_means

__all__ = ["Pace", "Republish", "Sample", "Strategy", "Uniform", "check_windows", "protection_of"]


class Strategy(StrEnum):
    """What may stand for a timestamp instead of new counts."""

    ADJACENT = "adjacent"
    SIMILAR = "similar"
    AVERAGE = "average"


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Publish a stream by measuring seldom and well, and filtering in between; nothing is spent on tests.

    Needs: public cells and a public time grid; `contexts`, how many successive contexts of a person are protected together; with
    presence private, `expected_people` helps at the start, a public guess at how many are there, by order of magnitude.
    Guarantees: epsilon-differential privacy of every window of that many contexts, for all that is ever released; with a
    delta, (epsilon, delta) by zero-concentrated privacy, and with a rho that.
    Neighbours: statuses of one person changed in one window (presence public), or all that one person does in one window of
    timestamps (presence changed, or added and removed).
    Budget: all of epsilon -> the measurements of a window, which are as many as past releases say is best; with presence private,
    one twentieth -> the number of people at each timestamp. Filters and rounding are free.
    Not covered: events of one person in two windows together, which cost twice epsilon; with presence public, when a person is
    there; how long a run takes.
    Reference: measurements and a bank of local-level Kalman filters, after Fan and Xiong, FAST, 2014, whose private sampling per
    cell it replaces by a public schedule.

    >>> Pace(contexts=10).explain(PureDP("1")).facts[0]
    "epsilon 1 for what one person's statuses were in any 10 contexts of theirs"
    """

    name: ClassVar[str] = "pace"
    takes_delta: ClassVar[bool] = True

    contexts: int | str
    presence: Chosen[Presence] = Chosen(Presence, Presence.PUBLIC)
    expected_people: int | None = None

    def __post_init__(self) -> None:
        """Check the public parameters."""
        check_windows(self)
        if self.expected_people is not None:
            whole_number(self.expected_people, name="expected_people", least=1)

    def shares(self) -> Mapping[str, Fraction]:
        """All for counts, but for what the number of people costs."""
        if self.presence is Presence.PUBLIC:
            return {"counts": Fraction(1)}
        return {"counts": 1 - TOTAL_SHARE, "total": TOTAL_SHARE}

    def start(self, budget: Budget, *, cells: int, wall: Wall, protection: Protection | None = None) -> Pacing:
        """Begin with nothing published."""
        expected = self.expected_people
        return Pacing(
            protection=protection_of(self, protection), funds=Funds.of(budget), wall=wall, cells=cells, expected=expected
        )

    def compared(self, budget: Budget, public: PublicInputs, *, records: int | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """Both currencies: Gaussian noise is the smaller one if there are many measurements in a window."""
        protection = Protection(contexts=contexts_in(self.contexts, public.grid), presence=self.presence)
        least, contexts = pays_from(budget, Fraction(1, protection.sensitivity)), protection.contexts
        rule = f"noise is smaller with a delta where {least} or more of {contexts:,} contexts are measured"
        add = "add the delta" if isinstance(budget, PureDP) else "the delta pays"
        if contexts < least:
            return (f"{rule}: leave out the delta",)
        if self.expected_people is None or public.universe is None:
            return (f"{rule}, as large counts are: if there are hundreds of people in a cell, {add}; if few, leave it out",)
        cells = len(with_other(public.universe))
        rates = Rates(contexts=contexts, funds=Funds(amount=budget.epsilon), sensitivity=protection.sensitivity)
        counts, weights = np.full(cells, self.expected_people / cells), Bank(cells, people=float(self.expected_people)).weights
        number = rates.best(counts, growth=1.0, drifts=DRIFTS, weights=weights)
        verdict = add if number >= least else "leave out the delta"
        return (f"{rule}; with {self.expected_people:,} people in {cells:,} cells about {number} would be, so {verdict}",)

    plan, explain, relation, changes, publish = planned, explained, relation_of, changed, published


@dataclass(frozen=True, kw_only=True)
class Uniform:
    """Publish every timestamp with the same share of the budget.

    Needs: public cells and a public time grid; `contexts`, how many successive contexts of a person are protected together.
    Guarantees: epsilon-differential privacy of every window of that many contexts, for all that is ever released.
    Neighbours: statuses of one person changed in one window (presence public), or all that one person does in one window of
    timestamps (presence changed, or added and removed).
    Budget: epsilon / contexts -> the counts of every timestamp.
    Not covered: events of one person in two windows together, which cost twice epsilon; with presence public, when a person is
    there; how long a run takes.
    Reference: Li, Quan and Yu, section 3.2 (UNIFORM); see the bibliography.

    >>> Uniform(contexts=4).plan(PureDP("1")).epsilon
    Fraction(1, 1)
    """

    name: ClassVar[str] = "uniform"

    contexts: int | str
    presence: Chosen[Presence] = Chosen(Presence, Presence.PUBLIC)

    def __post_init__(self) -> None:
        """Check the public parameters."""
        check_windows(self)

    def shares(self) -> Mapping[str, Fraction]:
        """The share of epsilon of each kind of question."""
        return {"counts": Fraction(1)}

    def start(self, budget: Budget, *, cells: int, wall: Wall, protection: Protection | None = None) -> Evenly:  # noqa: ARG002 - any cells
        """Begin with nothing published."""
        return Evenly(protection=protection_of(self, protection), epsilon=budget.epsilon, wall=wall)

    plan, explain, relation, changes, publish = planned, explained, relation_of, changed, published


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Publish with all of the budget whenever nobody who is there has spent any, and repeat that in between.

    Needs: public cells and a public time grid; `contexts`, how many successive contexts of a person are protected together.
    Guarantees: epsilon-differential privacy of every window of that many contexts, for all that is ever released.
    Neighbours: statuses of one person changed in one window (presence public), or all that one person does in one window of
    timestamps (presence changed, or added and removed).
    Budget: epsilon -> the counts of one timestamp in every window.
    Not covered: events of one person in two windows together, which cost twice epsilon; with presence public, when a person is
    there; how long a run takes.
    Reference: Kellaris et al. 2014 (Sample); departs from it in waiting for empty windows, because people who are seldom there
    would pay several times epsilon otherwise.

    >>> Sample(contexts=4).plan(PureDP("1")).epsilon
    Fraction(1, 1)
    """

    name: ClassVar[str] = "sample"

    contexts: int | str
    presence: Chosen[Presence] = Chosen(Presence, Presence.PUBLIC)

    def __post_init__(self) -> None:
        """Check the public parameters."""
        check_windows(self)

    def shares(self) -> Mapping[str, Fraction]:
        """The share of epsilon of each kind of question."""
        return {"counts": Fraction(1)}

    def start(self, budget: Budget, *, cells: int, wall: Wall, protection: Protection | None = None) -> Sampling:  # noqa: ARG002 - any cells
        """Begin with nothing published."""
        return Sampling(protection=protection_of(self, protection), epsilon=budget.epsilon, wall=wall)

    plan, explain, relation, changes, publish = planned, explained, relation_of, changed, published


@dataclass(frozen=True, kw_only=True)
class Republish:
    """Publish anew only if nothing that was published before is near: Adj, MMD or MA(k), as corrected.

    Needs: public cells and a public time grid; `contexts`, how many successive contexts of a person are protected together;
    `strategy` adjacent (the last histogram), similar (one of the last `past`) or average (of the last 1 to `past`).
    Guarantees: epsilon-differential privacy of every window of that many contexts, for all that is ever released.
    Neighbours: statuses of one person changed in one window (presence public), or all that one person does in one window of
    timestamps (presence changed, or added and removed).
    Budget: half of epsilon -> distances, in equal parts (and of it half -> choices, if there are several candidates); half ->
    publications, each half of what the fullest window has left. A timestamp that is repeated costs no publication.
    Not covered: events of one person in two windows together, which cost twice epsilon; with presence public, when a person is
    there; how long a run takes.
    Reference: Li, Quan and Yu, Algorithms 1 and 2; departs from them where they are not private: see `schedules`. With
    presence private, adjacent is BD of Kellaris et al. 2014.

    >>> Republish(contexts=4, strategy="average", past=3).shares()
    {'distances': Fraction(1, 4), 'choices': Fraction(1, 4), 'counts': Fraction(1, 2)}
    """

    name: ClassVar[str] = "republish"

    contexts: int | str
    presence: Chosen[Presence] = Chosen(Presence, Presence.PUBLIC)
    strategy: Chosen[Strategy] = Chosen(Strategy, Strategy.ADJACENT)
    past: int | None = None

    @property
    def keep(self) -> int:
        """How many histograms are looked back on."""
        return self.past or {Strategy.ADJACENT: 1, Strategy.SIMILAR: 100, Strategy.AVERAGE: 20}[self.strategy]

    def __post_init__(self) -> None:
        """Check the public parameters."""
        check_windows(self)
        if self.past is not None:
            whole_number(self.past, name="past", least=1, most=10_000)
            if self.strategy is Strategy.ADJACENT and self.past != 1:
                message = f"the adjacent strategy looks back on one histogram, so past must be 1 or be left out, got {self.past}"
                raise ParameterError(message)

    def shares(self) -> Mapping[str, Fraction]:
        """The share of epsilon of each kind of question."""
        if self.keep == 1:
            return {"distances": Fraction(1, 2), "counts": Fraction(1, 2)}
        return {"distances": Fraction(1, 4), "choices": Fraction(1, 4), "counts": Fraction(1, 2)}

    def start(self, budget: Budget, *, cells: int, wall: Wall, protection: Protection | None = None) -> Republishing:  # noqa: ARG002 - any cells
        """Begin with nothing published."""
        candidates = trailing_means if self.strategy is Strategy.AVERAGE else single_histograms
        protection = protection_of(self, protection)
        return Republishing(protection=protection, epsilon=budget.epsilon, wall=wall, candidates=candidates, keep=self.keep)

    plan, explain, relation, changes, publish = planned, explained, relation_of, changed, published


def check_windows(method: StreamMethod) -> None:
    """Check the parameters that every method of streams has, and turn names into what they stand for."""
    object.__setattr__(method, "contexts", checked_contexts(method.contexts))


def protection_of(method: StreamMethod, protection: Protection | None) -> Protection:
    """The protection that was given, or else that of the parameters."""
    if protection is not None:
        return protection
    return Protection(contexts=contexts_in(method.contexts, None), presence=method.presence)
