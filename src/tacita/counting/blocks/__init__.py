"""Counting blocks of people wherever they are: a conversation is recorded, and replayed on each block.

Everything that a mechanism tells a counter (layouts, kept cells) is public or noisy, and every answer is a sum over records. So
what was told is recorded as a list of events, the local engine's own counters replay it on a block, and the answers of all
blocks are added up; all of this is in `conversation`. `counters` implements the protocols of counting on top of that. Who
brings events to blocks and answers back is an `Asker`: `LocalBlocks` does it in one process, Spark on a cluster.

An asker is not trusted to be right: every block must answer every question exactly once.
"""

from tacita.counting.blocks.conversation import Asker, Conversation, Event, Player, Question
from tacita.counting.blocks.counters import BasketCountsOfBlocks, LocalBlocks, SequenceCountsOfBlocks, TableCountsOfBlocks

__all__ = [
    "Asker",
    "BasketCountsOfBlocks",
    "Conversation",
    "Event",
    "LocalBlocks",
    "Player",
    "Question",
    "SequenceCountsOfBlocks",
    "TableCountsOfBlocks",
]
