"""What the columns of a table are: quasi-identifiers and sensitive columns, declared in advance; all others are dropped.

All of it is public knowledge: the labels and the tree of a categorical column, the bounds of a numeric one. Whatever others may
know of a person is a quasi-identifier; a published row shows a range of each. Inside, every quasi-identifier is a column of
places from 0 on: a label's place in a walk through its taxonomy, a number's distance from the lower bound. Every value that a
release can show is a range of places, and its name follows from the public tree (`BinaryTree`, which comes first). Several
sensitive columns are one column of combined codes inside; models are asked of each of them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.rooted import Rooted
from tacita.errors import ParameterError
from tacita.io.values import LARGEST_EXACT, exact_text
from tacita.public.parameters import instance_of, whole_number
from tacita.public.taxonomy import ROOT, Taxonomy
from tacita.public.universe import Universe

__all__ = ["BinaryTree", "Categorical", "Column", "Numeric", "Schema", "Sensitive", "SensitiveColumns", "binary_tree"]


# A taxonomy as a binary tree over places: every node is a range of places, and every inner node is one boundary between two.
#
# The labels get places in the order in which a walk through the tree meets them. In a binary tree with n leaves there are n - 1
# inner nodes and n - 1 boundaries between neighbouring places, and each boundary belongs to the node whose two children it
# parts. The least common ancestor of the places a to b is then the highest boundary between them, which a table of range maxima
# finds for whole arrays at once. Nodes with more than two children get groups of consecutive children in between.


class BinaryTree:
    """The places of the labels, and for each boundary (boundary i parts place i from place i + 1) the range of its node.

    >>> from tacita.public.universe import Universe
    >>> tree = BinaryTree(Taxonomy.flat(Universe("abcde")))
    >>> [part.tolist() for part in tree.spanned(np.array([0, 2]), np.array([1, 4]))]
    [[0, 0], [2, 5]]
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        """Walk the tree once."""
        narrow = taxonomy.narrowed(2)
        labels = len(taxonomy.universe)
        tree = narrow.tree
        walk = Rooted(tree.parents, rank=tree.minima(np.arange(len(tree))))  # the child with the first label is first
        self.label_at, (begin, end) = walk.leaf_order, walk.ranges
        self.place_of = begin[:labels]
        self._low, self._high, self._heights = np.zeros((3, max(labels - 1, 0)), dtype=np.int64)
        nodes = np.arange(labels, len(walk))
        boundaries = end[walk.children.codes[walk.children.offsets[nodes]]] - 1
        self._low[boundaries], self._high[boundaries], self._heights[boundaries] = begin[nodes], end[nodes], walk.heights[nodes]
        self._highest = _range_maxima(self._heights)
        self._names = _names(taxonomy, self.place_of)

    @property
    def size(self) -> int:
        """The number of labels."""
        return int(self.label_at.size)

    def cuts(self, first: Integers, last: Integers) -> Integers:
        """For each range from place `first` to place `last`, both included and different, where its node is cut in two.

        Places below the cut belong to the node's first child.
        """
        depth = np.frexp((last - first).astype(np.float64))[1].astype(np.int64) - 1
        left = self._highest[depth, first]
        right = self._highest[depth, last - (np.int64(1) << depth)]
        return np.where(self._heights[left] >= self._heights[right], left, right) + 1

    def spanned(self, first: Integers, last: Integers) -> tuple[Integers, Integers]:
        """The range (its end not included) of the smallest node that holds each range of places (both ends included)."""
        low, high = first.astype(np.int64), last.astype(np.int64) + 1
        wide = first != last
        boundary = self.cuts(low[wide], high[wide] - 1) - 1
        low[wide], high[wide] = self._low[boundary], self._high[boundary]
        return low, high

    def name(self, low: int, high: int) -> str:
        """What a range is called: as in the taxonomy, or, for a group of children in between, by the names of its members."""
        if (low, high) in self._names:
            return self._names[low, high]
        members = []
        while low < high:
            stop = max(end for begin, end in self._names if begin == low and end <= high)
            members.append(self._names[low, stop])
            low = stop
        return "{" + ", ".join(members) + "}"


