"""Apache Spark, an extra: the session, and rows that its workers make and write."""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import polars as pl

from tacita import errors
from tacita.arrays.parts import RaggedInParts, numbered_parts
from tacita.arrays.ragged import Ragged
from tacita.errors import EngineError, OutputError, ParameterError
from tacita.formats import Holds, StoredFormat, formats_of, named_formats

__all__ = [
    "named_columns",
    "numbered_columns",
    "passing_on_errors",
    "require_url",
    "rows_on_spark",
    "spark_session",
    "written_by_spark",
]


# The session: the one that is active, or a new one configured as `spark-submit` or the environment says.

_MISSING = "the engine spark needs PySpark: pip install 'tacita[spark]'"
_NO_JAVA = (
    "the engine spark needs Java 17 or later: install it (on Debian openjdk-17-jre-headless), or let JAVA_HOME name its folder"
)
_OURS = re.compile(r"tacita\.errors\.(\w+Error): ([^\n]*)")

_CAUSES = (
    (
        re.compile(r"No module named '([\w.]+)'"),
        "its workers run a Python without the module {0}; let PYSPARK_PYTHON name one that has it, on every worker",
    ),
    (
        re.compile(r"Cannot run program \"([^\"]*)\""),
        "its workers cannot start {0}; let PYSPARK_PYTHON name another",
    ),
    (re.compile(r"OutOfMemoryError|MemoryError"), "a worker ran out of memory; give it more, by spark.executor.memory"),
    (re.compile(r"No space left on device"), "a disk of the cluster is full; make room, or name another by spark.local.dir"),
    (re.compile(r"^(\w+(?:Error|Exception)):", re.MULTILINE), "a worker stopped with {0}; the log of Spark has the rest"),
)
"""What an error of Spark tells of its cause, and our words for that; the message itself may quote rows."""


def spark_session() -> Any:  # noqa: ANN401 - Spark is an extra
    """The active session, or a new one; a missing package or a missing Java is one clear sentence."""
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra
    except ImportError:
        raise EngineError(_MISSING) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    if "SPARK_REMOTE" not in os.environ and not _has_java():
        raise EngineError(_NO_JAVA)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers on this machine would take whatever python3 is first
    try:
        with passing_on_errors():
            return SparkSession.builder.appName("tacita").getOrCreate()
    except EngineError as error:
        if "PySparkRuntimeError" in str(error):  # the Java that there is did not start Spark
            raise EngineError(_NO_JAVA) from None
        raise


def _has_java() -> bool:
    """Whether there is a Java where Spark looks for it."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java") is not None if home is None else (Path(home) / "bin" / "java").exists()


@contextmanager
def passing_on_errors() -> Iterator[None]:
    """Turn what Spark raises into one sentence: ours if a worker raised it, and none of Spark's own, which may quote rows."""
    try:
        from py4j.protocol import Py4JError  # noqa: PLC0415 - an extra
        from pyspark.errors import PySparkException  # noqa: PLC0415 - an extra
    except ImportError:
        raise EngineError(_MISSING) from None
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
            yield
    except (PySparkException, Py4JError) as error:
        found = _OURS.search(str(error))
        if found is not None and hasattr(errors, found[1]):
            raise getattr(errors, found[1])(found[2]) from None
        if type(error).__name__ == "AnalysisException":
            message = "Spark cannot find the input, or a column of it; check the path and the names of the columns"
        else:
            message = f"Spark could not finish, and nothing was published: {_cause(error)}"
        raise EngineError(message) from None


def _cause(error: Exception) -> str:
    """Why Spark stopped, in words of ours."""
    for pattern, words in _CAUSES:
        found = pattern.search(str(error))
        if found is not None:
            return words.format(*found.groups())
    return f"{type(error).__name__}; its log says why"


def numbered_columns(frame: Any, names: Sequence[str]) -> Any:  # noqa: ANN401 - data frames of Spark
    """Some columns under plain names: Spark's workers cannot be handed columns whose names have dots."""
    quoted = (name.replace("`", "``") for name in names)
    return frame.selectExpr(*(f"`{name}` as c{place}" for place, name in enumerate(quoted)))


