"""Private files of any format as parts of rows with their positions, whatever the rows look like.

The parts of a text hold strings only; typed files keep decimals, dates and booleans. Whole numbers and categories become strings,
so that one look serves all formats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

import polars as pl

from tacita.errors import InputError, ParameterError
from tacita.formats import Holds, format_ending, is_sheet, named_formats
from tacita.inspecting.columns import LABEL_WORDS, PERSON_WORDS, TIME_WORDS, forms_of, words_of
from tacita.inspecting.result import FRAME, Reading
from tacita.inspecting.texts import (
    SPACES,
    Odd,
    TextForm,
    encoding_of,
    form_of_lines,
    form_of_rows,
    holds_lists,
    holds_pairs,
    lines_of,
    rows_of_text,
)
from tacita.io.columns import POLARS_FAILURES
from tacita.io.formats import STANDARD_INPUT, require_file
from tacita.io.frames import Source, any_frame
from tacita.io.sources import MAGIC, input_name
from tacita.io.typed_files import sheet_rows

__all__ = ["EXCEL", "LABELS", "Opened", "opened_source"]

EXCEL = "excel"
LABELS = "labels"
"""The one column that lines of labels are said to have."""

PART = 20_000
"""How many rows are looked at together; the first part proposes what columns hold."""

_KNOWN = ("csv", "jsonl", "parquet", "arrow", "wide", "dat", "seq", "edges")
Rows = Iterator[tuple[int, list[str | None]]]


@dataclass
class Opened:
    """A source with what its beginning told; `odd`, `rows` and `empty_lines` are complete once all parts were taken."""

    name: str
    reading: Reading
    parts: Iterator[tuple[pl.DataFrame, Sequence[int]]] = field(default_factory=lambda: iter(()))
    unit: str = "line"
    odd: Odd = field(default_factory=Odd)
    rows: int = 0
    empty_lines: int = 0
    knows_encoding: bool = True
    knows_header: bool = True
    obstacles: tuple[str, ...] = ()
    """What else stands in the way, each with its remedy."""


def opened_source(source: Source) -> Opened:
    """A file, by its first bytes and its ending; or a data frame of any library."""
    if not isinstance(source, str | Path):
        return _typed("the data frame", FRAME, any_frame(source))
    if str(source) == STANDARD_INPUT:
        message = "a file is read more than once to be inspected, so standard input will not do; name a file"
        raise ParameterError(message)
    with require_file(source).open("rb") as raw:
        start = raw.read(16)
    found = format_ending(source, *Holds)
    if start.startswith(b"PAR1"):
        return _typed(str(source), "parquet", pl.scan_parquet(source, glob=False))
    if start.startswith(b"ARROW1"):
        return _typed(str(source), "arrow", pl.scan_ipc(source, glob=False))
    if start.startswith(b"PK\x03\x04") or is_sheet(source):
        return _typed(str(source), EXCEL, sheet_rows(source))
    if found is not None and not found.is_text:
        message = f"{input_name(source)} is not a {found} file, although its ending says so"
        raise InputError(message)
    if found is not None and found.name not in _KNOWN:
        message = f"inspect knows {named_formats(_KNOWN, 'and')} files, not those of the format {found}"
        raise ParameterError(message)
    packing = next((str(known) for known, magic in MAGIC.items() if start.startswith(magic)), None)
    return _text(source, None if found is None else found.name, packing)


# Typed sources: Parquet, Arrow, a sheet, a frame.


def _typed(name: str, file_format: str, rows: pl.DataFrame | pl.LazyFrame) -> Opened:
    opened = Opened(name, Reading(file_format=file_format), unit="row")
    opened.parts = _frames(rows.lazy(), opened, first=2 if file_format == EXCEL else 1)
    return opened


def _frames(rows: pl.LazyFrame, opened: Opened, first: int) -> Iterator[tuple[pl.DataFrame, Sequence[int]]]:
    """Parts of a frame; rows are counted from 1, those of a sheet as its program numbers them."""
    try:
        kinds = rows.collect_schema()
        spelled = [name for name, kind in kinds.items() if kind.is_integer() or isinstance(kind, pl.Categorical | pl.Enum)]
        while True:
            part = rows.slice(opened.rows, PART).with_columns(pl.col(spelled).cast(pl.String)).collect()
            begin = first + opened.rows
            opened.rows += len(part)
            yield part, range(begin, begin + len(part))
            if len(part) < PART:
                return
    except POLARS_FAILURES:  # their messages may quote records
        message = f"the input {opened.name!r} cannot be read as {opened.reading.file_format}; it is damaged or incomplete"
        raise InputError(message) from None


# Texts.


def _text(path: str | Path, ending: str | None, packing: str | None) -> Opened:
    encoded = encoding_of(path)
    encoding = encoded.encoding
    opened = Opened(str(path), Reading(file_format="csv", compression=packing, encoding=encoding))
    opened.knows_encoding = encoded.is_certain
    with lines_of(path, encoding) as lines:
        begins = next((line.strip() for line in lines if line.strip()), "")
    if begins.startswith("[") and ending in {None, "jsonl"}:
        message = f"{input_name(path)} is a JSON list; Tacita reads one JSON object per line, which jq -c '.[]' makes of it"
        raise InputError(message)
    if ending == "jsonl" or (ending is None and begins.startswith("{")):
        opened.reading = replace(opened.reading, file_format="jsonl")
        opened.parts = _in_parts(_json_rows(path, encoding, opened), None, opened)
    elif ending == "seq":
        opened.reading = replace(opened.reading, file_format="seq")
        opened.parts = _in_parts(_seq_rows(path, encoding, opened), [LABELS], opened)
    elif ending in {"wide", "dat"}:
        _lists(path, ending, opened)
    elif ending == "edges" and holds_pairs(path, encoding):
        opened.reading = replace(opened.reading, file_format="edges", separator=SPACES)
        opened.parts = _in_parts(_pair_rows(path, encoding, opened), ["1", "2"], opened)
    else:
        _delimited(path, opened)
    return opened


def _lists(path: str | Path, file_format: str, opened: Opened) -> None:
    """Lines of labels."""
    encoding = opened.reading.encoding or "utf-8"
    form = form_of_lines(path, encoding)
    opened.reading = replace(opened.reading, file_format=file_format, separator=form.separator, quote=form.quote)
    opened.parts = _in_parts(_label_rows(path, encoding, form, opened), [LABELS], opened)


def _delimited(path: str | Path, opened: Opened) -> None:
    """Rows with columns, or lines of labels if the number of fields differs from row to row."""
    encoding = opened.reading.encoding or "utf-8"
    form = form_of_rows(path, encoding)
    if form.separator is None and holds_lists(path, encoding, form_of_lines(path, encoding)):
        _lists(path, "wide", opened)
        return
    first = list(islice((fields for _, fields in rows_of_text(path, encoding, form, Odd()) if fields), 1_001))
    if not first:
        message = f"{input_name(path)} has no rows"
        raise InputError(message)
    before = _before_header(first)
    first = first[before:]
    if len(first) > 1 and all(len(row) == len(first[0]) + 1 and not row[-1] for row in first[1:]):
        opened.obstacles += ("rows end with a separator that the first row lacks: add one there",)
        first[0].append("")
    if 2 * sum(any(part != part.strip() for part in row) for row in first) > len(first):
        opened.obstacles += ("spaces stand beside the separators, and publish takes them for parts of values: remove them",)
    has_header, opened.knows_header = _is_header(first[0], first[1:])
    opened.reading = replace(
        opened.reading,
        file_format="csv",
        separator=form.separator,
        quote=form.quote,
        comment=form.comment,
        header=has_header,
    )
    if has_header:
        repeated = dict.fromkeys(name for name in first[0] if name and first[0].count(name) > 1)
        opened.obstacles += tuple(f"two columns are named {name}: give each a name of its own" for name in repeated)
    names = first[0] if has_header else [str(number) for number in range(1, len(first[0]) + 1)]
    rows = _cut_rows(rows_of_text(path, encoding, form, opened.odd), len(names), opened, before=before, skips=has_header)
    opened.parts = _in_parts(rows, names, opened)


def _before_header(first: list[list[str]]) -> int:
    """How many rows with fewer fields, such as a title, come before the first row that is like most others."""
    if len(first) > 1 and first[0][0].lower().startswith("sep="):  # for Excel
        return 1
    widths = [len(row) for row in first]
    usual = max(set(widths), key=widths.count)
    before = widths.index(usual)
    return before if before < 20 and usual > max(widths[:before], default=0) + 1 else 0


def _is_header(first: list[str], rest: list[list[str]]) -> tuple[bool, bool]:
    """Whether the first row names the columns, and whether that is certain."""
    if not any(name.strip() for name in first) or any(forms_of(pl.Series("", [name])) for name in first if name.strip()):
        return False, True
    columns = [[row[place] for row in rest if len(row) > place and row[place]] for place in range(len(first))]
    if any(forms_of(pl.Series("", values, dtype=pl.String)) for values in columns):
        return True, True
    if any(name in values for name, values in zip(first, columns, strict=True)):
        return False, True
    return True, any(words_of(name) & (PERSON_WORDS | LABEL_WORDS | TIME_WORDS) for name in first)


def _cut_rows(rows: Iterator[tuple[int, list[str]]], width: int, opened: Opened, *, before: int, skips: bool) -> Rows:
    """Rows of the right width after those `before` the first; others are counted as odd."""
    for number, fields in rows:
        if not fields:
            opened.empty_lines += 1
        elif before:
            opened.odd.add("something before the first row", number)
            before -= 1
        elif skips:
            skips = False
        elif len(fields) == width:
            yield number, list(fields)
        else:
            opened.odd.add("more fields than the first row" if len(fields) > width else "fewer fields than the first row", number)


def _in_parts(rows: Rows, names: list[str] | None, opened: Opened) -> Iterator[tuple[pl.DataFrame, Sequence[int]]]:
    """Rows as frames; without names, rows are dictionaries in disguise and `opened.reading` has no columns yet."""
    if names is None:
        names, rows = _json_names(rows)
    schema = dict.fromkeys(_apart(names), pl.String)
    for part in iter(lambda: list(islice(rows, PART)), []):
        opened.rows += len(part)
        yield pl.DataFrame([row for _, row in part], schema=schema, orient="row"), [number for number, _ in part]
    if not opened.rows:
        yield pl.DataFrame(schema=schema), []


def _apart(names: list[str]) -> list[str]:
    """Names of columns, each once: a repeated one gets its number."""
    return [name if names.index(name) == place else f"{name} ({place + 1})" for place, name in enumerate(names)]


def _json_rows(path: str | Path, encoding: str, opened: Opened) -> Rows:
    """The values of each object, after a row with the names of the first objects, in line 0."""
    with lines_of(path, encoding) as lines:
        ahead = list(islice(lines, PART))
        names = list(dict.fromkeys(name for line in ahead for name in _json_object(line) or {}))
        yield 0, list(names)
        for number, line in enumerate(chain(ahead, lines), start=1):
            if not line.strip():
                opened.empty_lines += 1
                continue
            found = _json_object(line)
            if found is None:
                opened.odd.add("not a JSON object", number)
            else:
                yield number, [_spelled(found.get(name)) for name in names]


def _json_names(rows: Rows) -> tuple[list[str], Rows]:
    _, names = next(rows)
    return [str(name) for name in names], rows


def _json_object(line: str) -> dict[str, object] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _spelled(value: object) -> str | None:
    return value if isinstance(value, str) or value is None else json.dumps(value)


def _seq_rows(path: str | Path, encoding: str, opened: Opened) -> Rows:
    """The lines after the header of a `.seq` file; each must hold whole numbers."""
    with lines_of(path, encoding) as lines:
        listed = list(islice(lines, 1_000))
        begin = max((number for number, line in enumerate(listed, start=1) if line.startswith("%")), default=0)
        for number, line in islice(enumerate(chain(listed, lines), start=1), begin, None):
            if not line.strip():
                opened.empty_lines += 1
            elif re.fullmatch(r"[0-9 \t\r\n]+", line) is None:
                opened.odd.add("something other than whole numbers", number)
            else:
                yield number, [line.split()[0]]


def _pair_rows(path: str | Path, encoding: str, opened: Opened) -> Rows:
    """The two words of each line that is no comment."""
    with lines_of(path, encoding) as lines:
        for number, line in enumerate(lines, start=1):
            words = line.split()
            if not words:
                opened.empty_lines += 1
            elif len(words) == 2 and not line.startswith("#"):
                yield number, list(words)
            elif not line.startswith("#"):
                opened.odd.add("not two vertices", number)


def _label_rows(path: str | Path, encoding: str, form: TextForm, opened: Opened) -> Rows:
    """The first label of each line, which shows what labels are."""
    for number, fields in rows_of_text(path, encoding, form, opened.odd):
        held = [part.strip() for part in fields if part.strip()]
        if held:
            yield number, [held[0]]
        else:
            opened.empty_lines += 1
