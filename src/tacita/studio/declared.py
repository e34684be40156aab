"""A `tacita.toml` in the studio's folder: what it declares is filled in, and its ledger is the one that is charged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.errors import ParameterError
from tacita.kinds.configuration import COLUMNS, FILE_NAME, Configuration, read_configuration
from tacita.kinds.options import BUDGET_OPTIONS, FACT_OPTIONS, OUTPUT_OPTIONS
from tacita.kinds.registration import AUTO

__all__ = ["Declared", "declared_in", "require_same_ledger"]

_BUDGET = {option.field_name for option in BUDGET_OPTIONS}
_FACTS = {option.field_name for option in FACT_OPTIONS}
_OUTPUT = {option.field_name for option in OUTPUT_OPTIONS} - {"out"}  # the studio names the folder


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What the file of a folder says about one private file."""

    found: Configuration

    @property
    def file(self) -> str:
        """The private file; empty if the owner has not said."""
        return str(self.found.values.get("input", ""))

    @property
    def kind(self) -> str:
        """What it holds."""
        return self.found.kind.name

    @property
    def ledger(self) -> str | None:
        """The ledger, if one is named."""
        named = self.found.values.get("ledger")
        return None if named is None else str(named)

    @property
    def creates_ledger(self) -> bool:
        """Whether a ledger that does not exist is made."""
        return bool(self.found.values.get("create_ledger"))

    @property
    def columns(self) -> str:
        """The declared columns of a table, as the text of a file; empty if there are none."""
        columns = self.found.values.get(COLUMNS)
        return json.dumps(columns, indent=2, default=str, ensure_ascii=False) + "\n" if isinstance(columns, Mapping) else ""

    def typed(self) -> dict[str, Any]:
        """The fields of a publication, as they would be typed; a line that is still open is left to be typed."""
        kind = self.found.kind
        of_kind = {option.field_name for option in kind.options}
        texts = {name: _text(value) for name, value in self.found.values.items() if not isinstance(value, Mapping)}
        given = {name: text for name, text in texts.items() if text}
        tables = self.found.table_of
        return {
            "options": {name: text for name, text in given.items() if name in of_kind},
            "parameters": {name: text for name, text in given.items() if tables[name] == "parameters" and name not in of_kind},
            "facts": {name: text for name, text in given.items() if name in _FACTS},
            "output": {name: text for name, text in given.items() if name in _OUTPUT},
            "method": "" if given.get("method") == AUTO else given.get("method", ""),
            **{name: given[name] for name in ("epsilon", "delta", "dataset") if name in given and name in _BUDGET},
        }


def declared_in(folder: Path) -> Declared | None:
    """The `tacita.toml` of a folder; None if there is none."""
    path = folder / FILE_NAME
    return Declared(found=read_configuration(path)) if path.is_file() else None


def require_same_ledger(declared: Declared, folder: Path, charged: Path) -> None:
    """Refuse a file that names another ledger than the one that this studio charges."""
    if declared.ledger is not None and (folder / declared.ledger).resolve() != charged.resolve():
        message = f"{FILE_NAME} names the ledger {declared.ledger!r}, and this studio charges {charged.name!r}; start it anew"
        raise ParameterError(message)


def _text(value: object) -> str:
    """A value as it is typed on the command line."""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value)
