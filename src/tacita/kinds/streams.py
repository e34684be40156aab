"""Streams: events of people with a status, counted per cell at each timestamp while they go on."""

from __future__ import annotations

from tacita.kinds.options import GRID_OPTIONS, PLACE_OPTIONS, POINT_OPTIONS, TIMED_READING_OPTIONS
from tacita.kinds.registration import Kind, Method, Option, level

__all__ = ["CONTEXTS", "KIND", "PRESENCE"]

CONTEXTS = Option(
    field_name="contexts",
    convert=level,
    metavar="M",
    help=(
        "how many successive contexts of a person are protected together; event (event-level privacy) is one, "
        "user (user-level privacy) as many as there are timestamps"
    ),
)
PRESENCE = Option(
    field_name="presence",
    choices=("public", "changed", "added"),
    help=(
        "whether it is public who takes part when (public), or protected too: any status or absence may be changed (changed), "
        "or a person added or removed (added)"
    ),
)

PACE = Method(
    name="pace",
    kind="streams",
    loads="tacita.streams:Pace",
    has_gaussian=True,
    keeps="the counts of all cells at every timestamp, by few and good measurements and filters",
    options=(
        CONTEXTS,
        PRESENCE,
        Option(
            field_name="expected_people",
            convert=int,
            metavar="N",
            help="a public guess, by order of magnitude, at how many people are there at a timestamp; for private presence",
        ),
    ),
    audited="tacita.auditing.cases.streams:paces",
)

REPUBLISH = Method(
    name="republish",
    kind="streams",
    loads="tacita.streams:Republish",
    keeps="the counts at timestamps that differ from all published before (Adj, MMD, MA; BD where presence is private)",
    options=(
        CONTEXTS,
        PRESENCE,
        Option(
            field_name="strategy",
            choices=("adjacent", "similar", "average"),
            help="what may represent a timestamp: the last histogram, one of the past, or a mean of the last ones",
        ),
        Option(
            field_name="past",
            convert=int,
            metavar="K",
            help="on how many published histograms republish looks back",
        ),
    ),
    audited="tacita.auditing.cases.streams:republishes",
)

UNIFORM = Method(
    name="uniform",
    kind="streams",
    loads="tacita.streams:Uniform",
    keeps="the counts of every timestamp, each with the same share of the budget",
    options=(CONTEXTS, PRESENCE),
    audited="tacita.auditing.cases.streams:uniforms",
)

SAMPLE = Method(
    name="sample",
    kind="streams",
    loads="tacita.streams:Sample",
    keeps="the counts of one timestamp in every window, repeated in between",
    options=(CONTEXTS, PRESENCE),
    audited="tacita.auditing.cases.streams:samples",
)

LONGER_WINDOWS = Option(
    field_name="longer_windows",
    metavar="FILE",
    help="a public list of people with more protected contexts than all others: a CSV file with the columns id and contexts",
)

_UNREAD = {"record", "per_person", "strict"}

KIND = Kind(
    name="streams",
    noun="event",
    about="events of people with a status, counted per cell at each timestamp",
    rows_are_records=True,
    whole="a stream",
    pieces="timestamps",
    length_is_public=True,
    records_have_lengths=False,
    public_options=(*PLACE_OPTIONS, *GRID_OPTIONS),
    inputs="tacita.kinds.words:labels_and_times",
    reading_options=(
        *(option for option in TIMED_READING_OPTIONS if option.field_name not in _UNREAD),
        *POINT_OPTIONS,
        LONGER_WINDOWS,
    ),
    reading="tacita.streams:stream_reading",
    read="tacita.streams:read_for_kind",
    nobody="tacita.streams:no_events",
    output_format="tacita.streams:output_format",
    opened="tacita.streams:opened_stream",
    reported="tacita.utility.streams:sections",
    answered="tacita.streams.published:StreamAnswers",
    judged="tacita.utility.streams:judged",
    drawn="tacita.utility.streams:pictures",
    compared="tacita.utility.streams:compare",
    live="tacita.streams.service",
    case="tacita.auditing.cases.streams:StreamCase",
    forecast="tacita.forecasts.streams:forecast_request",
    sections={"streams": "the stream"},
    evaluation="tacita-evaluate-streams-1",
    worlds=("stream",),
    example=(
        *("--method", "pace", "--contexts", "40", "--epsilon", "1"),
        *("--time-start", "0", "--time-step", "1", "--time-intervals", "96"),
    ),
    methods=(PACE, REPUBLISH, UNIFORM, SAMPLE),
)
