"""A budget that is divided along the paths of a tree, in shares that depend on earlier answers.

Some mechanisms grow a tree: they ask which cells at its root are kept, then, at each kept cell, which cells below it, and give
each branch its own share of the budget. What a record costs is the sum along the branch it takes, and that is what is checked
against the plan here: each node knows exactly how much budget is left from it downwards, a block of cells asked at a node may
cost no more than that, and what is left at a kept cell is what was left above it minus the cost of its block.

Why it is private: the cells of all blocks that are asked at one node are disjoint, so one record that starts one path changes
the count of one of them by one, and goes on below that cell only. By induction from the leaves, what it loses at and below a node
is at most what was left there; at the root, that is the whole budget. A record that starts `starts` paths (an n-gram at each of
its positions) loses that many times as much, which is why the noise of each block has `starts` times the scale. Shares,
thresholds and which cells exist are functions of earlier, noisy answers. See PureDP and Theorem 6.6 of Chen's thesis, whose
proof this makes exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.errors import ParameterError, UnplannedDrawError
from tacita.privacy.noise import LARGEST_DOMAIN, require_rate
from tacita.privacy.questions import BlockQuestion, Cells, Terms

__all__ = ["Blocks", "Kept", "Paths", "Terms"]


MOST_OPEN_CELLS = 50_000_000
"""The most cells that may be asked without a threshold at once, because each of them is listed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Blocks:
    """Blocks of one question, in columns: the node of each, its number of cells, and its terms as an index into `table`."""

    nodes: Integers
    sizes: Integers
    terms: Integers
    table: tuple[Terms, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Kept:
    """The kept cells of one question, ordered by block and by cell; each is a node of its own from now on."""

    blocks: Integers
    cells: Integers
    values: Integers
    nodes: Integers


@dataclass
class Paths:
    """The shared budget of one step. Node 0 is the root; it is made by `Account.paths`.

    >>> from tacita import Ledger
    >>> from tacita.privacy.account import Charge
    >>> from tacita.privacy.budget import Step
    >>> charge = Charge(dataset="shop", mechanism="example", plan=Step(name="tree", epsilon=Fraction(1)))
    >>> with Ledger().open(charge) as account:
    ...     paths = account.paths("tree")
    ...     print(paths.left(np.zeros(1, dtype=np.int64)))
    [Fraction(1, 1)]
    """

    step: str
    epsilon: Fraction
    starts: int
    answer: Callable[[BlockQuestion, Cells], Cells] = field(repr=False)
    rounds: int = 0
    _amounts: list[Fraction] = field(init=False, repr=False)
    _amount_of: Integers = field(init=False, repr=False)
    _asked: Booleans = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """The root starts with the whole budget."""
        self._amounts = [self.epsilon]
        self._amount_of = np.zeros(1, dtype=np.int64)
        self._asked = np.zeros(1, dtype=np.bool_)

    def left(self, nodes: Integers) -> list[Fraction]:
        """What is left of the budget at each node; for many nodes, see `amounts`."""
        return [self._amounts[code] for code in self._amount_of[nodes]]

    def amounts(self, nodes: Integers) -> tuple[Integers, Sequence[Fraction]]:
        """What is left at each node, as an index into a table of distinct amounts."""
        return self._amount_of[nodes], tuple(self._amounts)

    def ask(self, blocks: Blocks, *, places: Integers, cells: Integers, counts: Integers) -> Kept:
        """Add noise to all cells of all blocks and return those that are kept; each node is asked once.

        The non-empty cells are given by their block (its place in `blocks`), their place in it, and their count, ordered by both.
        """
        _check_blocks(blocks)
        codes, amounts = self._pay(blocks)
        question = BlockQuestion(
            step=f"{self.step}, round {self.rounds + 1}",
            sensitivity=self.starts,
            table=blocks.table,
            terms=blocks.terms,
            nodes=blocks.nodes,
            sizes=blocks.sizes,
        )
        keys = question.bases[places] + cells
        _check_counts(blocks, places, cells, counts, keys)
        answer = self.answer(question, Cells(keys, counts))
        self.rounds += 1
        self._asked[blocks.nodes] = True
        kept_blocks = question.block_of(answer.keys).astype(np.int64)
        new_nodes = np.arange(answer.keys.size, dtype=np.int64) + self._amount_of.size
        self._amounts = amounts
        self._amount_of = np.concatenate([self._amount_of, codes[kept_blocks]])
        self._asked = np.concatenate([self._asked, np.zeros(answer.keys.size, dtype=np.bool_)])
        return Kept(blocks=kept_blocks, cells=answer.keys - question.bases[kept_blocks], values=answer.values, nodes=new_nodes)

    def _pay(self, blocks: Blocks) -> tuple[Integers, list[Fraction]]:
        """What will be left below each block, as indices into a table; refuse a block that costs more than its node has left."""
        if blocks.nodes.size and (blocks.nodes.min() < 0 or blocks.nodes.max() >= self._asked.size):
            message = f"a block of step {self.step!r} must be asked at the root or at a cell that was kept"
            raise UnplannedDrawError(message)
        if self._asked[blocks.nodes].any():
            message = f"a node of step {self.step!r} has already been asked; its budget went to the cells below it"
            raise UnplannedDrawError(message)
        pairs = self._amount_of[blocks.nodes] * len(blocks.table) + blocks.terms
        different, inverse = np.unique(pairs, return_inverse=True)
        amounts = list(self._amounts)
        place_of = {amount: place for place, amount in enumerate(amounts)}
        codes = np.zeros(different.size, dtype=np.int64)
        for place, pair in enumerate(different.tolist()):
            left = amounts[pair // len(blocks.table)] - blocks.table[pair % len(blocks.table)].epsilon
            if left < 0:
                message = f"a block of step {self.step!r} would cost more than the budget that is left at its node"
                raise UnplannedDrawError(message)
            codes[place] = place_of.setdefault(left, len(amounts))
            if codes[place] == len(amounts):
                amounts.append(left)
        for terms in blocks.table:
            require_rate(terms.epsilon / self.starts)
        return codes[inverse.reshape(-1)], amounts


def _check_blocks(blocks: Blocks) -> None:
    """Refuse input for which the distribution would be wrong; a mechanism with such a mistake must stop, not leak."""
    if any(column.dtype != np.int64 for column in (blocks.nodes, blocks.sizes, blocks.terms)):
        message = "nodes, sizes and terms must be arrays of 64-bit integers"
        raise ParameterError(message)
    if not blocks.nodes.shape == blocks.sizes.shape == blocks.terms.shape or blocks.nodes.ndim != 1 or not blocks.nodes.size:
        message = "nodes, sizes and terms must be flat arrays of the same length, with at least one block"
        raise ParameterError(message)
    if blocks.terms.min() < 0 or blocks.terms.max() >= len(blocks.table) or blocks.sizes.min() < 0:
        message = "every block must have terms from the table and no negative size"
        raise ParameterError(message)
    if float(blocks.sizes.sum(dtype=np.float64)) >= LARGEST_DOMAIN / 2:
        message = "the blocks of one question must have fewer than 2**61 cells"
        raise ParameterError(message)
    for terms in blocks.table:
        if terms.epsilon <= 0 or (terms.threshold is not None and terms.threshold < 1):
            message = f"a block must cost a positive epsilon and have a threshold of at least 1 or none, got {terms}"
            raise ParameterError(message)
    is_open = np.array([terms.threshold is None for terms in blocks.table])[blocks.terms]
    if int(blocks.sizes[is_open].sum()) > MOST_OPEN_CELLS:
        message = f"at most {MOST_OPEN_CELLS:,} cells can be asked without a threshold at once; set one"
        raise ParameterError(message)


def _check_counts(blocks: Blocks, places: Integers, cells: Integers, counts: Integers, keys: Integers) -> None:
    if any(array.dtype != np.int64 or array.shape != places.shape or array.ndim != 1 for array in (places, cells, counts)):
        message = "places, cells and counts must be flat arrays of 64-bit integers of the same length"
        raise ParameterError(message)
    if cells.size and (cells.min() < 0 or np.any(cells >= blocks.sizes[places]) or np.any(keys[1:] <= keys[:-1])):
        message = "cells must be inside their block and increase strictly"
        raise ParameterError(message)
