"""Whatever a stranger sends, every command says one sentence: no traceback, no endless read, no wait."""

import contextlib
import io
import json
import os
import resource
import shutil
import time

import polars as pl
import pytest

from hostile import spoiled_folder, spoiled_log, spoiled_state
from small_kinds import SMALL
from tacita import gate
from tacita.cli import main
from tacita.errors import InputError, LedgerError, TacitaError
from tacita.opening import open_release
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.verifying import verify

KINDS = sorted(SMALL)
QUICK, MANY = 16, 620
RESUMED = 300


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    made = {}
    for name in KINDS:
        folder = tmp_path_factory.mktemp(name)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert main(SMALL[name].lay_out(folder)) == 0
        made[name] = folder / "out"
    return made


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledger") / "a.ledger"
    Ledger.create(path)
    folder = path.parent
    for name in ("sequences", "streams"):
        place = folder / name
        place.mkdir()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert main([*SMALL[name].lay_out(place), "--ledger", str(path), "--dataset", "taps"]) == 0
    Ledger(path).set_cap("taps", PureDP(9), identity="gates")
    return path


def in_a_sentence(asked, what):
    """Ask; anything but an answer or a refusal in one sentence is an error of ours."""
    try:
        asked()
    except TacitaError as error:
        said = str(error)
    else:
        said = "answered"
    assert said, what
    assert "\n" not in said, what


def look_at(folder, what):
    for looked in (verify, open_release):
        in_a_sentence(lambda looked=looked: looked(folder), what)


def account_for(path, what):
    in_a_sentence(lambda: Ledger(path).verify(), what)
    in_a_sentence(lambda: Ledger(path).balances(), what)
    in_a_sentence(lambda: Ledger(path).set_cap("new", PureDP(1)), what)


@pytest.mark.parametrize("name", KINDS)
def test_a_spoiled_folder_is_refused_in_a_sentence(name, releases, tmp_path):
    for number in range(QUICK):
        look_at(tmp_path / str(number), spoiled_folder(releases[name], tmp_path / str(number), number * 7919 + KINDS.index(name)))


def test_a_spoiled_ledger_is_refused_in_a_sentence(ledger, tmp_path):
    for number in range(2 * QUICK):
        account_for(tmp_path / f"{number}.ledger", spoiled_log(ledger, tmp_path / f"{number}.ledger", number))


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_many_spoiled_folders_are_refused_in_a_sentence(name, releases, tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(MANY):
        begun = time.monotonic()
        what = spoiled_folder(releases[name], tmp_path / str(number), 1_000_000 + number * 7 + KINDS.index(name))
        try:
            look_at(tmp_path / str(number), what)
        except Exception as error:
            error.add_note(what)
            raise
        assert time.monotonic() - begun < 60, what
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**21, "a file was read beyond the limit"


@pytest.mark.slow
def test_many_spoiled_ledgers_are_refused_in_a_sentence(ledger, tmp_path):
    for number in range(MANY + 40):
        what = spoiled_log(ledger, tmp_path / f"{number}.ledger", 5_000_000 + number)
        try:
            account_for(tmp_path / f"{number}.ledger", what)
        except Exception as error:
            error.add_note(what)
            raise


def resumed(folder, numbers):
    """A stream is published in part, its files are spoiled, and it is resumed; only what it says may differ."""
    words = [
        *("stream", str(folder / "live" / "events.jsonl"), "--universe", str(folder / "cells.txt"), "--epsilon", "1"),
        *("--time-start", "0", "--time-step", "10", "--time-intervals", "9", "--contexts", "3", "--clock", "events"),
        *("--state", str(folder / "live" / "state"), "--out", str(folder / "live" / "out"), "--moved"),
    ]
    events = [json.dumps({"time": time, "id": f"u{time % 7}", "label": f"c{time % 3}"}) + "\n" for time in range(90)]
    (folder / "cells.txt").write_text("c0\nc1\n", encoding="utf-8")
    (folder / "live").mkdir()
    (folder / "live" / "events.jsonl").write_text("".join(events[:50]), encoding="utf-8")
    assert main(words) == 0
    (folder / "live").rename(folder / "kept")
    codes = []
    for number in numbers:
        shutil.rmtree(folder / "live", ignore_errors=True)
        shutil.copytree(folder / "kept", folder / "live")
        (folder / "live" / "events.jsonl").write_text("".join(events), encoding="utf-8")
        what = spoiled_state(folder / "live", number)
        begun = time.monotonic()
        try:
            codes.append(main(words))
            main(["ledger", "verify", str(folder / "live" / "state.ledger")])
        except Exception as error:
            error.add_note(what)
            raise
        assert time.monotonic() - begun < 60, what
    assert set(codes) == {0, 1}


def test_a_stream_with_a_spoiled_file_goes_on_or_says_why_not(tmp_path):
    resumed(tmp_path, range(2 * QUICK))


@pytest.mark.slow
def test_streams_with_spoiled_files_go_on_or_say_why_not(tmp_path):
    resumed(tmp_path, range(1000, 1000 + RESUMED))


@pytest.mark.parametrize("other", ["pipe", "link"])
def test_what_lies_in_place_of_a_mark_is_neither_waited_for_nor_overwritten(other, tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    mark = tmp_path / "a.ledger.mark"
    mark.unlink()
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    if other == "pipe":
        os.mkfifo(mark)
    else:
        mark.symlink_to(tmp_path / "mine.txt")
    ledger.set_cap("taps", PureDP(1))
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("kind", ["tables", "streams"])
def test_a_manifest_that_is_a_device_is_not_read(kind, releases, tmp_path, capsys):
    spoiled_folder(releases[kind], tmp_path / "copy", 0)
    path = tmp_path / "copy" / "manifest.json"
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")
    assert main(["verify", str(tmp_path / "copy")]) == 1
    assert "not a regular file" in capsys.readouterr().err


def test_a_document_is_read_to_its_limit_and_nests_to_a_depth(tmp_path):
    path = tmp_path / "long.json"
    path.write_text(json.dumps(["x" * 50]), encoding="utf-8")
    with pytest.raises(InputError, match="longer than 10 bytes"):
        gate.read_json(path, what="the file", limit=10)
    for text, why in (
        ("[" * 300 + "]" * 300, "deeper"),
        ('{"a": 1, "a": 2}', "damaged"),
        ("NaN", "damaged"),
        ("\xff", "damaged"),
    ):
        with pytest.raises(InputError, match=why):
            gate.parsed(text.encode("latin-1"), what="the file")
    assert gate.parsed(b'["[[[[", {"a": "]"}]', what="the file") == ["[[[[", {"a": "]"}]


def test_errors_of_libraries_become_sentences_and_an_interrupt_stays_one():
    for wrong in (lambda: pl.DataFrame({"a": [1]})["b"], lambda: {}["b"], lambda: int("x"), lambda: 1 / 0):
        with pytest.raises(LedgerError, match="is damaged, or not what it says"), gate.told("the thing", error=LedgerError):
            wrong()
    with pytest.raises(KeyboardInterrupt), gate.told("the thing"):
        raise KeyboardInterrupt


def test_a_line_that_no_writer_wrote_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    path = tmp_path / "a.ledger"
    Ledger.create(path)
    path.write_bytes(path.read_bytes() + b"x" * 5000 + b"\n")
    monkeypatch.setattr("tacita.privacy.ledger.entries.LONGEST_LINE", 1000)
    with pytest.raises(LedgerError, match="shorter than 1,000 bytes"):
        Ledger(path).balances()
