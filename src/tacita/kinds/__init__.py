"""The kinds of data and their methods, each registered once; everything else is driven by these registrations.

A kind is one light file of this room, or an entry point of the group `tacita.kinds` in another package; a further method of a
kind is an entry point of the group `tacita.methods`. The command line, the public names of `tacita`, the auditor, evaluations,
forecasts and the contract tests look kinds up here and never refer to one by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from tacita.errors import ParameterError
from tacita.kinds.registration import AUTO, Facts, Kind, Method, Option, Promise, Selection
from tacita.registered import load, registered

__all__ = [
    "AUTO",
    "Facts",
    "Kind",
    "Method",
    "Option",
    "Promise",
    "Selection",
    "kind_named",
    "kind_of",
    "kinds",
    "load",
    "method_named",
    "methods",
    "missing_extra",
]

_OWN = ("sequences", "sets", "trajectories", "tables", "people", "networks", "streams", "personal")
"""The kinds of the product, in the order in which help lists them."""

_OF_EXTRAS = dict.fromkeys(("absorption", "dgg", "ffs", "laplace", "privgraph", "random", "tmf", "tree"), "papers")
"""The methods of packages that an extra of Tacita installs."""


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds by name: the product's own, then those of other packages."""
    own: list[Kind] = [import_module(f"tacita.kinds.{name}").KIND for name in _OWN]
    found = {kind.name: kind for kind in own}
    for kind in registered("tacita.kinds", Kind):
        if kind.name in found:
            message = f"a kind {kind.name!r} is registered twice; an installed package must choose another name"
            raise ParameterError(message)
        found[kind.name] = kind
    return MappingProxyType(found)


@cache
def methods() -> Mapping[str, Method]:
    """All methods by name, in the order of their kinds."""
    listed = [*(method for kind in kinds().values() for method in kind.methods), *registered("tacita.methods", Method)]
    found: dict[str, Method] = {}
    for method in listed:
        if method.name in found or method.kind not in kinds():
            message = f"the method {method.name!r} must be registered once, for a kind that exists, got {method.kind!r}"
            raise ParameterError(message)
        found[method.name] = method
    return MappingProxyType(found)


def kind_named(name: str) -> Kind:
    """Find a kind by its name."""
    try:
        return kinds()[name]
    except (KeyError, TypeError):
        message = f"a kind must be one of {', '.join(kinds())}, got {name!r}"
        raise ParameterError(message) from None


def method_named(name: str) -> Method:
    """Find a method by its name."""
    try:
        return methods()[name]
    except (KeyError, TypeError):
        message = missing_extra(name) or f"a method must be one of {', '.join(methods())}, got {name!r}"
        raise ParameterError(message) from None


def missing_extra(name: str) -> str | None:
    """What to install for a method that comes with an extra; None if it is installed, or comes with none."""
    if not isinstance(name, str) or name in methods() or name not in _OF_EXTRAS:
        return None
    return f"the method {name} comes with an extra: pip install 'tacita[{_OF_EXTRAS[name]}]'"


def kind_of(method: Method) -> Kind:
    """The kind of data that a method takes."""
    return kinds()[method.kind]
