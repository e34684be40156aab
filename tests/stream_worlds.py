"""Small random streams, and an ask that writes down what was charged."""

from __future__ import annotations

import numpy as np

from tacita.streams.moments import Moment
from tacita.testing import SeededSource

__all__ = ["drawing", "random_moments"]


def drawing(seed=0, log=None):
    """Answer from a seeded source; `log` gets every question with its answer."""
    source = SeededSource(seed)

    def ask(question, truth):
        answer = question.draw(truth, source)
        if log is not None:
            log.append((question, truth, answer))
        return answer

    return ask


def random_moments(seed, *, steps=60, people=12, cells=4):
    """Late entrants, gaps, empty timestamps, and one person who is there twice only."""
    generator = np.random.default_rng(seed)
    enters = generator.integers(0, steps // 2, people)
    chance = generator.choice([0.1, 0.6, 1.0], people)
    for place in range(steps):
        there = (place >= enters) & (generator.random(people) < chance)
        if generator.random() < 0.1:
            there[:] = False
        users = np.flatnonzero(there)
        yield Moment(place=place, users=users, cells=generator.integers(0, cells, users.size), size=cells)
