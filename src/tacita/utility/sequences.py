"""The utility of released sequences: one report, the floor of a release, pictures, and what a run without noise would keep.

All of it is computed from raw data, without noise that would protect anybody. Passing it on means passing on private data: it is
for the owner's eyes only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from tacita.arrays.parts import changed
from tacita.arrays.ragged import Ragged, every_nth, offsets_of
from tacita.errors import ParameterError
from tacita.pictures import Picture
from tacita.privacy.paths import Paths
from tacita.privacy.questions import BlockQuestion, Cells
from tacita.privacy.release import Release
from tacita.public.taxonomy import Taxonomy
from tacita.seeded import public_generator
from tacita.sequences import Allocation, Missing, NGram, PrivateLength, PublishedSequences, SequenceRecords
from tacita.sequences.pictures import sequence_pictures
from tacita.utility.count_queries import QueryKind, QueryWorkload, measure_queries
from tacita.utility.distributions import Distributions, measure_distributions, measure_some, total_variation
from tacita.utility.floors import (
    INDEPENDENT,
    LONGEST,
    NOTHING,
    RELEASE,
    TOP,
    Asked,
    Standing,
    chosen_codes,
    epsilon_of,
    kept_columns,
    noisy_chances,
    noisy_sizes,
)
from tacita.utility.preservation import PatternKind, measure_patterns
from tacita.utility.rendering import (
    Utility,
    floor_pictures,
    lists_of,
    mean_length,
    require_records,
    require_share,
    require_tops,
    shapes_picture,
    universe_size,
)
from tacita.utility.verdict import Judged, Judgement

__all__ = [
    "PAPERS",
    "SequenceMeasures",
    "SequenceUtility",
    "independent_sequences",
    "independent_visits",
    "judged",
    "noiseless_report",
    "noiseless_sequences",
    "pictures",
    "report",
    "sections",
    "standing",
]


@dataclass(frozen=True, kw_only=True)
class SequenceMeasures:
    """What is measured; by default what the papers measure."""

    set_queries: QueryWorkload = QueryWorkload(longest=12, subsets=4)  # noqa: RUF009 - frozen
    occurrence_queries: QueryWorkload = QueryWorkload(longest=20, subsets=5)  # noqa: RUF009 - frozen
    sanity_share: float = 0.001
    tops: tuple[int, ...] = (20, 100, 300)
    min_pattern_length: int = 2
    max_pattern_length: int | None = None

    def __post_init__(self) -> None:
        """Check the share and the tops; the searches check the lengths."""
        require_share(self.sanity_share)
        require_tops(self.tops)


PAPERS = SequenceMeasures()


class SequenceUtility(Utility[Distributions]):
    """How useful released sequences are. For the owner's eyes only."""


def report(
    records: SequenceRecords | Ragged,
    release: Release[PublishedSequences] | PublishedSequences | Ragged,
    *,
    symbols: int | None = None,
    measures: SequenceMeasures = PAPERS,
) -> SequenceUtility:
    """Compare a release with the records it was made from; both must have the same universe.

    `symbols`, the size of the universe, is needed only if neither side carries a universe.
    """
    published = release.data if isinstance(release, Release) else release
    size = universe_size(records, published, symbols=symbols)
    raw, released = (lists_of(side, held="sequences") for side in (records, published))
    require_records(raw)
    workloads = {QueryKind.LOCATION_SET: measures.set_queries, QueryKind.OCCURRENCES: measures.occurrence_queries}
    return SequenceUtility(
        raw_records=len(raw),
        released_records=len(released),
        raw_mean_length=mean_length(raw),
        released_mean_length=mean_length(released),
        distributions=measure_distributions(raw, released, symbols=size),
        queries=tuple(
            error
            for kind, workload in workloads.items()
            for error in measure_queries(
                raw, released, symbols=size, kind=kind, workload=workload, sanity_share=measures.sanity_share
            )
        ),
        patterns=tuple(
            measure_patterns(
                raw,
                released,
                symbols=size,
                kind=kind,
                counts=measures.tops,
                min_length=measures.min_pattern_length,
                max_length=measures.max_pattern_length,
            )
            for kind in (PatternKind.GAPPED, PatternKind.CONTIGUOUS)
        ),
    )


def sections(records: SequenceRecords, published: PublishedSequences) -> dict[str, SequenceUtility | None]:
    """What `tacita evaluate` compares: the labels and, in a release with times, also the visits."""
    if published.grid is None:
        return {"labels": report(records, published), "visits": None}
    size = len(published.universe)
    sides = (records.sequences, published.sequences)
    labels = [changed(side, partial(_labels, size)) for side in sides]
    return {
        "labels": report(labels[0], labels[1], symbols=size),
        "visits": report(*sides, symbols=size * published.grid.intervals),
    }


def _labels(size: int, visits: Ragged) -> Ragged:
    """Visits without their times."""
    return Ragged(visits.codes % size, visits.offsets)


# The floor that a method must not fall below: what the simplest release of sequences would keep.
#
# *independent* spends a tenth of epsilon on lengths and the rest on how often each label occurs, in sequences cut at the noisy
# mean length, and draws every label independently of all others. The visits of a release with times are pairs of a label and an
# interval, and are treated like labels.


