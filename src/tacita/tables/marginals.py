"""Tables by noisy marginals: typed rows whose single columns, pairs and triples are like those of the private table.

First the counts of single columns, with noise. Then, in rounds, sets of columns are chosen that the model gets most wrong, their
counts are asked for, and a junction tree is fitted to all that is known. Long columns are looked at in groups of values where
noise would hide more. Rows are dealt from the tree evenly, and each gets values of the declared types. The method follows the
select-measure-generate pattern of MST and AIM (McKenna, Miklau and Sheldon, 2021 and 2022); it departs from them in what a set
must be worth (its error against its noise, with a stop), in choosing how coarsely to look at it, in pulling noisy cells toward
the model, in proportional fitting instead of mirror descent, and in dealing rows instead of drawing them.

`independent` asks for single columns alone: the simplest release of a table, and what any other must be compared with.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Sequential
from tacita.privacy.funds import Funds, compared
from tacita.privacy.laws import Change, Law
from tacita.privacy.limits import believed, refuse_flood
from tacita.privacy.publishing import Made, PrivateMethod, Progress
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of
from tacita.tables.column_questions import (
    FOR_ROWS,
    REST,
    UNITS,
    Asked,
    Prices,
    Purse,
    ask_all_singles,
    first_sizes,
    for_ranges,
)
from tacita.tables.marginal_questions import Intended, ask_marginals, intended
from tacita.tables.published import SCHEMA_INPUT, PublishedTable, exact_table, schema_of
from tacita.tables.records import CountedTable
from tacita.tables.schema import Schema, SensitiveColumns

__all__ = ["Independent", "Marginals"]


def plan_of(name: str, budget: Budget) -> Plan:
    """One step, which noisy answers divide."""
    funds = Funds.of(budget)
    funds.require_share(Fraction(1, UNITS))
    return Sequential(name=name, parts=(funds.step(REST, Fraction(1), note="what noisy answers decide"),))


def _changes(step: str) -> Change | None:
    """How far one row changes what a step asks: one count by 1, or every score by at most 1."""
    if step.startswith("choice "):
        return Change(law=Law.CHOICE)
    return Change() if step.startswith(("rows", "ranges of column ", "column ", "marginal ")) else None


def _published(records: CountedTable, asked: Asked) -> PublishedTable:
    """As many rows as there are, by their noisy number."""
    schema, number = records.schema, round(believed(asked.rows, asked.deviation))
    refuse_flood(float(number) * len(schema.names))
    places = asked.dealt(number)
    quasi, hidden = places[: len(schema.quasi)], places[len(schema.quasi) :]
    joined = _joined(schema, hidden)
    return exact_table(schema, quasi, joined, file_format=records.file_format, separator=records.separator)


def _joined(schema: Schema, hidden: list[Integers]) -> Integers | None:
    if not isinstance(schema.sensitive, SensitiveColumns):
        return hidden[0] if hidden else None
    codes = np.zeros(hidden[0].size, dtype=np.int64)
    for part, own in zip(schema.hidden, hidden, strict=True):
        codes = codes * part.size + own
    return codes


_RULES = (
    "rows are synthetic: they were generated from noisy counts, and none is the row of a person",
    "numbers and dates were generated within ranges whose noisy counts are known",
)


@dataclass(frozen=True, kw_only=True)
class Marginals(PrivateMethod[CountedTable, PublishedTable]):
    """Publish a table of typed rows from noisy counts of single columns and of sets of columns that are chosen privately.

    Needs: declared columns; the target, a column that is linked to others first, if any, chosen without a look at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included; with a delta, (epsilon, delta) by
    zero-concentrated privacy, and with a rho that.
    Neighbours: adding or removing one row; of a person with several rows, named by a column, at most a cap are kept, and the
    person is protected, and the ledger charged, at that many times epsilon.
    Budget: 1 % for the number of rows, which decides the shares; 15 % for single columns, up to 75 % while their noise matters;
    if there are columns of many values, up to a tenth for what is inside of their heavy ranges; of what then is left 15 % for
    choosing sets of columns and the rest for their counts, or all of it for single columns if choosing would be mostly noise. All
    of these add up (sequential composition); within one question a row is in one cell.
    Not covered: how long a run takes; several rows of a person where no column says whose they are.
    Reference: after McKenna, Miklau and Sheldon (MST, 2021; AIM, 2022), departing from them as the module says.

    >>> from tacita import PureDP
    >>> print(Marginals().explain(PureDP("1")))
    marginals, epsilon = 1
    marginals: epsilon 1, the sum of
    └─ columns and marginals: epsilon 1 (what noisy answers decide)
    """

    name: ClassVar[str] = "marginals"
    takes: ClassVar[type] = CountedTable

    target: str | None = None

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        instance_of(public, PublicInputs, name="what is public")
        schema = schema_of(public) if SCHEMA_INPUT in public.others else None
        self._target(schema)
        return plan_of(self.name, budget)

    def _target(self, schema: Schema | None) -> int | None:
        """The number of the target, which must be a declared column."""
        if self.target is None or schema is None:
            return None
        if self.target not in schema.names:
            message = f"the target must be one of the columns {', '.join(schema.names)}, got {self.target!r}"
            raise ParameterError(message)
        return schema.names.index(self.target)

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one protected unit changes what a step asks; None for a step that there is not."""
        return _changes(step)

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """The plan with the public facts around it. Spends nothing."""
        plan = self.plan(budget, public)
        facts = () if SCHEMA_INPUT not in public.others else _facts(schema_of(public), budget)
        return Explanation(title=f"marginals, {budget}", plan=plan, facts=facts)

    def compared(self, budget: Budget, public: PublicInputs, *, records: int | None = None) -> tuple[str, ...]:
        """Both currencies side by side: for the number of rows if it is public, else for few rows and for many."""
        if SCHEMA_INPUT not in public.others:
            return ()
        schema, told = schema_of(public), []
        few = _fewest_for_sets(schema, budget) if records is None else None
        for number in [records] if records is not None else [1] if few is None else [1, 4 * few]:
            found = _intended(schema, budget, rows=number, target=self._target(schema))
            many = f"a count of a set of columns, with about {number:,} rows"
            told.append(compared(budget, partial(_noise_of, schema, found), of=many if found.planned else _ALONE))
        return tuple(told)

    def _made(self, records: CountedTable, account: Account, budget: Budget, progress: Progress | None) -> Made[PublishedTable]:
        """Ask, and build the data from the answers; `progress` is called after each round."""
        counter, purse, target = records.counts(), Purse(account, Funds.of(budget)), self._target(records.schema)
        asked = ask_marginals(counter, purse, records.schema, target=target, progress=progress)
        together = (
            "the sets of columns to count together were chosen privately: those farthest from the model"
            if asked.model is not None
            else "the noise hid how columns depend on each other, so they are independent in this release"
        )
        return Made(data=_published(records, asked), rules=(*_RULES, together))


