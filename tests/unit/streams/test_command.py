"""`tacita stream` publishes, goes on where it was, and refuses what would not be private."""

from __future__ import annotations

import errno
import json
import os
from html import unescape
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from commands import misused
from tacita.cli import main
from tacita.privacy.ledger import Ledger
from tacita.schemas import output_schema

EVENTS = 400
WINDOW = "person's window of 3 contexts"


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


def command(folder, *words, source="events.jsonl", start="0", step="10", method="pace"):
    source = source if source == "-" else str(folder / source)
    return [
        *("stream", source, "--method", method, "--contexts", "3", "--epsilon", "1"),
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
    assert Ledger(folder / "state.ledger").balance("events", unit=WINDOW).epsilon == 1


def test_the_charge_goes_to_the_ledger_that_is_named_and_is_taken_up_again(folder, capsys):
    words = ("--clock", "events", "--ledger", str(folder / "owner.ledger"), "--create-ledger", "--dataset", "taps", "--json")
    for published in (12, 0):
        assert main(command(folder, *words)) == 0
        assert json.loads(capsys.readouterr().out)["published"] == published
    owner = Ledger(folder / "owner.ledger")
    assert owner.balance("taps", unit=WINDOW).epsilon == 1
    assert owner.balance("taps").epsilon == 0, "windows are not persons"
    assert main(["ledger", "show", str(folder / "owner.ledger")]) == 0
    shown = capsys.readouterr().out
    assert "taps: epsilon 1 per person's window of 3 contexts spent" in shown
    assert "anyone who has events in k such windows can lose k times 1" in shown


def test_a_journal_is_not_taken_up_with_other_parameters(folder, capsys):
    assert main(command(folder, "--clock", "events")) == 0
    assert main([*command(folder, "--clock", "events"), "--contexts", "4"]) == 1
    assert "belongs to a stream with another parameters" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "what"),
    [(("--grace", "7"), "grace"), (("--longer-windows", "longer.csv"), "longer windows")],
)
def test_a_journal_is_not_taken_up_with_another_rule_for_events(folder, capsys, monkeypatch, words, what):
    monkeypatch.chdir(folder)
    (folder / "longer.csv").write_text("id,contexts\nu1,9\n", encoding="utf-8")
    assert main(command(folder, "--clock", "events")) == 0
    assert main([*command(folder, "--clock", "events"), *words]) == 1
    assert f"belongs to a stream with another {what}" in capsys.readouterr().err


def test_a_stream_of_dates_is_not_taken_up_with_another_clock(folder, capsys):
    (folder / "events.jsonl").write_text('{"time": "2020-01-01T00:01:00", "id": "u", "label": "c1"}\n', encoding="utf-8")
    assert main(command(folder, "--clock", "events", start="2020-01-01", step="1m")) == 0
    assert main(command(folder, "--clock", "wall", start="2020-01-01", step="1m")) == 1
    assert "belongs to a stream with another clock" in capsys.readouterr().err


def test_manifest_and_readme_tell_all_that_was_drawn(folder):
    assert main(command(folder, "--clock", "events")) == 0
    [draw] = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))["budget"]["draws"]
    measured = sum(line["measured"] for line in released(folder))
    assert measured > 1
    assert draw["note"].startswith(f"{measured} draws in time steps 0 to ")
    assert "any 3 successive contexts of one person cost at most 1" in draw["note"]
    assert draw["note"] in (folder / "out" / "README.md").read_text(encoding="utf-8")


def test_people_on_a_public_list_have_longer_windows(folder):
    (folder / "longer.csv").write_text("id,contexts\nu3,12\n", encoding="utf-8")
    assert main(command(folder, "--clock", "events", "--longer-windows", str(folder / "longer.csv"))) == 0
    manifest = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert "people on a public list have longer windows than all others" in manifest["rules"]


