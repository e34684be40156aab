"""`tacita simulate`: write a simulated world to a folder, and suggest what to type next."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.cli.parser import COMMANDS, Commands, add_command, add_config, add_json
from tacita.cli.screen import say, say_json
from tacita.kinds import kinds

if TYPE_CHECKING:
    from tacita.simulate import World

__all__ = ["NAMES", "add", "run"]

NAMES = (
    "metro",
    "bus",
    "stm",
    "stm342",
    "city80k",
    "stm460k",
    "baskets",
    "census",
    "network",
    "stm-network",
    "phones",
    "stream",
)
"""The worlds, which a test keeps equal to those of the library."""


def add(commands: Commands) -> None:
    """Offer the command."""
    simulate = add_command(
        commands,
        "simulate",
        COMMANDS["simulate"],
        "tacita simulate metro --records 2000 --out metro",
    )
    simulate.add_argument("world", choices=NAMES, metavar="WORLD", help=", ".join(NAMES))
    simulate.add_argument("--records", type=int, metavar="N", help="how many records; if not given, the size in the papers")
    simulate.add_argument(
        "--seed", type=int, default=0, metavar="N", help="another seed gives another world (default %(default)s)"
    )
    simulate.add_argument("--out", required=True, metavar="FOLDER", help="the folder to create; it must not exist yet")
    simulate.add_argument("--format", choices=("csv", "parquet"), default="csv", help="how the data is written (csv)")
    add_json(simulate)
    add_config(simulate)


PUBLIC_FILES = {"universe": "txt", "taxonomy": "csv", "columns": "json"}
"""What a world may hold beside its data, by the options that take it."""


def run(options: argparse.Namespace) -> None:
    """Generate the world, write it, and print what was written."""
    from tacita.formats import format_named
    from tacita.simulate import WORLDS, make_world, write_world

    records = WORLDS[options.world].records if options.records is None else options.records
    world = make_world(options.world, records=records, seed=options.seed)
    folder = write_world(world, options.out, file_format=format_named(options.format))
    commands = _next(options.world, world, records, folder)
    files = sorted(file.name for file in folder.iterdir())
    if options.json:
        content = {"world": options.world, "kind": world.kind, "records": records, "seed": options.seed, "folder": str(folder)}
        say_json("tacita-simulate-1", {**content, "files": files, "next": commands})
        return
    say(f"{records:,} {WORLDS[options.world].unit} in {folder}: {', '.join(files)}")
    say(f"simulated with seed {options.seed}: {world.description}")
    if commands:
        say("\nWhat to type next:")
        say("\n".join(f"  {command}" for command in commands))


def _next(name: str, world: World, records: int, folder: Path) -> list[str]:
    """Commands that run with what was written, by the method that the kind registers as its example."""
    kind = next((kind for kind in kinds().values() if name in kind.worlds and kind.example), None)
    if kind is None:
        return []
    data = next((str(file) for file in sorted(folder.iterdir()) if file.stem == world.kind), str(folder))
    release = str(folder.with_name(f"{folder.name}-release"))
    files = {name: folder / f"{name}.{ending}" for name, ending in PUBLIC_FILES.items()}
    example = [method for method in kind.methods if method.name in kind.example]
    own = {option.field_name for method in example for option in method.options if option.needs is None}
    own |= {option.field_name for option in kind.public_options}
    public = [word for option, file in files.items() if option in own and file.exists() for word in (f"--{option}", str(file))]
    if kind.rows_are_records:
        records = len(world.tables()[world.kind])
    forecast = ["--records", str(records)] if kind.forecast is not None else []
    commands = (
        ["explain", kind.name, *kind.example, *public, *forecast],
        ["publish", kind.name, data, *kind.example, *public, "--out", release],
        ["evaluate", data, release, *public[:2]],
    )
    return [shlex.join(["tacita", *words]) for words in commands]
