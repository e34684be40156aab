"""Publish one file by a named plan in a fresh process and print, as JSON, its memory beyond the interpreter and its libraries."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import polars as pl

from data import Plan, TransitFiles
from tacita.privacy.budget import PureDP
from tacita.sequences import read_sequences


def publish(source: Path, plan: Plan, out: Path) -> None:
    """The whole way from file to folder."""
    records = read_sequences(source, universe=plan.universe, grid=plan.grid)
    plan.tree.publish(records, budget=PureDP("1")).write(out)


def peak_bytes() -> int:
    """The peak memory of this process so far (the figure of `resource` would include the parent's before the fork)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024


def main() -> None:
    """Warm up on a few rows, so that all libraries are loaded and their threads started, then measure."""
    source = Path(sys.argv[1])
    plan = TransitFiles(folder=source.parent, passengers=0).plans()[sys.argv[2]]
    with tempfile.TemporaryDirectory() as folder:
        few = Path(folder) / f"few{source.suffix}"
        pl.DataFrame({"id": [1, 2], "label": ["x", "y"], "time": [1, 2]}).write_parquet(few)
        publish(few, plan, Path(folder) / "few")
        before = peak_bytes()
        publish(source, plan, Path(folder) / "many")
        print(json.dumps({"before": before, "beyond": peak_bytes() - before}))


if __name__ == "__main__":
    main()
