"""Events of a Spark Structured Streaming query: counted on the cluster, noised and charged on the driver.

`store` is what the query calls for each micro-batch (`foreachBatch`): it writes the events, by timestamp, into a folder named
after the batch. Spark delivers a batch at least once; one that comes again replaces itself. When the wall clock has passed the
end of a timestamp by the public grace, its events are counted on the cluster, each person once, and only the counts come to the
driver. The publisher's journal holds which timestamps are out, so the timestamp is the key that makes publishing idempotent: one
that was released is never asked for again, whatever Spark repeats, and events that are stored later are late and left out.

A watermark of Spark would close a timestamp when somebody's later event comes, and so show presence; the clock does not. The
driver knows no ids, so presence must be private (`Presence.CHANGED` or `Presence.ADDED`). That a person is counted once per
timestamp rests on Spark's own grouping by id here.

    source = SparkSource(spark, folder="hdfs:/private/stream", cells=cells, grid=grid, grace=60_000_000)
    query = events.writeStream.foreachBatch(source.store).option("checkpointLocation", ...).start()
    Service(..., settings=Settings(now=source.now)).run(source, ledger=ledger)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.io import ReadOptions
from tacita.io.long_rows import event_columns, without_empty_rows
from tacita.io.misfits import Misfits
from tacita.io.spark import named_columns, numbered_columns, passing_on_errors
from tacita.io.times import as_triples, grid_places
from tacita.public.parameters import whole_number
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.published import OTHER, with_other
from tacita.streams.service.sources import Batch

__all__ = ["SparkSource"]

NEEDS_TIME = "events need the column that holds the times; name it as time"

STORED = "place long, id string, cell int, tick long"


@dataclass(eq=False)
class SparkSource:
    """A source for `Service.run` whose events stay on the cluster; `cells` and `grid` are those of the service."""

    spark: Any
    folder: str
    cells: Universe
    grid: TimeGrid
    grace: int = 0
    """In the units of the grid: microseconds for dates."""
    options: ReadOptions = field(default_factory=ReadOptions)
    wall: Callable[[], int] = field(default=lambda: time.time_ns() // 1000, repr=False)
    wait_seconds: float = 0.5
    _counted: int = 0

    def __post_init__(self) -> None:
        """Check the grace, and read points if the statuses are cells of a grid."""
        whole_number(self.grace, name="grace", least=0)
        object.__setattr__(self, "options", self.options.placed(self.cells))

    @property
    def is_repeatable(self) -> bool:
        """Timestamps can be counted again."""
        return True

    @property
    def names_people(self) -> bool:
        """Only counts leave the cluster, so nobody has a window of their own."""
        return False

    @property
    def is_live(self) -> bool:
        """A clock closes timestamps."""
        return True

    def store(self, events: Any, batch: int) -> None:  # noqa: ANN401 - a data frame of Spark
        """Write a micro-batch by timestamp, in place of what it wrote if it came before; for `foreachBatch`."""
        labels = with_other(self.cells)
        task = _Storing(labels=labels, other=labels.code(OTHER), grid=self.grid, options=self.options)
        with passing_on_errors():
            rows = numbered_columns(events, self.options.columns.names).mapInArrow(task.stored, STORED)
            rows.write.mode("overwrite").partitionBy("place").parquet(f"{self.folder}/batch={int(batch)}")

    def now(self) -> int:
        """The clock of the publisher: it comes to the end of a timestamp when that has been counted."""
        return self.grid.ticks_start + self._counted * self.grid.ticks_interval

    def batches(self, since: Mapping[str, int]) -> Iterator[Batch | None]:
        """One batch for each timestamp that the wall clock has closed, with one nameless event for each person counted."""
        self._counted = since.get("", 0)
        while self._counted < self.grid.intervals:
            end = self.grid.ticks_start + (self._counted + 1) * self.grid.ticks_interval + self.grace
            if self.wall() < end:
                yield None
                time.sleep(self.wait_seconds)
                continue
            yield self._batch(self._counted, self.counts(self._counted))
            self._counted += 1
            yield None  # the clock has moved on, so the publisher closes the timestamp

    def counts(self, place: int) -> Integers:
        """How many people are in each cell at a timestamp; of several events of a person the first counts."""
        with passing_on_errors():
            stored = self.spark.read.schema(f"batch long, {STORED}").parquet(self.folder).where(f"place = {int(place)}")
            found = _first_of_each(stored).groupBy("cell").count().collect()
        counts = np.zeros(len(with_other(self.cells)), dtype=np.int64)
        for row in found:
            counts[row["cell"]] = row["count"]
        return counts

    def commit(self, offsets: Mapping[str, int]) -> None:
        """Nothing is deleted: how long events are kept in the folder is the owner's rule."""

    def _batch(self, place: int, counts: Integers) -> Batch:
        labels = with_other(self.cells).labels
        people = int(counts.sum())
        cells = np.repeat(np.arange(counts.size), counts)
        return Batch(
            times=np.full(people, self.grid.ticks_start + place * self.grid.ticks_interval, dtype=np.int64),
            people=[str(number) for number in range(people)],
            statuses=[labels[cell] for cell in cells.tolist()],
            offsets=np.full(people, place, dtype=np.int64),
            end=place + 1,
        )


def _first_of_each(stored: Any) -> Any:  # noqa: ANN401 - a data frame of Spark
    """The first cell of each person, by time and then by cell."""
    return (
        stored.selectExpr("id", "struct(tick, cell) as event")
        .groupBy("id")
        .agg({"event": "min"})
        .toDF("id", "event")
        .select("event.cell")
    )


def _arrow_schema() -> Any:  # noqa: ANN401 - PyArrow comes with Spark
    import pyarrow as pa  # noqa: PLC0415

    return pa.schema([("place", pa.int64()), ("id", pa.string()), ("cell", pa.int32()), ("tick", pa.int64())])


@dataclass(frozen=True)
class _Storing:
    """What workers do with the events of a micro-batch."""

    labels: Universe
    other: int
    grid: TimeGrid
    options: ReadOptions

    def stored(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Events with their timestamp and cell; those outside the grid are left out, and unknown labels are one cell."""
        for batch in batches:
            frame = pl.from_arrow(batch)
            if not isinstance(frame, pl.DataFrame) or frame.is_empty():
                continue
            yield from (
                self._rows(without_empty_rows(named_columns(frame, self.options.columns.names)))
                .to_arrow()
                .cast(_arrow_schema())
                .to_batches()
            )

    def _rows(self, frame: pl.DataFrame) -> pl.DataFrame:
        rows = event_columns(frame, Misfits(), universe=self.labels, options=self.options, grid=None, unlabelled=True)
        if rows.times is None:
            raise ParameterError(NEEDS_TIME)
        times = rows.times
        places = grid_places(times, self.grid, time_format=self.options.time_format)
        ticks = as_triples(times).struct.field("whole")
        found = pl.DataFrame(
            {
                "place": places.cast(pl.Int64),
                "id": rows.ids.cast(pl.String),
                "cell": rows.codes.cast(pl.Int32).fill_null(self.other),
                "tick": ticks.cast(pl.Int64),
            }
        )
        return found.filter(pl.col("place").is_not_null())
