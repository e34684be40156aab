"""Callable packages: `ta.sequences(source, ...)` reads records, although `tacita.sequences` is also a package.

A kind whose room has the name of the kind calls this at the end of its `__init__`; type checkers see a function (`__init__.pyi`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["callable_room"]


class _Room(ModuleType):
    """A package that reads records when it is called."""

    _reads: Callable[..., Any]

    def __call__(self, source: Any, /, **rest: Any) -> Any:  # noqa: ANN401 - whatever the reader takes and gives
        """Read records of this kind from a path or a data frame."""
        return self._reads(source, **rest)


def callable_room(name: str, reads: Callable[..., Any]) -> None:
    """Let the package of this name be called as the function that reads its records."""
    room = sys.modules[name]
    room.__class__ = _Room
    vars(room)["_reads"] = reads
