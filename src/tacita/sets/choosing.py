"""Which method publishes sets, where the owner names none: what was measured on real and simulated baskets, as a rule."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.kinds.registration import Facts, Method, Selection

__all__ = ["choose_for_sets"]

BEST = "itemset-counts"


def choose_for_sets(facts: Facts, among: Sequence[Method]) -> Selection:
    """Counts of items and itemsets wherever they can be asked: they had the least error on all data that was measured."""
    names = [method.name for method in among]
    if BEST in names and len(names) > 1:
        return Selection(method=BEST, because="it had the least error of counts and itemsets on all baskets that were measured")
    why = "only it promises an epsilon with a delta" if facts.has_delta else "no other takes these parameters"
    return Selection(method=names[0], because=why)
