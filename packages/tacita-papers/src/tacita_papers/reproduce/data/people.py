"""One person's long sequences for the benchmarks of pattern hiding: real ones where they are at hand, and simulated phones."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.phones import PhoneWorld
from tacita_papers.reproduce.data.files import data_file

__all__ = ["COLLECTIONS", "GROUPED", "PAGES", "Person", "frequent_patterns", "people_of"]

SHORTEST = 500
KM_PER_DEGREE = 111.2

CATEGORIES = (
    "frontpage news tech local opinion on-air misc weather msn-news health living business msn-sports sports summary bbs travel"
)
GROUPS = {
    "Overview": "frontpage summary misc msn-news",
    "News": "news local opinion on-air",
    "Social": "health living sports msn-sports bbs",
    "Practical": "tech weather business travel",
}
PAGES = Taxonomy.from_edges(
    [
        *((label, group) for group, labels in GROUPS.items() for label in labels.split()),
        ("Overview", "Information"),
        ("News", "Information"),
        ("Social", "Life"),
        ("Practical", "Life"),
    ],
    universe=Universe(CATEGORIES.split()),
)
"""The 17 categories of MSNBC in four groups and two groups of groups; the paper's own tree is lost."""

GROUPED = Taxonomy.from_edges(
    [*((label, group) for group, labels in GROUPS.items() for label in labels.split()), *((group, "*") for group in GROUPS)],
    universe=Universe(CATEGORIES.split()),
)
"""The same four groups with nothing between them and the root: fewer steps, so harder."""


@dataclass(frozen=True, eq=False)
class Person:
    """A sequence of codes, and the tree over them."""

    sequence: Integers
    taxonomy: Taxonomy


def people_of(collection: str) -> list[Person]:
    """Everybody with at least 500 symbols."""
    return COLLECTIONS[collection]()


def frequent_patterns(sequence: Integers, *, length: int, window: int, least: int) -> tuple[list[tuple[int, ...]], Integers]:
    """All patterns of this length that occur at least so often within the window, and how often each does."""
    base = int(sequence.max()) + 1
    keys: list[Integers] = []
    for distances in combinations(range(1, window + 1), length - 1):
        size = sequence.size - distances[-1]
        key = sequence[:size]
        for distance in distances:
            key = key * base + sequence[distance : distance + size]
        keys.append(key)
    found, counts = np.unique(np.concatenate(keys), return_counts=True)
    often = counts >= least
    patterns = [tuple(key // base**power % base for power in range(length - 1, -1, -1)) for key in found[often].tolist()]
    return patterns, counts[often].astype(np.int64)


def _msnbc() -> list[Person]:
    people = []
    with gzip.open(data_file("msnbc", "msnbc990928.seq.gz"), "rt", encoding="ascii") as file:
        for number, line in enumerate(file):
            if number >= 7 and len(line) >= 2 * SHORTEST and len(words := line.split()) >= SHORTEST:
                people.append(Person(np.array(words, dtype=np.int64) - 1, GROUPED))
    return people


def _foursquare() -> list[Person]:
    """Places, in squares of 500 m, 2 km and 8 km."""
    places = pl.read_csv(data_file("foursquare_nyc", "nyc_pois.csv.gz"))
    rows = pl.read_csv(data_file("foursquare_nyc", "nyc_checkins.csv.gz")).join(places, on="poi")
    return _located(rows.sort("user", "minute", "poi"), "poi", widths=(0.5, 2, 8))


def _geolife() -> list[Person]:
    """Squares of 1 km as they change, in squares of 2, 4, 8 and 16 km; the first 20 people with at most 400 of them."""
    rows = pl.read_csv(data_file("geolife", "geolife_beijing_1min.csv.gz")).sort("user", "unix_time")
    side = 1 / KM_PER_DEGREE
    rows = rows.with_columns((pl.col("lat") // side).cast(pl.Int64).alias("y"), (pl.col("lon") // side).cast(pl.Int64).alias("x"))
    rows = rows.with_columns((pl.col("y") * 100_000 + pl.col("x")).alias("cell"))
    rows = rows.filter((pl.col("cell") != pl.col("cell").shift()) | (pl.col("user") != pl.col("user").shift()))
    rows = (
        rows.with_columns((pl.col("y") + 0.5) * side, (pl.col("x") + 0.5) * side)
        .drop("lat", "lon")
        .rename({"y": "lat", "x": "lon"})
    )
    people = [person for person in _located(rows, "cell", widths=(2, 4, 8, 16)) if len(person.taxonomy.universe) <= 400]
    return people[:20]


def _located(rows: pl.DataFrame, place: str, *, widths: tuple[float, ...]) -> list[Person]:
    """Sequences of places of each user, with squares of these widths in km above them."""
    people = []
    for group in rows.partition_by("user", maintain_order=True):
        if len(group) < SHORTEST:
            continue
        places = group.unique(place, maintain_order=True)
        labels = [str(name) for name in places[place]]
        north, east = places["lat"].to_numpy() * KM_PER_DEGREE, places["lon"].to_numpy() * KM_PER_DEGREE
        squares = [
            [f"{width} km {y} {x}" for y, x in zip((north // width).astype(int), (east // width).astype(int), strict=True)]
            for width in widths
        ]
        universe = Universe(labels)
        tree = Taxonomy.from_columns(zip(labels, *squares, ["*"] * len(labels), strict=True), universe=universe)
        codes = {name: code for code, name in enumerate(labels)}
        people.append(Person(np.array([codes[str(name)] for name in group[place]], dtype=np.int64), tree))
    return people


def _phones() -> list[Person]:
    world = PhoneWorld.reality()
    return [
        Person(np.asarray(row, dtype=np.int64), world.taxonomy) for row in world.sequences().to_lists() if len(row) >= SHORTEST
    ]


COLLECTIONS: dict[str, Callable[[], list[Person]]] = {
    "msnbc": _msnbc,
    "phones": _phones,
    "foursquare": _foursquare,
    "geolife": _geolife,
}
