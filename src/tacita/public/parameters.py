"""Checks of public parameters that many classes share; each error names the parameter and quotes its value."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

from tacita.errors import ParameterError

__all__ = ["Chosen", "instance_of", "one_of", "path_of", "whole_number"]

Choice = TypeVar("Choice", bound=StrEnum)


def one_of(choices: type[Choice], value: str, *, name: str) -> Choice:
    """The choice itself, given the choice or its name."""
    try:
        return choices(value)
    except ValueError:
        message = f"{name} must be one of {', '.join(choices)}, got {value!r}"
        raise ParameterError(message) from None


def whole_number(value: object, *, name: str, least: int, most: int | None = None) -> int:
    """Check that a value is a whole number within its bounds, and return it."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        is_large = isinstance(value, int) and not isinstance(value, bool) and value > least
        bounds = f"of at most {most:,}" if is_large else f"of at least {least}"
        message = f"{name} must be a whole number {bounds}, got {value!r}"
        raise ParameterError(message)
    return value


def instance_of(value: object, *expected: type, name: str) -> None:
    """Refuse something of another type; its value is not quoted, because it may hold private data."""
    if not isinstance(value, expected):
        message = f"{name} must be of the type {' or '.join(each.__name__ for each in expected)}, got {type(value).__name__}"
        raise ParameterError(message)


def path_of(value: object, *, name: str) -> Path:
    """The path that a string or a path names."""
    if not isinstance(value, str | os.PathLike):
        message = f"{name} must be a path, as a string or a Path, got {type(value).__name__}"
        raise ParameterError(message)
    if "\0" in os.fspath(value):
        message = f"{name} must be a path, but it contains a NUL character"
        raise ParameterError(message)
    return Path(value)


class Chosen(Generic[Choice]):
    """A field of a frozen dataclass that holds one of some choices; it may be set by name, and always reads as the choice.

    Type checkers see that the field takes a string and gives a choice. Without a default, the field must be given.
    """

    def __init__(self, choices: type[Choice], default: Choice | None = None) -> None:
        """Set the choices and the default."""
        self._choices = choices
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        """Remember the name of the field."""
        self._name = name

    def __get__(self, instance: object | None, owner: type | None = None) -> Choice:
        """The choice; on the class itself, the default."""
        if instance is None:
            if self._default is None:
                raise AttributeError(self._name)  # which tells dataclasses that the field has no default
            return self._default
        chosen: Choice = vars(instance)[self._name]
        return chosen

    def __set__(self, instance: object, value: Choice | str) -> None:
        """Take a choice or its name; anything else is refused."""
        vars(instance)[self._name] = one_of(self._choices, value, name=self._name)
