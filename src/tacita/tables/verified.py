"""The verified publishers of tables: each makes a table, the independent check looks at it, and only then is there a release.

None of them spends a budget, and none gives differential privacy: they keep a promise about the published table, not about what
can be learnt from it together with other knowledge. `Not covered` says which attacks remain.

How tables are made: buckets in the first part below, the others in `mondrian`, `full_domain` and `cell_suppression`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeVar

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError, VerificationError
from tacita.privacy.budget import Explanation, exact
from tacita.privacy.publishing import Progress, parameters_of, require_records_of, verified_release
from tacita.privacy.randomness import SecureSource, Source
from tacita.privacy.release import Payload, Release
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import whole_number
from tacita.tables.cell_suppression import suppressed_cells
from tacita.tables.full_domain import best_generalization
from tacita.tables.guarantee import BUCKETS, SyntacticPrivacy, as_models, models_text
from tacita.tables.histograms import histograms
from tacita.tables.models import AlphaK, ConfidenceBound, DistinctDiversity, KAnonymity, Model, violating
from tacita.tables.mondrian import partition_rows
from tacita.tables.published import SCHEMA_INPUT, PublishedBuckets, PublishedTable, schema_of, table_of_groups
from tacita.tables.records import CountedTable, TableRecords
from tacita.tables.schema import Schema
from tacita.tables.verifying import verify_buckets, verify_table

__all__ = ["Bucketize", "CellSuppression", "FullDomain", "Mondrian", "bucket_of_rows"]


# Buckets: quasi-identifiers stay as they are; which sensitive value belongs to whom is published only up to a bucket.
#
# Anatomy (Xiao and Tao, VLDB 2006) makes buckets of at least l people with l different sensitive values, so each value has a
# share of at most 1 / l. We make the same kind of buckets without its loop: with n people there are B = n // l buckets, people
# are ordered by sensitive value, most frequent first, and person i goes to bucket i mod B. A value that at most B people have
# is then at most once in a bucket, and every bucket has l people or more. A value that more have makes it impossible for any
# method. Who of the people with one value goes first is drawn from the operating system's entropy, and the published tables are
# sorted, so that neither the order of the file nor that of the buckets links anybody.


def bucket_of_rows(sensitive: Integers, *, symbols: int, l: int, source: Source | None = None) -> Integers | None:  # noqa: E741
    """The bucket of each row, or None if a value is so frequent that buckets of l different values are impossible."""
    counts = np.bincount(sensitive, minlength=symbols)
    buckets = sensitive.size // l
    if not buckets or int(counts.max()) > buckets:
        return None
    drawn = np.frombuffer((SecureSource() if source is None else source).take(8 * sensitive.size), dtype=np.uint64)
    rank = np.empty(symbols, dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(symbols)
    order = np.lexsort((drawn, rank[sensitive]))
    bucket = np.empty(sensitive.size, dtype=np.int64)
    bucket[order] = np.arange(sensitive.size) % buckets
    return bucket


# The publishers.


DataT = TypeVar("DataT", bound=Payload)


class Publisher(Protocol):
    """A verified publisher, as a release needs it."""

    @property
    def models(self) -> tuple[Model, ...]:
        """What every group satisfies."""
        ...


@dataclass(frozen=True, kw_only=True)
class Mondrian:
    """Publish a table by cutting it into ever smaller groups, each of which shows a range or a list of every quasi-identifier.

    Needs: declared columns; models fixed without a look at the data, such as `k=5, l=3`. Guarantees: every group of rows that
    look alike satisfies every model. Every row is published. Protects: one row, against whoever knows its quasi-identifiers and
    nothing else. Verified by: `tacita.tables.verifying`, on the names that are written, before anything is. Not covered: other
    releases about the same people (composition), knowledge of how groups are made (minimality), knowledge about other people's
    sensitive values, being in the table at all. The ends of an interval, and all listed values, are values that somebody in the
    group has. Reference: LeFevre, DeWitt and Ramakrishnan, ICDE 2006; departs from it as `tacita.tables.mondrian` says.

    >>> print(Mondrian(models="k=5").explain())
    mondrian, verified, spends no budget
    <BLANKLINE>
    - every row is one of at least 5 that look alike
    """

    models: tuple[Model, ...] = (KAnonymity(k=5),)

    def __post_init__(self) -> None:
        """Parse the models where they came as text."""
        object.__setattr__(self, "models", as_models(self.models))

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What will hold; spends nothing."""
        return explained("mondrian", self.models, public)

    def publish(self, records: TableRecords, *, progress: Progress | None = None) -> Release[PublishedTable]:
        """Publish the records, or refuse to if the check does not pass."""
        require_in_memory(records, method="mondrian")
        table = self.anonymized(records, progress=progress)
        return released(self, "mondrian", records, table)

    def anonymized(self, records: TableRecords, *, progress: Progress | None = None) -> PublishedTable:
        """The published table, after the check."""
        require_satisfiable(records, self.models)
        schema = records.schema
        found = partition_rows(schema, records.quasi, records.sensitive, self.models, progress=progress)
        table = table_of_groups(
            schema,
            found.lows,
            found.highs,
            found.group_of,
            records.sensitive,
            file_format=records.file_format,
            separator=records.separator,
            listed=found.listed,
        )
        verify_table(table.frame(), records, [model.as_json() for model in self.models])
        return table


