"""From what is typed to the public inputs, reading options and formats of tables; the registration names these functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.errors import ParameterError
from tacita.formats import format_named
from tacita.io import STANDARD_INPUT, format_of
from tacita.public.inputs import PublicInputs
from tacita.public.per_person import PerPerson
from tacita.tables.declarations import read_schema
from tacita.tables.published import SCHEMA_INPUT, table_format
from tacita.tables.records import TableReading

__all__ = ["columns", "output_format", "reading"]

Given = Mapping[str, Any]
"""What was typed, by field name."""


def columns(given: Given) -> PublicInputs:
    """The declared columns, if a file was named."""
    name = given.get("columns")
    return PublicInputs() if name is None else PublicInputs(others={SCHEMA_INPUT: read_schema(name)})


def reading(given: Given) -> TableReading:
    """How the private file is read."""
    named, rule = given.get("input_format"), given.get("per_person")
    return TableReading(
        file_format=None if named is None else format_named(named),
        person=given.get("id"),
        per_person=None if rule is None else PerPerson.parse(rule),
    )


def output_format(source: str, *, options: TableReading, public: PublicInputs, wanted: str | None) -> str:  # noqa: ARG001 - every kind is asked alike
    """The format of the release: the one that is wanted, or that of the private file, which is not looked at."""
    if options.file_format is None and source == STANDARD_INPUT:
        message = "the format of standard input must be named, by --input-format"
        raise ParameterError(message)
    return table_format(wanted or str(options.file_format or format_of(source)))
