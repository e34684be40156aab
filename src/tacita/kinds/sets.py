"""Sets: baskets of items, pages seen, places visited, one unordered set per person; and their default method."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.kinds.options import ENGINE, PLACE_OPTIONS, POINT_OPTIONS, READING_OPTIONS, TAXONOMY_OPTIONS
from tacita.kinds.registration import Facts, Kind, Method, Option, Promise, Selection

__all__ = ["KIND", "choose_for_sets"]

DIFFPART = Method(
    name="diffpart",
    kind="sets",
    loads="tacita.sets:DiffPart",
    audited="tacita.auditing.cases.sets:Partitions",
    keeps="whole baskets that many people have, of a small universe",
    options=(
        Option(
            field_name="taxonomy",
            metavar="FILE",
            help="the public tree over the labels: a .csv with a header, columns from fine to coarse; says how diffpart splits",
        ),
        Option(
            field_name="threshold",
            choices=("default", "authors"),
            help=(
                "how large a noisy count must be to be kept: by a bound on false ones (default), "
                "or by the rule of the authors' program (authors)"
            ),
        ),
        Option(
            field_name="allocation",
            choices=("adaptive", "equal"),
            help="divide the budget of splits by what each path may still need (adaptive), or into equal parts",
        ),
        Option(
            field_name="max_partitions",
            convert=int,
            metavar="N",
            help="stop with an error before more than N noisy partitions wait to be split",
        ),
    ),
)

ITEMSET_COUNTS = Method(
    name="itemset-counts",
    kind="sets",
    loads="tacita.sets:ItemsetCounts",
    has_gaussian=True,
    audited="tacita.auditing.cases.sets:Itemsets",
    keeps="how often items and itemsets occur",
    options=(
        Option(
            field_name="max_core",
            convert=int,
            metavar="N",
            help="count combinations of at most the N most frequent items, and all others one by one",
        ),
        Option(
            field_name="with_counts",
            switch=True,
            help="release the noisy counts too, as counts.csv, so that recipients have error bars",
        ),
    ),
)

HISTOGRAM = Method(
    name="histogram",
    kind="sets",
    loads="tacita.sets:FlatHistogram",
    audited="tacita.auditing.cases.sets:FlatHistograms",
    keeps="whole baskets, of at most 61 items",
    options=(
        Option(
            field_name="expected_records",
            convert=int,
            metavar="N",
            help="a rough, public number of records, which allows a lower threshold; fix it without looking at the data",
        ),
        Option(
            field_name="threshold",
            choices=("default", "none"),
            help="how large a noisy count must be to be kept: by a bound on false ones (default), or above 0 (none), as in Basic",
        ),
    ),
)

STABLE_HISTOGRAM = Method(
    name="stable-histogram",
    kind="sets",
    loads="tacita.sets:StableHistogram",
    promise=Promise.APPROXIMATE,
    audited="tacita.auditing.cases.sets:StableHistograms",
    keeps="whole baskets that many people have, of any universe",
)

KIND = Kind(
    name="sets",
    noun="basket",
    about="baskets, pages seen, places visited: one set per person",
    pieces="baskets",
    in_parts=True,
    public_options=(*PLACE_OPTIONS, *TAXONOMY_OPTIONS),
    inputs="tacita.kinds.words:labels",
    reading_options=(*READING_OPTIONS, *POINT_OPTIONS, ENGINE),
    reading="tacita.kinds.words:untimed_reading",
    read="tacita.sets:read_for_kind",
    nobody="tacita.sets:no_baskets",
    output_format="tacita.kinds.words:output_format",
    observed="tacita.kinds.words:observed_labels",
    opened="tacita.sets:opened_baskets",
    reported="tacita.utility.sets:sections",
    answered="tacita.sets.answers:answers_of_baskets",
    judged="tacita.utility.sets:judged",
    drawn="tacita.utility.sets:pictures",
    floors="tacita.utility.sets:standing",
    sections={"sets": "the sets as they are", "floors": "beside floors"},
    evaluation="tacita-evaluate-sets-1",
    tasks="tacita.utility.tasks:on_sets",
    forecast="tacita.forecasts.sets:forecast_request",
    attacked="tacita.attacks.commands:on_sets",
    case="tacita.auditing.cases.sets:BasketCase",
    worlds=("baskets",),
    example=("--method", "itemset-counts", "--epsilon", "1"),
    chooses="tacita.kinds.sets:choose_for_sets",
    methods=(DIFFPART, ITEMSET_COUNTS, HISTOGRAM, STABLE_HISTOGRAM),
)


# Which method publishes sets if the owner names none: a rule from what was measured on real and simulated baskets.

BEST = "itemset-counts"


def choose_for_sets(facts: Facts, among: Sequence[Method]) -> Selection:
    """Counts of items and itemsets wherever they can be asked: they had the least error on all data that was measured."""
    names = [method.name for method in among]
    if BEST in names and len(names) > 1:
        nearly = "nearly all baskets that were measured with a delta" if facts.has_delta else "all baskets that were measured"
        return Selection(method=BEST, because=f"it had the least error of counts and itemsets on {nearly}")
    why = "only it promises an epsilon with a delta" if facts.has_delta else "no other takes these parameters"
    return Selection(method=names[0], because=why)
