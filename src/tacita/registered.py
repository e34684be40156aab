"""What is registered by name: dotted names and names of rooms, which are loaded when they are used, and entry points.

Entry points are read from the files that an installation leaves beside packages, with few imports: `importlib.metadata` takes as
long as all the rest of `tacita --help`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from os import scandir, stat
from typing import Any, NamedTuple, TypeVar

from tacita.errors import ParameterError

__all__ = ["EntryPoint", "entry_points", "lines_of", "load", "loaded_when_used", "registered"]

RegisteredT = TypeVar("RegisteredT")


class EntryPoint(NamedTuple):
    """What an installed package registers: a dotted name, and the folder in which the installation describes the package."""

    group: str
    name: str
    value: str
    about: str


def load(dotted: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Load the attribute that a dotted name such as `tacita.sets:read_baskets` refers to."""
    module, _, attribute = dotted.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        message = f"{dotted!r} must name an attribute of a module that can be imported: {error}"
        raise ParameterError(message) from error


def loaded_when_used(room: str, homes: Mapping[str, tuple[str, ...]]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a room whose public names lie in the modules of `homes`.

    A publication uses one method of its room and loads the modules of that method only.
    """
    module_of = {name: home for home, names in homes.items() for name in names}

    def attribute(name: str) -> object:
        if name == "__all__":
            return names()
        if name not in module_of:
            message = f"module {room!r} has no attribute {name!r}"
            raise AttributeError(message)
        found: object = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[room], name, found)
        return found

    def names() -> list[str]:
        return sorted(module_of)

    return attribute, names


def registered(group: str, wanted: type[RegisteredT]) -> Iterator[RegisteredT]:
    """What other packages register in a group of entry points, in the order of the names."""
    for point in entry_points(group):
        loaded = load(point.value)
        if not isinstance(loaded, wanted):
            message = f"the entry point {point.name!r} of {group} must be a {wanted.__name__}, got {type(loaded).__name__}"
            raise ParameterError(message)
        yield loaded


def entry_points(group: str) -> list[EntryPoint]:
    """The entry points of a group, by name; a package that is found twice on the path counts once."""
    found: dict[tuple[str, str], EntryPoint] = {}
    for folder in dict.fromkeys(sys.path):
        for point in _points_in(folder or ".", _changed(folder or ".")):
            if point.group == group:
                found.setdefault((point.name, point.value), point)
    return sorted(found.values())


def _changed(folder: str) -> int:
    """When something was last put into a folder, or taken out of it."""
    try:
        return stat(folder).st_mtime_ns  # noqa: PTH116 - pathlib is not needed for anything else here
    except OSError:  # a folder that is not there
        return 0


@cache
def _points_in(folder: str, changed: int) -> tuple[EntryPoint, ...]:  # noqa: ARG001 - a folder that changed is read again
    """The entry points for Tacita of all packages that are installed in a folder: one look serves every group."""
    try:
        places = [entry.path for entry in scandir(folder) if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:  # an archive, or a folder that is not there
        return ()
    return tuple(point for place in places for point in _described(place))


def _described(place: str) -> Iterator[EntryPoint]:
    group = ""
    for line in lines_of(f"{place}/entry_points.txt"):
        name, equals, value = (part.strip() for part in line.partition("="))
        if line.startswith("["):
            group = line.strip("[]")
        elif equals and group.startswith("tacita."):
            yield EntryPoint(group=group, name=name, value=value, about=place)


def lines_of(path: str) -> list[str]:
    """The lines of a file that may not be there."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as quick as it gets
            return [line.strip() for line in file]
    except (OSError, UnicodeDecodeError):
        return []
