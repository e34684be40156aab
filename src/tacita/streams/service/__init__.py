"""A publisher that runs for months: reads events, closes timestamps by a clock, and never spends twice.

Read `publisher` (the loop) first; then `intake` (which event belongs to which timestamp), `journal` (the one durable log),
`people` (who has which window), `sources` (where events come from) and `outbox` (what leaves).
"""

from tacita.streams.service.outbox import JsonLines, Outbox, ParquetParts
from tacita.streams.service.publisher import Publisher, Settings
from tacita.streams.service.sources import Batch, FileSource, IteratorSource, Source

__all__ = ["Batch", "FileSource", "IteratorSource", "JsonLines", "Outbox", "ParquetParts", "Publisher", "Settings", "Source"]
