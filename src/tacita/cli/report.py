"""`tacita report`: a page for the owner of a release, with raw figures, and one without, which may go with the release.

Both are single HTML files that load nothing. With `--json` the same figures are printed for scripts; those of the owner's page
are computed from raw data and go nowhere else.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.cli.options import add_kind, add_public, add_reading
from tacita.cli.parser import COMMANDS, Commands, add_command, add_config, add_json
from tacita.cli.screen import say, say_json
from tacita.errors import ParameterError
from tacita.kinds import load
from tacita.kinds.registration import texts

if TYPE_CHECKING:
    from tacita.cli.comparing import Opened
    from tacita.pictures import Page
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


def run(options: argparse.Namespace) -> None:
    """Open the release, compare it with the private file if there is one, and write the pages."""
    from tacita.cli.comparing import opened_release, outside_releases, private_records, write_new
    from tacita.pictures import render
    from tacita.report import Reported, owner_report, public_report

    folder = Path(options.release)
    if options.input is None and options.out is not None:
        message = "--out names the owner's page, which needs the private file; name it before the release, or leave --out out"
        raise ParameterError(message)
    shared = outside_releases(options.shared or f"{folder.resolve().name}-report.html", options.release)
    owner = options.out or f"{folder.resolve().name}-owner-report.html"
    private = None if options.input is None else outside_releases(owner, options.release)
    opened = opened_release(options)
    taxonomy = _taxonomy(options, opened)
    grouped = {} if taxonomy is None else {"taxonomy": taxonomy}
    drawn = opened.published.pictures(**grouped) if hasattr(opened.published, "pictures") else []
    of = Reported(kind=opened.kind, manifest=opened.manifest, drawn=drawn, folder=folder.name or str(folder))
    pages: dict[str, Page] = {"public": public_report(of)}
    if private is not None:
        records = private_records(options, opened)
        found = load(opened.kind.reported)(records, opened.published)
        compared = [] if opened.kind.drawn is None else load(opened.kind.drawn)(records, opened.published, found=found, **grouped)
        pages["owner"] = owner_report(of, found=found, drawn=compared)
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
    from tacita.kinds.words import built_taxonomy

    given = {name: getattr(options, name) for name in ("groups", "group_columns") if getattr(options, name) is not None}
    if not given:
        return None
    if not opened.kind.drawn_by_groups:
        message = f"pictures of {opened.kind.name} are not drawn by groups, so --groups would do nothing; leave it out"
        raise ParameterError(message)
    renamed = {"taxonomy": given.get("groups"), "taxonomy_columns": given.get("group_columns")}
    return built_taxonomy({name: value for name, value in renamed.items() if value is not None}, opened.published.public)
