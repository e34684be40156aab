"""A publisher that is stopped anywhere goes on as if it had not been: each timestamp once, nothing drawn twice."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from stream_worlds import Wall
from tacita.errors import LedgerDamagedError, ParameterError
from tacita.privacy.funds import Funds
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.pace.running import Pacing
from tacita.streams.protection import Presence, Protection
from tacita.streams.records import Moment, StreamRecords, with_other
from tacita.streams.schedules import Republishing, trailing_means
from tacita.streams.service import FileSource, IteratorSource, JsonLines, ParquetParts, Publisher, Settings
from tacita.streams.service.intake import Clock, Intake
from tacita_papers.baselines.branching import Branching

CELLS = with_other(Universe(["a", "b", "c"]))
GRID = TimeGrid(start=0, interval=10, intervals=60)


def events(seed=0, *, people=40, chance=0.5, disorder=4):
    """Events about in order of time: some are up to `disorder` late."""
    generator = np.random.default_rng(seed)
    found = []
    for place in range(GRID.intervals):
        for user in np.flatnonzero(generator.random(people) < chance):
            time = place * 10 + int(generator.integers(0, 10))
            found.append(
                (time + int(generator.integers(0, disorder)), time, f"user {user}", "abcx"[int(generator.integers(0, 4))])
            )
    return [event[1:] for event in sorted(found, key=lambda event: event[0])]


def written(path, found):
    lines = (json.dumps({"time": time, "id": who, "label": what}) for time, who, what in found)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def exactly(question, truth):
    """No noise, so that two runs can be compared; whatever is near is near by its law without noise."""
    if hasattr(question, "bound"):
        return question.slack(truth) >= 0
    return int(np.argmin(truth)) if hasattr(question, "candidates") else truth


MAKERS = {
    "pace": partial(Pacing, protection=Protection(contexts=4), funds=Funds(amount=Fraction(1)), cells=4),
    "average": partial(Republishing, protection=Protection(contexts=4), epsilon=Fraction(1), candidates=trailing_means, keep=3),
    "event level": partial(Pacing, protection=Protection(contexts=1), funds=Funds(amount=Fraction(1)), cells=4),
    "tree": partial(Branching, protection=Protection(contexts=4), epsilon=Fraction(1), cells=4, span=16),
    "private": partial(
        Pacing, protection=Protection(contexts=4, presence=Presence.CHANGED), funds=Funds(amount=Fraction(1)), cells=4
    ),
}


class Live:
    """A recorded file as a live source: the clock stands still until all of it has come, then it is long past the end."""

    is_repeatable = is_live = True

    def __init__(self, path):
        self._file, self.time = FileSource(path=path), 0

    def now(self):
        return self.time

    def batches(self, since):
        yield from self._file.batches(since)
        self.time = 10 * GRID.intervals + 1000
        while True:
            yield None

    def commit(self, offsets):
        pass


def source_for(name, path):
    return Live(path) if name == "private" else FileSource(path=path)


def publisher(folder, name="pace", ask=exactly, source=None, **settings):
    """A publisher; one of a stream with private presence has the clock of its source."""
    clock = {"clock": Clock.WALL, "names_people": False, "now": source and source.now} if name == "private" else {}
    options = {"grace": 5, "clock": Clock.EVENTS, "checkpoint_bytes": 2000} | clock | settings
    return Publisher(
        make=lambda wall: MAKERS[name](wall=wall),
        wall=Wall(ask),
        cells=CELLS,
        grid=GRID,
        journal=folder / "stream.journal",
        outbox=JsonLines(folder / "out.jsonl", grid=GRID, cells=CELLS),
        settings=Settings(**options),
        metrics=folder / "metrics.prom",
    )


def lines(folder):
    return [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", list(MAKERS))
@pytest.mark.parametrize("chance", [0.5, 0.05])
@pytest.mark.parametrize("group", [1, 5])
def test_a_run_in_pieces_is_the_run_in_one_piece(tmp_path, name, chance, group):
    found = written(tmp_path / "events.jsonl", events(chance=chance))
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    whole.mkdir()
    pieces.mkdir()
    source = source_for(name, found)
    publisher(whole, name, source=source).run(source)
    for most in (1, 2, 7, 3, 1, 12, None):
        source = source_for(name, found)
        publisher(pieces, name, source=source, group=group).run(source, most=most)
    assert [line["place"] for line in lines(pieces)] == list(range(GRID.intervals))
    assert lines(pieces) == lines(whole)


@pytest.mark.parametrize("chance", [0.5, 0.05])
def test_late_events_are_left_out_again_when_a_run_goes_on_in_pieces(tmp_path, chance):
    """Half of the events are up to three timestamps late, so that many wait for their timestamp when a run is cut."""
    found = written(tmp_path / "events.jsonl", events(chance=chance, disorder=40))
    settings = {"grace": 0, "group": 5}
    for folder, pieces in (("whole", [None]), ("cut", [7, 1, 11, 2, 19, None])):
        (tmp_path / folder).mkdir()
        for most in pieces:
            publisher(tmp_path / folder, **settings).run(FileSource(path=found), most=most)
    assert lines(tmp_path / "cut") == lines(tmp_path / "whole")
    assert b'"waiting":[["",' in (tmp_path / "cut" / "stream.journal").read_bytes()


def test_a_file_is_published_as_the_same_records_would_be(tmp_path):
    found = events(disorder=1)
    publisher(tmp_path).run(FileSource(path=written(tmp_path / "events.jsonl", found)))
    records = StreamRecords.from_events(found, cells=CELLS, grid=GRID)
    running = MAKERS["pace"](wall=Wall(exactly))
    assert [list(line["counts"].values()) for line in lines(tmp_path)] == [
        (running.step(m) // 16).tolist() for m in records.moments()
    ]


def test_what_was_committed_but_not_emitted_is_emitted_and_not_drawn_again(tmp_path):
    found = written(tmp_path / "events.jsonl", events())
    publisher(tmp_path).run(FileSource(path=found), most=20)
    out = tmp_path / "out.jsonl"
    before = lines(tmp_path)
    out.write_bytes(out.read_bytes()[: len(out.read_bytes()) * 2 // 3])  # cut in the middle of a line

    def never(question, _):
        pytest.fail(f"{question.step} was drawn again")

    publisher(tmp_path, ask=never).run(FileSource(path=found), most=0)
    assert lines(tmp_path) == before


def test_another_method_cannot_go_on_with_a_journal(tmp_path):
    found = written(tmp_path / "events.jsonl", events())
    publisher(tmp_path, "pace").run(FileSource(path=found), most=9)
    with pytest.raises(LedgerDamagedError, match="another method, parameters or version"):
        publisher(tmp_path, "average").run(FileSource(path=found))


def test_late_events_are_left_out(tmp_path):
    found = [(1, "ann", "a"), (26, "bob", "a"), (3, "cid", "a"), (29, "dan", "x")]
    truths = []

    def seen(_, truth):
        truths.append(int(truth.sum()))
        return truth

    grid = TimeGrid(start=0, interval=10, intervals=3)
    Publisher(
        make=lambda wall: Pacing(protection=Protection(contexts=1), funds=Funds(amount=Fraction(1)), cells=4, wall=wall),
        wall=Wall(seen),
        cells=CELLS,
        grid=grid,
        journal=tmp_path / "stream.journal",
        outbox=JsonLines(tmp_path / "out.jsonl", grid=grid, cells=CELLS),
        settings=Settings(grace=5, clock=Clock.EVENTS),
    ).run(IteratorSource(events=found))
    assert [truths[0], sum(truths[1:])] == [1, 2]


def test_late_events_that_come_when_the_grid_has_ended_are_left_out(tmp_path):
    """They belong to no timestamp: nothing waits for them, no timestamp past the end is closed, and they are not read again."""
    found = [(1, "ann", "a"), (9999, "last", "a"), (595, "bob", "a"), (2, "cid", "a")]
    running = publisher(tmp_path)
    [batch] = IteratorSource(events=found).batches({})
    running._intake.add(batch)
    assert running._intake.close_all() == running._intake.due() == GRID.intervals
    for place in range(GRID.intervals):
        running._intake.close(place)
    assert running._intake.needed == {"": len(found)}
    running._outbox.close()


@pytest.mark.parametrize(
    "source", [IteratorSource(events=[(1, "ann", "a")]), FileSource(path=Path("unread"))], ids=["iterator", "file"]
)
def test_a_publisher_with_private_presence_refuses_whatever_an_event_would_close(tmp_path, source):
    with pytest.raises(ParameterError, match="must be closed by a wall clock"):
        Settings(clock=Clock.EVENTS, names_people=False)
    with pytest.raises(ParameterError, match="must be closed by a wall clock"):
        publisher(tmp_path, "private", source=Live(Path("unread"))).run(source)
    assert not (tmp_path / "stream.journal").exists()


def test_people_whose_events_cannot_be_read_again_are_charged_but_not_counted():
    moment = Moment(place=0, users=np.array([0, 1]), cells=np.array([2, 3]), size=3)
    assert moment.counts().tolist() == [0, 0, 1]


def test_an_iterator_goes_on_after_a_restart_and_loses_what_was_pending(tmp_path):
    found = events(chance=0.05)
    publisher(tmp_path).run(IteratorSource(events=found[:60], size=10), most=12)
    publisher(tmp_path).run(IteratorSource(events=found[60:]))
    assert [line["place"] for line in lines(tmp_path)] == list(range(len(lines(tmp_path))))


def test_metrics_hold_no_figure_of_events(tmp_path):
    published = []
    for folder, people in ((tmp_path / "few", 20), (tmp_path / "many", 50)):
        folder.mkdir()
        source = Live(written(folder / "events.jsonl", events(people=people)))
        published.append(publisher(folder, "private", ask=lambda *_: np.full(4, 9)[: len(_[1])], source=source).run(source))
    metrics = [(tmp_path / name / "metrics.prom").read_text(encoding="utf-8") for name in ("few", "many")]
    assert published == [GRID.intervals] * 2
    assert metrics[0] == metrics[1]
    assert f"tacita_stream_timestamps_total {GRID.intervals}" in metrics[0]


def test_parquet_grows_by_whole_parts(tmp_path):
    import polars as pl

    found = written(tmp_path / "events.jsonl", events())
    for most in (25, None):
        Publisher(
            make=lambda wall: MAKERS["pace"](wall=wall),
            wall=Wall(exactly),
            cells=CELLS,
            grid=GRID,
            journal=tmp_path / "stream.journal",
            outbox=ParquetParts(tmp_path / "out", grid=GRID, cells=CELLS, size=10),
            settings=Settings(grace=5, clock=Clock.EVENTS),
        ).run(FileSource(path=found), most=most)
    frame = pl.read_parquet(tmp_path / "out" / "*.parquet")
    assert frame["time"].unique().sort().to_list() == list(GRID.beginnings)
    assert len(frame) == GRID.intervals * len(CELLS)


def test_a_wall_clock_needs_a_grid_of_dates(tmp_path):
    with pytest.raises(ParameterError, match="grid of dates"):
        publisher(tmp_path, clock=Clock.WALL).run(IteratorSource(events=[]))


def test_people_who_have_spent_nothing_are_forgotten_and_memory_stays_bounded(tmp_path, monkeypatch):
    """With windows of one context nothing is ever remembered, so that numbers are used again and again."""
    running = publisher(tmp_path, "event level")
    running._people._limit = 1024
    monkeypatch.setattr("tacita.streams.service.intake._FEWEST", 1024)
    found = [(place * 10, f"user {place}-{number}", "a") for place in range(60) for number in range(100)]
    running.run(FileSource(path=written(tmp_path / "events.jsonl", found)))
    assert running._people._size < 1024 + 200


class Endless:
    """A topic: it never ends, and a publisher that waits for what does not come is caught."""

    is_repeatable = is_live = True

    def __init__(self, path):
        self._file = FileSource(path=path)

    def batches(self, since):
        yield from self._file.batches(since)
        for _ in range(3):
            yield None
        pytest.fail("the publisher waits for an event that it has read before")

    def commit(self, offsets):
        pass


def test_the_clock_of_events_goes_on_after_a_restart_though_its_last_event_does_not_come_again(tmp_path):
    found = written(tmp_path / "events.jsonl", [*events(), (10 * GRID.intervals + 1000, "last", "a")])
    for most in (GRID.intervals - 3, None):
        publisher(tmp_path).run(Endless(found), most=most)
    assert [line["place"] for line in lines(tmp_path)] == list(range(GRID.intervals))


def test_of_many_events_of_one_person_in_a_timestamp_the_first_counts_and_few_are_kept():
    """However many a person sends, memory is that of the people."""
    sent = [(time, f"user {place % 3}", "abc"[place % 3]) for time in range(2) for place in range(9_000)]
    sent = [(10 * time, who, what if place % 9_000 < 3 else "c") for place, (time, who, what) in enumerate(sent)]
    intake = Intake(cells=CELLS, grid=GRID, grace=0, clock=Clock.EVENTS)
    for batch in IteratorSource(events=sent).batches({}):
        intake.add(batch)
        assert all(len(pending._people) <= 5_000 for pending in intake._pending.values())
    closed = intake.close(0)
    assert (closed.people, closed.cells.tolist()) == (["user 0", "user 1", "user 2"], [0, 1, 2])
