"""The defaults of options, looked up where the library declares them, for help and forms.

An option has no default of its own. That of a parameter is the default of the field of the method's dataclass, and that of a
reading option is in the reading options that a kind makes of nothing. Looking them up loads the method, so only help does it.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction

from tacita.kinds.registration import Kind, Method, Option, load
from tacita.privacy.budget import decimal_text

__all__ = ["parameter_default", "reading_default", "with_default"]


def parameter_default(method: Method, field_name: str) -> str | None:
    """The default of a parameter as it would be typed; None if the method needs it, or does without it."""
    for part in fields(method.load()):
        if part.name == field_name:
            made = part.default if part.default_factory is MISSING else part.default_factory()
            return None if made is MISSING else _typed(made)
    return None


def reading_default(kind: Kind, field_name: str) -> str | None:
    """The default of a reading option as it would be typed; None if there is none."""
    return _typed(_found(load(kind.reading)({}), field_name))


def with_default(option: Option, default: str | None) -> str:
    """The help of an option with its default."""
    if default is None or (option.switch and default == "no") or default == "default":
        return option.help  # a choice that is called default says so itself
    if option.switch:
        return f"{option.help} (on by default; --no-{option.flag.removeprefix('--')} turns it off)"
    return f"{option.help} (default {default})"


def _found(made: object, name: str) -> object:
    """A field of this name in a dataclass or in one that it holds."""
    if not is_dataclass(made):
        return None
    if name in {part.name for part in fields(made)}:
        return getattr(made, name)
    return next((found for part in fields(made) if (found := _found(getattr(made, part.name), name)) is not None), None)


def _typed(value: object) -> str | None:
    """A value as it would be typed; None for nothing, and for objects that have no such form."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Fraction):
        return decimal_text(value)
    if isinstance(value, tuple):
        return ",".join(filter(None, map(_typed, value))) or None
    if value is None or (is_dataclass(value) and type(value).__str__ is object.__str__):
        return None
    return str(value)
