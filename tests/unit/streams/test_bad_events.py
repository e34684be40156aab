"""Messages that are no events: what was declared happens to them, and nothing to the others."""

import json
import random

import numpy as np
import polars as pl
import pytest

from tacita.errors import InputError
from tacita.io.times import EpochTime, EpochUnit, PatternTime
from tacita.streams.service import BadEvents, EventLines, FileSource
from tacita.streams.service.topics import consumer_name

GOOD = [
    b'{"time":1,"id":"ann","label":"A"}',
    b'{"time":2,"id":7,"label":5}',
    b'{"time":3,"id":"bob","label":null}',
    b'{"time":4,"id":"eve"}',
    b'{"time":5,"id":"joe","label":true,"more":[1,{"a":2}]}',
    b'{"label":"B","id":"zoe","time":6}',
    b'{"time":7,"id":"ann","label":1e400}',
    b'{"time":8,"id":"ann","label":NaN}',
    b'{"time":9,"id":"ann","label":"M\xfcller"}',
]
BAD = [
    b"no JSON",
    b'{"time":1e400,"id":"ann","label":"A"}',
    b'{"time":1,"id":"\xfc","label":"A"}',
    b'{"time":null,"id":"ann","label":"A"}',
    b'{"time":1,"label":"A"}',
    b'{"time":"soon","id":"ann","label":"A"}',
    b'{"time":1,"id":"ann"',
    b"[1,2]",
    b"\xff\xfe",
    b"   ",
    b'{"time":99999999999999999999,"id":"ann","label":"A"}',
]


def rows(batch):
    labels = batch.statuses.to_list() if isinstance(batch.statuses, pl.Series) else list(batch.statuses)
    return list(zip(batch.times.tolist(), batch.people, labels, batch.offsets.tolist(), strict=True))


def test_every_line_is_read_by_itself():
    chance = random.Random(3)
    lines = EventLines()
    alone = {line: [row[:3] for row in rows(EventLines().parsed(line + b"\n", 0))] for line in GOOD + BAD}
    assert all(alone[line] for line in GOOD)
    assert not any(alone[line] for line in BAD)
    for _ in range(200):
        chosen = chance.choices(GOOD + BAD, k=chance.randint(1, 12))
        data = b"".join(line + b"\n" + b"\n" * chance.randint(0, 1) for line in chosen)
        batch = lines.parsed(data, 100)
        assert [row[:3] for row in rows(batch)] == [row for line in chosen for row in alone[line]]
        assert batch.end == 100 + len(data)
        for line, offset in zip([line for line in chosen if alone[line]], batch.offsets.tolist(), strict=True):
            assert data[offset - 100 :].startswith(line)


def test_messages_of_topics_too():
    values = [GOOD[0], BAD[0], GOOD[1] + b"\n" + GOOD[2], b"", GOOD[3]]
    batch = EventLines().messages(values, [5, 6, 9, 10, 11], partition="2", topic="taps")
    assert [row[3] for row in rows(batch)] == [5, 11]
    assert (batch.end, batch.partition) == (12, "2")


@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_stopping_names_the_line(bad, tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\n".join([*GOOD, bad, b""]))
    with pytest.raises(InputError, match=f"line {len(GOOD) + 1} of "):
        list(FileSource(path=path, lines=EventLines(bad="stop")).batches({}))


def test_stopping_names_the_message():
    with pytest.raises(InputError, match="message 6 of 'taps', partition 2"):
        EventLines(bad=BadEvents.STOP).messages([GOOD[0], BAD[0]], [5, 6], partition="2", topic="taps")


def test_a_quarantine_keeps_each_message_once_for_its_owner_alone(tmp_path):
    path, kept = tmp_path / "events.jsonl", tmp_path / "quarantine.jsonl"
    path.write_bytes(b"\n".join([GOOD[0], BAD[0], BAD[8], GOOD[1], b""]))
    for _ in range(2):
        lines = EventLines(bad="quarantine", quarantine=kept)
        assert sum(len(batch.people) for batch in FileSource(path=path, lines=lines).batches({})) == 2
        assert len(lines.misfits) == 2
    held = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert [one["message"] for one in held] == ["no JSON", "\\xff\\xfe"]
    assert held[0]["offset"] == len(GOOD[0]) + 1
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("time_format", "texts"),
    [
        (None, ["2026-11-03T08:15:00Z", "2026-11-03 08:15", "2026-11-03T09:15:00+01:00"]),
        (EpochTime(EpochUnit.SECONDS), ["1793693700"] * 3),
        (EpochTime(EpochUnit.MILLISECONDS), ["1793693700000", "1793693700000", "1793693700000"]),
        (PatternTime(pattern="%d/%m/%Y %H:%M"), ["03/11/2026 08:15"] * 3),
    ],
    ids=["iso", "seconds", "milliseconds", "pattern"],
)
def test_dates_are_read_as_declared_each_by_itself(time_format, texts):
    lines = EventLines(of_dates=True) if time_format is None else EventLines(of_dates=True, time_format=time_format)
    data = b"".join(json.dumps({"time": text, "id": "a", "label": "A"}).encode() + b"\n" for text in [*texts, "soon"])
    assert lines.parsed(data, 0).times.tolist() == [1_793_693_700_000_000] * 3
    numbers = [int(text) for text in texts if text.isdecimal()]
    if numbers:
        data = b"".join(json.dumps({"time": number, "id": "a"}).encode() + b"\n" for number in numbers)
        assert lines.parsed(data, 0).times.tolist() == [1_793_693_700_000_000] * 3


def test_a_subject_with_dots_has_a_consumer_whose_name_a_server_takes():
    assert consumer_name("city.taps.>") == "tacita-city_taps__"


def test_nothing_good_is_an_empty_batch():
    batch = EventLines().parsed(b"".join(line + b"\n" for line in BAD), 0)
    assert rows(batch) == []
    assert batch.times.dtype == np.int64
