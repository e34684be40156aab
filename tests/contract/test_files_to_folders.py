"""From a private file to the bytes of a release folder: a row more, less or odd costs at most what is promised, in every format.

One run is recorded; its answers are replayed on neighbours of the file, which are files too. All that leaves must be the same
bytes, and the loss at most that of the person whose row it is.
"""

from __future__ import annotations

import json

import polars as pl
import pytest

from tacita.auditing import audit_file_replay, replay_case, subject_named
from tacita.auditing.cases.worlds import World
from tacita.auditing.foreign_answers import lost_between
from tacita.networks import read_network
from tacita.privacy.budget import PureDP
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import read_sequences
from tacita.sets import read_baskets
from tacita.streams import Pace, Presence
from tacita.streams.records import read_stream
from tacita.tables import Categorical, Numeric, Schema, read_table

LABELS = Universe(["a", "b", "c", "1"])
SCHEMA = Schema(
    quasi=(Categorical(name="sex", taxonomy=Taxonomy.flat(Universe(["1", "2"]))), Numeric(name="age", low=0, high=99)),
)
VISITS = [
    {"id": person, "label": "ab1c"[(person + step) % 4], "time": step} for person in range(40) for step in range(1 + person % 3)
]
PEOPLE = [{"sex": 1 + person % 2, "age": 20 + person} for person in range(60)]
EDGES = [{"source": "abc1"[place % 4], "target": "abc1"[(place // 2 + 1) % 4]} for place in range(8)]

READERS = {
    "sequences": (VISITS, lambda path: read_sequences(path, universe=LABELS, name="file")),
    "sets": (VISITS, lambda path: read_baskets(path, universe=LABELS, name="file")),
    "tables": (PEOPLE, lambda path: read_table(path, schema=SCHEMA, name="file")),
    "networks": (EDGES, lambda path: read_network(path, universe=LABELS, name="file")),
}
METHODS = {"sequences": "prefix-tree", "sets": "itemset-counts", "tables": "top-down", "networks": "degree"}
LISTS = (".csv", ".tsv", ".jsonl", ".parquet", ".lines", ".dat")
FORMATS = {"sequences": LISTS, "sets": LISTS, "tables": LISTS[:4], "networks": (*LISTS[:4], ".arrow", ".txt")}
CASES = [(kind, ending) for kind, endings in FORMATS.items() for ending in endings]


def written(rows, path):
    """The rows in the format that the ending says."""
    frame = pl.DataFrame(rows)
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        case ".parquet":
            frame.write_parquet(path)
        case ".arrow":
            frame.write_ipc(path)
        case ".txt":
            path.write_text("".join(f"{row['source']} {row['target']}\n" for row in rows), encoding="utf-8")
        case _:
            people = frame.group_by("id", maintain_order=True).agg("label")["label"].to_list()
            path.write_text("".join(" ".join(dict.fromkeys(labels)) + "\n" for labels in people), encoding="utf-8")
    return path


@pytest.mark.parametrize(("kind", "ending"), CASES)
def test_a_row_of_a_file_costs_what_is_promised_in_all_bytes_of_the_folder(kind, ending, tmp_path):
    rows, read = READERS[kind]
    path = written(rows, tmp_path / f"private{ending}")
    variant = subject_named(METHODS[kind]).variants[0]
    case = replay_case(variant, PureDP(2)).of(variant.mechanism)
    check = audit_file_replay(case, read, path, neighbours=16)
    assert check.passed, check.summary
    assert check.figures["worst_loss"] > 0
    assert ", 0 of them refused" in check.summary


@pytest.mark.parametrize("ending", LISTS[:4])
@pytest.mark.parametrize("presence", list(Presence))
def test_a_window_of_rows_of_a_stream_costs_what_is_promised(ending, presence, tmp_path):
    """Where presence is public, statuses of two contexts change, to odd ones too; else all rows of two timestamps go."""
    rows = [{"time": time, "id": f"p{person}", "label": "ab1"[person % 3]} for time in range(6) for person in range(4)]
    window = [row for row in rows if row["id"] == "p1" and row["time"] in {2, 3}]
    if presence is Presence.PUBLIC:
        odd = iter(["1.0", ""])
        other = [{**row, "label": next(odd)} if row in window else row for row in rows]
    else:
        other = [row for row in rows if row not in window]
    grid = TimeGrid(start=0, interval=1, intervals=6)
    read = [
        read_stream(written(each, tmp_path / f"{place}{ending}"), cells=LABELS, grid=grid, name="file")
        for place, each in enumerate((rows, other, [{**row, "label": "c"} for row in rows]))
    ]
    world = World(mechanism=Pace(contexts=2, presence=presence), budget=PureDP(2), foreign=read[2], steps=tuple(read[:2]))
    lost = lost_between(world, seed=3)
    assert 0 < lost.loss <= lost.charged == 2


RAW = [b"Mueller", b"M\xfcller", b'z"z', b'"z', b"z,z", b"z;z,", b"\xff", b"", b'"z"', b"\0", b"'", b"1e999", b"NaN"]


@pytest.mark.parametrize("order", [("time", "id", "label"), ("label", "time", "id"), ("time", "label", "id")])
@pytest.mark.parametrize("raw", RAW, ids=repr)
def test_no_status_decides_whether_its_person_is_there(raw, order, tmp_path):
    """However it is written into a line of CSV."""
    streams = []
    for place, odd in enumerate((b"a", raw)):
        rows = [
            {"time": str(time).encode(), "id": f"p{person}".encode(), "label": odd if (time, person) == (2, 1) else b"b"}
            for time in range(4)
            for person in range(3)
        ]
        lines = [",".join(order).encode(), *(b",".join(row[name] for name in order) for row in rows)]
        path = tmp_path / f"{place}.csv"
        path.write_bytes(b"\n".join(lines) + b"\n")
        streams.append(read_stream(path, cells=LABELS, grid=TimeGrid(start=0, interval=1, intervals=4), name="file"))
    assert streams[0].users.tolist() == streams[1].users.tolist()
    assert streams[0].starts.tolist() == streams[1].starts.tolist()
    assert int((streams[0].places != streams[1].places).sum()) == 1


@pytest.mark.parametrize("raw", ["NaN", "1e999", "-Infinity", "null", '"\\ud800"', "[1]", '"\udcff"', "1e5000"])
def test_no_status_decides_whether_its_person_is_there_in_json(raw, tmp_path):
    streams = []
    for place, odd in enumerate(('"a"', raw)):
        lines = [
            f'{{"time": {time}, "id": "p{person}", "label": {odd if (time, person) == (2, 1) else chr(34) + "b" + chr(34)}}}'
            for time in range(4)
            for person in range(3)
        ]
        path = tmp_path / f"{place}.jsonl"
        path.write_bytes("\n".join([*lines, ""]).encode("utf-8", errors="surrogateescape"))
        streams.append(read_stream(path, cells=LABELS, grid=TimeGrid(start=0, interval=1, intervals=4), name="file"))
    assert streams[0].users.tolist() == streams[1].users.tolist()
    assert streams[0].starts.tolist() == streams[1].starts.tolist()


def test_a_reader_that_types_a_column_by_all_rows_is_noticed_in_typed_files_too(tmp_path):
    """One missing value, and everybody has another text: what a data frame does to whole numbers."""
    path = written(PEOPLE, tmp_path / "private.parquet")

    def as_frames_do(path):
        frame = pl.read_parquet(path)
        if frame["sex"].null_count() or frame["age"].null_count():
            frame = frame.with_columns(pl.col("sex").cast(pl.Float64).cast(pl.String))
        return read_table(frame, schema=SCHEMA, name="file")

    variant = subject_named("top-down").variants[0]
    case = replay_case(variant, PureDP(2)).of(variant.mechanism)
    assert not audit_file_replay(case, as_frames_do, path, neighbours=60).passed
