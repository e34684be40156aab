"""`tacita attack`: what somebody who knows a little finds in the private file and in its releases.

The figures come from raw data without noise. They are what this command is for, so they go to standard output, with the words
that they are for the owner's eyes only; they are written nowhere.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cli.options import (
    add_budget,
    add_kinds,
    add_options,
    add_parameters,
    add_reading,
    add_rest,
    method_name,
    methods_of,
    named_method,
    typed,
)
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_config, add_json
from tacita.cli.screen import progress_bar, say, say_json, tell_owner
from tacita.errors import ParameterError
from tacita.kinds import Kind, kinds, load

if TYPE_CHECKING:
    from tacita.attacks.result import Assessment
    from tacita.public.inputs import PublicInputs

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    attack = add_command(
        commands,
        "attack",
        COMMANDS["attack"],
        "tacita attack sequences taps.parquet release --known 3",
    )
    add_kinds(attack, _fill)


def _fill(kind: Kind, attack: Parser, words: Sequence[str]) -> None:
    """The options for one kind."""
    attack.add_argument(
        "input", metavar="FILE", nargs="?", help="the private file, as publish takes it; - is standard input; none for a game"
    )
    attack.add_argument("releases", metavar="FOLDER", nargs="*", help="release folders; two of them are also held together")
    attack.add_argument(
        "--known",
        type=int,
        metavar="N",
        help="how much the attacker knows: up to N columns of a row, or N points of a record",
    )
    attack.add_argument(
        "--plot",
        metavar="FILE",
        help="draw all shares into a new file, which is private too: an SVG picture, or a page if its name ends in .html",
    )
    if kind.public_options:
        add_options(attack.add_argument_group("public inputs"), kind.public_options)
    add_reading(attack, kind, words)
    private = [method for method in methods_of(kind) if method.promise.takes_epsilon]
    if private:
        _add_game(kind, attack, words)
    output = add_rest(attack)
    add_json(output)
    add_config(output)


def _add_game(kind: Kind, attack: Parser, words: Sequence[str]) -> None:
    """The game of membership, for a kind with private methods."""
    private = [method for method in methods_of(kind) if method.promise.takes_epsilon]
    game = attack.add_argument_group("membership linkage against a private method, on small data that belongs to nobody")
    game.add_argument(
        "--membership", type=int, metavar="RUNS", help="publish this many times with a person and without, and guess"
    )
    game.add_argument(
        "--method",
        type=partial(method_name, kind=kind, command=attack.prog),
        choices=tuple(method.name for method in private),
        metavar="METHOD",
        help=f"{', '.join(method.name for method in private)}; {attack.prog} --method METHOD --help shows its parameters",
    )
    add_budget(attack, game, private)
    add_parameters(attack, kind, named_method(kind, words), game)


MEMBERSHIP = "tacita.auditing.product:assess_membership"
"""Named, not imported: it needs SciPy, which other attacks do without."""


def run(options: argparse.Namespace) -> None:
    """Read the private file and the releases, attack, and print what was found; or play the game of membership."""
    from tacita.cli.choices import new_file
    from tacita.io import STANDARD_INPUT, read_manifest
    from tacita.kinds.wanted import read_private

    picture = None if options.plot is None else new_file(options.plot, what="picture")
    if getattr(options, "membership", None) is not None:
        _say(options, [_membership(options)], picture)
        return
    idle = [name for name in ("method", "epsilon", "delta") if getattr(options, name, None) is not None]
    if options.input is None or idle:
        message = "name the private file; --method and a budget are for --membership, which takes no file"
        raise ParameterError(message)
    manifests = [(Path(folder), read_manifest(folder)) for folder in options.releases]
    kind = kinds()[options.kind]
    for folder, manifest in manifests:
        if manifest["kind"] != kind.name:
            message = f"the release {str(folder)!r} is of {manifest['kind']}: all must be of one kind, got {kind.name}"
            raise ParameterError(message)
    if kind.attacked is None:
        message = f"there is no attack on {kind.name} from the command line yet"
        raise ParameterError(message)
    given = typed(options, kind.options)
    public: PublicInputs = load(kind.inputs)(given)
    releases = [load(kind.opened)(folder, manifest, public=public) for folder, manifest in manifests]
    records = read_private(
        kind,
        options.input,
        public=_read_with(public, releases),
        given=given,
        name="standard input" if options.input == STANDARD_INPUT else None,
    )
    tell_owner(records.owner_note)
    _say(options, list(load(kind.attacked)(records, releases, known=options.known)), picture)


def _read_with(public: PublicInputs, releases: list[Any]) -> PublicInputs:
    """What the private file is read with: universe and grid as they were typed, which a release may be coarser than."""
    typed = public.universe is not None and public.grid is not None
    return public if typed or not releases else releases[0].public


def _say(options: argparse.Namespace, found: list[Any], picture: Path | None) -> None:
    from tacita.cli.choices import write_new
    from tacita.pages import attack_page, attack_picture

    if picture is not None:
        title = f"Who is found out: {options.input or options.method}"
        is_page = picture.suffix == ".html"
        drawn = attack_page(title, found) if is_page else attack_picture(title, found).svg()
        write_new(picture, drawn, what="page" if is_page else "picture")
    if options.json:
        content = {"input": str(options.input or ""), "releases": [str(folder) for folder in options.releases]}
        say_json("tacita-attack-1", {**content, "attacks": [each.as_json() for each in found]})
    else:
        say("\n\n".join(str(each) for each in found))


def _membership(options: argparse.Namespace) -> Assessment:
    """Play the game on the small data sets of the method's kind."""
    from tacita.cli.choices import Choices

    if options.input is not None or options.method is None:
        message = "--membership plays on small data that belongs to nobody: leave out the file, and name the --method"
        raise ParameterError(message)
    choices = Choices(options)
    budget = choices.budget
    if budget is None:  # pragma: no cover - only private methods are offered
        message = f"{options.method} spends no budget, so there is no bound on membership"
        raise ParameterError(message)
    with progress_bar("playing") as progress:
        found: Assessment = load(MEMBERSHIP)(
            options.method, choices.mechanism, budget, runs=options.membership, progress=progress
        )
    return found
