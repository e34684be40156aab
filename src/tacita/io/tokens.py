"""Splitting a whole text into words at once: a column of words and the number per line, without a Python object for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Integers
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.io.columns import POLARS_FAILURES
from tacita.public.universe import Universe

__all__ = ["Words", "blank_words", "one_column", "require_words", "words_per_line"]

_NEWLINE = np.uint8(ord("\n"))
_IS_BLANK = np.zeros(256, dtype=bool)
_IS_BLANK[[ord(character) for character in " \t\r\n"]] = True


@dataclass(frozen=True, eq=False)
class Words:
    """All words of a text in order, and the number of words in each line, empty lines included."""

    words: pl.Series
    per_line: Integers

    def encoded(self, universe: Universe) -> tuple[Ragged, int]:
        """One list of codes per non-empty line; also how many words were dropped because they are outside the universe."""
        codes = self.words.cast(pl.Enum(universe.labels), strict=False).to_physical()
        offsets = np.append(0, np.cumsum(self.per_line[self.per_line > 0])).astype(np.int64)
        dropped = codes.null_count()
        if dropped:
            inside = codes.is_not_null()
            offsets = np.append(0, np.cumsum(inside.to_numpy()))[offsets].astype(np.int64)
            codes = codes.filter(inside)
        return Ragged(codes.to_numpy(), offsets), dropped


def blank_words(data: bytes, *, source: str) -> Words:
    """Words separated by any runs of spaces and tabs."""
    text = np.frombuffer(data if data.endswith(b"\n") else data + b"\n", dtype=np.uint8)
    is_word = ~_IS_BLANK[text]
    is_last = is_word.copy()  # the last byte of a word
    is_last[:-1] &= ~is_word[1:]
    kept = is_word.copy()  # the words, and one space after each
    kept[1:] |= is_last[:-1]
    column = one_column(np.where(is_word, text, _NEWLINE)[kept].tobytes(), separator="\t", quote=None, source=source)
    return Words(column, words_per_line(is_last, text == _NEWLINE))


def words_per_line(is_last: Booleans, is_line_end: Booleans) -> Integers:
    """The number of words in each line, given where words and lines end."""
    lines = np.flatnonzero(is_line_end[is_last | is_line_end])  # positions of line ends among the ends of words and lines
    return np.diff(lines - np.arange(lines.size), prepend=0)


def one_column(data: bytes, *, separator: str, quote: str | None, source: str) -> pl.Series:
    """The fields of a text with one field per line; separators occur only in quotation marks; empty fields may be null."""
    if not data:
        return pl.Series(dtype=pl.String)
    try:
        frame = pl.read_csv(data, has_header=False, separator=separator, quote_char=quote, infer_schema=False)
    except POLARS_FAILURES:
        frame = pl.DataFrame()
    if frame.width != 1:
        message = f"{source} has a misplaced quotation mark"
        raise InputError(message)
    return frame.to_series()


def require_words(universe: Universe, *, what: str) -> None:
    """Refuse labels that are not one word each."""
    if any(any(space in label for space in " \t\r\n\0") or label.startswith("\ufeff") for label in universe.labels):
        message = f"{what} separates names by spaces, so no label may contain one; choose another format, such as csv"
        raise ParameterError(message)
