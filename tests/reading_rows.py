"""Rows of all sorts for the property that one person's row never changes how another's is read.

People are divided into two halves. What is read of all rows must be what is read of each half, together: the records, and the
rows that did not fit. Every form of input has a function that makes rows of given people, one that writes them, and one that
reads what was written, on an engine that takes turns.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tacita.errors import InputError
from tacita.io import LongColumns, Misfits, ReadOptions, TextDialect, read_lists
from tacita.io import blocks as in_blocks
from tacita.io.times import AutoTime, EpochTime, EpochUnit, IsoTime, PatternTime
from tacita.io.typed_files import sheet_rows
from tacita.io.values import text_of_object
from tacita.networks import read_network
from tacita.public.cells import CellGrid
from tacita.public.inputs import PerPerson
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.records import read_stream
from tacita.streams.service import EventLines
from tacita.tables import Categorical, Numeric, Schema, Sensitive, read_table
from tacita.trajectories import TrajectoryReading, read_trajectories
from workbooks import write_workbook

CITY = CellGrid.parse("0,0,2,20", "2x2").universe
POINTS = LongColumns(latitude="label", longitude="trip")
LABELS = Universe(["a", "b", "1", "2", "1.5", "true", "é", "x y"])
Chance = random.Random
MAY = datetime(2024, 5, 1)  # noqa: DTZ001 - what a clock shows

NUMBERED = [[str(number)] for number in (1, 2, 7, 2**53, 2**53 + 1, 2**63 + 1, 2**70, 2**70 + 1)]
NAMED = [["p"], ["q r"], ["007"], ["é"], ["1e3"], ["-0"], ["1.0"], ["[1]"]]
TIMES = [
    "1",
    "2",
    "15",
    "1.5",
    "1.25",
    "2e1",
    "9007199254740993",
    "9007199254740992",
    "1e300",
    "-4",
    "NaN",
    "inf",
    "",
    "soon",
    "2024-05-01",
    "2024-05-01T07:30:00",
    "2024-05-01 07:30:00.25+02:00",
    "2024-03-31T02:30:00",
    "03/11/2026",
    "0",
    " 5",
    "+5",
]
OTHER_VALUES = ["1", "1.5", "2e1", "9007199254740993", "9007199254740993.0", "null", "true", "[1]", '{"a": 1}', '"\\ud800"']
LABEL_TEXTS = ["a", "b", "1", "2", "1.5", "1.0", "true", "é", "x y", "zz", ""]


@dataclass(frozen=True)
class Form:
    """A form of input: the rows of some people, a file or frame of some rows, and the records that are read from one."""

    rows: Callable[[Chance, list[str]], list[Any]]
    made: Callable[[list[Any], Path, Chance], Any]
    read: Callable[[Any, Chance, Misfits], list[Any]]
    people: Callable[[Chance], list[str]] = lambda _: [text for group in NAMED + NUMBERED for text in group]


def check(form: Form, chance: Chance, folder: Path) -> None:
    """Read all rows, and those of each half; the whole must be its parts."""
    people = form.people(chance)
    chance.shuffle(people)
    half = chance.randint(0, len(people))
    first, second = form.rows(chance, people[:half]), form.rows(chance, people[half:])
    together = [*first, *second]
    places = chance.sample(range(len(together)), len(together))
    of_first = {place for place in range(len(together)) if places[place] < len(first)}
    together = [together[place] for place in places]
    ways = chance.randint(0, 2**32)
    whole = found(form, together, ways, folder)
    parts = [
        found(form, [row for place, row in enumerate(together) if (place in of_first) is mine], ways, folder)
        for mine in (True, False)
    ]
    assert whole[0] == parts[0][0] + parts[1][0], (together, whole, parts)
    if None not in (whole[1], parts[0][1], parts[1][1]):  # where no row is left, the reader refuses and tells no number
        assert whole[1] == parts[0][1] + parts[1][1], (together, whole, parts)


def found(form: Form, rows: list[Any], ways: int, folder: Path) -> tuple[Counter[str], int | None]:
    """The records of some rows, and how many rows did not fit."""
    misfits = Misfits()
    if not rows:
        return Counter(), 0
    source = form.made(rows, folder, Chance(ways))
    try:
        records = form.read(source, Chance(ways), misfits)
    except InputError as error:
        if (
            "has no rows" not in str(error)
            and "no row of" not in str(error)
            and "is empty" not in str(error)
            and "has no records" not in str(error)
        ):
            raise
        return Counter(), None
    return Counter(map(repr, records)), len(misfits)


# Rows of events: in CSV and JSON lines, and as values of frames.


def csv_rows(chance: Chance, people: list[str]) -> list[bytes]:
    """Lines of people, some of them spoilt."""
    lines = []
    for person in people:
        for _ in range(chance.randint(0, 3)):
            fields = [person, chance.choice(LABEL_TEXTS), chance.choice(TIMES), chance.choice(["x", "y", "10", "9", ""])]
            written = [_csv_field(text, chance) for text in fields]
            line = chance.choice([b",".join(written)] * 9 + [b",".join(written[:-1]), b",".join([*written, b"z"])])
            spoil = chance.choice([None] * 8 + [b"\0", b"\xff", b"\xc3", b'"', b'""', b"\r"])
            if spoil is not None:
                place = chance.randint(0, len(line))
                line = line[:place] + spoil + line[place:]
            lines.append(line)
    return lines


def _csv_field(text: str, chance: Chance) -> bytes:
    quoted = '"' + text.replace('"', '""') + '"'
    return (quoted if chance.random() < 0.1 else text).encode()


def csv_file(rows: list[bytes], folder: Path, chance: Chance) -> Path:
    path = folder / "rows.csv"
    mark, end = chance.choice([b"", b"\xef\xbb\xbf"]), chance.choice([b"\n", b"\r\n"])
    path.write_bytes(mark + b"id,label,time,trip" + end + b"".join(row + end for row in rows))
    return path


def latin_file(rows: list[bytes], folder: Path, chance: Chance) -> Path:
    del chance
    path = folder / "rows.csv"
    lines = [row.decode("utf-8", errors="replace").encode("cp1252", errors="replace") for row in rows]
    path.write_bytes(b"id,label,time,trip\n" + b"".join(line.replace(b"?", b"\x81") + b"\n" for line in lines))
    return path


def json_value(text: str, chance: Chance) -> str:
    """A value in JSON that means this text, or one that does not fit."""
    as_number = text.lstrip("-").isdigit() and (text == "0" or not text.lstrip("-").startswith("0"))
    spelled = [json.dumps(text)] * 3 + ([text] * 3 if as_number else [])
    if as_number and len(text) < 12:
        spelled += [f"{text}.0", f"{text}e0"]
    return chance.choice(spelled)


def json_rows(chance: Chance, people: list[str]) -> list[bytes]:
    """Objects of people, some of them spoilt."""
    lines = []
    for person in people:
        for _ in range(chance.randint(0, 3)):
            label = chance.choice(
                [*(json_value(text, chance) for text in LABEL_TEXTS), "1.5", "null", "true", "[1]", '{"a": 1}', '"\\ud800"']
            )
            time = chance.choice(
                [
                    *(json.dumps(text) for text in TIMES),
                    "1",
                    "1.5",
                    "2e1",
                    "9007199254740993",
                    "9007199254740993.0",
                    "null",
                    "true",
                ]
            )
            who = json_value(person, chance)
            line = f'{{"id": {who}, "label": {label}, "time": {time}, "trip": {chance.choice(["1", json.dumps("x"), "null"])}}}'
            line = chance.choice(
                [line] * 9 + [line[:-1], line + line, f"[{line}]", line.replace('"id"', '"i\\u0064"'), "5", "{}", line + " x"]
            )
            encoded = line.encode()
            spoil = chance.choice([None] * 10 + [b"\0", b"\xff", b"\r"])
            lines.append(encoded if spoil is None else encoded + spoil)
    return lines


def json_file(rows: list[bytes], folder: Path, chance: Chance) -> Path:
    path = folder / "rows.jsonl"
    path.write_bytes(chance.choice([b"", b"\xef\xbb\xbf"]) + b"".join(row + b"\n" for row in rows))
    return path


def way_of_reading(chance: Chance, **more: Any) -> dict[str, Any]:
    """Options of reading, and a grid or none."""
    time_format = chance.choice(
        [AutoTime()] * 3
        + [AutoTime(zone="Europe/Berlin"), IsoTime(), EpochTime(EpochUnit.SECONDS), PatternTime(pattern="%d/%m/%Y")]
    )
    grids = [
        None,
        None,
        TimeGrid(start=0, interval=10, intervals=3),
        TimeGrid(start=MAY, interval=timedelta(hours=1), intervals=24),
    ]
    options = ReadOptions(
        columns=LongColumns(record="trip"),
        time_format=time_format,
        per_person=chance.choice([PerPerson.JOIN, PerPerson.cap(2)]),
        **more,
    )
    return {"options": options, "grid": chance.choice(grids)}


def read_events(source: Any, chance: Chance, misfits: Misfits, **more: Any) -> list[Any]:
    """Lists of codes, in memory or in blocks."""
    way = way_of_reading(chance, **more)
    if chance.random() < 0.4:
        files = in_blocks.spilled(source, universe=LABELS, buckets=4, **way)
        misfits.join(files.misfits)
        return [row for number in range(len(files)) for row in files.lists(number).to_lists()]
    read = read_lists(source, universe=LABELS, **way)
    misfits.join(read.misfits)
    return read.lists.to_lists()


def read_points(source: Any, chance: Chance, misfits: Misfits) -> list[Any]:
    """Points as sequences of cells."""
    way = way_of_reading(chance)
    options = replace(way["options"], columns=POINTS, per_person=PerPerson.JOIN)
    if chance.random() < 0.4:
        files = in_blocks.spilled(source, universe=CITY, buckets=4, options=options, grid=way["grid"])
        misfits.join(files.misfits)
        return [row for number in range(len(files)) for row in files.lists(number).to_lists()]
    read = read_lists(source, universe=CITY, options=options, grid=way["grid"])
    misfits.join(read.misfits)
    return read.lists.to_lists()


def read_latin(source: Any, chance: Chance, misfits: Misfits) -> list[Any]:
    return read_events(source, chance, misfits, dialect=TextDialect(encoding="cp1252"))


def read_unnamed(source: Path, chance: Chance, misfits: Misfits) -> list[Any]:
    """The same file without its header: columns by number, any number of fields from there on."""
    source.write_bytes(source.read_bytes().split(b"\n", 1)[1])
    options = ReadOptions(columns=LongColumns(person="1", label="2", time="3"), dialect=TextDialect(header=False))
    read = read_lists(source, universe=LABELS, options=options) if chance.random() < 0.5 else None
    if read is None:
        files = in_blocks.spilled(source, universe=LABELS, buckets=4, options=options)
        misfits.join(files.misfits)
        return [row for number in range(len(files)) for row in files.lists(number).to_lists()]
    misfits.join(read.misfits)
    return read.lists.to_lists()


def is_small(person: str) -> bool:
    """Whether an id is a whole number that a float holds too."""
    return person.isdigit() and str(int(person)) == person and int(person) < 2**53


def value_rows(chance: Chance, people: list[str]) -> list[tuple[Any, ...]]:
    """Rows of Python values, each person in one of several types."""
    rows = []
    for person in people:
        for _ in range(chance.randint(0, 3)):
            who = (
                int(person)
                if person.isdigit() and str(int(person)) == person and int(person) < 2**53 and chance.random() < 0.6
                else person
            )
            label = chance.choice(["a", "b", 1, 2, 1.5, 2.0, True, None, float("nan"), "zz", "1"])
            time = chance.choice(
                [
                    1,
                    2,
                    15,
                    1.5,
                    None,
                    float("nan"),
                    float("inf"),
                    2.0**60,
                    "1.25",
                    "2024-05-01",
                    MAY.replace(hour=7, minute=30),
                    True,
                    [1],
                ]
            )
            rows.append((who, label, time, chance.choice(["x", "y", 1, None])))
    return rows


def number_rows(chance: Chance, people: list[str]) -> list[tuple[Any, ...]]:
    """Rows of numbers alone, some of which are missing: what becomes of their types is up to the library."""
    return [
        (
            int(person),
            chance.choice([1, 2, 3, None, 1.5]),
            chance.choice([1, 2, 15, None, 0.5, 2.0**60]),
            chance.choice([1, 2, None]),
        )
        for person in people
        if person.isdigit() and str(int(person)) == person and int(person) < 2**53
        for _ in range(chance.randint(0, 3))
    ]


NAMES = ["id", "label", "time", "trip"]


def pandas_frame(rows: list[Any], folder: Path, chance: Chance) -> Any:
    del folder, chance
    return pd.DataFrame(rows, columns=NAMES)


def nullable_frame(rows: list[Any], folder: Path, chance: Chance) -> Any:
    """Types that know missing values; a float that is whole becomes an integer, so large ones are left out here."""
    small = [tuple(None if isinstance(value, float) and value > 2**53 else value for value in row) for row in rows]
    return pandas_frame(small, folder, chance).convert_dtypes()


def polars_frame(rows: list[Any], folder: Path, chance: Chance) -> Any:
    del folder, chance
    return pl.DataFrame({name: pl.Series(name, [row[place] for row in rows], strict=False) for place, name in enumerate(NAMES)})


def arrow_table(rows: list[Any], folder: Path, chance: Chance) -> Any:
    del folder, chance
    wide = {name: [row[place] for row in rows] for place, name in enumerate(NAMES)}
    floats = {name: any(isinstance(value, float) for value in values) for name, values in wide.items()}
    return pa.table(
        {name: pa.array([float(v) if floats[name] and v is not None else v for v in values]) for name, values in wide.items()}
    )


def parquet_file(rows: list[Any], folder: Path, chance: Chance) -> Any:
    path = folder / "rows.parquet"
    polars_frame(rows, folder, chance).write_parquet(path)
    return path


# Lines, tables, networks, streams and trajectories.


def label_lines(chance: Chance, people: list[str]) -> list[bytes]:
    lines = []
    for _ in people:
        words = [chance.choice(["a", "b", "1", "2", '"x y"', '"a,b"', "é", "zz"]) for _ in range(chance.randint(0, 4))]
        line = chance.choice([b",", b", "]).join(word.encode() for word in words)
        spoil = chance.choice([None] * 6 + [b"\0", b"\xff", b'"', b"\r"])
        place = chance.randint(0, len(line))
        lines.append(line if spoil is None else line[:place] + spoil + line[place:])
    return lines


def wide_file(rows: list[bytes], folder: Path, chance: Chance) -> Path:
    path = folder / chance.choice(["rows.lines", "rows.dat"])
    path.write_bytes(b"".join(row + b"\n" for row in rows))
    return path


def seq_rows(chance: Chance, people: list[str]) -> list[bytes]:
    numbers = ["1", "2", "8", "9", "0", "123456789", "1234567890", "-1", "x", "01"]
    return [
        " ".join(chance.choice(numbers[: chance.choice([4, 10])]) for _ in range(chance.randint(0, 4))).encode() for _ in people
    ]


def seq_file(rows: list[bytes], folder: Path, chance: Chance) -> Path:
    del chance
    path = folder / "rows.seq"
    names = " ".join(label.replace(" ", "_") for label in LABELS.labels)
    path.write_bytes(f"% categories\n\n{names}\n\n% Sequences:\n".encode() + b"".join(row + b"\n" for row in rows))
    return path


def read_lines(source: Path, chance: Chance, misfits: Misfits) -> list[Any]:
    if chance.random() < 0.4:
        files = in_blocks.spilled(source, universe=LABELS, options=ReadOptions(), buckets=4)
        misfits.join(files.misfits)
        return [row for number in range(len(files)) for row in files.lists(number).to_lists()]
    read = read_lists(source, universe=LABELS)
    misfits.join(read.misfits)
    return read.lists.to_lists()


SCHEMA = Schema(
    quasi=(Categorical(name="label", taxonomy=Taxonomy.flat(LABELS)), Numeric(name="time", low=0, high=99)),
    sensitive=Sensitive(name="trip", universe=Universe(["x", "y", "1", "10"])),
)


def read_rows_of_table(source: Any, chance: Chance, misfits: Misfits) -> list[Any]:
    records = read_table(source, schema=SCHEMA, name="t", person=chance.choice([None, "id"]))
    misfits.join(records.misfits)
    return list(zip(*(codes.tolist() for codes in (*records.quasi, records.sensitive)), strict=True))


VERTICES = Universe([text for group in NAMED + NUMBERED for text in group if " " not in text])


def edge_people(chance: Chance) -> list[str]:
    """Edges between two of these are one 'person' of a network: each pair belongs to one half."""
    labels = list(VERTICES.labels)
    pairs = [f"{chance.choice(labels)}\t{chance.choice(labels)}" for _ in range(12)]
    return sorted({"\t".join(sorted(pair.split("\t"))) for pair in pairs})


def edge_lines(chance: Chance, people: list[str]) -> list[bytes]:
    lines = []
    for pair in people:
        line = pair.encode()
        lines.append(
            chance.choice([line] * 6 + [line + b"\tx", line.split(b"\t")[0], line + b"\0", line + b"\xff", b"", line + b"\r"])
        )
    return lines


def edge_file(rows: list[bytes], folder: Path, chance: Chance) -> Path:
    del chance
    path = folder / "rows.txt"
    path.write_bytes(b"".join(row + b"\n" for row in rows))
    return path


def edge_objects(chance: Chance, people: list[str]) -> list[bytes]:
    lines = []
    for pair in people:
        first, second = pair.split("\t")
        line = f'{{"source": {json_value(first, chance)}, "target": {json_value(second, chance)}}}'
        other = [
            f'{{"source": 1.5, "target": {json_value(second, chance)}}}',
            '{"source": null, "target": "p"}',
            "{",
            line + "\0",
        ]
        lines.append(chance.choice([line] * 6 + other).encode())
    return lines


def edge_values(chance: Chance, people: list[str]) -> list[tuple[Any, ...]]:
    rows = []
    for pair in people:
        ends: list[Any] = pair.split("\t")
        for place in (0, 1):
            if ends[place].isdigit() and len(ends[place]) < 12 and str(int(ends[place])) == ends[place] and chance.random() < 0.5:
                ends[place] = chance.choice([int(ends[place]), float(ends[place])])
        rows.append(chance.choice([tuple(ends)] * 6 + [(None, ends[1]), (1.5, ends[1]), (2.0**60, ends[1])]))
    return rows


def edge_frame(rows: list[Any], folder: Path, chance: Chance) -> Any:
    frame = pd.DataFrame(rows, columns=["source", "target"])
    if chance.random() < 0.5:
        return frame
    path = folder / "rows.arrow"
    texts = [[text_of_object(end) for end in row] for row in rows]
    pl.DataFrame(texts, schema={"source": pl.String, "target": pl.String}, orient="row").write_ipc(path)
    return path


def read_edges_of(source: Any, chance: Chance, misfits: Misfits) -> list[Any]:
    del chance
    records = read_network(source, universe=VERTICES, name="n")
    misfits.join(records.misfits)
    return records.graph.keys.tolist()


def read_moments(source: Any, chance: Chance, misfits: Misfits) -> list[Any]:
    cells, columns = chance.choice([(LABELS, LongColumns()), (CITY, POINTS)])
    grid, options = TimeGrid(start=0, interval=10, intervals=3), ReadOptions(columns=columns)
    records = read_stream(source, cells=cells, grid=grid, options=options, name="s")
    misfits.join(records.misfits)
    places = np.repeat(np.arange(3), np.diff(records.starts))
    return [
        (int(place), records.ids[user], int(cell))
        for place, user, cell in zip(places, records.users, records.places, strict=True)
    ]


def read_walks(source: Any, chance: Chance, misfits: Misfits) -> list[Any]:
    grid = TimeGrid(start=0, interval=10, intervals=3)
    capped = ReadOptions(columns=LongColumns(record="trip"), per_person=PerPerson.cap(1))
    records = read_trajectories(
        source, universe=LABELS, grid=grid, options=chance.choice([None, TrajectoryReading(rows=capped)]), name="w"
    )
    misfits.join(records.misfits)
    return records.trajectories.to_lists()


def read_gps(source: Any, chance: Chance, misfits: Misfits) -> list[Any]:
    del chance
    grid, options = TimeGrid(start=0, interval=10, intervals=3), TrajectoryReading(rows=ReadOptions(columns=POINTS))
    records = read_trajectories(source, universe=CITY, grid=grid, options=options, name="g")
    misfits.join(records.misfits)
    return records.trajectories.to_lists()


def workbook(rows: list[Any], folder: Path, chance: Chance) -> Any:
    """Cells of all types that a sheet has."""
    del chance
    plain = [
        tuple(None if pd.isna(value) else value if isinstance(value, int | float | str) else str(value) for value in row)
        for row in rows
    ]
    return sheet_rows(write_workbook(folder / "rows.xlsx", [NAMES, *plain]))


def live_lines(rows: list[bytes], folder: Path, chance: Chance) -> bytes:
    del folder, chance
    return b"".join(row + b"\n" for row in rows)


def read_live(source: bytes, chance: Chance, misfits: Misfits) -> list[Any]:
    """Events of a live stream, in one batch or in several."""
    points = {"cells": CITY.cells, "latitude": "label", "longitude": "trip"} if chance.random() < 0.5 else {}
    lines = EventLines(of_dates=chance.random() < 0.5, misfits=misfits, **points)
    batch = lines.parsed(source, 0)
    labels = batch.statuses.to_list() if isinstance(batch.statuses, pl.Series) else list(batch.statuses)
    return list(zip(batch.times.tolist(), batch.people, labels, strict=True))


FORMS: dict[str, Form] = {
    "events in csv": Form(csv_rows, csv_file, read_events),
    "events in csv of cp1252": Form(csv_rows, latin_file, read_latin),
    "events in csv without a header": Form(csv_rows, csv_file, read_unnamed),
    "events in jsonl": Form(json_rows, json_file, read_events),
    "events of pandas": Form(value_rows, pandas_frame, read_events),
    "numbers of pandas": Form(number_rows, pandas_frame, read_events),
    "nullable numbers of pandas": Form(number_rows, nullable_frame, read_events),
    "numbers of polars": Form(number_rows, polars_frame, read_events),
    "numbers of pyarrow": Form(number_rows, arrow_table, read_events),
    "numbers in parquet": Form(number_rows, parquet_file, read_events),
    "labels in lines": Form(label_lines, wide_file, read_lines),
    "numbers in seq": Form(seq_rows, seq_file, read_lines),
    "a table in csv": Form(csv_rows, csv_file, read_rows_of_table),
    "a table in jsonl": Form(json_rows, json_file, read_rows_of_table),
    "a table of pandas": Form(value_rows, pandas_frame, read_rows_of_table),
    "a table in parquet": Form(number_rows, parquet_file, read_rows_of_table),
    "edges": Form(edge_lines, edge_file, read_edges_of, edge_people),
    "edges in jsonl": Form(edge_objects, json_file, read_edges_of, edge_people),
    "edges of pandas and arrow": Form(edge_values, edge_frame, read_edges_of, edge_people),
    "a stream in csv": Form(csv_rows, csv_file, read_moments),
    "a stream in jsonl": Form(json_rows, json_file, read_moments),
    "trajectories in csv": Form(csv_rows, csv_file, read_walks),
    "trajectories in jsonl": Form(json_rows, json_file, read_walks),
    "points in csv": Form(csv_rows, csv_file, read_gps),
    "points of sequences in csv": Form(csv_rows, csv_file, read_points),
    "points of sequences in jsonl": Form(json_rows, json_file, read_points),
    "points of sequences in parquet": Form(number_rows, parquet_file, read_points),
    "events in a workbook": Form(value_rows, workbook, read_events),
    "a live stream": Form(json_rows, live_lines, read_live),
}
