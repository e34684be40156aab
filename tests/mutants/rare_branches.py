"""Mistakes in branches that small data sets hardly ever reach, in limits, in orders and in counts that are kept too long."""

FOREIGN = ("tests/properties/test_foreign_answers.py", "-k")
ITEMSETS = (*FOREIGN, "itemset-counts")
PARTITIONS = (*FOREIGN, "diffpart")
RAKED = (*FOREIGN, "raked")
GRAMS = (*FOREIGN, "ngram")
TREES = (*FOREIGN, "prefix-tree")
TABLES = (*FOREIGN, "top-down")
SHAPES = (*FOREIGN, "shape")
REGIONS = (*FOREIGN, "der")
PACES = (*FOREIGN, "pace")
REPUBLISHED = (*FOREIGN, "republish")
BLOCKS = ("tests/unit/streams/test_mechanisms.py", "-k", "a_block_holds")
WINDOWS = ("tests/unit/streams/test_windows.py",)
ACCOUNT = ("tests/unit/privacy/test_account.py",)
LEDGER = ("tests/unit/privacy/ledger",)
PATHS = ("tests/unit/privacy/test_paths.py",)
GRAPHS = ("tests/unit/arrays/test_graphs.py",)
ORDER = ("tests/contract/test_order_tells_nothing.py",)
VERIFIED = ("tests/unit/tables/test_publishers.py", "-k", "bucket or order_of_the_file")
TIMES = ("tests/unit/counting/test_times.py",)
GRAM_COUNTS = ("tests/unit/counting/test_grams.py",)

