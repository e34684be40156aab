"""Which method of streams to use, from public facts alone.

The rules come from the measurements in `docs/reference/measured-streams.md`, in which methods are told apart by two ratios: the
noise of a count that is measured at every timestamp, and that of one measured once in a window, against the mean count of a cell.
"""

from __future__ import annotations

from fractions import Fraction

from tacita.streams.protection import Presence

__all__ = ["advice"]

AS_GOOD = 200
"""A mean count this many times the noise of every timestamp leaves nothing to gain by measuring more seldom."""

HARDLY_BETTER = 0.1
"""A mean count below this share of the noise of one measurement in a window is hardly seen at all."""


def advice(
    name: str, *, epsilon: Fraction, contexts: int, presence: Presence, cells: int | None, people: int | None
) -> tuple[str, ...]:
    """What to use instead of this method, if anything, and whether a stream of zeros would be as good.

    >>> advice("uniform", epsilon=Fraction(1), contexts=40, presence=Presence.PUBLIC, cells=None, people=None)[0]
    'pace is the method to use for counts of timestamps, and tree (tacita[papers]) for running totals; uniform is for comparison'
    """
    use = "pace is the method to use for counts of timestamps, and tree (tacita[papers]) for running totals"
    told = [use if name in {"pace", "tree"} else f"{use}; {name} is for comparison"]
    sensitivity = 1 if presence is Presence.ADDED else 2
    often, seldom = (float(sensitivity * number / epsilon) for number in (contexts, 1))
    told.append(
        f"a count has noise of {often:.3g} people if every timestamp is measured (uniform), {seldom:.3g} if one in a window is"
    )
    if cells is None or people is None:
        told.append("with --universe and --expected-people this says whether counts of that size can be seen through the noise")
        return tuple(told)
    mean = people / cells
    told.append(f"with {people:,} people in {cells:,} cells the mean count is {mean:.3g}, the error of a stream of zeros")
    if mean > AS_GOOD * often:
        told.append("that is so much more than the noise that uniform is as good as pace, and simpler")
    elif mean < HARDLY_BETTER * seldom:
        told.append("that is so little that no method will be much better than zeros: take fewer cells, longer timestamps")
    return tuple(told)
