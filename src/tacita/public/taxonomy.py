"""Taxonomies: one public tree over a universe, given, balanced, or made of bins of equal width.

Every label of the universe is one leaf, every other node has children, every node but the root has exactly one parent. A label
with two parents would be counted twice below the root and break parallel composition, so it is refused, like cycles and
orphans.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from tacita.arrays.ragged import chosen
from tacita.arrays.rooted import Families, Rooted, groups_needed
from tacita.errors import TaxonomyError
from tacita.public.parameters import instance_of
from tacita.public.universe import Universe, digest_of, public_text, require_universe

__all__ = ["ROOT", "Taxonomy", "equal_width_bins", "require_taxonomy"]

ROOT = "*"


@dataclass(frozen=True)
class Taxonomy:
    """A tree whose leaves are the labels of a universe: node i below `len(universe)` is label i, the others are inner.

    >>> lines = Taxonomy.from_edges([("Berri", "green"), ("Peel", "green"), ("Snowdon", "orange")])
    >>> [lines.name(node) for node in lines.children(lines.root)]
    ['green', 'orange']
    """

    universe: Universe
    inner_names: tuple[str, ...]
    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check that this is one tree and that its leaves are the universe."""
        require_universe(self.universe)
        for part in (self.inner_names, self.parents):
            instance_of(part, tuple, name="names and parents of a taxonomy")
        if len(self.parents) != len(self.universe) + len(self.inner_names):
            message = f"a taxonomy needs one parent per node, got {len(self.parents)}"
            raise TaxonomyError(message)
        tops = np.flatnonzero(self.tree.parents < 0).tolist()
        if len(tops) != 1:
            names = ", ".join(repr(self.name(node)) for node in tops[:3])
            message = (
                f"a taxonomy must have one root, got {len(tops)}{': ' + names if names else ', so its parents form a cycle'}"
            )
            raise TaxonomyError(message)
        if sum(level.size for level in self.tree.levels) < len(self.parents):
            self._refuse_cycle()
        is_label = np.arange(len(self.parents)) < len(self.universe)
        for node in np.flatnonzero(is_label == (self.tree.widths > 0))[:1].tolist():
            if node < len(self.universe):
                below = self.name(self.children(node)[0])
                message = f"a label of the universe must be a leaf, but {self.name(node)!r} has {below!r} below it"
            else:
                message = f"every leaf must be a label of the universe, but the leaf {self.name(node)!r} is not"
            raise TaxonomyError(message)

    def _refuse_cycle(self) -> None:
        """Name a node that is above itself: one that is met twice on the way up from a node that the root does not reach."""
        reached = np.zeros(len(self.parents), dtype=np.bool_)
        reached[np.concatenate(self.tree.levels)] = True
        node, met = int(np.argmin(reached)), set[int]()
        while node not in met:
            met.add(node)
            node = self.parents[node]
        message = f"the parents of a taxonomy must not form a cycle, but {self.name(node)!r} is above itself"
        raise TaxonomyError(message)

    @cached_property
    def tree(self) -> Rooted:
        """The tree as arrays, for what concerns all nodes."""
        return Rooted(np.array(self.parents, dtype=np.int64))

    @classmethod
    def from_edges(cls, edges: Iterable[tuple[str, str]], *, universe: Universe | None = None) -> Taxonomy:
        """Build from (child, parent) pairs; nodes without a parent hang below one root named `*`.

        Without a universe, the labels are the children that are nobody's parent, in the order of their first appearance.
        """
        parent_of: dict[str, str] = {}
        for child, parent in edges:
            if parent_of.setdefault(child, parent) != parent:
                message = f"a node must have one parent, but {child!r} has two: {parent_of[child]!r} and {parent!r}"
                raise TaxonomyError(message)
        inner = dict.fromkeys(parent_of.values())
        if universe is None:
            labels = [child for child in parent_of if child not in inner]
            if not labels:
                message = "a taxonomy must have leaves, but every node is above another: its parents form a cycle"
                raise TaxonomyError(message)
            universe = Universe(labels)
        for label in universe.labels:
            if label not in parent_of:
                message = f"every label of the universe must have a place in the taxonomy, but {label!r} has no parent"
                raise TaxonomyError(message)
        names = [name for name in dict.fromkeys([*inner, *parent_of]) if name not in universe]
        tops = [name for name in names if name not in parent_of]
        if len(tops) > 1:
            if ROOT in names:
                message = f"the name {ROOT!r} is reserved for the root; give that node another name"
                raise TaxonomyError(message)
            parent_of |= dict.fromkeys(tops, ROOT)
            names.append(ROOT)
        places = {name: place for place, name in enumerate([*universe.labels, *names])}
        parents = tuple(places[parent_of[name]] if name in parent_of else -1 for name in places)
        return cls(universe, tuple(names), parents)

    @classmethod
    def from_columns(cls, rows: Iterable[Sequence[str]], *, universe: Universe | None = None) -> Taxonomy:
        """Build from rows of columns that go from fine to coarse: label, group, group of groups and so on."""
        edges: dict[tuple[str, str], None] = {}
        for row in rows:
            edges |= dict.fromkeys(pairwise(row))
        return cls.from_edges(edges, universe=universe)

    @classmethod
    def read(cls, path: str | Path, *, child: str, parent: str, universe: Universe | None = None) -> Taxonomy:
        """Read (child, parent) pairs from two named columns of a CSV file."""
        return cls.read_columns(path, columns=(child, parent), universe=universe)

    @classmethod
    def read_columns(cls, path: str | Path, *, columns: Sequence[str], universe: Universe | None = None) -> Taxonomy:
        """Read named columns of a CSV file that go from fine to coarse."""
        reader = csv.DictReader(io.StringIO(public_text(path, what="taxonomy", error=TaxonomyError), newline=""))
        missing = [column for column in columns if column not in (reader.fieldnames or [])]
        if missing:
            message = f"the taxonomy {str(path)!r} must have the columns {', '.join(columns)}; {', '.join(missing)} is missing"
            raise TaxonomyError(message)
        rows = [[(row[column] or "").strip() for column in columns] for row in reader]
        for line, row in enumerate(rows, start=2):
            if not all(row):
                message = f"the taxonomy {str(path)!r} must have a name in each column, line {line} lacks one"
                raise TaxonomyError(message)
        return cls.from_columns(rows, universe=universe)

    @classmethod
    def flat(cls, universe: Universe) -> Taxonomy:
        """Every label right below the root."""
        return cls(universe, (ROOT,), (*[len(universe)] * len(universe), -1))

    @classmethod
    def balanced(cls, universe: Universe, *, fan_out: int) -> Taxonomy:
        """Group consecutive labels by `fan_out`, then the groups, up to one root; a node left alone moves up as it is.

        >>> tree = Taxonomy.balanced(Universe("abcde"), fan_out=2)
        >>> [tree.depth(label) for label in range(5)]
        [3, 3, 3, 3, 1]
        """
        _check_fan_out(fan_out)
        labels = np.arange(len(universe))
        sizes = np.array([labels.size])
        parents = np.full(labels.size + int(groups_needed(sizes, fan_out, most=1)[0]), -1)
        Families(members=labels, sizes=sizes, numbers=sizes).grouped(fan_out, most=1, parents=parents)
        return cls(universe, _group_names(parents.size - labels.size), tuple(parents.tolist()))

    def narrowed(self, fan_out: int) -> Taxonomy:
        """The same tree where every inner node has 2 to `fan_out` children; larger families get groups of consecutive children.

        >>> tree = Taxonomy.flat(Universe("abcde")).narrowed(2)
        >>> [tree.depth(label) for label in range(5)]
        [3, 3, 3, 3, 1]
        """
        _check_fan_out(fan_out)
        tree, labels = self.tree, len(self.universe)
        branching = tree.upward_order[tree.widths[tree.upward_order] > 1]
        groups = groups_needed(tree.widths[branching], fan_out, most=fan_out)
        ends = labels + np.cumsum(groups + 1)  # a node has its number after those of its groups
        number = np.arange(len(tree))
        number[branching] = ends - 1
        members = number[tree.past_only_children[chosen(tree.children, branching).codes]]
        parents = np.full(labels + int((groups + 1).sum()), -1)
        families = Families(members=members, sizes=tree.widths[branching], numbers=ends - 1 - groups)
        left = families.grouped(fan_out, most=fan_out, parents=parents)
        parents[left.members] = np.repeat(ends - 1, left.sizes)
        names = list(_group_names(parents.size - labels))
        for node, place in zip(branching.tolist(), (ends - 1 - labels).tolist(), strict=True):
            names[place] = self.name(node)
        return Taxonomy(self.universe, tuple(names), tuple(parents.tolist()))

    def from_below(self) -> list[int]:
        """All nodes, each after those below it."""
        return [int(node) for node in self.tree.upward_order]

    @property
    def root(self) -> int:
        """The node above all others."""
        return self.parents.index(-1)

    def name(self, node: int) -> str:
        """The label of a leaf, the name of an inner node."""
        labels = self.universe.labels
        return labels[node] if node < len(labels) else self.inner_names[node - len(labels)]

    def children(self, node: int) -> tuple[int, ...]:
        """The nodes right below, in the order of their numbers."""
        below = self.tree.children
        return tuple(below.codes[below.offsets[node] : below.offsets[node + 1]].tolist())

    def depth(self, node: int) -> int:
        """How many steps below the root."""
        return len(self.above(node)) - 1

    def above(self, node: int) -> list[int]:
        """The node and those above it, up to the root."""
        found = [node]
        while self.parents[found[-1]] >= 0:
            found.append(self.parents[found[-1]])
        return found

    @cached_property
    def height(self) -> int:
        """The depth of the deepest leaf."""
        return len(self.tree.levels) - 1

    def leaves(self, node: int) -> list[int]:
        """The codes of all labels at or below a node, in order."""
        begin, end = self.tree.ranges
        return sorted(self.tree.leaf_order[begin[node] : end[node]].tolist())

    def as_json(self) -> dict[str, object]:
        """The taxonomy as a manifest describes it."""
        return {"groups": len(self.inner_names), "sha256": self.digest()}

    def digest(self) -> str:
        """A hash of the universe and the tree, for manifests."""
        names = chain(self.universe.labels, self.inner_names)
        lines = (f"{name}\t{parent}" for name, parent in zip(names, self.parents, strict=True))
        return digest_of(lines, separator="\n")


