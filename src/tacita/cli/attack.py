"""`tacita attack`: what somebody who knows a little finds in the private file and in its releases.

The figures come from raw data without noise. They are what this command is for, so they go to standard output, with the words
that they are for the owner's eyes only; they are written nowhere.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cli.options import add_budget, add_kind, add_parameters, add_public, add_reading, method_name, private_methods
from tacita.cli.parser import COMMANDS, Commands, add_command, add_config, add_json
from tacita.cli.screen import progress_bar, say, say_json, tell_owner
from tacita.errors import ParameterError
from tacita.kinds import Kind, kind_named, load

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
        "tacita attack taps.parquet release --known 3",
    )
    attack.add_argument(
        "input", metavar="INPUT", nargs="?", help="the private file, as publish takes it; - is standard input; none for a game"
    )
    attack.add_argument("releases", metavar="FOLDER", nargs="*", help="release folders; two of them are also held together")
    add_kind(attack, inferred_from="first release")
    attack.add_argument(
        "--known",
        type=int,
        metavar="N",
        help="how much the attacker knows: up to N columns of a row (all of them), or N points of a record (4)",
    )
    attack.add_argument(
        "--plot",
        metavar="FILE",
        help="draw all shares into a new file, which is private too: an SVG picture, or a page if its name ends in .html",
    )
    add_public(attack)
    add_reading(attack)
    game = attack.add_argument_group("membership linkage against a private method, on small data that belongs to nobody")
    game.add_argument(
        "--membership", type=int, metavar="RUNS", help="publish this many times with a person and without, and guess"
    )
    game.add_argument(
        "--method",
        type=method_name,
        choices=tuple(private_methods()),
        metavar="METHOD",
        help="the method; its parameters follow",
    )
    add_budget(game)
    add_parameters(attack)
    add_json(attack)
    add_config(attack)


MEMBERSHIP = "tacita.audit.product:assess_membership"
"""Named, not imported: it needs SciPy, which other attacks do without."""


def run(options: argparse.Namespace) -> None:
    """Read the private file and the releases, attack, and print what was found; or play the game of membership."""
    from tacita.cli.choices import given_options, refuse_idle
    from tacita.cli.comparing import new_file
    from tacita.io import STANDARD_INPUT, read_manifest

    picture = None if options.plot is None else new_file(options.plot, what="picture")
    if options.membership is not None:
        _say(options, [_membership(options)], picture)
        return
    idle = [name for name in ("method", "epsilon", "delta") if getattr(options, name) is not None]
    if options.input is None or idle:
        message = "name the private file; --method and a budget are for --membership, which takes no file"
        raise ParameterError(message)
    manifests = [(Path(folder), read_manifest(folder)) for folder in options.releases]
    kind = _kind(options, [manifest["kind"] for _, manifest in manifests])
    if kind.attacked is None:
        message = f"there is no attack on {kind.name} from the command line yet"
        raise ParameterError(message)
    given = given_options(options)
    refuse_idle(options, kind, given, whose="the first release" if manifests else "the data")
    public: PublicInputs = load(kind.inputs)(given)
    releases = [load(kind.opened)(folder, manifest, public=public) for folder, manifest in manifests]
    records = load(kind.read)(
        options.input,
        public=_read_with(public, releases),
        options=load(kind.reading)(given),
        name="standard input" if options.input == STANDARD_INPUT else None,
        strict=bool(given.get("strict")),
    )
    tell_owner(records.owner_note)
    _say(options, list(load(kind.attacked)(records, releases, known=options.known)), picture)


def _read_with(public: PublicInputs, releases: list[Any]) -> PublicInputs:
    """What the private file is read with: universe and grid as they were typed, which a release may be coarser than."""
    typed = public.universe is not None and public.grid is not None
    return public if typed or not releases else releases[0].public


def _say(options: argparse.Namespace, found: list[Any], picture: Path | None) -> None:
    from tacita.cli.comparing import write_new
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


def _kind(options: argparse.Namespace, found: list[str]) -> Kind:
    """The kind of the releases, which must be one; without a release it must be named."""
    if len(set(found)) > 1:
        message = f"all releases must be of one kind, got {', '.join(dict.fromkeys(found))}"
        raise ParameterError(message)
    if not found and options.kind is None:
        message = "without a release, --kind must say what the private file holds"
        raise ParameterError(message)
    return kind_named(found[0] if found else options.kind)
