"""The verbs that all methods of streams share: `plan`, `explain`, `relation` and `publish`, each written once.

A method is its public parameters, how it shares out epsilon, and `start`; its class takes the verbs from here.

A plan has one part that slides for each kind of question: at most so much in any window. With presence public, the windows are
each person's own, which the account cannot know, and the windows of the mechanism hold them; with presence private they are
common, and the account adds them up a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tacita.arrays import Integers, Reals
from tacita.errors import LedgerError, ParameterError
from tacita.privacy.budget import Budget, Explanation, Plan, PureDP, Sequential, Sliding, ZeroConcentrated, decimal_text
from tacita.privacy.estimates import Interval
from tacita.privacy.funds import Funds, compared
from tacita.privacy.guarantee import Neighbours, StatusContexts, TimedEvents, require
from tacita.privacy.laws import Change, Law
from tacita.privacy.ledger import Ledger, OpensAccounts
from tacita.privacy.publishing import Progress, charged, parameters_of, private_release, require_pure, require_records_of
from tacita.privacy.release import Release
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.streams.protection import Level, Presence, Protection, advice, contexts_in
from tacita.streams.published import PublishedStream, known_errors, known_means, with_other
from tacita.streams.questions import Wall
from tacita.streams.records import Moment, StreamRecords

__all__ = ["Running", "StreamMethod", "changed", "explained", "level_rule", "planned", "published", "relation_of", "window_words"]


class Running(Protocol):
    """A method that is fed timestamp by timestamp."""

    @property
    def is_fresh(self) -> bool:
        """Whether the last timestamp was measured rather than repeated."""
        ...

    @property
    def interval(self) -> Interval | None:
        """Where the last true counts lie in at least 95 of 100 cases, by the law of the noise; None where it does not say so."""
        ...

    @property
    def deviation(self) -> Reals | None:
        """How far off a method expects its last counts to be by a model of its own, in the root of the mean square."""
        ...

    @property
    def means(self) -> Integers | None:
        """The last counts as a method expects them in the mean, in thousandths, if it does; sums of them are right."""
        ...

    @property
    def held(self) -> int:
        """How many timestamps back the data is still needed."""
        ...

    def abandon_block(self) -> None:
        """Go on without that data."""
        ...

    def step(self, moment: Moment) -> Integers:
        """Publish one timestamp, in sixteenths."""
        ...

    def state(self) -> Mapping[str, npt.NDArray[Any]]:
        """All that must survive a restart."""
        ...

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take up a state that was saved."""
        ...


class StreamMethod(Protocol):
    """Public parameters of a method of streams."""

    @property
    def name(self) -> str:
        """How the method is called in a manifest."""
        ...

    @property
    def contexts(self) -> int | str:
        """How many successive contexts are protected together, or a level by its name."""
        ...

    @property
    def presence(self) -> Presence:
        """Whether presence is public, or what else two neighbouring streams may differ in."""
        ...

    def shares(self) -> Mapping[str, Fraction]:
        """The share of epsilon of each kind of question."""
        ...

    def start(self, budget: Budget, *, cells: int, wall: Wall, protection: Protection | None = None) -> Running:
        """Begin with nothing published."""
        ...


