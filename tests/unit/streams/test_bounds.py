"""What does not grow with time: memory over timestamps, what waits for a slow outbox, and what late events may change."""

from __future__ import annotations

import gc
import sys
from collections import deque
from types import FunctionType, ModuleType

import numpy as np

from stream_worlds import drawing
from tacita.privacy.budget import PureDP
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams import Pace, Uniform
from tacita.streams.published import with_other
from tacita.streams.service import Clock, FileSource, IteratorSource, JsonLines, Publisher, Service, Settings
from tacita.streams.service.intake import Intake

SIZED = (list, tuple, dict, set, frozenset, deque, str, bytes, bytearray, memoryview)
CELLS = with_other(Universe(["a", "b", "c"]))


def entries_held(frame, outermost):
    """How many entries the lists, arrays, texts and so on have that the calls in progress hold, up to a function.

    Bytes would be shared with caches, threads and the garbage of others; entries are the same on a busy machine.
    """
    todo, seen, held = [], set(), 0
    while frame.f_code is not outermost.__code__:
        todo.append(dict(frame.f_locals))
        frame = frame.f_back
    while todo:
        each = todo.pop()
        if id(each) in seen or isinstance(each, ModuleType | type):
            continue
        seen.add(id(each))
        if isinstance(each, FunctionType):  # what it refers to, but not the module that it is from
            todo += [cell.cell_contents for cell in each.__closure__ or ()]
            continue
        held += each.size if isinstance(each, np.ndarray) else len(each) if isinstance(each, SIZED) else 0
        todo += gc.get_referents(each)
    return held


def test_memory_does_not_grow_with_timestamps_when_people_do_not(tmp_path, monkeypatch):
    """Through ledger, journal with its checkpoints, outbox and metrics; one number for each timestamp would be noticed."""
    monkeypatch.setattr("tacita.streams.service.publisher._REPORT_SECONDS", -1.0)  # after each group, not by the clock
    monkeypatch.setattr("tacita.streams.service.publisher._PROGRESS_SECONDS", float("inf"))  # nor this
    grid, held = TimeGrid(start=0, interval=10, intervals=420), []

    def events():
        for place in range(grid.intervals):
            if place in {140, 270, 400}:
                held.append(entries_held(sys._getframe(1), publish))
            for user in range(3):
                yield 10 * place, f"user {user}", "abc"[(user + place) % 3]

    def publish():
        return service.run(IteratorSource(events=events(), size=30))

    settings = Settings(clock=Clock.EVENTS, group=50, checkpoint_bytes=1 << 12)
    public = PublicInputs(universe=CELLS, grid=grid)
    folders = {"state": tmp_path / "state", "out": tmp_path / "out"}
    service = Service(name="s", method=Pace(contexts=5), budget=PureDP("1"), public=public, settings=settings, **folders)
    assert publish() == grid.intervals
    assert held[2] - held[1] < 65  # 130 timestamps lie between; what is made once is there before


def test_an_event_far_ahead_of_all_others_does_not_keep_what_was_closed_behind_it():
    grid = TimeGrid(start=0, interval=1, intervals=1_000_000)
    intake = Intake(cells=CELLS, grid=grid, grace=0, clock=Clock.WALL, now=lambda: 0)
    sent = [(999_999, "far ahead", "a"), *((time, "ann", "b") for time in range(3_000))]
    for place, batch in enumerate(IteratorSource(events=sent, size=1).batches({})):
        intake.add(batch)
        if place:
            assert intake.close(place - 1).people == ["ann"]
    assert intake.needed == {"": 0}, "the first event is still needed"
    assert len(intake._firsts[""]) < 1_100
    assert intake.close(999_999).people == ["far ahead"]
    assert intake.needed == {"": len(sent)}


class Slow(JsonLines):
    """An outbox that says when it is given something, and how much."""

    def __init__(self, path, grid, told):
        super().__init__(path, grid=grid, cells=CELLS)
        self.told = told

    def put(self, released):
        self.told(released)
        super().put(released)


def run(folder, grid, source, told, **settings):
    Publisher(
        make=lambda wall: Uniform(contexts=2).start(PureDP("1"), cells=len(CELLS), wall=wall),
        wall=drawing(1),
        cells=CELLS,
        grid=grid,
        journal=folder / "stream.journal",
        outbox=Slow(folder / "out.jsonl", grid, told),
        settings=Settings(clock=Clock.EVENTS, **settings),
    ).run(source)


def test_a_slow_outbox_holds_the_source_back(tmp_path):
    """Nothing is read while an outbox takes its time: at most one batch is ahead of what was emitted."""
    grid, taken, ahead = TimeGrid(start=0, interval=10, intervals=200), [0], []

    def events():
        for place in range(grid.intervals):
            for user in range(5):
                taken[0] += 1
                yield 10 * place, f"user {user}", "a"

    run(
        tmp_path, grid, IteratorSource(events=events(), size=20), lambda some: ahead.append(taken[0] - 5 * some[0].place), group=7
    )
    assert len(ahead) > 25
    assert max(ahead) <= 20 + 5 + 1


def test_an_outbox_that_lost_everything_is_filled_again_part_by_part(tmp_path, monkeypatch):
    monkeypatch.setattr("tacita.streams.service.publisher._EMITTED", 8)
    grid, sizes = TimeGrid(start=0, interval=10, intervals=30), []
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f'{{"time":{10 * place},"id":"ann","label":"a"}}\n' for place in range(30)), encoding="utf-8")
    for _ in range(2):
        sizes.clear()
        run(tmp_path, grid, FileSource(path=path), lambda some: sizes.append(len(some)), checkpoint_bytes=1)
        out = tmp_path / "out.jsonl"
        before = out.read_bytes()
        out.unlink()
    assert sizes == [8, 8, 8, 6]
    assert before.count(b"\n") == 30


def test_an_event_within_the_grace_counts_where_it_belongs_and_a_later_one_nowhere():
    """Timestamps of 10 with a grace of 5: the first is closed when the clock says 15."""
    clock = [0]
    grid = TimeGrid(start=0, interval=10, intervals=9)
    intake = Intake(cells=CELLS, grid=grid, grace=5, clock=Clock.WALL, now=lambda: clock[0])
    for now, event in ((3, (3, "ann", "a")), (14, (9, "bob", "a")), (14, (12, "cid", "a")), (25, (19, "dan", "a"))):
        clock[0] = now
        [batch] = IteratorSource(events=[event]).batches({})
        intake.add(batch)
    assert intake.due() == 2
    assert [intake.close(place).people for place in range(3)] == [["ann", "bob"], ["cid"], []]
    assert np.array_equal(intake.close(3).cells, [])