def test_a_page_shows_what_was_released_and_loads_nothing(folder):
    assert main(command(folder, "--clock", "events", "--page")) == 0
    page = (folder / "out" / "live.html").read_text(encoding="utf-8")
    shown = json.loads(page.partition('id="stream">')[2].partition("</script>")[0])
    assert [row["counts"] for row in shown] == [list(line["counts"].values()) for line in released(folder)]
    assert page.count("<polygon") >= 4, "every cell that is shown has a band, and the sum has none"
    assert [row["low"] is not None for row in shown] == [line["measured"] for line in released(folder)]
    assert all(len(row["deviation"]) == len(row["counts"]) for row in shown)
    assert "src=" not in page
    assert "href=" not in page.replace('href="#main"', "")


def test_a_page_of_a_method_that_repeats_counts_has_bands_where_they_were_drawn_anew(folder):
    assert main(command(folder, "--clock", "events", "--page", method="sample")) == 0
    page = (folder / "out" / "live.html").read_text(encoding="utf-8")
    for line, row in zip(released(folder), json.loads(page.partition('id="stream">')[2].partition("</script>")[0]), strict=True):
        assert [line[name] and list(line[name].values()) for name in ("low", "high")] == [row[name] for name in ("low", "high")]
        assert (line["low"] is not None) == (line["high"] is not None) == line["measured"]
        assert line["deviation"] is None


def test_dates_are_closed_by_the_clock_of_the_machine(folder):
    lines = [json.dumps({"time": f"2020-01-01T00:{minute:02d}:00", "id": f"u{minute}", "label": "c1"}) for minute in range(12)]
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(command(folder, start="2020-01-01", step="1m")) == 0
    assert [line["time"] for line in released(folder)][:2] == ["2020-01-01T00:00:00+00:00", "2020-01-01T00:01:00+00:00"]


@pytest.mark.parametrize("presence", ["changed", "added"])
@pytest.mark.parametrize("words", [("--clock", "events", "--follow"), ("--clock", "events"), ("--clock", "wall")])
def test_a_stream_with_private_presence_is_closed_by_nothing_but_a_clock_that_ticks_without_events(
    folder, capsys, presence, words
):
    dates = {"start": "2020-01-01", "step": "1m"}
    assert main(command(folder, *words, "--presence", presence, **dates)) == 1
    assert "must be closed by a wall clock" in capsys.readouterr().err
    assert not (folder / "state").exists()


def test_methods_of_other_kinds_and_broken_lines_are_refused(folder, capsys):
    words = [*command(folder, "--clock", "events"), "--method", "histogram"]
    misused(words, capsys, "histogram is a method of sets, not of streams")
    (folder / "events.jsonl").write_text('{"time": 3, "id": "secret person"\n', encoding="utf-8")
    assert main(command(folder, "--clock", "events", "--bad-events", "stop")) == 1
    error = capsys.readouterr().err
    assert "one JSON object" in error
    assert "line 1 of" in error
    assert "secret" not in error


@pytest.fixture
def recorded(folder):
    lines = (json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines())
    rows = "".join(f"{line['id']},{line['time']},{line['label']}\n" for line in lines)
    (folder / "stream.csv").write_text("id,time,label\n" + rows, encoding="utf-8")
    grid = ("--time-start", "0", "--time-step", "10", "--time-intervals", "12")
    method = ("--method", "pace", "--contexts", "3", "--epsilon", "1", "--universe", str(folder / "cells.txt"))
    return [str(folder / "stream.csv"), *method, *grid]


