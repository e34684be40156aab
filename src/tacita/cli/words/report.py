"""The words of `tacita report`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json
from tacita.cli.words.groups import add_kind, add_public, add_reading
from tacita.kinds.values import texts

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    report = add_command(
        commands,
        "report",
        COMMANDS["report"],
        "tacita report taps.parquet release --groups stations.csv",
    )
    report.add_argument(
        "input",
        metavar="INPUT",
        nargs="?",
        help="the private file, as publish takes it; - is standard input; without it, only the page that may be shared is made",
    )
    report.add_argument("release", metavar="FOLDER", help="the release folder")
    report.add_argument(
        "--out", metavar="FILE", help="the owner's page, a new file outside every release folder (FOLDER-owner-report.html)"
    )
    report.add_argument("--shared", metavar="FILE", help="the page that may go with the release (FOLDER-report.html)")
    report.add_argument(
        "--groups", metavar="FILE", help="draw labels by groups, such as stations by lines: a CSV with a column of each"
    )
    report.add_argument(
        "--group-columns", type=texts, metavar="COLUMNS", help="the columns of that file, from fine to coarse; all if not given"
    )
    add_kind(report, inferred_from="release")
    add_public(report)
    add_reading(report)
    add_json(report)
    add_config(report)
