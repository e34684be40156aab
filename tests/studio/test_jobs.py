"""Commands that read for the studio's pages end with it, however it ends; a publication goes on."""

import subprocess
import sys
import time

import pytest

from tacita.studio.jobs import Jobs, State

ENDLESS = [
    *("stream", "events.jsonl", "--follow", "--clock", "events", "--method", "uniform", "--contexts", "1", "--epsilon", "1"),
    *("--universe", "places.txt", "--time-start", "0", "--time-step", "1", "--time-intervals", "9", "--state", "state"),
    *("--out", "out.jsonl"),
]
STUDIO = """
import sys
from pathlib import Path
from tacita.studio.jobs import Jobs
jobs = Jobs(Path("."))
jobs.start(Path("job.journal").absolute(), sys.argv[1:], is_bound=True)
print("started", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def waiting(tmp_path):
    """A folder in which a command waits for more at the end of a file."""
    (tmp_path / "events.jsonl").write_text('{"time": 0, "id": "a", "label": "x"}\n', encoding="utf-8")
    (tmp_path / "places.txt").write_text("x\ny\n", encoding="utf-8")
    return tmp_path


def ended(folder, journal):
    for _ in range(600):
        job = Jobs(folder).look(journal)
        if job.state.has_ended:
            return job
        time.sleep(0.1)
    return pytest.fail("it still runs")


def test_what_is_bound_ends_when_the_studio_is_closed(waiting):
    jobs, journal = Jobs(waiting), waiting / "job.journal"
    assert jobs.start(journal, ENDLESS, is_bound=True)
    assert jobs.look(journal).state is State.RUNNING
    jobs.close()
    assert ended(waiting, journal).state is State.CANCELLED


def test_what_is_bound_ends_when_the_studio_is_killed(waiting):
    words = [sys.executable, "-c", STUDIO, *ENDLESS]
    with subprocess.Popen(words, cwd=waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as studio:
        assert studio.stdout is not None
        assert studio.stdout.readline() == "started\n"
        studio.kill()
    assert ended(waiting, waiting / "job.journal").state is State.CANCELLED


def test_what_is_not_bound_goes_on(waiting):
    jobs, journal = Jobs(waiting), waiting / "job.journal"
    assert jobs.start(journal, ENDLESS)
    jobs.close()
    time.sleep(0.3)
    assert jobs.look(journal).state is State.RUNNING
    jobs.cancel(journal)
    assert ended(waiting, journal).state is State.CANCELLED
