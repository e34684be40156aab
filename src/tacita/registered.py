"""What is registered by name: dotted names that are loaded when they are used, and entry points of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from tacita.errors import ParameterError

__all__ = ["load", "registered"]

RegisteredT = TypeVar("RegisteredT")


def load(dotted: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Load the attribute that a dotted name such as `tacita.sets:read_baskets` refers to."""
    module, _, attribute = dotted.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        message = f"{dotted!r} must name an attribute of a module that can be imported: {error}"
        raise ParameterError(message) from error


def registered(group: str, wanted: type[RegisteredT]) -> Iterator[RegisteredT]:
    """What other packages register in a group of entry points, in the order of the names."""
    for point in sorted(_points(tuple(sys.path)).select(group=group), key=lambda point: point.name):
        loaded = point.load()
        if not isinstance(loaded, wanted):
            message = f"the entry point {point.name!r} of {group} must be a {wanted.__name__}, got {type(loaded).__name__}"
            raise ParameterError(message)
        yield loaded


@cache
def _points(path: tuple[str, ...]) -> Any:  # noqa: ANN401, ARG001 - its type differs between versions of Python; where it looks
    """All entry points: one look at the installed packages serves every group."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - not paid for where nothing is looked up

    return entry_points()
