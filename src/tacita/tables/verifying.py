"""The independent check of a published table: it must pass before a release exists.

This module shares no code with the publishers or with `models`: it looks at the names that are about to be written, groups them
by Polars, and decides each group by Python's whole numbers and the definition in the literature. It trusts nothing that a
publisher computed: not its groups, not its histograms. It also compares with the raw table, so that no sensitive value is made
up. Whether every published range holds the raw value behind it is a matter of truth, not of privacy; the tests check that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import gcd, log, prod
from typing import Any

import polars as pl

from tacita.errors import VerificationError
from tacita.tables.records import TableRecords

__all__ = ["verify_buckets", "verify_groups", "verify_table"]

Counts = dict[str, int]
Check = Callable[[Counts], bool]


def verify_groups(
    rows: pl.DataFrame,
    *,
    alike: Sequence[str],
    sensitive: str | None,
    models: Sequence[Mapping[str, Any]],
    scale: Sequence[str] = (),
) -> None:
    """Refuse a table in which any group of rows with the same `alike` columns violates any model.

    `models` are the models as a manifest holds them. `scale` gives the order of the sensitive values where it matters. The whole
    table that t-closeness compares with is the table as it is published.
    """
    value = pl.lit("") if sensitive is None else pl.col(sensitive)
    cells = rows.group_by([*alike, value.alias("__value")]).len("__count")
    overall = dict(cells.group_by("__value").agg(pl.col("__count").sum()).iter_rows())
    checks = [_check(model, overall, scale) for model in models]
    listed = cells.group_by(list(alike)).agg(pl.col("__value"), pl.col("__count")).select("__value", "__count")
    decided: dict[tuple[tuple[str, int], ...], bool] = {}
    for values, counts in listed.iter_rows():
        histogram = tuple(sorted(zip(values, counts, strict=True)))
        if histogram not in decided:
            decided[histogram] = all(check(dict(histogram)) for check in checks)
        if not decided[histogram]:
            message = "the independent check found a group that violates the model; nothing is published, please report this"
            raise VerificationError(message)


def verify_table(rows: pl.DataFrame, records: TableRecords, models: Sequence[Mapping[str, Any]]) -> None:
    """Check a generalized table: its groups by the models, its sensitive values against the raw table."""
    schema = records.schema
    names = [column.name for column in schema.quasi]
    columns: list[tuple[str | None, Sequence[str]]] = [
        (part.name, part.universe.labels if part.ordered else ()) for part in schema.hidden
    ]
    for hidden, scale in columns or [(None, ())]:
        verify_groups(rows, alike=names, sensitive=hidden, models=models, scale=scale)
    _verify_values(rows, _raw_values(records), [part.name for part in schema.hidden])


def verify_buckets(people: pl.DataFrame, values: pl.DataFrame, records: TableRecords, *, least: int) -> None:
    """Check bucketized tables: as many people as values in every bucket, at least that many, and no value twice."""
    hidden = records.schema.only_sensitive("bucketization").name
    counted = people.group_by("bucket").len("people")
    beside = values.group_by("bucket").agg(pl.len().alias("values"), pl.col(hidden).n_unique().alias("different"))
    joined = counted.join(beside, on="bucket", how="full")
    wrong = joined.filter(
        pl.any_horizontal(pl.all().is_null())
        | (pl.col("people") != pl.col("values"))
        | (pl.col("values") != pl.col("different"))
        | (pl.col("values") < least)
    )
    if wrong.height or people.height != len(records):
        message = "the independent check found a bucket that violates the model; nothing is published, please report this"
        raise VerificationError(message)
    _verify_values(values, _raw_values(records), [hidden])


def _raw_values(records: TableRecords) -> Counter[tuple[str, ...]]:
    """How often each combination of sensitive values occurs in the raw table; codes are taken apart here once more."""
    found: Counter[tuple[str, ...]] = Counter()
    if records.sensitive is None:
        return found
    for code, count in pl.Series(records.sensitive).value_counts().iter_rows():
        names, rest = [], code
        for part in reversed(records.schema.hidden):
            rest, place = divmod(rest, len(part.universe.labels))
            names.append(part.universe.labels[place])
        found[tuple(reversed(names))] = count
    return found


def _verify_values(rows: pl.DataFrame, raw: Counter[tuple[str, ...]], hidden: Sequence[str]) -> None:
    """Refuse sensitive values that occur more often together in the release than in the raw table."""
    if not hidden:
        return
    surplus: Counter[tuple[str, ...]] = Counter()
    for *values, count in rows.group_by(hidden).len("__count").iter_rows():
        surplus[tuple(values)] = count
    surplus.subtract(raw)
    if any(count > 0 for count in surplus.values()):
        message = "the independent check found a sensitive value that nobody has; nothing is published, please report this"
        raise VerificationError(message)


def _check(model: Mapping[str, Any], overall: Counts, scale: Sequence[str]) -> Check:  # noqa: PLR0911 - one return per model
    """The definition of a model, as a question about one group."""
    match model["model"]:
        case "k-anonymity":
            return lambda group: sum(group.values()) >= model["k"]
        case "distinct-l-diversity":
            return lambda group: len(group) >= model["l"]
        case "entropy-l-diversity":
            return lambda group: _entropy_reaches(list(group.values()), Fraction(model["l"]))
        case "recursive-c-l-diversity":
            return lambda group: _recursive(sorted(group.values(), reverse=True), Fraction(model["c"]), model["l"])
        case "confidence-bound":
            bounds = {template["value"]: Fraction(template["bound"]) for template in model["templates"]}
            others = Fraction(1) if model["others"] is None else Fraction(model["others"])
            return lambda group: all(
                Fraction(count, sum(group.values())) <= bounds.get(value, others) for value, count in group.items()
            )
        case "alpha-k-anonymity":
            alpha = Fraction(model["alpha"])
            return lambda group: sum(group.values()) >= model["k"] and Fraction(max(group.values()), sum(group.values())) <= alpha
        case "t-closeness":
            t = Fraction(model["t"])
            return lambda group: _distance(group, overall, scale) <= t
        case other:
            message = f"the independent check knows no model {other!r}; nothing is published"
            raise VerificationError(message)


def _entropy_reaches(counts: list[int], least: Fraction) -> bool:
    """Whether the product of (n / c)^c is at least l^n; all counts are divided by their common divisor first."""
    divisor = gcd(*counts)
    counts = [count // divisor for count in counts]
    total = sum(counts)
    if total > 100_000:  # too long for whole numbers; a margin that no rounding of doubles reaches keeps it safe
        return log(total) - sum(count * log(count) for count in counts) / total >= log(least) + 1e-10
    return Fraction(total**total, prod(count**count for count in counts)) >= least**total


def _recursive(ordered: list[int], factor: Fraction, rank: int) -> bool:
    return ordered[0] < factor * sum(ordered[rank - 1 :])


def _distance(group: Counts, overall: Counts, scale: Sequence[str]) -> Fraction:
    """The earth mover's distance between a group and the whole table."""
    here, everywhere = sum(group.values()), sum(overall.values())
    differences = {value: Fraction(group.get(value, 0), here) - Fraction(count, everywhere) for value, count in overall.items()}
    if not scale:
        return sum((abs(difference) for difference in differences.values()), Fraction(0)) / 2
    carried = moved = Fraction(0)
    for value in scale[:-1]:
        carried += differences.get(value, Fraction(0))
        moved += abs(carried)
    return moved / max(1, len(scale) - 1)
