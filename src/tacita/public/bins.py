"""Taxonomies of numeric ids by bins of equal width, where nothing else is known about them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tacita.errors import TaxonomyError
from tacita.public.taxonomy import ROOT, Taxonomy
from tacita.public.universe import Universe

__all__ = ["equal_width_bins"]


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
