"""A stream is drawn once: whatever is put back from before, no timestamp that was published is drawn again."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from tacita.errors import LedgerError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams import Uniform
from tacita.streams.service import Clock, FileSource, Service, Settings

GRID = TimeGrid(start=0, interval=10, intervals=12)
PARTS = ("state", "out", "ledger", "mark")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "events.jsonl"
    events = ({"time": place * 10, "id": f"u{user}", "label": "ab"[user % 2]} for place in range(12) for user in range(5))
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return FileSource(path=path)


def run(folder, source, most=None, *, parquet=False, checkpoint_bytes=1 << 22):
    """Publish from the state to the output in a folder, by the ledger that is made beside the state."""
    service = Service(
        name="taps",
        method=Uniform(contexts=4),
        budget=PureDP("1"),
        public=PublicInputs(universe=Universe(["a", "b", "other"]), grid=GRID),
        state=folder / "state",
        out=folder / "out",
        settings=Settings(clock=Clock.EVENTS, checkpoint_bytes=checkpoint_bytes),
        parquet=parquet,
    )
    return service.run(source, most=most)


def files_of(folder, part):
    """The files of one part; the mark of a ledger lies beside it, and so does the note about the journal."""
    if part in {"state", "out"}:
        return sorted(file for file in (folder / part).rglob("*") if file.is_file())
    marks = [folder / "state.ledger.mark", *folder.glob("state.ledger.*.journal")]
    return marks if part == "mark" else [folder / "state.ledger"]


def contents(folder):
    return {part: {file: file.read_bytes() for file in files_of(folder, part)} for part in PARTS}


def put_back(folder, held, parts):
    """Restore parts in place, as a backup does that keeps the files: what came since is gone."""
    for part in parts:
        for file in files_of(folder, part):
            if file not in held[part]:
                file.unlink()
        for file, content in held[part].items():
            with file.open("r+b") as opened:
                opened.truncate(opened.write(content))


def lines(folder):
    return (folder / "out" / "stream.jsonl").read_text(encoding="utf-8").splitlines()


SUBSETS = [parts for size in range(1, len(PARTS)) for parts in combinations(PARTS, size)]


@pytest.mark.parametrize("checkpoint_bytes", [100, 1 << 22], ids=["with checkpoints", "without"])
@pytest.mark.parametrize("parts", SUBSETS, ids="+".join)
def test_whatever_part_is_put_back_from_before_nothing_is_drawn_again(tmp_path, source, parts, checkpoint_bytes):
    run(tmp_path, source, most=4, checkpoint_bytes=checkpoint_bytes)
    before = contents(tmp_path)
    run(tmp_path, source, most=3, checkpoint_bytes=checkpoint_bytes)
    released = lines(tmp_path)
    put_back(tmp_path, before, parts)
    if {"state", "ledger"} & set(parts):
        with pytest.raises(LedgerError, match=r"older|lacks"):
            run(tmp_path, source, checkpoint_bytes=checkpoint_bytes)
    else:  # journal and ledger hold everything: the output is filled from them, and the mark is moved
        assert run(tmp_path, source, checkpoint_bytes=checkpoint_bytes) == 5
        assert lines(tmp_path)[: len(released)] == released


def test_all_parts_together_are_seen_only_by_a_mark_that_was_noted_elsewhere(tmp_path, source):
    run(tmp_path, source, most=4)
    before = contents(tmp_path)
    run(tmp_path, source, most=3)
    noted = Ledger(tmp_path / "state.ledger").mark()
    put_back(tmp_path, before, PARTS)
    assert run(tmp_path, source, most=1) == 1
    assert Ledger(tmp_path / "state.ledger").digest_of(noted.entries) != noted.digest


def test_progress_of_a_stream_is_in_the_chain_of_the_ledger(tmp_path, source):
    run(tmp_path, source, most=2)
    first = Ledger(tmp_path / "state.ledger").mark()
    run(tmp_path, source, most=2)
    second = Ledger(tmp_path / "state.ledger")
    assert second.mark().entries > first.entries
    assert second.digest_of(first.entries) == first.digest
    ends = [int(entry.note.partition(":")[0]) for entry in second.history() if entry.kind == "progress"]
    assert ends == sorted(ends)
    assert len(set(ends)) == 4


@pytest.mark.parametrize("parquet", [False, True], ids=["lines", "parts"])
def test_an_output_that_holds_what_the_journal_lacks_is_refused(tmp_path, source, parquet):
    """A deleted state would otherwise be charged anew, and add to what another journal released."""
    run(tmp_path, source, most=4, parquet=parquet)
    (tmp_path / "state").rename(tmp_path / "gone")
    with pytest.raises(LedgerError, match=r"the output holds timestamp 3, but the journal .* ends at -1"):
        run(tmp_path, source, parquet=parquet)


def test_nobody_else_may_look_into_the_state(tmp_path, source):
    (tmp_path / "state").mkdir(mode=0o755)
    run(tmp_path, source, most=1)
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "state" / "stream.journal").stat().st_mode & 0o777 == 0o600
