"""The loop: read, close timestamps, ask, commit, emit.

*Order.* A timestamp is closed, the mechanism asks its questions, and one record with spend, release and input offsets is synced
to the journal. Then the ledger notes that this journal has come so far (see `binding`: a copy of it is refused). Only then does
the histogram go to the outbox, and only then are offsets committed at the source. What was drawn
but not committed when a process was killed has been seen by nobody, so it is drawn anew; what was committed is never drawn
again.

*Groups.* With `group` above 1, up to that many timestamps that are closed already share one sync. The promise is the same,
nothing leaves before it is durable; a crash throws away up to that many draws that nobody has seen.

*Once.* What is out is a witness: if the outbox holds a timestamp that the journal lacks, an older state was put back, and
nothing is drawn. Journal and ledger are witnesses of each other: the ledger's chain is told how far the journal has come, and the
journal keeps which entry of the ledger says so.

*Restart.* The journal is read from its last checkpoint on. The mechanism is rebuilt by giving it the recorded answers again,
and must arrive at the recorded histograms, or it refuses to go on; a checkpoint holds what the account had been told before it.
Events of timestamps that were not closed, or whose block sum is still open, are read again from the source.

*Metrics.* A file in Prometheus' text format, replaced at each commit: timestamps, commits, measurements, draws, and the place in
the grid. Nothing in it is computed from events: no numbers of active, late or unknown ones.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from tacita.errors import LedgerDamagedError, LedgerError
from tacita.gate import told
from tacita.privacy.account import Account
from tacita.privacy.ledger import Binding, Told
from tacita.privacy.ledger.entries import now
from tacita.privacy.ledger.log import AppendLog, Writer
from tacita.privacy.windows import OwnWindows, Tallies
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.publishing import Running
from tacita.streams.questions import Wall
from tacita.streams.records import Moment
from tacita.streams.service.intake import Clock, Closed, Intake, People, Settings
from tacita.streams.service.journal import FORMAT, Paid, Recorded, Released, Remembered, Switch, packed_state, unpacked_state
from tacita.streams.service.outbox import Outbox, replace_file
from tacita.streams.service.sources import Batch, Offsets, Source

__all__ = ["Publisher"]

_CHECKPOINT_AFTER = 4  # times the bytes of a checkpoint
_REPORT_SECONDS = 5.0
_PROGRESS_SECONDS = 10.0
_EMITTED = 256  # timestamps at a time that an outbox lacked: it may lack all
_AHEAD = 1 << 20  # bytes of zeros behind the end of the journal


class Publisher:
    """One stream, published from a source to an outbox, with a journal."""

    def __init__(  # noqa: PLR0913 - what it connects
        self,
        *,
        make: Callable[[Wall], Running],
        wall: Wall,
        cells: Universe,
        grid: TimeGrid,
        journal: Path,
        outbox: Outbox,
        settings: Settings,
        metrics: Path | None = None,
        binding: Binding | None = None,
        moved: bool = False,
        reserved: Sequence[str] = (),
        report: Callable[[], None] | None = None,
    ) -> None:
        """`make` builds the mechanism around a wall; `wall` is an account; `binding` refuses copies of the journal.

        `moved` says that the journal was moved here; `reserved` are the ids of people who keep the first numbers; `report` is
        called at the start, at the end and from time to time, to write down what was drawn so far.
        """
        self._wall = wall
        self._recording = Recorded(wall)
        self._switch = Switch(self._recording)
        self._running = make(self._switch)
        self._cells, self._grid, self._settings = cells, grid, settings
        self._outbox, self._metrics = outbox, metrics
        self._journal = AppendLog(path=journal, kind=FORMAT, noun="stream journal", ahead=_AHEAD, mode=0o600)
        self._binding, self._moved = binding, moved
        self._report, self._reported = report, 0.0
        self._told: Told | None = None
        self._told_at = 0.0
        self._people = People(reserved)
        self._intake = Intake(cells=cells, grid=grid, grace=settings.grace, clock=settings.clock, now=settings.now)
        self._commits = self._published = self._measured = 0
        self._since_checkpoint = 0
        self._checkpoint_size = settings.checkpoint_bytes
        self._block_from: dict[str, int] = {}

    def run(self, source: Source, *, most: int | None = None) -> int:
        """Publish until the source ends, the grid ends, or `most` timestamps are out; give back how many this run published."""
        with ExitStack() as stack:
            stack.callback(self._outbox.close)
            self._settings.check(source, self._grid)
            if not self._journal.is_there:
                self._journal.create([{"kind": "stream"}], at=now())
            writer = stack.enter_context(self._journal.writing())
            if self._binding is not None:
                stack.callback(self._binding.close)
                self._binding.take_up(writer, moved=self._moved)
            batches = self._restored(writer, source)
            self._tell_ledger(writer)
            stack.callback(self._tell_ledger_at_the_end, writer)
            self._report_now()
            stack.callback(self._report_now)
            for batch in batches:
                if batch is not None:
                    self._intake.add(batch)
                self._close_due(writer, source, self._intake.due(), most)
                if self._is_done(most):
                    return self._published
            if self._settings.clock is Clock.EVENTS:
                self._close_due(writer, source, self._intake.close_all(), most)
        return self._published

    def history(self) -> Iterator[tuple[Released, Running]]:
        """All timestamps of the journal from the first on, each with the mechanism behind it; nothing is drawn.

        Nobody else may add to the journal meanwhile.
        """
        with self._journal.writing() as writer:
            if self._binding is not None:
                self._binding.take_up(writer, moved=self._moved)
            try:
                for record in writer.records():
                    if record.payload["kind"] == "release":
                        with self._damage():
                            released = Released.of(record.payload)
                            self._replay([released], {})
                        yield released, self._running
            finally:
                if self._binding is not None:
                    self._binding.close()

    def _report_now(self) -> None:
        if self._report is not None:
            self._report()
        self._reported = time.monotonic()

    def _tell_ledger(self, writer: Writer) -> None:
        """Let ledger and journal be witnesses of each other: how far this one has come, and which entry of that one says so."""
        told = None if self._binding is None else self._binding.report()
        if told is not None and self._binding is not None:
            self._told = told
            writer.append([{"kind": "ledger", "entry": told[0], "chained": told[1]}])
            self._binding.move(writer.end)
        self._told_at = time.monotonic()

    def _tell_ledger_at_the_end(self, writer: Writer) -> None:
        with suppress(LedgerError, OSError):  # the note beside the ledger says as much, and why the run ended matters more
            self._tell_ledger(writer)

    def _is_done(self, most: int | None) -> bool:
        return self._intake.next_place >= self._grid.intervals or (most is not None and self._published >= most)

    def _close_due(self, writer: Writer, source: Source, due: int, most: int | None) -> None:
        left = due if most is None else min(due, most - self._published)
        while left > 0:
            group: list[Released] = []
            while len(group) < min(self._settings.group, left):
                group.append(self._release())
                if self._can_checkpoint(group[-1]):
                    break
            self._commit(writer, group)
            self._outbox.put(group)
            source.commit(group[-1].needed)
            self._published += len(group)
            self._measured += sum(each.measured for each in group)
            self._write_metrics()
            if time.monotonic() - self._reported > _REPORT_SECONDS:
                self._report_now()
            if time.monotonic() - self._told_at > _PROGRESS_SECONDS:
                self._tell_ledger(writer)
            left -= len(group)

    def _release(self) -> Released:
        before = self._intake.needed
        closed = self._intake.close(self._intake.next_place)
        self._recording.answers = []
        moment, new = self._moment(closed)
        published = self._running.step(moment)
        self._forget_if_crowded()
        held = self._running.held
        if held <= 1:
            self._block_from = before if held else {}
        self._intake.forget_late(closed.place + 1 - held)
        return Released(
            place=closed.place,
            users=moment.users,
            new_people=new,
            answers=self._recording.answers,
            sixteenths=published,
            interval=self._running.interval,
            deviation=self._running.deviation,
            means=self._running.means,
            measured=self._running.is_fresh,
            held=held,
            cuts=closed.cuts,
            needed=_earliest(self._intake.needed, self._block_from),
            clock=closed.clock,
            waiting=self._intake.waiting,
        )

    def _moment(self, closed: Closed) -> tuple[Moment, Mapping[str, int]]:
        """A timestamp as the mechanism meets it, and who was never there before."""
        if not self._settings.names_people:
            counts = np.bincount(closed.cells, minlength=len(self._cells)).astype(np.int64)
            return Moment.of_counts(closed.place, counts), {}
        users, new = self._people.numbers_of(closed.people)
        order = np.argsort(users)
        cells = closed.cells[order].astype(np.intp)
        return Moment(place=closed.place, users=users[order], cells=cells, size=len(self._cells)), new

    def _can_checkpoint(self, last: Released) -> bool:
        return last.held == 0 and self._since_checkpoint >= _CHECKPOINT_AFTER * self._checkpoint_size

    def _commit(self, writer: Writer, group: list[Released]) -> None:
        payloads, last = [each.payload() for each in group], group[-1]
        if self._can_checkpoint(last):
            packed = packed_state(self._running.state())
            facts = {
                "place": last.place,
                "cuts": last.cuts,
                "needed": last.needed,
                "clock": last.clock,
                "waiting": last.waiting,
                "people": self._people.state(),
                "ledger": self._told,
            }
            payloads.append({"kind": "checkpoint", **facts, "state": packed, "account": self._account_state()})
            self._checkpoint_size = max(len(packed), self._settings.checkpoint_bytes)
            self._since_checkpoint = 0
        before = writer.end.end
        writer.append(payloads)
        if self._binding is not None:
            self._binding.move(writer.end)
        self._since_checkpoint += writer.end.end - before
        self._commits += 1

    def _account_state(self) -> dict[str, object]:
        """What the account was told so far: what the time steps of its windows cost, and what was drawn in all."""
        if not isinstance(self._wall, Account):
            return {}
        windows = self._wall.windows.items()
        paid = {step: [[tick, str(epsilon)] for tick, epsilon in window.spends] for step, window in windows}
        return {"paid": paid, "drawn": self._wall.tallies.as_json()}

    def _restore_account(self, held: Mapping[str, Any]) -> None:
        if isinstance(self._wall, Account) and held:
            paid = {step: [(int(tick), Fraction(epsilon)) for tick, epsilon in ticks] for step, ticks in held["paid"].items()}
            self._wall.take_up((), paid)
            self._wall.tallies.restore(held["drawn"])

    def _forget_if_crowded(self) -> None:
        windows = getattr(getattr(self._running, "counts", None), "windows", None)
        if self._people.is_crowded() and isinstance(windows, OwnWindows):
            self._people.forget(windows.forgettable(), windows.forget)

    def _damage(self) -> AbstractContextManager[None]:
        """Whatever a damaged journal makes of this code becomes one sentence."""
        return told(f"the stream journal {str(self._journal.path)!r}", error=LedgerDamagedError)

    def _restored(self, writer: Writer, source: Source) -> Iterator[Batch | None]:
        """Take up what the journal holds, fill the outbox, and give the rest of the source."""
        checkpoint: Any = None
        released: list[Released] = []
        with self._damage():
            for record in writer.tail(lambda payload: payload.get("kind") == "checkpoint"):
                payload: Any = record.payload
                if payload["kind"] == "release":
                    released.append(Released.of(payload))
                elif payload["kind"] == "checkpoint":
                    checkpoint = payload
                    self._told = payload["ledger"] and tuple(payload["ledger"])
                elif payload["kind"] == "ledger":
                    self._told = payload["entry"], payload["chained"]
        self._require_witnesses(released[-1].place if released else -1 if checkpoint is None else int(checkpoint["place"]))
        self._emit_missing(writer, released)
        last: Any = {"place": -1, "held": 0, "cuts": {}, "needed": {}, "clock": 0, "waiting": []}
        if checkpoint is not None:
            with self._damage():
                last |= checkpoint
                self._people.restore(last["people"])
                self._running.restore(unpacked_state(last["state"]))
                self._restore_account(last["account"])
        if released:
            last |= {name: getattr(released[-1], name) for name in last.keys() & vars(released[-1])}
        self._intake.resume(last["place"] + 1, last["needed"], int(last["clock"]), [tuple(each) for each in last["waiting"]])
        batches = source.batches(last["needed"])
        fresh: list[Batch] = []
        block = {each.place: each.cuts for each in released[len(released) - last["held"] :]} if last["held"] else {}
        if source.is_repeatable:
            fresh = self._read_again(batches, block, last["cuts"])
        self._replay(released, {place: self._intake.close(place) for place in block})
        if block and not source.is_repeatable:
            self._running.abandon_block()
        self._block_from = last["needed"] if last["held"] else {}
        return chain(fresh, batches)

    def _require_witnesses(self, last: int) -> None:
        """Refuse to go on if something is out that the journal lacks, or if the ledger lacks what the journal was told of."""
        out = self._outbox.last()
        if out > last:
            message = (
                f"the output holds timestamp {out}, but the journal {str(self._journal.path)!r} ends at {last}: an older state "
                "was put back, or the output is another stream's; go on with the state that released it, or name another output"
            )
            raise LedgerError(message)
        if self._told is not None and self._binding is not None and not self._binding.is_told(self._told):
            message = (
                f"the ledger lacks entry {self._told[0]}, which the journal {str(self._journal.path)!r} was told of: an older "
                "ledger was put back; restore the latest one"
            )
            raise LedgerError(message)

    def _read_again(
        self, batches: Iterator[Batch | None], block: Mapping[int, Mapping[str, int]], last: Mapping[str, int]
    ) -> list[Batch]:
        """Read what was pending and what an open block was made of; give back events that come behind."""
        fresh: list[Batch] = []
        while any(self._intake.read_to(partition) < offset for partition, offset in last.items()):
            try:
                batch = next(batches)
            except StopIteration:
                break
            if batch is None:  # it will come: it was there before
                continue
            rest = self._intake.add_again(batch, cuts=block, last=last)
            if rest is not None:
                fresh.append(rest)
        return fresh

    def _replay(self, released: list[Released], block: Mapping[int, Closed]) -> None:
        """Give the mechanism its recorded answers again; it must arrive at the recorded histograms."""
        paid: Paid = defaultdict(list)
        tallies = self._wall.tallies if isinstance(self._wall, Account) else Tallies()
        for each in released:
            self._switch.to = Remembered(each.answers, paid, tallies)
            self._people.learn(each.new_people)
            moment = self._remembered(each, block.get(each.place))
            if not np.array_equal(self._running.step(moment), each.sixteenths):
                message = (
                    f"the journal {str(self._journal.path)!r} belongs to another method, parameters or version: "
                    f"timestamp {each.place} cannot be rebuilt from it; go on with what it was begun with"
                )
                raise LedgerDamagedError(message)
            self._forget_if_crowded()
        self._switch.to = self._recording
        if paid and isinstance(self._wall, Account):
            self._wall.take_up((), paid)

    def _remembered(self, each: Released, found: Closed | None) -> Moment:
        """A recorded timestamp: who was there, and the cells of those whose block sum is still open."""
        size = len(self._cells)
        if not self._settings.names_people:
            known_cells = np.zeros(0, dtype=np.int64) if found is None else found.cells
            return Moment.of_counts(each.place, np.bincount(known_cells, minlength=size).astype(np.int64))
        cells = np.full(each.users.size, size, dtype=np.intp)  # whoever is not found again is not counted
        if found is not None:
            users, _ = self._people.numbers_of(found.people)
            known = np.isin(users, each.users)
            cells[np.searchsorted(each.users, users[known])] = found.cells[known]
        return Moment(place=each.place, users=each.users, cells=cells, size=size)

    def _emit_missing(self, writer: Writer, tail: list[Released]) -> None:
        """Hand over what is durable but was not emitted."""
        last = self._outbox.last()
        missing: Iterator[Released] = (each for each in tail if each.place > last)
        if not tail or tail[0].place > last + 1:
            payloads: Iterator[Any] = (record.payload for record in writer.records())
            missing = (Released.of(each) for each in payloads if each["kind"] == "release" and int(each["place"]) > last)
        while part := list(islice(missing, _EMITTED)):
            self._outbox.put(part)

    def _write_metrics(self) -> None:
        if self._metrics is None:
            return
        lines = (
            ("tacita_stream_timestamps_total", "counter", self._published),
            ("tacita_stream_commits_total", "counter", self._commits),
            ("tacita_stream_next_place", "gauge", self._intake.next_place),
            ("tacita_stream_intervals", "gauge", self._grid.intervals),
            ("tacita_stream_measured_total", "counter", self._measured),
        )
        text = "".join(f"# TYPE {name} {kind}\n{name} {value}\n" for name, kind, value in lines)
        if isinstance(self._wall, Account):
            drawn = [(step, tally.draws) for step, tally in self._wall.tallies.of.items()]
            text += "# TYPE tacita_stream_draws_total counter\n"
            text += "".join(f'tacita_stream_draws_total{{step="{step}"}} {draws}\n' for step, draws in drawn)
        replace_file(self._metrics, text)


def _earliest(first: Offsets, second: Offsets) -> Offsets:
    """For each partition, the smaller offset of the two."""
    partitions = first.keys() | second.keys()
    return {name: min(first.get(name, second.get(name, 0)), second.get(name, first.get(name, 0))) for name in sorted(partitions)}
