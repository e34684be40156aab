"""Mistakes in the methods for trajectories and tables: the algorithms, their independent checks, and the private one."""

PUBLISHED = ("tests/unit/trajectories/test_publishing.py",)
RANDOM = ("tests/unit/trajectories/test_random_databases.py",)
AUDITS = ("tests/unit/auditing/test_verified_audits.py",)
TABLES = ("tests/unit/tables/test_releases.py",)
COST = ("tests/contract/test_exact_cost.py", "-k", "TopDown")
COMMANDS = ("tests/cli/test_neighbours.py", "-k", "differ_by_a_row")

MUTANTS = (
    (
        "privacy:share_of",
        "not 0 <= found <= 1 or found.denominator > LARGEST_DENOMINATOR",
        "not 0 <= found <= 1",
        "confidences overflow in the suppression and in its check alike",
        PUBLISHED,
    ),
    (
        "trajectories:_run",
        "not _is_valid(good, rows, number, keep, room, crowd, above, below)",
        "number < 0",
        "a compiled step is taken without its check",
        ("tests/unit/trajectories/test_compiled_greedy.py",),
    ),
    (
        "attacks:on_trajectories",
        "release.facts()",
        "release.trajectories",
        "published quasi-identifiers are left out of the risk",
        ("tests/unit/attacks/test_trajectory_attack.py",),
    ),
    (
        "trajectories:_Tally.broken",
        "wrong = requirement.broken(self.persons[sets], self.sensitive[sets]) & (self.persons[sets] > 0)",
        "wrong = (self.persons[sets] > 0) & (self.persons[sets] < requirement.crowd)",
        "packing forgets confidences, and only the check would notice",
        RANDOM,
    ),
    (
        "trajectories:_Queue.best",
        "if state.is_valid(rows):\n    return violation, pair",
        "return violation, pair",
        "a local step is taken without its check",
        RANDOM,
    ),
    (
        "trajectories:small_violations",
        "minimal = ~np.isin(threes % (number * number), twos)",
        "minimal = np.ones(threes.size, dtype=np.bool_)",
        "sets with a violating part are listed as minimal",
        RANDOM,
    ),
    (
        "trajectories:PairColumns.person_of",
        "return records if self.persons is None else self.persons[records]",
        "return records",
        "records are counted in place of persons",
        RANDOM,
    ),
    (
        "trajectories:_violates",
        'wrong = pl.col("persons") < requirement.crowd',
        'wrong = pl.col("persons") < requirement.crowd - 1',
        "the check allows a crowd of one less",
        RANDOM,
    ),
    (
        "trajectories:verify_published",
        "shown is None or held is None or not shown.eq_missing(held.gather(persons)).all()",
        "shown is None or held is None",
        "the check believes the sensitive values that are shown",
        PUBLISHED,
    ),
    (
        "trajectories:verify_published",
        "np.unique(sources).size != sources.size or not np.isin(wanted, there).all()",
        "np.unique(sources).size != sources.size",
        "the check does not ask whether a published record is somebody's",
        PUBLISHED,
    ),
    (
        "trajectories:Suppression.publish",
        "not verify_published(data, requirement, records=records, sources=sources).holds",
        "verify_published(data, requirement, records=records, sources=sources) is None",
        "what the check found is not looked at",
        PUBLISHED,
    ),
    (
        "tables:verify_table",
        "columns or [(None, ())]",
        "columns[:1] or [(None, ())]",
        "only the first sensitive column is checked",
        TABLES,
    ),
    (
        "tables.mondrian:_allowed",
        "~(violated[0::2] | violated[1::2])",
        "~violated[0::2]",
        "the upper half of a cut may violate the model, and only the check would notice",
        ("tests/unit/tables/test_publishers.py", "-k", "every_published_group"),
    ),
    (
        "tables:table_of_groups",
        "np.concatenate([lows, highs, *(each.of[:, np.newaxis] for each in lists.values())], axis=1)",
        "np.concatenate([lows, highs], axis=1)",
        "groups with other lists of values in the same range become one, which shows the list of either",
        ("tests/unit/tables/test_publishers.py", "-k", "of_one_range_stay_apart"),
    ),
    (
        "tables:KAnonymity.violates",
        "return found.sizes < self.k",
        "return found.sizes < self.k - 1",
        "groups of k - 1 rows pass, and only the check would notice",
        ("tests/unit/tables/test_models.py",),
    ),
    (
        "tables:CodedRows.capped",
        'pl.col("key").rank("ordinal").over("person") <= most',
        'pl.col("key").rank("ordinal").over("person") <= most + 1',
        "a person keeps one row more than is charged for",
        TABLES,
    ),
    (
        "tables:TableCut.assembled",
        "rows.capped(self.most)",
        "rows.capped(self.most + 1)",
        "in blocks a person keeps one row more than is charged for",
        ("tests/unit/tables/test_blocks.py",),
    ),
    (
        "tables:CountedTable.records_per_person",
        "return 1 if self.per_person is None else self.per_person.records",
        "return 1",
        "several rows of a person are charged as one",
        TABLES,
    ),
    (
        "tables:top_down_plan",
        "epsilon=budget.epsilon - for_splits",
        "epsilon=budget.epsilon",
        "cuts are chosen for free",
        COST,
    ),
    (
        "tables:_score",
        "return min(int(left.sum()), int(right.sum()))",
        "return 2 * min(int(left.sum()), int(right.sum()))",
        "a score changes by two with one row",
        COST,
    ),
    (
        "tables:TopDown._made",
        'rules=("cells with a noisy count below their threshold were dropped, empty ones included",)',
        'rules=(f"{len(records)} rows",)',
        "the manifest tells how many rows there are",
        COMMANDS,
    ),
    (
        "cli:_published",
        "ledger.note_verified(records.name, choices.method.name, guarantee=release.guarantee.statement())",
        "ledger.balance(records.name)",
        "a verified release is not noted in the ledger",
        ("tests/cli/test_tables.py", "-k", "ledger"),
    ),
)
