"""What follows what: the noisy table of steps, from the top down.

Single symbols are known three times: from the glance, and as sums of rows and of columns, because every symbol is entered and
left once. Cells that stand out are kept as measured, others shrink to what single symbols and totals make of them.
"""

from __future__ import annotations

import numpy as np

from tacita.sequences.raked.synthesis.symbols import Noisy, Symbols
from tacita.synthesis import Chain, posterior_means, shrunk_rows

__all__ = ["chain_of"]


def chain_of(symbols: Symbols, steps: Noisy | None, *, people: float) -> Chain:
    """The chain of codes; without steps, symbols are independent. `people` is what all starts weigh."""
    if steps is None:
        return Chain(table=np.append(symbols.counts, people)[np.newaxis])
    width = symbols.codes.size + 1
    table = steps.counts.reshape(width, width)
    mass = float(symbols.counts.sum())
    glance = Noisy(counts=symbols.counts, scale=symbols.glance.scale)
    in_and_out = (table[:, :-1].sum(axis=0) + table[:-1].sum(axis=1)) / 2  # each symbol is entered and left once
    sums = Noisy(counts=in_and_out, scale=steps.scale * float(np.sqrt(width / 2)))
    single = glance.with_(sums)
    columns = np.append(posterior_means(single.counts, single.scale, mass), people)
    shares = np.tile(columns / columns.sum(), (width, 1))
    shares[-1, -1] = 0.0  # no sequence ends before it begins
    shares[-1] /= max(float(shares[-1].sum()), 1e-300)
    expected = columns[:, np.newaxis] * shares
    return Chain(table=shrunk_rows(table, expected, steps.scale))
