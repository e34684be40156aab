"""Adj, MMD and MA(k) as the streams paper prints them. NOT PRIVATE: the closest past release is searched without noise.

The noise of a distance has m where the number of cells belongs, as printed. Two things are as corrected, since as printed nothing
runs: a publication has the noise of its own share, and the shares of distances are not added to the ledger of publications, which
would be negative from the fourth one on.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from tacita.arrays import Reals
from tacita.seeded import public_generator
from tacita_papers.reproduce.data.streams import World

__all__ = ["PAST", "printed_stream"]

PAST = {"Adj": 1, "MMD": None, "MA(3)": 3, "MA(20)": 20}
"""How many past releases each strategy looks at: the last one, all of them, or means of the last ones."""


def printed_stream(series: str, contexts: int, epsilon: float, world: World, run: int) -> Reals:
    """One run over the whole stream."""
    generator, truth = public_generator(run), world.truth.astype(np.float64)
    if world.users is None or world.starts is None:
        message = "a ledger for each person needs a stream that names people"
        raise ValueError(message)
    for_distance = epsilon / (2 * contexts)
    spent = np.zeros(int(world.users.max()) + 1)
    windows: list[deque[float]] = [deque(maxlen=max(contexts - 1, 1)) for _ in spent]
    published: list[Reals] = []
    for place, counts in enumerate(truth):
        users = world.users[world.starts[place] : world.starts[place + 1]]
        share = max(0.0, (epsilon / 2 - spent[users].max(initial=0.0)) / 2)
        past = _past(series, published)
        repeats = not share
        if past:
            distances = np.array([np.abs(counts - each).mean() for each in past])
            nearest = int(np.argmin(distances))
            repeats |= bool(distances[nearest] + generator.laplace(0, 2 / (contexts * for_distance / 2)) <= 2 / max(share, 1e-12))
        if repeats:
            published.append(past[nearest] if past else np.zeros(counts.size))
        else:
            published.append(counts + generator.laplace(0, 2 / share, counts.size))
        for user in users.tolist():
            window, paid = windows[user], 0.0 if repeats else share
            spent[user] += paid - (window[0] if len(window) == window.maxlen else 0.0)
            window.append(paid)
    return np.array(published)


def _past(series: str, published: list[Reals]) -> list[Reals]:
    """What may stand for a timestamp."""
    most = PAST[series]
    if most is None or most == 1:
        return published if most is None else published[-1:]
    return [np.mean(published[-number:], axis=0) for number in range(1, min(most, len(published)) + 1)]
