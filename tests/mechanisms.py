"""One entry for each mechanism of the product, with what the contract suite needs to sweep over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from people import neighbouring_people, people_lists, people_records
from strategies import (
    basket_records,
    neighbouring_baskets,
    neighbouring_networks,
    neighbouring_sequences,
    network_records,
    sequence_lists,
    sequence_records,
)
from tables import neighbouring_tables, table_lists, table_records
from tacita.arrays.ragged import Ragged
from tacita.kinds import methods
from tacita.networks import DegreeNetwork, DenseRegions, ShapeNetwork
from tacita.people import ByClass
from tacita.privacy.budget import ApproxDP, Budget, PureDP
from tacita.public.taxonomy import Taxonomy
from tacita.sequences import Itineraries, NGram, PrefixTree, PrivateLength, Raked
from tacita.sets import DiffPart, FlatHistogram, ItemsetCounts, StableHistogram
from tacita.tables import Independent, Marginals, TopDown
from tacita_papers import DegreeGenerator, FrequentStrings, LaplaceNetwork, PrivGraph, RandomNetwork, TopFilter


@dataclass(frozen=True, kw_only=True)
class DataKind:
    """Ways to make data of a kind, and in which order it is published."""

    records: Callable[[list[str]], Any]
    rows: Any
    pairs: Any
    lists: Callable[[Any], Ragged]
    order: Callable[[list[int]], Any]


KINDS = {
    "sequences": DataKind(
        records=sequence_records,
        rows=sequence_lists(),
        pairs=neighbouring_sequences(),
        lists=lambda held: held.sequences,
        order=lambda row: (len(row), row),
    ),
    "sets": DataKind(
        records=basket_records,
        rows=sequence_lists(),
        pairs=neighbouring_baskets(),
        lists=lambda held: held.baskets,
        order=lambda row: row,
    ),
    "tables": DataKind(
        records=table_records,
        rows=sequence_lists(),
        pairs=neighbouring_tables(),
        lists=table_lists,
        order=lambda row: row,
    ),
    "people": DataKind(
        records=people_records,
        rows=sequence_lists(),
        pairs=neighbouring_people(),
        lists=people_lists,
        order=lambda row: row,
    ),
    "networks": DataKind(
        records=network_records,
        rows=sequence_lists(),
        pairs=neighbouring_networks(),
        lists=lambda held: held.edges,
        order=lambda row: row,
    ),
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A mechanism with small parameters and a budget, to be tried on data of its kind."""

    name: str
    mechanism: Any
    budget: Budget
    is_adaptive: bool = False
    """Whether earlier answers decide by which steps the rest of the budget is spent."""

    @property
    def kind(self) -> DataKind:
        """What there is for data of the kind that the method takes."""
        return KINDS[methods()[self.name].kind]

    @property
    def refused(self) -> Budget:
        """A budget in a definition that the mechanism does not prove."""
        return PureDP("1") if self.budget.delta else ApproxDP("1", "1e-6")

    def records(self, rows: list[str]) -> Any:
        """Private records from texts over the labels A to D."""
        return self.kind.records(rows)

    def lists(self, held: Any) -> Ragged:
        """What records, or published data, hold."""
        return self.kind.lists(held)


GROUPS = Taxonomy.from_edges([("A", "*"), ("B", "BCD"), ("C", "CD"), ("D", "CD"), ("CD", "BCD"), ("BCD", "*")])

