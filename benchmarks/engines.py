"""The engines beside each other: CPU seconds and peak memory from a file to a release, as ratios in one run.

python benchmarks/engines.py [--people 10000000] [--engines local,blocks,spark]

The file is simulated: 6.7 taps per person over 1,012 stations in a week, in order of time, as Parquet. It is read, published
by a prefix tree of height 12 at epsilon 1, and written as Parquet, on Spark by its workers. Each engine runs in a process of its
own. CPU seconds are those of all its processes, so they hardly depend on what else the machine does; those of
Spark include the Java virtual machine and the workers of Python.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

STEPS = ("read", "publish", "write")
STATIONS, TAPS, WEEK = 1_012, 6.7, 7 * 86_400
PER_SLICE = 2_000_000


def simulated(path: Path, people: int) -> None:
    """Write taps slice by slice of time; half of a person's taps are at home."""
    rng = np.random.default_rng(1)
    weights = np.cumsum(1 / np.arange(1, STATIONS + 1) ** 0.8)
    labels = pl.Series([f"station {number}" for number in range(STATIONS)])
    rows = int(people * TAPS)
    slices = max(1, rows // PER_SLICE)

    def taps(place: int) -> pl.DataFrame:
        ids = rng.integers(0, people, rows // slices)
        times = np.sort(rng.integers(place * WEEK // slices, (place + 1) * WEEK // slices, ids.size))
        codes = np.searchsorted(weights, rng.random(ids.size) * weights[-1])
        at_home = rng.random(ids.size) < 0.5
        codes[at_home] = ids[at_home] * 2_654_435_761 % STATIONS
        return pl.DataFrame({"id": ids, "label": labels.gather(codes), "time": times})

    def source(*_: object) -> Iterator[pl.DataFrame]:
        return (taps(place) for place in range(slices))

    schema = {"id": pl.Int64, "label": pl.String, "time": pl.Int64}
    register_io_source(source, schema=schema).sink_parquet(path, row_group_size=1_000_000)
    path.with_suffix(".txt").write_text("\n".join(labels.to_list()) + "\n")


def measured(path: str, engine: str) -> dict[str, float]:
    """Read, publish and write with one engine, in this process."""
    import tacita as ta  # noqa: PLC0415 - its cost is not part of what is measured

    if engine == "spark":
        from pyspark.sql import SparkSession  # noqa: PLC0415

        os.environ["PYSPARK_PYTHON"] = sys.executable
        loopback = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false"}
        builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g").config("spark.log.level", "OFF")
        for name, value in loopback.items():
            builder = builder.config(name, value)
        builder.getOrCreate().range(10).count()
    universe = ta.Universe.read(str(Path(path).with_suffix(".txt")))
    found = {"before": _memory()}
    start = _cpu()
    records = ta.sequences.open_sequences(
        path, universe=universe, options=ta.io.ReadOptions(engine=ta.io.Engine(engine)), name="taps"
    )
    found |= {"read": _cpu() - start, "read_memory": _memory()}
    start = _cpu()
    release = ta.sequences.PrefixTree(height=12).publish(records, budget=ta.PureDP("1.0"))
    found |= {"publish": _cpu() - start, "publish_memory": _memory()}
    start = _cpu()
    with tempfile.TemporaryDirectory() as folder:
        elsewhere = {"spark_folder": Path(folder, "data").as_uri()} if engine == "spark" else {}
        release.write(Path(folder) / "release", **elsewhere)
    return found | {"write": _cpu() - start, "memory": _memory()}


def _cpu() -> float:
    """CPU seconds of this process, and of those that it started: Spark's are still running, so they are asked for by id."""
    own = time.process_time()
    ticks = os.sysconf("SC_CLK_TCK")
    return own + sum(_ticks(child) for child in _descendants(os.getpid())) / ticks


def _descendants(process: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *_descendants(child)]
    return found


def _ticks(process: int) -> int:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15])  # user and system time, of its finished children too


def _memory() -> float:
    """Peak memory in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    """Simulate a file, run each engine on it, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("--engines", default="local,blocks,spark")
    parser.add_argument("--measure", nargs=2, metavar=("FILE", "ENGINE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(*options.measure)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "taps.parquet"
        simulated(path, options.people)
        _compare(path, options.people, options.engines.split(","))


def _compare(path: Path, people: int, engines: list[str]) -> None:
    """Run each engine on a file, and print a table."""
    rows = {}
    for engine in engines:
        command = [sys.executable, __file__, "--measure", str(path), engine]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows[engine] = json.loads(output.splitlines()[-1])
    base = rows.get("local", next(iter(rows.values())))
    print(f"{people:,} people; CPU seconds, ratio to the first row, peak GB of the process that publishes")
    for engine, row in rows.items():
        steps = "  ".join(f"{step} {row[step]:6.1f} ({row[step] / base[step]:.2f})" for step in STEPS)
        whole, of = (sum(each[step] for step in STEPS) for each in (row, base))
        memory = ", ".join(f"{row[step]:.2f}" for step in ("read_memory", "publish_memory", "memory"))
        print(f"{engine:7} {steps}  all {whole:6.1f} ({whole / of:.2f})  peak GB after each: {memory}")


if __name__ == "__main__":
    main()
