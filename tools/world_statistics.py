"""Write the table of docs/reference/simulated-worlds.md: the figures that papers state for their data beside those of our worlds.

python tools/world_statistics.py            print the table
python tools/world_statistics.py --write    put it into the page
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tacita.simulate import WORLDS, StreamWorld, World, make_world

__all__ = ["FIGURES", "MAKERS", "table"]

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "simulated-worlds.md"

MAKERS: dict[str, Callable[[], World]] = {name: partial(make_world, name) for name in WORLDS}
MAKERS |= {"stream (geolife)": StreamWorld.geolife, "stream (taxis)": StreamWorld.taxis}

FIGURES: tuple[tuple[str, str, float | None], ...] = (
    ("metro", "records", 847_668),
    ("metro", "labels", 68),
    ("metro", "mean length", 4.21),
    ("metro", "max length", 90),
    ("metro", "mean distinct labels", None),
    ("bus", "records", 778_724),
    ("bus", "labels", 944),
    ("bus", "mean length", 5.67),
    ("bus", "max length", 121),
    ("bus", "mean distinct labels", None),
    ("stm", "records", 1_210_096),
    ("stm", "labels", 1_012),
    ("stm", "mean length", 6.7),
    ("stm", "max length", 121),
    ("stm", "mean distinct labels", 4.82),
    ("stm", "max distinct labels", 64),
    ("stm342", "records", 1_210_096),
    ("stm342", "labels", 342),
    ("stm342", "mean length", 6.7),
    ("stm342", "max length", 121),
    ("city80k", "records", 80_000),
    ("city80k", "labels", 26),
    ("city80k", "dimensions", 624),
    ("city80k", "bytes per record", 28.7),
    ("city80k", "mean length", None),
    ("city80k", "attribute values", 5),
    ("city80k", "sensitive attribute values", 1),
    ("city80k", "share of people with a sensitive value", None),
    ("stm460k", "records", 462_483),
    ("stm460k", "labels", 68),
    ("stm460k", "dimensions", 3_264),
    ("stm460k", "bytes per record", 21.2),
    ("stm460k", "mean length", None),
    ("stm460k", "attribute values", 24),
    ("stm460k", "sensitive attribute values", 6),
    ("stm460k", "share of people with a sensitive value", None),
    ("baskets", "records", 88_162),
    ("baskets", "labels", 16_470),
    ("baskets", "mean length", 10.3),
    ("baskets", "max length", 76),
    ("baskets", "share of baskets with the most frequent item", None),
    ("census", "records", 30_162),
    ("census", "mean age", 38.58),
    ("census", "share of incomes above 50K", 0.241),
    ("census", "share of people with unique quasi-identifiers", None),
    ("network", "records", 5_242),
    ("network", "edges", 14_496),
    ("network", "edge density", 0.00106),
    ("network", "max degree", None),
    ("network", "share of edges within a community", None),
    ("stm-network", "records", 1_012),
    ("stm-network", "edges", 7_860),
    ("stm-network", "edge density", 0.0154),
    ("stm-network", "fewest passengers of an edge", None),
    ("phones", "records", 32),
    ("phones", "labels", 69),
    ("phones", "mean length", None),
    ("phones", "max length", 20_000),
    ("phones", "mean distinct labels", None),
    ("stream (geolife)", "records", 170),
    ("stream (geolife)", "time steps", 1_440),
    ("stream (geolife)", "points", 240_990),
    ("stream (taxis)", "records", 2_698),
    ("stream (taxis)", "time steps", 886),
    ("stream (taxis)", "points", 37_225),
    ("stream", "records", None),
    ("stream", "points", None),
)


def table(measured: Mapping[str, Mapping[str, float]]) -> str:
    """A table in Markdown, one row per figure."""
    lines = ["| world | figure | published | simulated |", "|---|---|---|---|"]
    for name, figure, published in FIGURES:
        stated = "not stated" if published is None else _text(published)
        lines.append(f"| {name} | {figure} | {stated} | {_text(measured[name][figure])} |")
    return "\n".join(lines) + "\n"


def _text(number: float) -> str:
    if number == int(number):
        return f"{int(number):,}"
    return f"{number:.3g}" if abs(number) < 1 else f"{number:.2f}".rstrip("0")


def main() -> None:
    """Make every world at full size and print or write its figures."""
    parser = argparse.ArgumentParser(description="figures of the simulated worlds")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    found = table({name: make().statistics() for name, make in MAKERS.items()})
    if not parser.parse_args().write:
        print(found, end="")
        return
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"\| world \|.*?\n(?!\|)", lambda _: found, page, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
