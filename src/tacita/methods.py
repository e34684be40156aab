"""The mechanisms of the product by the names that the command line uses.

One table serves the command line, the contract tests and, with time, the auditor: a mechanism that is not listed here does not
exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from tacita.core.errors import ParameterError

__all__ = ["METHODS", "Method", "method_named"]


@dataclass(frozen=True, kw_only=True)
class Method:
    """Where a mechanism lives and what kind of data it takes."""

    name: str
    kind: str
    module: str
    class_name: str

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
        Method(name="prefix-tree", kind="sequences", module="tacita.sequences", class_name="PrefixTree"),
        Method(name="ngram", kind="sequences", module="tacita.sequences", class_name="NGram"),
    )
}


def method_named(name: str) -> Method:
    """Find a mechanism by its name."""
    try:
        return METHODS[name]
    except KeyError:
        message = f"a method must be one of {', '.join(METHODS)}, got {name!r}"
        raise ParameterError(message) from None
