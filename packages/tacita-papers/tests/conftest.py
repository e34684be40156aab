"""What the tests of the papers share: the real data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with real data, named by TACITA_DATA."""
    named = os.environ.get("TACITA_DATA", "")
    if not named or not Path(named).is_dir():
        pytest.skip("needs the real data sets: set TACITA_DATA to their folder")
    return Path(named)
