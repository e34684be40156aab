"""Mistakes in the methods for sequences."""

COST = ("tests/contract/test_exact_cost.py", "-k")
TREES = (*COST, "PrefixTree and height_4")
HYBRID = (*COST, "PrefixTree and height_4 and HYBRID")
PRIVATE = (*COST, "PrivateLength")
GRAMS = (*COST, "NGram and max_length_4")
TIMED = (*COST, "Raked and in_many_intervals")
TIMES = ("tests/unit/counting/test_times.py",)
REPLAYS = ("tests/unit/auditing/test_replay_of_every_variant.py", "-k", "private")
COMMANDS = ("tests/cli/test_neighbours.py", "-k", "publishing")

STEPS = ("tests/unit/counting/test_steps.py",)
RAKED = (*COST, "Raked and max_length_8")

MUTANTS = (
    (
        "sequences:CountedSequences.rules",
        "return tuple(rules)",
        'return (f"{self.dropped_labels} dropped",) if self.dropped_labels else tuple(rules)',
        "the manifest tells how many labels were dropped",
        COMMANDS,
    ),
    (
        "sequences:PrefixTree._schedules",
        "split(epsilon, [1] * height)[0]",
        "epsilon",
        "every level costs the whole budget",
        TREES,
    ),
    (
        "sequences:PrefixTree._height",
        "left = budget.epsilon * (1 - self.height.share)",
        "left = budget.epsilon",
        "a private height is bought, and its price is not taken off",
        PRIVATE,
    ),
    (
        "sequences:PrefixTree._height",
        '1 + select(account, "height", scores=scores, sensitivity=self.height.sensitivity)',
        (
            "max(1, sum(count > 0 for count in lengths)) if True else "
            '1 + select(account, "height", scores=scores, sensitivity=self.height.sensitivity)'
        ),
        "a height that is read off the data",
        REPLAYS,
    ),
    (
        "sequences:PrefixTree._made",
        "rules=self._rules(height)",
        'rules=(*self._rules(height), f"made of {sum(counts.lengths(longest=5))} sequences")',
        "the manifest tells the true number of sequences",
        COMMANDS,
    ),
    (
        "sequences:Schedule.costs",
        "return [left[rung.depth] if rung.is_final else costs[rung.depth] for rung in self.ladder.rungs]",
        "return [self.epsilon if rung.is_final else costs[rung.depth] for rung in self.ladder.rungs]",
        "groups are asked for free",
        HYBRID,
    ),
    (
        "sequences:PrivateLength.sensitivity",
        "return max(self.quantile, 1 - self.quantile)",
        "return min(self.quantile, 1 - self.quantile)",
        "the sensitivity of a quantile is that of its smaller side",
        PRIVATE,
    ),
    (
        "sequences:quantile_scores",
        "wanted = quantile * sum(lengths)",
        "wanted = quantile * sum(lengths) * 3",
        "scores that change by more than their sensitivity",
        PRIVATE,
    ),
    (
        "counting:LocalSequenceCounts.grams",
        "return GramCounter(self.sequences, symbols=symbols, max_length=max_length, cut=cut)",
        "return GramCounter(self.sequences, symbols=symbols, max_length=max_length + 1, cut=cut)",
        "sequences are cut one symbol later than the noise covers",
        GRAMS,
    ),
    (
        "sequences:GramPipeline.grams",
        "starts=self.max_length",
        "starts=max(1, self.max_length - 1)",
        "noise for one place less than a record has",
        GRAMS,
    ),
    (
        "sequences:GramPipeline.run",
        "counter.beginnings()",
        "counter",
        "all places are counted with the noise of beginnings",
        GRAMS,
    ),
    (
        "sequences:NGram._plan",
        "epsilon * (1 - STARTS_SHARE - LENGTHS_SHARE)",
        "epsilon * (1 - STARTS_SHARE)",
        "lengths are asked for free",
        GRAMS,
    ),
    (
        "sequences:NGram._length",
        "left = budget.epsilon * (1 - self.max_length.share)",
        "left = budget.epsilon",
        "a private length is bought, and its price is not taken off",
        PRIVATE,
    ),
    (
        "sequences:NGram._length",
        "lengths = counts.lengths(longest=self.max_length.longest)",
        "lengths = [2 * count for count in counts.lengths(longest=self.max_length.longest)]",
        "a selection whose scores count everybody twice",
        PRIVATE,
    ),
    (
        "sequences:NGram._made",
        "PublishedGrams(grams=grams, counts=numbers, universe=universe) if self.with_grams else None",
        "PublishedGrams(grams=grams, counts=numbers + len(records.sequences), universe=universe) if self.with_grams else None",
        "grams.csv holds something true",
        (*COMMANDS[:-1], "publishing and ngram"),
    ),
    (
        "sequences:_leap",
        "groups, counts = counter.repeated(asked.last, leap - length)",
        "groups, counts = counter.repeated(asked.last, leap - length)\ncounts = counts * rule.max_gram",
        "repeats are counted several times",
        (*COST, "NGram and max_length_20 and max_gram_2"),
    ),
    (
        "counting:length_counts",
        "table = np.bincount(np.minimum(lengths[lengths > 0], longest), minlength=longest + 1)",
        "table = np.bincount(np.minimum(np.repeat(lengths, lengths), longest), minlength=longest + 1)",
        "long sequences count as many times as they have symbols",
        GRAMS,
    ),
    (
        "sequences:TimeQuestions._visits",
        "changes=cap.changes(self.max_length)",
        "changes=(cap.unit, cap.unit**2)",
        "all visits of a record are counted with the noise of one",
        TIMED,
    ),
    (
        "sequences:TimeQuestions._gaps",
        "changes=cap.changes(self.max_length)",
        "changes=(cap.unit, cap.unit**2)",
        "all gaps of a record are counted with the noise of one",
        TIMED,
    ),
    (
        "counting:TimeCounter.__init__",
        "self._lists = cut_lists(sequences, max_length)",
        "self._lists = cut_lists(sequences, max_length + 1)",
        "times are cut one visit later than the noise covers",
        TIMES,
    ),
    (
        "sequences:TimeQuestions._by_place",
        "popularity / (SUPPORT * scale)",
        "popularity * 0 + counts.beginnings(np.zeros(9, dtype=np.int64), intervals=self.intervals)[1].sum() % 2 * 9",
        "how finely a place is told apart by time is read off the data",
        (*REPLAYS[:-1], "raked and times"),
    ),
    (
        "public:record_weights",
        "UNIT * most // np.maximum(numbers, 1)",
        "UNIT * most // np.maximum(numbers, 1) + 1",
        "weights of the steps of long records are rounded up",
        STEPS,
    ),
    (
        "counting.local.steps:_weighed",
        "record_weights(parts, most)",
        "record_weights(parts - 1, most)",
        "the step to the end of a sequence weighs nothing in its cap",
        STEPS,
    ),
    (
        "counting:StepCounter.__init__",
        "lists = cut_lists(sequences, max_length)",
        "lists = cut_lists(sequences, max_length + 1)",
        "steps are counted one symbol later than sequences are cut",
        STEPS,
    ),
    (
        "public:StepCodes.coded",
        "owners * self.symbols + lists.codes[rare]",
        "lists.codes[rare]",
        "whether a rare symbol is new depends on the records of others",
        STEPS,
    ),
    (
        "counting:StepCounter.shapes",
        "shape_cell(different, lists, returns, edges)",
        "np.repeat(shape_cell(different, lists, returns, edges), 2)",
        "every shape of raked sequences counts twice",
        STEPS,
    ),
    (
        "counting:StepCounter.company",
        "company_cell(self._lists, members)",
        "np.repeat(company_cell(self._lists, members), 2)",
        "everybody counts twice among those who have exactly which symbols",
        STEPS,
    ),
    (
        "sequences:StepQuestions._symbols",
        "changes=cap.changes(self.max_length)",
        "changes=(cap.unit, cap.unit**2)",
        "all symbols of a record are counted with the noise of one",
        RAKED,
    ),
    (
        "sequences:StepQuestions._steps",
        "cap.changes(self.max_length + 1)",
        "lengths.symbol_cap.changes(self.max_length + 1)",
        "noise for one step less than a record weighs",
        RAKED,
    ),
    (
        "sequences:StepQuestions._ends",
        "(self.labels**2, 1) if together else (2 * self.labels, 2)",
        "(self.labels**2, 1) if together else (2 * self.labels, 1)",
        "first and last symbols apart are counted with the noise of one of them",
        ("tests/unit/sequences/test_raked.py",),
    ),
    (
        "sequences:Raked._published",
        'cut = f"sequences were cut after {self.max_length} symbols"',
        'cut = f"{len(records.sequences)} sequences were cut after {self.max_length} symbols"',
        "the manifest of raked sequences tells the true number of sequences",
        (*COMMANDS[:-1], "publishing and raked"),
    ),
    (
        "sequences:StepQuestions.lengths",
        'drawn = answered(account, "lengths", by_cell)',
        'drawn = answered(account, "lengths", 2 * by_cell)',
        "everybody counts twice in the lengths of raked sequences",
        RAKED,
    ),
)
