"""`tacita report`: a page for the owner of a release, with raw figures, and one without, which may go with the release.

Both are single HTML files that load nothing. With `--json` the same figures are printed for scripts; those of the owner's page
are computed from raw data and go nowhere else.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.cli.options import add_file, add_options
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_config, add_json
from tacita.cli.screen import say, say_json
from tacita.errors import ParameterError
from tacita.kinds.options import REPORT_OPTIONS
from tacita.kinds.registration import texts

if TYPE_CHECKING:
    from tacita.cli.choices import Opened
    from tacita.public.taxonomy import Taxonomy

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    report = add_command(
        commands,
        "report",
        COMMANDS["report"],
        "tacita report taps.parquet release --groups stations.csv",
    )
    report.later(_fill)


def _fill(report: Parser, words: Sequence[str]) -> None:
    """The options, with those of the kind of the release that was named."""
    report.add_argument(
        "input",
        metavar="FILE",
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
    add_options(report, REPORT_OPTIONS)
    add_json(report)
    add_config(report)
    add_file(report, words)


def run(options: argparse.Namespace) -> None:
    """Open the release, compare it with the private file if there is one, and write the pages."""
    from tacita.cli.choices import opened_release, outside_releases, private_records, write_new
    from tacita.pages.evaluation import report_pages
    from tacita.pictures import render

    folder = Path(options.release)
    if options.input is None and options.out is not None:
        message = "--out names the owner's page, which needs the private file; name it before the release, or leave --out out"
        raise ParameterError(message)
    shared = outside_releases(options.shared or f"{folder.resolve().name}-report.html", options.release)
    owner = options.out or f"{folder.resolve().name}-owner-report.html"
    private = None if options.input is None else outside_releases(owner, options.release)
    opened = opened_release(options)
    taxonomy = _taxonomy(options, opened)
    pages = report_pages(
        opened.kind,
        opened.manifest,
        opened.published,
        folder=folder.name or str(folder),
        read=None if private is None else lambda: private_records(options, opened),
        groups=taxonomy,
        outline=options.outline,
    )
    files = {"public": shared} | ({} if private is None else {"owner": private})
    for name, page in pages.items():
        write_new(files[name], render(page), what="page")
    if options.json:
        content = {"release": str(options.release), "files": {name: str(file) for name, file in files.items()}}
        say_json("tacita-report-1", {**content, "pages": {name: page.as_json() for name, page in pages.items()}})
        return
    if private is not None:
        say(f"{private}: for your eyes only, it holds raw figures")
    say(f"{shared}: may go with the release, it was made from it alone")


def _taxonomy(options: argparse.Namespace, opened: Opened) -> Taxonomy | None:
    """The groups of labels to draw by, if a file was named and the kind draws by groups."""
    from tacita.pages.evaluation import groups_to_draw_by

    return groups_to_draw_by(opened.kind, opened.published.public, file=options.groups, columns=options.group_columns)
