"""A publisher that runs for months: reads events, closes timestamps by a clock, and never spends twice.

Read `serving` (what it is made of) and `publisher` (the loop) first; then `intake` (which event belongs to which timestamp, and
which window to whom), `journal` (the one durable log), `sources`, `topics` and `spark_source` (where events come from) and
`outbox` (what leaves).
"""

from tacita.streams.service.intake import Clock, Settings
from tacita.streams.service.outbox import JsonLines, Outbox, ParquetParts
from tacita.streams.service.publisher import Publisher
from tacita.streams.service.serving import Service
from tacita.streams.service.sources import BadEvents, Batch, EventLines, FileSource, IteratorSource, PipeSource, Source
from tacita.streams.service.topics import KafkaSource, NatsSource

__all__ = [
    "BadEvents",
    "Batch",
    "Clock",
    "EventLines",
    "FileSource",
    "IteratorSource",
    "JsonLines",
    "KafkaSource",
    "NatsSource",
    "Outbox",
    "ParquetParts",
    "PipeSource",
    "Publisher",
    "Service",
    "Settings",
    "Source",
]
