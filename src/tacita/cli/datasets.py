"""`tacita datasets`: list known public data, fetch it, or take and check a local copy."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from tacita.cli.parser import COMMANDS, Commands, add_command, add_json
from tacita.cli.screen import say, say_json
from tacita.errors import ParameterError

if TYPE_CHECKING:
    from tacita.datasets import Dataset

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    datasets = add_command(commands, "datasets", COMMANDS["datasets"], "tacita datasets")
    datasets.add_argument(
        "names", metavar="NAME", nargs="*", help="the data sets to take; without any, all that are known are listed"
    )
    datasets.add_argument("--out", metavar="FOLDER", help="put the files there; they are checked first")
    datasets.add_argument(
        "--from", dest="source", metavar="FOLDER", help="take them from this local folder, or below it, instead of fetching them"
    )
    add_json(datasets)


def run(options: argparse.Namespace) -> None:
    """List everything, or get what was named."""
    from tacita.datasets import DATASETS, dataset_named, fetch, local_copy

    if not options.names:
        if options.out is not None or options.source is not None:
            message = f"name the data sets to take, of {', '.join(DATASETS)}"
            raise ParameterError(message)
        _list(options)
        return
    chosen = [dataset_named(name) for name in options.names]
    if options.out is None and options.source is None:
        message = "say where to put it with --out, or which local folder to check with --from"
        raise ParameterError(message)
    if options.out is None:
        found = [local_copy(one, options.source) for one in chosen]
    else:
        found = [fetch(one, options.out, source=options.source) for one in chosen]
    if options.json:
        say_json(
            "tacita-datasets-1",
            {"datasets": [_as_json(one) | {"path": str(path)} for one, path in zip(chosen, found, strict=True)]},
        )
        return
    for one, path in zip(chosen, found, strict=True):
        say(f"{one.name}: {path}, and its checksum is right; terms: {one.terms}")


def _list(options: argparse.Namespace) -> None:
    from tacita.datasets import DATASETS

    if options.json:
        say_json("tacita-datasets-1", {"datasets": [_as_json(one) for one in DATASETS.values()]})
        return
    for one in DATASETS.values():
        how = "" if one.address is not None else "; get it by hand"
        say(f"{one.name:15}{one.kind:14}{one.records:>10,}  {one.about}")
        say(f"{'':41}terms: {one.terms}; {one.page}{how}")
        say(f"{'':41}sha256 {one.sha256}")


def _as_json(one: Dataset) -> dict[str, object]:
    return asdict(one)
