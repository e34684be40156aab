"""How tests run the command line: inside this process, or as a process of its own."""

from __future__ import annotations

import subprocess
import sys

from tacita.cli import main

SECRET = "zzsecretzz"


def publish(files, *more, name="taps.parquet", universe="stations.txt", out="out"):
    """Publish the small agency of the fixture `files` with a budget that suits it."""
    arguments = ["publish", str(files / name), "--method", "prefix-tree", "--out", str(files / out)]
    given = " ".join(more)
    arguments += ["--height", "2"] if "--height" not in given else []
    arguments += ["--epsilon", "4"] if "--epsilon" not in given else []
    arguments += ["--universe", str(files / universe)] if universe else []
    return main([*arguments, *more])


def run_command(*words, **rest):
    """Run the command as a process of its own."""
    return subprocess.run([sys.executable, "-m", "tacita.cli", *words], capture_output=True, text=True, check=False, **rest)
