"""Many runs on all cores: what a forked process cannot do is done in this one."""

import subprocess
import sys

WAITS_WHEN_FORKED = """
import polars as pl
from tacita.auditing import runs
from tacita.io.release_files import NoisyCounts

def rows(data, number):
    return pl.DataFrame({"a": [number]}).select(pl.col("a")).height

def counts(data, number):
    return len(NoisyCounts.of([("step", [(1,), (2,)], [3, 4], [1.0, 1.0])]))

rows(None, 0)
runs.PATIENCE = 300.0
assert runs._runs_when_forked(counts, None)
runs.PATIENCE = 1.0
print(runs.count_outcomes(rows, None, runs=1_001, processes=2)[0])
"""


def test_a_run_that_would_wait_for_ever_in_a_forked_process_is_done_in_this_one():
    """Polars waits for threads that a forked process does not have, once its parent has computed with it."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WAITS_WHEN_FORKED], capture_output=True, text=True, timeout=600, check=True
    )
    assert found.stdout == "Counter({1: 251})\n"
