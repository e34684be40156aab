"""Mistakes in the second currency: Gaussian noise, its price, how prices add up, and what a total means."""

OWN = ("tests/unit/privacy/test_second_currency.py",)
FOREIGN = ("tests/properties/test_foreign_answers.py", "-k", "marginals or independent")
ITEMSETS = ("tests/properties/test_neighbouring_itemsets.py", "-k", "squared_changes")
STREAMS = ("tests/unit/streams/test_pace.py", "-k", "loses_no_more_than_its_rho or loses_exactly")
FORGED = ("tests/unit/recipient/test_private_releases.py", "-k", "rho")

MUTANTS = (
    (
        "privacy:EveryCount.variance",
        "Fraction(self.squares) / (2 * self.rho)",
        "Fraction(self.sensitivity) / (2 * self.rho)",
        "Gaussian noise for the sum of changes in place of the sum of their squares",
        OWN,
    ),
    (
        "privacy:EveryCount.draw",
        "variance=self.variance",
        "variance=Fraction(float(self.variance) ** 0.5)",
        "the deviation in place of the variance",
        OWN,
    ),
    (
        "privacy:every_count",
        "sensitivity**2 if squares is None else squares",
        "sensitivity if squares is None else squares",
        "a record that puts everything into one cell is priced as if it were spread",
        OWN,
    ),
    (
        "privacy:SelectionQuestion.exponential_epsilon",
        "root_below(8 * self.rho)",
        "root_below(32 * self.rho)",
        "a choice at twice the epsilon that is paid for",
        OWN,
    ),
    (
        "privacy:charged_for",
        "plan.rho * units**2",
        "plan.rho * units",
        "several records of a person cost a multiple in rho and not the square",
        OWN,
    ),
    (
        "privacy:charged_for",
        "plan.rho * units**2",
        "plan.rho * units**2 / 2",
        "half of the rho is charged",
        OWN,
    ),
    (
        "privacy:Account.ask",
        "(asked.epsilon, asked.rho) != (planned.epsilon, planned.rho)",
        "asked.epsilon != planned.epsilon",
        "a question may cost more rho than planned",
        OWN,
    ),
    (
        "privacy:Account.unfold",
        "plan.rho > planned.rho",
        "False",
        "the parts of a step may cost more rho than the step",
        OWN,
    ),
    (
        "privacy:ApproxDP.covers",
        "left = self.epsilon - cost.epsilon",
        "left = self.epsilon",
        "what is pure costs nothing beside a rho",
        OWN,
    ),
    (
        "privacy:PureDP.covers",
        "cost.is_pure and cost.epsilon <= self.epsilon",
        "cost.epsilon <= self.epsilon",
        "Gaussian noise under a pure promise or cap",
        OWN,
    ),
    (
        "privacy:Total.plus",
        "half_squares=rho_of_pure(cost.epsilon)",
        "half_squares=Fraction(0)",
        "pure spends cost no rho",
        OWN,
    ),
    (
        "verifying:_fits",
        "noise.smallest is None or 2 * noise.smallest * cost.rho < change.squares",
        "noise.smallest is None",
        "the variance of Gaussian noise is not checked against its rho",
        FORGED,
    ),
    (
        "sets:ask_items",
        "WHOLE * (isqrt(items - 1) + 1), WHOLE**2",
        "WHOLE * (isqrt(items - 1) + 1), WHOLE**2 // 2",
        "Gaussian noise for half of the squares of what a basket weighs",
        ITEMSETS,
    ),
    (
        "counting:BasketCounter.shares",
        "whole**2 // shared",
        "whole**2 // shared_from",
        "large baskets weigh more than 1 in the sense of squares",
        ITEMSETS,
    ),
    (
        "sets:ask_strata",
        "changes=(each, each)",
        "changes=(each, max(1, each - 1))",
        "Gaussian noise for one itemset fewer than a basket has",
        ITEMSETS,
    ),
    (
        "sets:_ask",
        "squares=changes[1]",
        "squares=1",
        "Gaussian noise as if a basket were in one cell",
        ITEMSETS,
    ),
    (
        "streams:HistogramQuestion.variance",
        "self.sensitivity * self.block",
        "self.sensitivity",
        "a person who is in a block of timestamps several times is priced as if the squares of changes added up",
        STREAMS,
    ),
    (
        "streams:HistogramQuestion.variance",
        "2 * self.rho",
        "4 * self.rho",
        "half of the variance that the rho of a timestamp pays for",
        STREAMS,
    ),
    (
        "privacy:Account.slide",
        "is_other = cost not in {Cost(epsilon=cost.amount), Cost(rho=cost.amount)} or bool(cost.rho) != bool(part.rho)",
        "is_other = False",
        "a time step of a part in rho may be paid in epsilon",
        ("tests/unit/streams/test_methods.py", "-k", "currency"),
    ),
    (
        "privacy.ledger:OpenCharge.check_tick",
        "total > node.amount",
        "total > node.epsilon + node.rho + Fraction(1, 5)",
        "the ledger lets a window cost more rho than its plan",
        ("tests/unit/streams/test_methods.py", "-k", "resumed_at_the_rho"),
    ),
    (
        "verifying:_windows",
        "(2 * least, paid.change.squares) if cost.rho else (least, paid.change.least)",
        "(least, 0)",
        "the smallest noise of a stream is not checked against its rho",
        ("tests/unit/recipient/test_private_releases.py", "-k", "stream_in_rho"),
    ),
)
