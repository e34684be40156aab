"""Mistakes in hiding patterns: in what is promised, in the check, and in what searches rely on."""

PUBLISHING = ("tests/unit/personal/test_publishing.py", "-k")
PROPERTIES = ("tests/properties/test_hidden_patterns.py", "-k")
SEARCHES = ("tests/unit/personal/test_searches.py", "-k")
ONLINE = ("tests/unit/personal/test_online_hiding.py", "-k")

MUTANTS = (
    (
        "personal/pattern_hiding.py",
        "if found.evidence is None or not _within(found.evidence, method.bound):",
        "if found.evidence is None:",
        "a personal release is published whatever the check found",
        (*PUBLISHING, "a_search_that_lies"),
    ),
    (
        "personal/people.py",
        "return outcome, evidence(sequence, outcome.nodes,",
        "return outcome, evidence(sequence, outcome.showing[problem.sequence],",
        "the check of a local personal release looks at the global one",
        (*PUBLISHING, "looks_at_what_is_published"),
    ),
    (
        "personal/verification.py",
        "reach = min(window, max(size - 1, 0))",
        "reach = min(window, max(size - 1, 0)) - 1",
        "the check of a personal release counts within a window that is one place too narrow",
        (*PROPERTIES, "independent_check"),
    ),
    (
        "personal/verification.py",
        "return all(self.beliefs[form] <= limit for form in forms)",
        "return any(self.beliefs[form] <= limit for form in forms)",
        "one belief within the limit is enough for the check of a personal release",
        (*PUBLISHING, "one_form_is_too_high"),
    ),
    (
        "personal/occurrences.py",
        "for distance in range(1, self.window + 1 if len(string) > 1 else 1):",
        "for distance in range(1, self.window if len(string) > 1 else 1):",
        "starting places of personal patterns are counted within a window that is one place too narrow",
        (*PROPERTIES, "oracle"),
    ),
    (
        "personal/bounds.py",
        "return all(held * lower <= upper * shown for form",
        "return all(held * lower <= upper * shown + lower for form",
        "a belief may be one place above the limit in a personal search",
        (*PROPERTIES, "no_search_breaks"),
    ),
    (
        "personal/bounds.py",
        "return all(held * lower <= upper * shown for form",
        "return all(held * lower < upper * shown for form",
        "a belief that is exactly the limit is refused in a personal search, so that the limit is not what it says",
        (*SEARCHES, "count_together"),
    ),
    (
        "personal/measures.py",
        "found = [Fraction(count, problem.occurrences.total(len(pattern))) for pattern, count in problem.tuples_of.items()]",
        "found = list(beliefs(problem, problem.blocks(problem.everything_shown), form))",
        "the prior of a personal pattern is computed from a release instead of from all tuples",
        (*SEARCHES, "priors_are"),
    ),
    (
        "personal/measures.py",
        "held[string] = held.get(string, 0) + problem.tuples_of[pattern]",
        "held[string] = max(held.get(string, 0), problem.tuples_of[pattern])",
        "personal patterns that are shown as one string count once",
        (*SEARCHES, "count_together"),
    ),
    (
        "personal/local.py",
        "places |= problem.occurrences.places(string)",
        "places = problem.occurrences.places(string)",
        "a local personal release hides the places of one string only",
        (*SEARCHES, "places_of_every_string"),
    ),
    (
        "personal/online.py",
        "if patterns.total() > self._limit * total:",
        "if max(patterns.values()) > self._limit * total:",
        "online, the belief in any of several personal patterns is not bounded",
        (*ONLINE, "any_pattern"),
    ),
    (
        "personal/online.py",
        "self._before = deque(maxlen=self.patterns.window)",
        "self._before = deque(maxlen=max(1, self.patterns.window - 1))",
        "online, personal patterns at the full width of the window are not seen",
        (*PROPERTIES, "online_everything"),
    ),
    (
        "personal/online_hiding.py",
        " or max(highest.values()) > self.belief:",
        ":",
        "an online personal release is published whatever the check found",
        (*ONLINE, "sanitizer_that_shows_everything"),
    ),
    (
        "personal/verification.py",
        "grown = np.flatnonzero(np.diff(held, prepend=0))",
        "grown = np.arange(held.size)[-1:]",
        "the check of an online personal release looks at its end only",
        (*ONLINE, "too_high_once or all_moments"),
    ),
)
