"""`make bench`: every figure that the documents promise, as a ratio measured in this one run.

Warm, in process, the best of several turns; peers and floors take turns with us, so that a slow moment of the machine affects
both.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import opendp.prelude as dp
import polars as pl

from data import Plan, TransitFiles
from floor import long_rows_floor
from tacita.privacy import noise
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.noise import discrete_gaussian
from tacita.privacy.randomness import SecureSource
from tacita.sequences import read_sequences
from timing import best, line

LARGE, SMALL = 1_200_000, 150_000
RUNS = (
    ("simple", ".parquet", "at most 4"),
    ("simple", "-by-time.parquet", "at most 4"),
    ("simple", ".csv", "at most 2.5"),
    ("hybrid", ".parquet", "at most 4"),
    ("hybrid", ".csv", "at most 2.5"),
    ("simple with times", ".parquet", "at most 4"),
    ("hybrid with times", ".parquet", "at most 4"),
    ("simple, continued", ".parquet", ""),
)


def noise_against_opendp() -> None:
    """A million draws at scale 12, and at scales that are not whole numbers."""
    dp.enable_features("contrib")
    source, draws, part = SecureSource(), 1_000_000, 100_000
    for scale, bound in ((Fraction(12), "at least 25"), (Fraction(5, 2), ""), (Fraction(1000), "")):
        theirs = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=float(scale))
        zeros = [0] * part
        ours_s, theirs_s = best(
            3,
            lambda rate=1 / scale: noise.discrete_laplace(draws, rate=rate, source=source),
            lambda theirs=theirs, zeros=zeros: theirs(zeros),
        )
        ratio = theirs_s / part / (ours_s / draws)
        line(f"noise, scale {float(scale):g}: OpenDP's time over ours", ratio, bound, f"{ours_s:.3f} s for {draws:,} draws")
    for scale, bound in ((Fraction(12), "at least 20"), (Fraction(5, 2), "at least 20"), (Fraction(1000), "at least 20")):
        theirs = dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=int), scale=float(scale))
        ours_s, theirs_s = best(
            3,
            lambda variance=scale * scale: discrete_gaussian(part, variance=variance, source=source),
            lambda theirs=theirs, zeros=[0] * (part // 10): theirs(zeros),
        )
        ratio = 10 * theirs_s / ours_s
        line(
            f"Gaussian noise, scale {float(scale):g}: OpenDP's time over ours", ratio, bound, f"{ours_s:.3f} s for {part:,} draws"
        )


def publish(source: Path, plan: Plan, out: Path, ledger: Path | None = None) -> str:
    """From file to folder, overwriting what an earlier turn left; says how much there was to write."""
    shutil.rmtree(out, ignore_errors=True)
    records = read_sequences(source, universe=plan.universe, grid=plan.grid)
    spent = Ledger() if ledger is None else Ledger.create(ledger, exist_ok=True)
    release = plan.tree.publish(records, budget=PureDP("1"), ledger=spent)
    release.write(out)
    read, written = (sequences.codes.size / 1e6 for sequences in (records.sequences, release.data.sequences))
    return f"{written:.1f} of {read:.1f} million symbols"


def publishing_against_the_floor(folder: Path) -> None:
    """1.2 million sequences, 1,012 locations, height 12, epsilon 1: read, publish, write; time, memory and growth.

    Simple and hybrid trees, without times and with those of the week in 24 intervals of seven hours.
    """
    files = TransitFiles(folder=folder, passengers=LARGE)
    files.make(".parquet", ".csv", "-by-time.parquet")
    plans = files.plans()
    for name, ending, bound in RUNS:
        source, plan = files.path(ending), plans[name]
        symbols = publish(source, plan, folder / "out")
        ours_s, floor_s = best(
            5,
            lambda source=source, plan=plan: publish(source, plan, folder / "out", folder / "owner.ledger"),
            lambda source=source: long_rows_floor(source, folder / f"floor{source.suffix}", files.labels),
        )
        what = f"publish {LARGE:,} sequences, {name}, from {ending.lstrip('.-')}: ours over the floor"
        line(what, ours_s / floor_s, bound, f"{ours_s:.2f} s, floor {floor_s:.2f} s; {symbols}")
    memory_against_columns(files)
    small = TransitFiles(folder=folder, passengers=SMALL)
    small.make(".parquet")
    large_s, small_s = best(
        5,
        lambda: publish(files.path(".parquet"), plans["simple"], folder / "out"),
        lambda: publish(small.path(".parquet"), plans["simple"], folder / "out"),
    )
    growth = (large_s / small_s) / (LARGE / SMALL)
    line(f"growth from {SMALL:,} to {LARGE:,}: time over linear", growth, "about 1", f"{small_s:.2f} s to {large_s:.2f} s")


def memory_against_columns(files: TransitFiles) -> None:
    """Peak memory in a fresh process, beyond the interpreter and its libraries, over the decoded columns."""
    for name, ending, _ in RUNS:
        if ending == ".csv":
            continue
        command = [sys.executable, str(Path(__file__).with_name("peak_memory.py")), str(files.path(ending)), name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peak = json.loads(done.stdout)["beyond"]
        decoded = files.decoded_bytes()
        what = f"peak memory, {name}, from {ending.lstrip('.-')}: over the decoded columns"
        line(what, peak / decoded, "at most 4", f"{peak / 1e6:.0f} MB over {decoded / 1e6:.0f} MB")


def help_time() -> None:
    """How soon `tacita --help` answers, over a bare start of Python."""
    ours_s, python_s = best(
        5,
        lambda: subprocess.run([sys.executable, "-m", "tacita.cli", "--help"], capture_output=True, check=True),
        lambda: subprocess.run([sys.executable, "-c", "pass"], capture_output=True, check=True),
    )
    line("tacita --help: over a bare start of Python", ours_s / python_s, "below 0.5 s", f"{ours_s:.2f} s")


def main() -> None:
    """Run all of them."""
    print(f"{'what':<84} {'ratio':>8}  {'bound':<14} seconds (Polars threads: {pl.thread_pool_size()})")
    noise_against_opendp()
    help_time()
    with tempfile.TemporaryDirectory() as folder:
        publishing_against_the_floor(Path(folder))


if __name__ == "__main__":
    main()
