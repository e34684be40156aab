"""Converters for option values, shared by the command line and configuration files, so that both accept the same."""

from __future__ import annotations

__all__ = ["PRIVATE", "amount", "height", "level", "number", "number_or_text", "texts", "whole_numbers"]

PRIVATE = "private:"
"""The prefix of a height that is chosen with a share of the budget."""


def amount(text: str) -> str:
    """An amount of budget, kept as the string that was typed, because that is exact."""
    return text


def number(text: str) -> float:
    """A number that need not be whole or exact."""
    return float(text)


def number_or_text(text: str) -> str:
    """A number or any other string, kept as it was typed."""
    return text


def height(text: str) -> int | str:
    """A whole number, or `private:` and one, which stays a string."""
    if text.startswith(PRIVATE):
        int(text.removeprefix(PRIVATE))
        return text
    return int(text)


def level(text: str) -> int | str:
    """A whole number of contexts, or the name of a level, which stays a string."""
    return int(text) if text.isdecimal() else text


def whole_numbers(text: str) -> tuple[int, ...]:
    """Whole numbers separated by commas."""
    return tuple(int(part) for part in text.split(","))


def texts(text: str) -> tuple[str, ...]:
    """Strings separated by commas."""
    return tuple(part.strip() for part in text.split(","))
