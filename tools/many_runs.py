"""Run the default tests many times, to see that they depend neither on chance nor on order nor on load.

python tools/many_runs.py                     five runs
python tools/many_runs.py --runs 20 tests/cli   twenty runs of some of the tests

Each run has another order of the tests and another seed of the hashes of text; every second one runs beside two processes that
keep the machine busy. A line is printed for each run, and what failed; the code is 1 if any was red.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["busy_machine", "run_tests"]

ROOT = Path(__file__).parents[1]
BUSY = 2
"""How many processes compete with every second run."""


def main() -> int:
    """Run them, print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="how many runs")
    parser.add_argument("--first", type=int, default=1, help="the seed of the first run; the next ones follow")
    parser.add_argument("tests", nargs="*", help="some of the tests, in place of all")
    options = parser.parse_args()
    red = 0
    for seed in range(options.first, options.first + options.runs):
        is_busy, start = seed % 2 == 0, time.monotonic()
        with busy_machine(BUSY if is_busy else 0):
            code, said = run_tests(options.tests, seed)
        red += code != 0
        failed = re.findall(r"^(?:FAILED|ERROR) .*|^E  .*", said, flags=re.MULTILINE)
        ended = re.findall(r"^\d+ .* in [\d.]+s.*", said, flags=re.MULTILINE) or ["the run did not end as usual"]
        beside = ", beside busy processes" if is_busy else ""
        print(f"seed {seed}{beside}, {time.monotonic() - start:.0f} s: {ended[-1]}", *failed, sep="\n  ", flush=True)
        if code and not failed:
            print(said)
    print(f"{red} of {options.runs} runs were red")
    return 1 if red else 0


def run_tests(tests: list[str], seed: int) -> tuple[int, str]:
    """The code of a run and what it printed."""
    words = ["-q", "--numprocesses", "auto", "--dist", "worksteal", "-p", "no:cacheprovider", f"--randomly-seed={seed}", *tests]
    environment = os.environ | {"PYTHONHASHSEED": str(seed)}
    done = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", "pytest", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@contextmanager
def busy_machine(processes: int) -> Iterator[None]:
    """Some processes that do nothing as fast as they can, and end with this one."""
    script = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(10**6))"
    started = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(processes)]  # noqa: S603
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


if __name__ == "__main__":
    sys.exit(main())
