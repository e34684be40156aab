"""All experiments, by id."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from tacita.errors import ParameterError
from tacita_papers.reproduce.experiment import Experiment

__all__ = ["CHAPTERS", "Chapter", "chosen_experiments", "experiments"]


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A module of `papers`: what it is about in a paragraph, what is wrong in its print, and the picture that stands for it.

    `shows` is the experiment of that picture, `series` the method that the paper proposes, `product` what Tacita chooses instead.
    """

    title: str
    about: str
    errata: tuple[str, ...]
    shows: str
    data: str
    series: str
    product: str
    panel: str = ""


CHAPTERS = {
    "hybrid_trees": Chapter(
        title="Hybrid prefix trees (KDD 2012; thesis, section 6.3)",
        about=(
            "The paper counts prefixes of trips with noise, asking for lines before stations. Its guarantee holds if the "
            "universe is public; its threshold lets false prefixes multiply, so a simple tree as printed does not end on "
            "large universes. The product publishes such data with `raked`, which measures short patterns and starts, and "
            "does not lose what is rare at the second level."
        ),
        errata=(
            "A universe that is taken from the data shows who is there (guarantee)",
            "The printed threshold lets false nodes multiply (utility)",
        ),
        shows="000-T3",
        data="Metro",
        series="Hybrid",
        product="raked",
    ),
    "simple_trees": Chapter(
        title="Simple prefix trees",
        about=(
            "The paper grows a tree of prefixes level by level and makes its counts consistent. As printed it has 30 false "
            "children a node on its own 1,012 stations, so it cannot be run there; ours has a threshold under which false "
            "nodes die out."
        ),
        errata=(
            "The printed threshold lets false nodes multiply (utility)",
            '"It is easy to see that the constraints are respected" (utility)',
        ),
        shows="004-T3",
        data="STM",
        series="Full",
        product="raked",
    ),
    "partitions": Chapter(
        title="Sets by partitioning (thesis, chapter 4)",
        about=(
            "DiffPart splits baskets along a taxonomy and follows the parts with large noisy counts. As printed it costs up "
            "to twelve times the budget that it claims; corrected, it is as accurate on real data. The product measures "
            "itemsets of few items instead."
        ),
        errata=(
            "Algorithm 4.2 tests one empty partition too many (guarantee)",
            '"C2 slightly greater than 1" does not prune (utility)',
        ),
        shows="001-F4.3",
        data="MSNBC",
        series="DiffPart",
        product="itemset-counts",
        panel="epsilon 1",
    ),
    "suppression": Chapter(
        title="Trajectories by suppression (thesis, chapter 5)",
        about=(
            "Nobody who knows L pairs of a place and a time may find fewer than K people. The printed check of a local step "
            "lets a quarter of small databases end in a violation; ours is sound. The product packs what can stay instead "
            "of removing what must go."
        ),
        errata=(
            "Algorithm 5.2 lets a violation through for L = 3 (guarantee)",
            "Scores of Algorithm 5.3 go stale, which breaks even L = 2 (guarantee)",
        ),
        shows="001-F5.2",
        data="Oyster",
        series="KCL-Local",
        product="packing",
        panel="instances",
    ),
    "grams": Chapter(
        title="Variable-length n-grams (thesis, section 6.4)",
        about=(
            "The thesis counts n-grams adaptively and makes sequences from them as a Markov model. Two readings of it "
            "overspend; corrected, most of its claims hold on real data. The product's `raked` follows the same idea "
            "without its two parameters."
        ),
        errata=(
            "The end symbol as a unigram raises the sensitivity (guarantee)",
            "Heights that are not rounded up spend more than there is (guarantee)",
        ),
        shows="001-T6.10",
        data="MSNBC",
        series="N-gram",
        product="raked",
        panel="epsilon 1",
    ),
    "dense_regions": Chapter(
        title="Networks by dense regions (thesis, chapter 7)",
        about=(
            "DER splits the adjacency matrix and arranges edges in dense regions. An edge lies in two mirrored regions, so "
            "as printed it costs twice what it claims, and even then its printed errors are out of reach. The product's "
            "`shape` measures degrees and wires a network that has them."
        ),
        errata=(
            "An edge lies in two mirrored regions (guarantee)",
            "Rejecting diagonal cells inside a group of equal scores (guarantee)",
        ),
        shows="001-T7.2",
        data="ca-GrQc",
        series="DER",
        product="shape",
    ),
    "contexts": Chapter(
        title="Streams under m-context privacy",
        about=(
            "The paper republishes an old histogram where little has changed. Its best strategy searches the closest one "
            "without noise, which is not private, and even so an empty stream is nearer to the truth on its own data. The "
            "product measures seldom and well, and filters in between."
        ),
        errata=(
            "Searching the closest past release without noise (guarantee)",
            "Equation 7 has m where the number of cells belongs (guarantee)",
        ),
        shows="002-F2",
        data="GeoLife by quarter of an hour",
        series="MMD",
        product="pace",
    ),
    "hidden_patterns": Chapter(
        title="Hiding patterns of one person's sequence",
        about=(
            "The paper generalises symbols until little can be learnt about sensitive patterns. Its measure is no mutual "
            "information and can fall when more is shown; measured on tuples, the searches behave much as printed. The "
            "product takes the best of all searches."
        ),
        errata=(
            "The measure is not a mutual information (guarantee)",
            "Absolute bounds mean nothing for rare patterns (guarantee)",
        ),
        shows="003-F4",
        data="MSNBC",
        series="top-down",
        product="best",
        panel="loss, linear",
    ),
}
"""The modules of `papers`, in the order of the catalogue."""


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