def standing(records: SequenceRecords, published: PublishedSequences, manifest: Mapping[str, Any]) -> Standing | None:
    """Compare a release with *nothing* and *independent* at its own epsilon, which its manifest says."""
    epsilon, raw = epsilon_of(manifest), records.sequences
    if epsilon is None or not len(raw):
        return None
    labels = len(published.universe) * (1 if published.grid is None else published.grid.intervals)
    sides = {
        RELEASE: published.sequences,
        INDEPENDENT: independent_sequences(raw, labels=labels, epsilon=epsilon),
        NOTHING: Ragged.from_lists([]),
    }
    what = "labels" if published.grid is None else "visits"
    return _standing(epsilon, {name: _kept_of(raw, side, labels=labels) for name, side in sides.items()}, what=what)


def _standing(epsilon: float, rows: Mapping[str, Mapping[str, float]], *, what: str) -> Standing:
    return Standing(
        epsilon=epsilon,
        about=f"patterns of 2 or {LONGEST} {what} in a row, queries of up to {LONGEST} {what}",
        columns=kept_columns("sequences", "mean length"),
        rows=rows,
        facts={"longest": LONGEST, "top": TOP},
    )


def independent_sequences(sequences: Ragged, *, labels: int, epsilon: float, seed: int = 0) -> Ragged:
    """Noisy lengths, and labels drawn one by one in proportion to their noisy numbers."""
    generator = public_generator(seed)
    sizes, most = noisy_sizes(generator, sequences, epsilon)
    running = np.cumsum(noisy_chances(generator, sequences, codes=labels, most=most, epsilon=epsilon))
    if not running[-1]:
        return Ragged.from_lists([])
    return Ragged(chosen_codes(generator, running, int(sizes.sum())).astype(np.int32), offsets_of(sizes))


