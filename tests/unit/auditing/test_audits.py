"""The audits of the product and of the controls."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from strategies import sequence_records
from tacita.arrays.ragged import Ragged
from tacita.auditing import (
    CONTROLS,
    SequenceCase,
    Variant,
    audit_output,
    audit_real_replay,
    audit_replay,
    audit_samplers,
    run_control,
)
from tacita.auditing.broken_samplers import wrong_scale
from tacita.auditing.exact_replay import _check, _Worst
from tacita.auditing.product import (
    FULL,
    QUICK,
    Effort,
    _black_box,
    audit,
    audit_mechanism,
    output_case,
    replay_case,
    subject_named,
)
from tacita.cli import main
from tacita.cli.screen import progress_bar
from tacita.errors import ParameterError, TooManyNodesError
from tacita.io import declared_universe
from tacita.kinds import kind_of, methods
from tacita.privacy.account import Charge, StandIn
from tacita.privacy.answers import Drawing, Recording
from tacita.privacy.budget import ApproxDP, PureDP, Sequential, Step
from tacita.privacy.questions import Cells, noisy_cells, select
from tacita.sequences import NGram, PrefixTree, read_sequences
from tacita.sets import StableHistogram
from tacita.testing import SeededSource
from walks import SimpleWalk

PRIVATE = [name for name, method in methods().items() if method.promise.takes_epsilon and kind_of(method).case is not None]

ALL = [
    *((variant, subject.budget(1)) for subject in map(subject_named, PRIVATE) for variant in subject.variants),
    (Variant(name="prefix-tree, published", mechanism=PrefixTree(height=2, threshold="published")), PureDP("1/3")),
    (Variant(name="stable-histogram, large delta", mechanism=StableHistogram()), ApproxDP(1, "1/20")),
]
EVERY_VARIANT = pytest.mark.parametrize(("variant", "budget"), ALL, ids=[variant.name for variant, _ in ALL])


EXAMPLES = {"stable-histogram", "random"}
"""Methods with few outputs, whose law is enumerated with every run; that of the others takes ten seconds and more."""


def test_every_method_of_the_product_is_audited():
    assert all(subject_named(name).variants for name in PRIVATE)


@pytest.mark.parametrize("method", [name for name in PRIVATE if methods()[name].has_gaussian])
def test_every_method_that_takes_a_delta_beside_a_pure_promise_is_audited_with_one(method):
    delta = [variant for variant in subject_named(method).variants if variant.delta]
    assert delta
    for variant in delta:
        assert replay_case(variant, PureDP(2)).budget == ApproxDP(2, variant.delta)
        assert output_case(variant).budget.delta == variant.delta


def test_a_delta_without_parameters_is_for_all_variants(monkeypatch):
    asked = []
    monkeypatch.setattr("tacita.auditing.audit_method", lambda name, budget, **_: asked.append((name, budget)) or ())
    monkeypatch.setattr("tacita.auditing.product.audit_method", lambda name, budget, **_: asked.append((name, budget)) or ())
    assert main(["audit", "pace", "--delta", "1e-3"]) == 0
    audit("pace", delta="1e-3")
    assert asked == [("pace", ApproxDP(1, "1e-3"))] * 2


LEAST = {"networks": (0.85, 0.03), "tables": (0.6, 0.4), "streams": (0.3, 0.35)}
"""How much of epsilon small data must show in a replay and in the exact law: less where questions share it in a way that no one
pair uses up, or where only an enormous epsilon leaves few enough outputs to enumerate."""


def least_of(variant):
    kind = next(method.kind for method in methods().values() if isinstance(variant.mechanism, method.load()))
    return LEAST.get(kind, (0.95, 0.8))


def check_replay(variant, budget):
    """Paths that begin near the end of a sequence stop early, so n-grams stay below what they may lose."""
    check = audit_replay(replay_case(variant, budget), data_sets=10)
    assert check.passed, check.summary
    least = 0.6 if isinstance(variant.mechanism, NGram) else least_of(variant)[0]
    assert least < check.figures["share"] <= 1 + 1e-9
    assert check.figures["pairs"] > 10 * 10


@pytest.mark.slow  # every variant is replayed once with every run, in a file of its own
@EVERY_VARIANT
def test_no_neighbour_of_many_small_data_sets_loses_more_than_epsilon(variant, budget):
    check_replay(variant, budget)


@pytest.mark.parametrize(
    "variant",
    [pytest.param(each, marks=() if each.name in EXAMPLES else pytest.mark.slow) for each, _ in ALL[:-2]],
    ids=lambda variant: variant.name,
)
def test_the_outputs_of_every_variant_follow_their_exact_law(variant):
    """At the least span that shows what a full audit shows of more values, so that there is less to enumerate."""
    case = output_case(variant)
    check = audit_output(case, runs=500, span=max(0, case.span - 1))
    assert check.passed, check.summary
    if variant.delta:  # Gaussian noise: what is beyond the span counts in full
        assert check.figures["exact_excess"] <= float(case.budget.delta)
        assert check.figures["exact_excess_at_most"] < 0.3
    elif case.budget.delta:
        assert 0.5 * float(case.budget.delta) < check.figures["exact_excess"] <= check.figures["exact_excess_at_most"]
        assert check.figures["exact_excess_at_most"] <= float(case.budget.delta)
    else:
        assert check.figures["exact_ratio"] > least_of(variant)[1] * float(case.budget.epsilon)


@pytest.mark.slow  # twelve seconds; the tests of the command line run a smaller one
def test_a_quick_audit_passes():
    effort = Effort(data_sets=5, output_runs=600, black_box_runs=600, sampler_draws=10_000)
    variant = Variant(name="prefix-tree", mechanism=PrefixTree(height=1))
    checks = list(audit_mechanism(variant, PureDP(1), effort=effort, watch=progress_bar))
    assert [check.test for check in checks] == ["exact replay", "output", "black box"]
    assert all(check.passed for check in checks), [check.summary for check in checks]


@pytest.mark.slow
@EVERY_VARIANT
def test_a_full_audit_of_every_mechanism_passes(variant, budget):
    checks = list(audit_mechanism(variant, budget, effort=FULL, watch=progress_bar))
    assert all(check.passed for check in checks), [check.summary for check in checks]


def check_msnbc(data_folder, neighbours):
    path = data_folder / "msnbc" / "msnbc990928.seq.gz"
    records = read_sequences(path, universe=declared_universe(path))
    case = SequenceCase(name="prefix-tree", mechanism=PrefixTree(height=20), budget=PureDP(1))
    check = audit_real_replay(case, records, neighbours=neighbours)
    assert check.passed, check.summary
    assert 0 < check.figures["share"] <= 1
    assert check.figures["pairs"] == neighbours


def test_neighbours_of_real_data_stay_within_epsilon(data_folder):
    check_msnbc(data_folder, 12)


@pytest.mark.slow
def test_a_thousand_neighbours_of_real_data_stay_within_epsilon(data_folder):
    check_msnbc(data_folder, 1000)


def test_a_control_that_is_not_broken_is_reported_as_missed():
    from tacita.auditing.verdict import Check

    fine = replace(
        CONTROLS["a sensitivity forgotten"],
        run=lambda: Check(subject="x", test="exact replay", passed=True, summary="nothing"),
    )
    assert not run_control(fine).passed
    assert "MISSED" in run_control(fine).summary


class Publishes:
    """A mechanism that asks one harmless question and publishes what a function of the records says."""

    def __init__(self, leak):
        self.leak = leak

    def publish(self, records, /, *, budget, ledger):
        plan = Sequential(name="all", parts=(Step(name="choice", epsilon=budget.epsilon),))
        with ledger.open(Charge(dataset="d", mechanism="m", plan=plan)) as account:
            select(account, "choice", scores=[0, 0])
        return SimpleNamespace(data=SimpleNamespace(sequences=Ragged.from_lists([[self.leak(records)]])))


def test_raw_data_behind_the_wall_is_found_though_no_draw_shows_it():
    case = SequenceCase(name="leaky", mechanism=Publishes(lambda records: len(records.sequences)), budget=PureDP(1))
    check = audit_replay(case, data_sets=3)
    assert not check.passed
    assert "raw data reaches what is published" in check.summary


def test_noise_of_a_mechanisms_own_is_found():
    source = SeededSource(1)
    case = SequenceCase(name="own dice", mechanism=Publishes(lambda _: source.take(1)[0]), budget=PureDP(1))
    assert "something is drawn past the ledger" in audit_replay(case, data_sets=3).summary


def test_a_loss_that_is_no_number_is_no_pass(monkeypatch):
    monkeypatch.setattr("tacita.auditing.exact_replay.transcript_loss", lambda *_: float("nan"))
    case = SequenceCase(name="odd", mechanism=PrefixTree(height=1), budget=PureDP(1))
    assert not audit_replay(case, data_sets=2).passed


@pytest.mark.slow  # ten seconds
def test_the_output_test_sees_all_noise_being_too_little():
    case = SequenceCase(name="quiet", mechanism=PrefixTree(height=1), budget=PureDP(1), labels="AB", longest=1)

    def ledger(number, transcript):
        return StandIn(Recording(wrong_scale(Fraction(3, 2), SeededSource(number)), transcript))

    check = audit_output(case, runs=2_000, ledger=ledger)
    assert not check.passed
    assert "do not follow the exact law" in check.summary


class DeepUniverseFromData:
    """A prefix tree that from some level on offers only continuations that occur in the data."""

    def __init__(self, height, level):
        self.height, self.level = height, level

    def publish(self, records, /, *, budget, ledger):
        plan = PrefixTree(height=self.height).plan(budget)
        with ledger.open(Charge(dataset="d", mechanism="m", plan=plan)) as account:
            counter, kept_rows = SimpleWalk(records.sequences, symbols=3), []
            for length, step in enumerate(plan.steps(), start=1):
                keys, counts = counter.counts()
                domain = counter.domain
                places = keys
                if length >= self.level:
                    domain, places = keys.size, np.arange(keys.size)
                kept = noisy_cells(account, step.name, keys=places, counts=counts, domain=domain, threshold=40)
                chosen = keys[kept.keys] if length >= self.level else kept.keys
                kept_rows.append(chosen.tolist())
                counter.keep(chosen)
        return SimpleNamespace(data=SimpleNamespace(sequences=Ragged.from_lists(kept_rows)))


@pytest.mark.parametrize("level", [2, 4, 6])
def test_a_universe_read_from_the_data_is_found_on_any_level(level):
    case = SequenceCase(name="deep", mechanism=DeepUniverseFromData(6, level), budget=PureDP(1), crowd=150, depth=6)
    check = audit_replay(case, data_sets=5)
    assert not check.passed
    assert "raw data" in check.summary


@pytest.mark.slow  # a minute
def test_a_sampler_that_forgets_empties_on_a_deep_level_is_found(monkeypatch):
    honest, forgot = Drawing.answer, []

    def forgetful(self, question, truth):
        answer = honest(self, question, truth)
        if question.step != "level 3":
            return answer
        true = np.isin(answer.keys, truth.keys)
        forgot.append(not true.all())
        return Cells(answer.keys[true], answer.values[true])

    monkeypatch.setattr(Drawing, "answer", forgetful)
    PrefixTree(height=3).publish(sequence_records(["ABC"] * 40, labels="ABC"), budget=PureDP(1))
    assert forgot, "level 3 is asked"
    case = replay_case(Variant(name="forgetful", mechanism=PrefixTree(height=3)), PureDP(1))
    check = _black_box(case, replace(QUICK, black_box_runs=10_000, black_box_seconds=300), lambda _done, _total: None)
    assert not check.passed, check.summary


def test_a_manifest_that_tells_the_number_of_records_is_found():
    class Boastful:
        def publish(self, records, /, *, budget, ledger):
            release = PrefixTree(height=1).publish(records, budget=budget, ledger=ledger)
            return SimpleNamespace(data=release.data, manifest={**release.manifest, "records": len(records.sequences)})

    check = audit_replay(SequenceCase(name="boastful", mechanism=Boastful(), budget=PureDP(1)), data_sets=3)
    assert "raw data reaches what is published" in check.summary


def test_a_mechanism_that_wipes_its_counts_wipes_no_evidence():
    class Wipes:
        def publish(self, records, /, *, budget, ledger):
            plan = Sequential(name="all", parts=(Step(name="count", epsilon=budget.epsilon),))
            with ledger.open(Charge(dataset="d", mechanism="m", plan=plan)) as account:
                counts = np.array([3 * len(records.sequences)])
                kept = noisy_cells(account, "count", keys=np.arange(1), counts=counts, domain=1, threshold=1)
                counts[:] = 0
            return SimpleNamespace(data=SimpleNamespace(sequences=Ragged.from_lists([kept.values.tolist()])))

    check = audit_replay(SequenceCase(name="wipes", mechanism=Wipes(), budget=PureDP(1)), data_sets=3)
    assert not check.passed
    assert check.figures["worst_loss"] == pytest.approx(3)


def test_a_refusal_that_depends_on_raw_data_is_found():
    class Picky:
        def publish(self, records, /, *, budget, ledger):
            if len(records.sequences) % 7 == 3:
                message = "not this one"
                raise ValueError(message)
            return PrefixTree(height=1).publish(records, budget=budget, ledger=ledger)

    assert not audit_replay(SequenceCase(name="picky", mechanism=Picky(), budget=PureDP(1)), data_sets=20).passed


def test_a_refusal_that_depends_on_nothing_private_is_no_finding():
    class Small:
        refused = 0

        def publish(self, records, /, *, budget, ledger):
            try:
                return PrefixTree(height=1, max_nodes=1).publish(records, budget=budget, ledger=ledger)
            except TooManyNodesError:
                self.refused += 1
                raise

    mechanism = Small()
    check = audit_replay(SequenceCase(name="small", mechanism=mechanism, budget=PureDP(1)), data_sets=4)
    assert check.passed, check.summary
    assert mechanism.refused > 10


def test_a_small_budget_is_held_to_as_exactly_as_a_large_one():
    class Overspends:
        def publish(self, records, /, *, budget, ledger):
            return PrefixTree(height=1).publish(records, budget=PureDP(budget.epsilon), ledger=ledger)

    case = SequenceCase(name="tiny", mechanism=Overspends(), budget=PureDP("1e-5"), crowd=30, depth=1)
    assert audit_replay(case, data_sets=3).passed
    check = _check(case, _Worst(1e-5, loss=1.5e-5, pairs=3), "exact replay", "", "")
    assert not check.passed


def test_nothing_replayed_is_nothing_proved():
    case = SequenceCase(name="tree", mechanism=PrefixTree(height=1), budget=PureDP(1))
    assert not _check(case, _Worst(1.0), "exact replay", "", "").passed
    with pytest.raises(ParameterError, match="at least one person and one neighbour"):
        audit_real_replay(case, case.records(("A",)), neighbours=0)
    with pytest.raises(ParameterError, match="at least one person"):
        audit_real_replay(case, case.records(()), neighbours=5)


def test_a_crowd_that_no_audit_can_make_is_refused():
    with pytest.raises(ParameterError, match="larger epsilon"):
        list(
            audit_mechanism(
                Variant(name="tree", mechanism=PrefixTree(height=2)), PureDP("1e-6"), effort=QUICK, watch=progress_bar
            )
        )


def test_sampled_neighbours_differ_by_one_person():
    case = SequenceCase(name="tree", mechanism=PrefixTree(height=1), budget=PureDP(1))
    records = case.records(("AB", "C", "ABC", "") * 3)
    for what, neighbour in case.sampled_neighbours(records, number=30, seed=1):
        step = len(neighbour.sequences) - len(records.sequences)
        assert step == (-1 if "removed" in what else 1)
        shorter, longer = sorted([records.sequences.to_lists(), neighbour.sequences.to_lists()], key=len)
        for row in shorter:
            longer.remove(row)
        assert len(longer) == 1


def test_every_sampler_has_its_law_and_every_test_has_power():
    checks = audit_samplers(draws=400_000)
    assert len(checks) >= 16
    assert all(check.passed for check in checks), [check.summary for check in checks if not check.passed]


def test_a_wrong_sampler_is_rejected(monkeypatch):
    from tacita.privacy import noise

    right = noise.discrete_laplace
    monkeypatch.setattr(
        noise, "discrete_laplace", lambda size, *, rate, source: right(size, rate=rate * Fraction(110, 100), source=source)
    )
    laplace = [check for check in audit_samplers(draws=50_000) if check.subject.startswith("discrete Laplace")]
    assert not any(check.passed for check in laplace)


def test_an_output_test_says_that_its_epsilon_is_its_own():
    from tacita.auditing.output_test import _Ratios

    assert "at epsilon 30, which is this test's own" in str(_Ratios(PureDP(30)))
