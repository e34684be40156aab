"""Mistakes in the methods for trajectories and tables: the algorithms, their independent checks, and the private one."""

PUBLISHED = ("tests/unit/trajectories/test_publishing.py",)
RANDOM = ("tests/unit/trajectories/test_random_databases.py",)
AUDITS = ("tests/unit/audit/test_verified_audits.py",)
TABLES = ("tests/unit/tables/test_releases.py",)
COST = ("tests/contract/test_exact_cost.py", "-k", "TopDown")
COMMANDS = ("tests/cli/test_neighbours.py", "-k", "differ_by_a_row")

MUTANTS = (
    (
        "trajectories/requirement.py",
        "if not 0 <= found <= 1 or found.denominator > LARGEST_DENOMINATOR:",
        "if not 0 <= found <= 1:",
        "confidences overflow in the suppression and in its check alike",
        PUBLISHED,
    ),
    (
        "trajectories/compiled_greedy.py",
        "            if not _is_valid(good, rows, number, keep, room, crowd, above, below):\n",
        "            if number < 0:\n",
        "a compiled step is taken without its check",
        ("tests/unit/trajectories/test_compiled_greedy.py",),
    ),
    (
        "attacks/on_trajectories.py",
        "PairColumns.of(release.facts(), sensitive",
        "PairColumns.of(release.trajectories, sensitive",
        "published quasi-identifiers are left out of the risk",
        ("tests/unit/attacks/test_trajectory_attack.py",),
    ),
    (
        "trajectories/packing.py",
        "wrong = requirement.broken(self.persons[sets], self.sensitive[sets]) & (self.persons[sets] > 0)",
        "wrong = (self.persons[sets] > 0) & (self.persons[sets] < requirement.crowd)",
        "packing forgets confidences, and only the check would notice",
        RANDOM,
    ),
    (
        "trajectories/greedy.py",
        "            elif state.is_valid(rows):\n",
        "            else:\n",
        "a local step is taken without its check",
        RANDOM,
    ),
    (
        "trajectories/first_pairs.py",
        "minimal = ~np.isin(threes % (number * number), twos)",
        "minimal = np.ones(threes.size, dtype=np.bool_)",
        "sets with a violating part are listed as minimal",
        RANDOM,
    ),
    (
        "trajectories/pair_columns.py",
        "return records if self.persons is None else self.persons[records]",
        "return records",
        "records are counted in place of persons",
        RANDOM,
    ),
    (
        "trajectories/verification.py",
        'wrong = pl.col("persons") < requirement.crowd',
        'wrong = pl.col("persons") < requirement.crowd - 1',
        "the check allows a crowd of one less",
        RANDOM,
    ),
    (
        "trajectories/verification.py",
        "if shown is None or held is None or not shown.eq_missing(held.gather(persons)).all():",
        "if shown is None or held is None:",
        "the check believes the sensitive values that are shown",
        PUBLISHED,
    ),
    (
        "trajectories/verification.py",
        "if np.unique(sources).size != sources.size or not np.isin(wanted, there).all():",
        "if np.unique(sources).size != sources.size:",
        "the check does not ask whether a published record is somebody's",
        PUBLISHED,
    ),
    (
        "trajectories/suppression.py",
        "if not verify_published(data, requirement, records=records, sources=sources).holds:",
        "if verify_published(data, requirement, records=records, sources=sources) is None:",
        "what the check found is not looked at",
        PUBLISHED,
    ),
    (
        "tables/verifying.py",
        "    for hidden, scale in columns or [(None, ())]:\n",
        "    for hidden, scale in columns[:1] or [(None, ())]:\n",
        "only the first sensitive column is checked",
        TABLES,
    ),
    (
        "tables/models.py",
        "return found.sizes < self.k",
        "return found.sizes < self.k - 1",
        "groups of k - 1 rows pass, and only the check would notice",
        ("tests/unit/tables/test_models.py",),
    ),
    (
        "tables/records.py",
        "(number <= most)",
        "(number <= most + 1)",
        "a person keeps one row more than is charged for",
        TABLES,
    ),
    (
        "tables/records.py",
        "return 1 if self.per_person is None else self.per_person.records",
        "return 1",
        "several rows of a person are charged as one",
        TABLES,
    ),
    (
        "tables/top_down.py",
        "epsilon=budget.epsilon - for_splits, note",
        "epsilon=budget.epsilon, note",
        "cuts are chosen for free",
        COST,
    ),
    (
        "tables/top_down.py",
        "return min(int(left.sum()), int(right.sum()))",
        "return 2 * min(int(left.sum()), int(right.sum()))",
        "a score changes by two with one row",
        COST,
    ),
    (
        "tables/private.py",
        'rules=("cells with a noisy count below their threshold were dropped, empty ones included",),',
        'rules=(f"{len(records)} rows",),',
        "the manifest tells how many rows there are",
        COMMANDS,
    ),
    (
        "cli/publish.py",
        "            if choices.budget is None:  # before anything exists, so that a ledger that cannot be written to stops it\n",
        "            if choices.options is None:\n",
        "a verified release is not noted in the ledger",
        ("tests/cli/test_tables.py", "-k", "ledger"),
    ),
)
