"""The parameters of methods: the fields of their dataclasses, in one table that a test keeps honest."""

from __future__ import annotations

import argparse

from tacita.cli.words.field_options import FieldOption, typed

__all__ = ["METHOD_OPTIONS", "method_parameters"]

METHOD_OPTIONS = (
    FieldOption(
        field_name="height",
        methods=("prefix-tree",),
        convert=int,
        metavar="N",
        help="cut sequences after N symbols; fix it without a look at the data",
    ),
    FieldOption(
        field_name="threshold",
        methods=("prefix-tree",),
        choices=("default", "published"),
        help="from which noisy count on prefixes are kept: by a bound on false ones (default), or the paper's constant",
    ),
    FieldOption(
        field_name="max_nodes",
        methods=("prefix-tree",),
        convert=int,
        metavar="N",
        help="stop with an error before a noisy tree has more than N nodes (20000000)",
    ),
)


def method_parameters(options: argparse.Namespace) -> dict[str, object]:
    """The parameters that were given, by field name."""
    return typed(options, METHOD_OPTIONS)