@lru_cache(maxsize=64)
def binary_tree(taxonomy: Taxonomy) -> BinaryTree:
    """The tree of a taxonomy, made once."""
    return BinaryTree(taxonomy)


def node_ranges(taxonomy: Taxonomy, place_of: Integers) -> tuple[Integers, Integers]:
    """For each node, the first of the places below it and the one after the last."""
    tree, (begin, end) = taxonomy.tree, taxonomy.tree.ranges
    first = tree.minima(np.append(place_of, np.full(len(taxonomy.inner_names), place_of.size)))
    return first, first + (end - begin)


def _range_maxima(heights: Integers) -> Integers:
    """Row d holds, for each place, the highest of the 2^d boundaries from it on."""
    rows = [np.arange(heights.size, dtype=np.int64)]
    width = 1
    while 2 * width <= heights.size:
        left, right = rows[-1], np.append(rows[-1][width:], np.zeros(width, dtype=np.int64))
        rows.append(np.where(heights[left] >= heights[right], left, right))
        width *= 2
    return np.stack(rows)


def _names(taxonomy: Taxonomy, place_of: Integers) -> dict[tuple[int, int], str]:
    """The names of all ranges that are nodes of the taxonomy; of nodes over the same labels, the lowest one names them."""
    ranges = list(zip(*(part.tolist() for part in node_ranges(taxonomy, place_of)), strict=True))
    return {ranges[node]: taxonomy.name(node) for node in reversed(taxonomy.from_below())}


# The columns, and the schema that holds them.


Level = tuple[Integers, Integers]
"""For each place, the range that it is generalized to: the first place and the one after the last."""

