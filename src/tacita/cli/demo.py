"""`tacita demo`: a simulated transit agency, from raw file to three releases and their utility, in a few seconds.

The agency is simulated, so its true figures may be shown beside the released ones; with real data that table is for the owner's
eyes.
"""

from __future__ import annotations

import argparse
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.cli.parser import COMMANDS, Commands, add_command, add_json
from tacita.cli.screen import progress_bar, say, say_json, stop_if_asked

if TYPE_CHECKING:
    from tacita.demo import Table

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    demo = add_command(commands, "demo", COMMANDS["demo"], "tacita demo --out tacita-demo")
    demo.add_argument("--out", metavar="FOLDER", help="the folder to create; tacita-demo, or the next free name, if not given")
    add_json(demo)


def run(options: argparse.Namespace) -> None:
    """Simulate, publish by the default method, by a simple and by a hybrid tree, and compare."""
    import polars as pl

    from tacita.demo import CAP, EPSILON, FILES, publish_agency
    from tacita.privacy.drafts import appearing
    from tacita.privacy.release import require_new_folder

    folder = require_new_folder(_free_name() if options.out is None else options.out)
    with appearing(folder, what="the demo cannot be written to") as draft:
        try:
            table, spent, default = publish_agency(draft, watch=progress_bar, stop_if_asked=stop_if_asked)
        except pl.exceptions.PolarsError as error:
            raise OSError(str(error)) from None  # a full disk, as Polars says it
        stop_if_asked()
    if options.json:
        say_json("tacita-demo-1", _as_json(folder, table, spent))
        return
    say(f"Each release satisfies {EPSILON}-differential privacy; the ledger holds epsilon {spent} of a cap of {CAP}.")
    say(f"The default, {default}, was chosen from public facts. Beside it are the papers' prefix trees: the simple one asks for")
    say("the next station at once, the hybrid one for its line first.\n")
    say(_aligned(table))
    say(f"\nIn {folder}:")
    width = max(map(len, FILES)) + 2
    say("\n".join(f"  {name.ljust(width)}{what}" for name, what in FILES.items()))
    say("\nNext, in that folder: open report.html; type tacita verify release-default, or tacita ledger show agency.ledger;")
    say("or start tacita studio, a page to work in.")


def _as_json(folder: Path, table: Table, spent: str) -> dict[str, object]:
    from tacita.demo import CAP, COLUMNS, EPSILON, FILES

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


def _aligned(table: Table) -> str:
    from tacita.demo import COLUMNS

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
