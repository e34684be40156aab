"""The parameters of methods: the fields of their dataclasses, in one table that a test keeps honest.

A second table tells how the taxonomy that one of the fields takes is made.
"""

from __future__ import annotations

import argparse

from tacita.cli.words.field_options import FieldOption, typed
from tacita.cli.words.values import height, texts

__all__ = ["METHOD_OPTIONS", "TAXONOMY_OPTIONS", "method_parameters"]

METHOD_OPTIONS = (
    FieldOption(
        field_name="height",
        methods=("prefix-tree",),
        convert=height,
        metavar="N",
        help=(
            "cut sequences after N symbols; fix it without a look at the data, or write private:LONGEST to have a height "
            "up to LONGEST bought with a share of the budget"
        ),
    ),
    FieldOption(
        field_name="granularity",
        methods=("prefix-tree",),
        choices=("simple", "hybrid"),
        help="ask for the next symbol at once (simple), or group by group (hybrid; needs a taxonomy or times)",
    ),
    FieldOption(
        field_name="taxonomy",
        methods=("prefix-tree", "diffpart"),
        metavar="FILE",
        help=(
            "the public tree over the labels: a .csv with a header, columns from fine to coarse; makes a prefix tree hybrid, "
            "and says how diffpart splits"
        ),
    ),
    FieldOption(
        field_name="threshold",
        methods=("prefix-tree", "ngram", "diffpart"),
        choices=("default", "published", "authors"),
        help=(
            "from which noisy count on prefixes, grams or partitions are kept: by a bound on false ones (default), by the "
            "paper's rule (published, for prefix-tree and ngram), or by that of the authors' program (authors, for diffpart)"
        ),
    ),
    FieldOption(
        field_name="inference",
        methods=("prefix-tree",),
        choices=("none", "two-phase", "exact", "corrected"),
        help="how noisy counts are made consistent: not at all, as published, by exact least squares (default), or corrected too",
    ),
    FieldOption(
        field_name="lost",
        methods=("prefix-tree",),
        choices=("end", "continue"),
        help="what becomes of sequences that the noise covered: they end there (default), or continue as others did",
    ),
    FieldOption(
        field_name="max_length",
        methods=("ngram",),
        convert=height,
        metavar="N",
        help=(
            "cut sequences after N symbols (20); fix it without a look at the data, or write private:LONGEST to have a length "
            "up to LONGEST bought with a share of the budget"
        ),
    ),
    FieldOption(
        field_name="max_gram",
        methods=("ngram",),
        convert=int,
        metavar="N",
        help="count grams of up to N symbols (5)",
    ),
    FieldOption(
        field_name="allocation",
        methods=("ngram",),
        choices=("adaptive", "uniform"),
        help="share the budget along a path by how long it promises to be (default), or equally",
    ),
    FieldOption(
        field_name="missing",
        methods=("ngram",),
        choices=("markov", "zero"),
        help="counts that were not released are told by shorter grams (default), or taken as 0",
    ),
    FieldOption(
        field_name="synthesis",
        methods=("ngram",),
        choices=("generated", "joined"),
        help="write sequences from their beginnings on, fitted to all counts (default), or join them from grams as published",
    ),
    FieldOption(
        field_name="with_grams",
        methods=("ngram",),
        switch=True,
        help="release the noisy grams too, as grams.csv beside the sequences",
    ),
    FieldOption(
        field_name="max_nodes",
        methods=("prefix-tree", "ngram"),
        convert=int,
        metavar="N",
        help="stop with an error before a noisy tree has more than N nodes (20000000)",
    ),
    FieldOption(
        field_name="max_partitions",
        methods=("diffpart",),
        convert=int,
        metavar="N",
        help="stop with an error before more than N noisy partitions wait to be split (5000000)",
    ),
    FieldOption(
        field_name="max_core",
        methods=("itemset-counts",),
        convert=int,
        metavar="N",
        help="count at most the N most frequent items together, and all others one by one (256)",
    ),
    FieldOption(
        field_name="expected_records",
        methods=("histogram",),
        convert=int,
        metavar="N",
        help="a public, rough number of records, which lets the threshold be lower; fix it without a look at the data",
    ),
)

TAXONOMY_OPTIONS = (
    FieldOption(
        field_name="taxonomy_columns",
        convert=texts,
        metavar="COLUMNS",
        help="the columns of the taxonomy's file, from fine to coarse, with commas between them; all of them if not given",
    ),
    FieldOption(
        field_name="fan_out",
        convert=int,
        metavar="N",
        help="make a taxonomy instead: group the labels by N in the order of the universe, then the groups (10 for diffpart)",
    ),
)


def method_parameters(options: argparse.Namespace) -> dict[str, object]:
    """The parameters that were given, by field name."""
    return typed(options, METHOD_OPTIONS)
