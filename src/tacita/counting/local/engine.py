"""The local engine: the protocols of counting on columns that are held in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.counting.local.baskets import BasketCounter
from tacita.counting.local.grams import GramCounter
from tacita.counting.local.itineraries import ItineraryCounter
from tacita.counting.local.partitions import PartitionCounter
from tacita.counting.local.prefixes import PrefixCounter, length_counts
from tacita.counting.local.times import TimeCounter
from tacita.counting.local.whole import different_lists, mask_counts
from tacita.counting.protocols import GramCounts, ItemCounts, ItineraryCounts, PartitionCounts, PrefixCounts, Tally, TimeCounts

__all__ = ["LocalBasketCounts", "LocalSequenceCounts"]


@dataclass(frozen=True)
class LocalSequenceCounts:
    """Counts of sequences in memory."""

    sequences: Ragged = field(repr=False)

    def lengths(self, *, longest: int) -> list[int]:
        """How many sequences have 1, 2, ... symbols."""
        return length_counts(self.sequences, longest=longest)

    def prefixes(self, *, end: int | None = None) -> PrefixCounts:
        """A counter of how prefixes continue."""
        return PrefixCounter(self.sequences, end=end)

    def grams(self, *, symbols: int, max_length: int, cut: int | None = None) -> GramCounts:
        """A counter of how grams continue."""
        return GramCounter(self.sequences, symbols=symbols, max_length=max_length, cut=cut)

    def itineraries(self, *, max_length: int) -> ItineraryCounts:
        """A counter of letters and places."""
        return ItineraryCounter(self.sequences, max_length=max_length)

    def untimed(self, *, labels: int) -> LocalSequenceCounts:
        """The same sequences without their times."""
        return LocalSequenceCounts(Ragged(self.sequences.codes % labels, self.sequences.offsets))

    def times(self, *, labels: int, max_length: int) -> TimeCounts:
        """A counter of times."""
        return TimeCounter(self.sequences, labels=labels, max_length=max_length)


@dataclass(frozen=True)
class LocalBasketCounts:
    """Counts of baskets in memory."""

    baskets: Ragged = field(repr=False)

    def partitions(self, *, place_of: Integers) -> PartitionCounts:
        """A counter of how partitions split."""
        return PartitionCounter(self.baskets, place_of=place_of)

    def itemsets(self, *, items: int) -> ItemCounts:
        """A counter of items and itemsets."""
        return BasketCounter(self.baskets, items=items)

    def masks(self, *, items: int) -> Tally:
        """How many baskets equal each set."""
        return mask_counts(self.baskets, items=items)

    def different(self, *, symbols: int) -> tuple[Ragged, Integers]:
        """The different baskets and how many people have each."""
        return different_lists(self.baskets, symbols=symbols)
