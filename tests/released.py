"""A small release of every kind, made by the command line, for tests of what is done with releases."""

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from tacita.cli import main

GRID = ("--time-start", "0", "--time-step", "1", "--time-intervals")
WORLDS = {
    "sequences": ("metro", 1500, "sequences.csv", ("--epsilon", "1")),
    "timed": (
        "metro",
        1500,
        "sequences.csv",
        (
            *("--method", "prefix-tree", "--height", "3", "--epsilon", "4"),
            *("--time-start", "0", "--time-step", "86400", "--time-intervals", "7"),
        ),
    ),
    "sets": ("baskets", 1500, "sets.csv", ("--method", "itemset-counts", "--epsilon", "4")),
    "networks": ("network", 300, "networks.txt", ("--method", "shape", "--epsilon", "1")),
    "streams": ("stream", 400, "streams.csv", ("--method", "uniform", "--contexts", "4", "--epsilon", "1", *GRID, "24")),
    "tables": ("census", 600, "tables.csv", ("--method", "mondrian", "--models", "k=10")),
    "trajectories": (
        "city80k",
        300,
        "trajectories.csv",
        ("--method", "suppression", "--crowd", "5", "--known-pairs", "2", *GRID, "48"),
    ),
    "personal": ("phones", 2, "personal.csv", ("--method", "pattern-hiding", "--bound", "0.3", "--patterns", "12, 13; 40, 41")),
}
"""By name: the simulated world, its size, the private file, and what is typed to publish it."""

PUBLIC = {"universe": "universe.txt", "columns": "columns.json", "taxonomy": "taxonomy.csv"}
TAKES_TAXONOMY = ("personal",)


def release_of(name, folder):
    """Simulate and publish below `folder`; the private file and the release."""
    folder.mkdir(exist_ok=True)
    world, records, file, typed = WORLDS[name]
    public = []
    with redirect_stdout(StringIO()):
        assert main(["simulate", world, "--records", str(records), "--out", str(folder / "world")]) == 0
        for option, public_file in PUBLIC.items():
            path = folder / "world" / public_file
            if path.exists() and (option != "taxonomy" or name in TAKES_TAXONOMY):
                public += [f"--{option}", str(path)]
        kind = "sequences" if name == "timed" else name
        words = ["publish", kind, str(folder / "world" / file), *typed, *public, "--out", str(folder / "release")]
        assert main(words) == 0, words
    return folder / "world" / file, folder / "release"


def report_of(name, folder):
    """The owner's page and the page that may be shared."""
    raw, release = release_of(name, folder)
    owner, shared = folder / "owner.html", folder / "shared.html"
    groups = ["--groups", str(folder / "world" / "taxonomy.csv")] if name in {"sequences", "timed"} else []
    words = ["report", str(raw), str(release), "--out", str(owner), "--shared", str(shared), *groups]
    with redirect_stdout(StringIO()):
        assert main(words) == 0, words
    return Path(owner), Path(shared)
