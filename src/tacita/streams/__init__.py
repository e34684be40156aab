"""Streams: who is where, published timestamp by timestamp while it goes on.

Read `protection` (who is protected, how long, and which method to use) and `questions` (what may be asked of one timestamp, and
how windows are held to the budget) first; then what runs: `pace` (the default) and `schedules` (UNIFORM, Sample, Adj, MMD, MA);
then `methods` and `publishing` (the verbs that they share). `records` has the private events, `published` a release. `service`
publishes a stream that goes on.
"""

from tacita.registered import loaded_when_used

_HOMES = {
    "tacita.streams.methods": ("Pace", "Republish", "Sample", "Strategy", "Uniform"),
    "tacita.streams.protection": ("Level", "Presence", "Protection"),
    "tacita.streams.published": (
        "PublishedStream",
        "StreamReading",
        "opened_stream",
        "output_format",
        "read_published_stream",
        "stream_reading",
    ),
    "tacita.streams.records": ("StreamRecords", "no_events", "read_for_kind", "read_stream"),
}
"""The modules of the public names; type checkers read `__init__.pyi`, which is generated from this."""

__getattr__, __dir__ = loaded_when_used(__name__, _HOMES)
