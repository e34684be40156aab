"""Simulated streams of other shapes than the real ones, for choosing constants of methods and for judging them.

Those in `TRIED` were looked at while pace was made: people who are always there, a power law with crowds, people who come and go
for good, people who are seldom there, cells that are dealt anew, equal cells by day. Those in `FRESH` were written before the
last change of pace and looked at after it only: pure chance in equal cells, wards with admissions, and shifts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tacita_papers.reproduce.data.streams import World

__all__ = ["FRESH", "TRIED"]

Places = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


def _world(there: Flags, cells: Places, size: int) -> World:
    """From who is there (timestamps by people), and the cell of each."""
    time, user = np.nonzero(there)
    cell = cells[time, user].astype(np.intp)
    steps = there.shape[0]
    return World(
        truth=np.bincount(time * size + cell, minlength=steps * size).reshape(steps, size).astype(np.int64),
        starts=np.searchsorted(time, np.arange(steps + 1)).astype(np.intp),
        users=user.astype(np.intp),
        cells=cell,
    )


def _moving(random: np.random.Generator, steps: int, people: int, weights: npt.NDArray[np.float64], stay: float) -> Places:
    """Everybody draws a cell by weight, and another one with probability 1 - stay at each timestamp."""
    cells = random.choice(weights.size, (steps, people), p=weights / weights.sum())
    kept = random.random((steps, people)) < stay
    for step in range(1, steps):
        cells[step] = np.where(kept[step], cells[step - 1], cells[step])
    return cells.astype(np.intp)


def _daylight(steps: int, period: int) -> npt.NDArray[np.float64]:
    """From 0 at night to 1 at noon."""
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(steps) / period)


def always() -> World:
    """500 people in 8 cells, by day in others than by night."""
    random = np.random.default_rng(1)
    day, night = (random.choice(8, 500, p=weights) for weights in (np.full(8, 1 / 8), np.arange(8, 0, -1) / 36))
    out = random.random((600, 500)) < _daylight(600, 48)[:, None]
    return _world(np.ones((600, 500), dtype=np.bool_), np.where(out, day, night).astype(np.intp), 8)


def crowds() -> World:
    """3,000 people in 400 cells by a power law; now and then a third of them gather in one cell."""
    random = np.random.default_rng(2)
    cells = _moving(random, 400, 3000, 1 / np.arange(1.0, 401), 0.9)
    for start in range(40, 400, 80):
        cells[start : start + 8, random.random(3000) < 0.3] = random.integers(400)
    return _world(random.random((400, 3000)) < 0.5, cells, 400)


def passing() -> World:
    """People who stay for 20 timestamps and never return, about 600 at a time, in 50 cells."""
    random = np.random.default_rng(3)
    steps, people = 400, 12_600
    since = random.integers(-20, steps, people)
    time = np.arange(steps)[:, None]
    cells = random.choice(50, people, p=(weights := random.lognormal(0, 1, 50)) / weights.sum())
    return _world((time >= since) & (time < since + 20), np.broadcast_to(cells, (steps, people)).astype(np.intp), 50)


def seldom() -> World:
    """20,000 people, each there at one timestamp in fifty, in 60 cells."""
    random = np.random.default_rng(4)
    home = random.choice(60, 20_000, p=(weights := random.lognormal(0, 1, 60)) / weights.sum())
    return _world(random.random((300, 20_000)) < 0.02, np.broadcast_to(home, (300, 20_000)).astype(np.intp), 60)


def dealt_anew() -> World:
    """1,000 people in 16 cells; every 50 timestamps the cells change places."""
    random = np.random.default_rng(5)
    cells = _moving(random, 600, 1000, 0.7 ** np.arange(16.0), 0.95)
    for start in range(0, 600, 50):
        cells[start : start + 50] = random.permutation(16)[cells[start : start + 50]]
    return _world(random.random((600, 1000)) < 0.8, cells, 16)


def equal_by_day() -> World:
    """400 people who are there by day only, in 40 nearly equal cells."""
    random = np.random.default_rng(6)
    cells = _moving(random, 700, 400, 1 + 0.1 * random.standard_normal(40), 0.8)
    return _world(random.random((700, 400)) < 0.7 * _daylight(700, 24)[:, None], cells, 40)


def by_chance() -> World:
    """2,000 people who are in any of 25 cells by chance alone, half of the time."""
    random = np.random.default_rng(11)
    return _world(random.random((500, 2000)) < 0.5, random.integers(0, 25, (500, 2000)).astype(np.intp), 25)


def wards() -> World:
    """About 400 patients in 30 wards of unequal size, who stay for 5 to 100 timestamps and are moved now and then."""
    random = np.random.default_rng(12)
    steps, people = 800, 6_000
    since = random.integers(-50, steps, people)
    time = np.arange(steps)[:, None]
    cells = _moving(random, steps, people, random.lognormal(0, 0.7, 30), 0.98)
    return _world((time >= since) & (time < since + random.integers(5, 101, people)), cells, 30)


def shifts() -> World:
    """1,500 workers of three shifts at 80 posts, some of which are closed at night."""
    random = np.random.default_rng(13)
    steps, shift = 720, np.arange(1500) % 3
    now = (np.arange(steps) // 8)[:, None] % 3
    cells = _moving(random, steps, 1500, random.pareto(1.5, 80) + 0.2, 0.97)
    cells = np.where((now == 2) & (cells % 4 == 0), (cells + 1) % 80, cells).astype(np.intp)
    return _world((shift == now) & (random.random((steps, 1500)) < 0.85), cells, 80)


TRIED: dict[str, Callable[[], World]] = {
    "always there": always,
    "power law, crowds": crowds,
    "come and go": passing,
    "seldom there": seldom,
    "changing cells": dealt_anew,
    "by day, equal cells": equal_by_day,
}

FRESH: dict[str, Callable[[], World]] = {"chance": by_chance, "wards": wards, "shifts": shifts}
