"""Audits of tables: small tables, and how the private publishers are reduced to a size that can be audited."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.auditing.cases.case import (
    DELTA,
    SPAN,
    Pair,
    Rows,
    Variant,
    a_few_and_one_more,
    anywhere_and_a_crowd,
    crowd_above,
    outcome_of,
    removals,
)
from tacita.privacy.budget import Budget, PureDP
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator
from tacita.tables import (
    Bucketize,
    Categorical,
    CellSuppression,
    DistinctDiversity,
    FullDomain,
    Independent,
    KAnonymity,
    Marginals,
    Mondrian,
    Numeric,
    PublishedBuckets,
    PublishedTable,
    Schema,
    Sensitive,
    SplitScore,
    TableRecords,
    TopDown,
    violations,
)
from tacita.tables.published import table_of_groups
from tacita.tables.top_down import cell_threshold

__all__ = [
    "NoisyMarginals",
    "SingleColumns",
    "TableCase",
    "TopDowns",
]

MODELS = (KAnonymity(k=2), DistinctDiversity(l=2))


@dataclass(frozen=True, kw_only=True)
class TableCase:
    """A publisher of tables with a letter, a digit and a sensitive letter per person, such as `B3q`.

    `letters` and `digits` are the values of the two quasi-identifiers, `values` those of the sensitive column; without any of
    the latter two, there is no such column.
    """

    name: str
    mechanism: Any
    budget: Budget
    letters: str = "ABCD"
    digits: int = 4
    values: str = "pqrst"
    crowd: int = 400
    span: int = SPAN

    @staticmethod
    def variants(method: str) -> Mapping[str, Any]:
        """The variants of a verified method that are audited if no parameters are given."""
        found = {
            "mondrian": Mondrian(models=MODELS),
            "full-domain": FullDomain(models=MODELS, suppression=Fraction(1, 2)),
            "cell-suppression": CellSuppression(models=MODELS),
            "bucketize": Bucketize(l=2),
        }
        return {method: found[method]}

    @cached_property
    def schema(self) -> Schema:
        """A column with a tree, one with numbers, and a sensitive one."""
        tree = (
            Taxonomy.balanced(Universe(self.letters), fan_out=2)
            if len(self.letters) > 1
            else Taxonomy.flat(Universe(self.letters))
        )
        digit = (Numeric(name="digit", low=0, high=self.digits - 1, widths=()),) if self.digits else ()
        return Schema(
            quasi=(Categorical(name="letter", taxonomy=tree), *digit),
            sensitive=Sensitive(name="value", universe=Universe(self.values)) if self.values else None,
        )

    @cached_property
    def domain(self) -> Rows:
        """Every row that a person can have."""
        digits = [str(digit) for digit in range(self.digits)] or [""]
        return tuple("".join(row) for row in product(self.letters, digits, self.values or [""]))

    def records(self, rows: Rows) -> TableRecords:
        """Private records from rows, as if one of each had been left out."""
        letters = self.schema.quasi[0]
        places = letters.tree.place_of if isinstance(letters, Categorical) else np.arange(len(self.letters))
        columns = [np.array([places[self.letters.index(row[0])] for row in rows], dtype=np.int64)]
        if self.digits:
            columns.append(np.array([int(row[1]) for row in rows], dtype=np.int64))
        hidden = np.array([self.values.index(row[-1]) for row in rows], dtype=np.int64) if self.values else None
        return TableRecords(schema=self.schema, quasi=tuple(columns), sensitive=hidden, name="audit", dropped_rows=len(rows))

    def of(self, mechanism: Any) -> TableCase:  # noqa: ANN401 - whatever has a publish
        """The same data for another mechanism."""
        return replace(self, mechanism=mechanism)

    def lists(self, held: Any) -> Ragged:  # noqa: ANN401 - records or a published table
        """What each row shows, as a list: a value or a range of each column, and the sensitive code."""
        if isinstance(held, TableRecords):
            table = np.stack([*held.quasi, *([] if held.sensitive is None else [held.sensitive])], axis=1)
        else:
            hidden = np.zeros((len(held), 1), dtype=np.int64) if held.sensitive is None else held.sensitive[:, np.newaxis]
            table = np.concatenate([held.lows[held.groups], held.highs[held.groups], hidden], axis=1)
        return Ragged(table.reshape(-1).astype(np.int32), offsets_of([table.shape[1]] * table.shape[0]))

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Some people anywhere, and often a crowd with one row."""
        return anywhere_and_a_crowd(self.domain, generator, crowd=self.crowd, most=20)

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every row added, and every different one removed."""
        for extra in self.domain:
            yield (*rows, extra)
        yield from removals(rows)

    def tight_pairs(self) -> Sequence[Pair]:
        """A crowd with one row, and one more person, with that row or with the last one."""
        crowd = (self.domain[0],) * self.crowd
        return [(crowd, (*crowd, extra)) for extra in (self.domain[0], self.domain[-1])]

    def output_pairs(self) -> Sequence[Pair]:
        """A few people; the one added or removed is like them, or alone."""
        return a_few_and_one_more(self.domain)

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of a table
        """The published rows, as one value."""
        return outcome_of(self.lists(release.data))

    def sampled_neighbours(self, records: TableRecords, *, number: int, seed: int) -> Iterator[tuple[str, TableRecords]]:
        """Neighbours of real data: one row removed, or one added, which is a copy or random."""
        generator = public_generator(seed)
        columns = [*records.quasi, records.sensitive_codes("an audit")]
        symbols = [*records.schema.sizes, records.schema.required_sensitive("an audit").size]
        for turn in range(number):
            place = int(generator.integers(0, len(records)))
            if turn % 3 == 0:
                changed, what = [np.delete(codes, place) for codes in columns], f"row {place} removed"
            else:
                stranger = [int(generator.integers(0, size)) for size in symbols]
                row = [int(codes[place]) for codes in columns] if turn % 3 == 1 else stranger
                changed = [np.append(codes, value) for codes, value in zip(columns, row, strict=True)]
                what = f"a copy of row {place} added" if turn % 3 == 1 else "a random row added"
            quasi, hidden = tuple(changed[:-1]), changed[-1]
            yield what, replace(records, quasi=quasi, sensitive=hidden, dropped_rows=records.dropped_rows + 1)

    def violations(self, published: PublishedTable | PublishedBuckets) -> list[str]:
        """The groups that break the models of the method, checked from outside by the definitions on columns."""
        found = violations(published, self.mechanism.models)
        return [f"{len(found)} groups violate a model"] if found else []

    def unprotected(self, records: TableRecords) -> PublishedTable | PublishedBuckets:
        """The raw table as if it were published; for buckets, one bucket per person."""
        codes = records.sensitive_codes("an audit")
        rows = np.arange(len(records), dtype=np.int64)
        if isinstance(self.mechanism, Bucketize):
            return PublishedBuckets(
                schema=self.schema, quasi=records.quasi, buckets=rows, sensitive=codes, sensitive_buckets=rows
            )
        places = np.stack(records.quasi, axis=1)
        return table_of_groups(self.schema, places, places + 1, rows, codes)


# The publisher, reduced.

CUTS = 3
"""The number of cuts that are replayed: selections at several depths of both columns."""


@dataclass(frozen=True)
class TopDowns:
    """Top-down partitioning."""

    variants: tuple[Variant, ...] = tuple(
        Variant(name=f"top-down, {score}", mechanism=TopDown(splits=CUTS, share=Fraction(1, 2), score=score))
        for score in SplitScore
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> TableCase:
        """On all rows of a small table, with few cuts; the code is the same for many."""
        mechanism = replace(variant.mechanism, splits=min(CUTS, variant.mechanism.splits))
        case = TableCase(name=variant.name, mechanism=mechanism, budget=budget, values="pqr")
        for_cells = budget.epsilon * (1 - mechanism.share)
        return replace(case, crowd=crowd_above(cell_threshold(len(case.domain), for_cells), for_cells))

    def output_case(self, variant: Variant) -> TableCase:
        """One cut of one of two columns with two values each, and two sensitive values: four cells."""
        mechanism = replace(variant.mechanism, splits=1)
        return TableCase(name=variant.name, mechanism=mechanism, budget=PureDP(4), letters="AB", digits=2, values="pq")


CROWDS = 300
"""People in a crowd of a few different rows: enough for sets of columns to be chosen at an epsilon of 1 or more."""


@dataclass(frozen=True)
class NoisyMarginals:
    """Marginals: with columns that depend on each other, and with a target that is linked first."""

    variants: tuple[Variant, ...] = (
        Variant(name="marginals", mechanism=Marginals()),
        Variant(name="marginals, with a target", mechanism=Marginals(target="value")),
        Variant(name="marginals, with a delta", mechanism=Marginals(), delta=DELTA),
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> TableCase:
        """On all rows of a small table, with a column that is cut into ranges beside two that are not."""
        return TableCase(
            name=variant.name, mechanism=variant.mechanism, budget=budget, letters="AB", digits=3, values="pq", crowd=CROWDS
        )

    def output_case(self, variant: Variant) -> TableCase:
        """One column of two values, after the number of rows, whose noise is so large that a span covers some of it only.

        With two columns there are more than a dozen numbers, each with noise of its own, and choices between them: no span is
        small enough to enumerate them. So the output test does not cover choices; the replay, the foreign answers and the black
        box do. The name says so.
        """
        name = f"{variant.name}, cut to one column"
        return TableCase(name=name, mechanism=Marginals(), budget=PureDP(6), letters="AB", digits=0, values="", span=8)


@dataclass(frozen=True)
class SingleColumns:
    """Independent columns."""

    variants: tuple[Variant, ...] = (
        Variant(name="independent", mechanism=Independent()),
        Variant(name="independent, with a delta", mechanism=Independent(), delta=DELTA),
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> TableCase:
        """On all rows of a small table."""
        return TableCase(name=variant.name, mechanism=variant.mechanism, budget=budget, values="pqr", crowd=CROWDS)

    def output_case(self, variant: Variant) -> TableCase:
        """Two columns, of two values and of one."""
        return TableCase(
            name=variant.name, mechanism=variant.mechanism, budget=PureDP(4), letters="AB", digits=1, values="", span=5
        )