@pytest.mark.parametrize(("presence", "others"), [("public", {"flat"}), ("changed", {"absorption"})])
def test_all_methods_are_compared_by_one_command_beside_what_costs_nothing(recorded, capsys, presence, others):
    assert main(["compare", "streams", *recorded, "--presence", presence, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, output_schema("tacita-compare-1"))
    names = {"pace", "UNIFORM", "Sample", "Adj", "MMD", "MA(3)", "MA(20)", "tree", "zeros"} | others
    assert {method["name"] for method in content["methods"]} == names
    errors = [method["mean_absolute_error"] for method in content["methods"]]
    assert errors == sorted(errors)
    assert main(["compare", "streams", *recorded, "--presence", presence, "--delta", "1e-6"]) == 0
    assert "choosing by these figures uses the data" in capsys.readouterr().out


def test_pictures_over_time_are_for_the_owner_and_lie_outside_the_release(folder, recorded, capsys):
    assert main(["publish", "streams", *recorded, "--out", str(folder / "release")]) == 0
    words = ["evaluate", recorded[0], str(folder / "release")]
    assert main([*words, "--page", str(folder / "release" / "drawn.html")]) == 1
    assert "must lie outside the release folder" in capsys.readouterr().err
    assert main([*words, "--page", str(folder / "drawn.html")]) == 0
    page = unescape((folder / "drawn.html").read_text(encoding="utf-8"))
    assert page.count("<figure") >= 3  # those over time, and whatever else a page of the kind holds
    assert "For the owner's eyes only" in page
    assert "publish nothing" in page


@pytest.mark.parametrize("source", ["kafka://127.0.0.1:9", "nats://127.0.0.1:9/", "kafka:///topic"])
def test_a_topic_must_be_named_whole(folder, capsys, source):
    assert main([source if word == str(folder / "events.jsonl") else word for word in command(folder, "--dataset", "taps")]) == 1
    assert "SERVER:PORT/TOPIC" in capsys.readouterr().err


DAMAGED = {
    "a folder in its place": lambda path: (path.unlink(), path.mkdir()),
    "nothing": lambda path: path.write_bytes(b""),
    "other bytes": lambda path: path.write_bytes(bytes(range(256)) * 4),
    "rows that are none": lambda path: path.write_text(
        '<script type="application/json" id="stream">[{"place": "x"}, 3, null]</script>', encoding="utf-8"
    ),
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize(
    "file", ["out/live.html", "out/stream.jsonl", "out/manifest.json", "state/metrics.prom", "state.ledger.mark"]
)
def test_what_was_damaged_is_written_anew_or_refused_in_a_sentence(folder, capsys, file, damage):
    words = command(folder, "--clock", "events", "--page")
    assert main(words) == 0
    DAMAGED[damage](folder / file)
    capsys.readouterr()
    code = main(words)
    told = capsys.readouterr().err
    assert (code, bool(told)) in {(0, False), (1, True)}
    assert told.count("\n") == code


@pytest.mark.parametrize("word", ["write_text", "fsync"])
def test_a_stream_on_a_full_disk_is_one_sentence_and_goes_on_later(folder, capsys, monkeypatch, word):
    import errno
    import os
    from pathlib import Path

    from tacita.streams.service import outbox

    def full(*_given, **_rest):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    words = command(folder, "--clock", "events", "--page")
    with monkeypatch.context() as patched:
        if word == "write_text":
            patched.setattr(Path, "write_text", full)
        else:
            patched.setattr(outbox, "os", type("os", (), {"fsync": full, "SEEK_END": os.SEEK_END}))
        assert main(words) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "No space left on device; the same command goes on from the journal" in told
    assert main(words) == 0
    assert [line["place"] for line in released(folder)] == list(range(12))


@pytest.mark.parametrize("fault", ["a link to nothing", "a full disk"])
def test_a_journal_that_cannot_be_made_is_refused_before_anything_is_charged(fault, folder, monkeypatch, capsys):
    Ledger.create(folder / "owner.ledger")
    (folder / "state").mkdir()
    if fault == "a link to nothing":
        (folder / "state" / "stream.journal").symlink_to(folder / "nowhere")
    else:
        real = Path.open

        def full(path, *words, **rest):
            if path.name.startswith(".stream.journal."):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(path, *words, **rest)

        monkeypatch.setattr(Path, "open", full)
    assert main(command(folder, "--clock", "events", "--ledger", str(folder / "owner.ledger"), "--dataset", "taps")) == 1
    assert "stream journal" in capsys.readouterr().err
    assert Ledger(folder / "owner.ledger").history() == []
