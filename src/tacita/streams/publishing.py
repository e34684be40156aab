"""What every method of streams does around its own work: the plan, the guarantee, and a whole stream at once.

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

from tacita.errors import LedgerError, ParameterError
from tacita.privacy.budget import Budget, Plan, PureDP, Sequential, Sliding, decimal_text
from tacita.privacy.explanation import Explanation
from tacita.privacy.ledger import Ledger, OpensAccounts
from tacita.privacy.neighbours import Neighbours, StatusContexts, TimedEvents, require
from tacita.privacy.publishing import Progress, charged, parameters_of, private_release, require_pure
from tacita.privacy.release import Release
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.streams.moments import Moment
from tacita.streams.protection import Presence, Protection
from tacita.streams.published import PublishedStream
from tacita.streams.records import StreamRecords
from tacita.streams.sliding import Wall

__all__ = ["Running", "StreamMethod", "planned", "publish_stream", "relation_of", "window_words"]


class Running(Protocol):
    """A method that is fed timestamp by timestamp."""

    @property
    def is_fresh(self) -> bool:
        """Whether the last timestamp was measured rather than repeated."""
        ...

    @property
    def held(self) -> int:
        """How many timestamps back the data is still needed."""
        ...

    def abandon_block(self) -> None:
        """Go on without that data."""
        ...

    def step(self, moment: Moment) -> npt.NDArray[np.int64]:
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
    def contexts(self) -> int:
        """How many successive contexts are protected together."""
        ...

    @property
    def presence(self) -> Presence:
        """Whether presence is public, or what else two neighbouring streams may differ in."""
        ...

    def shares(self) -> Mapping[str, Fraction]:
        """The share of epsilon of each kind of question."""
        ...

    def start(self, budget: PureDP, *, cells: int, wall: Wall, protection: Protection | None = None) -> Running:
        """Begin with nothing published."""
        ...


def planned(method: StreamMethod, budget: Budget, *, name: str) -> Plan:
    """One part that slides for each kind of question."""
    epsilon = require_pure(budget, method=f"{name} proves").epsilon
    common = method.presence is not Presence.PUBLIC
    parts = tuple(
        Sliding(name=step, epsilon=epsilon * share, ticks=method.contexts, common=common)
        for step, share in method.shares().items()
    )
    return parts[0] if len(parts) == 1 else Sequential(name="a window", parts=parts)


def relation_of(method: StreamMethod) -> Neighbours:
    """What the method proves."""
    if method.presence is Presence.PUBLIC:
        return StatusContexts(contexts=method.contexts)
    return TimedEvents(timestamps=method.contexts, replaces=method.presence is Presence.CHANGED)


def window_words(method: StreamMethod, epsilon: Fraction, grid: TimeGrid | None) -> str:
    """The promise as people say it, such as epsilon 1 per person per week."""
    if method.presence is Presence.PUBLIC:
        return (
            f"epsilon {decimal_text(epsilon)} for what one person's statuses were in any {method.contexts:,} contexts of theirs"
        )
    length = f"{method.contexts:,} timestamps"
    if grid is not None and not isinstance(grid.interval, int):
        length = _duration(method.contexts * grid.interval.total_seconds())
    return f"epsilon {decimal_text(epsilon)} per person per {length}, presence included"


def explained(
    method: StreamMethod, budget: Budget, public: PublicInputs, *, name: str, facts: tuple[str, ...] = ()
) -> Explanation:
    """The plan with the promise in words, and what is known of the noise."""
    plan = planned(method, budget, name=name)
    promise = window_words(method, budget.epsilon, public.grid)
    return Explanation(title=f"{name}, {budget}", plan=plan, facts=(promise, *facts))


def publish_stream(  # noqa: PLR0913 - what every method is given
    method: StreamMethod,
    records: StreamRecords,
    *,
    name: str,
    budget: Budget,
    ledger: OpensAccounts | None,
    neighbours: Neighbours | None,
    progress: Progress | None,
) -> Release[PublishedStream]:
    """Publish all timestamps of a recorded stream."""
    plan, relation = planned(method, budget, name=name), relation_of(method)
    if neighbours is not None and neighbours != relation:
        require(neighbours, proved=(type(relation),), mechanism=name)
        message = f"{name} with these parameters proves its guarantee for {relation}, not for {neighbours}"
        raise ParameterError(message)
    protection = records.protection(method.contexts, method.presence)
    with charged(records, name, plan, ledger=ledger, neighbours=None) as account:
        running = method.start(require_pure(budget, method=name), cells=len(records.cells), wall=account, protection=protection)
        histograms = np.zeros((records.grid.intervals, len(records.cells)), dtype=np.int64)
        measured = np.zeros(records.grid.intervals, dtype=np.bool_)
        for moment in records.moments():
            histograms[moment.place] = running.step(moment if protection.names_people else moment.without_people())
            measured[moment.place] = running.is_fresh
            if progress is not None:
                progress(moment.place + 1, records.grid.intervals)
        data = PublishedStream(sixteenths=histograms, measured=measured, cells=records.cells, grid=records.grid)
        rules = () if protection.names_people else ("nobody was named to the method: it saw the counts of all cells only",)
        release = private_release(
            records, data, account, budget=budget, parameters=parameters_of(method), rules=rules, relation=relation
        )
    if isinstance(ledger, Ledger):
        with suppress(LedgerError):  # it counts as spent in any case, and the release must not be lost
            ledger.finish(account.charge_id)  # a recorded stream is published once, though its plan could go on
    return release


def _duration(seconds: float) -> str:
    for unit, length in (("week", 604_800), ("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)):
        if seconds % length == 0 and seconds >= length:
            number = int(seconds // length)
            return unit if number == 1 else f"{number:,} {unit}s"
    return f"{seconds:g} seconds"
