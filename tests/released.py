"""A small release of every kind, made by the command line, for tests of what is done with releases."""

import json
import random
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from small_kinds import SMALL
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


def points_report_of(folder):
    """The two pages on sequences of cells of a map, with an outline over them."""
    folder.mkdir(exist_ok=True)
    drawn = random.Random(1)
    rows = [
        f"t{taxi},{40 + drawn.random() ** 2:.4f},{10 + 2 * drawn.random():.4f},{time}" for taxi in range(300) for time in range(5)
    ]
    (folder / "points.csv").write_text("\n".join(["id,lat,lon,time", *rows]) + "\n", encoding="utf-8")
    line = {"type": "LineString", "coordinates": [[10.1, 40.1], [11, 40.6], [11.9, 40.8]]}
    (folder / "coast.geojson").write_text(json.dumps(line), encoding="utf-8")
    raw, release, owner, shared = (str(folder / name) for name in ("points.csv", "release", "owner.html", "shared.html"))
    where = ["--latitude", "lat", "--longitude", "lon"]
    with redirect_stdout(StringIO()):
        cells = ["--cells", "40,10,41,12", "--cell-size", "6x8"]
        assert main(["publish", "sequences", raw, *where, *cells, "--epsilon", "4", "--out", release]) == 0
        words = ["report", raw, release, *where, "--outline", str(folder / "coast.geojson")]
        assert main([*words, "--out", owner, "--shared", shared]) == 0
    return Path(owner), Path(shared)


def people_report_of(folder):
    """The two pages on people with events."""
    folder.mkdir(exist_ok=True)
    owner, shared = (str(folder / name) for name in ("owner.html", "shared.html"))
    with redirect_stdout(StringIO()):
        assert main(SMALL["people"].lay_out(folder)) == 0
        read = ["--events", str(folder / "events.csv"), "--time", "time"]
        assert main(["report", str(folder / "raw.csv"), str(folder / "out"), *read, "--out", owner, "--shared", shared]) == 0
    return Path(owner), Path(shared)


def report_of(name, folder):
    """The owner's page and the page that may be shared."""
    raw, release = release_of(name, folder)
    owner, shared = folder / "owner.html", folder / "shared.html"
    groups = ["--groups", str(folder / "world" / "taxonomy.csv")] if name in {"sequences", "timed"} else []
    words = ["report", str(raw), str(release), "--out", str(owner), "--shared", str(shared), *groups]
    with redirect_stdout(StringIO()):
        assert main(words) == 0, words
    return Path(owner), Path(shared)
