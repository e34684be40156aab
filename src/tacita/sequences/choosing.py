"""Which method publishes sequences, where the owner names none: what was measured on nine data sets, as a rule.

With times it is always `itinerary`, whose tables of places and hours were closer to the truth than a prefix tree and at least
about as close as two noisy marginals (`docs/reference/measured-times.md`); only grids of thousands of intervals are for the tree.

Without times, `itinerary` had the least mean of all measured losses on each of them. Where one measure matters most, others are
better on data of which little is known: n-grams spend nothing on returns and find more orders where there are few records for
each label, and a prefix tree makes up the least of places there, and where records times epsilon are few for each pair of labels,
and counts sequences of two or three symbols whole.
The figures are in `docs/reference/measured-itineraries.md`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacita.kinds.registration import Facts, Method, Selection

__all__ = ["choose_for_sequences"]

TREE, GRAMS, BEST = "prefix-tree", "ngram", "itinerary"

USUAL_HEIGHT, SHORT = 12, 3
MOST_INTERVALS = 2_000
"""As many as itineraries take; this module imports nothing heavy, and a test compares them."""

FEW_PER_LABEL, FEW_PER_PAIR = 20, 0.02
"""Below how many records for each label, and records times epsilon for each pair of labels, little can be known."""


def choose_for_sequences(facts: Facts, among: Sequence[Method]) -> Selection:
    """Itineraries, unless what matters most is better kept by another, or there are more intervals than they take."""
    names = [method.name for method in among]
    if facts.has_times and {BEST, TREE} & set(names):
        return _with_times(facts, names)
    if len(names) == 1 or BEST not in names:
        because = "no other takes these parameters"
        return _tree(facts, because) if names[0] == TREE else Selection(method=names[0], because=because)
    if facts.measure in {"people", "patterns"} and facts.longest is not None and facts.longest <= SHORT:
        return _tree(facts, f"no record has more than {SHORT} symbols, and it counts such records whole")
    if facts.measure == "people" and (_are_few(facts) or _is_sparse(facts)):
        return _tree(facts, "there are too few records for so many labels, and it makes up the least")
    if facts.measure in {"orders", "patterns"} and _are_few(facts):
        return Selection(method=GRAMS, because="there are few records for so many labels, and it spends nothing on returns")
    said = "everything alike" if facts.measure is None else facts.measure
    return Selection(method=BEST, because=f"it had the least loss, or nearly so, in {said} on all data that was measured")


def _with_times(facts: Facts, names: Sequence[str]) -> Selection:
    if BEST in names and (facts.intervals or 0) <= MOST_INTERVALS:
        return Selection(method=BEST, because="its places and hours were the closest to the truth on data with times")
    because = "of these methods, only it publishes so many intervals, or takes these parameters"
    return _tree(facts, because) if TREE in names else Selection(method=BEST, because="no other takes these parameters")


def _are_few(facts: Facts) -> bool:
    return facts.records is not None and facts.labels is not None and facts.records < FEW_PER_LABEL * facts.labels


def _is_sparse(facts: Facts) -> bool:
    if facts.records is None or facts.labels is None or facts.epsilon is None:
        return False
    return facts.records * facts.epsilon < FEW_PER_PAIR * facts.labels**2


def _tree(facts: Facts, because: str) -> Selection:
    height = USUAL_HEIGHT if facts.longest is None else min(USUAL_HEIGHT, facts.longest)
    return Selection(method=TREE, because=because, parameters={"height": height})