def _facts(schema: Schema, budget: Budget) -> tuple[str, ...]:
    """What follows from the declared columns: how many rows it takes before sets of columns are counted."""
    columns = f"the table has {len(schema.all_columns)} columns, from {schema.names[0]!r} to {schema.names[-1]!r}"
    few = _fewest_for_sets(schema, budget)
    if few is None:
        return (columns,)
    return columns, f"with fewer than about {few:,} rows, columns are likely to be released as if they were independent"


def _intended(schema: Schema, budget: Budget, *, rows: int, target: int | None = None) -> Intended:
    """What is asked if there are so many rows."""
    return intended(Prices(Funds.of(budget)), schema, units=UNITS - FOR_ROWS - for_ranges(schema), rows=rows, target=target)


def _fewest_for_sets(schema: Schema, budget: Budget) -> int | None:
    """About how many rows it takes for sets of columns to be counted; None if no number is enough."""
    high = 1
    while not _intended(schema, budget, rows=high).planned:
        high *= 2
        if high > MOST_ROWS:
            return None
    low = high // 2
    while high - low > high // 100 + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _intended(schema, budget, rows=middle).planned else (middle, high)
    return high


MOST_ROWS = 2**40
"""Nobody has more."""

_ALONE = "a count of a single column, as few rows are released column by column"


def _noise_of(schema: Schema, found: Intended, funds: Funds) -> float:
    """The mean deviation of a count of a single column, if nothing else is asked, or of a typical set of columns."""
    prices, units = Prices(funds), UNITS - FOR_ROWS - for_ranges(schema)
    if not found.planned:
        return float(np.mean([prices.deviation(share) for share in prices.shares(units, first_sizes(schema))]))
    return prices.deviation((units - found.for_singles) / (found.planned * found.rounds))


@dataclass(frozen=True, kw_only=True)
class Independent(PrivateMethod[CountedTable, PublishedTable]):
    """Publish a table of typed rows from noisy counts of single columns alone: the simplest release of a table.

    Needs: declared columns.
    Guarantees: epsilon-differential privacy for the whole release, manifest included; with a delta, (epsilon, delta) by
    zero-concentrated privacy, and with a rho that.
    Neighbours: adding or removing one row; of a person with several rows, named by a column, at most a cap are kept, and the
    person is protected, and the ledger charged, at that many times epsilon.
    Budget: single columns, in proportion to the root of their numbers of values; a tenth is kept for what is inside of heavy
    ranges of columns of many values, if there are any. All of these add up.
    Not covered: how long a run takes; how columns hang together, of which nothing is kept.
    Reference: none.

    >>> from tacita import PureDP
    >>> print(Independent().explain(PureDP("1")))
    independent columns, epsilon = 1
    independent: epsilon 1, the sum of
    └─ columns and marginals: epsilon 1 (what noisy answers decide)
    """

    name: ClassVar[str] = "independent"
    takes: ClassVar[type] = CountedTable

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        instance_of(public, PublicInputs, name="what is public")
        return plan_of(self.name, budget)

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one protected unit changes what a step asks; None for a step that there is not."""
        return _changes(step)

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """The plan. Spends nothing."""
        return Explanation(title=f"independent columns, {budget}", plan=self.plan(budget, public))

    def compared(self, budget: Budget, public: PublicInputs, *, records: int | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """Both currencies side by side; the number of rows does not matter."""
        if SCHEMA_INPUT not in public.others:
            return ()
        noise = partial(_noise_of, schema_of(public), Intended(planned=0, rounds=0))
        return (compared(budget, noise, of="a count of a single column"),)

    def _made(self, records: CountedTable, account: Account, budget: Budget, _: Progress | None) -> Made[PublishedTable]:
        """Ask, and build the data from the answers."""
        counter, purse = records.counts(), Purse(account, Funds.of(budget))
        asked = ask_all_singles(counter, purse, records.schema)
        rules = (*_RULES, "columns are independent of each other")
        return Made(data=_published(records, asked), rules=rules)
