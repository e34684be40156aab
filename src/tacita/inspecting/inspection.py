"""Look at a private file for its owner: `inspect` reads it once as a whole, and says what it is like and how to publish it.

Nothing is written, charged or remembered. What was found becomes true of a publication only when the owner types it: later rows
cannot change how a file is read.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tacita.formats import LISTS, SHEETS, Holds, format_ending, is_sheet
from tacita.inspecting.columns import EPOCHS, ISO, TIME_WORDS, Form, SeenColumn, seen_columns, words_of
from tacita.inspecting.result import FRAME, NAMES, Answer, Column, ColumnType, Inspection, OddRows, Question, Reading, Role
from tacita.inspecting.roles import (
    NETWORKS,
    SEQUENCES,
    SETS,
    STREAMS,
    TABLES,
    TRAJECTORIES,
    Guess,
    Roles,
    guessed_kind,
    guessed_roles,
)
from tacita.inspecting.sources import EXCEL, LABELS, Opened, opened_source
from tacita.io.frames import Source
from tacita.io.options import TextDialect
from tacita.kinds import kind_named

__all__ = ["inspect"]

_BLANKS = {" ", "\t"}
PLACES = {SEQUENCES, SETS, STREAMS, TRAJECTORIES}
"""The kinds whose labels may be cells of a map."""
_FLAGS = {Role.PERSON: "--person", Role.LABEL: "--label", Role.TIME: "--time"}


def inspect(source: Source, *, kind: str | None = None, progress: Callable[[int], None] | None = None) -> Inspection:
    """What a private file, or a data frame of any library, is like: for its owner's eyes only.

    The kind of data is guessed if none is named. `write` on what is found writes a `tacita.toml` for the owner to confirm.

    >>> import polars as pl
    >>> taps = pl.DataFrame({"card": [1, 1, 2], "station": ["A", "B", "A"], "tap": ["03/11/2026", "04/11/2026", "25/11/2026"]})
    >>> found = inspect(taps)
    >>> found.kind, found.person, found.label, found.time, found.column("tap").pattern
    ('sequences', 'card', 'station', 'tap', '%d/%m/%Y')
    """
    opened = opened_source(source)
    seen = seen_columns(opened.parts, progress)
    roles = guessed_roles(seen, opened.rows)
    guess = guessed_kind(seen, roles, opened.reading.file_format)
    if kind is not None and kind_named(kind).name != guess.kind:
        guess = replace(guess, kind=kind, because="you named it")
        if kind not in PLACES:
            guess = replace(guess, latitude=None, longitude=None)
    used = _used(guess, roles)
    time = None if used[Role.TIME] is None else next(column for column in seen if column.name == used[Role.TIME])
    odd = tuple(_odd(opened, seen, guess, used))
    questions = tuple(_questions(opened, guess, roles, used, time))
    wanted = _reading_options(opened, guess) | _column_options(guess, used, time)
    is_published = opened.reading.file_format != EXCEL or is_sheet(opened.name)
    flags = {option.flag for option in kind_named(guess.kind).options} if guess.kind else set()
    return Inspection(
        source=opened.name,
        reading=_with_decimal(opened.reading, seen),
        columns=tuple(_column(column, roles) for column in seen),
        rows=opened.rows,
        empty_lines=opened.empty_lines,
        unit=opened.unit,
        odd=odd,
        person=used[Role.PERSON],
        label=used[Role.LABEL],
        time=used[Role.TIME],
        kind=guess.kind,
        because=guess.because,
        questions=questions,
        obstacles=tuple(_obstacles(opened, guess, {flag for flag in wanted if flag not in flags})),
        options=tuple(_typed(wanted, flags)) if guess.kind is not None and is_published else (),
        owner_options=_owner_options(opened, guess) if is_published else (),
    )


def _used(guess: Guess, roles: Roles) -> dict[Role, str | None]:
    """The columns that this kind reads."""
    needed = {
        SEQUENCES: tuple(Role),
        STREAMS: tuple(Role),
        SETS: (Role.PERSON, Role.LABEL),
        TRAJECTORIES: (Role.PERSON, Role.TIME),
        TABLES: (Role.PERSON,),
    }.get(guess.kind or "", ())
    used = {role: roles.first(role) if role in needed else None for role in Role}
    if guess.latitude is not None:
        used[Role.LABEL] = None  # points become cells
    if guess.kind == TABLES and used[Role.PERSON] not in roles.named:
        used[Role.PERSON] = None
    return used


def _column(column: SeenColumn, roles: Roles) -> Column:
    best = column.best
    pattern = best[0].pattern if column.type is ColumnType.TIME and best else None
    return Column(
        name=column.name,
        type=column.type,
        pattern=None if pattern == "auto" else pattern,
        empty=column.empty,
        distinct=column.distinct,
        is_different=column.is_different,
        roles=roles.candidates[column.name],
    )


def _with_decimal(reading: Reading, seen: list[SeenColumn]) -> Reading:
    signs = [column.best[0].decimal for column in seen if column.type is ColumnType.DECIMAL and column.best]
    return replace(reading, decimal=signs[0]) if signs else reading


# Rows that differ.


def _odd(opened: Opened, seen: list[SeenColumn], guess: Guess, used: dict[Role, str | None]) -> Iterator[OddRows]:
    """Rows that cannot be divided into fields, rows without a value that is needed, and values unlike the others of a column."""
    for reason, (count, positions) in opened.odd.found.items():
        yield OddRows(reason=reason, count=count, positions=tuple(positions), is_refused=True)
    needed = {name for name in (*used.values(), guess.source, guess.target, guess.latitude, guess.longitude) if name}
    for column in seen:
        count, positions = column.without.found.get("", (0, []))
        if column.name in needed and count:
            yield OddRows(reason=f"{column.name}: no value", count=count, positions=tuple(positions), is_refused=True)
        form = column.best[0] if column.best else None
        if form is None or column.type is ColumnType.YES_NO or column.name in {used[Role.PERSON], used[Role.LABEL], LABELS}:
            continue
        if column.misfits(form):
            yield OddRows(
                reason=f"{column.name}: not {_as_said(form)}",
                count=column.misfits(form),
                positions=column.misfit_positions(form),
                is_refused=column.name in needed,
            )


def _as_said(form: Form) -> str:
    return f"a {form.type}" if form.pattern is None else f"a time as {form.pattern}"


# What only the owner can say.


def _questions(
    opened: Opened, guess: Guess, roles: Roles, used: dict[Role, str | None], time: SeenColumn | None
) -> Iterator[Question]:
    for role in (Role.PERSON, Role.LABEL, Role.TIME):
        names = roles.best[role]
        if used[role] is not None:
            taken = {used[other] for other in (Role.PERSON, Role.TIME) if role is Role.LABEL}
            others = [name for name in roles.candidates if _may_be(roles, name, role) and name not in {*names, *taken}]
            if len(names) > 1 or (others and used[role] not in roles.named):
                answers = tuple(Answer(text=name, options=(_FLAGS[role], name)) for name in (*names, *others))
                yield Question(about=role, text=f"Which column is the {role}?", answers=answers)
        elif role is Role.PERSON and guess.kind == TABLES and opened.reading.file_format != FRAME:
            yield Question(
                about=role,
                text="Is every row a person of its own?",
                answers=(
                    Answer(text="yes"),
                    Answer(text="no: name the column that identifies a person", options=("--person", "COLUMN")),
                ),
            )
    if time is not None:
        yield from _time_questions(time)
    if not opened.knows_encoding:
        yield Question(
            about="encoding",
            text="The text is not UTF-8, and bytes alone do not tell which letters they mean. Which encoding is it?",
            answers=(
                Answer(text="Western European", options=("--encoding", opened.reading.encoding or "")),
                Answer(text="another, such as cp1250 or cp1251", options=("--encoding", "NAME")),
            ),
        )
    if not opened.knows_header:
        with_header, without = Answer(text="yes"), Answer(text="no", options=("--no-header",))
        answers = (with_header, without) if opened.reading.header else (without, with_header)
        yield Question(about="header", text="Does the first row name the columns?", answers=answers)
    if guess.kind in {SEQUENCES, SETS} and opened.reading.file_format in {"wide", "dat"}:
        order = (Answer(text=f"yes: {SEQUENCES}"), Answer(text=f"no: {SETS}"))
        answers = order if guess.kind == SEQUENCES else order[::-1]
        yield Question(about="kind", text="Does the order of the labels in a line matter?", answers=answers)


def _may_be(roles: Roles, name: str, role: Role) -> bool:
    return any(candidate.role is role for candidate in roles.candidates[name])


def _time_questions(time: SeenColumn) -> Iterator[Question]:
    forms, name = time.best, time.name
    if len(forms) > 1:
        answers = tuple(Answer(text=_order(form), options=("--time-format", form.pattern or "")) for form in forms)
        yield Question(
            about="time format", text=f"{name}: the times can be read in several ways. Which is meant?", answers=answers
        )
    elif forms and forms[0].pattern in EPOCHS and not words_of(name) & TIME_WORDS:
        unit = Answer(text="since 1970 (UTC)", options=("--time-format", forms[0].pattern or ""))
        plain = Answer(text="plain numbers, which only order rows")
        yield Question(about="time format", text=f"{name}: are these times since 1970?", answers=(unit, plain))
    if not forms or forms[0].pattern is None or forms[0].pattern in EPOCHS or forms[0].pattern == "auto":
        return
    zone = Answer(text="in a zone, such as Europe/London", options=("--time-zone", "ZONE"))
    if forms[0].pattern == ISO and time.offsets:
        if time.offsets < time.filled:
            text = f"{name}: some times have an offset from UTC, others have none. In which zone are those without?"
            yield Question(about="time zone", text=text, answers=(zone,))
        return
    answers = (Answer(text="it does not matter: times are compared as they are written"), zone)
    yield Question(about="time zone", text=f"{name}: the times have no zone. Which clock showed them?", answers=answers)


def _order(form: Form) -> str:
    """What comes first in a date."""
    first = re.search(r"%([dmyY])", form.pattern or "")
    return {"d": "day first", "m": "month first"}.get(first[1] if first else "", "year first")


# The options of `tacita publish`.

_OWNERS = {
    SEQUENCES: ("--universe UNIVERSE", "--epsilon EPSILON", "--out FOLDER"),
    SETS: ("--universe UNIVERSE", "--epsilon EPSILON", "--out FOLDER"),
    NETWORKS: ("--universe VERTICES", "--epsilon EPSILON", "--out FOLDER"),
    STREAMS: (
        "--universe CELLS",
        "--time-start TIME",
        "--time-step STEP",
        "--time-intervals N",
        "--contexts M",
        "--epsilon EPSILON",
        "--out FOLDER",
    ),
    TABLES: ("--columns COLUMNS", "--epsilon EPSILON", "--out FOLDER"),
    TRAJECTORIES: (
        "--universe PLACES",
        "--time-start TIME",
        "--time-step STEP",
        "--time-intervals N",
        "--crowd K",
        "--known-pairs L",
        "--out FOLDER",
    ),
}


def _owner_options(opened: Opened, guess: Guess) -> tuple[str, ...]:
    """What only the owner can fill in; the header of a `.seq` file already declares the labels."""
    found = _OWNERS.get(guess.kind or "", ())
    if guess.latitude is not None:
        return ("--cells BOX", "--cell-size SIZE", *found[1:])
    declared = f"--universe {shlex.quote(opened.name)}"
    return (declared, *found[1:]) if opened.reading.file_format == "seq" else found


def _reading_options(opened: Opened, guess: Guess) -> dict[str, str]:
    """How the text is written, where that is not what its ending promises."""
    reading, path = opened.reading, Path(opened.name)
    if reading.file_format in {EXCEL, FRAME}:
        return {}
    wanted: dict[str, str] = {}
    file_format = reading.file_format
    if file_format == "dat" and reading.separator not in {*_BLANKS, None}:
        file_format = "wide"
    holds = (Holds.EDGES, Holds.PAIRS) if guess.kind == NETWORKS else LISTS
    ending = format_ending(path, *holds)
    if ending is None or ending.name != file_format:
        wanted["--edge-format" if guess.kind == NETWORKS else "--input-format"] = file_format
    usual = TextDialect().separator_for(path)
    if file_format in {"csv", "wide"} and reading.separator not in {usual, None}:
        wanted["--separator"] = NAMES.get(reading.separator or "", reading.separator or "")
    if file_format in {"csv", "wide"} and reading.quote != '"':
        wanted["--quote"] = reading.quote or "none"
    if reading.header is False and file_format == "csv":
        wanted["--no-header"] = ""
    if reading.comment is not None and file_format != "edges":
        wanted["--comment"] = reading.comment
    if reading.encoding not in {"utf-8", None}:
        wanted["--encoding"] = str(reading.encoding)
    return wanted


def _column_options(guess: Guess, used: dict[Role, str | None], time: SeenColumn | None) -> dict[str, str]:
    """Which columns are read, and how times are written."""
    wanted = {_FLAGS[role]: name for role, name in used.items() if name is not None}
    ends = {"--source": guess.source, "--target": guess.target, "--latitude": guess.latitude, "--longitude": guess.longitude}
    wanted |= {flag: name for flag, name in ends.items() if name is not None}
    if time is not None and time.type is ColumnType.TIME and time.best and time.best[0].pattern not in {"auto", None}:
        wanted["--time-format"] = time.best[0].pattern or ""
    return wanted


def _typed(wanted: dict[str, str], flags: set[str]) -> Iterator[str]:
    for flag, value in wanted.items():
        if flag in flags:
            yield flag
            if flag != "--no-header":
                yield value


def _obstacles(opened: Opened, guess: Guess, impossible: set[str]) -> Iterator[str]:
    """What stands between the file and a release, each with its remedy."""
    if opened.reading.file_format == EXCEL and not is_sheet(opened.name):
        yield f"this is a workbook, although its name does not end with {SHEETS[0]}: rename it"
    if guess.kind is not None and impossible:
        said = ", ".join(sorted(impossible))
        yield f"{guess.kind} cannot be read with {said}: save the file as CSV with commas and a header, in UTF-8, or as Parquet"
    yield from opened.obstacles
