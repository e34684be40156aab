"""What all tests share: the real data, and a floor under the number of tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["same_noise"]

# No deadlines, since machines are noisy. The default run draws the same examples every time, so that it says something of the
# change at hand; `make test-slow` looks for new ones, and TACITA_EXAMPLES=new does so for any run.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("TACITA_EXAMPLES", "same"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell; commands would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

COLLECTION_FLOOR = 6950


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """A suite that suddenly finds fewer tests than it used to has lost some."""
    whole_suite = not session.config.option.file_or_dir and not session.config.option.keyword
    if whole_suite and len(items) < COLLECTION_FLOOR:
        message = f"{len(items)} tests were collected, fewer than the {COLLECTION_FLOOR} that there were"
        raise pytest.UsageError(message)


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    """A command that was interrupted ignores further signals, since its process ends; here it does not, so they are put back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with real data, named by TACITA_DATA."""
    named = os.environ.get("TACITA_DATA", "")
    if not named or not Path(named).is_dir():
        pytest.skip("needs the real data sets: set TACITA_DATA to their folder")
    return Path(named)


@pytest.fixture
def few_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit replays fewer runs of a pair, and crowds of fewer sizes, than that of a user."""
    monkeypatch.setattr("tacita.auditing.exact_replay.FEWEST_TIGHT_RUNS", 4)
    monkeypatch.setattr("tacita.auditing.exact_replay.ROUND_NUMBERS", (10, 1000))
