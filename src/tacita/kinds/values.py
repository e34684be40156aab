"""What the values of options mean; a configuration file asks here too, so that it takes what the command line takes."""

from __future__ import annotations

__all__ = ["PRIVATE", "amount", "height", "number", "number_or_text", "texts", "whole_numbers"]

PRIVATE = "private:"
"""What a height begins with that is bought from the budget."""


def amount(text: str) -> str:
    """An amount of budget, kept as the text that was typed, because that is exact."""
    return text


def number(text: str) -> float:
    """A number that need not be whole or exact."""
    return float(text)


def number_or_text(text: str) -> str:
    """What may be a number or not, kept as the text that was typed."""
    return text


def height(text: str) -> int | str:
    """A whole number, or `private:` and one, which stays a text."""
    if text.startswith(PRIVATE):
        int(text.removeprefix(PRIVATE))
        return text
    return int(text)


def whole_numbers(text: str) -> tuple[int, ...]:
    """Whole numbers with commas between them."""
    return tuple(int(part) for part in text.split(","))


def texts(text: str) -> tuple[str, ...]:
    """Texts with commas between them."""
    return tuple(part.strip() for part in text.split(","))
