"""What methods keep of streams: mean absolute and relative errors, beside a stream of zeros and beside filtered baselines.

Prints the tables of `docs/reference/measured-streams.md`. For each stream, number of contexts and epsilon: the error of zeros, of
each published method (negative counts cut at zero, which is free and helps them), of the measurements of UNIFORM and Sample
behind the filters of pace (also free), and of pace; means over runs with fresh noise. At last, in how many rows pace is within
1.1 and 1.2 times the best of everything.

    --only NAME, --contexts M, --epsilons E, --presence P   choose rows; each may be given several times but the last
    --runs, --baseline-runs                                 how often pace and Sample, and the other methods, are run
    --figures                                               the figures 2 to 5 of Li, Quan and Yu instead
    --constants                                             other constants of pace, on the streams on which they are chosen
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.reproduce.data.streams import CHOSEN_ON, WORLDS, World
from tacita.reproduce.runners.stream_runs import Fresh, errors, methods
from tacita.reproduce.runners.stream_runs import released as run_over
from tacita.streams import Pace, Presence
from tacita.streams.pace import bank, rate, running
from tacita.streams.pace.bank import Bank
from tacita.streams.pace.shape import median, projected, total_of

CONTEXTS = (10, 40, 100, 200)
EPSILONS = ("0.1", "1", "10")
FILTERED = ("UNIFORM", "Sample")
"""The methods whose measurements are filtered too; others spend half of epsilon on tests. Where all were filtered (T-Drive
with 10 x 10 cells) Adj was the best filtered one in 2 of 12 rows, and pace was better there."""

Floats = npt.NDArray[np.float64]


def released(method: Any, epsilon: str, world: World, *, filtering: bool = False) -> tuple[Floats, Floats | None]:  # noqa: ANN401
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
        mean, variance = self._bank.estimate()
        total = total_of(mean, variance)
        if scale is not None:
            mean, variance, total = mean * scale, variance * scale**2, min(total * scale, scale)
        means = projected(mean, variance, total)
        return np.floor(median(means, variance + np.minimum(0.5 * means, variance)) + 0.5)


def row(world: World, contexts: int, epsilon: str, options: argparse.Namespace) -> tuple[dict[str, Floats], dict[str, float]]:
    """The errors of every method, and those of the same measurements behind filters."""
    found, filtered = {}, {}
    for label, method in methods(contexts, Presence(options.presence), world).items():
        often = label == "pace" or (label == "Sample" and world.truth.mean() < 100)
        runs = [
            released(method, epsilon, world, filtering=label in FILTERED and place < options.baseline_runs)
            for place in range(options.runs if often else options.baseline_runs)
        ]
        found[label] = np.mean([errors(world, published) for published, _ in runs], axis=0)
        smooth = [errors(world, behind)[0] for _, behind in runs if behind is not None]
        if smooth:
            filtered[label] = float(np.mean(smooth))
    return found, filtered


def table(name: str, world: World, options: argparse.Namespace) -> list[float]:
    """Print one row per number of contexts and epsilon, as it is ready; give back how pace compares with the best of all."""
    presence = Presence(options.presence)
    zero = errors(world, np.zeros(world.truth.shape))
    steps, cells = world.truth.shape
    head = f"{name}, presence {presence}: {steps:,} timestamps, {cells} cells, zeros {zero[0]:.4g} ({zero[1]:.3f})"
    print(f"\n### {head}\n", flush=True)
    names = list(methods(10, presence, world))
    print(f"| contexts | epsilon | {' | '.join(names)} | best filtered | best published / pace | pace / best of all |")
    print("|" + "---|" * (len(names) + 5))
    ratios = []
    for contexts in options.contexts or CONTEXTS:
        for epsilon in options.epsilons or EPSILONS:
            found, filtered = row(world, contexts, epsilon, options)
            pace, best = found["pace"][0], min(value[0] for label, value in found.items() if label != "pace")
            behind = min(filtered, key=lambda label: filtered[label])
            ratios.append(float(pace / min(best, zero[0], pace, filtered[behind])))
            cells_of_row = " | ".join(f"{value[0]:.4g} ({value[1]:.2f})" for value in found.values())
            last = f"{filtered[behind]:.4g} ({behind}) | {best / pace:.2f} | {ratios[-1]:.2f}"
            print(f"| {contexts} | {epsilon} | {cells_of_row} | {last} |", flush=True)
    return ratios


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
        (bank, "_FLOOR", (0.03, 0.3)),
        (running, "_CHANCE", (0.0, 1.0)),
        (running, "_ENOUGH", (0.5, 0.9)),
        (running, "RARE", (0.1, 0.4)),
        (rate, "_NEARLY", (1.0, 1.15)),
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
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--only", action="append", choices=list(WORLDS), help="a stream; several times for several")
    parser.add_argument("--presence", choices=[str(presence) for presence in Presence], default="public")
    parser.add_argument("--contexts", action="append", type=int, help="a number of contexts; several times for several")
    parser.add_argument("--epsilons", action="append", help="an epsilon; several times for several")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--baseline-runs", type=int, default=10)
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("--constants", action="store_true")
    options = parser.parse_args()
    if options.figures or options.constants:
        (figures if options.figures else constants)(options.runs)
        return
    ratios: list[float] = []
    for name in options.only or [name for name in WORLDS if name not in {*CHOSEN_ON[1:], "GeoLife by quarter of an hour"}]:
        world = WORLDS[name]()
        if options.presence == Presence.PUBLIC and not world.names_people:
            continue
        ratios += table(name, world, options)
    shares = ", ".join(f"within {most} in {np.mean(np.array(ratios) <= most):.0%}" for most in (1.1, 1.2))
    print(f"\npace against the best of everything, {len(ratios)} rows: {shares}; at most {max(ratios):.2f}")


if __name__ == "__main__":
    main()
