"""What was seen of a private file: how it is read, its columns, rows that cannot be read, and what only its owner can say.

Everything here is computed from raw data, for the owner's eyes only. It holds no value of a row: a row is named by position.
`reading`, the roles and the questions are what an owner confirms and then declares; counts and positions are for the terminal.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from tacita.errors import OutputError
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.public.parameters import Chosen, path_of

__all__ = ["Answer", "Candidate", "Column", "ColumnType", "Inspection", "OddRows", "Question", "Reading", "Role"]


FRAME = "data frame"
"""What represents the format of a frame."""


class ColumnType(StrEnum):
    """What the values of a column are."""

    CATEGORY = "category"
    WHOLE = "whole number"
    DECIMAL = "decimal number"
    TIME = "date or time"
    YES_NO = "yes or no"
    TEXT = "free text"
    NESTED = "lists or objects"
    EMPTY = "empty"


class Role(StrEnum):
    """What a column can be for."""

    PERSON = "person"
    LABEL = "label"
    TIME = "time"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the file is written; None where that means nothing for its format."""

    file_format: str
    compression: str | None = None
    separator: str | None = None
    quote: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    """The sign before decimals, if a column has any."""
    header: bool | None = None
    comment: str | None = None


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A role that a column may have, and what suggests it: its name or the form of its values, without any number."""

    role: Chosen[Role] = Chosen(Role)
    why: str


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column; in a file without a header it is named by its number, starting at 1."""

    name: str
    type: Chosen[ColumnType] = Chosen(ColumnType)
    pattern: str | None = None
    """How times are written, as `--time-format` takes it: iso, epoch-s, or a strptime pattern."""
    empty: int = 0
    distinct: int = 0
    """How many different values the first rows have."""
    is_different: bool = False
    """Whether nearly each of them has a value of its own, as ids and free texts do."""
    roles: tuple[Candidate, ...] = ()

    def why(self, role: Role) -> str | None:
        """What suggests a role; None if nothing does."""
        return next((candidate.why for candidate in self.roles if candidate.role is role), None)


@dataclass(frozen=True, kw_only=True)
class OddRows:
    """Rows that differ from the others in one way, and where the first of them are."""

    reason: str
    count: int
    positions: tuple[int, ...]
    is_refused: bool
    """Whether `tacita publish` leaves such rows out, or refuses them with `--strict`."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer to a question, and the options that say so."""

    text: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Question:
    """Something that the rows cannot settle; the first answer is what is assumed until the owner says otherwise."""

    about: str
    text: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a private file is like, for its owner."""

    source: str
    reading: Reading
    columns: tuple[Column, ...]
    rows: int
    empty_lines: int = 0
    unit: str = "line"
    """What positions count: lines of a text, or rows."""
    odd: tuple[OddRows, ...] = ()
    person: str | None = None
    label: str | None = None
    time: str | None = None
    kind: str | None = None
    because: str = ""
    """Why the data may be of this kind, or why none was recognised."""
    questions: tuple[Question, ...] = ()
    obstacles: tuple[str, ...] = ()
    """What must be changed before `tacita publish` can read the file, each with its remedy."""
    options: tuple[str, ...] = ()
    """The options of `tacita publish` that say how this file is read."""
    owner_options: tuple[str, ...] = ()
    """The options that the owner must fill in: public inputs and the budget, which must not come from the data."""

    @property
    def is_frame(self) -> bool:
        """Whether it is no file: `ta.publish` takes it beside a configuration."""
        return self.reading.file_format == FRAME

    def column(self, name: str) -> Column:
        """The column of this name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def command(self) -> str | None:
        """The command that publishes the file, quoted for a shell; None if publish cannot read it, or its kind is not known."""
        if self.kind is None or not self.owner_options or self.is_frame:
            return None
        words = shlex.join(["tacita", "publish", self.kind, self.source, *self.options])
        return " ".join([words, *self.owner_options])

    def write(self, file: str | Path = "tacita.toml") -> Path:
        """Write a configuration for the owner to confirm; a file that exists is refused, because it is what was declared."""
        from tacita.inspecting.declaring import configuration_text  # noqa: PLC0415 - it builds on this module

        text, path = configuration_text(self), path_of(file, name="the configuration")
        try:
            with path.open("x", encoding="utf-8") as opened:
                opened.write(text)
        except FileExistsError:
            message = f"{path} exists, and stays as it was declared; name another file, or remove it"
            raise OutputError(message) from None
        except OSError as error:
            message = f"{path} cannot be written: {error.strerror or error}"
            raise OutputError(message) from None
        return path

    def as_json(self) -> dict[str, object]:
        """Everything, for scripts of the owner."""
        return {"warning": OWNER_ONLY, **_plain(asdict(self)), "command": self.command}

    def __str__(self) -> str:
        """Render for the owner's terminal: first what was found, then what to answer, then what to type."""
        parts = [OWNER_ONLY, f"{self.source}: {_reading(self.reading)}", self._counted()]
        parts += _table([("column", "what it holds", "empty", "may be"), *map(_column, self.columns[:_SHOWN])])
        if len(self.columns) > _SHOWN:
            parts.append(f"  and {len(self.columns) - _SHOWN:,} more columns, which --json shows")
        if self.odd:
            parts += ["", "Rows that differ:", *(f"  {_odd(odd, self.unit)}" for odd in self.odd)]
        guess = f"Kind: {self.kind}, because {self.because}." if self.kind else f"Kind: not recognised, because {self.because}."
        parts += ["", guess]
        for number, question in enumerate(self.questions, start=1):
            parts += ["", *_question(question, number)]
        if self.obstacles:
            parts += ["", "Before it can be published:", *(f"  - {obstacle}" for obstacle in self.obstacles)]
        if self.command is not None:
            parts += ["", "To publish, with the first answer to each question:", f"  {self.command}"]
            parts += ["Words in capitals are for you to fill in, from what is public: never from the file."]
        return "\n".join(parts)

    def _counted(self) -> str:
        skipped = f"; empty lines, which are skipped: {self.empty_lines:,}" if self.empty_lines else ""
        return f"{self.rows:,} rows{skipped}"


