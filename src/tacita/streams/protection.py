"""Who is protected, and how long: m successive contexts of a person, presence public or private; and which method suits that.

    presence public       who takes part when is known to everybody; the status is protected (m-context privacy)
    presence changed      any m timestamps of a person may be another status or an absence (w-event privacy): a move counts twice
    presence added        a person may be missing in any m timestamps, or be there (w-event privacy); a move then costs 2 epsilon

Two lengths have names: event-level privacy (`Level.EVENT`) is one context, and user-level privacy (`Level.USER`) as many as the
time grid has timestamps, so that no window is longer.

`advice` says, from public facts alone, which method to use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from tacita.errors import ParameterError
from tacita.privacy.windows import MOST_CONTEXTS, CommonWindow, OwnWindows, Windows
from tacita.public.parameters import Chosen, one_of, whole_number
from tacita.public.time_grid import TimeGrid

__all__ = ["Level", "Presence", "Protection", "advice", "checked_contexts", "contexts_in"]


class Presence(StrEnum):
    """What two neighbouring streams may differ in."""

    PUBLIC = "public"
    CHANGED = "changed"
    ADDED = "added"


class Level(StrEnum):
    """Numbers of contexts that have a name."""

    EVENT = "event"
    USER = "user"


def checked_contexts(contexts: int | str) -> int | Level:
    """A number of contexts, or a level by its name."""
    if isinstance(contexts, str):
        return one_of(Level, contexts, name="contexts")
    return whole_number(contexts, name="contexts", least=1, most=MOST_CONTEXTS)


def contexts_in(contexts: int | str, grid: TimeGrid | None) -> int:
    """The number of contexts that are protected together on a time grid.

    >>> contexts_in("event", None), contexts_in("user", TimeGrid(start=0, interval=1, intervals=96))
    (1, 96)
    """
    if contexts == Level.EVENT:
        return 1
    if contexts != Level.USER:
        return int(contexts)
    if grid is None:
        message = "user-level privacy protects all timestamps of a time grid, so the grid must be known"
        raise ParameterError(message)
    return whole_number(grid.intervals, name="the number of timestamps of user-level privacy", least=1, most=MOST_CONTEXTS)


@dataclass(frozen=True, kw_only=True)
class Protection:
    """How many successive contexts are protected together, for everybody or for single people, and against what."""

    contexts: int
    presence: Chosen[Presence] = Chosen(Presence, Presence.PUBLIC)
    contexts_of: Mapping[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the numbers; a window for each person needs people who are named."""
        for contexts in (self.contexts, *self.contexts_of.values()):
            whole_number(contexts, name="contexts", least=1, most=MOST_CONTEXTS)

    @property
    def sensitivity(self) -> int:
        """By how much one context changes the counts of all cells in sum."""
        return 1 if self.presence is Presence.ADDED else 2

    @property
    def names_people(self) -> bool:
        """Whether a mechanism may know who takes part."""
        return self.presence is Presence.PUBLIC

    @property
    def longest(self) -> int:
        """The longest window of anybody."""
        return max([self.contexts, *self.contexts_of.values()])

    def windows(self) -> Windows:
        """An empty ledger that holds everybody to this protection."""
        if self.names_people:
            return OwnWindows(contexts=self.contexts, longer=self.contexts_of)
        return CommonWindow(contexts=self.longest)


# Which method to use. The rules come from the measurements in `docs/reference/measured-streams.md`, which separate the methods
# by two ratios: the noise of a count that is measured at every timestamp, and that of one measured once in a window, each
# against the mean count of a cell.

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
