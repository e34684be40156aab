"""From noisy answers to raked sequences. Behind the wall: nothing here may see a record or a true count.

Read `lengths` (how many people, and how long their sequences are), `symbols` (which symbols have rows of their own), `chain`
(what follows what), `pool` (lookalikes, and how they are raked to all answers) and `timing` (when they are where).
"""

from tacita.sequences.raked.synthesis.chain import chain_of
from tacita.sequences.raked.synthesis.lengths import Cap, Lengths, Repeats, lengths_of, single_lengths
from tacita.sequences.raked.synthesis.pool import Answers, Pool, Visits, pool_of, repeated_singly
from tacita.sequences.raked.synthesis.symbols import Ends, Noisy, Symbols, asks_steps, symbols_of
from tacita.sequences.raked.synthesis.timing import NoisyTimes, timed

__all__ = [
    "Answers",
    "Cap",
    "Ends",
    "Lengths",
    "Noisy",
    "NoisyTimes",
    "Pool",
    "Repeats",
    "Symbols",
    "Visits",
    "asks_steps",
    "chain_of",
    "lengths_of",
    "pool_of",
    "repeated_singly",
    "single_lengths",
    "symbols_of",
    "timed",
]
