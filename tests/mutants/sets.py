"""Mistakes in the methods for sets."""

COST = ("tests/contract/test_exact_cost.py", "-k")
ITEMSETS = (*COST, "ItemsetCounts")
PARTITIONS = (*COST, "DiffPart and fan_out_5")
REPLAYS = ("tests/unit/audit/test_replay_of_every_variant.py", "-k")
TABLES = ("tests/properties/test_neighbouring_tables.py",)
COMMANDS = ("tests/cli/test_neighbours.py", "-k", "publishing")
STABLE = ("tests/unit/counting/test_cutting.py",)

MUTANTS = (
    (
        "sets/itemset_questions.py",
        "shared_from=shared, whole=WHOLE)",
        "shared_from=shared, whole=2 * WHOLE)",
        "a basket weighs twice of what the noise covers",
        ITEMSETS,
    ),
    (
        "sets/itemset_questions.py",
        "domain=items, sensitivity=WHOLE)",
        "domain=items, sensitivity=WHOLE // 2)",
        "noise for half of what a basket weighs",
        ITEMSETS,
    ),
    (
        "sets/itemset_questions.py",
        "counter.shares(least=inside.start, most",
        "counter.shares(least=1, most",
        "a basket is counted in every class of sizes",
        ITEMSETS,
    ),
    (
        "sets/itemset_questions.py",
        "cells, sensitivity = comb(items, order), comb(size, order)",
        "cells, sensitivity = comb(items, order), comb(max(order, size - 1), order)",
        "noise for the itemsets of a smaller basket",
        ITEMSETS,
    ),
    (
        "sets/itemset_questions.py",
        "domain=cells.size, sensitivity=number",
        "domain=cells.size, sensitivity=1",
        "noise for one pair of columns, while a row has a cell of each",
        TABLES,
    ),
    (
        "sets/itemset_questions.py",
        "np.abs(joint[columns.parts[first], ",
        "np.abs(2 * joint[columns.parts[first], ",
        "scores of pairs of columns that a row changes by two",
        TABLES,
    ),
    (
        "sets/itemset_schedule.py",
        'name="pairs of columns", epsilon=epsilon - each * number',
        'name="pairs of columns", epsilon=epsilon',
        "pairs of columns are chosen for free",
        TABLES,
    ),
    (
        "sets/itemset_schedule.py",
        "core=for_core, core_size=core)",
        "core=for_core + for_sizes, core_size=core)",
        "sizes in the core are asked for free",
        ITEMSETS,
    ),
    (
        "sets/itemset_counts.py",
        "for_itemsets = epsilon - epsilon * FOR_SIZES",
        "for_itemsets = epsilon",
        "sizes are asked for free",
        ITEMSETS,
    ),
    (
        "sets/itemset_counts.py",
        "if not are_together(items, baskets=sizes.baskets,",
        "if not are_together(items, baskets=float(counter.sizes(np.array([1]))[1].sum()),",
        "whether items are counted together is decided by the true number of baskets",
        (*REPLAYS, "itemset"),
    ),
    (
        "sets/diffpart.py",
        'account.paths("partitions"),',
        'account.paths("partitions") if len(records.baskets) < 1000 else account.paths("partitions", starts=2),',
        "a noise scale that depends on the true number of records",
        (*REPLAYS, "diffpart"),
    ),
    (
        "sets/diffpart.py",
        "return (left - self.epsilon / 2) / operations, left",
        "return (left - self.epsilon / 2) / operations, 2 * left",
        "a leaf spends twice of what is left on its path",
        PARTITIONS,
    ),
    (
        "counting/local/partitions.py",
        "self._split = here[self._turn[here] == np.arange(here.size, dtype=self._turn.dtype)]  # each basket once",
        "self._split = here",
        "a basket is counted once for each of its items",
        PARTITIONS,
    ),
    (
        "counting/local/baskets.py",
        "scattered(codes.astype(np.uint64) ^ scattered(whole)[basket])",
        "scattered(codes.astype(np.uint64) ^ scattered(basket.astype(np.uint64)))",
        "how a basket is cut depends on the baskets before it",
        STABLE,
    ),
    (
        "counting/local/baskets.py",
        "    order = np.lexsort((scattered(codes",
        "    most = most + (len(baskets) % 2)\n    order = np.lexsort((scattered(codes",
        "how far a basket is cut depends on the number of baskets",
        STABLE,
    ),
    (
        "counting/local/whole.py",
        "    return tally(masks, 1 << items)",
        "    keys, counts = tally(masks, 1 << items)\n    return keys, 2 * counts",
        "everybody is counted twice",
        (*COST, "FlatHistogram or DiffPart and fan_out_2"),
    ),
    (
        "sets/histogram.py",
        "                domain=2 ** len(universe) - 1,\n",
        "                domain=int(masks.max(initial=1)),\n",
        "a domain that is read from the data",
        (*REPLAYS, "histogram and not stable"),
    ),
    (
        "sets/histogram.py",
        'kept = stable_lists(account, "baskets", lists=lists, counts=counts)',
        'kept = stable_lists(account, "baskets", lists=lists, counts=counts * 2)',
        "everybody is counted twice",
        (*COST, "StableHistogram"),
    ),
    (
        "sets/histogram.py",
        "threshold=self.least(budget, universe=universe),\n            )",
        "threshold=self.least(budget, universe=universe) + (int(counts.sum()) > 500),\n            )",
        "a threshold that depends on the true number of baskets",
        (*REPLAYS, "histogram and not stable"),
    ),
    (
        "sets/records.py",
        '        rules = [\n            "labels outside the universe were dropped',
        '        rules = [\n            f"{self.dropped_baskets} gone",\n            "labels outside the universe were dropped',
        "the manifest tells how many baskets were left out",
        COMMANDS,
    ),
)
