"""The Spark session: the one that is active, or a new one configured as `spark-submit` or the environment says."""

from __future__ import annotations

import os
import re
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacita import errors
from tacita.errors import EngineError

__all__ = ["passing_on_errors", "spark_session"]

_MISSING = "the engine spark needs PySpark: pip install 'tacita[spark]'"
_NO_JAVA = (
    "the engine spark needs Java 17 or later: install it (on Debian openjdk-17-jre-headless), or let JAVA_HOME name its folder"
)
_OURS = re.compile(r"tacita\.errors\.(\w+Error): ([^\n]*)")


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
            message = f"Spark could not finish ({type(error).__name__}); nothing was published, and its log says why"
        raise EngineError(message) from None
