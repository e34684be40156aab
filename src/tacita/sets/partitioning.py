"""Top-down partitioning of baskets along a taxonomy: the public order of splits, and the splitting, through an account.

The splitting is the only part of DiffPart that touches private data: it asks for counts, passes them to the account, and bases
every decision on noisy answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, overload

import numpy as np

from tacita.arrays import Booleans, Integers, Words
from tacita.arrays.ragged import Ragged, chosen, lexicographic_order, offsets_of
from tacita.arrays.rooted import Rooted
from tacita.counting import PartitionCounts
from tacita.errors import TooManyNodesError
from tacita.privacy.noise import passing_probability
from tacita.privacy.paths import Blocks, Paths, Terms
from tacita.public.taxonomy import Taxonomy

__all__ = ["Leaves", "Rule", "Split", "SplitOrder", "Splits", "partition"]


# The order in which partitions are split, and what each split asks. All of it is public.
#
# A partition is the baskets that have items below each node of its cut, and nowhere else. It is split at the inner node of its
# cut that has the largest height and, among those, comes first in the universe's order. A node is always higher than what lies
# below it, so all partitions of a run split at the inner nodes of the taxonomy in the same order.


@dataclass(frozen=True, kw_only=True)
class Split:
    """A split at one inner node: its children, labels first, each with the range of positions of the items below it.

    A mask says in which children a basket has items, bit i for child i; so masks below 2 ** `labels` contain labels only.
    """

    node: int
    height: int
    children: tuple[tuple[int, int], ...]
    labels: tuple[int, ...]
    inner: tuple[int, ...]
    """The inner children, by their position in the order of splits."""
    below: tuple[int, ...]
    """For each child, the number of inner nodes at and below it."""

    @property
    def masks(self) -> int:
        """The number of masks, including the empty one, which no basket can have."""
        return 1 << len(self.children)

    @property
    def label_masks(self) -> int:
        """The first mask that contains an inner child."""
        return 1 << len(self.labels)


class Splits(Sequence[Split]):
    """All splits of a taxonomy in their order; each is made when it is asked for, because a large universe has very many."""

    def __init__(self, tree: Rooted, labels: int) -> None:
        """Put the inner nodes, which come after the labels, into their order."""
        self._tree, self._labels = tree, labels
        self._inner = tree.sums((np.arange(len(tree)) >= labels).astype(np.int64))
        first = tree.minima(np.where(np.arange(len(tree)) < labels, np.arange(len(tree)), labels))
        self._nodes = labels + np.lexsort((first[labels:], -tree.heights[labels:]))
        self._turns = np.empty_like(self._nodes)
        self._turns[self._nodes - labels] = np.arange(self._nodes.size)

    def __len__(self) -> int:
        """The number of inner nodes."""
        return int(self._nodes.size)

    @overload
    def __getitem__(self, turn: int) -> Split: ...

    @overload
    def __getitem__(self, turn: slice) -> tuple[Split, ...]: ...

    def __getitem__(self, turn: int | slice) -> Split | tuple[Split, ...]:
        """The split at this place of the order, or several of them."""
        if isinstance(turn, slice):
            return tuple(self[place] for place in range(*turn.indices(len(self))))
        node, below, (begin, end) = int(self._nodes[turn]), self._tree.children, self._tree.ranges
        children = below.codes[below.offsets[node] : below.offsets[node + 1]]  # labels have the lowest numbers
        labels = int(np.searchsorted(children, self._labels))
        return Split(
            node=node,
            height=int(self._tree.heights[node]),
            children=tuple(zip(begin[children].tolist(), end[children].tolist(), strict=True)),
            labels=tuple(children[:labels].tolist()),
            inner=tuple(self._turns[children[labels:] - self._labels].tolist()),
            below=tuple(self._inner[children].tolist()),
        )

    def of_each_shape(self) -> tuple[Split, ...]:
        """One split for each height with that many labels and other children: what costs and thresholds depend on."""
        parents = self._tree.parents[: self._labels]
        labels = np.bincount(parents[parents >= 0], minlength=len(self._tree))
        shapes = np.column_stack([part[self._nodes] for part in (self._tree.heights, self._tree.widths, labels)])
        return tuple(self[int(turn)] for turn in np.sort(np.unique(shapes, axis=0, return_index=True)[1]))


class SplitOrder:
    """All splits of a taxonomy in their order, and the order of the items in which every node is a range."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        """The tree must have neither nodes with a single child nor very wide ones (see `Taxonomy.narrowed`)."""
        self.taxonomy = taxonomy
        self.item_at = taxonomy.tree.leaf_order
        self.place_of = taxonomy.tree.ranges[0][: len(taxonomy.universe)]
        self.splits = Splits(taxonomy.tree, len(taxonomy.universe))

    @property
    def last(self) -> Split:
        """The last split; if there is only one item, the only leaf."""
        return self.splits[-1] if self.splits else Split(node=0, height=0, children=((0, 1),), labels=(0,), inner=(), below=(0,))

    @property
    def most_children(self) -> int:
        """The largest number of children of a node."""
        return int(self.taxonomy.tree.widths.max())


# The splitting.


Progress = Callable[[int, int], None]

WORD = 64


class Rule(Protocol):
    """What a partition costs, and how large the noisy counts of its parts must be to be kept."""

    def parts(self, left: Fraction, operations: int) -> tuple[Fraction, Fraction]:
        """The costs of the next split and of a leaf, given the remaining budget and the largest number of splits left."""
        ...

    def thresholds(
        self, split: Split, *, is_last: bool, for_split: Fraction, for_leaf: Fraction
    ) -> tuple[int | None, int | None]:
        """The thresholds of partitions to be split further, and of leaves, which only a last split has; None if there is none."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Leaves:
    """Distinct sets of items with their noisy counts, in the order of the sets."""

    itemsets: Ragged
    counts: Integers


