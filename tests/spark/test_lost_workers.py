import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engines import random_file

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_a_release_is_the_same_when_executors_and_workers_are_killed(tmp_path):
    pytest.importorskip("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("needs Java: apt-get install openjdk-17-jre-headless")
    path = random_file(tmp_path / "events.csv", 11, most=400)
    command = [sys.executable, str(HERE / "losing_workers.py"), str(path), str(tmp_path / "local")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in found.stdout.splitlines() if line.count(" ") >= 2]
    assert [line.rsplit(" ", 2)[:2] for line in lines] == [
        [scenario, "True"] for scenario in ("nothing", "executor between", "executor during", "worker during")
    ], found.stderr[-2000:]
