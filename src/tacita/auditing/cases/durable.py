"""The durable publisher as a mechanism that can be audited: events arrive, timestamps close, the process stops and starts again.

A release of the publisher is what its output holds. So the audit sees everything between an event and the output: who is counted
in which timestamp, what the journal keeps, and which questions are repeated after a restart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TypeVar

import numpy as np

from tacita.privacy.budget import Budget, Explanation, Plan
from tacita.privacy.guarantee import StatusContexts, TimedEvents
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.publishing import charged, parameters_of, private_release
from tacita.privacy.questions import Question
from tacita.privacy.release import Release
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.streams import Presence, PublishedStream, StreamRecords
from tacita.streams.protection import Protection, contexts_in
from tacita.streams.published import known_errors, known_means
from tacita.streams.publishing import StreamMethod, explained, planned, relation_of
from tacita.streams.questions import Wall
from tacita.streams.service.intake import Settings
from tacita.streams.service.journal import Released
from tacita.streams.service.publisher import Publisher
from tacita.streams.service.sources import Batch

__all__ = ["Durable"]

TEMPORARY = Path(gettempdir()).resolve()
"""Looked up when this is imported: the first look writes a file, which an audit would see."""

IN_MEMORY = Path("/dev/shm")  # noqa: S108 - where an audit publishes, if there is such a place
TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, kw_only=True)
class Durable:
    """A method run by the publisher, which is stopped in the middle and started again if `stops`."""

    method: StreamMethod
    group: int = 1
    stops: bool = True

    @property
    def name(self) -> str:
        """The method's."""
        return self.method.name

    @property
    def runs(self) -> StreamMethod:
        """What it is audited as."""
        return self.method

    @property
    def presence(self) -> Presence:
        """The method's."""
        return self.method.presence

    def relation(self, public: PublicInputs) -> StatusContexts | TimedEvents:
        """The method's."""
        return relation_of(self.method, public)

    def plan(self, budget: Budget, public: PublicInputs) -> Plan:
        """The method's."""
        return planned(self.method, budget, public)

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """The method's."""
        return explained(self.method, budget, public)

    def publish(self, records: StreamRecords, *, budget: Budget, ledger: OpensAccounts | None = None) -> Release[PublishedStream]:
        """Let all events of a recorded stream arrive when they happened; the release is what is out."""
        method, relation = self.method, self.relation(records.public)
        longer = records.longer_windows
        protection = Protection(
            contexts=contexts_in(method.contexts, records.grid),
            presence=method.presence,
            contexts_of=dict(enumerate(longer.values())),
        )
        with charged(
            records, method.name, self.plan(budget, records.public), ledger=ledger, neighbours=None, unit=relation.counted
        ) as account:
            out, events = _Out(), _Arriving(records)

            def publisher(journal: Path) -> Publisher:
                return Publisher(
                    make=lambda wall: method.start(budget, cells=len(records.cells), wall=wall, protection=protection),
                    wall=_Same(account),
                    cells=records.cells,
                    grid=records.grid,
                    journal=journal,
                    outbox=out,
                    settings=Settings(group=self.group, names_people=protection.names_people, now=events.now),
                    reserved=tuple(longer),
                )

            with _own_folder() as folder:
                if self.stops:
                    publisher(folder / "journal").run(events, most=records.grid.intervals // 2)
                publisher(folder / "journal").run(events)
            data = out.published(records)
            return private_release(
                records, data, account, budget=budget, parameters=parameters_of(method), rules=(), relation=relation
            )


@contextmanager
def _own_folder() -> Iterator[Path]:
    """A folder that is gone afterwards: in the one that an audit watches, or where temporary files are."""
    here = Path.cwd()
    is_watched = any(here.is_relative_to(place) for place in (TEMPORARY, IN_MEMORY))
    with TemporaryDirectory(dir=here if is_watched else None) as folder:
        yield Path(folder)


@dataclass
class _Same:
    """The account of a charge, whichever publisher asks: what was paid before a restart is in it already."""

    account: Wall

    def slide(self, step: str, *, tick: int, plan: Plan) -> None:
        """Pass it on."""
        self.account.slide(step, tick=tick, plan=plan)

    def ask(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Pass it on."""
        return self.account.ask(question, truth)


class _Arriving:
    """Events of a recorded stream, each at the time at which it happened, and a clock that ticks without any."""

    is_repeatable = True
    is_live = True

    def __init__(self, records: StreamRecords) -> None:
        """Let these arrive."""
        self._records, self._time = records, records.grid.ticks_start

    def now(self) -> int:
        """The time."""
        return self._time

    def batches(self, since: Mapping[str, int]) -> Iterator[Batch | None]:
        """The events of each timestamp, then nothing for a moment."""
        records, grid = self._records, self._records.grid
        first, labels = since.get("", 0), records.cells.labels
        for place, (low, high) in enumerate(zip(records.starts[:-1], records.starts[1:], strict=True)):
            self._time = grid.ticks_start + place * grid.ticks_interval
            kept = np.arange(max(int(low), first), int(high))
            if kept.size:
                yield Batch(
                    times=np.full(kept.size, self._time, dtype=np.int64),
                    people=[records.ids[person] for person in records.users[kept]],
                    statuses=[labels[cell] for cell in records.places[kept]],
                    offsets=kept,
                    end=int(high),
                )
            yield None
        self._time = grid.ticks_start + grid.intervals * grid.ticks_interval
        yield None

    def commit(self, offsets: Mapping[str, int]) -> None:
        """Nothing is kept."""


@dataclass
class _Out:
    """What is out."""

    held: list[Released] = field(default_factory=list)

    def last(self) -> int:
        """The last timestamp that is out."""
        return self.held[-1].place if self.held else -1

    def put(self, released: Sequence[Released]) -> None:
        """Add timestamps."""
        self.held += released

    def close(self) -> None:
        """It can be opened again."""

    def published(self, records: StreamRecords) -> PublishedStream:
        """All of it."""
        known = [(each.interval, each.deviation) for each in self.held]
        intervals, deviations = known_errors(known, cells=len(records.cells))
        return PublishedStream(
            means=known_means([each.means for each in self.held], cells=len(records.cells)),
            sixteenths=np.array([each.sixteenths for each in self.held], dtype=np.int64),
            measured=np.array([each.measured for each in self.held], dtype=np.bool_),
            intervals=intervals,
            deviations=deviations,
            cells=records.cells,
            grid=records.grid,
        )
