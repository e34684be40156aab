"""A journal that was copied, or put back from before, must not draw again; and a restart remembers what its account was told."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction

import pytest

from tacita.errors import LedgerError
from tacita.privacy.account import Charge
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import AppendLog, Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams import Pace, Uniform
from tacita.streams.publishing import planned, relation_of
from tacita.streams.service import Clock, FileSource, JsonLines, Publisher, Service, Settings

CELLS = Universe(["a", "b", "other"])
GRID = TimeGrid(start=0, interval=10, intervals=40)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "events.jsonl"
    events = ({"time": place * 10, "id": f"u{user}", "label": "ab"[user % 2]} for place in range(40) for user in range(9))
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return FileSource(path=path)


def service(state, *, moved=False):
    return Service(
        name="taps",
        method=Pace(contexts=5),
        budget=PureDP("1"),
        public=PublicInputs(universe=CELLS, grid=GRID),
        state=state,
        out=state.with_name(f"{state.name} out"),
        settings=Settings(clock=Clock.EVENTS, checkpoint_bytes=2000),
        moved=moved,
    )


@pytest.fixture(params=["owner.ledger", "first.ledger"])
def ledger_of(request, tmp_path):
    """A ledger of the owner's, or the one that is made beside the first state folder."""
    return lambda: Ledger.create(tmp_path / request.param, exist_ok=True)


def test_a_journal_of_another_format_is_refused(tmp_path, source):
    service(tmp_path / "state").run(source, ledger=None, most=2)
    journal = tmp_path / "state" / "stream.journal"
    journal.write_bytes(journal.read_bytes().replace(b"tacita-stream-1", b"tacita-stream-9"))
    with pytest.raises(LedgerError, match="has format 'tacita-stream-9', this version of Tacita reads 'tacita-stream-1'"):
        service(tmp_path / "state").run(source, ledger=None)


def test_a_copy_of_a_running_stream_does_not_draw(tmp_path, source, ledger_of):
    first, copy = tmp_path / "first", tmp_path / "copy"
    service(first).run(source, ledger=ledger_of(), most=6)
    shutil.copytree(first, copy)
    with pytest.raises(LedgerError, match="is a copy: the one that was released from is another file"):
        service(copy).run(source, ledger=ledger_of())
    assert not (tmp_path / "copy out" / "stream.jsonl").read_bytes()
    assert service(first).run(source, ledger=ledger_of()) == 34


def test_an_older_copy_does_not_draw_even_if_it_is_said_to_have_been_moved(tmp_path, source):
    Ledger.create(tmp_path / "owner.ledger")
    ledger = Ledger(tmp_path / "owner.ledger")
    first, copy = tmp_path / "first", tmp_path / "copy"
    service(first).run(source, ledger=ledger, most=6)
    shutil.copytree(first, copy)
    service(first).run(source, ledger=ledger, most=1)
    with pytest.raises(LedgerError, match="lacks record 12, which was released under its charge"):
        service(copy, moved=True).run(source, ledger=ledger)


def test_an_older_copy_put_back_in_place_does_not_draw(tmp_path, source):
    """The journal and the mark beside it are both put back, in the same file, so that nothing in the folder shows it."""
    Ledger.create(tmp_path / "owner.ledger")
    ledger, first = Ledger(tmp_path / "owner.ledger"), tmp_path / "first"
    service(first).run(source, ledger=ledger, most=6)
    before = {file: file.read_bytes() for file in first.iterdir()}
    service(first).run(source, ledger=ledger, most=1)
    for file, content in before.items():
        with file.open("r+b") as held:
            held.truncate(held.write(content))
    with pytest.raises(LedgerError, match="it is an older copy, and would draw again what was drawn"):
        service(first).run(source, ledger=ledger)


