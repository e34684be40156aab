"""Checks of public parameters that many classes share; each refuses by name and quotes the value."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from tacita.errors import ParameterError

__all__ = ["one_of", "whole_number"]

Choice = TypeVar("Choice", bound=StrEnum)


def one_of(choices: type[Choice], value: str, *, name: str) -> Choice:
    """The choice that this is, or is called."""
    try:
        return choices(value)
    except ValueError:
        message = f"{name} must be one of {', '.join(choices)}, got {value!r}"
        raise ParameterError(message) from None


def whole_number(value: object, *, name: str, least: int, most: int | None = None) -> int:
    """The number, if it is a whole one within its bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        is_large = isinstance(value, int) and not isinstance(value, bool) and value > least
        bounds = f"of at most {most:,}" if is_large else f"of at least {least}"
        message = f"{name} must be a whole number {bounds}, got {value!r}"
        raise ParameterError(message)
    return value
