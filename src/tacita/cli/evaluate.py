"""`tacita evaluate`: how useful a release is, compared with the private file that it was made from.

The figures come from raw data without noise. They are what this command is for, so they go to standard output, marked as for the
owner's eyes only; they cannot be saved in a release folder. A page holds the pictures that the kind draws too.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tacita.cli.options import add_kind, add_public, add_reading
from tacita.cli.parser import COMMANDS, Commands, add_command, add_config, add_json, add_switch
from tacita.cli.screen import say, say_json
from tacita.errors import ParameterError
from tacita.kinds import Kind, load

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    evaluate = add_command(
        commands,
        "evaluate",
        COMMANDS["evaluate"],
        "tacita evaluate taps.parquet release --universe stations.csv",
    )
    evaluate.add_argument("input", metavar="INPUT", help="the private file, as publish takes it; - is standard input")
    evaluate.add_argument("release", metavar="FOLDER", help="the release folder")
    add_kind(evaluate, inferred_from="release")
    add_public(evaluate)
    add_reading(evaluate)
    evaluate.add_argument("--out", metavar="FILE", help="also save the figures as JSON in a new file outside the release folder")
    evaluate.add_argument(
        "--page", metavar="FILE", help="also draw figures and pictures as an HTML page in a new file outside the release folder"
    )
    add_switch(evaluate, "--tasks", "also train models on the release and test them on the file (needs scikit-learn)")
    add_switch(
        evaluate,
        "--without-noise",
        "also show what the same n-grams without any noise would give: the error that is not due to noise",
    )
    add_json(evaluate)
    add_config(evaluate)


def run(options: argparse.Namespace) -> None:
    """Read the private file and the release, compare them, print the figures and save them if a file was named."""
    import json

    from tacita.cli.comparing import opened_release, outside_releases, private_records, write_new
    from tacita.report import evaluation_page

    saved = None if options.out is None else outside_releases(options.out, options.release)
    page = None if options.page is None else outside_releases(options.page, options.release)
    opened = opened_release(options)
    kind, published, records = opened.kind, opened.published, private_records(options, opened)
    more = _more(options, kind, opened.manifest)
    found = dict(load(kind.reported)(records, published))
    if kind.floors is not None:
        found["floors"] = load(kind.floors)(records, published, opened.manifest)
    beside = {name: measure(records, published) for name, measure in more.items()}
    content = {"input": str(options.input), "release": str(options.release)} | {
        name: None if part is None else part.as_json() for name, part in {**found, **beside}.items()
    }
    if saved is not None:
        write_new(saved, json.dumps({"schema": kind.evaluation, **content}, indent=2) + "\n", what="file")
    if page is not None:
        drawn = [] if kind.drawn is None else load(kind.drawn)(records, published, found=found)
        write_new(page, evaluation_page(f"{options.release}, compared with its input", kind, found, drawn), what="page")
    if options.json:
        say_json(kind.evaluation, content)
    else:
        say(_as_text(kind, {name: part for name, part in {**found, **beside}.items() if part is not None}))


def _more(options: argparse.Namespace, kind: Kind, manifest: Mapping[str, Any]) -> dict[str, Callable[[Any, Any], Any]]:
    """What else was asked for; refused before anything is computed where the kind does not have it."""
    found: dict[str, Callable[[Any, Any], Any]] = {}
    for wanted, name, flag in ((kind.tasks, "tasks", "--tasks"), (kind.without_noise, "without_noise", "--without-noise")):
        if not getattr(options, name):
            continue
        if wanted is None:
            message = f"{flag} is not for {kind.name}; leave it out"
            raise ParameterError(message)
        found[name] = load(wanted) if name == "tasks" else partial(load(wanted), mechanism=manifest["mechanism"])
    return found


def _as_text(kind: Kind, found: dict[str, Any]) -> str:
    if "floors" in found:
        rest = {name: part for name, part in found.items() if name != "floors"}
        return f"{_as_text(kind, rest)}\n\n{found['floors']}"
    if len(found) == 1:
        return "\n".join(str(part) for part in found.values())
    return "\n\n".join(f"== {kind.sections.get(name, name)} ==\n{part}" for name, part in found.items())
