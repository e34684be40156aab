"""`tacita compare`: the errors of all methods of a kind on one file, or two releases of one file beside each other.

Floors stand beside both: a release of nothing, and for two releases also the simplest one. The figures come from raw data
without noise, so they are for the owner's eyes only; nothing is released and nothing is charged.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tacita.cli.options import add_file, add_kinds, add_method, add_needed, add_public, add_reading, add_rest
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_config, add_json
from tacita.cli.screen import say, say_json, tell_owner
from tacita.errors import ParameterError
from tacita.kinds import Kind, load

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    compare = add_command(
        commands,
        "compare",
        COMMANDS["compare"],
        "tacita compare streams events.jsonl --method pace --contexts 40 --epsilon 1 --universe cells.txt "
        "--time-start 0 --time-step 1 --time-intervals 96",
    )
    below = add_kinds(compare, _fill, has=lambda kind: kind.compared is not None)
    about = "two releases of the same data, measure by measure"
    beside = below.add_parser(
        RELEASES,
        help=about,
        description=f"Compare {about}.",
        epilog="Example: tacita compare releases taps.parquet release release-2",
        allow_abbrev=False,
        add_help=False,
    )
    beside.later(_fill_releases)


RELEASES = "releases"


def _fill_releases(parser: Parser, words: Sequence[str]) -> None:
    """The options for two releases, with those of the kind of the first one."""
    parser.add_argument("input", metavar="FILE", help="the private file, as publish takes it; - is standard input")
    parser.add_argument("release", metavar="FOLDER", help="a release folder")
    parser.add_argument("other", metavar="OTHER", help="another release of the same data")
    add_json(add_rest(parser))
    add_file(parser, words)


def _fill(kind: Kind, parser: Parser, words: Sequence[str]) -> None:
    """The options for one kind."""
    add_needed(parser, kind, words, file="a file as publish takes it, better a public or a simulated one")
    add_public(parser, kind)
    add_reading(parser, kind, words)
    add_method(parser, kind, words)
    output = add_rest(parser)
    output.add_argument("--runs", type=int, default=1, metavar="N", help="how often each method is run (default %(default)s)")
    add_json(output)
    add_config(output)


def run(options: argparse.Namespace) -> None:
    """Run every method, and print what they keep; or measure two releases."""
    if options.kind == RELEASES:
        _compare_releases(options)
        return
    from tacita.cli.choices import Choices

    choices = Choices(options)
    if choices.kind.compared is None or choices.budget is None:
        message = f"there is no comparison for {choices.kind.name}; take evaluate, one release at a time"
        raise ParameterError(message)
    records = choices.records(choices.public, name="compared")
    tell_owner(records.owner_note)
    found = load(choices.kind.compared)(records, method=choices.mechanism, budget=choices.budget, runs=options.runs)
    if options.json:
        say_json("tacita-compare-1", {"input": str(options.input), **found.as_json()})
    else:
        say(str(found))


def _compare_releases(options: argparse.Namespace) -> None:
    """Measure two releases beside the private file, and say where each is nearer."""
    from tacita.cli.choices import opened_release, private_records
    from tacita.pages.evaluation import Beside

    other = argparse.Namespace(**{**vars(options), "release": options.other})
    first, second = opened_release(options), opened_release(other)
    records = private_records(options, first)
    found = Beside.of(first.kind, records, {options.release: first, options.other: second})
    if options.json:
        say_json("tacita-compare-releases-1", {"input": str(options.input), **found.as_json()})
    else:
        say(str(found))