def planned(method: StreamMethod, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
    """Where the budget of a window goes: one part that slides for each kind of question."""
    funds = _funds(method, budget, public)
    common = method.presence is not Presence.PUBLIC
    ticks = contexts_in(method.contexts, public.grid)
    parts = tuple(
        Sliding(name=step, epsilon=cost.epsilon, rho=cost.rho, ticks=ticks, common=common)
        for step, cost in ((step, funds.step(step, share).cost) for step, share in method.shares().items())
    )
    return parts[0] if len(parts) == 1 else Sequential(name="a window", parts=parts)


def _funds(method: StreamMethod, budget: Budget, public: PublicInputs = UNKNOWN) -> Funds:
    """What a method may spend in a window: a rho if it takes one."""
    if not _takes_delta(method):
        require_pure(budget, public, method=f"{method.name} proves")
    instance_of(public, PublicInputs, name="what is public")
    return Funds.of(budget)


def _takes_delta(method: StreamMethod) -> bool:
    """Whether a budget may have a delta, which buys Gaussian noise; methods that do not say so take none."""
    takes_delta: bool = getattr(method, "takes_delta", False)
    return takes_delta


def relation_of(method: StreamMethod, public: PublicInputs = UNKNOWN) -> StatusContexts | TimedEvents:
    """Which streams are neighbours: what the method proves."""
    contexts = contexts_in(method.contexts, public.grid)
    if method.presence is Presence.PUBLIC:
        return StatusContexts(contexts=contexts)
    return TimedEvents(timestamps=contexts, replaces=method.presence is Presence.CHANGED)


def changed(method: StreamMethod, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG001 - as all
    """How far one context changes what is asked of a timestamp; None for a step that there is not.

    Where the number of people is asked for, and where nothing is decided by earlier answers, all timestamps pay the same.
    """
    part = step.removesuffix(" of a timestamp")
    if part == step or part not in method.shares():
        return None
    law = {"distances": Law.BIT, "choices": Law.CHOICE}.get(part, Law.COUNTS)
    least = 1 if method.presence is Presence.ADDED or part == "total" else 2
    even = part != "counts" or method.name == "uniform"
    share = Fraction(1, contexts_in(method.contexts, public.grid)) if even else Fraction(1)
    return Change(law=law, least=least, squares=least, part=part, share=share)


def explained(method: StreamMethod, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
    """The plan with the promise in words, what is not protected, and which method to use. Spends nothing."""
    facts = [window_words(method, budget, public.grid), *level_rule(method)]
    if method.presence is Presence.PUBLIC:
        facts.append(
            "when a person is active is NOT protected: this ledger takes it as known to everybody, and noise, prices and timing "
            "may show it; presence changed or added protects it too"
        )
    told = advice(
        method.name,
        epsilon=budget.epsilon,
        contexts=contexts_in(method.contexts, public.grid),
        presence=method.presence,
        cells=None if public.universe is None else len(with_other(public.universe)),
        people=getattr(method, "expected_people", None),
    )
    contexts = contexts_in(method.contexts, public.grid)
    of = f"a count, if {contexts:,} timestamps share the budget alike"
    changes = 1 if method.presence is Presence.ADDED else 2  # a status that changes is in another cell
    both: tuple[str, ...] = ()
    if not _takes_delta(method):
        both = (compared(budget, lambda funds: funds.deviation(1 / (changes * contexts)), of=of, takes_delta=False),)
    return Explanation(title=f"{method.name}, {budget}", plan=planned(method, budget, public), facts=(*facts, *told, *both))


def window_words(method: StreamMethod, budget: Budget, grid: TimeGrid | None) -> str:
    """The promise as people say it, such as epsilon 1 per person per week."""
    contexts, named = contexts_in(method.contexts, grid), ("epsilon", "delta")[: 1 if isinstance(budget, PureDP) else 2]
    promised = ", ".join(f"{name} {decimal_text(getattr(budget, name))}" for name in named)
    if isinstance(budget, ZeroConcentrated):
        promised = f"rho {decimal_text(budget.rho)}"
    if method.presence is Presence.PUBLIC:
        whose = "one context" if contexts == 1 else f"any {contexts:,} contexts"
        return f"{promised} for what one person's statuses were in {whose} of theirs"
    length = f"{contexts:,} timestamps"
    if grid is not None and not isinstance(grid.interval, int):
        length = _duration(contexts * grid.interval.total_seconds())
    return f"{promised} per person per {length}, presence included"


def level_rule(method: StreamMethod) -> tuple[str, ...]:
    """The name of the level, where the method was given one."""
    if method.contexts == Level.EVENT:
        return ("event-level privacy: any one context of a person is protected, and several of them together less",)
    if method.contexts == Level.USER:
        return ("user-level privacy: all that a person does in the whole time grid is protected together",)
    return ()


def published(
    method: StreamMethod,
    records: StreamRecords,
    *,
    budget: Budget,
    ledger: OpensAccounts | None = None,
    neighbours: Neighbours | None = None,
    progress: Progress | None = None,
) -> Release[PublishedStream]:
    """Publish a recorded stream, timestamp by timestamp."""
    require_records_of(records, StreamRecords, method=method.name)
    plan, relation = planned(method, budget, records.public), relation_of(method, records.public)
    if neighbours is not None and neighbours != relation:
        require(neighbours, proved=(type(relation),), mechanism=method.name)
        message = f"{method.name} with these parameters proves its guarantee for {relation}, not for {neighbours}"
        raise ParameterError(message)
    protection = records.protection(contexts_in(method.contexts, records.grid), method.presence)
    with charged(records, method.name, plan, ledger=ledger, neighbours=None, unit=relation.counted) as account:
        running = method.start(budget, cells=len(records.cells), wall=account, protection=protection)
        data = _run(running, records, protection, progress)
        rules = () if protection.names_people else ("nobody was named to the method: it saw the counts of all cells only",)
        release = private_release(
            records,
            data,
            account,
            budget=budget,
            parameters=parameters_of(method),
            rules=(*level_rule(method), *rules),
            relation=relation,
        )
    if isinstance(ledger, Ledger):
        with suppress(LedgerError):  # it counts as spent in any case, and the release must not be lost
            ledger.finish(account.charge_id)  # a recorded stream is published once, though its plan could go on
    return release


def _run(running: Running, records: StreamRecords, protection: Protection, progress: Progress | None) -> PublishedStream:
    """Every timestamp of the stream, in order."""
    histograms = np.zeros((records.grid.intervals, len(records.cells)), dtype=np.int64)
    measured = np.zeros(records.grid.intervals, dtype=np.bool_)
    known, means = [], []
    for moment in records.moments():
        histograms[moment.place] = running.step(moment if protection.names_people else moment.without_people())
        measured[moment.place] = running.is_fresh
        known.append((running.interval, running.deviation))
        means.append(running.means)
        if progress is not None:
            progress(moment.place + 1, records.grid.intervals)
    intervals, deviations = known_errors(known, cells=len(records.cells))
    return PublishedStream(
        sixteenths=histograms,
        measured=measured,
        means=known_means(means, cells=len(records.cells)),
        intervals=intervals,
        deviations=deviations,
        cells=records.cells,
        grid=records.grid,
    )


def _duration(seconds: float) -> str:
    for unit, length in (("week", 604_800), ("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)):
        if seconds % length == 0 and seconds >= length:
            number = int(seconds // length)
            return unit if number == 1 else f"{number:,} {unit}s"
    return f"{seconds:g} seconds"
