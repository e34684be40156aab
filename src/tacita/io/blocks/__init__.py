"""Files that do not fit into memory, or lie on a cluster: divided into blocks of people by a hash of the id.

Read in this order: `pieces` (the rows of a part that belong to a block, as bytes, and one list per person from all pieces of a
block), `spill` (both together, for the code that moves pieces; pieces and blocks in unnamed files of one machine, and when to use
them).

The mover of pieces is trusted with one thing only, that the pieces of a block end up together, and even that is checked: every
id must hash to its block. Rows are sorted here, by id, time and label, so the result depends on no order that they arrive in.
"""

from tacita.io.blocks.pieces import Block, BlockRules, assembled, block_of_lists, bucket_of_numbers, cut_into_pieces
from tacita.io.blocks.spill import (
    BlockFiles,
    Cut,
    EventsCut,
    blocks_of_pieces,
    fits_memory,
    is_large,
    lists_in_memory,
    number_of_blocks,
    spilled,
    stored_blocks,
)

__all__ = [
    "Block",
    "BlockFiles",
    "BlockRules",
    "Cut",
    "EventsCut",
    "assembled",
    "block_of_lists",
    "blocks_of_pieces",
    "bucket_of_numbers",
    "cut_into_pieces",
    "fits_memory",
    "is_large",
    "lists_in_memory",
    "number_of_blocks",
    "spilled",
    "stored_blocks",
]