CASES = [
    Case(name="shape", mechanism=ShapeNetwork(), budget=PureDP("2")),
    Case(name="shape", mechanism=ShapeNetwork(correlated_edges=3), budget=PureDP("1")),
    Case(name="degree", mechanism=DegreeNetwork(), budget=PureDP("2")),
    Case(name="der", mechanism=DenseRegions(), budget=PureDP("2"), is_adaptive=True),
    Case(name="random", mechanism=RandomNetwork(), budget=PureDP("0.2")),
    Case(name="laplace", mechanism=LaplaceNetwork(), budget=PureDP("1")),
    Case(name="tmf", mechanism=TopFilter(), budget=PureDP("2")),
    Case(name="dgg", mechanism=DegreeGenerator(), budget=PureDP("2")),
    Case(name="privgraph", mechanism=PrivGraph(), budget=PureDP("2")),
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=3),
        budget=PureDP("2"),
    ),
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=2, threshold="published"),
        budget=PureDP("1/3"),
    ),
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=3, taxonomy=GROUPS, with_counts=True),
        budget=PureDP("3"),
    ),
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=3, lost="continue", inference="corrected"),
        budget=PureDP("5/2"),
    ),
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=PrivateLength(longest=4, share="1/8")),
        budget=PureDP("4"),
        is_adaptive=True,
    ),
    Case(name="ffs", mechanism=FrequentStrings(length=2), budget=PureDP("2")),
    Case(name="ngram", mechanism=NGram(max_length=4, max_gram=3), budget=PureDP("20"), is_adaptive=True),
    Case(
        name="ngram",
        mechanism=NGram(max_length=4, max_gram=3, allocation="level-wise"),
        budget=PureDP("20"),
        is_adaptive=True,
    ),
    Case(
        name="itinerary", mechanism=Itineraries(max_length=4, max_gram=3, with_counts=True), budget=PureDP("20"), is_adaptive=True
    ),
    Case(name="raked", mechanism=Raked(max_length=4, with_counts=True), budget=PureDP("20"), is_adaptive=True),
    Case(
        name="ngram",
        mechanism=NGram(max_length=3, max_gram=2, synthesis="joined", threshold="published", with_grams=True),
        budget=PureDP("9"),
        is_adaptive=True,
    ),
    Case(
        name="ngram",
        mechanism=NGram(max_length=PrivateLength(longest=4, share="1/8"), max_gram=2, allocation="uniform", missing="zero"),
        budget=PureDP("16"),
        is_adaptive=True,
    ),
    Case(name="diffpart", mechanism=DiffPart(fan_out=2), budget=PureDP("2"), is_adaptive=True),
    Case(name="itemset-counts", mechanism=ItemsetCounts(), budget=PureDP("5/2"), is_adaptive=True),
    Case(name="itemset-counts", mechanism=ItemsetCounts(max_core=2, with_counts=True), budget=PureDP("2"), is_adaptive=True),
    Case(name="diffpart", mechanism=DiffPart(fan_out=3, threshold="authors"), budget=PureDP("3"), is_adaptive=True),
    Case(name="diffpart", mechanism=DiffPart(fan_out=2, allocation="equal"), budget=PureDP("2"), is_adaptive=True),
    Case(name="diffpart", mechanism=DiffPart(taxonomy=GROUPS), budget=PureDP("5/2"), is_adaptive=True),
    Case(name="histogram", mechanism=FlatHistogram(), budget=PureDP("1")),
    Case(name="histogram", mechanism=FlatHistogram(expected_records=1000), budget=PureDP("1/2")),
    Case(name="histogram", mechanism=FlatHistogram(threshold="none"), budget=PureDP("1/2")),
    Case(name="stable-histogram", mechanism=StableHistogram(), budget=ApproxDP("1", "1e-9")),
    Case(name="marginals", mechanism=Marginals(), budget=PureDP("3"), is_adaptive=True),
    Case(name="marginals", mechanism=Marginals(target="last"), budget=PureDP("20"), is_adaptive=True),
    Case(name="marginals", mechanism=Marginals(), budget=ApproxDP("3", "1e-9"), is_adaptive=True),
    Case(name="independent", mechanism=Independent(), budget=PureDP("2"), is_adaptive=True),
    Case(name="by-class", mechanism=ByClass(), budget=PureDP("4"), is_adaptive=True),
    Case(name="top-down", mechanism=TopDown(splits=4, share="1/3"), budget=PureDP("2"), is_adaptive=True),
    Case(name="top-down", mechanism=TopDown(splits=2, score="balance"), budget=PureDP("3"), is_adaptive=True),
]
