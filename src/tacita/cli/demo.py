"""`tacita demo`: a simulated transit agency, from raw file to two releases and their utility, in a few seconds.

The agency is simulated, so its true figures may be shown beside the released ones; with real data that table is for the owner's
eyes.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import polars as pl

from tacita.cli.interrupts import one_at_a_time, stop_if_asked
from tacita.cli.screen import progress_bar, say, say_json
from tacita.demo import CAP, COLUMNS, EPSILON, FILES, Table, publish_agency
from tacita.errors import OutputError
from tacita.privacy.randomness import token
from tacita.privacy.release import require_new_folder

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Simulate, publish by a simple and by a hybrid tree, and compare."""
    folder = require_new_folder(_free_name() if options.out is None else options.out)
    with _appearing_whole(folder) as draft:
        table, spent = publish_agency(draft, watch=progress_bar, stop_if_asked=stop_if_asked)
    if options.json:
        say_json("tacita-demo-1", _as_json(folder, table, spent))
        return
    say(f"Each release satisfies {EPSILON}-differential privacy; the ledger holds epsilon {spent} of a cap of {CAP}.")
    say("The simple tree asks for the next station at once, the hybrid one for its line first.\n")
    say(_aligned(table))
    say(f"\nIn {folder}:")
    width = max(map(len, FILES)) + 2
    say("\n".join(f"  {name.ljust(width)}{what}" for name, what in FILES.items()))


def _as_json(folder: Path, table: Table, spent: str) -> dict[str, object]:
    return {
        "folder": str(folder),
        "files": {name: str(folder / name) for name in FILES},
        "epsilon": EPSILON,
        "spent": spent,
        "cap": CAP,
        "columns": list(COLUMNS),
        "table": [{"name": name, "values": values} for name, values in table.items()],
    }


def _free_name() -> str:
    names = ("tacita-demo" if number == 1 else f"tacita-demo-{number}" for number in count(1))
    return next(name for name in names if not Path(name).exists())


@contextmanager
def _appearing_whole(folder: Path) -> Iterator[Path]:
    """A draft that becomes the folder when it is complete, and is removed otherwise."""
    draft = folder.with_name(f".{folder.name}.{token()}.partial")
    try:
        draft.mkdir()
        yield draft
        stop_if_asked()
        draft.rename(folder)
    except (OSError, pl.exceptions.PolarsError) as error:
        message = f"the demo cannot be written to {str(folder)!r}: {error}; nothing was left there"
        raise OutputError(message) from None
    finally:
        with one_at_a_time():
            shutil.rmtree(draft, ignore_errors=True)


def _aligned(table: Table) -> str:
    rows = [["", *COLUMNS], *([name, *map(_cell, row)] for name, row in table.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
