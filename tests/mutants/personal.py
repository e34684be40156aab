"""Mistakes in hiding patterns: in what is promised, in the check, and in what searches rely on."""

PUBLISHING = ("tests/unit/personal/test_publishing.py", "-k")
PROPERTIES = ("tests/properties/test_hidden_patterns.py", "-k")
SEARCHES = ("tests/unit/personal/test_searches.py", "-k")
ONLINE = ("tests/unit/personal/test_online_hiding.py", "-k")

MUTANTS = (
    (
        "personal:_checked_nodes",
        "found.evidence is None or not _within(found.evidence, method.bound)",
        "found.evidence is None",
        "a personal release is published whatever the check found",
        (*PUBLISHING, "a_search_that_lies"),
    ),
    (
        "personal:Task.on",
        "evidence(sequence, outcome.nodes, patterns=self.patterns.codes, window=self.patterns.window)",
        "evidence(sequence, outcome.showing[problem.sequence], patterns=self.patterns.codes, window=self.patterns.window)",
        "the check of a local personal release looks at the global one",
        (*PUBLISHING, "looks_at_what_is_published"),
    ),
    (
        "personal:_per_start",
        "reach = min(window, max(size - 1, 0))",
        "reach = min(window, max(size - 1, 0)) - 1",
        "the check of a personal release counts within a window that is one place too narrow",
        (*PROPERTIES, "independent_check"),
    ),
    (
        "personal:Evidence.within_belief",
        "return all(self.beliefs[form] <= limit for form in forms)",
        "return any(self.beliefs[form] <= limit for form in forms)",
        "one belief within the limit is enough for the check of a personal release",
        (*PUBLISHING, "one_form_is_too_high"),
    ),
    (
        "personal:Occurrences.starts",
        "self.window + 1",
        "self.window",
        "starting places of personal patterns are counted within a window that is one place too narrow",
        (*PROPERTIES, "oracle"),
    ),
    (
        "personal:BeliefBound.keeps",
        "upper * shown",
        "upper * shown + lower",
        "a belief may be one place above the limit in a personal search",
        (*PROPERTIES, "no_search_breaks"),
    ),
    (
        "personal:BeliefBound.keeps",
        "held * lower <= upper * shown",
        "held * lower < upper * shown",
        "a belief that is exactly the limit is refused in a personal search, so that the limit is not what it says",
        (*SEARCHES, "count_together"),
    ),
    (
        "personal:priors",
        "found = [Fraction(count, problem.occurrences.total(len(pattern))) for pattern, count in problem.tuples_of.items()]",
        "found = list(beliefs(problem, problem.blocks(problem.everything_shown), form))",
        "the prior of a personal pattern is computed from a release instead of from all tuples",
        (*SEARCHES, "priors_are"),
    ),
    (
        "personal.bounds:_held",
        "held[string] = held.get(string, 0) + problem.tuples_of[pattern]",
        "held[string] = max(held.get(string, 0), problem.tuples_of[pattern])",
        "personal patterns that are shown as one string count once",
        (*SEARCHES, "count_together"),
    ),
    (
        "personal:_taking_part",
        "places |= problem.occurrences.places(string)",
        "places = problem.occurrences.places(string)",
        "a local personal release hides the places of one string only",
        (*SEARCHES, "places_of_every_string"),
    ),
    (
        "personal:OnlineSanitizer._publish",
        "patterns.total() > self._limit * total",
        "max(patterns.values()) > self._limit * total",
        "online, the belief in any of several personal patterns is not bounded",
        (*ONLINE, "any_pattern"),
    ),
    (
        "personal:OnlineSanitizer.__post_init__",
        "self._before = deque(maxlen=self.patterns.window)",
        "self._before = deque(maxlen=max(1, self.patterns.window - 1))",
        "online, personal patterns at the full width of the window are not seen",
        (*PROPERTIES, "online_everything"),
    ),
    (
        "personal:OnlineHiding._check",
        "not is_generalization(truth, nodes, asked.taxonomy.parents) or max(highest.values()) > self.belief",
        "not is_generalization(truth, nodes, asked.taxonomy.parents)",
        "an online personal release is published whatever the check found",
        (*ONLINE, "sanitizer_that_shows_everything"),
    ),
    (
        "personal:_highest",
        "grown = np.flatnonzero(np.diff(held, prepend=0))",
        "grown = np.arange(held.size)[-1:]",
        "the check of an online personal release looks at its end only",
        (*ONLINE, "too_high_once or all_moments"),
    ),
)
