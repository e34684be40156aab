"""The append-only file: what a torn end, a cut, a change or a replaced file do, and how much a commit reads."""

import errno
import fcntl
import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import LedgerDamagedError, LedgerError
from tacita.privacy.ledger.log import AppendLog
from tacita.privacy.ledger.marks import mark_path, read_mark


def log_at(path, **rest):
    return AppendLog(path=path, kind="test-1", noun="log", **rest)


def append(log, *groups):
    for group in groups:
        with log.writing() as writer:
            writer.append([{"value": value} for value in group])


def values(log):
    with log.reading() as reader:
        return [record.payload["value"] for record in reader.records()]


@pytest.fixture
def log(tmp_path):
    made = log_at(tmp_path / "a.log")
    made.create(at="now")
    append(made, ["one"], ["two", "three", "four"], ["fünf"])
    return made


def test_records_come_back_in_order_whatever_the_groups(log):
    assert values(log) == ["one", "two", "three", "four", "fünf"]


def test_the_tail_starts_at_the_last_record_that_is_looked_for(log):
    with log.reading() as reader:
        for wanted, found in [("three", ["three", "four", "fünf"]), ("fünf", ["fünf"]), ("one", None), ("none", None)]:
            tail = [record.payload["value"] for record in reader.tail(lambda payload, wanted=wanted: payload["value"] == wanted)]
            assert tail == (["one", "two", "three", "four", "fünf"] if found is None else found)


def test_what_came_since_a_record_is_read_alone(log):
    with log.reading() as reader:
        last = reader.end
    append(log, ["six", "seven"])
    with log.reading() as reader:
        assert [record.payload["value"] for record in reader.since(last)] == ["six", "seven"]
        assert reader.since(reader.end) == []


def test_a_file_cut_at_any_byte_keeps_every_whole_group_and_goes_on(tmp_path, log):
    """What a killed writer can leave: any number of bytes of its group."""
    whole = log.path.read_bytes()
    ends = [0]
    for line in whole.splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    committed = {ends[1]: [], ends[2]: ["one"], ends[5]: ["one", "two", "three", "four"], ends[6]: values(log)}
    for size in range(ends[1], len(whole) + 1):
        copy = log_at(tmp_path / "copy.log")
        copy.path.write_bytes(whole[:size])
        kept = committed[max(end for end in committed if end <= size)]
        assert values(copy) == kept
        append(copy, ["new"])
        assert values(copy) == [*kept, "new"]
        mark_path(copy.path).unlink()


def test_a_header_cut_at_any_byte_is_no_log(tmp_path, log):
    whole = log.path.read_bytes()
    for size in range(whole.index(b"\n") + 1):
        copy = log_at(tmp_path / "copy.log")
        copy.path.write_bytes(whole[:size])
        with pytest.raises(LedgerError, match="damaged"):
            values(copy)


@given(st.data())
def test_zeros_where_a_group_was_lost_in_a_power_failure_are_a_torn_end(tmp_path_factory, data):
    log = log_at(tmp_path_factory.mktemp("zeros") / "a.log")
    log.create(at="now")
    append(log, ["one"])
    size = log.path.stat().st_size
    append(log, ["two", "three"])
    mark_path(log.path).unlink()
    whole = log.path.read_bytes()
    start = data.draw(st.integers(size, len(whole) - 1))
    log.path.write_bytes(whole[:start] + bytes(len(whole) - start))
    assert values(log) == ["one"]
    append(log, ["new"])
    assert values(log) == ["one", "new"]


def test_an_acknowledged_end_that_is_gone_is_noticed_by_the_mark(log):
    whole = log.path.read_bytes()
    for size in range(whole.index(b"\n") + 1, len(whole)):
        log.path.write_bytes(whole[:size])
        for use in (lambda: values(log), lambda: append(log, ["new"])):
            with pytest.raises(LedgerDamagedError, match=r"was cut or replaced by an older copy: .* lacks entry 5"):
                use()
        assert log.path.stat().st_size == size, "nothing is repaired"


def test_another_log_in_the_place_of_a_log_is_noticed_by_the_mark(tmp_path, log):
    other = log_at(tmp_path / "b.log")
    other.create(at="now")
    append(other, [str(number) for number in range(100)])
    shutil.copyfile(other.path, log.path)
    with pytest.raises(LedgerDamagedError, match="belongs to another log"):
        values(log)


def test_a_copy_that_went_another_way_is_noticed_by_the_mark(tmp_path, log):
    older = log.path.read_bytes()
    append(log, ["six"])
    log_of_copy = log_at(tmp_path / "copy.log")
    log_of_copy.path.write_bytes(older)
    append(log_of_copy, ["other"], ["more"], ["still more"])
    shutil.copyfile(log_of_copy.path, log.path)
    with pytest.raises(LedgerDamagedError, match="lacks entry 6"):
        append(log, ["seven"])


