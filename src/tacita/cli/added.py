"""Commands that other packages add, through the entry points of the group `tacita.commands`.

An entry point names a module with `add(commands)`, which offers the command's parser, and `run(options)`. To list the commands,
only the files that an installation leaves beside packages are read; a module is imported when its command is typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from tacita.errors import ParameterError
from tacita.registered import entry_points, lines_of

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
        for line in lines_of(f"{self.about}/METADATA") or lines_of(f"{self.about}/PKG-INFO"):
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
    for point in entry_points(GROUP):
        yield AddedCommand(name=point.name, module=point.value, about=point.about)
