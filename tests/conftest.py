"""What all tests share: the real data, and a floor under the number of tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("tacita", deadline=None)  # these machines are noisy: no timed asserts
settings.load_profile("tacita")

COLLECTION_FLOOR = 2000


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """A suite that suddenly finds fewer tests than it used to has lost some."""
    whole_suite = not session.config.option.file_or_dir and not session.config.option.keyword
    if whole_suite and len(items) < COLLECTION_FLOOR:
        message = f"{len(items)} tests were collected, fewer than the {COLLECTION_FLOOR} that there were"
        raise pytest.UsageError(message)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with real data, named by TACITA_DATA."""
    named = os.environ.get("TACITA_DATA", "")
    if not named or not Path(named).is_dir():
        pytest.skip("needs the real data sets: set TACITA_DATA to their folder")
    return Path(named)