def test_a_stream_that_was_moved_goes_on_and_the_one_left_behind_does_not(tmp_path, source):
    Ledger.create(tmp_path / "owner.ledger")
    ledger = Ledger(tmp_path / "owner.ledger")
    first, copy = tmp_path / "first", tmp_path / "copy"
    service(first).run(source, ledger=ledger, most=6)
    shutil.copytree(first, copy)
    assert service(copy, moved=True).run(source, ledger=ledger, most=2) == 2
    assert service(copy).run(source, ledger=ledger, most=2) == 2
    with pytest.raises(LedgerError, match="older copy"):
        service(first).run(source, ledger=ledger)


@pytest.mark.parametrize("path", [None, "owner.ledger"])
def test_of_two_publishers_at_once_only_one_releases(tmp_path, path):
    ledger = Ledger() if path is None else Ledger.create(tmp_path / path)
    with ledger.open(Charge(dataset="taps", mechanism="pace", plan=planned(Pace(contexts=5), PureDP("1")))) as account:
        charge = account.charge_id
    logs = [AppendLog(path=tmp_path / name, kind="test", noun="journal") for name in ("one", "two")]
    logs[0].create([{"kind": "stream"}], at="")
    shutil.copy(logs[0].path, logs[1].path)
    first, second = ledger.binding(charge), ledger.binding(charge)
    with logs[0].writing() as one, logs[1].writing() as two:
        first.take_up(one)
        second.take_up(two, moved=True)
        two.append([{"kind": "release", "place": 0}])
        second.move(two.end)
        one.append([{"kind": "release", "place": 0, "other": True}])
        for refused in (first.check, lambda: first.move(one.end)):
            with pytest.raises(LedgerError, match="another journal has been released from"):
                refused()
        second.check()
        first.close()
        second.close()


def test_a_journal_whose_note_is_lost_is_refused(tmp_path, source):
    first = tmp_path / "first"
    service(first).run(source, most=6)
    [note] = tmp_path.glob("first.ledger.*.journal")
    note.unlink()
    with pytest.raises(LedgerError, match="the note beside the ledger is lost"):
        service(first).run(source)


@pytest.fixture
def begun(tmp_path, source, monkeypatch):
    """A ledger by two names, a stream that was begun by the first, and its state folder as it was on its first day."""
    Ledger.create(tmp_path / "owner.ledger")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "owner.ledger").hardlink_to(tmp_path / "owner.ledger")
    first, copy = tmp_path / "first", tmp_path / "copy"
    with monkeypatch.context() as killed:  # before the journal was told anything
        killed.setattr(Publisher, "_tell_ledger", lambda *_: None)
        service(first).run(source, ledger=Ledger(tmp_path / "owner.ledger"), most=0)
    shutil.copytree(first, copy)
    return first, copy, [Ledger(tmp_path / "owner.ledger"), Ledger(tmp_path / "elsewhere" / "owner.ledger")]


def test_a_copy_from_the_first_day_does_not_draw_by_another_name_of_the_ledger(begun, source, tmp_path):
    first, copy, (own, other) = begun
    assert service(first).run(source, ledger=own, most=6) == 6
    for moved in (False, True, False):
        with pytest.raises(LedgerError, match="as new as on its first day"):
            service(copy, moved=moved).run(source, ledger=other)
    assert not (tmp_path / "copy out" / "stream.jsonl").read_bytes()
    assert service(first).run(source, ledger=own) == 34


def test_a_journal_put_back_to_its_first_day_does_not_draw_by_another_name_of_the_ledger(begun, source):
    first, copy, (own, other) = begun
    service(first).run(source, ledger=own, most=6)
    for file in copy.iterdir():
        with (first / file.name).open("r+b") as held:
            held.truncate(held.write(file.read_bytes()))
    with pytest.raises(LedgerError, match="as new as on its first day"):
        service(first).run(source, ledger=other)


def test_a_kill_between_the_note_and_the_ledger_does_not_cost_the_stream(tmp_path, source, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "_commit_claim", killed)
        with pytest.raises(KeyboardInterrupt):
            service(tmp_path / "first").run(source, most=6)
    assert service(tmp_path / "first").run(source, most=6) == 6
    ledger = Ledger(tmp_path / "first.ledger")
    assert [str(entry.kind) for entry in ledger.history()] == ["charge", "journal", "progress", "progress"]
    assert ledger.verify().entries == 4


