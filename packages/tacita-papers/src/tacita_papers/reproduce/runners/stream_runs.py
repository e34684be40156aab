"""Runs over streams: every method on a whole stream with fresh noise, and its error.

The streams are public, so nothing is charged to a ledger.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log10
from typing import Any

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.privacy.budget import Plan, PureDP
from tacita.privacy.randomness import SecureSource
from tacita.streams import Pace, Presence, Republish, Sample, Uniform
from tacita.streams.methods import Strategy
from tacita.streams.questions import HistogramQuestion
from tacita_papers.baselines.streams import BudgetAbsorption
from tacita_papers.reproduce.data.streams import World

__all__ = ["Drawn", "Fresh", "errors", "methods", "released"]

Fresh = list[tuple[Integers, float]]


class Drawn:
    """Answers with fresh noise; there is no ledger, since the streams are public. `fresh` holds the counts that were drawn."""

    def __init__(self) -> None:
        """Draw from the operating system."""
        self._source = SecureSource()
        self.fresh: Fresh = []

    def slide(self, step: str, *, tick: int, plan: Plan) -> None:
        """Nothing is charged."""

    def ask(self, question: Any, truth: Any, /) -> Any:  # noqa: ANN401 - each question has its own
        """Draw."""
        question.check(truth)
        answer = question.draw(truth, self._source)
        if isinstance(question, HistogramQuestion):
            self.fresh.append((answer, question.spread))
        return answer


def methods(contexts: int, presence: Presence, world: World) -> dict[str, Any]:
    """The published methods and pace; the public guess at the number of people is right by order of magnitude."""
    fields: dict[str, Any] = {"contexts": contexts, "presence": presence}
    expected = 10 ** round(log10(max(float(world.truth.sum(axis=1).mean()), 1.0)))
    others = {} if presence is Presence.PUBLIC else {"BA": BudgetAbsorption(**fields)}
    return {
        "UNIFORM": Uniform(**fields),
        "Sample": Sample(**fields),
        "Adj": Republish(**fields),
        "MMD": Republish(**fields, strategy=Strategy.SIMILAR),
        "MA(3)": Republish(**fields, strategy=Strategy.AVERAGE, past=3),
        "MA(20)": Republish(**fields, strategy=Strategy.AVERAGE, past=20),
        **others,
        "pace": Pace(**fields, expected_people=expected),
    }


def released(
    method: Any,  # noqa: ANN401 - any method of streams
    epsilon: str,
    world: World,
    *,
    seen: Callable[[int, Fresh, int], None] = lambda _place, _fresh, _people: None,
) -> Reals:
    """One run over the whole stream; `seen` is told of the measurements of each timestamp, and of the people in it."""
    named, drawn = method.presence is Presence.PUBLIC, Drawn()
    mechanism = method.start(PureDP(epsilon), cells=world.truth.shape[1], wall=drawn)
    published = np.zeros(world.truth.shape)
    for place, moment in enumerate(world.moments(named=named)):
        drawn.fresh.clear()
        published[place] = mechanism.step(moment)
        seen(place, drawn.fresh, moment.users.size)
    return published / 16


def errors(world: World, published: Reals) -> Reals:
    """Mean absolute and mean relative error."""
    difference = np.abs(world.truth - np.maximum(published, 0))
    bound = np.maximum(world.truth, max(0.001 * world.truth.sum(axis=1).mean(), 1))
    return np.array([difference.mean(), (difference / bound).mean()])
