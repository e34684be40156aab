"""Small random streams, and an ask that writes down what was charged."""

from __future__ import annotations

import numpy as np

from tacita.streams.records import Moment
from tacita.testing import SeededSource

__all__ = ["Wall", "drawing", "random_moments"]


class Wall:
    """Stands in for an account: `answer` takes a question and the truth."""

    def __init__(self, answer):
        self.answer = answer

    def slide(self, step, *, tick, plan):
        pass

    def ask(self, question, truth):
        question.check(truth)
        return self.answer(question, truth)


def drawing(seed=0, log=None):
    """Answer from a seeded source; `log` gets every question with the truth and its answer."""
    source = SeededSource(seed)

    def answer(question, truth):
        found = question.draw(truth, source)
        if log is not None:
            log.append((question, truth, found))
        return found

    return Wall(answer)


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