MUTANTS = (
    # Sets.
    (
        "sets:_one_by_one",
        "refuse_flood(symbols, in_parts=True)",
        "refuse_flood(float(counter.sizes(np.array([1]))[1].sum()) * items, in_parts=True)",
        "the limit on output looks at the true number of baskets",
        ITEMSETS,
    ),
    (
        "sets:_one_by_one",
        "most=shares.core_size",
        "most=max(2, min(shares.core_size, counter.shares(least=1, most=None, shared_from=1, whole=1)[0].size))",
        "a core no larger than the number of items that truly occur",
        ITEMSETS,
    ),
    (
        "sets:_one_by_one",
        "sizes.groups.sums(by_size) > 0",
        "np.isin(np.arange(sizes.groups.least.size), counter.sizes(sizes.groups.least)[0])",
        "groups of sizes are joined where truly nobody is",
        ITEMSETS,
    ),
    (
        "sets:ask_strata",
        "baskets=float(expected[size])",
        "baskets=float(expected[size]) * (counter.core_sizes(np.arange(items), most=1, least=np.array([0]))[1].sum() < 20_000)",
        "the order of itemsets changes above 20,000 true baskets",
        (*FOREIGN, "no_rule_of_itemset_counts"),
    ),
    (
        "counting.local.sets:BasketCounter.shares",
        "self._sizes <= most",
        "self._sizes <= most + 1",
        "classes of sizes overlap by one size",
        ITEMSETS,
    ),
    (
        "counting.local.sets:BasketCounter.shares",
        "np.maximum(sizes, shared_from)",
        "np.maximum(np.minimum(sizes, 30), shared_from)",
        "items of baskets with more than thirty weigh more than the whole together",
        ITEMSETS,
    ),
    (
        "counting.local.sets:BasketCounter.itemsets",
        "self._sizes == size",
        "self._sizes >= size",
        "a basket is counted with every smaller size too",
        ITEMSETS,
    ),
    (
        "counting.local.sets:PartitionCounter._split_at",
        "self._split = here[self._turn[here] == np.arange(here.size, dtype=self._turn.dtype)]",
        "self._split = here",
        "a basket counts once for each of its items below a node",
        PARTITIONS,
    ),
    (
        "counting.local.sets:PartitionCounter.keep",
        "np.where(found, become[guess], LOST)",
        "np.where(found, become[guess], become[0])",
        "baskets whose mask was not kept are counted on in the first partition",
        PARTITIONS,
    ),
    (
        "sets.partitioning:partition",
        "_require(kept, most=max_partitions)",
        "_require(max(kept, counter._followed), most=max_partitions)",
        "the limit on partitions looks at the true number of baskets that are followed",
        PARTITIONS,
    ),
    # Tables.
    (
        "tables.top_down:noisy_cells_of",
        "candidates = list(_candidates(schema, starts))",
        "candidates = sorted(_candidates(schema, starts), key=lambda it: int(counter.class_counts(it[0], it[1], it[3]).sum()))",
        "ranges are offered in the order of their true numbers of rows",
        TABLES,
    ),
    (
        "tables.top_down:noisy_cells_of",
        "cell_threshold(domain, epsilon)",
        "cell_threshold(max(keys.size, 1), epsilon)",
        "the threshold allows for as many cells as are truly filled",
        TABLES,
    ),
    (
        "tables.top_down:_score",
        "int(left.max()) + int(right.max()) - int((left + right).max())",
        "int(left.max()) + int(right.max()) + int((left + right).max())",
        "a row changes the gain by two",
        TABLES,
    ),
    (
        "tables:suppressed_cells",
        "order = np.lexsort((values, *quasi[::-1]))",
        "order = np.arange(values.size)",
        "rows that no group took are admitted in the order of the file",
        ORDER,
    ),
    (
        "personal:in_their_own_order",
        "ordered = sorted(rows, key=lambda row: row.tolist())",
        "ordered = list(rows)",
        "published sequences are in the order of the file",
        ORDER,
    ),
    (
        "tables:_wrong_buckets",
        'pl.col("values") < least',
        'pl.col("values") < least - 1',
        "the check of buckets allows one value too few",
        VERIFIED,
    ),
    (
        "tables:bucket_of_rows",
        "np.lexsort((drawn, rank[sensitive]))",
        "np.lexsort((rank[sensitive],))",
        "people with one value are dealt to buckets in the order of the file",
        VERIFIED,
    ),
    (
        "tables:table_of_groups",
        "together = np.sort(rows * symbols + sensitive)",
        'together = (rows * symbols + sensitive)[np.argsort(rows, kind="stable")]',
        "rows of a group stay in the order of the file",
        VERIFIED,
    ),
    # Sequences.
    (
        "sequences.raked:Raked._made",
        "counted.times(labels=labels, max_length=1)",
        "counted.times(labels=labels, max_length=self.max_length)",
        "times of all visits are counted with the noise of one",
        RAKED,
    ),
    (
        "sequences.raked:Raked._made",
        "(times is not None and times.max_length == 1)",
        "(times is not None and not any(counts.lengths(longest=2)[1:]))",
        "whether sequences are single visits is decided by true lengths",
        RAKED,
    ),
    (
        "counting.local.steps:TimeCounter.__init__",
        "cut_lists(sequences, max_length)",
        "cut_lists(sequences, max_length + 1)",
        "times of one visit past the cut are counted",
        RAKED,
    ),
    (
        "counting.local.steps:TimeCounter.gaps",
        "np.maximum(self._lists.lengths - 1, 0)",
        "np.maximum(self._lists.lengths - 2, 0) + (self._lists.lengths == 2)",
        "gaps weigh as if there were one fewer",
        TIMES,
    ),
    (
        "sequences.ngrams.exploration:explore",
        "sum(len(level) for level in levels) + kept.nodes.size",
        "sum(len(level) for level in levels) + counts.size",
        "the limit on grams looks at those that truly occur",
        GRAMS,
    ),
    (
        "sequences.prefix_trees:_ask",
        "limit.nodes += kept.keys.size",
        "limit.nodes += max(kept.keys.size, keys.size)",
        "the limit on nodes counts cells that are truly not empty",
        TREES,
    ),
    (
        "sequences.prefix_trees:_ask",
        "limit.refuse_flood(0)",
        "limit.refuse_flood(keys.size)",
        "the limit on nodes allows for cells that are truly not empty",
        TREES,
    ),
    (
        "counting.local.prefixes:PrefixCounter.advance",
        "walkers.position + (1 if self._end_symbol is None else 0) < walkers.end",
        "walkers.position + (1 if self._end_symbol is None else 0) <= walkers.end",
        "whoever is at the end of a sequence reads on in that of the next person",
        TREES,
    ),
    # Networks.
    (
        "arrays:largest_common_neighbourhood",
        "best >= int(degrees[falling[taken]])",
        "best + 1 >= int(degrees[falling[taken]])",
        "the search for common neighbours stops one degree too early",
        GRAPHS,
    ),
    (
        "networks.asking:Asking.between",
        "self._counts(step, counts, sensitivity=1)",
        "self._counts(step, counts * (2 if step.endswith('blocks') else 1), sensitivity=1)",
        "edges between public blocks are counted at both ends",
        SHAPES,
    ),
    (
        "networks.shape:_built",
        "degree_classes(degrees)",
        "degree_classes(asking.counts.degrees())",
        "classes of vertices are those of true degrees",
        SHAPES,
    ),
    (
        "networks.asking:Asking.degrees",
        'self._counts("vertices by least degree", at_least_true, sensitivity=2)',
        'self._counts("vertices by least degree", at_least_true, sensitivity=1)',
        "noise for one end of an edge",
        SHAPES,
    ),
    (
        "networks.dense_regions:Explorer.explore",
        "self._ends(regions, counts, level)",
        "self._ends(regions, np.bincount(where, minlength=len(regions)), level)",
        "whether a region is split on is decided by its true edges",
        REGIONS,
    ),
    (
        "networks.dense_regions:Explorer._split",
        "self._least(level - 1)",
        "self._least(level - 2)",
        "noise for parts four times as large as they may be",
        REGIONS,
    ),
    # Streams.
    (
        "streams:Republishing.__init__",
        "partial(EvenShares, contexts=protection.longest)",
        "partial(EvenShares, contexts=protection.contexts)",
        "the guard of questions about distances holds the common window, not the longest",
        ("tests/unit/streams/test_mechanisms.py", "-k", "even_share"),
    ),
    (
        "streams:Republishing._repeated",
        "self.distances.share(self.protection.longest)",
        "self.distances.share(self.protection.contexts)",
        "questions about distances are shared over the common window, not the longest",
        REPUBLISHED,
    ),
    (
        "streams:Republishing._repeated",
        "chosen = self.choices.ask(closest, distances, quanta=share)",
        "self.choices.ask(closest, distances, quanta=share)\nchosen = int(np.argmin(distances))",
        "the closest histogram is chosen by true distances",
        REPUBLISHED,
    ),
    (
        "streams:Pacing._add_to_block",
        "moment.counts(included)",
        "moment.counts()",
        "block sums count people who have no room",
        BLOCKS,
    ),
    (
        "streams:Pacing.abandon_block",
        "self._block = np.zeros(self.cells, dtype=np.int64)",
        "self._block = self._block * 1",
        "a block goes on with the counts of the one before",
        BLOCKS,
    ),
    (
        "streams:Pacing._measure_those_with_room",
        "quanta < QUANTA >> 20",
        "quanta < QUANTA >> 20 or not moment.counts()[0]",
        "nothing is measured where the first cell is truly empty",
        PACES,
    ),
    (
        "privacy.windows:OwnWindows.end",
        "self._lengths[users] - 1",
        "np.maximum(self._lengths[users] - 2, 1)",
        "a person's window forgets its oldest context one too early",
        WINDOWS,
    ),
    (
        "privacy.windows:CommonWindow.end",
        "len(self._spent) == self.contexts - 1",
        "len(self._spent) >= max(1, self.contexts - 2)",
        "the common window forgets its oldest timestamp one too early",
        WINDOWS,
    ),
    # The ledger and the account.
    (
        "privacy.account:Window.room",
        "when > tick - length",
        "when > tick - length + 1",
        "the account's window is one time step short",
        ACCOUNT,
    ),
    (
        "privacy.account:Window.room",
        "tick <= self.spends[-1][0]",
        "tick < self.spends[-1][0]",
        "a time step can be paid and drawn twice",
        ACCOUNT,
    ),
    (
        "privacy.ledger:OpenCharge.check_tick",
        "tick - node.ticks + 1",
        "tick - node.ticks + 2",
        "the ledger's window is one time step short",
        LEDGER,
    ),
    (
        "privacy.ledger:OpenCharge.note_tick",
        "when > tick - longest",
        "when > tick - longest + 2",
        "the ledger forgets a time step that a window still holds",
        LEDGER,
    ),
    (
        "privacy.ledger:OpenCharge.is_drawn",
        "self.steps or self.ticks or self.journal",
        "self.steps or self.journal",
        "a stream that has drawn can be made void",
        LEDGER,
    ),
    (
        "privacy.paths:Paths.ask",
        "self._asked[blocks.nodes] = True",
        "self._asked[blocks.nodes[:1]] = True",
        "of several nodes that are asked at once all but the first can be asked again",
        PATHS,
    ),
    (
        "privacy.paths:Paths.ask",
        "codes[kept_blocks]",
        "self._amount_of[blocks.nodes][kept_blocks]",
        "what a node has spent is left over below it",
        PATHS,
    ),
)
