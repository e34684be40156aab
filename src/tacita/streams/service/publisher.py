"""The loop: read, close timestamps, ask, commit, emit.

*Order.* A timestamp is closed, the mechanism asks its questions, and one record with spend, release and input offsets is synced to the
journal. Only then does the histogram go to the outbox, and only then are offsets committed at the source. What was drawn but not committed
when a process was killed has been seen by nobody, so it is drawn anew; what was committed is never drawn again.

*Groups.* With `group` above 1, up to that many timestamps that are closed already share one sync. The promise is the same, nothing leaves
before it is durable; a crash throws away up to that many draws that nobody has seen.

*Restart.* The journal is read from its last checkpoint on. The mechanism is rebuilt by giving it the recorded answers again, and must arrive at
the recorded histograms, or it refuses to go on. Events of timestamps that were not closed, or whose block sum is still open, are read
again from the source.

*Metrics.* A file in Prometheus' text format, replaced at each commit: timestamps, commits, and the place in the grid. Nothing in it is computed from
events: no numbers of active, late or unknown ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tacita.errors import LedgerDamagedError, ParameterError
from tacita.privacy.ledger.entries import now
from tacita.privacy.ledger.log import AppendLog, Writer
from tacita.privacy.windows import OwnWindows
from tacita.public.parameters import whole_number
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.moments import Moment
from tacita.streams.service.intake import Clock, Closed, Intake, Late
from tacita.streams.service.journal import FORMAT, Released, Remembered, packed_state, unpacked_state
from tacita.streams.service.outbox import Outbox
from tacita.streams.service.people import People
from tacita.streams.service.sources import Source
from tacita.streams.sliding import Ask

__all__ = ["Publisher", "Running", "Settings"]

_CHECKPOINT_AFTER = 4  # times the bytes of a checkpoint


class Running(Protocol):
    """A mechanism that is fed timestamp by timestamp."""

    is_fresh: bool

    def step(self, moment: Moment) -> npt.NDArray[np.int64]:
        """Publish one timestamp."""
        ...

    def state(self) -> Mapping[str, npt.NDArray[np.generic]]:
        """All that must survive a restart."""
        ...

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take up a state that was saved."""
        ...


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a publisher runs; none of it changes what is promised."""

    grace: int = 0
    clock: Clock = Clock.WALL
    late: Late = Late.DROP
    group: int = 1
    names_people: bool = True
    checkpoint_bytes: int = 1 << 22

    def __post_init__(self) -> None:
        """Check the numbers; a clock of events on a stream whose presence is private would show presence."""
        whole_number(self.grace, name="grace", least=0)
        whole_number(self.group, name="group", least=1)


class Publisher:
    """One stream, published from a source to an outbox, with a journal."""

    def __init__(  # noqa: PLR0913 - what it connects
        self,
        *,
        make: Callable[[Ask], Running],
        ask: Ask,
        cells: Universe,
        grid: TimeGrid,
        journal: Path,
        outbox: Outbox,
        settings: Settings,
        metrics: Path | None = None,
        describe: Mapping[str, object] | None = None,
    ) -> None:
        """`make` builds the mechanism around an ask; `ask` is that of the account; `describe` is the promise, for the journal's head."""
        self._ask = ask
        self._log: list[Any] = []
        self._answering: Ask = self._recording
        self._running = make(lambda question, truth: self._answering(question, truth))
        self._cells, self._grid, self._settings = cells, grid, settings
        self._outbox, self._metrics = outbox, metrics
        self._journal = AppendLog(path=journal, kind=FORMAT, noun="stream journal")
        self._describe = dict(describe or {})
        self._people = People()
        self._intake = Intake(cells=cells, grid=grid, grace=settings.grace, clock=settings.clock, late=settings.late)
        self._commits = self._published = 0
        self._since_checkpoint = 0
        self._checkpoint_size = settings.checkpoint_bytes
        self._recent: list[tuple[int, Mapping[str, int]]] = []

    def run(self, source: Source, *, most: int | None = None) -> int:
        """Publish until the source ends, the grid ends, or `most` timestamps are out; give back how many this run published."""
        if self._settings.clock is Clock.WALL and not self._grid.is_of_dates:
            message = "a wall clock needs a time grid of dates; name dates, or take the clock of recorded events"
            raise ParameterError(message)
        with ExitStack() as stack:
            if not self._journal.path.exists():
                self._journal.create([{"kind": "stream", **self._describe}], at=now())
            writer = stack.enter_context(self._journal.writing())
            stack.callback(self._outbox.close)
            batches = self._restored(writer, source)
            for batch in batches:
                if batch is not None:
                    self._intake.add(batch)
                self._close_due(writer, source, self._intake.due(), most)
                if self._is_done(most):
                    return self._published
            if self._settings.clock is Clock.EVENTS:
                self._close_due(writer, source, self._intake.close_all(), most)
        return self._published

    def _is_done(self, most: int | None) -> bool:
        return self._intake.next_place >= self._grid.intervals or (most is not None and self._published >= most)

    def _close_due(self, writer: Writer, source: Source, due: int, most: int | None) -> None:
        left = due if most is None else min(due, most - self._published)
        while left > 0:
            size = min(self._settings.group, left)
            group = [self._release(self._intake.close(self._intake.next_place)) for _ in range(size)]
            self._commit(writer, group)
            self._outbox.put(group)
            source.commit(group[-1].needed)
            self._published += size
            self._write_metrics()
            left -= size

    def _release(self, closed: Closed) -> Released:
        self._log = []
        published = self._running.step(self._moment(closed))
        held = int(getattr(self._running, "held", 0))
        self._recent.append((closed.place, closed.cuts))
        del self._recent[: len(self._recent) - held]
        return Released(
            place=closed.place,
            people=closed.people if self._settings.names_people else [],
            answers=self._log,
            sixteenths=published,
            measured=self._running.is_fresh,
            held=held,
            cuts=closed.cuts,
            needed=self._needed(held),
        )

    def _needed(self, held: int) -> dict[str, int]:
        """From where the source must be read again after a restart: what is pending, and what an open block was made of."""
        needed = self._intake.needed
        if held == 1 or not hasattr(self, "_block_needed"):
            self._block_needed = self._last_needed if held else {}
        if held:
            for partition, offset in self._block_needed.items():
                needed[partition] = min(needed.get(partition, offset), offset)
        self._last_needed = self._intake.needed
        return needed

    def _moment(self, closed: Closed) -> Moment:
        if not self._settings.names_people:
            counts = np.bincount(closed.cells, minlength=len(self._cells)).astype(np.int64)
            return Moment.of_counts(closed.place, counts)
        users = self._people.numbers_of(closed.people)
        order = np.argsort(users)
        return Moment(
            place=closed.place, users=users[order], cells=closed.cells[order].astype(np.intp), size=len(self._cells)
        )

    def _recording(self, question: Any, truth: Any) -> Any:  # noqa: ANN401 - each question has its own
        answer = self._ask(question, truth)
        self._log.append(answer)
        return answer

    def _commit(self, writer: Writer, group: list[Released]) -> None:
        payloads = [each.payload() for each in group]
        if group[-1].held == 0 and self._since_checkpoint >= _CHECKPOINT_AFTER * self._checkpoint_size:
            state = {"kind": "checkpoint", "place": group[-1].place, "needed": group[-1].needed}
            state |= {"people": self._people.state(), "state": packed_state(self._running.state())}
            self._checkpoint_size = max(len(str(state["state"])), self._settings.checkpoint_bytes)
            payloads.append(state)
            self._since_checkpoint = 0
        before = writer.end.end
        writer.append(payloads)
        self._since_checkpoint += writer.end.end - before
        self._commits += 1
        if self._people.is_crowded():
            self._forget()

    def _forget(self) -> None:
        windows = getattr(getattr(self._running, "counts", None), "windows", None)
        if isinstance(windows, OwnWindows):
            self._people.forget(windows.forgettable(), windows.forget)

    def _restored(self, writer: Writer, source: Source) -> Iterator[Any]:
        """Take up what the journal holds, fill the outbox, and give the rest of the source."""
        tail = writer.tail(lambda payload: payload.get("kind") == "checkpoint")
        needed: Mapping[str, int] = {}
        if tail and tail[0].payload["kind"] == "checkpoint":
            state: Any = tail[0].payload
            self._people.restore(state["people"])
            self._running.restore(unpacked_state(str(state["state"])))
            self._intake.resume(int(state["place"]) + 1)
            needed = state["needed"]
        records: list[Any] = [record.payload for record in tail]
        released = [Released.of(payload) for payload in records if payload["kind"] == "release"]
        self._emit_missing(writer, released)
        last = released[-1] if released else None
        batches = source.batches(last.needed if last else needed)
        if last is None or not source.is_repeatable:
            self._replay(released, {})
            return batches
        return self._read_again(released, last, batches)

    def _read_again(self, released: list[Released], last: Released, batches: Iterator[Any]) -> Iterator[Any]:
        """Rebuild what was pending and the open block from the source, then go on with events that were never read."""
        block = {each.place: each.cuts for each in released[len(released) - last.held :]}
        self._intake.resume(last.place + 1)
        fresh = []
        while any(self._behind(last.cuts)):
            batch = next(batches, None)
            if batch is None:
                break
            rest = self._intake.add_again(batch, cuts=block, last=last.cuts)
            if rest is not None:
                fresh.append(rest)
        self._replay(released, {place: self._intake.close(place) for place in block})
        self._last_needed = last.needed
        yield from fresh
        yield from batches

    def _behind(self, cuts: Mapping[str, int]) -> Iterator[bool]:
        return (self._intake.needed_read(partition) < offset for partition, offset in cuts.items())

    def _replay(self, released: list[Released], block: Mapping[int, Closed]) -> None:
        """Give the mechanism its recorded answers again; it must arrive at the recorded histograms."""
        for each in released:
            self._answering = Remembered(each.answers)
            nobody = Closed(place=each.place, people=each.people, cells=np.zeros(len(each.people), dtype=np.int64), cuts=each.cuts)
            closed = block.get(each.place, nobody)
            published = self._running.step(self._moment(closed))
            if not np.array_equal(published, each.sixteenths):
                message = (
                    f"the journal {str(self._journal.path)!r} was written by another method, other parameters or another version: "
                    f"timestamp {each.place} cannot be rebuilt from it; go on with what it was begun with"
                )
                raise LedgerDamagedError(message)
            self._recent.append((each.place, each.cuts))
        self._answering = self._recording
        if released:
            self._intake.resume(released[-1].place + 1)
            if self._people.is_crowded():
                self._forget()

    def _emit_missing(self, writer: Writer, tail: list[Released]) -> None:
        """Hand over what is durable but was not emitted."""
        last = self._outbox.last()
        if tail and tail[0].place <= last + 1:
            missing = [each for each in tail if each.place > last]
        else:
            payloads: Iterator[Any] = (record.payload for record in writer.records())
            missing = [Released.of(each) for each in payloads if each["kind"] == "release" and int(each["place"]) > last]
        if missing:
            self._outbox.put(missing)

    def _write_metrics(self) -> None:
        if self._metrics is None:
            return
        lines = (
            ("tacita_stream_timestamps_total", "counter", self._published),
            ("tacita_stream_commits_total", "counter", self._commits),
            ("tacita_stream_next_place", "gauge", self._intake.next_place),
        )
        text = "".join(f"# TYPE {name} {kind}\n{name} {value}\n" for name, kind, value in lines)
        draft = self._metrics.with_name(f".{self._metrics.name}.partial")
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, self._metrics)