def _check_fan_out(fan_out: int) -> None:
    if isinstance(fan_out, bool) or not isinstance(fan_out, int) or fan_out < 2:
        message = f"a fan-out must be a whole number of at least 2, got {fan_out!r}"
        raise TaxonomyError(message)


def _group_names(groups: int) -> tuple[str, ...]:
    return tuple([f"group {place}" for place in range(1, groups + 1)])


def require_taxonomy(taxonomy: object) -> None:
    """Refuse a list or a file name where a taxonomy belongs."""
    if taxonomy is not None and not isinstance(taxonomy, Taxonomy):
        message = (
            f"a taxonomy must be a Taxonomy, as Taxonomy.read(path) or Taxonomy.from_edges([...]), got {type(taxonomy).__name__}"
        )
        raise TaxonomyError(message)


# Bins of equal width, for numeric ids about which nothing else is known.


def equal_width_bins(universe: Universe, *, widths: Sequence[int] = (10,)) -> Taxonomy:
    """Group labels that are whole numbers by their value: one level of bins per width, each a multiple of the one before.

    >>> tree = equal_width_bins(Universe(["3", "7", "12"]), widths=[10])
    >>> [tree.name(node) for node in tree.children(tree.root)]
    ['0..9', '10..19']
    """
    if not widths or min(widths) < 2 or any(wide % narrow or wide == narrow for narrow, wide in pairwise(widths)):
        message = f"the widths of bins must be at least 2, each a greater multiple of the one before, got {list(widths)}"
        raise TaxonomyError(message)
    rows = []
    for label in universe.labels:
        if not (label.isascii() and label.removeprefix("-").isdigit()):
            message = f"bins of equal width need labels that are whole numbers, got {label!r}"
            raise TaxonomyError(message)
        starts = [(int(label) // width * width, width) for width in widths]
        rows.append([label, *(f"{start}..{start + width - 1}" for start, width in starts), ROOT])
    return Taxonomy.from_columns(rows, universe=universe)