def test_symbolic_links_share_a_mark_and_an_older_copy_is_noticed_through_each(tmp_path, log):
    (tmp_path / "else").mkdir()
    link = tmp_path / "else" / "link.log"
    link.symlink_to(log.path)
    older = log.path.read_bytes()
    append(log_at(link), ["six"])
    assert read_mark(link).entries == read_mark(log.path).entries == 6
    log.path.write_bytes(older)
    with pytest.raises(LedgerDamagedError, match="lacks entry 6"):
        values(log_at(link))


def test_a_torn_mark_is_no_mark(log):
    mark_path(log.path).write_bytes(b'{"log": "ab')
    assert values(log) == ["one", "two", "three", "four", "fünf"]
    append(log, ["six"])
    assert read_mark(log.path).entries == 6


@given(st.data())
def test_any_changed_byte_is_noticed_by_its_entry_or_cuts_nothing_that_was_acknowledged(tmp_path_factory, data):
    log = log_at(tmp_path_factory.mktemp("changed") / "a.log")
    log.create(at="now")
    append(log, ["one"], ["two", "three"], ["four"])
    whole = log.path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[place]))
    log.path.write_bytes(whole[:place] + bytes([other]) + whole[place + 1 :])
    entry = whole[:place].count(b"\n")
    which = r"(entry \d|its first line|not a Tacita log|lacks entry 4|has format|belongs to another log)"
    with pytest.raises(LedgerError, match=which) as refusal:
        values(log)
    if "damaged at entry" in str(refusal.value):
        assert f"entry {entry}:" in str(refusal.value) or f"entry {entry + 1}:" in str(refusal.value)


def test_an_entry_that_was_taken_out_or_put_in_between_is_noticed(log):
    lines = log.path.read_bytes().splitlines(keepends=True)
    for changed in (lines[:2] + lines[3:], lines[:2] + lines[1:2] + lines[2:], [*lines[:4], lines[5], lines[4], lines[6 - 1]]):
        log.path.write_bytes(b"".join(changed))
        mark_path(log.path).unlink(missing_ok=True)
        with pytest.raises(LedgerDamagedError, match=r"damaged at entry \d"):
            values(log)


def test_a_write_that_fails_half_way_leaves_what_was_there(log, monkeypatch):
    before = log.path.read_bytes()
    write = os.pwrite

    def full(fd, data, offset):
        if offset > len(before):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(fd, bytes(data)[:10], offset)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(LedgerError, match=r"the disk is full .No space left on device.; nothing was added to it"):
        append(log, ["six"])
    monkeypatch.undo()
    assert log.path.read_bytes() == before


def test_a_sync_that_fails_is_no_commit(log, monkeypatch):
    before = values(log)

    def broken(_fd):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(LedgerError, match="Input/output error"):
        append(log, ["six"])
    monkeypatch.undo()
    assert values(log) == before


@contextmanager
def mounted(source, target, *options):
    done = subprocess.run(["mount", "--bind", source, target], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this system does not let us mount a file over another")
    try:
        for option in options:
            subprocess.run(["mount", "-o", f"remount,bind,{option}", target], check=True)
        yield
    finally:
        subprocess.run(["umount", target], check=True)


def test_a_file_that_may_only_be_read_is_read_and_refuses_writers_in_one_sentence(tmp_path, log):
    target = tmp_path / "mounted.log"
    target.touch()
    with mounted(log.path, target, "ro"):
        assert values(log_at(target)) == values(log)
        with pytest.raises(
            LedgerError, match=r"cannot be opened or written to \(Read-only file system\); ask the person who keeps it"
        ):
            append(log_at(target), ["six"])


def test_a_file_that_loses_its_name_while_a_writer_waits_is_refused(log):
    with log.path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        fd = os.open(log.path, os.O_RDWR)
        log.path.rename(log.path.with_name("elsewhere"))
        shutil.copyfile(log.path.with_name("elsewhere"), log.path)
        fcntl.flock(held, fcntl.LOCK_UN)
        with pytest.raises(LedgerError, match="was replaced while it was in use"), log._locked(fd, exclusive=True):
            pass
        os.close(fd)


def test_a_folder_that_takes_no_mark_does_not_stop_a_commit(log, monkeypatch):
    mark_path(log.path).unlink()
    monkeypatch.setattr("tacita.privacy.ledger.marks._SIZE", -1)
    mark_path(log.path).mkdir()
    append(log, ["six"])
    assert values(log)[-1] == "six"
