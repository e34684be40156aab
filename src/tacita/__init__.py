"""Tacita publishes high-dimensional personal data without giving anyone away.

Names are loaded when they are first used, so that `import tacita` and `tacita --help` cost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacita import utility
    from tacita.errors import TacitaError
    from tacita.io import (
        AutoTime,
        EpochTime,
        EpochUnit,
        FileFormat,
        IsoTime,
        LongColumns,
        PatternTime,
        ReadOptions,
        TextDialect,
        declared_universe,
        observed_labels,
    )
    from tacita.privacy.budget import ApproxDP, PureDP
    from tacita.privacy.ledger import Ledger
    from tacita.privacy.neighbours import AddRemoveRecord
    from tacita.privacy.release import Release
    from tacita.public.per_person import PerPerson
    from tacita.public.taxonomy import Taxonomy
    from tacita.public.universe import Universe
    from tacita.sequences import (
        Granularity,
        Lost,
        NGram,
        PrefixTree,
        PrivateLength,
        SequenceRecords,
        Threshold,
        read_published,
        read_sequences,
    )
    from tacita.sets import (
        BasketRecords,
        DiffPart,
        FlatHistogram,
        ItemsetCounts,
        PartitionThreshold,
        StableHistogram,
        read_baskets,
        read_published_baskets,
    )
    from tacita.trees import Inference

_HOMES = {
    "forecast": "tacita.forecasts.sequences",
    "TimeGrid": "tacita.public.time_grid",
    "PrivateLength": "tacita.sequences",
    "Lost": "tacita.sequences",
    "NGram": "tacita.sequences",
    "Inference": "tacita.trees",
    "Granularity": "tacita.sequences",
    "AddRemoveRecord": "tacita.privacy.neighbours",
    "ApproxDP": "tacita.privacy.budget",
    "AutoTime": "tacita.io",
    "BasketRecords": "tacita.sets",
    "DiffPart": "tacita.sets",
    "EpochTime": "tacita.io",
    "EpochUnit": "tacita.io",
    "FileFormat": "tacita.io",
    "FlatHistogram": "tacita.sets",
    "IsoTime": "tacita.io",
    "ItemsetCounts": "tacita.sets",
    "Ledger": "tacita.privacy.ledger",
    "LongColumns": "tacita.io",
    "PartitionThreshold": "tacita.sets",
    "PatternTime": "tacita.io",
    "PerPerson": "tacita.public.per_person",
    "PrefixTree": "tacita.sequences",
    "PureDP": "tacita.privacy.budget",
    "ReadOptions": "tacita.io",
    "Release": "tacita.privacy.release",
    "SequenceRecords": "tacita.sequences",
    "StableHistogram": "tacita.sets",
    "TacitaError": "tacita.errors",
    "Taxonomy": "tacita.public.taxonomy",
    "TextDialect": "tacita.io",
    "Threshold": "tacita.sequences",
    "Universe": "tacita.public.universe",
    "declared_universe": "tacita.io",
    "observed_labels": "tacita.io",
    "read_baskets": "tacita.sets",
    "read_published": "tacita.sequences",
    "read_published_baskets": "tacita.sets",
    "read_sequences": "tacita.sequences",
    "utility": "tacita.utility",
}

__all__ = [
    "AddRemoveRecord",
    "ApproxDP",
    "AutoTime",
    "BasketRecords",
    "DiffPart",
    "EpochTime",
    "EpochUnit",
    "FileFormat",
    "FlatHistogram",
    "Granularity",
    "Inference",
    "IsoTime",
    "ItemsetCounts",
    "Ledger",
    "LongColumns",
    "Lost",
    "NGram",
    "PartitionThreshold",
    "PatternTime",
    "PerPerson",
    "PrefixTree",
    "PrivateLength",
    "PureDP",
    "ReadOptions",
    "Release",
    "SequenceRecords",
    "StableHistogram",
    "TacitaError",
    "Taxonomy",
    "TextDialect",
    "Threshold",
    "TimeGrid",
    "Universe",
    "declared_universe",
    "forecast",
    "observed_labels",
    "read_baskets",
    "read_published",
    "read_published_baskets",
    "read_sequences",
    "utility",
]


def __getattr__(name: str) -> object:
    """Load a public name from its home; a package is its own."""
    if name in _HOMES:
        home = import_module(_HOMES[name])
        return home if home.__name__ == f"tacita.{name}" else getattr(home, name)
    message = f"module 'tacita' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
