"""Sequences: visits, trips, clicks, one ordered list per person; and their default method."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.kinds.options import ENGINE, GRID_OPTIONS, PLACE_OPTIONS, POINT_OPTIONS, TAXONOMY_OPTIONS, TIMED_READING_OPTIONS
from tacita.kinds.registration import Facts, Kind, Method, Option, Selection, height

__all__ = ["KIND", "MAX_NODES", "THRESHOLD", "choose_for_sequences"]

_TAXONOMY = Option(
    field_name="taxonomy",
    metavar="FILE",
    help="the public tree over the labels: a .csv with a header, columns from fine to coarse; makes a prefix tree hybrid",
)
MAX_NODES = Option(
    field_name="max_nodes",
    convert=int,
    metavar="N",
    help="stop with an error before a noisy tree has more than N nodes",
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
        "cut sequences after N symbols; fix it without looking at the data, or write private:LONGEST to have a "
        "length up to LONGEST chosen with a share of the budget"
    ),
)

PREFIX_TREE = Method(
    name="prefix-tree",
    kind="sequences",
    loads="tacita.sequences:PrefixTree",
    audited="tacita.auditing.cases.sequences:Trees",
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
            help=("how noisy counts are made consistent: not at all, as published, by exact least squares, or corrected too"),
        ),
        Option(
            field_name="lost",
            choices=("end", "continue"),
            help="what happens to sequences that are lost in the noise: they end there, or continue as others did",
        ),
        _WITH_COUNTS,
        MAX_NODES,
    ),
)

NGRAM = Method(
    name="ngram",
    kind="sequences",
    loads="tacita.sequences:NGram",
    audited="tacita.auditing.cases.sequences:Grams",
    keeps="what follows what, up to a few symbols back",
    options=(
        _MAX_LENGTH,
        Option(field_name="max_gram", convert=int, metavar="N", help="count grams of up to N symbols"),
        Option(
            field_name="allocation",
            choices=("adaptive", "uniform", "level-wise"),
            help=(
                "divide the budget along a path by its expected length (adaptive), equally, or by a length that is estimated "
                "level by level"
            ),
        ),
        Option(
            field_name="missing",
            choices=("markov", "zero"),
            help="counts that were not released are inferred from shorter grams (markov), or taken as 0 (zero)",
        ),
        THRESHOLD,
        Option(
            field_name="synthesis",
            choices=("generated", "joined"),
            help="generate sequences from a model fitted to all counts, or join them from grams as published",
        ),
        Option(field_name="with_grams", switch=True, help="release the noisy grams too, as grams.csv beside the sequences"),
        MAX_NODES,
    ),
)

RAKED = Method(
    name="raked",
    kind="sequences",
    loads="tacita.sequences:Raked",
    audited="tacita.auditing.cases.sequences:Steps",
    keeps="lengths, steps, ends, round trips, with times if wanted",
    has_gaussian=True,
    options=(_MAX_LENGTH, _WITH_COUNTS),
)

KIND = Kind(
    name="sequences",
    noun="sequence",
    about="trips, visits, clicks: one ordered list per person, with times if wanted",
    in_parts=True,
    public_options=(*PLACE_OPTIONS, *TAXONOMY_OPTIONS, *GRID_OPTIONS),
    inputs="tacita.kinds.words:labels_and_times",
    reading_options=(*TIMED_READING_OPTIONS, *POINT_OPTIONS, ENGINE),
    reading="tacita.kinds.words:timed_reading",
    read="tacita.sequences:read_for_kind",
    nobody="tacita.sequences:no_sequences",
    output_format="tacita.kinds.words:output_format",
    observed="tacita.kinds.words:observed_labels",
    opened="tacita.sequences:opened_sequences",
    reported="tacita.utility.sequences:sections",
    answered="tacita.sequences.answers:SequenceAnswers",
    judged="tacita.utility.sequences:judged",
    drawn="tacita.utility.sequences:pictures",
    drawn_by_groups=True,
    sections={"labels": "labels, without their times", "visits": "visits: labels together with the intervals of their times"},
    tasks="tacita.utility.tasks:on_sequences",
    without_noise="tacita.utility.sequences:noiseless_report",
    floors="tacita.utility.sequences:standing",
    forecast="tacita.forecasts.sequences:forecast_request",
    attacked="tacita.attacks.commands:on_sequences",
    case="tacita.auditing.cases.sequences:SequenceCase",
    worlds=("metro", "bus", "stm", "stm342"),
    example=("--epsilon", "1"),
    methods=(PREFIX_TREE, NGRAM, RAKED),
    chooses="tacita.kinds.sequences:choose_for_sequences",
    measures={
        "people": "counts of people by two or three places",
        "returns": "numbers of different places, and round trips",
        "orders": "which place comes after which",
        "patterns": "the most frequent patterns",
        "lengths": "how long sequences are",
        "ends": "first and last places together",
    },
)


# Which method publishes sequences if the owner names none: a rule from what was measured on simulated and real data.
#
# It is `raked`, which had lower errors than the others on processes, pathways, tours and clicks in almost every measure
# (`docs/reference/measured-raked.md`); with times, its tables of places and hours were closer to the truth than those of a prefix
# tree, and about as close as two noisy marginals or closer (`docs/reference/measured-times.md`). Only grids of thousands of
# intervals are left to the tree. If sequences have two or three symbols and no times, a prefix tree counts them whole, and is
# better at people and patterns.

TREE, BEST = "prefix-tree", "raked"

USUAL_HEIGHT, SHORT = 12, 3
MOST_INTERVALS = 2_000
"""As many as raked takes; this module imports nothing heavy, and a test compares them."""


def choose_for_sequences(facts: Facts, among: Sequence[Method]) -> Selection:
    """Raked, unless what matters most is better kept by another."""
    names = [method.name for method in among]
    if facts.has_delta and names == [BEST]:
        return Selection(method=BEST, because="no other takes a delta")
    if facts.has_times and {BEST, TREE} & set(names):
        return _with_times(facts, names)
    if len(names) == 1 or BEST not in names:
        because = "no other takes these parameters"
        return _tree(facts, because) if names[0] == TREE else Selection(method=names[0], because=because)
    if TREE in names and facts.measure in {"people", "patterns"} and facts.longest is not None and facts.longest <= SHORT:
        return _tree(facts, f"no record has more than {SHORT} symbols, and it counts such records whole")
    said = "nearly every measure" if facts.measure is None else facts.measure
    return Selection(method=BEST, because=f"it had the lowest or near-lowest error in {said} on the data that was measured")


def _with_times(facts: Facts, names: Sequence[str]) -> Selection:
    if BEST in names and (facts.intervals or 0) <= MOST_INTERVALS:
        return Selection(method=BEST, because="its places and hours were the closest to the truth on data with times")
    because = "of these methods, only it publishes this many intervals, or takes these parameters"
    return _tree(facts, because) if TREE in names else Selection(method=BEST, because="no other takes these parameters")


def _tree(facts: Facts, because: str) -> Selection:
    height = USUAL_HEIGHT if facts.longest is None else min(USUAL_HEIGHT, facts.longest)
    return Selection(method=TREE, because=because, parameters={"height": height})
