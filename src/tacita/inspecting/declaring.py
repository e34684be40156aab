"""The text of a `tacita.toml` from what was seen of a private file: what its owner confirms becomes how the file is read.

Nothing that is counted in rows, and no value of a row, is written: names of columns, separators, patterns of times. What must not
come from the data (labels, bounds, the budget) and what the rows cannot settle is left open, as "?".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tacita.errors import ParameterError
from tacita.inspecting.result import Answer, Column, ColumnType, Inspection, Question
from tacita.kinds import kind_named
from tacita.kinds.configuration import COLUMNS, OPEN, key_of, quoted, tables_of
from tacita.kinds.registration import Kind, Option

__all__ = ["answered", "configuration_text", "open_questions"]

WIDTH = 44
"""Where comments begin, if the line is shorter."""

SETTLES = {
    "person": "person",
    "label": "label",
    "time": "time",
    "time format": "time_format",
    "encoding": "encoding",
    "header": "no_header",
}
"""Which option a question is about, if the file cannot be read rightly without an answer."""

_HEAD = """\
# How {source} is read and published. Written by `tacita inspect`; change what is wrong.
# A value of "?" is for you to fill in, from what is public: never from the file itself.
# `tacita publish` obeys this file as soon as no "?" is left; typed options take precedence.
"""

_TABLES = {
    "reading": "how the file is written, and what its columns are",
    "public": "what everybody may know: it must not come from the file",
    "parameters": "parameters of the method",
    "budget": "what the release may cost, and where that is recorded",
    "output": "where the release goes",
    "stream": "how a stream that goes on is published, by `tacita stream`",
}


def open_questions(found: Inspection) -> list[Question]:
    """The questions that must be answered before the file can be published."""
    return [question for question in found.questions if question.about in SETTLES]


def answered(found: Inspection, question: Question, answer: Answer) -> Inspection:
    """What was found, with a question answered by the owner."""
    settings = _settings(found.options) | _settings(answer.options)
    if not answer.options and question.about in SETTLES:
        settings.pop(SETTLES[question.about], None)
    options = tuple(word for name, value in settings.items() for word in _words(name, value))
    return replace(found, options=options, questions=tuple(each for each in found.questions if each is not question))


def configuration_text(found: Inspection) -> str:
    """The whole file; `tacita.kinds.configuration` reads it back."""
    if found.kind is None or not found.owner_options:
        message = f"no configuration can be written: {'; '.join(found.obstacles) or found.because}"
        raise ParameterError(message)
    kind = kind_named(found.kind)
    tables = tables_of(kind)
    options = {option.field_name: (table, option) for table, held in tables.items() for option in held}
    settings = _settings(found.options) | _left(found.owner_options) | _usual(found, kind)
    settings |= {SETTLES[question.about]: OPEN for question in open_questions(found)}
    settings.pop(COLUMNS, None)  # they stand below, one by one
    lines = [_HEAD.format(source=found.source), _line("kind", kind.name, found.because)]
    if not found.is_frame:
        lines.append(_line("input", found.source, "the private file"))
    for table in tables:
        own = [name for name in settings if name in options and options[name][0] == table]
        remarks = list(_remarks(found, settings)) if table == "reading" else []
        if own or remarks:
            lines += ["", f"[{table}]".ljust(WIDTH) + f"# {_TABLES[table]}"]
            lines += [_line(key_of(options[name][1]), settings[name], _comment(found, options[name][1])) for name in own]
            lines += remarks
    return "\n".join([*lines, *_columns(found, kind), ""])


def _settings(flags: Sequence[str]) -> dict[str, object]:
    """Options as they are typed, by their field names; a switch is true."""
    found: dict[str, object] = {}
    waiting = ""
    for word in flags:
        if waiting and not word.startswith("--"):
            found[waiting], waiting = word, ""
        else:
            waiting = word.removeprefix("--").replace("-", "_")
            found[waiting] = True
    return found


def _words(name: str, value: object) -> list[str]:
    flag = "--" + name.replace("_", "-")
    return [flag] if value is True else [flag, str(value)]


def _left(owner_options: Sequence[str]) -> dict[str, object]:
    """What only the owner can say; a word that is not in capitals is known, such as the file whose header declares the labels."""
    pairs = (option.removeprefix("--").partition(" ") for option in owner_options)
    return {flag.replace("-", "_"): OPEN if value.isupper() else value for flag, _, value in pairs}


def _usual(found: Inspection, kind: Kind) -> dict[str, object]:
    """A ledger and folders beside the file, by names that the owner may change; the columns of a table stand below."""
    name = "data" if found.is_frame else Path(found.source).name.partition(".")[0]
    usual: dict[str, object] = {"ledger": f"{name}.ledger", "create_ledger": True, "dataset": name, "out": f"{name}-release"}
    if kind.live is not None:
        usual |= {"state": f"{name}-state"}
    return usual


def _line(key: str, value: object, comment: str) -> str:
    said = f"{key} = {quoted(value)}"
    return f"{said.ljust(WIDTH)}# {comment}" if comment else said


def _comment(found: Inspection, option: Option) -> str:
    asked = next((each for each in open_questions(found) if SETTLES[each.about] == option.field_name), None)
    return option.help if asked is None else f"{asked.text} {_answers(asked, option.field_name)}"


def _answers(question: Question, name: str) -> str:
    said = [(answer.text, _settings(answer.options).get(name)) for answer in question.answers]
    keys = ["delete this line" if value is None else quoted(value) for _, value in said]
    return "; ".join(key if value == text else f"{key}: {text}" for key, (text, value) in zip(keys, said, strict=True))


def _remarks(found: Inspection, settings: Mapping[str, object]) -> Iterator[str]:
    """Settings that only some answers need, as comments."""
    for question in found.questions:
        for answer in question.answers if question.about not in SETTLES else ():
            for name, value in _settings(answer.options).items():
                if name not in settings:
                    yield _line(f"# {name.replace('_', '-')}", value, f"{question.text} {answer.text}")


# The columns of a table.

_BOUNDS = (("low", "the smallest value that may occur"), ("high", "the largest value that may occur"))


def _columns(found: Inspection, kind: Kind) -> Iterator[str]:
    """What each column may hold; bounds and values are for the owner to say."""
    if COLUMNS in {option.field_name for option in kind.public_options}:
        for column in found.columns:
            if column.name != found.person:
                yield ""
                yield from _column(column, found.reading.decimal)


def _column(column: Column, decimal: str | None) -> list[str]:
    name = f"[{COLUMNS}.{quoted(column.name)}]"
    declared = _declared(column, decimal)
    if not declared:
        return [f"# {name} is left out: it holds {column.type}"]
    if column.is_different:
        return [f"# {name} is left out: every row has a value of its own, as a number or name that identifies people has"]
    missing = _line("missing", True, "having no value is a value of its own; false: rows without a value are left out")  # noqa: FBT003 - a value
    return [name, *(_line(key, value, text) for key, value, text in declared), missing]


def _declared(column: Column, decimal: str | None) -> list[tuple[str, object, str]]:  # noqa: PLR0911 - one for each type
    """The lines about a column's values: its type, and what the owner must say."""
    bounds = [(key, OPEN, text) for key, text in _BOUNDS]
    epoch = column.pattern is not None and column.pattern.startswith("epoch")
    match column.type:
        case ColumnType.WHOLE:
            return [("type", "number", "whole numbers"), *bounds]
        case ColumnType.DECIMAL:
            comma = [("decimal", ",", "the sign before decimals")] if decimal == "," else []
            return [("type", "number", "decimal numbers"), *bounds, ("step", OPEN, "such as 0.01: as exact as is useful"), *comma]
        case ColumnType.TIME if epoch:
            return [
                ("type", "number", "whole numbers since 1970"),
                *bounds,
                ("step", OPEN, "such as 3600: as exact as is useful"),
            ]
        case ColumnType.TIME:
            return _dates(column.pattern)
        case ColumnType.CATEGORY:
            return [("type", "category", "one of a public list"), ("values", OPEN, "all values that may occur, as a list")]
        case ColumnType.YES_NO:
            return [("type", "yes/no", "one of two values"), ("values", OPEN, "as a list: what means no, then what means yes")]
    return []


def _dates(pattern: str | None) -> list[tuple[str, object, str]]:
    """A date or a time; of ISO texts and typed columns the owner says which, since an hour may be written or not."""
    bounds = [
        ("first", OPEN, "the earliest that may occur, such as 2024-05-01"),
        ("last", OPEN, "the latest that may occur, such as 2026-12-31"),
    ]
    if pattern is None or not pattern.startswith("%"):
        return [("type", OPEN, '"date", or "time" if the hour is to be kept'), *bounds]
    kind = "time" if any(letter in pattern for letter in ("%H", "%I")) else "date"
    return [("type", kind, "written in one form"), *bounds, ("format", pattern, "how it is written")]