@dataclass(frozen=True, kw_only=True, eq=False)
class _Waiting:
    """Partitions that wait for one split: their node, the most splits that they need, and the other splits in their cut."""

    nodes: Integers
    operations: Integers
    rest: Words

    @classmethod
    def together(cls, parts: list[_Waiting]) -> _Waiting:
        nodes = np.concatenate([part.nodes for part in parts])
        order = np.argsort(nodes)
        return cls(
            nodes=nodes[order],
            operations=np.concatenate([part.operations for part in parts])[order],
            rest=np.concatenate([part.rest for part in parts])[order],
        )


@dataclass
class _History:
    """The split and the mask that produced each node of the paths."""

    parents: list[Integers] = field(default_factory=lambda: [np.full(1, -1, dtype=np.int64)])
    splits: list[Integers] = field(default_factory=lambda: [np.full(1, -1, dtype=np.int64)])
    masks: list[Integers] = field(default_factory=lambda: [np.zeros(1, dtype=np.int64)])
    leaves: list[Integers] = field(default_factory=lambda: [np.zeros(0, dtype=np.int64)])
    counts: list[Integers] = field(default_factory=lambda: [np.zeros(0, dtype=np.int64)])


def partition(
    counter: PartitionCounts,
    paths: Paths,
    order: SplitOrder,
    rule: Rule,
    *,
    max_partitions: int,
    progress: Progress | None = None,
) -> Leaves:
    """Split until only leaves are left; `progress` is called after each split of the taxonomy."""
    if not order.splits:
        return _only_item(counter, paths, order.last, rule)
    words = -(-len(order.splits) // WORD)
    first = _Waiting(
        nodes=np.zeros(1, dtype=np.int64),
        operations=np.array([len(order.splits)], dtype=np.int64),
        rest=np.zeros((1, words), dtype=np.uint64),
    )
    waiting: defaultdict[int, list[_Waiting]] = defaultdict(list, {0: [first]})
    history, kept = _History(), 0
    for turn in range(len(order.splits)):
        if turn in waiting:
            here = _Waiting.together(waiting.pop(turn))
            further = _split(counter, paths, order.splits[turn], turn, here, rule, history, most=max_partitions - kept)
            kept += history.parents[-1].size
            _require(kept, most=max_partitions)
            for next_turn, part in _by_next_split(further):
                waiting[next_turn].append(part)
        if progress is not None:
            progress(turn + 1, len(order.splits))
    return _leaves(history, order)


def _require(partitions: float, *, most: int) -> None:
    """Stop before memory runs out; the decision depends only on noisy or public numbers."""
    if partitions > most:
        message = (
            "the noise would leave more partitions and baskets than max_partitions allows; use the default threshold, "
            "a smaller fan-out or a larger epsilon, or raise max_partitions"
        )
        raise TooManyNodesError(message)


def _expected_false(blocks: Blocks) -> float:
    """The most empty masks that pass on average."""
    passing = np.array([passing_probability(terms.epsilon, terms.threshold or 1) for terms in blocks.table])
    return float((passing[blocks.terms] * blocks.sizes).sum())


def _only_item(counter: PartitionCounts, paths: Paths, alone: Split, rule: Rule) -> Leaves:
    """A universe of one item: every basket is the same leaf, which gets everything."""
    everything = paths.left(np.zeros(1, dtype=np.int64))[0]
    least = rule.thresholds(alone, is_last=True, for_split=everything, for_leaf=everything)[1]
    one = np.zeros(1, dtype=np.int64)
    blocks = Blocks(nodes=one, sizes=one + 1, terms=one, table=(Terms(epsilon=everything, threshold=least),))
    places, masks, counts = counter.counts(alone.children, one)
    kept = paths.ask(blocks, places=places, cells=masks - 1, counts=counts)
    return Leaves(itemsets=Ragged.from_lists([[0]] * kept.values.size), counts=kept.values)


def _split(  # noqa: PLR0913, PLR0917 - who asks, who answers, and what is asked
    counter: PartitionCounts,
    paths: Paths,
    split: Split,
    turn: int,
    here: _Waiting,
    rule: Rule,
    history: _History,
    *,
    most: int,
) -> _Waiting:
    """Ask about all partitions waiting at this split; return those to be split further, record leaves in the history."""
    has_rest = (here.rest != 0).sum(axis=1) > 0
    blocks, first_mask, is_leaf, owner = _blocks(paths, split, here, has_rest, rule)
    _require(_expected_false(blocks), most=most)
    first_block = np.searchsorted(owner, np.arange(here.nodes.size))
    places, masks, counts = counter.counts(split.children, here.nodes)
    asked = first_block[places]
    second = ~has_rest[places] & (masks >= split.label_masks) & (len(split.labels) > 0)
    asked = asked + second
    kept = paths.ask(blocks, places=asked, cells=masks - first_mask[asked], counts=counts)
    kept_masks, kept_owners = kept.cells + first_mask[kept.blocks], owner[kept.blocks]
    history.parents.append(here.nodes[kept_owners])
    history.splits.append(np.full(kept.nodes.size, turn, dtype=np.int64))
    history.masks.append(kept_masks)
    leaf = is_leaf[kept.blocks]
    history.leaves.append(kept.nodes[leaf])
    history.counts.append(kept.values[leaf])
    on = ~leaf
    counter.keep(split.children, here.nodes, kept=kept_owners[on] * split.masks + kept_masks[on], become=kept.nodes[on])
    return _further(split, here, kept.nodes[on], kept_owners[on], kept_masks[on])


def _blocks(
    paths: Paths, split: Split, here: _Waiting, has_rest: Booleans, rule: Rule
) -> tuple[Blocks, Integers, Booleans, Integers]:
    """The blocks of all partitions, with the first mask, whether it is of leaves, and the partition of each.

    A partition with items at other inner nodes asks one block, of all masks; any other asks separately about the masks that hold
    labels only, which are leaves. Either way the blocks of a partition follow each other in the order of masks.
    """
    codes, amounts = paths.amounts(here.nodes)
    table: dict[Terms, int] = {}
    prices: dict[tuple[int, int, bool], tuple[int, int]] = {}
    node_terms, leaf_terms = np.zeros((2, here.nodes.size), dtype=np.int64)
    for place, known in enumerate(zip(codes.tolist(), here.operations.tolist(), has_rest.tolist(), strict=True)):
        if known not in prices:
            for_split, for_leaf = rule.parts(amounts[known[0]], known[1])
            go_on, end = rule.thresholds(split, is_last=not known[2], for_split=for_split, for_leaf=for_leaf)
            prices[known] = (
                -1 if go_on is None else table.setdefault(Terms(epsilon=for_split, threshold=go_on), len(table)),
                -1 if end is None else table.setdefault(Terms(epsilon=for_leaf, threshold=end), len(table)),
            )
        node_terms[place], leaf_terms[place] = prices[known]
    owner = np.repeat(np.arange(here.nodes.size), 2)
    is_leaf = np.tile([True, False], here.nodes.size)
    terms = np.stack([leaf_terms, node_terms], axis=1).reshape(-1)
    first_mask = np.where(is_leaf | has_rest[owner], 1, split.label_masks)
    end_mask = np.where(is_leaf, split.label_masks, split.masks)
    there = terms >= 0
    blocks = Blocks(nodes=here.nodes[owner[there]], sizes=(end_mask - first_mask)[there], terms=terms[there], table=tuple(table))
    return blocks, first_mask[there], is_leaf[there], owner[there]


def _further(split: Split, here: _Waiting, nodes: Integers, owners: Integers, masks: Integers) -> _Waiting:
    """The kept partitions with the splits they still need: those of their owner elsewhere, and those below their mask."""
    operations = here.operations[owners] - 1 - sum(split.below)
    rest = here.rest[owners]
    for bit, below in enumerate(split.below):
        operations += below * (masks >> bit & 1)
    for bit, turn in enumerate(split.inner, start=len(split.labels)):
        rest[:, turn // WORD] |= (masks >> bit & 1).astype(np.uint64) << np.uint64(turn % WORD)
    return _Waiting(nodes=nodes, operations=operations, rest=rest)


def _by_next_split(further: _Waiting) -> list[tuple[int, _Waiting]]:
    """Partitions by the first split at which they have items, which is removed from the rest."""
    if not further.nodes.size:
        return []
    word = np.argmax(further.rest != 0, axis=1)
    rows = np.arange(further.nodes.size)
    bits = further.rest[rows, word]
    lowest = bits & (~bits + np.uint64(1))
    turn = word * WORD + np.bitwise_count(lowest - np.uint64(1)).astype(np.int64)
    rest = further.rest.copy()
    rest[rows, word] = bits & ~lowest
    return [
        (which, _Waiting(nodes=further.nodes[here], operations=further.operations[here], rest=rest[here]))
        for which in np.unique(turn).tolist()
        for here in [turn == which]
    ]


def _leaves(history: _History, order: SplitOrder) -> Leaves:
    """The items of each leaf, from the masks on the way to it, in the order of the sets."""
    parents, splits, masks = (np.concatenate(part) for part in (history.parents, history.splits, history.masks))
    leaves, counts = np.concatenate(history.leaves), np.concatenate(history.counts)
    turns, splits = np.unique(splits, return_inverse=True)
    label_at = np.full((turns.size, order.most_children), -1, dtype=np.int64)
    for row, turn in enumerate(turns[1:].tolist(), start=1):  # the first is that of the root, which no split produced
        labels = order.splits[turn].labels
        label_at[row, : len(labels)] = labels
    owners, items = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    which, node = np.arange(leaves.size), leaves
    while node.size:
        for bit in range(order.most_children):
            labels = label_at[splits[node], bit]
            chosen = (labels >= 0) & (masks[node] >> bit & 1 == 1)
            owners.append(which[chosen])
            items.append(labels[chosen])
        node = parents[node]
        which, node = which[node > 0], node[node > 0]
    return _sorted(np.concatenate(owners), np.concatenate(items), counts)


def _sorted(owners: Integers, items: Integers, counts: Integers) -> Leaves:
    """Sets from pairs of set and item, each in increasing order, and the sets in the order of their items."""
    codes = items[np.lexsort((items, owners))].astype(np.int32)
    sets = Ragged(codes, offsets_of(np.bincount(owners, minlength=counts.size)))
    order = lexicographic_order(sets)
    return Leaves(itemsets=chosen(sets, order), counts=counts[order])
