"""Hypothesis strategies that yield neighbouring pairs of private data."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import strategies as st

from tacita.networks import NetworkRecords
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.sequences import SequenceRecords
from tacita.sets import BasketRecords

LABELS = "ABCD"


def sequence_lists(*, labels: str = LABELS, longest: int = 5, most: int = 12) -> st.SearchStrategy[list[str]]:
    """Small data sets of sequences, each a text over the labels; empty sequences occur."""
    return st.lists(st.text(labels, max_size=longest), max_size=most)


def sequence_records(rows: list[str], *, labels: str = LABELS) -> SequenceRecords:
    """Records from texts."""
    return SequenceRecords.from_labels(rows, universe=Universe(labels))


@st.composite
def neighbouring_sequences(draw: st.DrawFn, *, labels: str = LABELS, longest: int = 5) -> tuple[SequenceRecords, SequenceRecords]:
    """Two data sets, the second with one sequence more, at any place."""
    rows, more = draw(_neighbouring_rows(labels, longest))
    return sequence_records(rows, labels=labels), sequence_records(more, labels=labels)


@st.composite
def _neighbouring_rows(draw: st.DrawFn, labels: str, longest: int) -> tuple[list[str], list[str]]:
    rows = draw(sequence_lists(labels=labels, longest=longest))
    extra = draw(st.text(labels, max_size=longest))
    place = draw(st.integers(0, len(rows)))
    return rows, [*rows[:place], extra, *rows[place:]]


def basket_records(rows: list[str], *, labels: str = LABELS) -> BasketRecords:
    """Baskets from texts: letters may come twice and in any order, and texts may be empty."""
    return BasketRecords.from_labels(rows, universe=Universe(labels))


@st.composite
def neighbouring_baskets(draw: st.DrawFn, *, labels: str = LABELS, longest: int = 5) -> tuple[BasketRecords, BasketRecords]:
    """Two data sets, the second with one basket more, at any place; that basket may hold nothing."""
    rows, more = draw(_neighbouring_rows(labels, longest))
    return basket_records(rows, labels=labels), basket_records(more, labels=labels)


def network_records(rows: list[str], *, labels: str = LABELS) -> NetworkRecords:
    """A network from texts: letters that follow each other are joined; beside them there are 30 vertices on a ring."""
    edges = [(first, second) for row in rows for first, second in pairwise(row)]
    others = [f"x{place}" for place in range(30)]
    edges += [(others[place], others[(place + step) % 30]) for place in range(30) for step in (1, 2)]
    return NetworkRecords.from_labels(edges, universe=Universe([*labels, *others]))


@st.composite
def neighbouring_networks(draw: st.DrawFn, *, labels: str = LABELS) -> tuple[NetworkRecords, NetworkRecords]:
    """Two networks, the second with one edge more."""
    pairs = list(combinations(labels, 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=len(pairs) - 1))
    extra = draw(st.sampled_from([pair for pair in pairs if pair not in edges]))
    made = [NetworkRecords.from_labels(each, universe=Universe(labels)) for each in (edges, [*edges, extra])]
    return made[0], made[1]


@st.composite
def taxonomies(draw: st.DrawFn, *, most: int = 6) -> Taxonomy:
    """Any tree over a few labels: of unequal depth, with nodes that have one child."""
    labels = "ABCDEFGH"[: draw(st.integers(1, most))]
    tops, edges = list(labels), []
    turns = draw(st.integers(1, 5))
    for turn in range(turns):
        group = draw(st.lists(st.sampled_from(tops), min_size=1, unique=True)) if turn < turns - 1 else list(tops)
        edges += [(member, f"group {turn}") for member in group]
        tops = [top for top in tops if top not in group] + [f"group {turn}"]
    return Taxonomy.from_edges(edges, universe=Universe(labels))
