"""Publish on a small cluster while processes of it are killed; prints whether each release is the one from memory.

Run by `test_lost_workers.py` in a process of its own, because a process has one Spark.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pyspark

from tacita.counting.spark.asking import SparkAsker
from tacita.io import Engine, ReadOptions
from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, open_sequences
from tacita.testing import seeded_ledger

UNIVERSE = Universe("ABCD")
SCENARIOS = ("nothing", "executor between", "executor during", "worker during")


def descendants(process: int) -> list[int]:
    """All processes below one."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def running(name: str) -> list[int]:
    """The processes below this one whose command line has a name in it."""
    found = []
    for process in descendants(os.getpid()):
        try:
            if name in Path(f"/proc/{process}/cmdline").read_text():
                found.append(process)
        except OSError:
            continue
    return found


def kill(name: str) -> None:
    """Kill one of our own processes with this name, the last that was started."""
    found = running(name)
    if found:
        os.kill(found[-1], signal.SIGKILL)


def published(records: object) -> list[list[int]]:
    release = PrefixTree(height=3).publish(records, budget=PureDP("2"), ledger=seeded_ledger(7))
    return release.data.sequences.to_lists()


def main() -> None:
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.executor.memory": "1g",
        "spark.log.level": "OFF",
        "spark.tacita.blocks": "4",
        "spark.local.dir": sys.argv[2],
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    path = sys.argv[1]
    expected = published(open_sequences(path, universe=UNIVERSE, options=ReadOptions(engine=Engine.LOCAL)))
    answers = SparkAsker.answers
    for scenario in SCENARIOS:
        asked = [0]

        def ask(self, question, scenario=scenario, asked=asked):
            asked[0] += 1
            if asked[0] == 2 and scenario == "executor between":
                kill("CoarseGrainedExecutorBackend")
            elif asked[0] == 2 and scenario == "executor during":
                threading.Timer(0.3, kill, ["CoarseGrainedExecutorBackend"]).start()
            elif asked[0] == 2 and scenario == "worker during":
                threading.Timer(0.3, kill, ["pyspark.daemon"]).start()
            return answers(self, question)

        SparkAsker.answers = ask
        records = open_sequences(path, universe=UNIVERSE, options=ReadOptions(engine=Engine.SPARK))
        sys.stdout.write(f"{scenario} {published(records) == expected} {asked[0]}\n")
        sys.stdout.flush()
        SparkAsker.answers = answers
    session.stop()


if __name__ == "__main__":
    main()
