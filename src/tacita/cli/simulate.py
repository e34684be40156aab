"""`tacita simulate`: a public world in a folder, and what one could type next."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from tacita.cli.screen import say, say_json
from tacita.io import FileFormat
from tacita.simulate import WORLDS, World, make_world, write_world

__all__ = ["run"]

PUBLISHED_AS_SEQUENCES = ("sequences", "trajectories")
"""The kinds whose files `tacita publish` takes as they are."""


def run(options: argparse.Namespace) -> None:
    """Make the world, write it, and print what was written."""
    records = WORLDS[options.world].records if options.records is None else options.records
    world = make_world(options.world, records=records, seed=options.seed)
    folder = write_world(world, options.out, file_format=FileFormat(options.format))
    commands = _next(world, records, folder, options.format)
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


def _next(world: World, records: int, folder: Path, file_format: str) -> list[str]:
    """Commands that run with what was written; none where no method takes the kind yet."""
    if world.kind not in PUBLISHED_AS_SEQUENCES:
        return []
    data, release = str(folder / f"{world.kind}.{file_format}"), str(folder.with_name(f"{folder.name}-release"))
    public = ["--universe", str(folder / "universe.txt"), "--taxonomy", str(folder / "taxonomy.csv")]
    method = ["--method", "prefix-tree", "--height", "4", "--epsilon", "1"]
    commands = (
        ["explain", *method, *public, "--records", str(records)],
        ["publish", data, *method, *public, "--out", release],
        ["evaluate", data, release, *public[:2]],
    )
    return [shlex.join(["tacita", *words]) for words in commands]
