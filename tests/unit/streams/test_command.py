"""`tacita stream` publishes, goes on where it was, and refuses what would not be private."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tacita.cli import main
from tacita.privacy.ledger import Ledger

EVENTS = 400


@pytest.fixture
def folder(tmp_path):
    generator = np.random.default_rng(0)
    times = np.sort(generator.integers(0, 120, EVENTS))
    lines = (
        json.dumps({"time": int(time), "id": f"u{generator.integers(0, 30)}", "label": f"c{generator.integers(0, 4)}"})
        for time in times
    )
    (tmp_path / "events.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "cells.txt").write_text("c0\nc1\nc2\n", encoding="utf-8")
    return tmp_path


def command(folder, *words, source="events.jsonl", start="0", step="10"):
    source = source if source == "-" else str(folder / source)
    return [
        *("stream", source, "--method", "pace", "--contexts", "3", "--epsilon", "1"),
        *("--universe", str(folder / "cells.txt"), "--time-start", start, "--time-step", step, "--time-intervals", "12"),
        *("--state", str(folder / "state"), "--out", str(folder / "out"), *words),
    ]


def released(folder):
    return [json.loads(line) for line in (folder / "out" / "stream.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_recorded_stream_is_published_once_however_often_the_command_runs(folder, capsys):
    for added in ("12 timestamps", "0 timestamps"):
        assert main(command(folder, "--clock", "events")) == 0
        assert added in capsys.readouterr().out
    lines = released(folder)
    assert [line["place"] for line in lines] == list(range(12))
    assert {len(line["counts"]) for line in lines} == {4}
    manifest = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["guarantee"]["holds"]
    assert "any 3 successive contexts" in manifest["guarantee"]["statement"]
    assert Ledger(folder / "state" / "ledger").balance("events").epsilon == 1


def test_the_charge_goes_to_the_ledger_that_is_named_and_is_taken_up_again(folder, capsys):
    words = ("--clock", "events", "--ledger", str(folder / "owner.ledger"), "--create-ledger", "--dataset", "taps", "--json")
    for published in (12, 0):
        assert main(command(folder, *words)) == 0
        assert json.loads(capsys.readouterr().out)["published"] == published
    assert Ledger(folder / "owner.ledger").balance("taps").epsilon == 1


def test_a_journal_is_not_taken_up_with_other_parameters(folder, capsys):
    assert main(command(folder, "--clock", "events")) == 0
    assert main([*command(folder, "--clock", "events"), "--contexts", "4"]) == 1
    assert "belongs to a stream with another parameters" in capsys.readouterr().err


def test_dates_are_closed_by_the_clock_of_the_machine(folder):
    lines = [json.dumps({"time": f"2020-01-01T00:{minute:02d}:00", "id": f"u{minute}", "label": "c1"}) for minute in range(12)]
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(command(folder, start="2020-01-01", step="1m")) == 0
    assert [line["time"] for line in released(folder)][:2] == ["2020-01-01T00:00:00+00:00", "2020-01-01T00:01:00+00:00"]


def test_a_live_stream_with_private_presence_is_not_closed_by_events(folder, capsys):
    words = ("--clock", "events", "--presence", "changed", "--follow")
    assert main(command(folder, *words)) == 1
    assert "must be closed by a wall clock" in capsys.readouterr().err
    assert not (folder / "state").exists()


def test_methods_of_other_kinds_and_broken_lines_are_refused(folder, capsys):
    assert main([*command(folder, "--clock", "events"), "--method", "histogram"]) == 1
    capsys.readouterr()
    (folder / "events.jsonl").write_text('{"time": 3, "id": "secret person"\n', encoding="utf-8")
    assert main(command(folder, "--clock", "events")) == 1
    error = capsys.readouterr().err
    assert "JSON lines" in error
    assert "secret" not in error
