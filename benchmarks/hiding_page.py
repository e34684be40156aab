"""The page of tables of pattern hiding, and its pictures, from what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hiding_charts import Panel, chart
from tacita.utility.personal import FrequentPattern, patterns_picture
from tacita_papers.reproduce.runners.hiding_runs import SHOWN

__all__ = ["write_page"]

WORLDS = {"msnbc": "MSNBC", "phones": "simulated phones", "foursquare": "Foursquare", "geolife": "GeoLife"}
PROTOTYPE = {
    "top-down": (0.93, 0.63, 0.24),
    "bottom-up": (0.98, 0.69, 0.41),
    "best": (0.87, 0.56, 0.22),
}
TIMES = (0.5, 1, 2, 5, 10, 20, 50, 100, 200)
LOSSES = (0, 0.25, 0.5, 0.75, 1)
Results = dict[str, Any]


PAGE = Path(__file__).parent / "results" / "pattern-hiding.md"


def write_page(results: Results, folder: Path) -> None:
    """Write the page of tables, and the pictures into this folder."""
    pictures = folder / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    for name, picture in _pictures({world: results[world] for world in WORLDS if world in results}):
        (pictures / f"hiding-{name}.svg").write_text(picture, encoding="utf-8")
    PAGE.write_text("\n".join(_lines(results)) + "\n", encoding="utf-8")


def _lines(results: Results) -> Iterator[str]:
    yield "# Measured: pattern hiding, all tables"
    yield ""
    yield (
        "Written by `benchmarks/pattern_hiding.py`; [another page](../../docs/reference/measured-pattern-hiding.md) says "
        "how to read it and what "
        f"follows. {results['runs']} runs per person. Losses are per symbol, 1 for the root everywhere. Times are CPU "
        "milliseconds, in the mean over the first two runs of each person, on cores that others used too."
    )
    for world, name in WORLDS.items():
        if world in results:
            yield from _world(results[world], name)
    if "optimum" in results:
        yield from _optimum(results["optimum"])


def _world(found: Results, name: str) -> Iterator[str]:
    facts = found["about"]
    longest, symbols = f"{facts['longest']:,}", f"{facts['symbols']:.0f}"
    yield from ("", f"## {name}", "")
    yield f"{facts['people']} persons, at most {longest} symbols, {symbols} different ones on average."
    if "limit" in found:
        part = found["limit"]
        limits = ("0.1", "0.3", "0.5", "0.7", "0.9")
        yield from _headed(f"Against the share of the entropy (Figures 4 and 5): {part['runs']} runs of {part['people']} persons")
        head = ["cost", "search", *(f"loss at {limit}" for limit in limits), *(f"ms at {limit}" for limit in limits)]
        yield from _table(head, ([row["cost"], row["search"], *row["loss"], *map(_ms, row["ms"])] for row in part["rows"]))
        yield from _headed("What a share of the entropy leaves: belief in single patterns, runs in which every pattern changed")
        head = ["search", "I/H", "a pattern certain", "above 0.5", "median belief", "every pattern changed"]
        yield from _table(head, ([row["search"], row["limit"], *row["shares"]] for row in part["stays"]))
    if "belief" in found:
        yield from _headed("Against the belief; two forms are tuples-any and starts-single. Losses are of feasible runs")
        head = ["belief", "infeasible", "best", "best, local", "top-down", "ms", "two forms: infeasible", "best", "top-down"]
        yield from _table(
            head,
            (
                [
                    *(row["belief"], row["infeasible"][0], row["loss"], row["local"], row["top-down"], _ms(row["ms"])),
                    *(row["infeasible"][1], *row["two"]),
                ]
                for row in found["belief"]["rows"]
            ),
        )
    yield from _shapes_and_more(found)


def _shapes_and_more(found: Results) -> Iterator[str]:
    for part, figure in (("length", "Figure 6"), ("number", "Figure 7")):
        if part in found:
            yield from _headed(f"Against the {part} of patterns, at half the entropy ({figure})")
            head = ["length", "patterns", "runs", *SHOWN, *(f"ms {search}" for search in SHOWN)]
            rows = found[part]["rows"]
            yield from _table(head, ([*row["shape"], row["runs"], *row["loss"], *map(_ms, row["ms"])] for row in rows))
    if "frequency" in found:
        yield from _headed("Two patterns of one person, one at least so many times as frequent as the other (Figure 8)")
        bounds = ("printed 0.1 absolute", "I/H 0.5", "belief 0.1")
        head = ["ratio", "runs", *(f"{bound}: {search}" for bound in bounds for search in ("top-down", "best"))]
        rows = found["frequency"]["rows"]
        head += ["ms top-down, I/H 0.5", "ms bottom-up"]
        yield from _table(head, ([row["ratio"], row["runs"], *row["loss"], *map(_ms, row["ms"])] for row in rows))
    if "draw" in found:
        yield from _headed("How much depends on the tree and on how patterns are drawn")
        limits = ("0.1", "0.5", "0.9")
        head = ["tree", "patterns drawn", "runs", *(f"{search} {limit}" for search in SHOWN for limit in limits)]
        rows = found["draw"]["rows"]
        cells = ([row["tree"], row["draw"], row["runs"], *(loss for name in SHOWN for loss in row["loss"][name])] for row in rows)
        yield from _table(head, cells)
    if "case" in found:
        case = found["case"]
        yield from _headed(
            f"One person before and after (Figure 9), loss {case['loss']:.3f}; hidden: {'; '.join(case['hidden'])}"
        )
        pairs = zip(case["before"], case["after"], strict=True)
        yield from _table(["before", "tuples", "after", "tuples"], ([*one, *other] for one, other in pairs))


def _optimum(found: Results) -> Iterator[str]:
    yield from ("", "## Against the optimum", "")
    yield (
        "Random sequences of 100 to 400 symbols over five to nine labels, one to four patterns. Two optima as losses: of what "
        "top-down can reach (subtrees), and of everything (paths). Searches are multiples of the first; bottom-up and best, "
        "which search paths, of the second too."
    )
    head = ["bound", "runs", "subtrees", "paths", *SHOWN, "bottom-up / paths", "best / paths"]
    for tree, rows in found.items():
        yield from _headed(f"Balanced trees of {tree}")
        yield from _table(head, (_against(row) for row in rows))


def _against(row: Results) -> list[object]:
    subtrees, paths, *searched = row["loss"]
    return [
        row["bound"],
        row["runs"],
        subtrees,
        paths,
        *(loss / subtrees for loss in searched),
        searched[2] / paths,
        searched[3] / paths,
    ]


def _headed(title: str) -> tuple[str, str, str]:
    return "", f"### {title}", ""


def _ms(value: float) -> str:
    return f"{value:.1f}"


def _table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield "| " + " | ".join(map(str, head)) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row) + " |"


def _pictures(worlds: Results) -> Iterator[tuple[str, str]]:
    """All pictures by name, each of the worlds on which its part was measured."""

    def having(*parts: str) -> Results:
        return {world: found for world, found in worlds.items() if all(part in found for part in parts)}

    for name, key, title, ticks, y_name in (
        ("loss", "loss", "What a bound costs: best loses least, and bottom-up comes next nearly everywhere", LOSSES, "loss"),
        ("time", "ms", "What a bound takes: bottom-up gains on top-down as the bound gets looser", TIMES, "CPU milliseconds"),
    ):
        panels = [_limit_panel(world, found, key) for world, found in having("limit").items()]
        yield name, chart(title, [panels], x_names=["share of the entropy, I/H"], y_name=y_name, ticks=ticks)
    for name, key, title, ticks, y_name in (
        ("shape", "loss", "Loss grows with the number of patterns, and less with their length", LOSSES, "loss"),
        ("shape-time", "ms", "Longer patterns and more of them take longer", TIMES, "CPU milliseconds"),
    ):
        shaped = having("length", "number").items()
        rows = [[_shape_panel(world, found, part, key) for world, found in shaped] for part in ("length", "number")]
        yield name, chart(title, rows, x_names=["symbols in a pattern", "patterns"], y_name=y_name, ticks=ticks)
    panels = [_belief_panel(world, found) for world, found in having("belief").items()]
    title = "What a belief costs where it can be kept, and how many runs cannot keep it"
    yield "belief", chart(title, [panels], x_names=["belief"], y_name="loss; share of runs", ticks=LOSSES)
    panels = [_frequency_panel(world, found) for world, found in having("frequency").items()]
    title = "Two patterns of one person: belief asks for more where one is far more frequent, the paper's bound for less"
    yield "frequency", chart(title, [panels], x_names=["ratio of frequencies, at least"], y_name="loss", ticks=LOSSES)
    for found in having("case").values():
        yield "case", _case(found["case"])


def _limit_panel(world: str, found: Results, key: str) -> Panel:
    lines = {row["search"]: row[key] for row in found["limit"]["rows"] if row["cost"] == "linear"}
    published = dict(zip((0, 2, 4), PROTOTYPE["best"], strict=True)) if world == "msnbc" and key == "loss" else {}
    return Panel(title=WORLDS[world], x=("0.1", "0.3", "0.5", "0.7", "0.9"), lines=lines, published=published)


def _shape_panel(world: str, found: Results, part: str, key: str) -> Panel:
    rows = found[part]["rows"]
    x = [str(row["shape"][part == "number"]) for row in rows]
    lines = {str(search): [row[key][place] for row in rows] for place, search in enumerate(SHOWN)}
    return Panel(title=WORLDS[world], x=x, lines=lines)


def _belief_panel(world: str, found: Results) -> Panel:
    rows = found["belief"]["rows"]
    lines = {
        "top-down": [row["top-down"] for row in rows],
        "runs that cannot": [row["infeasible"][0] for row in rows],
        "best, local": [row["local"] for row in rows],
        "best": [row["loss"] for row in rows],
    }
    return Panel(title=WORLDS[world], x=[row["belief"] for row in rows], lines=lines)


def _frequency_panel(world: str, found: Results) -> Panel:
    rows = found["frequency"]["rows"]
    names = {"top-down, paper's 0.1": 0, "best, paper's 0.1": 1, "best, belief 0.1": 5, "best, I/H 0.5": 3}
    return Panel(
        title=WORLDS[world],
        x=[str(row["ratio"]) for row in rows],
        lines={name: [row["loss"][place] for row in rows] for name, place in names.items()},
    )


def _case(case: Results) -> str:
    sides = [
        tuple(FrequentPattern(names=tuple(names.split(", ")), count=count) for names, count in case[side])
        for side in ("before", "after")
    ]
    return patterns_picture(*sides).svg()
