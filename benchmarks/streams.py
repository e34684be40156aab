"""What methods keep of streams: mean absolute and relative errors, beside zeros, equal cells and filtered baselines.

Prints the tables of `docs/reference/measured-streams.md`. For each stream, number of contexts and epsilon: the error of zeros, of
equal shares of the public number of people (*flat*), of each published method (negative counts cut at zero, which is free and
helps them), of the measurements of UNIFORM and Sample behind the filters of pace (also free), and of pace; means over runs with
fresh noise. At last, in how many rows pace is within 1.1 and 1.2 times the best of everything.

Every run is a line of a CSV file (`--results`), and what is in it is not run again: a measurement that was cut goes on where it
was. First every method runs once in every row; then pace, and whatever is within 1.3 of it, until there are `--runs` of each.
Runs of code that has changed since are left out (`code` is a digest of the modules that a method is made of).

    --minutes M               CPU minutes after which it stops; 0 only prints the tables
    --only NAME, --presence P, --contexts M, --epsilons E   choose rows; each may be given several times
    --page FILE               puts the tables between the two marks of this page instead of printing them
    --shapes                  the simulated streams of other shapes, of which some judge what was chosen on others
    --finer                   T-Drive with 16 x 16 cells
    --method NAME             run this method only
    --delta D                 the error of pace at (epsilon, D), beside and over that at epsilon alone; one run each
    --bands                   how many true counts the intervals of pace hold, and what its filters expect, on several streams
    --figures                 the figures 2 to 5 of Li, Quan and Yu instead
    --constants               other constants of pace, on the streams on which they are chosen
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import tacita.streams
from stored import digest, put_into_page
from stream_shapes import FRESH, TRIED
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.streams import Pace, Presence
from tacita.streams.pace import bank, running
from tacita.streams.pace.bank import Bank
from tacita.streams.pace.bank import released as shaped
from tacita.streams.pace.running import smoothed
from tacita_papers.reproduce.data.streams import CHOSEN_ON, WORLDS, World, tdrive
from tacita_papers.reproduce.runners.stream_runs import Drawn, Fresh, errors, methods
from tacita_papers.reproduce.runners.stream_runs import released as run_over

CONTEXTS = (10, 40, 100, 200)
EPSILONS = ("0.1", "1", "10")
STREAMS = (
    *((name, Presence.PUBLIC) for name in ("T-Drive 10 x 10", "T-Drive 32 x 32", "GeoLife", "Foursquare", "city")),
    *((name, Presence.CHANGED) for name in ("T-Drive 10 x 10", "GeoLife", "Foursquare", "city")),
    ("WorldCup98", Presence.ADDED),
)
"""Ten streams: those whose people are public, and those whose presence is private."""

FINER = {"T-Drive 16 x 16": partial(tdrive, side=16)}
"""Beside the grid: cells of the size at which sums were looked at."""

FILTERED = ("UNIFORM", "Sample")
"""The methods whose measurements are filtered too; others spend half of epsilon on tests. Where all were filtered (T-Drive
with 10 x 10 cells) Adj was the best filtered one in 2 of 12 rows, and pace was better there."""

NEAR = 1.3
"""A method this many times as far off as pace is run once only."""

RESULTS = Path(__file__).parents[1] / "docs" / "reference" / "measured-streams.csv"
PACE = ("pace", "pace, means", "pace, smoothed", "pace, smoothed means")
"""What pace publishes while a stream goes on and after its end: whole counts, and means, which add up to the people."""

BUSIEST, PARTS = 10, 7
"""Of how many of the busiest cells of a timestamp a release is asked, and in how many parts of a stream counts are added up."""

Floats = npt.NDArray[np.float64]


class Row(NamedTuple):
    """One row of a table."""

    stream: str
    presence: str
    contexts: int
    epsilon: str


Found = dict[tuple[Row, str], list[tuple[float, ...]]]
"""For each row and method, what `MEASURES` say of every run; filtered ones have a name of their own."""

MEASURES = ("absolute", "relative", "busiest", "over time", "over cells")


def judged(world: World, published: Floats) -> tuple[float, ...]:
    """Mean absolute and relative error; the share of the busiest cells found; errors of sums over time and over cells, in shares.

    Sums over time are those of a cell over a part of the stream, sums over cells those of a timestamp.
    """
    truth, shown = world.truth, np.maximum(published, 0)
    number = min(BUSIEST, truth.shape[1])
    ours, theirs = (np.argpartition(-each, number - 1, axis=1)[:, :number] for each in (shown, truth))
    found = [np.intersect1d(one, other).size / number for one, other in zip(ours, theirs, strict=True)]
    starts = np.linspace(0, len(truth), PARTS, endpoint=False).astype(np.intp)
    over_time = np.abs(np.add.reduceat(shown, starts) - np.add.reduceat(truth, starts)).sum()
    over_cells = np.abs(shown.sum(axis=1) - truth.sum(axis=1)).sum()
    absolute, relative = errors(world, published)
    return float(absolute), float(relative), float(np.mean(found)), over_time / truth.sum(), over_cells / truth.sum()


def paced(method: Pace, epsilon: str, world: World) -> dict[str, Floats]:
    """One run of pace, and where presence is public its means and the smoothed release after the end."""
    mechanism = method.start(PureDP(epsilon), cells=world.truth.shape[1], wall=Drawn())
    named = method.presence is Presence.PUBLIC
    counts, means, told = np.zeros(world.truth.shape), np.zeros(world.truth.shape), []
    for place, moment in enumerate(world.moments(named=named)):
        counts[place] = mechanism.step(moment) / 16
        means[place] = mechanism.means / 1000
        told.append(mechanism.beliefs.now)
    if not named:
        return {"pace": counts}
    again = smoothed(told, mechanism.beliefs)
    return dict(zip(PACE, (counts, means, again.counts.astype(np.float64), again.means / 1000), strict=True))


def released(method: Any, epsilon: str, world: World, *, filtering: bool = False) -> tuple[Floats, Floats | None]:  # noqa: ANN401 - a method
    """One run over the whole stream: what the method releases, and what the filters of pace make of its measurements."""
    if not filtering:
        return run_over(method, epsilon, world), None
    smooth = Smooth(world.truth.shape[1], named=method.presence is Presence.PUBLIC)
    filtered = np.zeros(world.truth.shape)

    def seen(place: int, fresh: Fresh, people: int) -> None:
        filtered[place] = smooth.step(fresh, people)

    return run_over(method, epsilon, world, seen=seen), filtered


class Smooth:
    """The free half of pace behind the measurements of another method."""

    def __init__(self, cells: int, *, named: bool) -> None:
        """Shares of the people where they are public, counts elsewhere."""
        self._cells, self._named = cells, named
        self._bank: Bank | None = None

    def step(self, fresh: Fresh, people: int) -> Floats:
        """One timestamp."""
        scale = float(people) if self._named else None
        if self._bank is None:
            self._bank = Bank(self._cells, people=scale)
        self._bank.advance(scale)
        for counts, noise in fresh:
            if scale != 0:
                self._bank.measure(counts, scale=noise, people=scale or 1.0)
        if not self._bank.is_started:
            return np.zeros(self._cells)
        limits = {} if scale is None else {"scale": scale, "most": scale}
        return shaped(self._bank.estimates(), **limits)[0].astype(np.float64)


@cache
def world_of(name: str) -> World:
    """A stream, read once."""
    return {**WORLDS, **TRIED, **FRESH, **FINER}[name]()


@cache
def code_of(label: str) -> str:
    """A digest of the modules that a method is made of; filtered ones are made of pace too."""
    folder = Path(tacita.streams.__file__).parent
    filters = [file for file in sorted((folder / "pace").glob("*.py")) if "smoothed" in label or file.stem != "history"]
    name = label.removesuffix(", filtered")
    name = "pace" if name in PACE else name
    files = [] if name == "pace" else [folder / "schedules.py"]
    files += filters if name == "pace" or name != label else []
    return digest(files)


def read(results: Path) -> Found:
    """The runs that were measured with the code as it is."""
    found: Found = defaultdict(list)
    if results.exists():
        with results.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                if line["code"] == code_of(line["method"]):
                    row = Row(line["stream"], line["presence"], int(line["contexts"]), line["epsilon"])
                    found[row, line["method"]].append(tuple(float(line[name] or "nan") for name in MEASURES))
    return found


def run(row: Row, label: str, results: Path, found: Found) -> None:
    """One more run of a method, added to the file."""
    world = world_of(row.stream)
    method = methods(row.contexts, Presence(row.presence), world)[label]
    if label == "pace":
        several = paced(method, row.epsilon, world)
    else:
        published, filtered = released(method, row.epsilon, world, filtering=label in FILTERED)
        several = {label: published} if filtered is None else {label: published, f"{label}, filtered": filtered}
    measured = {name: judged(world, each) for name, each in several.items()}
    is_new = not results.exists()
    with results.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow([*Row._fields, "method", "absolute", "relative", "code", *MEASURES[2:]])
        for name, values in measured.items():
            told = [f"{value:.6g}" for value in values]
            writer.writerow([*row, name, *told[:2], code_of(name), *told[2:]])
            found[row, name].append(values)


def mean(found: Found, row: Row, label: str) -> float:
    """The mean absolute error of a method; without a run, infinite."""
    return float(np.mean([run[0] for run in found[row, label]])) if found.get((row, label)) else float("inf")


def measure(rows: list[Row], options: argparse.Namespace) -> None:
    """Run what is missing, until the time is up: pace and what is near it come last, and have most runs."""
    found, until = read(options.results), time.process_time() + 60 * options.minutes
    for often in range(1, options.runs + 1):
        for row in rows:
            for label in options.method or methods(row.contexts, Presence(row.presence), world_of(row.stream)):
                nearest = min(mean(found, row, name) for name in (label, f"{label}, filtered"))
                is_near = nearest <= NEAR * mean(found, row, "pace")
                last = f"{label}, filtered" if label in FILTERED else label
                while len(found[row, last]) < (often if is_near or label == "pace" else 1):
                    if time.process_time() > until:
                        return
                    run(row, label, options.results, found)


def floors(name: str, presence: str) -> dict[str, Floats]:
    """What costs nothing: zeros, and equal shares of the people where their number is public."""
    world = world_of(name)
    zeros = {"zeros": errors(world, np.zeros(world.truth.shape))}
    if presence != Presence.PUBLIC:
        return zeros
    cells = world.truth.shape[1]
    return zeros | {"flat": errors(world, np.broadcast_to(world.truth.sum(axis=1, keepdims=True) / cells, world.truth.shape))}


def tables(rows: list[Row], found: Found) -> Iterator[str]:
    """The tables, line by line, and a summary."""
    ratios: dict[Row, float] = {}
    gains: list[float] = []
    for name, presence in dict.fromkeys((row.stream, row.presence) for row in rows):
        own = [row for row in rows if (row.stream, row.presence) == (name, presence) and found.get((row, "pace"))]
        if not own:
            continue
        free, (steps, cells) = floors(name, presence), world_of(name).truth.shape
        labels = [label for label in methods(10, Presence(presence), world_of(name)) if label != "pace"]
        said = ", ".join(f"{floor} {value[0]:.4g} ({value[1]:.3f})" for floor, value in free.items())
        yield f"\n### {name}, presence {presence}: {steps:,} timestamps, {cells} cells, {said}\n"
        yield f"| contexts | epsilon | {' | '.join(labels)} | pace | best filtered | best published / pace | pace / best of all |"
        yield "|" + "---|" * (len(labels) + 6)
        for row in own:
            published = {label: mean(found, row, label) for label in labels}
            behind = {label: mean(found, row, f"{label}, filtered") for label in FILTERED}
            best, filtered, pace = min(published.values()), min(behind, key=lambda label: behind[label]), mean(found, row, "pace")
            ratios[row] = pace / min(best, behind[filtered], pace, *(float(value[0]) for value in free.values()))
            gains.append(best / pace)
            shown = [_cell(found, row, label) for label in (*labels, "pace")]
            last = f"{behind[filtered]:.4g} ({filtered}) | {best / pace:.2f} | {ratios[row]:.2f}"
            yield f"| {row.contexts} | {row.epsilon} | {' | '.join(shown)} | {last} |"
    if ratios:
        yield from sums(rows, found)
        yield from _summary(ratios, gains, found)


def _cell(found: Found, row: Row, label: str) -> str:
    runs = found.get((row, label))
    if not runs:
        return "not run"
    absolute, relative = np.mean([run[:2] for run in runs], axis=0)
    return f"{absolute:.4g} ({relative:.2f})" + (f" x{len(runs)}" if len(runs) > 1 else "")


def sums(rows: list[Row], found: Found) -> Iterator[str]:
    """What filters alone, and pace while a stream goes on and after its end, say of busy cells and of sums."""
    labels = ("Sample, filtered", *PACE)
    yield "\n### Busiest cells and sums: Sample behind the filters, counts, means, smoothed counts, smoothed means\n"
    yield "Each column has one figure for each of these five.\n"
    yield f"| stream | contexts | epsilon | mean absolute error | {BUSIEST} busiest found | sums over time | sums over cells |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        runs = [found.get((row, label), []) for label in labels]
        if row.presence != Presence.PUBLIC or not runs[-1]:
            continue
        each = np.array([np.mean(own, axis=0) if own else [np.nan] * len(MEASURES) for own in runs])
        figures = [" / ".join(_short(value) for value in each[:, MEASURES.index(name)]) for name in (MEASURES[0], *MEASURES[2:])]
        yield f"| {row.stream} | {row.contexts} | {row.epsilon} | {' | '.join(figures)} |"


def _short(value: float) -> str:
    return "not run" if np.isnan(value) else "0" if value < 1e-9 else f"{value:.3g}"


def _summary(ratios: dict[Row, float], gains: list[float], found: Found) -> Iterator[str]:
    yield "\n### In all rows\n"
    for said, is_public in (("public", True), ("private", False)):
        some = np.array([ratio for row, ratio in ratios.items() if (row.presence == Presence.PUBLIC) is is_public])
        if some.size:
            shares = ", ".join(f"within {most} in {np.mean(some <= most):.0%}" for most in (1.1, 1.2))
            yield f"- presence {said}, {some.size} rows: pace is {shares} of the best of everything; at most {some.max():.2f}"
    yield f"- best published / pace: median {np.median(gains):.2f}, least {min(gains):.2f}, in {len(gains)} rows"
    often = [len(found[row, "pace"]) for row in ratios]
    yield f"- runs of pace in a row: {min(often)} to {max(often)}"
    for row, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
        if ratio > 1.1:
            where = f"{row.stream}, presence {row.presence}, {row.contexts} contexts, epsilon {row.epsilon}"
            yield f"- above 1.1: {where}: {ratio:.2f}"


def figures(runs: int) -> None:
    """Figures 2 to 5 of Li, Quan and Yu: errors by contexts, k and epsilon on 96 timestamps of GeoLife, and running time."""
    world = WORLDS["GeoLife by quarter of an hour"]()
    zero = errors(world, np.zeros(world.truth.shape))[0]
    labels = [label for label in methods(10, Presence.PUBLIC, world) if label != "Sample"]

    def mean(contexts: int, epsilon: str) -> list[float]:
        chosen = methods(contexts, Presence.PUBLIC, world)
        return [
            float(np.mean([errors(world, released(chosen[label], epsilon, world)[0])[0] for _ in range(runs)]))
            for label in labels
        ]

    print(f"\n### Figures 2 and 3: mean absolute error at epsilon 1 by contexts (zeros {zero:.3g}), {runs} runs\n")
    print(f"| contexts | {' | '.join(labels)} |\n{'|---' * (len(labels) + 1)}|")
    for contexts in range(10, 101, 10):
        print(f"| {contexts} | {' | '.join(f'{value:.3g}' for value in mean(contexts, '1'))} |", flush=True)
    print(f"\n### Figure 4: mean absolute error at 40 contexts by epsilon, {runs} runs\n")
    print(f"| epsilon | {' | '.join(labels)} |\n{'|---' * (len(labels) + 1)}|")
    for epsilon in ("0.0001", "0.001", "0.01", "0.1", "1"):
        print(f"| {epsilon} | {' | '.join(f'{value:.3g}' for value in mean(40, epsilon))} |", flush=True)
    print("\n### Figure 5: CPU seconds for 2,880 timestamps of WorldCup98, 40 contexts, epsilon 1, presence added\n")
    world = WORLDS["WorldCup98"]()
    for label, method in methods(40, Presence.ADDED, world).items():
        start = time.process_time()
        released(method, "1", world)
        print(f"- {label}: {time.process_time() - start:.2f} s", flush=True)


def beside(options: argparse.Namespace) -> None:
    """Both currencies, in the chosen rows."""
    print("| stream | presence | contexts | epsilon | alone | with the delta | ratio |\n|---|---|---|---|---|---|---|")
    for name, presence in STREAMS:
        if (options.only and name not in options.only) or (options.presence and str(presence) not in options.presence):
            continue
        world = world_of(name)
        for contexts, epsilon in product(options.contexts or CONTEXTS, options.epsilons or EPSILONS):
            method, found = methods(contexts, presence, world)["pace"], []
            for budget in (PureDP(epsilon), ApproxDP(epsilon, options.delta)):
                mechanism = method.start(budget, cells=world.truth.shape[1], wall=Drawn())
                moments = world.moments(named=presence is Presence.PUBLIC)
                found.append(float(errors(world, np.array([mechanism.step(moment) / 16 for moment in moments]))[0]))
            alone, with_delta = found
            row = f"{alone:.3f} | {with_delta:.3f} | {with_delta / alone:.2f}"
            print(f"| {name} | {presence} | {contexts} | {epsilon} | {row} |", flush=True)


def bands(names: list[str] | None) -> None:
    """How many true counts pace's intervals hold where it measured, and are within one or two of the deviations it expects.

    In brackets of the five cells that are largest in the release.
    """
    columns = ("stream", "contexts", "epsilon", "measured", "in the interval", "within 1 deviation", "within 2")
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")

    def told(inside: npt.NDArray[np.bool_], largest: npt.NDArray[np.intp]) -> str:
        return f"{inside.mean():.1%} ({inside[:, largest].mean():.1%})" if inside.size else "none"

    for name in names or ("T-Drive 10 x 10", "always there", "changing cells", "by day, equal cells", *FRESH):
        world = world_of(name)
        for contexts in (10, 100):
            for epsilon in EPSILONS:
                mechanism = Pace(contexts=contexts).start(PureDP(epsilon), cells=world.truth.shape[1], wall=Drawn())
                published, deviations = (np.zeros(world.truth.shape) for _ in range(2))
                held = []
                for place, moment in enumerate(world.moments(named=True)):
                    published[place], deviations[place] = mechanism.step(moment) / 16, mechanism.deviation
                    if mechanism.interval is not None:
                        low, high = mechanism.interval
                        held.append((low <= world.truth[place]) & (world.truth[place] <= high))
                off, largest = np.abs(published - world.truth), np.argsort(-published.mean(axis=0))[:5]
                found = [np.array(held), off <= deviations, off <= 2 * deviations]
                figures = " | ".join(told(each, largest) for each in found)
                print(f"| {name} | {contexts} | {epsilon} | {len(held)} of {len(off)} | {figures} |", flush=True)


@contextmanager
def changed(module: Any, name: str, value: object) -> Iterator[None]:  # noqa: ANN401 - a module of pace
    """Another value for a constant, for a while."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def constants(runs: int) -> None:
    """The error of pace with other constants, against that with its own, on the streams on which they are chosen."""
    tried = (
        (bank, "FORGET", (0.8, 0.95)),
        (bank, "REMEMBER", (0.97, 1.0)),
        (bank, "_FLOOR", (0.03, 0.3)),
        (bank, "_CHANCE", (0.0, 1.0)),
        (running, "_ENOUGH", (0.5, 0.9)),
        (running, "RARE", (0.1, 0.4)),
        (bank, "_NEARLY", (1.0, 1.15)),
    )
    worlds = [WORLDS[name]() for name in CHOSEN_ON]

    def levels() -> Floats:
        return np.array(
            [
                np.mean([errors(world, released(Pace(contexts=contexts), epsilon, world)[0])[0] for _ in range(runs)])
                for world in worlds
                for contexts in (10, 100)
                for epsilon in ("0.1", "1")
            ]
        )

    own = levels()
    print(f"\n### Constants, on {' and '.join(CHOSEN_ON)} (contexts 10 and 100, epsilon 0.1 and 1), {runs} runs\n")
    print("| constant | value | error against the chosen one, geometric mean | worst row |\n|---|---|---|---|")
    for module, name, values in tried:
        for value in values:
            with changed(module, name, value):
                against = levels() / own
            print(f"| {name} | {value} | {np.exp(np.log(against).mean()):.3f} | {against.max():.3f} |", flush=True)


