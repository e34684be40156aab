"""Tacita publishes high-dimensional personal data without giving anyone away.

Names are loaded when they are first used, so that `import tacita` and `tacita --help` cost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacita.core.budget import ApproxDP, PureDP
    from tacita.core.errors import TacitaError
    from tacita.core.ledger import Ledger
    from tacita.core.neighbours import AddRemoveRecord
    from tacita.core.per_person import PerPerson
    from tacita.core.release import Release
    from tacita.core.taxonomy import Taxonomy
    from tacita.core.universe import Universe
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
    from tacita.sequences import PrefixTree, SequenceRecords, Threshold, read_sequences

_HOMES = {
    "AddRemoveRecord": "tacita.core.neighbours",
    "ApproxDP": "tacita.core.budget",
    "AutoTime": "tacita.io",
    "EpochTime": "tacita.io",
    "EpochUnit": "tacita.io",
    "FileFormat": "tacita.io",
    "IsoTime": "tacita.io",
    "Ledger": "tacita.core.ledger",
    "LongColumns": "tacita.io",
    "PatternTime": "tacita.io",
    "PerPerson": "tacita.core.per_person",
    "PrefixTree": "tacita.sequences",
    "PureDP": "tacita.core.budget",
    "ReadOptions": "tacita.io",
    "Release": "tacita.core.release",
    "SequenceRecords": "tacita.sequences",
    "TacitaError": "tacita.core.errors",
    "Taxonomy": "tacita.core.taxonomy",
    "TextDialect": "tacita.io",
    "Threshold": "tacita.sequences",
    "Universe": "tacita.core.universe",
    "declared_universe": "tacita.io",
    "observed_labels": "tacita.io",
    "read_sequences": "tacita.sequences",
}

__all__ = [
    "AddRemoveRecord",
    "ApproxDP",
    "AutoTime",
    "EpochTime",
    "EpochUnit",
    "FileFormat",
    "IsoTime",
    "Ledger",
    "LongColumns",
    "PatternTime",
    "PerPerson",
    "PrefixTree",
    "PureDP",
    "ReadOptions",
    "Release",
    "SequenceRecords",
    "TacitaError",
    "Taxonomy",
    "TextDialect",
    "Threshold",
    "Universe",
    "declared_universe",
    "observed_labels",
    "read_sequences",
]


def __getattr__(name: str) -> object:
    """Load a public name from its home."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    message = f"module 'tacita' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