_SHOWN = 100
"""How many columns the terminal shows."""

NAMES = {"\t": "tab", " ": "space"}
"""Characters that are hard to see, in the words of `--separator`."""


def _reading(reading: Reading) -> str:
    said = [reading.file_format + (f", compressed ({reading.compression})" if reading.compression else "")]
    if reading.encoding is not None:
        said.append(f"text in {reading.encoding}")
    if reading.separator is not None:
        said.append(f"separator {NAMES.get(reading.separator, reading.separator)}")
    if reading.quote is not None:
        said.append(f"quote {reading.quote}")
    if reading.decimal is not None:
        said.append(f"decimal sign {reading.decimal}")
    if reading.comment is not None:
        said.append(f"comments after {reading.comment}")
    if reading.header is not None:
        said.append("with a header" if reading.header else "without a header, so columns are numbered")
    return ", ".join(said)


def _column(column: Column) -> tuple[str, ...]:
    held = str(column.type) + (f" ({column.pattern})" if column.pattern else "")
    roles = "; ".join(f"{candidate.role} {candidate.why}" for candidate in column.roles)
    return column.name, held, f"{column.empty:,}", roles


def _table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    listed = list(rows)
    widths = [max(len(row[place]) for row in listed) for place in range(len(listed[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in listed]
    return [f"  {line}" for line in lines]


def _odd(odd: OddRows, unit: str) -> str:
    places = ", ".join(f"{position:,}" for position in odd.positions)
    more = f" and {odd.count - len(odd.positions):,} more" if odd.count > len(odd.positions) else ""
    plural = unit if odd.count == 1 else f"{unit}s"
    return f"{odd.reason}: {plural} {places}{more}" + (
        " (publish leaves them out, or refuses the file with --strict)" if odd.is_refused else ""
    )


def _question(question: Question, number: int) -> list[str]:
    lines = [f"Question {number}: {question.text}"]
    for answer in question.answers:
        options = f": {shlex.join(answer.options)}" if answer.options else ""
        lines.append(f"  - {answer.text}{options}")
    return lines


def _plain(value: dict[str, object]) -> dict[str, object]:
    """A dictionary of plain JSON: tuples as lists, enums as strings."""
    return {name: _plain_part(part) for name, part in value.items()}


def _plain_part(part: object) -> object:
    if isinstance(part, dict):
        return _plain(part)
    if isinstance(part, list | tuple):
        return [_plain_part(each) for each in part]
    return str(part) if isinstance(part, StrEnum) else part
