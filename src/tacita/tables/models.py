"""The classic syntactic models of chapter 2: what every group of rows that look alike must satisfy.

A group is a set of rows that nobody can tell apart by what is published of their quasi-identifiers (or, in bucketized tables, by
their bucket). A model says which groups violate it. All decisions are exact: bounds are fractions, counts are integers, and the
two models that need logarithms or large products settle near ties by whole numbers. Every model here but `TCloseness` looks at a
group alone; that one compares it with the whole table.

The recursive model follows the thesis (and Machanavajjhala et al., 2007) with a strict inequality: f_1 < c (f_l + ... + f_m).
Example 2.1.4 of the thesis misprints an entropy and rounds another up: Table 2.2 is entropy 1.75-diverse, not 1.8-diverse.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, log, prod
from typing import Protocol

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.errors import ParameterError
from tacita.privacy.budget import Exact, decimal_text, exact, share_of
from tacita.privacy.concentrated import LARGEST_DENOMINATOR
from tacita.public.parameters import instance_of, whole_number
from tacita.tables.histograms import Histograms, equal_work, ordered_work
from tacita.tables.schema import Schema

__all__ = [
    "AlphaK",
    "ConfidenceBound",
    "DistinctDiversity",
    "EntropyDiversity",
    "KAnonymity",
    "Model",
    "RecursiveDiversity",
    "TCloseness",
    "violating",
]


NEAR = 1e-9
MOST_EXACT = 50_000
"""Up to how many rows (after dividing all counts by their common divisor) an entropy that nearly ties is settled exactly."""


class Model(Protocol):
    """What every group must satisfy."""

    @property
    def needs_sensitive(self) -> bool:
        """Whether it says anything about sensitive values."""
        ...

    def violates(self, found: Histograms, overall: Integers, schema: Schema) -> Booleans:
        """For each group, whether it violates the model; `overall` counts the sensitive values of the whole table."""
        ...

    def statement(self) -> str:
        """What holds for every group, in plain words."""
        ...

    def as_json(self) -> dict[str, object]:
        """The model with its parameters, as a manifest holds it and as the verifier reads it."""
        ...


def violating(models: tuple[Model, ...], found: Histograms, overall: Integers, schema: Schema) -> Booleans:
    """For each group, whether it violates any of the models; of several sensitive columns, in any of them."""
    _require_values(models, schema)
    flags = np.zeros(found.sizes.size, dtype=np.bool_)
    for model in models:
        if not model.needs_sensitive:
            flags |= model.violates(found, overall, schema)
    about_values = [model for model in models if model.needs_sensitive]
    for place, part in enumerate(schema.hidden if about_values else ()):
        if len(schema.hidden) == 1:
            mine, whole = found, overall
        else:
            symbols = schema.hidden_codes(np.arange(overall.size))[place]
            mine = found.recoded(symbols, size=part.size)
            whole = np.bincount(symbols, weights=overall, minlength=part.size).astype(np.int64)
        for model in about_values:
            flags |= model.violates(mine, whole, replace(schema, sensitive=part))
    return flags


def _require_values(models: tuple[Model, ...], schema: Schema) -> None:
    """Refuse a template for a value that no sensitive column has: it would bound nothing."""
    for model in models:
        if model.needs_sensitive:
            schema.required_sensitive(model.statement())
        for value, _ in model.templates if isinstance(model, ConfidenceBound) else ():
            if not any(value in part.universe for part in schema.hidden):
                message = f"a bound on confidence must be for a value of a sensitive column, {value!r} is none"
                raise ParameterError(message)


@dataclass(frozen=True, kw_only=True)
class KAnonymity:
    """Every group has at least k rows (Samarati and Sweeney)."""

    k: int

    def __post_init__(self) -> None:
        """Check the number."""
        whole_number(self.k, name="k", least=1)

    @property
    def needs_sensitive(self) -> bool:
        """Only sizes count."""
        return False

    def violates(self, found: Histograms, overall: Integers, schema: Schema) -> Booleans:  # noqa: ARG002 - every model is asked alike
        """Groups that are too small."""
        return found.sizes < self.k

    def statement(self) -> str:
        """What holds for every group."""
        return f"every row is one of at least {self.k} that look alike"

    def as_json(self) -> dict[str, object]:
        """The model with its parameters."""
        return {"model": "k-anonymity", "k": self.k}


@dataclass(frozen=True, kw_only=True)
class DistinctDiversity:
    """Every group has at least l different sensitive values."""

    l: int  # noqa: E741 - the name that the literature gives it

    def __post_init__(self) -> None:
        """Check the number."""
        whole_number(self.l, name="l", least=1)

    @property
    def needs_sensitive(self) -> bool:
        """It counts sensitive values."""
        return True

    def violates(self, found: Histograms, overall: Integers, schema: Schema) -> Booleans:  # noqa: ARG002 - every model is asked alike
        """Groups with too few different values."""
        return np.bincount(found.groups, minlength=found.sizes.size) < self.l

    def statement(self) -> str:
        """What holds for every group."""
        return f"rows that look alike have at least {self.l} different sensitive values"

    def as_json(self) -> dict[str, object]:
        """The model with its parameters."""
        return {"model": "distinct-l-diversity", "l": self.l}


@dataclass(frozen=True, kw_only=True)
class EntropyDiversity:
    """The entropy of the sensitive values of every group is at least log l (equation 2.1)."""

    l: Fraction  # noqa: E741 - the name that the literature gives it

    def __init__(self, *, l: Exact) -> None:  # noqa: E741 - the name that the literature gives it
        """Parse and check."""
        object.__setattr__(self, "l", _factor(l, name="l", least=1))

    @property
    def needs_sensitive(self) -> bool:
        """It counts sensitive values."""
        return True

    def violates(self, found: Histograms, overall: Integers, schema: Schema) -> Booleans:  # noqa: ARG002 - every model is asked alike
        """Groups of too little entropy: n log n - sum of c log c < n log l."""
        counts, sizes = found.counts.astype(np.float64), found.sizes.astype(np.float64)
        inside = np.bincount(found.groups, weights=counts * np.log(counts), minlength=sizes.size)
        excess = np.log(sizes) - inside / sizes - log(self.l)
        flags = excess < 0
        starts = np.append(found.starts, found.groups.size)
        settled: dict[tuple[int, ...], bool] = {}
        for group in np.flatnonzero(np.abs(excess) < NEAR).tolist():
            tied = found.counts[starts[group] : starts[group + 1]].tolist()
            divisor = gcd(*tied)
            reduced = tuple(sorted(count // divisor for count in tied))
            if reduced not in settled:
                settled[reduced] = self._falls_short(reduced)
            flags[group] = settled[reduced]
        return flags

    def _falls_short(self, reduced: tuple[int, ...]) -> bool:
        """Exactly: n^n < l^n times the product of c^c; what is too long to compute counts as a violation."""
        total = sum(reduced)
        if total > MOST_EXACT:
            return True
        left = total**total * self.l.denominator**total
        right: int = self.l.numerator**total * prod(count**count for count in reduced)
        return bool(left < right)

    def statement(self) -> str:
        """What holds for every group."""
        return f"the sensitive values of rows that look alike have an entropy of at least log {decimal_text(self.l)}"

    def as_json(self) -> dict[str, object]:
        """The model with its parameters."""
        return {"model": "entropy-l-diversity", "l": decimal_text(self.l)}


@dataclass(frozen=True, kw_only=True)
class RecursiveDiversity:
    """In every group the most frequent value occurs less than c times as often as all from the l-th most frequent on together."""

    c: Fraction
    l: int  # noqa: E741 - the name that the literature gives it

    def __init__(self, *, c: Exact, l: int) -> None:  # noqa: E741 - the name that the literature gives it
        """Parse and check."""
        object.__setattr__(self, "c", _factor(c, name="c", least=0))
        object.__setattr__(self, "l", whole_number(l, name="l", least=1))

    @property
    def needs_sensitive(self) -> bool:
        """It counts sensitive values."""
        return True

    def violates(self, found: Histograms, overall: Integers, schema: Schema) -> Booleans:  # noqa: ARG002 - every model is asked alike
        """Groups whose tail is too light."""
        order = np.lexsort((-found.counts, found.groups))
        counts, starts = found.counts[order], found.starts
        rank = np.arange(counts.size) - starts[found.groups]
        head = np.bincount(found.groups[rank < self.l - 1], counts[rank < self.l - 1], minlength=found.sizes.size)
        tail = found.sizes - head.astype(np.int64)
        # f_1 < c tail, for c = whole + rest: no product exceeds 64 bits, as any `whole` above the number of rows means the same
        whole, rest = divmod(self.c.numerator, self.c.denominator)
        beyond = np.maximum(found.largest() - min(whole, 1 + int(found.sizes.sum())) * tail, -1)
        too_light: Booleans = beyond * self.c.denominator >= rest * tail
        return too_light

    def statement(self) -> str:
        """What holds for every group."""
        return (
            "among rows that look alike, the most frequent sensitive value occurs less than "
            f"{decimal_text(self.c)} times as often as all from number {self.l} on together"
        )

    def as_json(self) -> dict[str, object]:
        """The model with its parameters."""
        return {"model": "recursive-c-l-diversity", "c": decimal_text(self.c), "l": self.l}


@dataclass(frozen=True, kw_only=True)
class ConfidenceBound:
    """In no group does a sensitive value have a share above its bound: the privacy templates <QID -> s, h> of section 2.1.3.

    `others` bounds every value that has no template of its own; None leaves them free.
    """

    templates: tuple[tuple[str, Fraction], ...] = ()
    others: Fraction | None = None

    def __init__(self, *, templates: tuple[tuple[str, Exact], ...] = (), others: Exact | None = None) -> None:
        """Parse and check."""
        if not templates and others is None:
            message = "a bound on confidence needs a template for a value at least, or a bound for all values"
            raise ParameterError(message)
        instance_of(templates, tuple, list, name="the templates of a bound on confidence")
        for template in templates:
            instance_of(template, tuple, list, name="a template of a bound on confidence")
        parsed = tuple((value, share_of(h, name=f"the bound for {value!r}")) for value, h in templates)
        for value, times in Counter(value for value, _ in parsed).items():
            if times > 1:
                message = f"a value must have one bound on its confidence, but {value!r} has {times}; leave the smallest"
                raise ParameterError(message)
        object.__setattr__(self, "templates", parsed)
        object.__setattr__(self, "others", None if others is None else share_of(others, name="the bound"))

    @property
    def needs_sensitive(self) -> bool:
        """It counts sensitive values."""
        return True

    def violates(self, found: Histograms, overall: Integers, schema: Schema) -> Booleans:  # noqa: ARG002 - every model is asked alike
        """Groups in which a value is too frequent."""
        sensitive = schema.only_sensitive("a bound on confidence")
        bounds = [Fraction(1) if self.others is None else self.others] * sensitive.size
        for value, bound in self.templates:
            if value in sensitive.universe:
                bounds[sensitive.universe.code(value)] = bound
        above = np.array([bound.numerator for bound in bounds], dtype=np.int64)[found.values]
        below = np.array([bound.denominator for bound in bounds], dtype=np.int64)[found.values]
        too_frequent = found.counts * below > above * found.sizes[found.groups]
        return np.bincount(found.groups[too_frequent], minlength=found.sizes.size) > 0

    def statement(self) -> str:
        """What holds for every group."""
        parts = [f"{value!r} is the value of at most {decimal_text(100 * bound)} %" for value, bound in self.templates]
        if self.others is not None:
            parts.append(
                f"no {'other ' if self.templates else ''}sensitive value is that of more than {decimal_text(100 * self.others)} %"
            )
        return "among rows that look alike, " + ", and ".join(parts)

    def as_json(self) -> dict[str, object]:
        """The model with its parameters."""
        others = None if self.others is None else decimal_text(self.others)
        templates = [{"value": value, "bound": decimal_text(bound)} for value, bound in self.templates]
        return {"model": "confidence-bound", "templates": templates, "others": others}


@dataclass(frozen=True, kw_only=True)
class AlphaK:
    """(alpha, k)-anonymity: groups of at least k rows in which no sensitive value has a share above alpha (Wong et al., 2006)."""

    alpha: Fraction
    k: int

    def __init__(self, *, alpha: Exact, k: int) -> None:
        """Parse and check."""
        object.__setattr__(self, "alpha", share_of(alpha, name="alpha"))
        object.__setattr__(self, "k", whole_number(k, name="k", least=1))

    @property
    def needs_sensitive(self) -> bool:
        """It counts sensitive values."""
        return True

    def violates(self, found: Histograms, overall: Integers, schema: Schema) -> Booleans:
        """Groups that are too small or in which a value is too frequent."""
        small = KAnonymity(k=self.k).violates(found, overall, schema)
        return small | ConfidenceBound(others=self.alpha).violates(found, overall, schema)

    def statement(self) -> str:
        """What holds for every group."""
        share = decimal_text(100 * self.alpha)
        alike = f"every row is one of at least {self.k} that look alike"
        return f"{alike}, and no sensitive value is that of more than {share} % of them"

    def as_json(self) -> dict[str, object]:
        """The model with its parameters."""
        return {"model": "alpha-k-anonymity", "alpha": decimal_text(self.alpha), "k": self.k}


@dataclass(frozen=True, kw_only=True)
class TCloseness:
    """The sensitive values of every group are distributed as in the whole table, up to an earth mover's distance of t.

    Li, Li and Venkatasubramanian, ICDE 2007. Between values of an ordered column the ground distance is the number of steps over
    the largest number of steps; between any two values of another column it is 1.
    """

    t: Fraction

    def __init__(self, *, t: Exact) -> None:
        """Parse and check."""
        object.__setattr__(self, "t", share_of(t, name="t"))

    @property
    def needs_sensitive(self) -> bool:
        """It counts sensitive values."""
        return True

    def violates(self, found: Histograms, overall: Integers, schema: Schema) -> Booleans:
        """Groups that are too far from the whole table."""
        sensitive = schema.only_sensitive("t-closeness")
        total = int(overall.sum())
        moved = ordered_work(found, overall) if sensitive.ordered else equal_work(found, overall)
        unit = (sensitive.size - 1 if sensitive.ordered else 2) or 1
        allowed = float(self.t) * unit * found.sizes * float(total)
        flags = moved > allowed
        for group in np.flatnonzero(np.abs(moved - allowed) <= NEAR * np.maximum(allowed, 1.0)).tolist():
            exact_allowed = self.t * unit * int(found.sizes[group]) * total
            flags[group] = int(moved[group]) > exact_allowed
        return flags

    def statement(self) -> str:
        """What holds for every group."""
        t = decimal_text(self.t)
        return f"the sensitive values of rows that look alike are within a distance of {t} of those of the whole table"

    def as_json(self) -> dict[str, object]:
        """The model with its parameters."""
        return {"model": "t-closeness", "t": decimal_text(self.t)}


LARGEST_FACTOR = 10**100
"""So that its logarithm is a double; no table has so many rows."""


def _factor(value: Exact, *, name: str, least: int) -> Fraction:
    """A fraction that arrays of 64-bit integers can be compared with."""
    parsed = exact(value, name=name)
    if not least <= parsed <= LARGEST_FACTOR or parsed.denominator > LARGEST_DENOMINATOR:
        bounds = f"at least {least}, below 1e100"
        message = f"{name} must be {bounds}, with a denominator of at most {LARGEST_DENOMINATOR:,}, got {value}"
        raise ParameterError(message)
    return parsed
