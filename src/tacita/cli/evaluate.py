"""`tacita evaluate`: how useful a release is, compared with the private file that it was made from.

The figures come from raw data without noise. They are what this command is for, so they go to standard output, marked as for the
owner's eyes only; they cannot be saved in a release folder. A page holds the pictures that the kind draws too.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tacita.cli.options import add_file
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_config, add_json, add_switch
from tacita.cli.screen import say, say_json

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    evaluate = add_command(
        commands,
        "evaluate",
        COMMANDS["evaluate"],
        "tacita evaluate taps.parquet release --universe stations.csv",
    )
    evaluate.later(_fill)


def _fill(evaluate: Parser, words: Sequence[str]) -> None:
    """The options, with those of the kind of the release that was named."""
    evaluate.add_argument("input", metavar="FILE", help="the private file, as publish takes it; - is standard input")
    evaluate.add_argument("release", metavar="FOLDER", help="the release folder")
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
    add_file(evaluate, words)


def run(options: argparse.Namespace) -> None:
    """Read the private file and the release, compare them, print the figures and save them if a file was named."""
    import json

    from tacita.cli.choices import opened_release, outside_releases, private_records, write_new
    from tacita.pages.evaluation import evaluated, measures_beside

    saved = None if options.out is None else outside_releases(options.out, options.release)
    page = None if options.page is None else outside_releases(options.page, options.release)
    opened = opened_release(options)
    kind, published, records = opened.kind, opened.published, private_records(options, opened)
    beside = measures_beside(kind, opened.manifest, tasks=options.tasks, without_noise=options.without_noise)
    found = evaluated(kind, opened.manifest, records, published, beside)
    content = {"input": str(options.input), "release": str(options.release), **found.as_json()}
    if saved is not None:
        write_new(saved, json.dumps({"schema": kind.evaluation, **content}, indent=2) + "\n", what="file")
    if page is not None:
        write_new(page, found.page(f"{options.release}, compared with its input"), what="page")
    if options.json:
        say_json(kind.evaluation, content)
    else:
        say(str(found))