LARGEST_DOMAIN = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class Categorical:
    """A quasi-identifier whose labels are the leaves of a public taxonomy.

    >>> job = Categorical(name="job", taxonomy=Taxonomy.from_edges([("lawyer", "professional"), ("engineer", "professional")]))
    >>> job.size, job.range_name(0, 2)
    (2, 'professional')
    """

    name: str
    taxonomy: Taxonomy

    @cached_property
    def tree(self) -> BinaryTree:
        """The taxonomy as ranges of places."""
        return binary_tree(self.taxonomy)

    @property
    def size(self) -> int:
        """The number of places."""
        return len(self.taxonomy.universe)

    def encoded(self, values: pl.Series) -> Integers:
        """The place of each value, -1 where it is no label."""
        labels = pl.Series(self.taxonomy.universe.labels)
        text = exact_text(values)
        codes = text.replace_strict(labels, pl.Series(self.tree.place_of), default=-1, return_dtype=pl.Int64)
        return np.asarray(codes.fill_null(-1).to_numpy(), dtype=np.int64)

    def range_name(self, low: int, high: int) -> str:
        """What a range of places is called in a release."""
        return self.tree.name(low, high)

    def spanned(self, first: Integers, last: Integers) -> tuple[Integers, Integers]:
        """The smallest ranges that have names and hold the places from `first` to `last`."""
        return self.tree.spanned(first, last)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """All labels one step up together, from nothing done to everything hidden (full-domain generalization).

        A label that lies less deep than others stays itself until the others have come up to it.
        """
        tree, taxonomy = self.tree, self.taxonomy
        begin, end = node_ranges(taxonomy, tree.place_of)
        depth = taxonomy.tree.depths
        found: list[Level] = []
        for most in range(taxonomy.height, -1, -1):
            low, high = np.zeros((2, self.size), dtype=np.int64)
            for label in range(self.size):
                node = label
                while depth[node] > most:
                    node = taxonomy.parents[node]
                low[tree.place_of[label]], high[tree.place_of[label]] = begin[node], end[node]
            found.append((low, high))
        return tuple(found)

    def digest(self) -> str:
        """A hash of all that is public about the column; in which order inner nodes are numbered does not matter."""
        tree = self.taxonomy
        edges = [f"{tree.name(node)}\t{tree.name(above)}" for node, above in enumerate(tree.parents) if above >= 0]
        return hashlib.sha256("\n".join([*tree.universe.labels, "", *sorted(edges)]).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Numeric:
    """A quasi-identifier that is a whole number between public bounds, both included; numbers outside are moved to the bound.

    `widths` are the lengths of the intervals that full-domain generalization may use, each a multiple of the one before;
    intervals begin at the lower bound.

    >>> Numeric(name="age", low=0, high=99, widths=(5, 10)).range_name(35, 40)
    '[35-40)'
    """

    name: str
    low: int
    high: int
    widths: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Check the bounds and that intervals nest."""
        if not (isinstance(self.low, int) and isinstance(self.high, int)) or self.low > self.high:
            message = f"{self.name} must have whole numbers as bounds, the lower one first, got {self.low!r} and {self.high!r}"
            raise ParameterError(message)
        whole_number(self.size, name=f"the number of values of {self.name}", least=1, most=LARGEST_DOMAIN)
        instance_of(self.widths, tuple, list, name=f"the widths of {self.name}")
        object.__setattr__(self, "widths", tuple(self.widths))
        for before, width in zip((1, *self.widths), self.widths, strict=False):
            if not isinstance(width, int) or width <= before or width % before:
                message = f"the widths of {self.name} must grow, each a multiple of the one before, got {self.widths}"
                raise ParameterError(message)

    @property
    def size(self) -> int:
        """The number of places."""
        return self.high - self.low + 1

    def encoded(self, values: pl.Series) -> Integers:
        """The place of each number, moved to a bound if it lies outside, -1 where there is none."""
        known = values if values.dtype.is_integer() else exact_text(values)
        is_whole = True if known.dtype.is_integer() else known.str.contains(r"^-?[0-9]+$")
        numbers = known.cast(pl.Float64, strict=False)
        numbers = (
            numbers.set((~(is_whole | (numbers.abs() < LARGEST_EXACT))).fill_null(value=True), None)
            .floor()
            .clip(self.low, self.high)
        )
        return np.asarray((numbers - self.low).cast(pl.Int64).fill_null(-1).to_numpy(), dtype=np.int64)

    def range_name(self, low: int, high: int) -> str:
        """What a range of places is called in a release: a number, or an interval without its end."""
        if (low, high) == (0, self.size) and self.size > 1:
            return ROOT
        first = self.low + low
        return str(first) if high == low + 1 else f"[{first}-{self.low + high})"

    def spanned(self, first: Integers, last: Integers) -> tuple[Integers, Integers]:
        """Any range has a name."""
        return first.astype(np.int64), last.astype(np.int64) + 1

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Intervals of each width, from single numbers to everything hidden."""
        places = np.arange(self.size, dtype=np.int64)
        found: list[Level] = []
        for width in (1, *self.widths):
            low = places // width * width
            found.append((low, np.minimum(low + width, self.size)))
        if self.size > 1:
            found.append((np.zeros_like(places), np.full_like(places, self.size)))
        return tuple(found)

    def digest(self) -> str:
        """A hash of all that is public about the column."""
        return hashlib.sha256(f"{self.low} {self.high} {self.widths}".encode()).hexdigest()


Column = Categorical | Numeric


@dataclass(frozen=True, kw_only=True)
class Sensitive:
    """The column that nobody may be linked to, with its public values; `ordered` if they are steps of one scale."""

    name: str
    universe: Universe
    ordered: bool = False

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.universe)

    def encoded(self, values: pl.Series) -> Integers:
        """The code of each value, -1 where it is none of the public ones."""
        labels, codes = pl.Series(self.universe.labels), pl.Series(range(self.size), dtype=pl.Int64)
        found = exact_text(values).replace_strict(labels, codes, default=-1, return_dtype=pl.Int64)
        return np.asarray(found.fill_null(-1).to_numpy(), dtype=np.int64)

    @property
    def parts(self) -> tuple[Sensitive, ...]:
        """The single columns."""
        return (self,)


