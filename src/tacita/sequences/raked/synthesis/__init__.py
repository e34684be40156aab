"""From noisy answers to raked sequences. Behind the wall: nothing here may see a record or a true count.

Read `lengths` (how many people, and how long their sequences are), `symbols` (which symbols have rows of their own), `chain`
(what follows what) and `pool` (lookalikes, and how they are raked to all answers).
"""

from tacita.sequences.raked.synthesis.chain import chain_of
from tacita.sequences.raked.synthesis.lengths import Lengths, lengths_of
from tacita.sequences.raked.synthesis.pool import Answers, Pool, pool_of, repeated_singly
from tacita.sequences.raked.synthesis.symbols import Ends, Noisy, Symbols, asks_steps, symbols_of

__all__ = [
    "Answers",
    "Ends",
    "Lengths",
    "Noisy",
    "Pool",
    "Symbols",
    "asks_steps",
    "chain_of",
    "lengths_of",
    "pool_of",
    "repeated_singly",
    "symbols_of",
]
