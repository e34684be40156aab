"""What becomes of events does not depend on their status."""

from __future__ import annotations

import polars as pl
import pytest

from tacita.errors import ParameterError
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.records import StreamRecords, read_stream, with_other

CELLS = Universe(["north", "south"])
GRID = TimeGrid(start=0, interval=10, intervals=3)
EVENTS = [
    (1, "ann", "north"),
    (2, "ann", "south"),
    (3, "bob", "nowhere"),
    (25, "ann", "south"),
    (30, "cid", "north"),
    (-1, "cid", "north"),
]


def test_the_first_event_of_a_person_in_an_interval_counts_and_unknown_statuses_are_other():
    records = StreamRecords.from_events(EVENTS, cells=CELLS, grid=GRID)
    assert records.histograms().tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0]]


def test_who_is_there_does_not_depend_on_any_status():
    streams = [[(time, who, status) for time, who, _ in EVENTS] for status in ("north", "south", "nowhere")]
    people = [
        [moment.users.tolist() for moment in StreamRecords.from_events(events, cells=CELLS, grid=GRID).moments()]
        for events in streams
    ]
    assert people[0] == people[1] == people[2]


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_files_hold_the_same_stream_as_lists(tmp_path, ending):
    path = tmp_path / f"events.{ending}"
    frame = pl.DataFrame(EVENTS, schema=["time", "id", "label"], orient="row")
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[ending](path)
    read = read_stream(path, cells=CELLS, grid=GRID)
    assert read.histograms().tolist() == StreamRecords.from_events(EVENTS, cells=CELLS, grid=GRID).histograms().tolist()
    assert read.name == "events"


def test_the_other_cell_is_added_once():
    assert len(with_other(with_other(CELLS))) == 3


def test_columns_that_do_not_fit_are_refused():
    records = StreamRecords.from_events(EVENTS, cells=CELLS, grid=GRID)
    with pytest.raises(ParameterError, match="one start per interval"):
        StreamRecords(starts=records.starts[:-1], users=records.users, places=records.places, cells=CELLS, grid=GRID)
    with pytest.raises(ParameterError, match="place of a cell"):
        StreamRecords(starts=records.starts, users=records.users, places=records.places + 9, cells=records.cells, grid=GRID)
