"""Streams: who is where, published timestamp by timestamp while it goes on.

Read `protection` (who is protected, how long, and which method to use) and `questions` (what may be asked of one timestamp, and
how windows are held to the budget) first; then what runs: `pace` (the default) and `schedules` (UNIFORM, Sample, Adj, MMD, MA);
then `methods` and `publishing` (the verbs that they share). `records` has the private events, `published` a release. `service`
publishes a stream that goes on.
"""

from tacita.streams.methods import Pace, Republish, Sample, Strategy, Uniform
from tacita.streams.protection import Level, Presence, Protection
from tacita.streams.published import (
    PublishedStream,
    StreamReading,
    opened_stream,
    output_format,
    read_published_stream,
    stream_reading,
)
from tacita.streams.records import StreamRecords, no_events, read_for_kind, read_stream

__all__ = [
    "Level",
    "Pace",
    "Presence",
    "Protection",
    "PublishedStream",
    "Republish",
    "Sample",
    "Strategy",
    "StreamReading",
    "StreamRecords",
    "Uniform",
    "no_events",
    "opened_stream",
    "output_format",
    "read_for_kind",
    "read_published_stream",
    "read_stream",
    "stream_reading",
]
