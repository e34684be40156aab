"""Mistakes in `marginals` and `independent`, and in how typed columns are read."""

NEIGHBOURS = ("tests/properties/test_neighbouring_marginals.py",)
FOREIGN = ("tests/properties/test_foreign_answers.py", "-k", "marginals or independent")
COST = ("tests/contract/test_exact_cost.py", "-k", "Marginals or Independent")
FILES = ("tests/cli/test_neighbours.py", "-k", "typed_tables or differ_by_a_row")
TYPED = ("tests/unit/tables/test_typed_columns.py",)
KEPT = ("tests/unit/tables/test_marginals.py",)

MUTANTS = (
    (
        "tables:_Rounds._scores",
        "np.abs(self.truth[each] - np.rint(says[each]).astype(np.int64)).sum()",
        "2 * np.abs(self.truth[each] - np.rint(says[each]).astype(np.int64)).sum()",
        "a row changes a score by two",
        NEIGHBOURS,
    ),
    (
        "tables:_Rounds._scores",
        "np.rint(says[each]).astype(np.int64)",
        "np.rint(says[each] * (self.truth[each].sum() / self.rows)).astype(np.int64)",
        "the model is scaled to the true number of rows",
        NEIGHBOURS,
    ),
    (
        "tables:_Rounds._chosen",
        "listed = [scores[each] for each in among] + ([] if links and turn == 0 else [0])",
        "among.sort(key=scores.get)\nlisted = [scores[each] for each in among] + ([] if links and turn == 0 else [0])",
        "candidates of a choice are in the order of their true scores",
        FOREIGN,
    ),
    (
        "tables:_Rounds._chosen",
        "if found == len(among):\n    break",
        "if found == len(among) or listed[found] < 0:\n    break",
        "choosing ends where the true score of what was chosen is below 0",
        NEIGHBOURS,
    ),
    (
        "tables:_Rounds._ask",
        "every_count(self.purse.account, name, self.truth[each])",
        "every_count(self.purse.account, name, 2 * self.truth[each])",
        "a row changes a marginal by two",
        NEIGHBOURS,
    ),
    (
        "tables:_Rounds._ask",
        "expected=self.said[each].reshape(shape)",
        "expected=self.truth[each].reshape(shape)",
        "noisy cells are pulled toward the true ones",
        NEIGHBOURS,
    ),
    (
        "tables:Views.regrouped",
        "np.rint(grouped(counts.reshape(self.shape(finer)).astype(np.float64), groups))",
        "2 * np.rint(grouped(counts.reshape(self.shape(finer)).astype(np.float64), groups))",
        "a row changes a coarser view by two",
        NEIGHBOURS,
    ),
    (
        "tables:_Rounds.__post_init__",
        "_views(codes, column)",
        (
            "_views(codes, column)[: 1 + int(self.counter.coded([own.coding(np.arange(own.size)) for own in self.asked.codes])"
            ".marginals([(0,)]).sum() % 2)]"
        ),
        "which views there are depends on the true number of rows",
        NEIGHBOURS,
    ),
    (
        "tables:_Rounds._pairs",
        "2 * self.rows",
        "2 * self._counter(0).marginals([(0,)]).sum()",
        "which pairs are candidates depends on the true number of rows",
        FOREIGN,
    ),
    (
        "tables:ask_singles",
        "every_count(purse.account, name, counts)",
        "every_count(purse.account, name, counts + counts)",
        "a row changes a single column by two",
        NEIGHBOURS,
    ),
    (
        "tables:ask_rows",
        'return max(float(every_count(purse.account, "rows", counter.coded([everything]).marginals([(0,)]))[0]), 1.0)',
        (
            'every_count(purse.account, "rows", counter.coded([everything]).marginals([(0,)]))\n'
            "return max(float(counter.coded([everything]).marginals([(0,)])[0]), 1.0)"
        ),
        "the true number of rows decides the shares",
        FOREIGN,
    ),
    (
        "tables:_cut_further",
        "heavy = [leaf for leaf in known if is_heavy(leaf, rows, deviation=deviation)]",
        (
            "heavy = [\n"
            "    leaf for leaf in known\n"
            "    if leaf.end - leaf.begin > 1\n"
            "    and counter.coded([_coding_of(column, [(leaf.begin, leaf.end)])]).marginals([(0,)])[0] > rows / BINS\n"
            "]"
        ),
        "ranges are cut where there truly are many rows",
        FOREIGN,
    ),
    (
        "tables:Purse.pay",
        "self.left -= sum(units for _, units, _ in steps)",
        "self.left -= sum(units for _, units, _ in steps[1:])",
        "the first of several questions is free",
        COST,
    ),
    (
        "tables:Prices.shares",
        "max(1, units * root // sum(roots))",
        "max(1, 2 * units * root // sum(roots))",
        "questions that are asked together cost twice what is set apart for them",
        COST,
    ),
    (
        "tables:placed",
        "outside = (places < 0) | (places >= count)",
        "outside = (places < 0) | (places >= max(count, int(places.max(initial=0)) // 2))",
        "whether a number is outside depends on the largest one of all rows",
        TYPED,
    ),
    (
        "tables:units_of",
        "np.where(is_negative, -units - is_more, units)",
        "np.where(is_negative, -units, units)",
        "numbers below 0 are rounded up, so that one just below the bound is taken for the bound",
        TYPED,
    ),
    (
        "tables:are_missing",
        "gone = values.is_null() | values.is_nan().fill_null(value=True)",
        "gone = values.is_null()",
        "a number that is none is missing in a file with types, and left out in one without",
        TYPED,
    ),
    (
        "tables:exact_table",
        "order = exact_order(schema, quasi, sensitive)",
        "order = np.arange(quasi[0].size)",
        "rows are in the order in which they were dealt",
        ("tests/contract/test_every_mechanism.py", "-k", "marginals or independent"),
    ),
)
