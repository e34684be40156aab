"""People with events, class by class: the table by `marginals`, the events of each class by the method of their kind.

One column of the table divides people into classes. The table is published with one more column, the number of a person's events
in classes of its own, so that it is linked to the others. Then the events of each class are published apart: a person is in one
class, so that together they cost what one of them costs. Synthetic people of a class get the synthetic events of that class, and
who has more events by the table gets the longer lists.

A class with few people is mostly noise, while all classes together are not. So what is dealt is shrunk to what is known of all
classes (`people.synthesis`), as far as the noise of the class is large. It needs noisy numbers only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, chosen, lexicographic_order
from tacita.errors import ParameterError
from tacita.people.published import PublishedPeople
from tacita.people.records import PeopleRecords
from tacita.people.synthesis import DEVIATION, SEEN, Items, Steps, counted_schema, dealt
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Parallel, Plan, PureDP, Sequential, Step
from tacita.privacy.laws import Change
from tacita.privacy.publishing import Made, PrivateMethod, Progress, require_pure
from tacita.privacy.sections import Section
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.sequences import Raked
from tacita.sets import ItemsetCounts
from tacita.tables import Marginals, PublishedTable, Schema
from tacita.tables.published import SCHEMA_INPUT, exact_order, schema_of

__all__ = ["ByClass"]

FOR_TABLE = Fraction(1, 2)
"""The share of the budget for the table."""

MOST_CLASSES, USUAL_CLASSES = 64, 16
"""The most values that the column of classes may have, and that one may have which nobody named."""

TABLE, EVENTS = "table", "events"
TABLE_STEPS, CLASS_STEPS = "table: ", "class {}: "


@dataclass(frozen=True, kw_only=True)
class ByClass(PrivateMethod[PeopleRecords, PublishedPeople]):
    """Publish people with their events: a table by marginals, and events class by class, dealt to synthetic people of the class.

    Needs: declared columns, one of them with few values, which divides people into classes; the public labels of events.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one person with a row and all events.
    Budget: a half for the table, by `marginals`; a half for events, by `raked` if they have an order and by `itemset-counts` if
    not, in each class. Table and events add up; classes do not, because a person is in one (parallel composition). Having no
    value is a class too.
    Not covered: how long a run takes and how much memory it needs.
    Reference: none for the whole; see the methods that it is made of.

    >>> from tacita import PureDP
    >>> print(ByClass(class_column="town").explain(PureDP("1")))
    people by class, epsilon = 1
    people by class: epsilon 1, the sum of
    ├─ table: epsilon 0.5 (rows, with the number of a person's events beside the declared columns)
    └─ events: epsilon 0.5 (the events of each class apart; a person is in one class)
    """

    name: ClassVar[str] = "by-class"
    takes: ClassVar[type] = PeopleRecords

    class_column: str | None = None

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes; both steps are replaced by the plans of the methods that publish them."""
        require_pure(budget, public, method="people by class prove")
        table, events = self._shares(budget)
        if SCHEMA_INPUT in public.others:
            schema = schema_of(public)
            self._class_of(schema)
            Marginals().plan(table, PublicInputs(others={SCHEMA_INPUT: counted_schema(schema)}))
        for method in (Raked(), ItemsetCounts()):
            method.plan(events, PublicInputs(universe=public.universe))
        note = "rows, with the number of a person's events beside the declared columns"
        return Sequential(
            name="people by class",
            parts=(
                Step(name=TABLE, epsilon=table.epsilon, note=note),
                Step(name=EVENTS, epsilon=events.epsilon, note="the events of each class apart; a person is in one class"),
            ),
        )

    @staticmethod
    def _shares(budget: Budget) -> tuple[PureDP, PureDP]:
        """What the table and the events may cost."""
        table = budget.epsilon * FOR_TABLE
        return PureDP(table), PureDP(budget.epsilon - table)

    def _class_of(self, schema: Schema) -> int:
        """The number of the column of classes: the named one, or, by what is declared, the one with most values of few."""
        sizes = {place: column.size for place, column in enumerate(schema.quasi)}
        if self.class_column is None:
            few = [place for place, size in sizes.items() if 1 < size <= USUAL_CLASSES]
            if not few:
                message = f"no column has 2 to {USUAL_CLASSES} values to divide people by; name one with --class-column"
                raise ParameterError(message)
            return max(few, key=lambda place: (sizes[place], -place))
        found = [place for place, column in enumerate(schema.quasi) if column.name == self.class_column]
        if not found or sizes[found[0]] > MOST_CLASSES:
            fit = ", ".join(column.name for column in schema.quasi if column.size <= MOST_CLASSES)
            message = f"the column of classes must have at most {MOST_CLASSES} values: one of {fit}, got {self.class_column!r}"
            raise ParameterError(message)
        return found[0]

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:
        """How far one person changes what a step asks: as much as the method says whose step it is."""
        table, events = self._shares(budget)
        if step.startswith(TABLE_STEPS):
            return Marginals().changes(step.removeprefix(TABLE_STEPS), budget=table, public=public)
        _, colon, own = step.partition(": ")
        if not colon:
            return None
        found = (each.changes(own, budget=events, public=public) for each in (Raked(), ItemsetCounts()))
        return next((change for change in found if change is not None), None)

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """The plan with the public facts around it. Spends nothing."""
        plan, facts = self.plan(budget, public), []
        if SCHEMA_INPUT in public.others:
            column = schema_of(public).quasi[self._class_of(schema_of(public))]
            needed = DEVIATION * SEEN / float(self._shares(budget)[1].epsilon)
            facts = [
                f"{column.name!r} divides people into {column.size} classes, whose events are published apart",
                f"with fewer than about {needed:,.0f} people in a class, its events are mostly like those of all classes",
            ]
        return Explanation(title=f"people by class, {budget}", plan=plan, facts=tuple(facts))

    def _made(self, records: PeopleRecords, account: Account, budget: Budget, progress: Progress | None) -> Made[PublishedPeople]:
        """Publish the table, then the events of each class, and deal them."""
        schema, (for_table, for_events) = records.table.schema, self._shares(budget)
        place = self._class_of(schema)
        part = Section(account=account, step=TABLE, prefix=TABLE_STEPS)
        counted = records.counted_table()
        released = Marginals().publish(counted, budget=for_table, ledger=part)
        table, amounts = _without_amounts(schema, released.data)
        classes = schema.quasi[place].size
        account.unfold(EVENTS, _class_plan(for_events, classes))
        found = []
        for number in range(classes):
            found.append(self._events(records, account, for_events, place, number))
            if progress is not None:
                progress(number + 1, classes)
        features = Steps(labels=len(records.universe)) if records.has_order else Items()
        events = dealt(table.lows[:, place], amounts, found, features=features, epsilon=float(for_events.epsilon))
        events = chosen(events, _in_order(table, events))
        data = PublishedPeople(table=table, events=events, universe=records.universe, columns=records.columns)
        rules: Any = released.manifest["rules"]
        return Made(
            data=data,
            rules=(
                *rules[len(counted.rules) :],
                f"events were published apart for each value of {schema.quasi[place].name!r}, and assigned to people with it",
                "the events of a class were sampled from those of all classes, weighted to agree with its own noisy counts",
                "people with more events in the noisy table got longer lists",
            ),
            bought={"class_column": schema.quasi[place].name} if self.class_column is None else {},
        )

    @staticmethod
    def _events(records: PeopleRecords, account: Account, budget: PureDP, place: int, number: int) -> Ragged:
        """The synthetic events of one class."""
        part = Section(account=account, step=_class_step(number), prefix=CLASS_STEPS.format(number + 1))
        own: Any = records.events_of(place, np.array([number]))
        method: Any = Raked() if records.has_order else ItemsetCounts()
        made: Any = method.publish(own, budget=budget, ledger=part).data
        lists: Ragged = made.sequences if records.has_order else made.baskets
        return Ragged(lists.codes, lists.offsets)


def _class_step(number: int) -> str:
    return f"events of class {number + 1}"


def _class_plan(budget: PureDP, classes: int) -> Plan:
    """The events of each class at the whole price of events, since a person is in one class."""
    steps = (Step(name=_class_step(number), epsilon=budget.epsilon) for number in range(classes))
    return Parallel(name="events by class", parts=tuple(steps))


def _without_amounts(schema: Schema, counted: PublishedTable) -> tuple[PublishedTable, Integers]:
    """The declared columns of the released rows, in the order of what they show, and the class of each one's number of events."""
    places = counted.lows[counted.groups]
    order = exact_order(schema, list(places[:, :-1].T), counted.sensitive)
    lows = places[order, :-1]
    table = PublishedTable(
        schema=schema,
        lows=lows,
        highs=lows + 1,
        groups=np.arange(len(lows)),
        sensitive=None if counted.sensitive is None else counted.sensitive[order],
        file_format=counted.file_format,
        separator=counted.separator,
        exact=True,
    )
    return table, places[order, -1]


def _in_order(table: PublishedTable, events: Ragged) -> Integers:
    """The order that sorts the events of people whose rows are equal; rows are sorted already."""
    is_new = np.any(np.diff(table.lows, axis=0, prepend=-1) != 0, axis=1)
    if table.sensitive is not None:
        is_new |= np.diff(table.sensitive, prepend=-1) != 0
    order = lexicographic_order(events)
    return np.asarray(order[np.argsort(np.cumsum(is_new)[order], kind="stable")], dtype=np.int64)
