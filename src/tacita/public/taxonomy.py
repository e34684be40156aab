"""Taxonomies: one public tree over a universe.

Every label of the universe is one leaf, every other node has children, every node but the root has exactly one parent. A label
with two parents would be counted twice below the root and break parallel composition, so it is refused, like cycles and
orphans.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from tacita.errors import TaxonomyError
from tacita.public.public_text import public_text
from tacita.public.universe import Universe

__all__ = ["ROOT", "Taxonomy", "require_taxonomy"]

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
        if len(self.parents) != len(self.universe) + len(self.inner_names):
            message = f"a taxonomy needs one parent per node, got {len(self.parents)}"
            raise TaxonomyError(message)
        tops = [node for node, parent in enumerate(self.parents) if parent < 0]
        if len(tops) != 1:
            names = ", ".join(repr(self.name(node)) for node in tops[:3])
            message = (
                f"a taxonomy must have one root, got {len(tops)}{': ' + names if names else ', so its parents form a cycle'}"
            )
            raise TaxonomyError(message)
        self._check_no_cycle()
        for node in range(len(self.parents)):
            is_label = node < len(self.universe)
            if is_label and self._children[node]:
                below = self.name(self._children[node][0])
                message = f"a label of the universe must be a leaf, but {self.name(node)!r} has {below!r} below it"
                raise TaxonomyError(message)
            if not is_label and not self._children[node]:
                message = f"every leaf must be a label of the universe, but the leaf {self.name(node)!r} is not"
                raise TaxonomyError(message)

    def _check_no_cycle(self) -> None:
        settled: set[int] = set()
        for start in range(len(self.parents)):
            path: list[int] = []
            on_path: set[int] = set()
            node = start
            while node >= 0 and node not in settled:
                if node in on_path:
                    message = f"the parents of a taxonomy must not form a cycle, but {self.name(node)!r} is above itself"
                    raise TaxonomyError(message)
                path.append(node)
                on_path.add(node)
                node = self.parents[node]
            settled.update(path)

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
        parents = [-1] * len(universe)
        names: list[str] = []
        _grouped(list(range(len(universe))), 1, fan_out, parents, names)
        return cls(universe, tuple(names), tuple(parents))

    def narrowed(self, fan_out: int) -> Taxonomy:
        """The same tree where every inner node has 2 to `fan_out` children; larger families get groups of consecutive children.

        >>> tree = Taxonomy.flat(Universe("abcde")).narrowed(2)
        >>> [tree.depth(label) for label in range(5)]
        [3, 3, 3, 3, 1]
        """
        _check_fan_out(fan_out)
        parents = [-1] * len(self.universe)
        names: list[str] = []
        stands_for: dict[int, int] = {}
        for node in self.from_below():
            children = [stands_for[child] for child in self._children[node]]
            if len(children) < 2:
                stands_for[node] = children[0] if children else node
                continue
            level = _grouped(children, fan_out, fan_out, parents, names)
            parents.append(-1)
            names.append(self.name(node))
            stands_for[node] = len(parents) - 1
            for member in level:
                parents[member] = stands_for[node]
        return Taxonomy(self.universe, tuple(names), tuple(parents))

    def from_below(self) -> list[int]:
        """All nodes, each after those below it."""
        waiting, found = [self.root], []
        while waiting:
            found.append(waiting.pop())
            waiting.extend(self._children[found[-1]])
        return found[::-1]

    @property
    def root(self) -> int:
        """The node above all others."""
        return self.parents.index(-1)

    def name(self, node: int) -> str:
        """The label of a leaf, the name of an inner node."""
        labels = self.universe.labels
        return labels[node] if node < len(labels) else self.inner_names[node - len(labels)]

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(node)
        return tuple(tuple(group) for group in children)

    def children(self, node: int) -> tuple[int, ...]:
        """The nodes right below, in the order of their numbers."""
        return self._children[node]

    def depth(self, node: int) -> int:
        """How many steps below the root."""
        steps = 0
        while self.parents[node] >= 0:
            node = self.parents[node]
            steps += 1
        return steps

    @cached_property
    def height(self) -> int:
        """The depth of the deepest leaf."""
        return max(self.depth(label) for label in range(len(self.universe)))

    def leaves(self, node: int) -> list[int]:
        """The codes of all labels at or below a node, in order."""
        found: list[int] = []
        waiting = [node]
        while waiting:
            here = waiting.pop()
            waiting.extend(self._children[here])
            if here < len(self.universe):
                found.append(here)
        return sorted(found)

    def as_json(self) -> dict[str, object]:
        """The taxonomy as a manifest describes it."""
        return {"groups": len(self.inner_names), "sha256": self.digest()}

    def digest(self) -> str:
        """A hash of the universe and the tree, for manifests."""
        lines = [f"{self.name(node)}\t{parent}" for node, parent in enumerate(self.parents)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _check_fan_out(fan_out: int) -> None:
    if isinstance(fan_out, bool) or not isinstance(fan_out, int) or fan_out < 2:
        message = f"a fan-out must be a whole number of at least 2, got {fan_out!r}"
        raise TaxonomyError(message)


def _grouped(level: list[int], most: int, fan_out: int, parents: list[int], names: list[str]) -> list[int]:
    """Group consecutive nodes by `fan_out` until at most `most` are left; one that is left alone moves up as it is."""
    while len(level) > most:
        above: list[int] = []
        for start in range(0, len(level), fan_out):
            group = level[start : start + fan_out]
            if len(group) == 1:
                above.extend(group)
                continue
            node = len(parents)
            parents.append(-1)
            names.append(f"group {len(names) + 1}")
            for member in group:
                parents[member] = node
            above.append(node)
        level = above
    return level


def require_taxonomy(taxonomy: object) -> None:
    """Refuse a list or a file name where a taxonomy belongs."""
    if taxonomy is not None and not isinstance(taxonomy, Taxonomy):
        message = (
            f"a taxonomy must be a Taxonomy, as Taxonomy.read(path) or Taxonomy.from_edges([...]), got {type(taxonomy).__name__}"
        )
        raise TaxonomyError(message)
