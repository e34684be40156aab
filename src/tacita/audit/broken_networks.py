"""Regions of a whole adjacency matrix, as published: an edge is counted in a region and in its mirror image."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords
from tacita.privacy.account import Charge
from tacita.privacy.budget import Budget, Step
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.questions import every_count

__all__ = ["MatrixRegions"]


@dataclass(frozen=True)
class MatrixRegions:
    """Count the edges in the four quarters of the matrix, at the cost of one count, because the quarters share no cell.

    In a mirrored matrix, an edge between the halves is in two quarters; in the upper triangle, each edge is in one.
    """

    mirrored: bool

    def publish(self, records: NetworkRecords, /, *, budget: Budget, ledger: OpensAccounts) -> Any:  # noqa: ANN401 - a stand-in
        """Publish as many edges as the noisy counts say, starting with the first."""
        size, keys = len(records.universe), records.counts().cells()
        half = size // 2
        rows, columns = keys // size >= half, keys % size >= half
        quarters = np.bincount(2 * rows + columns, minlength=4)
        if self.mirrored:
            quarters[2] = quarters[1]
        charge = Charge(dataset="audit", mechanism="control", plan=Step(name="quarters", epsilon=budget.epsilon))
        with ledger.open(charge) as account:
            noisy = every_count(account, "quarters", quarters)
        first, second = np.triu_indices(size, 1)
        number = int(np.clip(noisy.sum(), 0, first.size))
        graph = Graph(size, (first * size + second)[:number].astype(np.int64))
        return SimpleNamespace(data=SimpleNamespace(graph=graph, degrees=None))
