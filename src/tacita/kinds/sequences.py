"""Sequences: visits, trips, clicks, one ordered list per person."""

from __future__ import annotations

from tacita.kinds.options import ENGINE, GRID_OPTIONS, TAXONOMY_OPTIONS, TIMED_READING_OPTIONS, UNIVERSE
from tacita.kinds.registration import Kind, Method, Option
from tacita.kinds.values import height

__all__ = ["KIND", "MAX_NODES", "THRESHOLD"]

_TAXONOMY = Option(
    field_name="taxonomy",
    metavar="FILE",
    help="the public tree over the labels: a .csv with a header, columns from fine to coarse; makes a prefix tree hybrid",
)
MAX_NODES = Option(
    field_name="max_nodes",
    convert=int,
    metavar="N",
    help="stop with an error before a noisy tree has more than N nodes (20000000)",
)
THRESHOLD = Option(
    field_name="threshold",
    choices=("default", "published"),
    help="how large a noisy count must be to be kept: by a bound on false ones (default), or by the paper's rule (published)",
)
_WITH_COUNTS = Option(
    field_name="with_counts",
    switch=True,
    help="release the noisy counts too, as counts.csv, so that recipients have error bars",
)
_MAX_LENGTH = Option(
    field_name="max_length",
    convert=height,
    metavar="N",
    help=(
        "cut sequences after N symbols (20); fix it without looking at the data, or write private:LONGEST to have a "
        "length up to LONGEST chosen with a share of the budget"
    ),
)

PREFIX_TREE = Method(
    name="prefix-tree",
    kind="sequences",
    loads="tacita.sequences:PrefixTree",
    audited="tacita.audit.subjects.sequences:Trees",
    keeps="how sequences begin, with times if wanted",
    options=(
        Option(
            field_name="height",
            convert=height,
            metavar="N",
            help=(
                "cut sequences after N symbols; fix it without looking at the data, or write private:LONGEST to have a height "
                "up to LONGEST chosen with a share of the budget"
            ),
        ),
        Option(
            field_name="granularity",
            choices=("simple", "hybrid"),
            help="ask for the next symbol at once (simple), or group by group (hybrid; needs a taxonomy or times)",
        ),
        _TAXONOMY,
        THRESHOLD,
        Option(
            field_name="inference",
            choices=("none", "two-phase", "exact", "corrected"),
            help=(
                "how noisy counts are made consistent: not at all, as published, by exact least squares (default), "
                "or corrected too"
            ),
        ),
        Option(
            field_name="lost",
            choices=("end", "continue"),
            help="what happens to sequences that are lost in the noise: they end there (default), or continue as others did",
        ),
        _WITH_COUNTS,
        MAX_NODES,
    ),
)

NGRAM = Method(
    name="ngram",
    kind="sequences",
    loads="tacita.sequences:NGram",
    audited="tacita.audit.subjects.sequences:Grams",
    keeps="what follows what, up to a few symbols back",
    options=(
        _MAX_LENGTH,
        Option(field_name="max_gram", convert=int, metavar="N", help="count grams of up to N symbols (5)"),
        Option(
            field_name="allocation",
            choices=("adaptive", "uniform", "level-wise"),
            help=(
                "divide the budget along a path by its expected length (default), equally, or by a length that is estimated "
                "level by level"
            ),
        ),
        Option(
            field_name="missing",
            choices=("markov", "zero"),
            help="counts that were not released are inferred from shorter grams (default), or taken as 0",
        ),
        THRESHOLD,
        Option(
            field_name="synthesis",
            choices=("generated", "joined"),
            help="generate sequences from a model fitted to all counts (default), or join them from grams as published",
        ),
        Option(field_name="with_grams", switch=True, help="release the noisy grams too, as grams.csv beside the sequences"),
        MAX_NODES,
    ),
)

ITINERARY = Method(
    name="itinerary",
    kind="sequences",
    loads="tacita.sequences:Itineraries",
    audited="tacita.audit.subjects.sequences:Returns",
    keeps="orders, returns and who was where, all at once, with times if wanted",
    options=(
        _MAX_LENGTH,
        Option(field_name="max_gram", convert=int, metavar="N", help="count grams of up to N places where they are frequent (5)"),
        Option(
            field_name="recent",
            convert=int,
            metavar="N",
            help="tell apart returns to the last N different places (4); a return further back is one letter",
        ),
        _WITH_COUNTS,
        MAX_NODES,
    ),
)

KIND = Kind(
    name="sequences",
    noun="sequence",
    about="trips, visits, clicks: one ordered list per person, with times if wanted",
    public_options=(UNIVERSE, *TAXONOMY_OPTIONS, *GRID_OPTIONS),
    inputs="tacita.kinds.words:labels_and_times",
    reading_options=(*TIMED_READING_OPTIONS, ENGINE),
    reading="tacita.kinds.words:timed_reading",
    read="tacita.sequences:read_for_kind",
    reader="tacita.sequences:read_sequences",
    nobody="tacita.sequences:no_sequences",
    output_format="tacita.kinds.words:output_format",
    observed="tacita.kinds.words:observed_labels",
    opened="tacita.sequences:opened_sequences",
    reported="tacita.utility.sequences:sections",
    answered="tacita.sequences.answers:SequenceAnswers",
    drawn="tacita.utility.pictures.sequences:pictures",
    drawn_by_groups=True,
    sections={"labels": "labels, without their times", "visits": "visits: labels together with the intervals of their times"},
    tasks="tacita.utility.tasks:on_sequences",
    without_noise="tacita.utility.noiseless:noiseless_report",
    floors="tacita.utility.sequence_floors:standing",
    forecast="tacita.forecasts.sequences:forecast_request",
    attacked="tacita.attacks.commands:on_sequences",
    case="tacita.audit.cases.sequences:SequenceCase",
    worlds=("metro", "bus", "stm", "stm342"),
    example=("--epsilon", "1"),
    names=dict.fromkeys(
        (
            "Allocation",
            "CountedSequences",
            "Granularity",
            "Itineraries",
            "Lost",
            "Missing",
            "NGram",
            "PrefixTree",
            "PrivateLength",
            "PublishedSequences",
            "SequenceRecords",
            "Synthesis",
            "Threshold",
            "open_sequences",
            "read_published",
            "read_sequences",
        ),
        "tacita.sequences",
    )
    | {"Inference": "tacita.trees"},
    methods=(PREFIX_TREE, NGRAM, ITINERARY),
    chooses="tacita.sequences.choosing:choose_for_sequences",
    measures={
        "people": "counts of people by two or three places",
        "returns": "numbers of different places, and round trips",
        "orders": "which place comes after which",
        "patterns": "the most frequent patterns",
        "lengths": "how long sequences are",
        "ends": "first and last places together",
    },
)
