"""A small Spark on this machine; without Java or PySpark, its tests are skipped and say so."""

from __future__ import annotations

import os
import shutil
import signal
import sys

import pytest

LOOPBACK = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "2",
    "spark.tacita.blocks": "2",
}


def started(master: str, **more: str):
    pytest.importorskip("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("needs Java: apt-get install openjdk-17-jre-headless")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master)
    for name, value in (LOOPBACK | more).items():
        builder = builder.config(name, value)
    interrupts = signal.getsignal(signal.SIGINT)
    session = builder.getOrCreate()
    signal.signal(signal.SIGINT, interrupts)  # Spark puts a handler of its own there, and other tests run in this process too
    return session


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("spark"))
    session = started("local[2]", **{"spark.local.dir": folder, "spark.sql.warehouse.dir": folder, "spark.driver.memory": "1g"})
    yield session
    session.stop()
