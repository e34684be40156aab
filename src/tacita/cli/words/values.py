"""What the values of options mean; a configuration file asks here too, so that it takes what the command line takes."""

from __future__ import annotations

__all__ = ["amount", "texts", "whole_numbers"]


def amount(text: str) -> str:
    """An amount of budget, kept as the text that was typed, because that is exact."""
    return text


def whole_numbers(text: str) -> tuple[int, ...]:
    """Whole numbers with commas between them."""
    return tuple(int(part) for part in text.split(","))


def texts(text: str) -> tuple[str, ...]:
    """Texts with commas between them."""
    return tuple(part.strip() for part in text.split(","))