def named_columns(part: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Such columns with their own names again."""
    return part.rename({f"c{place}": name for place, name in enumerate(names)})


# Released lists as rows that Spark makes and writes: the driver sends what was kept, and each worker makes parts of the
# release.
#
# A part is a function of its number, and has its own pseudo-random stream. So the rows are the same no matter who makes them, on
# however many workers, and the same as in a file that this process writes.

ROWS_AT_ONCE = 1 << 17


def rows_on_spark(lists: Ragged, frame: Callable[..., pl.DataFrame], session: Any = None) -> Any:  # noqa: ANN401 - data frames of Spark
    """The rows of some lists as a data frame of Spark; `frame` makes those of one part, given the number of its `first` list."""
    session = spark_session() if session is None else session
    columns = _columns(frame(Ragged.from_lists([]), first=0))
    if isinstance(lists, RaggedInParts):
        firsts, make = tuple(accumulate((0, *lists.most[:-1]))), lists.maker
    else:
        parts = list(numbered_parts(lists))
        firsts, make = tuple(first for first, _ in parts), [part for _, part in parts].__getitem__
    with passing_on_errors():
        numbers = session.range(0, len(firsts), 1, len(firsts))
        return numbers.mapInArrow(_Making(make, frame, firsts).rows, columns)


@dataclass(frozen=True, eq=False)
class _Making:
    """What is sent to workers; everything in it is public or noisy."""

    make: Callable[[int], Ragged]
    frame: Callable[..., pl.DataFrame]
    firsts: tuple[int, ...]

    def rows(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The rows of the parts whose numbers come in."""
        import pyarrow as pa  # noqa: PLC0415 - comes with Spark

        for batch in batches:
            for number in batch.column("id").to_pylist():
                table = self.frame(self.make(number), first=self.firsts[number]).to_arrow()
                fields = [
                    field.with_type(pa.string()) if pa.types.is_large_string(field.type) else field for field in table.schema
                ]
                yield from table.cast(pa.schema(fields)).to_batches(max_chunksize=ROWS_AT_ONCE)


def _columns(frame: pl.DataFrame) -> str:
    """The columns as Spark declares them."""
    return ", ".join(f"`{name.replace('`', '``')}` {_type(kind)}" for name, kind in frame.schema.items())


def _type(kind: pl.DataType) -> str:
    if kind.is_integer():
        return "int" if kind == pl.Int32 else "long"
    return "timestamp" if kind.is_temporal() else "string"


def require_url(where: str) -> None:
    """Refuse a place that does not name its file system: drivers and workers may mean different ones."""
    if not urlsplit(where).scheme:
        message = f"where Spark writes to must be named with its scheme, such as hdfs: or file:, got {where!r}"
        raise ParameterError(message)


def written_by_spark(rows: Any, where: str, name: str, *, file_format: str) -> list[dict[str, object]]:  # noqa: ANN401 - a data frame
    """Let the workers write rows into the folder `name` below a place that Spark writes to; its files, as in a manifest."""
    stored = StoredFormat.parse(file_format)
    if not stored.file_format.spark:
        known = named_formats([each for each in formats_of(Holds.EVENTS) if each.spark], "and")
        message = f"Spark writes {known}, got {file_format}; choose one of them as the format"
        raise ParameterError(message)
    require_url(where)
    folder = f"{name}{stored.ending}"
    path = f"{where.rstrip('/')}/{folder}"
    compression = {} if stored.compression is None else {"compression": {"gz": "gzip", "zst": "zstd"}[str(stored.compression)]}
    with passing_on_errors():
        rows.write.format(stored.file_format.spark).options(header=True, **compression).save(path)
        files = rows.sparkSession.read.format("binaryFile").load(f"{path}/part-*")
        found = files.selectExpr("path", "length", "sha2(content, 256) as digest").collect()
    if not found:
        message = "Spark wrote no file; the release has no data"
        raise OutputError(message)
    described = [
        {"name": f"{folder}/{PurePosixPath(row['path']).name}", "role": "data", "bytes": row["length"], "sha256": row["digest"]}
        for row in found
    ]
    return sorted(described, key=lambda file: str(file["name"]))