@dataclass(frozen=True, kw_only=True)
class FullDomain:
    """Publish a table with every column at one level of its taxonomy, the same for all rows, and leave some rows out.

    Needs: declared columns with trees or interval widths; models and the largest share of rows that may be left out. Guarantees:
    every group of rows that look alike satisfies every model; of all such candidates the information loss is smallest. Protects:
    one row, against whoever knows its quasi-identifiers and nothing else. Verified by: `tacita.tables.verifying`, on the names
    that are written, before anything is. Not covered: as for `Mondrian`; and which rows were left out, or how many, is told to
    nobody, though whoever knows that a person is in the table and finds no row for them learns that their group was too small.
    Reference: Samarati, TKDE 2001; Sweeney, 2002; the search is ours, see `tacita.tables.full_domain`.

    >>> FullDomain(models="k=2", suppression="0.05").suppression
    Fraction(1, 20)
    """

    models: tuple[Model, ...] = (KAnonymity(k=5),)
    suppression: Fraction = Fraction(1, 20)

    def __post_init__(self) -> None:
        """Parse the models and the share."""
        object.__setattr__(self, "models", as_models(self.models))
        share = exact(self.suppression, name="suppression")
        if not 0 <= share <= 1:
            message = f"suppression must be a share between 0 and 1, got {self.suppression}"
            raise ParameterError(message)
        object.__setattr__(self, "suppression", share)

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What will hold; spends nothing."""
        return explained(
            "full-domain", self.models, public, f"at most {float(100 * self.suppression):g} % of the rows are left out"
        )

    def publish(self, records: TableRecords, *, progress: Progress | None = None) -> Release[PublishedTable]:
        """Publish the records, or refuse to if the check does not pass."""
        require_in_memory(records, method="full-domain")
        table = self.anonymized(records, progress=progress)
        return released(self, "full-domain", records, table)

    def anonymized(self, records: TableRecords, *, progress: Progress | None = None) -> PublishedTable:  # noqa: ARG002 - as all
        """The published table, after the check."""
        require_satisfiable(records, self.models)
        schema = records.schema
        found = best_generalization(schema, records.quasi, records.sensitive, self.models, suppression=self.suppression)
        if found is None:
            raise VerificationError(_UNSATISFIABLE)
        rows = np.flatnonzero(found.kept)
        chosen = [column.levels[level] for column, level in zip(schema.quasi, found.levels, strict=True)]
        codes = [column[rows] for column in records.quasi]
        lows, highs = (
            np.stack([level[side][column] for level, column in zip(chosen, codes, strict=True)], axis=1) for side in (0, 1)
        )
        sensitive = None if records.sensitive is None else records.sensitive[rows]
        table = table_of_groups(
            schema,
            lows,
            highs,
            np.arange(rows.size),
            sensitive,
            file_format=records.file_format,
            separator=records.separator,
        )
        verify_table(table.frame(), records, [model.as_json() for model in self.models])
        return table


@dataclass(frozen=True, kw_only=True)
class CellSuppression:
    """Publish a table in which single values are replaced by `*`, as few as a greedy search finds.

    Needs: declared columns, at most 14 of them; models. Trees are not used.
    Guarantees: every group of rows that look alike satisfies every model.
    Protects: one row, against whoever knows its quasi-identifiers and nothing else.
    Verified by: `tacita.tables.verifying`, on the names that are written, before anything is.
    Not covered: as for `Mondrian`; rows that no group could take are left out, and their number is told to nobody. A row with `*`
    also matches what other groups show, which the models do not count.
    Reference: section 2.2.2 of Chen's thesis (2012) names the idea; the greedy search is ours.

    >>> print(CellSuppression(models="k=2").explain())
    cell-suppression, verified, spends no budget
    <BLANKLINE>
    - every row is one of at least 2 that look alike
    """

    models: tuple[Model, ...] = (KAnonymity(k=5),)

    def __post_init__(self) -> None:
        """Parse the models where they came as text."""
        object.__setattr__(self, "models", as_models(self.models))

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What will hold; spends nothing."""
        return explained("cell-suppression", self.models, public)

    def publish(self, records: TableRecords, *, progress: Progress | None = None) -> Release[PublishedTable]:
        """Publish the records, or refuse to if the check does not pass."""
        require_in_memory(records, method="cell-suppression")
        table = self.anonymized(records, progress=progress)
        return released(self, "cell-suppression", records, table)

    def anonymized(self, records: TableRecords, *, progress: Progress | None = None) -> PublishedTable:  # noqa: ARG002 - as all
        """The published table, after the check."""
        require_satisfiable(records, self.models)
        schema = records.schema
        found = suppressed_cells(schema, records.quasi, records.sensitive, self.models)
        rows = np.flatnonzero(found.group_of >= 0)
        lows = np.where(found.hidden, 0, found.places)
        highs = np.where(found.hidden, np.array(schema.sizes), found.places + 1)
        sensitive = None if records.sensitive is None else records.sensitive[rows]
        table = table_of_groups(
            schema,
            lows,
            highs,
            found.group_of[rows],
            sensitive,
            file_format=records.file_format,
            separator=records.separator,
        )
        verify_table(table.frame(), records, [model.as_json() for model in self.models])
        return table


