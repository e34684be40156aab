"""Sets: baskets of items, pages seen, places visited; one unordered set per person."""

from __future__ import annotations

from tacita.kinds.options import ENGINE, READING_OPTIONS, TAXONOMY_OPTIONS, UNIVERSE
from tacita.kinds.registration import Kind, Method, Option, Promise

__all__ = ["KIND"]

DIFFPART = Method(
    name="diffpart",
    kind="sets",
    loads="tacita.sets:DiffPart",
    audited="tacita.audit.subjects.sets:Partitions",
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
            help="divide the budget of splits by what each path may still need (default), or into equal parts for all splits",
        ),
        Option(
            field_name="max_partitions",
            convert=int,
            metavar="N",
            help="stop with an error before more than N noisy partitions wait to be split (5000000)",
        ),
    ),
)

ITEMSET_COUNTS = Method(
    name="itemset-counts",
    kind="sets",
    loads="tacita.sets:ItemsetCounts",
    audited="tacita.audit.subjects.sets:Itemsets",
    keeps="how often items and itemsets occur",
    options=(
        Option(
            field_name="max_core",
            convert=int,
            metavar="N",
            help="count combinations of at most the N most frequent items, and all others one by one (256)",
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
    audited="tacita.audit.subjects.sets:FlatHistograms",
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
    audited="tacita.audit.subjects.sets:StableHistograms",
    keeps="whole baskets that many people have, of any universe",
)

KIND = Kind(
    name="sets",
    noun="basket",
    about="baskets, pages seen, places visited: one set per person",
    pieces="baskets",
    public_options=(UNIVERSE, *TAXONOMY_OPTIONS),
    inputs="tacita.kinds.words:labels",
    reading_options=(*READING_OPTIONS, ENGINE),
    reading="tacita.kinds.words:untimed_reading",
    read="tacita.sets:read_for_kind",
    reader="tacita.sets:read_baskets",
    nobody="tacita.sets:no_baskets",
    output_format="tacita.kinds.words:output_format",
    observed="tacita.kinds.words:observed_labels",
    opened="tacita.sets:opened_baskets",
    reported="tacita.utility.sets:sections",
    answered="tacita.sets.answers:answers_of_baskets",
    drawn="tacita.utility.pictures.sets:pictures",
    floors="tacita.utility.set_floors:standing",
    sections={"sets": "the sets as they are", "floors": "beside floors"},
    evaluation="tacita-evaluate-sets-1",
    tasks="tacita.utility.tasks:on_sets",
    forecast="tacita.forecasts.sets:forecast_request",
    attacked="tacita.attacks.commands:on_sets",
    case="tacita.audit.cases.baskets:BasketCase",
    worlds=("baskets",),
    example=("--method", "itemset-counts", "--epsilon", "1"),
    names=dict.fromkeys(
        (
            "BasketRecords",
            "CountedBaskets",
            "DiffPart",
            "FlatHistogram",
            "HistogramThreshold",
            "ItemsetCounts",
            "PartitionAllocation",
            "PartitionThreshold",
            "PublishedBaskets",
            "StableHistogram",
            "open_baskets",
            "read_baskets",
            "read_published_baskets",
        ),
        "tacita.sets",
    ),
    chooses="tacita.sets.choosing:choose_for_sets",
    methods=(DIFFPART, ITEMSET_COUNTS, HISTOGRAM, STABLE_HISTOGRAM),
)
