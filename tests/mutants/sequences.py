"""Mistakes in the methods for sequences."""

COST = ("tests/contract/test_exact_cost.py", "-k")
TREES = (*COST, "PrefixTree and height_4")
HYBRID = (*COST, "PrefixTree and height_4 and HYBRID")
PRIVATE = (*COST, "PrivateLength")
GRAMS = (*COST, "NGram and max_length_4")
RETURNS = (*COST, "Itineraries")
TIMED = (*COST, "Itineraries and in_many_intervals")
COUNTED = ("tests/unit/counting/test_itineraries.py",)
TIMES = ("tests/unit/counting/test_times.py",)
REPLAYS = ("tests/unit/audit/test_replay_of_every_variant.py", "-k", "private")
COMMANDS = ("tests/cli/test_neighbours.py", "-k", "publishing")

MUTANTS = (
    (
        "sequences/records.py",
        '"""What was done to every sequence, whatever the data; for the manifest, so public facts only."""\n        ',
        '"""What was done."""\n        if self.dropped_labels:\n            return (f"{self.dropped_labels} dropped",)\n        ',
        "the manifest tells how many labels were dropped",
        COMMANDS,
    ),
    (
        "sequences/prefix_trees/method.py",
        "split(epsilon, [1] * height)[0]",
        "epsilon",
        "every level costs the whole budget",
        TREES,
    ),
    (
        "sequences/prefix_trees/method.py",
        "        left = budget.epsilon * (1 - self.height.share)\n",
        "        left = budget.epsilon\n",
        "a private height is bought, and its price is not taken off",
        PRIVATE,
    ),
    (
        "sequences/prefix_trees/method.py",
        "        height = 1 + select(account",
        "        height = max(1, sum(count > 0 for count in lengths)) if True else 1 + select(account",
        "a height that is read off the data",
        REPLAYS,
    ),
    (
        "sequences/prefix_trees/method.py",
        "rules=self._rules(height),",
        'rules=(*self._rules(height), f"made of {sum(counts.lengths(longest=5))} sequences"),',
        "the manifest tells the true number of sequences",
        COMMANDS,
    ),
    (
        "sequences/prefix_trees/schedule.py",
        "return [left[rung.depth] if rung.is_final else costs[rung.depth] for rung in self.ladder.rungs]",
        "return [self.epsilon if rung.is_final else costs[rung.depth] for rung in self.ladder.rungs]",
        "groups are asked for free",
        HYBRID,
    ),
    (
        "sequences/length.py",
        "return max(self.quantile, 1 - self.quantile)",
        "return min(self.quantile, 1 - self.quantile)",
        "the sensitivity of a quantile is that of its smaller side",
        PRIVATE,
    ),
    (
        "sequences/length.py",
        "wanted = quantile * sum(lengths)",
        "wanted = quantile * sum(lengths) * 3",
        "scores that change by more than their sensitivity",
        PRIVATE,
    ),
    (
        "counting/local/engine.py",
        "return GramCounter(self.sequences, symbols=symbols, max_length=max_length, cut=cut)",
        "return GramCounter(self.sequences, symbols=symbols, max_length=max_length + 1, cut=cut)",
        "sequences are cut one symbol later than the noise covers",
        GRAMS,
    ),
    (
        "sequences/ngrams/pipeline.py",
        "            starts=self.max_length,\n",
        "            starts=max(1, self.max_length - 1),\n",
        "noise for one place less than a record has",
        GRAMS,
    ),
    (
        "sequences/ngrams/pipeline.py",
        "self._explored(counter.beginnings(), answers,",
        "self._explored(counter, answers,",
        "all places are counted with the noise of beginnings",
        GRAMS,
    ),
    (
        "sequences/ngrams/method.py",
        "epsilon * (1 - STARTS_SHARE - LENGTHS_SHARE)",
        "epsilon * (1 - STARTS_SHARE)",
        "lengths are asked for free",
        GRAMS,
    ),
    (
        "sequences/ngrams/method.py",
        "        left = budget.epsilon * (1 - self.max_length.share)\n",
        "        left = budget.epsilon\n",
        "a private length is bought, and its price is not taken off",
        PRIVATE,
    ),
    (
        "sequences/ngrams/method.py",
        "        lengths = counts.lengths(longest=self.max_length.longest)\n",
        "        lengths = [2 * count for count in counts.lengths(longest=self.max_length.longest)]\n",
        "a selection whose scores count everybody twice",
        PRIVATE,
    ),
    (
        "sequences/ngrams/method.py",
        "PublishedGrams(grams=grams, counts=numbers, universe=universe) if self.with_grams else None",
        "PublishedGrams(grams=grams, counts=numbers + len(records.sequences), universe=universe) if self.with_grams else None",
        "grams.csv holds something true",
        (*COMMANDS[:-1], "publishing and ngram"),
    ),
    (
        "sequences/ngrams/exploration.py",
        "groups, counts = counter.repeated(asked.last, leap - length)",
        "groups, counts = counter.repeated(asked.last, leap - length)\n        counts = counts * rule.max_gram",
        "repeats are counted several times",
        (*COST, "NGram and max_length_20 and max_gram_2"),
    ),
    (
        "counting/local/prefixes.py",
        "table = np.bincount(np.minimum(lengths[lengths > 0], longest), minlength=longest + 1)",
        "table = np.bincount(np.minimum(np.repeat(lengths, lengths), longest), minlength=longest + 1)",
        "long sequences count as many times as they have symbols",
        GRAMS,
    ),
    (
        "sequences/itineraries/questions.py",
        "rule = place_rule(self.symbols, starts=unit * cap, length=length)",
        "rule = place_rule(self.symbols, starts=max(1, unit * cap // 2), length=length)",
        "noise for half of the places that a record counts for",
        RETURNS,
    ),
    (
        "sequences/itineraries/questions.py",
        "            counted.letters(self.alphabet, most=None).beginnings(),\n",
        "            counted.letters(self.alphabet, most=None),\n",
        "all letters are counted with the noise of beginnings",
        RETURNS,
    ),
    (
        "sequences/itineraries/method.py",
        "        left = budget.epsilon * (1 - self.max_length.share)\n",
        "        left = budget.epsilon\n",
        "a private length of itineraries is bought, and its price is not taken off",
        RETURNS,
    ),
    (
        "sequences/itineraries/method.py",
        'f"sequences were cut after {max_length} symbols",\n                    *self',
        'f"{len(records.sequences)} sequences were cut after {max_length} symbols",\n                    *self',
        "the manifest of itineraries tells the true number of sequences",
        (*COMMANDS[:-1], "publishing and itinerary"),
    ),
    (
        "counting/local/itineraries.py",
        "np.minimum(UNIT, UNIT * most // np.maximum(self._lengths, 1))",
        "np.minimum(UNIT, UNIT * most // np.maximum(self._lengths, 1) + 1)",
        "weights of long records are rounded up",
        COUNTED,
    ),
    (
        "counting/local/itineraries.py",
        "return GramCounter(lists, symbols=symbols, max_length=self._max_length, cut=symbols + 1)",
        "return GramCounter(lists, symbols=symbols, max_length=self._max_length + 1, cut=symbols + 1)",
        "itineraries are cut one symbol later than the noise covers",
        COUNTED,
    ),
    (
        "counting/local/itineraries.py",
        "whole = np.flatnonzero((lists.lengths > 0) & (lists.lengths <= self._max_length))",
        "whole = np.repeat(np.flatnonzero((lists.lengths > 0) & (lists.lengths <= self._max_length)), 2)",
        "every shape counts twice",
        COUNTED,
    ),
    (
        "sequences/itineraries/times.py",
        "sensitivity=unit * cap, unit=unit * caps.cover(cap))",
        "sensitivity=unit, unit=unit * caps.cover(cap))",
        "all visits of a record are counted with the noise of one",
        TIMED,
    ),
    (
        "sequences/itineraries/times.py",
        'table = _answered(account, "gaps", truth, sensitivity=unit * cap, unit=unit * cover)',
        'table = _answered(account, "gaps", truth, sensitivity=unit, unit=unit * cover)',
        "all gaps of a record are counted with the noise of one",
        TIMED,
    ),
    (
        "counting/local/times.py",
        "return None if most is None else np.minimum(UNIT, UNIT * most // np.maximum(numbers, 1))",
        "return None if most is None else np.minimum(UNIT, UNIT * most // np.maximum(numbers, 1) + 1)",
        "weights of visits are rounded up",
        TIMES,
    ),
    (
        "counting/local/times.py",
        "self._lists = cut_lists(sequences, max_length)",
        "self._lists = cut_lists(sequences, max_length + 1)",
        "times are cut one visit later than the noise covers",
        TIMES,
    ),
    (
        "sequences/itineraries/times.py",
        "popularity / (SUPPORT * scale)",
        "popularity * 0 + counts.beginnings(np.zeros(9, dtype=np.int64), intervals=self.intervals)[1].sum() % 2 * 9",
        "how finely a place is told apart by time is read off the data",
        (*REPLAYS[:-1], "itinerary and times"),
    ),
)
