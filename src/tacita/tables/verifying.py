"""The independent check of a published table: it must pass before a release exists.

This module shares no code with the publishers or with `models`: it looks at the names that are about to be written, groups them
by Polars, and decides each group by Python's whole numbers and the definition in the literature. It trusts nothing that a
publisher computed: not its groups, not its histograms. It also compares with the raw table, so that no sensitive value is made
up. Whether every published range holds the raw value behind it is a matter of truth, not of privacy; the tests check that.

`verify_release` is the same check for whoever receives the folder: files and promise as they are printed, and no raw table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import gcd, log, prod
from pathlib import Path
from typing import Any

import polars as pl

from tacita.errors import VerificationError
from tacita.gate import read_json
from tacita.io.release_files import released_rows
from tacita.tables.records import TableRecords

__all__ = ["verify_buckets", "verify_groups", "verify_release", "verify_table"]

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
    if _violations(rows, alike=alike, sensitive=sensitive, models=models, scale=scale):
        message = "the independent check found a group that violates the model; nothing is published, please report this"
        raise VerificationError(message)


def _violations(
    rows: pl.DataFrame,
    *,
    alike: Sequence[str],
    sensitive: str | None,
    models: Sequence[Mapping[str, Any]],
    scale: Sequence[str] = (),
) -> int:
    """How many groups violate any of the models."""
    value = pl.lit("") if sensitive is None else pl.col(sensitive)
    cells = rows.group_by([*alike, value.alias("__value")]).len("__count")
    overall = dict(cells.group_by("__value").agg(pl.col("__count").sum()).iter_rows())
    checks = [_check(model, overall, scale) for model in models]
    listed = cells.group_by(list(alike)).agg(pl.col("__value"), pl.col("__count")).select("__value", "__count")
    decided: dict[tuple[tuple[str, int], ...], bool] = {}
    violating = 0
    for values, counts in listed.iter_rows():
        histogram = tuple(sorted(zip(values, counts, strict=True)))
        if histogram not in decided:
            decided[histogram] = all(check(dict(histogram)) for check in checks)
        violating += not decided[histogram]
    return violating


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
    wrong = _wrong_buckets(people, values, hidden, least=least)
    if wrong or people.height != len(records):
        message = "the independent check found a bucket that violates the model; nothing is published, please report this"
        raise VerificationError(message)
    _verify_values(values, _raw_values(records), [hidden])


def _wrong_buckets(people: pl.DataFrame, values: pl.DataFrame, hidden: str, *, least: int) -> int:
    """How many buckets have other numbers of people and values, a value twice, or fewer values than that."""
    counted = people.group_by("bucket").len("people")
    beside = values.group_by("bucket").agg(pl.len().alias("values"), pl.col(hidden).n_unique().alias("different"))
    joined = counted.join(beside, on="bucket", how="full")
    wrong = joined.filter(
        pl.any_horizontal(pl.all().is_null())
        | (pl.col("people") != pl.col("values"))
        | (pl.col("values") != pl.col("different"))
        | (pl.col("values") < least)
    )
    return wrong.height


# The same check for whoever receives a release.


def verify_release(folder: Path, manifest: Mapping[str, Any], _records: object = None) -> tuple[list[str], list[str]]:
    """What is wrong with the published table by the models in its manifest, and what cannot be checked without the raw table.

    Every model of the list must hold for every group and each sensitive column.
    """
    declared: Any = read_json(folder / "columns.json", what="the file")
    models = manifest["guarantee"]["models"]
    quasi = [str(column["name"]) for column in declared["quasi"]]
    sensitive = declared.get("sensitive") or []
    hidden = {str(part["name"]): part for part in (sensitive if isinstance(sensitive, list) else [sensitive])}
    files = {str(file["role"]).partition(".")[0]: folder / Path(file["name"]).name for file in manifest["files"]}
    if manifest["mechanism"]["name"] == "bucketize":
        values = _shown(files["sensitive"], list(hidden))
        return _wrong_in_buckets(_shown(files["data"], quasi), values, quasi, list(hidden), models), []
    rows = _shown(files["data"], [*quasi, *hidden])
    if sorted(rows.columns) != sorted([*quasi, *hidden]):
        return ["the table has other columns than those declared"], []
    asks_values = any(model["model"] != "k-anonymity" for model in models)
    if not models or (asks_values and not hidden):
        return ["no model is promised, or one about sensitive values where none are shown"], []
    wrong = []
    columns: list[tuple[str | None, Mapping[str, Any]]] = [*hidden.items()] or [(None, {})]
    for name, part in columns:
        scale = [str(value) for value in part["values"]] if part.get("ordered") else []
        found = _violations(rows, alike=quasi, sensitive=name, models=models, scale=scale)
        if found:
            wrong.append(
                f"{found:,} groups of rows that show the same violate what is promised" + (f" for {name}" if name else "")
            )
    return wrong, []


def _wrong_in_buckets(
    people: pl.DataFrame, values: pl.DataFrame, quasi: list[str], hidden: list[str], models: Sequence[Mapping[str, Any]]
) -> list[str]:
    if sorted(people.columns) != sorted([*quasi, "bucket"]) or sorted(values.columns) != sorted(["bucket", *hidden]):
        return ["the tables have other columns than those declared"]
    if len(hidden) != 1 or not models:
        return ["buckets hold the values of one sensitive column, and promise something about it"]
    least = max((model["l"] for model in models if model["model"] == "distinct-l-diversity"), default=1)
    wrong = _wrong_buckets(people, values, hidden[0], least=least)
    wrong = max(wrong, _violations(values, alike=["bucket"], sensitive=hidden[0], models=models))
    return [f"{wrong:,} buckets violate what is promised"] if wrong else []


def _shown(path: Path, names: list[str]) -> pl.DataFrame:
    """The cells of a file with these columns as text: what looks alike is what is printed alike."""
    return released_rows(path, names)[0].with_columns(pl.all().cast(pl.String))


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
            bounds: dict[str, Fraction] = {}
            for template in model["templates"]:  # two bounds for one value: both must hold, so the smaller one counts
                bound = Fraction(template["bound"])
                bounds[template["value"]] = min(bound, bounds.get(template["value"], bound))
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
