"""Mistakes in windows, methods, the journal and the clock of streams."""

MECHANISMS = ("tests/unit/streams/test_mechanisms.py",)
AUDITS = ("tests/unit/streams/test_audits.py",)
METHODS = ("tests/unit/streams/test_methods.py",)
SERVICE = ("tests/unit/streams/test_service.py",)
ROLLBACK = ("tests/unit/streams/test_rollback.py",)
COPIES = ("tests/unit/streams/test_copies.py",)
COMMAND = ("tests/unit/streams/test_command.py",)
FINISH = ("tests/unit/streams/test_finish.py",)
LEVELS = ("tests/unit/streams/test_levels.py",)

MUTANTS = (
    (
        "streams:Service.finish",
        "self._require_ended()",
        "pass",
        "a stream is finished while it runs",
        (*FINISH, "-k", "still_running"),
    ),
    (
        "streams:Service.finish",
        "ledger.finish(charge)",
        "pass",
        "a stream goes on after it was finished",
        (*FINISH, "-k", "never_goes_on"),
    ),
    (
        "streams:Service.finish",
        "not isinstance(self.method, Pace) or not self.settings.names_people",
        "not isinstance(self.method, Pace)",
        "a stream whose presence is private is smoothed as if it were public",
        (*FINISH, "-k", "only_a_stream_of_pace"),
    ),
    (
        "streams:Beliefs.published",
        "deviation * sqrt(self.enlarged)",
        "deviation * 0.6",
        "deviations are too small",
        (*LEVELS, "-k", "one_deviation"),
    ),
    (
        "streams:off_by",
        "np.where(difference == 0, noise_variance(scale), 0.0)",
        "0.0",
        "errors behind noise are estimated with a bias",
        (*LEVELS, "-k", "without_bias"),
    ),
    (
        "privacy:OwnWindows.end",
        "places[places >= self._lengths[users] - 1] = 0",
        "places[places >= self._lengths[users] - 2] = 0",
        "a person's window forgets a context too early",
        (*MECHANISMS, "-k", "nobody_pays"),
    ),
    (
        "tacita_papers:Branching.__init__",
        "Funds(amount=epsilon / levels)",
        "Funds(amount=epsilon)",
        "every level of the tree costs all of epsilon",
        (*MECHANISMS, "-k", "nobody_pays and tree"),
    ),
    (
        "streams:Protection.sensitivity",
        "return 1 if self.presence is Presence.ADDED else 2",
        "return 1",
        "counts are noised for a sensitivity of one",
        (*AUDITS, "-k", "costs_more_than_epsilon_exactly and uniform"),
    ),
    (
        "streams:Pacing._measure_those_with_room",
        "question.interval(noisy, left_out=included.size - counted, people=included.size)",
        "question.interval(moment.counts(included), left_out=included.size - counted, people=included.size)",
        "the interval of a measured timestamp is around the true counts",
        (*AUDITS, "-k", "leaves_nothing_raw and pace"),
    ),
    (
        "streams:Service.run",
        "account.commit = lambda _: binding.check()",
        "binding = None\naccount.commit = lambda _: None",
        "a copied journal draws again",
        (*COPIES, "-k", "copy_of_a_running or older_copy"),
    ),
    (
        "privacy:_require_all",
        "noted.journal != journal.name or not journal.holds(noted.end, noted.digest)",
        "noted.journal != journal.name",
        "an older copy of the journal draws again",
        (*COPIES, "-k", "older_copy"),
    ),
    (
        "privacy:Ledger.binding",
        "lambda claim: self._commit_claim(charge_id, claim)",
        "lambda _: None",
        "a journal from its first day draws again by another name of the ledger",
        (*COPIES, "-k", "first_day"),
    ),
    (
        "privacy:Claim.refused_by",
        "self.is_first and before",
        "self.is_first and before not in {'', self.file}",
        "a journal that was put back to its first day draws again by another name of the ledger",
        (*COPIES, "-k", "first_day"),
    ),
    (
        "streams:published",
        "charged(records, method.name, plan, ledger=ledger, neighbours=None, unit=relation.counted)",
        "charged(records, method.name, plan, ledger=ledger, neighbours=None)",
        "windows are charged as persons",
        (*METHODS, "-k", "charged_once and Uniform"),
    ),
    (
        "streams:Publisher._restored",
        'self._restore_account(last["account"])',
        'last["account"]',
        "after a checkpoint the account forgets what its window cost",
        (*COPIES, "-k", "checkpoint"),
    ),
    (
        "streams:Settings.__post_init__",
        "self.clock is Clock.EVENTS and not self.names_people",
        "self.clock is Clock.EVENTS and self.names_people is None",
        "an event closes a timestamp of a stream whose presence is private",
        (*SERVICE, "-k", "private_presence"),
    ),
    (
        "streams:Intake.add",
        "np.where(late, -1, places)",
        "np.where(late, open_before, places)",
        "late events are counted in another timestamp than their own",
        (*SERVICE, "tests/unit/streams/test_bounds.py"),
    ),
    (
        "streams:Publisher._require_witnesses",
        "out > last",
        "False",
        "a journal that lacks what is out draws it again",
        ROLLBACK,
    ),
    (
        "streams:Publisher._require_witnesses",
        "self._told is not None",
        "False",
        "an older ledger is put back under a journal that was told of later entries",
        ROLLBACK,
    ),
    (
        "privacy:Claim.refused_by",
        "progress and not self.holds(progress)",
        "False",
        "an older journal is put back together with the note about it",
        ROLLBACK,
    ),
    (
        "streams:Publisher._tell_ledger_at_the_end",
        "self._tell_ledger(writer)",
        "pass",
        "what a run released last is not in the ledger's chain",
        ROLLBACK,
    ),
    (
        "streams:Service.run",
        "self.state.chmod(0o700)",
        "pass",
        "others may look into the journal of a stream",
        ROLLBACK,
    ),
    (
        "streams:Service._head",
        "self.settings.grace",
        "0",
        "a restart with another grace is not noticed",
        (*COMMAND, "-k", "another_rule"),
    ),
    (
        "privacy:Account._write_down",
        "tick = self.windows[within].spends[-1][0]",
        "tick, self.tallies = self.windows[within].spends[-1][0], Tallies()",
        "a manifest tells the draws of the last timestamp only",
        (*METHODS, "-k", "counts_every_draw and Uniform"),
    ),
    (
        "streams:Service._charge",
        "with self._journal.room(), ledger.open(asked) as account:\n    identity = account.charge_id",
        "with ledger.open(asked) as account:\n    identity = account.charge_id",
        "a stream whose journal cannot be made is charged first",
        (*COMMAND, "-k", "journal_that_cannot_be_made"),
    ),
    (
        "privacy:write_mark",
        '("O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW")',
        '("O_CLOEXEC", "O_NONBLOCK")',
        "a link in place of a mark has its target overwritten",
        ("tests/unit/recipient/test_strangers_files.py", "-k", "in_place_of_a_mark"),
    ),
)