def main() -> None:
    """Measure, and print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    names = [*WORLDS, *TRIED, *FRESH, *FINER]
    parser.add_argument("--only", action="append", choices=names, help="a stream; several times for several")
    parser.add_argument("--presence", action="append", choices=[str(presence) for presence in Presence])
    parser.add_argument("--contexts", action="append", type=int, help="a number of contexts; several times for several")
    parser.add_argument("--epsilons", action="append", help="an epsilon; several times for several")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="CPU minutes after which it stops")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--shapes", action="store_true")
    parser.add_argument("--finer", action="store_true")
    parser.add_argument("--method", action="append", help="a method, beside what was run before; several times for several")
    parser.add_argument("--delta")
    parser.add_argument("--bands", action="store_true")
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("--constants", action="store_true")
    options = parser.parse_args()
    if options.delta:
        beside(options)
        return
    if options.bands:
        bands(options.only)
        return
    if options.figures or options.constants:
        (figures if options.figures else constants)(options.runs)
        return
    finer = tuple((name, Presence.PUBLIC) for name in FINER)
    shapes = tuple((name, Presence.PUBLIC) for name in (*TRIED, *FRESH))
    rows = [
        Row(name, str(presence), contexts, epsilon)
        for name, presence in (shapes if options.shapes else finer if options.finer else STREAMS)
        if (not options.only or name in options.only) and (not options.presence or str(presence) in options.presence)
        for contexts in options.contexts or ((10, 100) if options.shapes else (20, 100) if options.finer else CONTEXTS)
        for epsilon in options.epsilons or (("0.5", "1") if options.finer else EPSILONS)
    ]
    measure(rows, options)
    text = "\n".join(tables(rows, read(options.results)))
    if options.page is None:
        print(text)
        return
    put_into_page(options.page, text)


if __name__ == "__main__":
    main()
