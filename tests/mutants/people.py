"""Mistakes in publishing people with events, and in handing a part of an account to another method."""

FOREIGN = ("tests/properties/test_foreign_answers.py", "-k", "by-class")
PARTS = ("tests/unit/people/test_by_class.py",)

MUTANTS = (
    (
        "people:PeopleRecords.events_of",
        "mine = np.isin(self.table.quasi[column], places) & (self.events.lengths > 0)",
        "mine = (self.table.quasi[column] >= places.min()) & (self.events.lengths > 0)",
        "a person's events are counted in several classes",
        FOREIGN,
    ),
    (
        "people:ByClass._made",
        "events = chosen(events, _in_order(table, events))",
        "events = records.events",
        "private events are released",
        FOREIGN,
    ),
    (
        "people:_class_plan",
        "epsilon=budget.epsilon",
        "epsilon=budget.epsilon / classes",
        "classes share the budget of events although a person is in one of them",
        PARTS,
    ),
    (
        "privacy:Section.open",
        "outer.unfold(self.step, renamed(charge.plan, self.prefix))",
        "outer.unfolded[self.step] = renamed(charge.plan, self.prefix)",
        "a part of an account may cost more than its step, and be opened twice",
        PARTS,
    ),
    (
        "privacy:Section._commit",
        "self.account.commit(mine)",
        "self.account.commit",
        "draws of a part are not committed to the ledger",
        ("tests/contract/test_every_mechanism.py", "-k", "by-class and ledger"),
    ),
)
