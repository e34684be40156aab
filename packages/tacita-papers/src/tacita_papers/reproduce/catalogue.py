"""All experiments, by id."""

from __future__ import annotations

from importlib import import_module

from tacita.errors import ParameterError
from tacita_papers.reproduce.experiment import Experiment

__all__ = ["CHAPTERS", "chosen_experiments", "experiments"]

CHAPTERS = {
    "hybrid_trees": "Hybrid prefix trees (KDD 2012; thesis, section 6.3)",
    "simple_trees": "Simple prefix trees",
    "partitions": "Sets by partitioning (thesis, chapter 4)",
    "suppression": "Trajectories by suppression (thesis, chapter 5)",
    "grams": "Variable-length n-grams (thesis, section 6.4)",
    "dense_regions": "Networks by dense regions (thesis, chapter 7)",
    "contexts": "Streams under m-context privacy",
    "hidden_patterns": "Hiding patterns of one person's sequence",
}
"""The modules of `papers`, in the order of the catalogue, with what they are about."""


def experiments() -> dict[str, Experiment]:
    """Every experiment by its id."""
    found = [each for name in CHAPTERS for each in of_chapter(name)]
    return {each.id: each for each in found}


def of_chapter(name: str) -> tuple[Experiment, ...]:
    """The experiments of one module."""
    told: tuple[Experiment, ...] = import_module(f"tacita_papers.reproduce.papers.{name}").EXPERIMENTS
    return told


def chosen_experiments(names: list[str]) -> list[Experiment]:
    """The experiments with these ids, or whose id begins so; all if nothing is named."""
    every = experiments()
    if not names:
        return list(every.values())
    for name in names:
        if not any(each.startswith(name) for each in every):
            message = f"an experiment must be one that `tacita reproduce --list` shows, or the beginning of some; got {name!r}"
            raise ParameterError(message)
    exact, beginnings = {name for name in names if name in every}, tuple(name for name in names if name not in every)
    return [each for each in every.values() if each.id in exact or (beginnings and each.id.startswith(beginnings))]