def test_the_note_is_moved_before_a_histogram_leaves(tmp_path, source, monkeypatch):
    seen = []
    service(tmp_path / "first").run(source, most=1)
    out = tmp_path / "first out" / "stream.jsonl"
    monkeypatch.setattr("tacita.privacy.ledger.binding.FileBinding.move", lambda *_: seen.append(out.stat().st_size))
    size = out.stat().st_size
    service(tmp_path / "first").run(source, most=1)
    told_at_the_start, released, told_at_the_end = seen
    assert told_at_the_start == released == size < told_at_the_end


class Clocked(FileSource):
    """A live source, whose clock is far behind the end once everything was read."""

    is_live = True

    def batches(self, since):
        yield from super().batches(since)
        while True:
            yield None


def test_after_a_checkpoint_the_account_still_knows_every_time_step_of_its_window(tmp_path, source):
    """The account adds common windows up itself; what came before the checkpoint counts as well."""
    ledger, method = Ledger(), Uniform(contexts=30, presence="changed")
    charge = Charge(dataset="taps", mechanism="uniform", plan=planned(method, PureDP("1")), unit=relation_of(method).counted)
    with ledger.open(charge) as account:
        identity = account.charge_id
    accounts = []
    for most in (25, 0):
        with ledger.resume(identity) as account:
            account.commit = lambda _: None
            Publisher(
                make=lambda wall: method.start(PureDP("1"), cells=3, wall=wall),
                wall=account,
                cells=CELLS,
                grid=GRID,
                journal=tmp_path / "stream.journal",
                outbox=JsonLines(tmp_path / "out.jsonl", grid=GRID, cells=CELLS),
                settings=Settings(clock=Clock.WALL, names_people=False, now=lambda: 10**6, checkpoint_bytes=500),
            ).run(Clocked(path=source.path), most=most)
            accounts.append(account)
    kinds = [json.loads(line).get("kind") for line in (tmp_path / "stream.journal").read_text(encoding="utf-8").splitlines()]
    assert kinds.index("checkpoint") < len(kinds) - 5
    first, again = (list(account.windows["counts"].spends) for account in accounts)
    assert [tick for tick, _ in first] == list(range(25))
    assert again == first
    assert sum(epsilon for _, epsilon in first) <= Fraction(25, 30)
    assert accounts[1].tallies.of["counts of a timestamp"].draws == 25


def test_state_folders_on_one_disk_may_be_renamed(tmp_path, source):
    service(tmp_path / "first").run(source, most=3)
    (tmp_path / "first").rename(tmp_path / "second")
    assert service(tmp_path / "second").run(source, ledger=Ledger(tmp_path / "first.ledger"), most=3) == 3


def test_a_journal_with_room_ahead_is_read_after_a_kill_and_cut_by_whoever_leaves(tmp_path):
    log = AppendLog(path=tmp_path / "log", kind="test", noun="journal", ahead=5000)
    log.create(at="")
    with log.writing() as writer:
        for place in range(30):
            writer.append([{"place": place}, {"place": place, "again": "x" * 100}])
        assert log.path.stat().st_size >= writer.end.end + 1
        killed, mark = log.path.read_bytes(), (tmp_path / "log.mark").read_bytes()
        end = writer.end
    assert log.path.stat().st_size == end.end
    for tail in (b"", b'{"n":61,"place":', b"\0" * 70 + b'"}\n'):
        log.path.write_bytes(killed[: end.end] + tail + killed[end.end + len(tail) :])
        (tmp_path / "log.mark").write_bytes(mark)
        with log.writing() as writer:
            assert writer.end == end
            assert [record.payload["place"] for record in writer.records()] == [place // 2 for place in range(60)]
            writer.append([{"place": 30}])
        assert log.path.read_bytes()[: end.end] == killed[: end.end]
