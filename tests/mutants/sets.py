"""Mistakes in the methods for sets."""

COST = ("tests/contract/test_exact_cost.py", "-k")
ITEMSETS = (*COST, "ItemsetCounts")
PARTITIONS = (*COST, "DiffPart and fan_out_5")
REPLAYS = ("tests/unit/auditing/test_replay_of_every_variant.py", "-k")
COMMANDS = ("tests/cli/test_neighbours.py", "-k", "publishing")
STABLE = ("tests/unit/counting/test_cutting.py",)

MUTANTS = (
    (
        "sets:ask_items",
        "whole=WHOLE",
        "whole=2 * WHOLE",
        "a basket weighs twice of what the noise covers",
        ITEMSETS,
    ),
    (
        "sets:ask_items",
        "(WHOLE, WHOLE)",
        "(WHOLE // 2, WHOLE)",
        "noise for half of what a basket weighs",
        ITEMSETS,
    ),
    (
        "sets:ask_items",
        "least=inside.start",
        "least=1",
        "a basket is counted in every class of sizes",
        ITEMSETS,
    ),
    (
        "sets:ask_strata",
        "cells, each = comb(items, order), comb(size, order)",
        "cells, each = comb(items, order), comb(max(order, size - 1), order)",
        "noise for the itemsets of a smaller basket",
        ITEMSETS,
    ),
    (
        "sets:shares_of",
        "core=for_core",
        "core=for_core + for_sizes",
        "sizes in the core are asked for free",
        ITEMSETS,
    ),
    (
        "sets:ItemsetCounts._baskets",
        "for_itemsets = funds.part(funds.amount - funds.amount * FOR_SIZES)",
        "for_itemsets = funds",
        "sizes are asked for free",
        ITEMSETS,
    ),
    (
        "sets:ItemsetCounts._baskets",
        "baskets, mean_size = sizes.baskets, sizes.mean_size",
        "baskets, mean_size = float(counter.sizes(np.array([1]))[1].sum()), sizes.mean_size",
        "whether items are counted together is decided by the true number of baskets",
        (*REPLAYS, "itemset"),
    ),
    (
        "sets:DiffPart._made",
        'account.paths("partitions")',
        'account.paths("partitions") if len(records.baskets) < 1000 else account.paths("partitions", starts=2)',
        "a noise scale that depends on the true number of records",
        (*REPLAYS, "diffpart"),
    ),
    (
        "sets:PartitionRule.parts",
        "return (left - self.epsilon / 2) / operations, left",
        "return (left - self.epsilon / 2) / operations, 2 * left",
        "a leaf spends twice of what is left on its path",
        PARTITIONS,
    ),
    (
        "counting:PartitionCounter._split_at",
        "self._split = here[self._turn[here] == np.arange(here.size, dtype=self._turn.dtype)]",
        "self._split = here",
        "a basket is counted once for each of its items",
        PARTITIONS,
    ),
    (
        "counting:cut_baskets",
        "scattered(codes.astype(np.uint64) ^ scattered(whole)[basket])",
        "scattered(codes.astype(np.uint64) ^ scattered(basket.astype(np.uint64)))",
        "how a basket is cut depends on the baskets before it",
        STABLE,
    ),
    (
        "counting:cut_baskets",
        "basket = np.repeat(np.arange(starts.size - 1), sizes[is_large])",
        "basket = np.repeat(np.arange(starts.size - 1), sizes[is_large])\nmost = most + (len(baskets) % 2)",
        "how far a basket is cut depends on the number of baskets",
        STABLE,
    ),
    (
        "counting:mask_counts",
        "return tally(masks, 1 << items)",
        "keys, counts = tally(masks, 1 << items)\nreturn keys, 2 * counts",
        "everybody is counted twice",
        (*COST, "FlatHistogram or DiffPart and fan_out_2"),
    ),
    (
        "sets:FlatHistogram._made",
        "domain=2 ** len(universe) - 1",
        "domain=int(masks.max(initial=1))",
        "a domain that is read from the data",
        (*REPLAYS, "histogram and not stable"),
    ),
    (
        "sets:StableHistogram._made",
        'kept = stable_lists(account, "baskets", lists=lists, counts=counts)',
        'kept = stable_lists(account, "baskets", lists=lists, counts=counts * 2)',
        "everybody is counted twice",
        (*COST, "StableHistogram"),
    ),
    (
        "sets:FlatHistogram._made",
        "threshold=self.least(budget, universe=universe)",
        "threshold=self.least(budget, universe=universe) + (int(counts.sum()) > 500)",
        "a threshold that depends on the true number of baskets",
        (*REPLAYS, "histogram and not stable"),
    ),
    (
        "sets:CountedBaskets.rules",
        "return tuple(rules)",
        'return (f"{self.dropped_baskets} gone", *rules)',
        "the manifest tells how many baskets were left out",
        COMMANDS,
    ),
)
