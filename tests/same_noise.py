"""The default run draws the same noise every time: a test that fails once in a million runs must not fail the change at hand.

Every test, and every fixture that several tests share, has a stream of its own that depends on its name alone: neither the order
of the tests nor the number of workers matters. Slow tests, those marked `entropy`, runs with TACITA_EXAMPLES=new, processes that
a test starts, and forks get the operating system's entropy, as users do. Whether a source is private is asked of its type, so
releases are stamped as ever.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tacita.privacy.randomness import SecureSource
from tacita.testing import SeededSource

Take = Callable[[SecureSource, int], bytes]

IS_SAME = os.environ.get("TACITA_EXAMPLES", "same") == "same"


@contextmanager
def _noise_of(name: str) -> Iterator[None]:
    """Noise that depends on a name, in this process; two forks must not draw the same."""
    stream, process, before = SeededSource(zlib.crc32(name.encode())), os.getpid(), SecureSource.take

    def take(_source: SecureSource, size: int) -> bytes:
        return stream.take(size) if os.getpid() == process else os.urandom(size)

    SecureSource.take = take  # type: ignore[method-assign]
    try:
        yield
    finally:
        SecureSource.take = before  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """A test, with the fixtures that are its own."""
    if not IS_SAME or item.get_closest_marker("slow") or item.get_closest_marker("entropy"):
        return (yield)
    with _noise_of(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
    """A fixture that several tests share, whichever of them comes first."""
    if not IS_SAME or fixturedef.scope == "function":
        return (yield)
    with _noise_of(f"{fixturedef.baseid}::{fixturedef.argname}"):
        return (yield)
