"""Pictures of personal sequences: a strip of one person's sequence, and how much of every place is shown.

The strip is the person's own view: one column per place, one row per side. What is shown as it is keeps its colour; a group is a
grey stump, the shorter the more it hides; what was withheld leaves a gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.pictures import Bars, Block, Picture, bar_plot, strip_plot
from tacita.pictures.picture import percent
from tacita.public.taxonomy import Taxonomy

__all__ = ["WITHHELD", "personal_pictures", "strip"]

MOST_PLACES = 120
WITHHELD = -1


def personal_pictures(sequences: Ragged, *, taxonomy: Taxonomy) -> list[Picture]:
    """Draw what was released: how finely places are shown, and the beginning of the first sequence."""
    found = [_depths(sequences, taxonomy)]
    if len(sequences):
        row = sequences.codes[: int(sequences.offsets[1])][:MOST_PLACES].tolist()
        found.append(strip("The first released sequence, place by place", {"released": row}, taxonomy))
    return found


def strip(title: str, rows: Mapping[str, Sequence[int]], tree: Taxonomy, *, first: int = 1) -> Picture:
    """One row of blocks per side, from nodes of the taxonomy; `WITHHELD` leaves a gap."""
    labels = len(tree.universe)

    def block(node: int) -> Block | None:
        if node == WITHHELD:
            return None
        if node < labels:
            return Block(name=tree.name(node))
        return Block(name=tree.name(node), whole=False, height=0.25 + 0.6 * tree.depth(node) / max(tree.height, 1))

    return strip_plot(title, {side: [block(node) for node in row] for side, row in rows.items()}, first=first)


def _depths(sequences: Ragged, tree: Taxonomy) -> Picture:
    """How many symbols are shown as they are, and how many as groups, by how far below the root they stand."""
    nodes = np.bincount(sequences.codes, minlength=len(tree.parents))
    labels = len(tree.universe)
    depths = [0] * (tree.height + 1)
    for node in range(labels, len(tree.parents)):
        depths[tree.depth(node)] += int(nodes[node])
    names, values = ["as they are"], [int(nodes[:labels].sum())]
    for depth in range(tree.height - 1, -1, -1):
        names.append("as anything at all" if depth == 0 else f"as a group {depth} below the top")
        values.append(depths[depth])
    whole = max(sum(values), 1)
    series = [Bars(name="released", values=[value / whole for value in values])]
    title = f"{percent(values[0] / whole)} of the released symbols are shown as they are"
    return bar_plot(title, names, series, unit="share of released symbols", percent=True)
