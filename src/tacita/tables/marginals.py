"""Tables by noisy marginals: typed rows whose single columns, pairs and triples are like those of the private table.

First the counts of single columns, with noise. Then, in rounds, sets of columns are chosen that the model gets most wrong, their
counts are asked for, and a junction tree is fitted to all that is known. Rows are dealt from it evenly, and each gets values of
the declared types. The method follows the select-measure-generate pattern of MST and AIM (McKenna, Miklau and Sheldon, 2021 and
2022); it departs from them in what a set must be worth (its error against its noise, with a stop), in pulling noisy cells toward
the model, in proportional fitting instead of mirror descent, and in dealing rows instead of drawing them.

`independent` asks for single columns alone: the simplest release of a table, and what any other must be compared with.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import median
from typing import ClassVar

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.io import FileFormat
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Sequential
from tacita.privacy.funds import Funds, other_currency
from tacita.privacy.laws import Change, Law
from tacita.privacy.publishing import Made, PrivateMethod, Progress, believed, refuse_flood
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of
from tacita.tables.column_questions import (
    REST,
    UNITS,
    Asked,
    Purse,
    ask_all_singles,
    cut_columns,
)
from tacita.tables.marginal_questions import DROWNED, ask_marginals
from tacita.tables.published import SCHEMA_INPUT, PublishedTable, exact_table, schema_of
from tacita.tables.records import CountedTable
from tacita.tables.schema import Schema, SensitiveColumns
from tacita.tables.synthesis.columns import BINS

__all__ = ["Independent", "Marginals"]

QUESTIONS = 3
"""About how many questions there are for each column, where sets of columns are worth asking for; for `explain` only."""


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


def _published(schema: Schema, asked: Asked, *, file_format: FileFormat) -> PublishedTable:
    """As many rows as there are, by their noisy number."""
    number = round(believed(asked.rows, asked.deviation))
    refuse_flood(float(number) * len(schema.names))
    places = asked.dealt(number)
    quasi, hidden = places[: len(schema.quasi)], places[len(schema.quasi) :]
    return exact_table(schema, quasi, _joined(schema, hidden), file_format=file_format)


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

    def _made(self, records: CountedTable, account: Account, budget: Budget, progress: Progress | None) -> Made[PublishedTable]:
        """Ask, and build the data from the answers; `progress` is called after each round."""
        counter, purse, target = records.counts(), Purse(account, Funds.of(budget)), self._target(records.schema)
        asked = ask_marginals(counter, purse, records.schema, target=target, progress=progress)
        together = (
            "sets of columns were counted together that a private choice took for farthest from the model"
            if asked.model is not None
            else "the noise hid how columns hang together, so they are independent of each other"
        )
        return Made(data=_published(records.schema, asked, file_format=records.file_format), rules=(*_RULES, together))


def _facts(schema: Schema, budget: Budget) -> tuple[str, ...]:
    """What follows from the declared columns: how many rows it takes before sets of columns are counted."""
    sizes = [2 * BINS if place in cut_columns(schema) else column.size for place, column in enumerate(schema.all_columns)]
    pairs = [one * other for one, other in combinations(sizes, 2)]
    facts = [f"the table has {len(sizes)} columns, from {schema.names[0]!r} to {schema.names[-1]!r}"]
    if pairs:
        few = median(pairs) * Funds.of(budget).mean_noise(1) / DROWNED
        facts.append(f"with fewer than about {few:,.0f} rows, columns are likely to be released as if they were independent")
    facts.append(other_currency(budget, questions=QUESTIONS * len(sizes)))
    return tuple(facts)


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

    def _made(self, records: CountedTable, account: Account, budget: Budget, _: Progress | None) -> Made[PublishedTable]:
        """Ask, and build the data from the answers."""
        counter, purse = records.counts(), Purse(account, Funds.of(budget))
        asked = ask_all_singles(counter, purse, records.schema)
        rules = (*_RULES, "columns are independent of each other")
        return Made(data=_published(records.schema, asked, file_format=records.file_format), rules=rules)
