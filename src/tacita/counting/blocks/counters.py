"""The protocols of counting, implemented on blocks, and an asker for blocks on one machine.

Each method records or asks what the local counter of that name would be given or asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.arrays.scatter import Coding
from tacita.counting.blocks.conversation import ROOT, Answer, Asker, Conversation, Player, Question
from tacita.counting.protocols import (
    GramCounts,
    ItemCounts,
    MarginalCounts,
    PartitionCounts,
    PrefixCounts,
    SequenceCounts,
    StepCounts,
    Tally,
    TimeCounts,
)
from tacita.io.blocks.spill import few_at_once
from tacita.public.ladder import CellLayout
from tacita.public.steps import StepCodes
from tacita.public.time_grid import GapCells, VisitCells

__all__ = ["BasketCountsOfBlocks", "LocalBlocks", "SequenceCountsOfBlocks", "TableCountsOfBlocks"]

Ranges = Sequence[tuple[int, int]]


class SequenceCountsOfBlocks:
    """Counts of sequences in blocks."""

    def __init__(self, asker: Asker | Conversation, number: int = ROOT) -> None:
        """Begin a conversation, or go on with one about the counter of this number."""
        self._conversation = asker if isinstance(asker, Conversation) else Conversation(asker)
        self._number = number

    def lengths(self, *, longest: int) -> list[int]:
        """How many sequences have 1, 2, ... symbols."""
        found: list[int] = self._conversation.ask(self._number, "lengths", longest=longest)
        return found

    def prefixes(self, *, end: int | None = None) -> PrefixCounts:
        """A counter of how prefixes continue."""
        return _Prefixes(self._conversation, *self._conversation.make(self._number, "prefixes", end=end))

    def grams(self, *, symbols: int, max_length: int, cut: int | None = None) -> GramCounts:
        """A counter of how grams continue."""
        made = self._conversation.make(self._number, "grams", symbols=symbols, max_length=max_length, cut=cut)
        return _Grams(self._conversation, *made)

    def steps(self, *, max_length: int) -> StepCounts:
        """A counter of symbols, steps, ends and shapes."""
        return _Steps(self._conversation, *self._conversation.make(self._number, "steps", max_length=max_length))

    def untimed(self, *, labels: int) -> SequenceCounts:
        """The same sequences without their times."""
        (number,) = self._conversation.make(self._number, "untimed", labels=labels)
        return SequenceCountsOfBlocks(self._conversation, number)

    def times(self, *, labels: int, max_length: int) -> TimeCounts:
        """A counter of times."""
        made = self._conversation.make(self._number, "times", labels=labels, max_length=max_length)
        return _Times(self._conversation, *made)


class BasketCountsOfBlocks:
    """Counts of baskets in blocks."""

    def __init__(self, asker: Asker) -> None:
        """Begin a conversation."""
        self._conversation = Conversation(asker)

    def partitions(self, *, place_of: Integers) -> PartitionCounts:
        """A counter of how partitions split."""
        return _Partitions(self._conversation, *self._conversation.make(ROOT, "partitions", place_of=place_of))

    def itemsets(self, *, items: int) -> ItemCounts:
        """A counter of items and itemsets."""
        return _Items(self._conversation, *self._conversation.make(ROOT, "itemsets", items=items))

    def masks(self, *, items: int) -> Tally:
        """How many baskets equal each set."""
        found: Tally = self._conversation.ask(ROOT, "masks", items=items)
        return found

    def different(self, *, symbols: int) -> tuple[Ragged, Integers]:
        """The different baskets, and how many people have each."""
        found: tuple[Ragged, Integers] = self._conversation.ask(ROOT, "different", symbols=symbols)
        return found


class TableCountsOfBlocks:
    """Counts of the rows of a table in blocks."""

    def __init__(self, asker: Asker) -> None:
        """Begin a conversation."""
        self._conversation = Conversation(asker)

    def class_counts(self, column: int, low: int, high: int) -> Integers:
        """How many rows of each class have a value in a range of a column."""
        found: Integers = self._conversation.ask(ROOT, "class_counts", column, low, high)
        return found

    def cell_counts(self, cuts: Sequence[Integers]) -> Tally:
        """How many rows are in each cell."""
        found: Tally = self._conversation.ask(ROOT, "cell_counts", cuts)
        return found

    def coded(self, codings: Sequence[Coding]) -> MarginalCounts:
        """A counter of some columns by their codes."""
        return _Marginals(self._conversation, *self._conversation.make(ROOT, "coded", codings=codings))


@dataclass(frozen=True, eq=False)
class _Counter:
    """A counter on every block, known by its number in a conversation."""

    conversation: Conversation
    number: int


class _Prefixes(_Counter):
    def counts(self, layout: CellLayout) -> Tally:
        found: Tally = self.conversation.ask(self.number, "counts", layout)
        return found

    def keep(self, layout: CellLayout, kept: Integers) -> None:
        self.conversation.tell(self.number, "keep", layout, kept)

    def descend(self) -> None:
        self.conversation.tell(self.number, "descend")

    def advance(self, prefix_of: list[Integers]) -> None:
        self.conversation.tell(self.number, "advance", prefix_of)


class _Grams(_Counter):
    def beginnings(self) -> GramCounts:
        return _Grams(self.conversation, *self.conversation.make(self.number, "beginnings"))

    def counts(self) -> tuple[Integers, Integers, Integers]:
        found: tuple[Integers, Integers, Integers] = self.conversation.ask(self.number, "counts")
        return found

    def follow(self, groups: Integers, cells: Integers) -> None:
        self.conversation.tell(self.number, "follow", groups, cells)

    def repeated(self, last: Integers, times: int) -> Tally:
        found: Tally = self.conversation.ask(self.number, "repeated", last, times)
        return found

    def follow_repeated(self, last: Integers, times: int, groups: Integers) -> None:
        self.conversation.tell(self.number, "follow_repeated", last, times, groups)


class _Steps(_Counter):
    def symbols(self, *, labels: int, most: int, squared: bool = False) -> Tally:
        found: Tally = self.conversation.ask(self.number, "symbols", labels=labels, most=most, squared=squared)
        return found

    def steps(self, codes: StepCodes, *, most: int, squared: bool = False) -> Tally:
        found: Tally = self.conversation.ask(self.number, "steps", codes, most=most, squared=squared)
        return found

    def repeats(self, *, labels: int) -> Tally:
        found: Tally = self.conversation.ask(self.number, "repeats", labels=labels)
        return found

    def ends(self, codes: StepCodes, *, together: bool) -> Tally:
        found: Tally = self.conversation.ask(self.number, "ends", codes, together=together)
        return found

    def shapes(self, edges: Integers, *, labels: int) -> Tally:
        found: Tally = self.conversation.ask(self.number, "shapes", edges, labels=labels)
        return found

    def company(self, members: Integers) -> Tally:
        found: Tally = self.conversation.ask(self.number, "company", members)
        return found


class _Times(_Counter):
    def beginnings(self, class_of: Integers, *, intervals: int) -> Tally:
        found: Tally = self.conversation.ask(self.number, "beginnings", class_of, intervals=intervals)
        return found

    def repeats(self) -> Tally:
        found: Tally = self.conversation.ask(self.number, "repeats")
        return found

    def visits(self, cells: VisitCells, *, most: int, squared: bool = False) -> Tally:
        found: Tally = self.conversation.ask(self.number, "visits", cells, most=most, squared=squared)
        return found

    def gaps(self, cells: GapCells, *, most: int, squared: bool = False) -> Tally:
        found: Tally = self.conversation.ask(self.number, "gaps", cells, most=most, squared=squared)
        return found


class _Partitions(_Counter):
    def counts(self, children: Ranges, partitions: Integers) -> tuple[Integers, Integers, Integers]:
        found: tuple[Integers, Integers, Integers] = self.conversation.ask(self.number, "counts", children, partitions)
        return found

    def keep(self, children: Ranges, partitions: Integers, *, kept: Integers, become: Integers) -> None:
        self.conversation.tell(self.number, "keep", children, partitions, kept=kept, become=become)


class _Items(_Counter):
    def sizes(self, least: Integers) -> Tally:
        found: Tally = self.conversation.ask(self.number, "sizes", least)
        return found

    def shares(self, *, least: int, most: int | None, shared_from: int, whole: int, squared: bool = False) -> Tally:
        asked = {"least": least, "most": most, "shared_from": shared_from, "whole": whole, "squared": squared}
        found: Tally = self.conversation.ask(self.number, "shares", **asked)
        return found

    def onto(self, core: Integers) -> tuple[ItemCounts, ItemCounts]:
        inside, outside = self.conversation.make(self.number, "onto", number=2, core=core)
        return _Items(self.conversation, inside), _Items(self.conversation, outside)

    def core_sizes(self, core: Integers, *, most: int, least: Integers) -> Tally:
        found: Tally = self.conversation.ask(self.number, "core_sizes", core, most=most, least=least)
        return found

    def cut(self, *, most: int) -> ItemCounts:
        return _Items(self.conversation, *self.conversation.make(self.number, "cut", most=most))

    def itemsets(self, *, size: int, order: int, cells: int) -> Tally:
        found: Tally = self.conversation.ask(self.number, "itemsets", size=size, order=order, cells=cells)
        return found


class _Marginals(_Counter):
    def marginals(self, sets: Sequence[tuple[int, ...]]) -> Integers:
        found: Integers = self.conversation.ask(self.number, "marginals", sets)
        return found


# Blocks on one machine, counted by a few threads: NumPy lets several of them work at once.

ROOM = 4 << 30
"""Bytes of counters that are kept between questions; what does not fit is counted again from the beginning."""

_numbers = count()


@dataclass(eq=False, kw_only=True)
class LocalBlocks:
    """An asker for blocks that this process can load one by one."""

    blocks: int
    load: Callable[[int], Ragged]
    """The lists of a block."""
    counted: Callable[[Ragged], object]
    """The counts of lists, as the local engine has them."""
    room: int = ROOM
    purpose: str = field(default_factory=lambda: f"blocks {next(_numbers)}")
    _player: Player = field(init=False)

    def __post_init__(self) -> None:
        """Remember nothing yet."""
        self._player = Player(self.room)

    def answers(self, question: Question) -> Iterator[tuple[int, Answer]]:
        """Ask all blocks, a few at a time, so that few answers wait to be added up."""
        numbers = range(self.blocks)
        return zip(numbers, few_at_once(partial(self._answer, question), numbers), strict=True)

    def _answer(self, question: Question, number: int) -> Answer:
        return self._player.answer(question, number, lambda: self.counted(self.load(number)))
