"""Commands that other packages add, through the entry points of the group `tacita.commands`.

An entry point names a module with `add(commands)`, which offers the command's parser, and `run(options)`. To list the commands,
only the files that an installation leaves beside packages are read; a module is imported when its command is typed. They are read
here, with few imports, since that of `importlib.metadata` takes as long as all the rest of `tacita --help`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from os import scandir
from types import ModuleType
from typing import NamedTuple

from tacita.errors import ParameterError

__all__ = ["GROUP", "OF_EXTRAS", "AddedCommand", "added_commands"]

GROUP = "tacita.commands"

OF_EXTRAS = {"reproduce": "papers"}
"""The commands of packages that an extra of Tacita installs."""


class AddedCommand(NamedTuple):
    """A command of another package: its module, and the folder in which the installation describes the package."""

    name: str
    module: str
    about: str

    @property
    def summary(self) -> str:
        """What the package does, by its own description, and its name."""
        found: dict[str, str] = {}
        for line in _lines(f"{self.about}/METADATA") or _lines(f"{self.about}/PKG-INFO"):
            key, colon, value = line.partition(": ")
            if not colon:
                break
            found.setdefault(key, value)
        return f"{found.get('Summary', 'a command')} ({found.get('Name', self.module)})"

    def load(self) -> ModuleType:
        """The module, with `add` and `run`."""
        try:
            module = import_module(self.module)
        except ImportError as error:
            message = f"the command {self.name!r} must name a module that can be imported, got {self.module}: {error}"
            raise ParameterError(message) from error
        if not all(callable(getattr(module, verb, None)) for verb in ("add", "run")):
            message = f"the entry point {self.name!r} of {GROUP} must be a module with add and run, got {self.module}"
            raise ParameterError(message)
        return module


def added_commands(own: Mapping[str, str]) -> dict[str, AddedCommand]:
    """The commands of installed packages by name; two of a name, or one of our own, are refused."""
    found: dict[str, AddedCommand] = {}
    for command in _registered():
        known = found.setdefault(command.name, command)
        if command.name in own or known.module != command.module:
            message = f"a command {command.name!r} is registered twice; an installed package must choose another name"
            raise ParameterError(message)
    return dict(sorted(found.items()))


def _registered() -> Iterator[AddedCommand]:
    for folder in dict.fromkeys(sys.path):
        try:
            places = [entry.path for entry in scandir(folder or ".") if entry.name.endswith((".dist-info", ".egg-info"))]
        except OSError:  # an archive, or a folder that is not there
            continue
        for place in places:
            lines, section = _lines(f"{place}/entry_points.txt"), ""
            for line in lines if f"[{GROUP}]" in lines else ():
                name, equals, module = (part.strip() for part in line.partition("="))
                if line.startswith("["):
                    section = line.strip("[]")
                elif section == GROUP and equals:
                    yield AddedCommand(name=name, module=module, about=place)


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as quick as it gets
            return [line.strip() for line in file]
    except (OSError, UnicodeDecodeError):
        return []
