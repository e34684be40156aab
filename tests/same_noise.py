"""The default run draws the same noise every time: a test that fails once in a million runs must not fail the change at hand.

Every test, and every fixture that several tests share, has streams of its own that depend on its name alone: neither the order
of the tests nor the number of workers matters. The test's process has one; each process that it starts or forks has another
(`in_processes/sitecustomize.py`). Which of the workers of an audit takes which part of it is chance, so a machine seems to have
one core, unless a test asks for more processes.

Slow tests, those marked `entropy`, and runs with TACITA_EXAMPLES=new get the operating system's entropy, as users do. Whether a
source is private is asked of its type, so releases are stamped as ever.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from in_processes.sitecustomize import SAME_NOISE, streams_of
from tacita.privacy.randomness import SecureSource
from tacita.testing import SeededSource

IS_SAME = os.environ.get("TACITA_EXAMPLES", "same") == "same"

_FOLDER = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Processes that a test starts run what is in that folder first; the generators of others are seeded here, by name."""
    there = str(Path(__file__).parent / "in_processes")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [there, os.environ.get("PYTHONPATH")]))
    config.stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="same-noise-"))
    if IS_SAME:
        config.option.randomly_reset_seed = False  # pytest-randomly takes another seed in every run


def pytest_unconfigure(config: pytest.Config) -> None:
    """What numbers the processes is needed no longer."""
    shutil.rmtree(config.stash[_FOLDER], ignore_errors=True)


def _global_states() -> tuple[Any, Any]:
    return random.getstate(), np.random.get_state()  # noqa: NPY002


@contextmanager
def _noise_of(name: str, folder: Path) -> Iterator[None]:
    """Noise that depends on a name, in this process and those that it starts; no two of them draw the same."""
    number, process = zlib.crc32(name.encode()), os.getpid()
    before, named, cores, states = SecureSource.take, os.environ.get(SAME_NOISE), os.cpu_count, _global_states()
    stream, place = SeededSource(number), str(folder / f"{number:08x}")
    of_forks = streams_of(place)

    def take(_source: SecureSource, size: int) -> bytes:
        return stream.take(size) if os.getpid() == process else of_forks(size)

    SecureSource.take = take  # type: ignore[method-assign]
    os.environ[SAME_NOISE], os.cpu_count = place, lambda: 1
    random.seed(number)
    np.random.seed(number)  # noqa: NPY002 - for libraries that use it
    try:
        yield
    finally:
        SecureSource.take, os.cpu_count = before, cores  # type: ignore[method-assign]
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
        os.environ.pop(SAME_NOISE)
        if named is not None:
            os.environ[SAME_NOISE] = named
        for used in folder.glob(f"{number:08x}.*"):
            used.unlink()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """A test, with the fixtures that are its own."""
    if not IS_SAME or item.get_closest_marker("slow") or item.get_closest_marker("entropy"):
        return (yield)
    with _noise_of(item.nodeid, item.config.stash[_FOLDER]):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> Iterator[None]:
    """A fixture that several tests share, whichever of them comes first."""
    if not IS_SAME or fixturedef.scope == "function":
        return (yield)
    with _noise_of(f"{fixturedef.baseid}::{fixturedef.argname}", request.config.stash[_FOLDER]):
        return (yield)
