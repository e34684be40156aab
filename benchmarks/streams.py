"""What methods keep of streams: mean absolute and relative errors, beside a stream of zeros.

Prints the tables of `docs/reference/measured-streams.md`. For each stream, number of contexts and epsilon: the error of zeros,
of each published method (negative counts cut at zero, which is free and helps them), and of pace; means over runs with fresh
noise. `--only` chooses streams, `--contexts`, `--epsilons` and `--presence` the rest, `--runs` and `--baseline-runs` how often
pace and the others are run.
"""

from __future__ import annotations

import argparse
import os
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from stream_worlds import WORLDS, World
from tacita.privacy.budget import Plan, PureDP
from tacita.privacy.randomness import SecureSource
from tacita.streams import BudgetAbsorption, Pace, Presence, Republish, Sample, Uniform

CONTEXTS = (10, 40, 100, 200)
EPSILONS = ("0.1", "1", "10")


class Drawn:
    """Answers with fresh noise; there is no ledger, since the streams are public."""

    def __init__(self) -> None:
        """Draw from the operating system."""
        self._source = SecureSource()

    def slide(self, step: str, *, tick: int, plan: Plan) -> None:
        """Nothing is charged."""

    def ask(self, question: Any, truth: Any, /) -> Any:  # noqa: ANN401 - each question has its own
        """Draw."""
        question.check(truth)
        return question.draw(truth, self._source)


def methods(contexts: int, presence: Presence, world: World) -> dict[str, Any]:
    """The published methods and pace; the public guess at the number of people is right by order of magnitude."""
    fields = {"contexts": contexts, "presence": presence}
    expected = 10 ** round(log10(max(float(world.truth.sum(axis=1).mean()), 1.0)))
    others = {} if presence is Presence.PUBLIC else {"BA": BudgetAbsorption(**fields)}
    return {
        "UNIFORM": Uniform(**fields),
        "Sample": Sample(**fields),
        "Adj": Republish(**fields),
        "MMD": Republish(**fields, strategy="similar"),
        "MA(3)": Republish(**fields, strategy="average", past=3),
        "MA(20)": Republish(**fields, strategy="average", past=20),
        **others,
        "pace": Pace(**fields, expected_people=expected),
    }


def released(method: Any, epsilon: str, world: World) -> npt.NDArray[np.float64]:  # noqa: ANN401 - any method of streams
    """One run over the whole stream."""
    named = method.presence is Presence.PUBLIC
    running = method.start(PureDP(epsilon), cells=world.truth.shape[1], wall=Drawn())
    return np.array([running.step(moment) for moment in world.moments(named=named)]) / 16


def errors(world: World, published: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean absolute and mean relative error."""
    difference = np.abs(world.truth - np.maximum(published, 0))
    bound = np.maximum(world.truth, max(0.001 * world.truth.sum(axis=1).mean(), 1))
    return np.array([difference.mean(), (difference / bound).mean()])


def table(name: str, world: World, options: argparse.Namespace) -> None:
    """Print one row per number of contexts and epsilon, as it is ready."""
    presence = Presence(options.presence)
    zero = errors(world, np.zeros(world.truth.shape))
    steps, cells = world.truth.shape
    print(
        f"\n### {name}, presence {presence}: {steps:,} timestamps, {cells} cells, zeros {zero[0]:.4g} ({zero[1]:.3f})\n",
        flush=True,
    )
    names = list(methods(10, presence, world))
    print(f"| contexts | epsilon | {' | '.join(names)} | best published / pace | pace / best of all |")
    print("|" + "---|" * (len(names) + 4))
    for contexts in options.contexts or CONTEXTS:
        for epsilon in options.epsilons or EPSILONS:
            found = {}
            for label, method in methods(contexts, presence, world).items():
                times = options.runs if label == "pace" else options.baseline_runs
                found[label] = np.mean([errors(world, released(method, epsilon, world)) for _ in range(times)], axis=0)
            pace, best = found["pace"][0], min(value[0] for label, value in found.items() if label != "pace")
            row = " | ".join(f"{value[0]:.4g} ({value[1]:.2f})" for value in found.values())
            print(f"| {contexts} | {epsilon} | {row} | {best / pace:.2f} | {pace / min(best, zero[0], pace):.2f} |", flush=True)


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--only", action="append", choices=list(WORLDS), help="a stream; several times for several")
    parser.add_argument("--presence", choices=[str(presence) for presence in Presence], default="public")
    parser.add_argument("--contexts", action="append", type=int, help="a number of contexts; several times for several")
    parser.add_argument("--epsilons", action="append", help="an epsilon; several times for several")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--baseline-runs", type=int, default=3)
    options = parser.parse_args()
    folder = Path(os.environ["TACITA_DATA"])
    for name in options.only or WORLDS:
        world = WORLDS[name](folder)
        if options.presence == Presence.PUBLIC and not world.names_people:
            continue
        table(name, world, options)


if __name__ == "__main__":
    main()