@dataclass(frozen=True, kw_only=True)
class SensitiveColumns:
    """Several sensitive columns: a code stands for one value of each.

    >>> health = Sensitive(name="disease", universe=Universe(["flu", "HIV"]))
    >>> both = SensitiveColumns(parts=(health, Sensitive(name="salary", universe=Universe(["low", "mid", "high"]))))
    >>> both.size, [codes.tolist() for codes in both.split(np.array([0, 5]))]
    (6, [[0, 1], [0, 2]])
    """

    parts: tuple[Sensitive, ...]

    def __post_init__(self) -> None:
        """Check that there are several, and that their combinations can be numbered."""
        instance_of(self.parts, tuple, list, name="several sensitive columns")
        object.__setattr__(self, "parts", tuple(self.parts))
        for part in self.parts:
            instance_of(part, Sensitive, name="a sensitive column")
        if len(self.parts) < 2:
            message = f"several sensitive columns must be two at least, got {len(self.parts)}"
            raise ParameterError(message)
        whole_number(self.size, name="the number of combinations of sensitive values", least=1, most=LARGEST_DOMAIN)

    @property
    def size(self) -> int:
        """The number of combinations of values."""
        return prod(part.size for part in self.parts)

    def split(self, codes: Integers) -> tuple[Integers, ...]:
        """The code of each part."""
        found: list[Integers] = []
        for part in reversed(self.parts):
            found.append(codes % part.size)
            codes = codes // part.size
        return tuple(reversed(found))


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The declared columns of a table; columns of a file that are not named here are dropped."""

    quasi: tuple[Column, ...]
    sensitive: Sensitive | SensitiveColumns | None = None

    def __post_init__(self) -> None:
        """Check that there is something to publish and that no name comes twice."""
        instance_of(self.quasi, tuple, list, name="the quasi-identifiers of a table")
        object.__setattr__(self, "quasi", tuple(self.quasi))
        for column in self.quasi:
            instance_of(column, Categorical, Numeric, name="a quasi-identifier")
        if not self.quasi:
            message = "a table must have a quasi-identifier at least, got none"
            raise ParameterError(message)
        if len(set(self.names)) != len(self.names):
            message = f"the columns of a table must have different names, got {', '.join(self.names)}"
            raise ParameterError(message)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns that are kept, sensitive ones last."""
        return (*(column.name for column in self.quasi), *(part.name for part in self.hidden))

    @property
    def hidden(self) -> tuple[Sensitive, ...]:
        """The sensitive columns, one by one."""
        return () if self.sensitive is None else self.sensitive.parts

    def hidden_codes(self, codes: Integers) -> tuple[Integers, ...]:
        """What the sensitive codes of rows mean in each sensitive column."""
        return self.sensitive.split(codes) if isinstance(self.sensitive, SensitiveColumns) else (codes,)

    def encoded_sensitive(self, frame: pl.DataFrame) -> Integers:
        """The sensitive code of each row of a frame, -1 where a value is none of the public ones."""
        codes, unknown = np.zeros(len(frame), dtype=np.int64), np.zeros(len(frame), dtype=np.bool_)
        for part in self.hidden:
            mine = part.encoded(frame[part.name])
            codes = codes * part.size + mine
            unknown |= mine < 0
        return np.where(unknown, -1, codes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many places each quasi-identifier has."""
        return tuple(column.size for column in self.quasi)

    def required_sensitive(self, purpose: str) -> Sensitive | SensitiveColumns:
        """What is sensitive, or an error that says who needs it."""
        if self.sensitive is None:
            message = f"{purpose} needs a sensitive column; declare one, or choose k-anonymity alone"
            raise ParameterError(message)
        return self.sensitive

    def only_sensitive(self, purpose: str) -> Sensitive:
        """The one sensitive column, or an error that says who needs exactly one."""
        sensitive = self.required_sensitive(purpose)
        if isinstance(sensitive, SensitiveColumns):
            message = f"{purpose} takes one sensitive column, {len(sensitive.parts)} are declared; declare the others apart"
            raise ParameterError(message)
        return sensitive

    def as_json(self) -> dict[str, object]:
        """What a manifest says of the columns."""
        names = [part.name for part in self.hidden]
        hidden = names if len(names) > 1 else next(iter(names), None)
        return {"quasi": [column.name for column in self.quasi], "sensitive": hidden, "sha256": self.digest()}

    def digest(self) -> str:
        """A hash of all that is public about the table."""
        lines = [f"{column.name}\t{type(column).__name__}\t{column.digest()}" for column in self.quasi]
        lines += [f"{part.name}\tsensitive\t{part.ordered}\t{part.universe.digest()}" for part in self.hidden]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
