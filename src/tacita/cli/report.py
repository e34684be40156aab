"""`tacita report`: a page for the owner of a release, with raw figures, and one without, which may go with the release.

Both are single HTML files that load nothing. With `--json` the same figures are printed for scripts; those of the owner's page
are computed from raw data and go nowhere else.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tacita.cli.comparing import Opened, opened_release, outside_releases, private_records
from tacita.cli.new_files import write_new
from tacita.cli.screen import say, say_json
from tacita.errors import ParameterError
from tacita.kinds import load
from tacita.kinds.building import built_taxonomy
from tacita.pictures import Page, render
from tacita.public.taxonomy import Taxonomy
from tacita.report import Reported, owner_report, public_report

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Open the release, compare it with the private file if there is one, and write the pages."""
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
    given = {name: getattr(options, name) for name in ("groups", "group_columns") if getattr(options, name) is not None}
    if not given:
        return None
    if not opened.kind.drawn_by_groups:
        message = f"pictures of {opened.kind.name} are not drawn by groups, so --groups would do nothing; leave it out"
        raise ParameterError(message)
    renamed = {"taxonomy": given.get("groups"), "taxonomy_columns": given.get("group_columns")}
    return built_taxonomy({name: value for name, value in renamed.items() if value is not None}, opened.published.public)