def independent_visits(sequences: Ragged, *, labels: int, intervals: int, epsilon: float, seed: int = 0) -> Ragged:
    """Noisy lengths, labels and intervals, each drawn independently of the others; the intervals of a sequence are sorted.

    Labels and intervals get half each of what *independent* spends on labels alone.
    """
    generator = public_generator(seed)
    sizes, most = noisy_sizes(generator, sequences, epsilon)
    number = int(sizes.sum())
    drawn = []
    for codes, cells in ((sequences.codes % labels, labels), (sequences.codes // labels, intervals)):
        part = Ragged(codes, sequences.offsets)
        running = np.cumsum(noisy_chances(generator, part, codes=cells, most=most, epsilon=epsilon / 2))
        drawn.append(chosen_codes(generator, running, number) if running[-1] else generator.integers(0, cells, number))
    record = np.repeat(np.arange(sizes.size), sizes)
    when = drawn[1][np.lexsort((drawn[1], record))]
    return Ragged((when * labels + drawn[0]).astype(np.int32), offsets_of(sizes))


def _kept_of(raw: Ragged, released: Ragged, *, labels: int) -> dict[str, float]:
    asked = Asked(query=QueryKind.LOCATION_SET, pattern=PatternKind.CONTIGUOUS, shortest=2)
    return {
        "sequences": len(released),
        "mean_length": float(released.lengths.mean()) if len(released) else 0.0,
        **asked.kept(raw, released, symbols=labels),
    }


# What a release is good for, and pictures of it beside the raw records.


def judged(records: SequenceRecords, published: PublishedSequences, manifest: Mapping[str, Any]) -> Judgement:
    """What a report says: questions of counting, the shapes of movements, and frequent patterns, beside the floors."""
    require_records(records.sequences)
    size, grid = len(published.universe), published.grid
    labels = size * (1 if grid is None else grid.intervals)
    raw, released, epsilon = records.sequences, published.sequences, epsilon_of(manifest)
    few = every_nth(raw, MOST_FOR_FLOORS)
    # noise is as large beside few records at a larger epsilon as beside all of them at this one
    free = independent_sequences(few, labels=labels, epsilon=(epsilon or 1.0) * len(raw) / len(few))
    found = None
    if epsilon is not None:
        pairs = {RELEASE: (raw, released), INDEPENDENT: (few, free), NOTHING: (few, Ragged.from_lists([]))}
        rows = {name: _kept_of(*pair, labels=labels) for name, pair in pairs.items()}
        found = _standing(epsilon, rows, what="labels" if grid is None else "visits")
    sides = [raw, released, free]
    measures = [] if found is None else _asked(found, "places" if grid is None else "places at their times")
    if grid is not None:
        visits = measure_some(sides, symbols=size * grid.intervals, names=("symbols", "transitions"))
        at_times = {"symbols": ("Visits per place and time", "visits by place and time")}
        at_times["transitions"] = ("Steps between places at their times", "timed steps")
        measures += [_shape(*at_times[name], *pair) for name, pair in visits.items()]
        times = [(side.codes // size).astype(np.int64) for side in sides]
        hours = [total_variation(times[0], side) for side in times[1:]]
        measures.append(_shape("Visits per interval of time", "visits by time", *hours))
        sides = [changed(side, partial(_labels, size)) for side in sides]
    of_steps = ("different_places", "round_trips", "returns")  # they have few values, so some records show them as well
    shapes = measure_some(sides, symbols=size, names=tuple(name for name in SHAPES if name not in of_steps))
    shapes |= measure_some([every_nth(side, MOST_FOR_FLOORS) for side in sides], symbols=size, names=of_steps)
    measures += [_shape(*SHAPES[name], *shapes[name]) for name in SHAPES]
    return Judgement(
        measures=measures,
        sizes=(len(raw), len(released)),
        pieces="synthetic sequences",
        simplest="how often each place is visited, with noise, and places drawn one by one",
        figures={} if found is None else {"beside the simplest releases": found.as_json()},
        seen={"floors": found, "measures": measures},
    )


SHAPES = {
    "symbols": ("Visits per place", "visits per place"),
    "starts": ("First places", "first places"),
    "ends": ("Last places", "last places"),
    "origins_destinations": ("First and last place together", "who goes from where to where"),
    "transitions": ("Steps from place to place", "steps from place to place"),
    "lengths": ("Visits per sequence", "lengths"),
    "different_places": ("Different places per sequence", "different places"),
    "round_trips": ("Round trips", "round trips"),
    "returns": ("Returns to places", "returns"),
}
MOST_FOR_FLOORS = 200_000
"""A floor is made from at most this many records, evenly spaced."""


def _asked(found: Standing, of: str) -> list[Judged]:
    """Counting questions, which matter most, and frequent patterns."""
    rows = {name: found.rows[name] for name in (RELEASE, NOTHING, INDEPENDENT)}
    off, nothing, simplest = (row["error"] for row in rows.values())
    missed = [1 - row["found"] for row in rows.values()]
    return [
        Judged(
            use=f"People by up to {LONGEST} {of}",
            short=f"counts of people by {of}",
            measure="count",
            off=off,
            nothing=nothing,
            simplest=simplest,
            is_main=True,
        ),
        Judged(
            use=f"Most frequent runs of {of}",
            short="frequent runs",
            measure="frequent",
            off=missed[0],
            nothing=missed[1],
            simplest=missed[2],
            note=f"{100 - 100 * missed[0]:.0f} of the {TOP} most frequent are found again",
        ),
    ]


def _shape(use: str, short: str, off: float, simplest: float) -> Judged:
    """A distribution: an empty release has nothing in common with the raw data."""
    return Judged(use=use, short=short, measure="distribution", off=off, nothing=1.0, simplest=simplest)


def pictures(
    records: SequenceRecords, published: PublishedSequences, *, found: Judgement, taxonomy: Taxonomy | None = None
) -> list[Picture]:
    """How far off each shape is, and both sides."""
    sides = {"raw": records.sequences, "released": published.sequences}
    drawn = sequence_pictures(sides, universe=published.universe, grid=published.grid, taxonomy=taxonomy)
    return [*floor_pictures(found), *drawn, shapes_picture(found)]


# What grams can show without noise: the n-gram method on exact counts.
#
# The error of a release has two sources: noise, and what grams of limited length cannot show. The same pipeline on exact counts
# (the *Baseline* of the thesis, section 6.4.3) has only the second. Its result is raw data in another form. It is a plain list
# of codes, not a release; it cannot be written as one, and it must not leave the house.


PLENTY = Fraction(10**9)
"""A budget so large that every threshold is 1."""


def noiseless_sequences(records: SequenceRecords, method: NGram) -> Ragged:
    """The sequences that the method would publish if there were no noise. For the owner's eyes only: they are not private."""
    if isinstance(method.max_length, PrivateLength):
        message = "without noise there is no budget to choose a length with; give max_length as a number"
        raise ParameterError(message)
    exact = replace(method, allocation=Allocation.UNIFORM, missing=Missing.ZERO)  # every gram is extended, none is missing
    sequences, _ = exact.pipeline(method.max_length, symbols=len(records.universe)).run(records.counts(), _Exact())
    return sequences


def noiseless_report(records: SequenceRecords, published: PublishedSequences, *, mechanism: Mapping[str, Any]) -> SequenceUtility:
    """How useful n-grams with the parameters of a release would be if they had no noise: the error of approximation and cutting.

    `mechanism` is what the manifest of the release says of its method.
    """
    if mechanism["name"] != "ngram":
        message = f"what a release would be without noise is known for ngram only, got {mechanism['name']}"
        raise ParameterError(message)
    told = mechanism["parameters"]
    method = NGram(max_length=told["max_length"], max_gram=told["max_gram"], synthesis=told["synthesis"])
    return report(records, noiseless_sequences(records, method), symbols=len(published.universe))


class _Exact:
    """Answers with the counts themselves."""

    def paths(self, step: str, *, starts: int = 1) -> Paths:
        """A tree of questions with an ample budget."""
        return Paths(step=step, epsilon=PLENTY, starts=starts, answer=_true_cells)


def _true_cells(question: BlockQuestion, counts: Cells) -> Cells:
    del question
    return counts
