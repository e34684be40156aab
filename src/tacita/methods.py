"""The mechanisms of the product by the names that the command line uses.

One table serves the command line, the contract tests and, with time, the auditor: a mechanism that is not listed here does not
exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module

from tacita.errors import ParameterError

__all__ = ["METHODS", "Kind", "Method", "method_named"]


class Kind(StrEnum):
    """The kinds of data that can be published, by the names that a manifest gives them."""

    SEQUENCES = "sequences"
    SETS = "sets"


@dataclass(frozen=True, kw_only=True)
class Method:
    """Where a mechanism lives, what kind of data it takes, and whether its budget has a delta."""

    name: str
    kind: Kind
    module: str
    class_name: str
    takes_delta: bool = False

    def load(self) -> type:
        """The dataclass whose fields are the public parameters."""
        loaded = getattr(import_module(self.module), self.class_name)
        if not isinstance(loaded, type):
            message = f"{self.module}.{self.class_name} must be a class"
            raise ParameterError(message)
        return loaded


METHODS = {
    method.name: method
    for method in (
        Method(name="prefix-tree", kind=Kind.SEQUENCES, module="tacita.sequences", class_name="PrefixTree"),
        Method(name="ngram", kind=Kind.SEQUENCES, module="tacita.sequences", class_name="NGram"),
        Method(name="diffpart", kind=Kind.SETS, module="tacita.sets", class_name="DiffPart"),
        Method(name="itemset-counts", kind=Kind.SETS, module="tacita.sets", class_name="ItemsetCounts"),
        Method(name="histogram", kind=Kind.SETS, module="tacita.sets", class_name="FlatHistogram"),
        Method(name="stable-histogram", kind=Kind.SETS, module="tacita.sets", class_name="StableHistogram", takes_delta=True),
    )
}


def method_named(name: str) -> Method:
    """Find a mechanism by its name."""
    try:
        return METHODS[name]
    except KeyError:
        message = f"a method must be one of {', '.join(METHODS)}, got {name!r}"
        raise ParameterError(message) from None
