"""`tacita simulate`: write a simulated world to a folder, and suggest what to type next."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from tacita.cli.screen import say, say_json
from tacita.formats import format_named
from tacita.kinds import kinds
from tacita.simulate import WORLDS, World, make_world, write_world

__all__ = ["run"]

PUBLIC_FILES = {"universe": "txt", "taxonomy": "csv", "columns": "json"}
"""What a world may hold beside its data, by the options that take it."""


def run(options: argparse.Namespace) -> None:
    """Generate the world, write it, and print what was written."""
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
        ["explain", *kind.example, *public, *forecast],
        ["publish", data, *kind.example, *public, "--out", release],
        ["evaluate", data, release, *public[:2]],
    )
    return [shlex.join(["tacita", *words]) for words in commands]
