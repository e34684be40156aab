"""Tacita publishes high-dimensional personal data without giving anyone away.

Names are loaded when they are first used, so that `import tacita` and `tacita --help` cost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacita import utility
    from tacita.core.budget import ApproxDP, PureDP
    from tacita.core.errors import TacitaError
    from tacita.core.ledger import Ledger
    from tacita.core.neighbours import AddRemoveRecord
    from tacita.core.release import Release
    from tacita.core.taxonomy import Taxonomy
    from tacita.core.universe import Universe
    from tacita.io import LongColumns, declared_universe
    from tacita.sequences import PrefixTree, SequenceRecords, Threshold, read_published, read_sequences

_HOMES = {
    "AddRemoveRecord": "tacita.core.neighbours",
    "ApproxDP": "tacita.core.budget",
    "Ledger": "tacita.core.ledger",
    "LongColumns": "tacita.io",
    "PrefixTree": "tacita.sequences",
    "PureDP": "tacita.core.budget",
    "Release": "tacita.core.release",
    "SequenceRecords": "tacita.sequences",
    "TacitaError": "tacita.core.errors",
    "Taxonomy": "tacita.core.taxonomy",
    "Threshold": "tacita.sequences",
    "Universe": "tacita.core.universe",
    "declared_universe": "tacita.io",
    "read_published": "tacita.sequences",
    "read_sequences": "tacita.sequences",
    "utility": "tacita.utility",
}

__all__ = [
    "AddRemoveRecord",
    "ApproxDP",
    "Ledger",
    "LongColumns",
    "PrefixTree",
    "PureDP",
    "Release",
    "SequenceRecords",
    "TacitaError",
    "Taxonomy",
    "Threshold",
    "Universe",
    "declared_universe",
    "read_published",
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