@dataclass(frozen=True, kw_only=True)
class Bucketize:
    """Publish quasi-identifiers as they are, and sensitive values in buckets of at least l people with different values.

    Needs: declared columns with a sensitive one; l. Guarantees: every bucket has at least l people, and no sensitive value occurs
    twice in it, so it has a share of at most 1 / l. Protects: the link between a row and its sensitive value, against whoever
    knows all quasi-identifiers and nothing else. Verified by: `tacita.tables.verifying`, on the tables that are written, before
    anything is. Not covered: who is in the table (quasi-identifiers are published exactly), a learner that finds which kind of
    people have which value (Kifer's deFinetti attack, SIGMOD 2009), other releases about the same people, knowledge of other
    people's values. Reference: Xiao and Tao, Anatomy, VLDB 2006; buckets are dealt, see `tacita.tables.verified`.

    >>> print(Bucketize(l=4).explain())
    bucketize, verified, spends no budget
    <BLANKLINE>
    - every bucket has at least 4 people, all with different sensitive values
    """

    l: int = 3  # noqa: E741 - the name that the literature gives it

    def __post_init__(self) -> None:
        """Check the number."""
        whole_number(self.l, name="l", least=2)

    @property
    def models(self) -> tuple[Model, ...]:
        """What every bucket satisfies."""
        return (DistinctDiversity(l=self.l), ConfidenceBound(others=Fraction(1, self.l)))

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What will hold; spends nothing."""
        if SCHEMA_INPUT in public.others:
            require_sensitive(schema_of(public), self.models)
        fact = f"every bucket has at least {self.l} people, all with different sensitive values"
        return Explanation(title="bucketize, verified, spends no budget", facts=(fact,))

    def publish(self, records: TableRecords, *, progress: Progress | None = None) -> Release[PublishedBuckets]:
        """Publish the records, or refuse to if the check does not pass."""
        require_in_memory(records, method="bucketize")
        table = self.anonymized(records, progress=progress)
        return released(self, "bucketize", records, table)

    def anonymized(self, records: TableRecords, *, progress: Progress | None = None) -> PublishedBuckets:  # noqa: ARG002 - as all
        """The published tables, after the check."""
        sensitive = records.schema.only_sensitive("bucketization")
        codes = records.sensitive_codes("bucketization")
        require_one_row_each(records)
        rows = np.lexsort((codes, *records.quasi[::-1]))  # so that no draw belongs to a place in the file
        quasi, codes = tuple(column[rows] for column in records.quasi), codes[rows]
        buckets = bucket_of_rows(codes, symbols=sensitive.size, l=self.l)
        if buckets is None:
            raise VerificationError(_UNSATISFIABLE)
        order = np.lexsort((*quasi[::-1], buckets))
        beside = np.lexsort((codes, buckets))
        tables = PublishedBuckets(
            schema=records.schema,
            quasi=tuple(column[order] for column in quasi),
            buckets=buckets[order],
            sensitive=codes[beside],
            sensitive_buckets=buckets[beside],
            file_format=records.file_format,
            separator=records.separator,
        )
        verify_buckets(tables.frame(), tables.sensitive_frame(), records, least=self.l)
        return tables


_UNSATISFIABLE = (
    "no table can satisfy the model on these data with these options; ask for less (a smaller k or l, a larger bound), "
    "or allow more rows to be left out; nothing is published"
)


def explained(name: str, models: tuple[Model, ...], public: PublicInputs, *more: str) -> Explanation:
    """What a publisher promises, and whether the declared columns let it."""
    if SCHEMA_INPUT in public.others:
        schema_of(public).refuse_missing(name)
        require_sensitive(schema_of(public), models)
    facts = [*(model.statement() for model in models), *more]
    if not any(isinstance(model, KAnonymity | AlphaK) and model.k > 1 for model in models):
        facts.append(WITHOUT_K)
    return Explanation(title=f"{name}, verified, spends no budget", facts=tuple(facts))


def require_in_memory(records: CountedTable, *, method: str) -> None:
    """Refuse anything but a table in memory before it is looked at."""
    if isinstance(records, CountedTable) and not isinstance(records, TableRecords):
        message = f"{method} looks at all rows at once, so it takes a table in memory; choose the engine local"
        raise ParameterError(message)
    require_records_of(records, TableRecords, method=method)


def released(method: Publisher, name: str, records: TableRecords, data: DataT) -> Release[DataT]:
    """A table that has passed the check, as a release."""
    group = BUCKETS if isinstance(data, PublishedBuckets) else "rows that show the same"
    return verified_release(
        records,
        data,
        SyntacticPrivacy(models=method.models, group=group, voids=records.public.voids),
        mechanism=name,
        parameters=parameters_of(method, models=models_text(method.models)),
        rules=RULES[name],
    )


WITHOUT_K = (
    "careful: without k=2 or more, rows are generalized only because of their sensitive values, which whoever knows that can use "
    "(minimality)"
)

RULES = {
    "mondrian": ("every row was kept; each shows a range or a list of every quasi-identifier that holds its value",),
    "full-domain": ("each column shows the same level for all rows; rows that still violated a model were left out",),
    "cell-suppression": ("single values were hidden; rows that no group could take were left out",),
    "bucketize": ("quasi-identifiers are shown as they are; sensitive values are known up to the bucket",),
}


def require_one_row_each(records: TableRecords) -> None:
    """Refuse persons with several rows: these models count rows, and a group could be one person's; and missing values."""
    records.schema.refuse_missing("a verified method")
    if records.records_per_person > 1:
        message = (
            "a verified method counts rows, so every person may have one; "
            f"read with cap=1, got {records.per_person}, or choose top-down"
        )
        raise ParameterError(message)


def require_satisfiable(records: TableRecords, models: tuple[Model, ...]) -> None:
    """Refuse models that even the table as one group violates, and models whose column is not declared."""
    require_one_row_each(records)
    require_sensitive(records.schema, models)
    if not len(records) or _one_group_violates(records, models):
        raise VerificationError(_UNSATISFIABLE)


def require_sensitive(schema: Schema, models: tuple[Model, ...]) -> None:
    """Refuse models about sensitive values where no column is sensitive."""
    for model in models:
        if model.needs_sensitive:
            schema.required_sensitive(f"what was asked for ({model.statement()})")


def _one_group_violates(records: TableRecords, models: tuple[Model, ...]) -> bool:
    symbols = 1 if records.schema.sensitive is None else records.schema.sensitive.size
    found = histograms(np.zeros(len(records), dtype=np.int64), records.sensitive, groups=1, symbols=symbols)
    overall = np.zeros(symbols, dtype=np.int64)
    overall[found.values] = found.counts
    return bool(violating(models, found, overall, records.schema)[0])
