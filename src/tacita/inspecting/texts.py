"""Text as rows: which encoding, separator and quotation mark a file has, and its rows one by one.

The readers of `tacita.io` know how a file is written and refuse what does not fit. Here it is the other way round: the first
lines decide, and every later line is judged on its own, so that a single odd one is found and the rest is still described.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import cast

from tacita.errors import InputError
from tacita.io.sources import input_name, opened_bytes

__all__ = [
    "SPACES",
    "Encoded",
    "Odd",
    "TextForm",
    "encoding_of",
    "form_of_lines",
    "form_of_rows",
    "holds_lists",
    "holds_pairs",
    "lines_of",
    "rows_of_text",
]

_HEAD = 1 << 16
_SAMPLE_LINES = 2_000
_LONGEST_FIELD = 50
"""A quoted field has at most this many lines; beyond that, its mark was never meant to open one."""

SEPARATORS = ("\t", ";", "|", ",")
SPACES = " "
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_POSITIONS = 10
_ESCAPED = re.compile("[\udc80-\udcff]")


@dataclass
class Odd:
    """Collects positions by reason, the first few of each; values are never kept."""

    found: dict[str, tuple[int, list[int]]] = field(default_factory=dict)

    def add(self, reason: str, position: int) -> None:
        """One more row that differs for this reason."""
        count, positions = self.found.get(reason, (0, []))
        if len(positions) < _POSITIONS:
            positions.append(position)
        self.found[reason] = count + 1, positions


@dataclass(frozen=True)
class Encoded:
    """The encoding of a file; `is_certain` is False for one of the many that have a byte per letter."""

    encoding: str
    is_certain: bool = True


@dataclass(frozen=True, kw_only=True)
class TextForm:
    """How the lines of a text are divided into fields."""

    separator: str | None
    quote: str | None
    comment: str | None = None

    @cached_property
    def _tidy(self) -> re.Pattern[str]:
        """A line whose quotation marks enclose whole fields, doubled inside: the only one that means the same to all readers."""
        quote, separator = re.escape(self.quote or '"'), re.escape(self.separator or "\n")
        part = rf"(?:{quote}(?:[^{quote}]|{quote}{quote})*+{quote}|[^{quote}{separator}\r\n]*+)"
        return re.compile(rf"{part}(?:{separator}{part})*+")

    def fields(self, line: str) -> list[str] | None:
        """The fields of a line without its end; None if a quotation mark is misplaced."""
        if self.quote is None or self.quote not in line:
            return [line] if self.separator is None else line.split(self.separator)
        if self._tidy.fullmatch(line) is None:
            return None
        return next(csv.reader([line], delimiter=self.separator or "\n", quotechar=self.quote))


def encoding_of(path: str | Path) -> Encoded:
    """The encoding: by a byte order mark, by zero bytes, or by whether all lines, or most of those with letters, are UTF-8."""
    with opened_bytes(path) as stream:
        head = stream.read(_HEAD)
    if not head.strip():
        message = f"{input_name(path)} is empty"
        raise InputError(message)
    if b"\r" in head and b"\n" not in head:
        message = f"the lines of {input_name(path)} end with carriage returns alone; replace these by line feeds: tr '\\r' '\\n'"
        raise InputError(message)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Encoded("utf-16")
    zeros = [head[place::2].count(0) for place in (0, 1)]
    if max(zeros) > len(head) // 8:
        return Encoded("utf-16-le" if zeros[1] > zeros[0] else "utf-16-be")
    good = bad = 0
    letters: set[int] = set()
    with opened_bytes(path) as stream:
        for line in cast("Iterator[bytes]", stream):
            if line.isascii():
                continue
            try:
                line.decode("utf-8")
                good += 1
            except UnicodeDecodeError:
                bad += 1
                letters.update(line)
    if good >= bad:
        return Encoded("utf-8")
    undefined = {0x81, 0x8D, 0x8F, 0x90, 0x9D}
    return Encoded("latin-1" if letters & undefined else "cp1252", is_certain=False)


@contextmanager
def lines_of(path: str | Path, encoding: str) -> Iterator[Iterator[str]]:
    """The lines with their ends; a byte that is not of the encoding becomes half a surrogate pair."""
    name = "utf-8-sig" if encoding == "utf-8" else encoding
    wide = encoding.startswith("utf-16")
    with opened_bytes(path) as stream:
        text = io.TextIOWrapper(
            cast("io.BufferedReader", stream), encoding=name, errors="replace" if wide else "surrogateescape", newline="\n"
        )
        try:
            yield iter(text)
        finally:
            text.detach()


def form_of_rows(path: str | Path, encoding: str) -> TextForm:
    """The separator and quotation mark by which the first lines have the same number of fields."""
    lines = _sample(path, encoding)
    comment = "#" if lines[0].startswith("# ") or any(line.startswith("#") for line in lines[1:]) else None
    bare = [line for line in lines if comment is None or not line.startswith(comment)] or lines
    found: tuple[int, int, TextForm] | None = None
    for separator in SEPARATORS:
        form = TextForm(separator=separator, quote=_quote(bare, separator), comment=comment)
        steady, width = _steadiness(bare, form)
        if width < 2 or steady < 5 or (separator == "," and found is not None and _has_decimal_commas(bare, found[2])):
            continue
        if found is None or (steady, width) > found[:2]:
            found = (steady, width, form)
    if found is not None:
        return found[2]
    spaced = TextForm(separator=SPACES, quote=_quote(bare, SPACES), comment=comment)
    steady, width = _steadiness(bare, spaced)
    return spaced if width > 1 and steady == 10 else TextForm(separator=None, quote=_quote(bare, ","), comment=comment)


def holds_pairs(path: str | Path, encoding: str) -> bool:
    """Whether nearly all lines, but for comments, are two words with spaces or tabs between them."""
    lines = [line for line in _sample(path, encoding) if not line.startswith("#")]
    return bool(lines) and 10 * sum(len(line.split()) == 2 for line in lines) >= 9 * len(lines)


def holds_lists(path: str | Path, encoding: str, form: TextForm) -> bool:
    """Whether most lines have several fields, whose number differs from line to line."""
    lines = _sample(path, encoding)
    separator = form.separator
    return separator is not None and separator != SPACES and 2 * sum(separator in line for line in lines) > len(lines)


def form_of_lines(path: str | Path, encoding: str) -> TextForm:
    """The separator that most lines of labels hold; spaces only if nothing else divides nearly as many."""
    lines = _sample(path, encoding)
    held = {separator: sum(separator in line.strip() for line in lines) for separator in (*SEPARATORS, SPACES)}
    best = max(held.values())
    chosen = next((separator for separator in held if held[separator] * 5 >= best * 4 and best), None)
    return TextForm(separator=chosen, quote=_quote(lines, chosen or ","))


def _sample(path: str | Path, encoding: str) -> list[str]:
    with lines_of(path, encoding) as lines:
        stripped = (line.rstrip("\r\n") for line in islice(lines, _SAMPLE_LINES))
        found = [line for line in stripped if line.strip()]
    if not found:
        message = f"{input_name(path)} is empty"
        raise InputError(message)
    return found


def _quote(lines: Sequence[str], separator: str) -> str | None:
    """The mark that encloses fields; None if marks occur, but enclose nothing."""
    edge = re.escape(separator)
    for mark in ('"', "'"):
        held = [line.replace(2 * mark, "") for line in lines if mark in line]
        opens = sum(len(re.findall(rf"(?:^|{edge}){mark}", line)) for line in held)
        closes = sum(len(re.findall(rf"{mark}(?={edge}|$)", line)) for line in held)
        encloses = 4 * min(opens, closes) > sum(line.count(mark) for line in held)
        if held and mark == '"':
            return mark if encloses else None
        if encloses and 2 * len(held) > len(lines):
            return mark
    return '"'


def _steadiness(lines: Sequence[str], form: TextForm) -> tuple[int, int]:
    """How many tenths of the lines have the most frequent number of fields, and that number."""
    widths: dict[int, int] = {}
    for _, line in _whole_lines(iter(f"{line}\n" for line in lines), form):
        fields = form.fields(line.rstrip("\r\n"))
        width = 0 if fields is None else len(fields)
        widths[width] = widths.get(width, 0) + 1
    width = max(widths, key=lambda each: widths[each])
    return widths[width] * 10 // sum(widths.values()), width


def _has_decimal_commas(lines: Sequence[str], form: TextForm) -> bool:
    """Whether fields of this form look like numbers with a decimal comma, so that commas divide nothing."""
    return any(_DECIMAL_COMMA.fullmatch(part.strip('"')) for line in lines[:100] for part in form.fields(line) or [])


def _whole_lines(lines: Iterator[str], form: TextForm) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; those that an open quotation mark joins are one, unless that mark is never closed."""
    quote = form.quote
    ahead: deque[tuple[int, str]] = deque()
    numbered = enumerate(lines, start=1)
    while True:
        got = ahead.popleft() if ahead else next(numbered, None)
        if got is None:
            return
        number, line = got
        if quote is None or not line.count(quote) % 2:
            yield number, line
            continue
        taken: list[tuple[int, str]] = []
        text = line
        while text.count(quote) % 2 and len(taken) < _LONGEST_FIELD:
            got = ahead.popleft() if ahead else next(numbered, None)
            if got is None:
                break
            taken.append(got)
            text += got[1]
        if text.count(quote) % 2 or form.fields(text.rstrip("\r\n")) is None:
            ahead.extendleft(reversed(taken))
            yield number, line
        else:
            yield number, text


def rows_of_text(path: str | Path, encoding: str, form: TextForm, odd: Odd) -> Iterator[tuple[int, list[str]]]:
    """Every row with the number of its first line; an empty line has no fields. What cannot be divided is counted as odd."""
    with lines_of(path, encoding) as lines:
        for number, line in _whole_lines(lines, form):
            text = line.rstrip("\r\n")
            if not text:
                yield number, []
                continue
            if form.comment is not None and text.startswith(form.comment):
                continue
            if not text.isascii() and _ESCAPED.search(text):
                odd.add(f"a character that is not {encoding}", number)
                continue
            if "\0" in text:
                odd.add("a zero byte", number)
                continue
            fields = form.fields(text)
            if fields is None:
                odd.add("a misplaced quotation mark", number)
            else:
                yield number, fields
