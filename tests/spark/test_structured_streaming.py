"""A stream of Spark is counted on the cluster and published on the driver, each timestamp once."""

import json

import pytest

from tacita.errors import ParameterError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams import Pace
from tacita.streams.service import Service, Settings
from tacita.streams.service.spark_source import SparkSource

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of Spark's own sockets
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

CELLS, GRID = Universe(["a", "b"]), TimeGrid(start=0, interval=10, intervals=4)
SCHEMA = "id string, label string, time long"
EVENTS = [("u1", "b", 5), ("u1", "a", 3), ("u2", "a", 3), ("u2", "b", 12), ("u3", "zoo", 12), ("u4", "a", 99)]


@pytest.fixture
def source(spark, tmp_path):
    return SparkSource(spark, folder=str(tmp_path / "stored"), cells=CELLS, grid=GRID, wall=lambda: 1000)


def service(folder, source, **more):
    return Service(
        name="taps",
        method=Pace(contexts=2, presence="added", **more),
        budget=PureDP("1000"),
        public=PublicInputs(universe=CELLS, grid=GRID),
        state=folder / "state",
        out=folder / "out",
        settings=Settings(now=source.now),
    )


def test_a_stream_of_spark_is_published_once_whatever_spark_repeats(spark, tmp_path, source):
    (tmp_path / "in").mkdir()
    lines = [json.dumps(dict(zip(("id", "label", "time"), event, strict=True))) for event in EVENTS]
    (tmp_path / "in" / "events.json").write_text("\n".join(lines))
    events = spark.readStream.schema(SCHEMA).json(str(tmp_path / "in"))
    query = events.writeStream.foreachBatch(source.store).option("checkpointLocation", str(tmp_path / "checkpoint"))
    query.trigger(availableNow=True).start().awaitTermination()
    assert [source.counts(place).tolist() for place in range(3)] == [[2, 0, 0], [0, 1, 1], [0, 0, 0]]
    source.store(spark.createDataFrame(EVENTS, SCHEMA), 0)
    assert source.counts(0).tolist() == [2, 0, 0]
    ledger = Ledger.create(tmp_path / "owner.ledger", exist_ok=True, new_datasets=True)
    assert service(tmp_path, source).run(source, ledger=ledger, most=2) == 2
    assert service(tmp_path, source).run(source, ledger=ledger) == 2
    released = [json.loads(line) for line in (tmp_path / "out" / "stream.jsonl").read_text().splitlines()]
    assert len(released) == GRID.intervals
    assert service(tmp_path, source).run(source, ledger=ledger) == 0


def test_a_batch_that_spark_delivers_again_after_a_failure_is_counted_once(spark, tmp_path, source):
    """The query dies after the second of two batches was stored, before Spark has noted it; its successor delivers it again."""
    (tmp_path / "in").mkdir()
    for part, events in enumerate((EVENTS[:3], EVENTS[3:])):
        lines = [json.dumps(dict(zip(("id", "label", "time"), event, strict=True))) for event in events]
        (tmp_path / "in" / f"{part}.json").write_text("\n".join(lines))
    delivered = []

    def dies_once(events, batch):
        source.store(events, batch)
        delivered.append(batch)
        if delivered == [0, 1]:
            message = "killed"
            raise RuntimeError(message)

    def query():
        files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
        written = files.writeStream.foreachBatch(dies_once).option("checkpointLocation", str(tmp_path / "checkpoint"))
        return written.trigger(availableNow=True).start()

    with pytest.raises(Exception, match="killed"):
        query().awaitTermination()
    query().awaitTermination()
    assert delivered == [0, 1, 1]
    assert [source.counts(place).tolist() for place in range(3)] == [[2, 0, 0], [0, 1, 1], [0, 0, 0]]
    ledger = Ledger.create(tmp_path / "owner.ledger", exist_ok=True, new_datasets=True)
    assert service(tmp_path, source).run(source, ledger=ledger) == GRID.intervals
    released = [json.loads(line) for line in (tmp_path / "out" / "stream.jsonl").read_text().splitlines()]
    assert [line["place"] for line in released] == list(range(GRID.intervals))


def test_the_source_has_a_clock_of_its_own(tmp_path):
    source = SparkSource(None, folder="nowhere", cells=CELLS, grid=GRID)
    with pytest.raises(ParameterError, match="a clock of its own"):
        Settings(now=lambda: 0, names_people=False).check(source, GRID)
    assert not any(tmp_path.iterdir())


def test_presence_must_be_private_where_nobody_is_named(tmp_path):
    source = SparkSource(None, folder="nowhere", cells=CELLS, grid=GRID)
    public = Service(
        name="taps",
        method=Pace(contexts=2),
        budget=PureDP("1"),
        public=PublicInputs(universe=CELLS, grid=GRID),
        state=tmp_path / "state",
        out=tmp_path / "out",
        settings=Settings(now=source.now),
    )
    with pytest.raises(ParameterError, match="names nobody"):
        public.run(source)
    assert not any(tmp_path.iterdir())
