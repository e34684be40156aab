"""Methods through a ledger: charged once, held to the plan, replayed on neighbouring streams, and read back."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tacita.errors import BudgetError, InputError, NeighboursError, ParameterError, UnplannedDrawError
from tacita.privacy.account import Charge, Replay
from tacita.privacy.answers import Transcript
from tacita.privacy.budget import ApproxDP, PureDP, Sequential, Sliding, Step
from tacita.privacy.guarantee import AddRemoveRecord, StatusContexts, TimedEvents
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams import Pace, Presence, Republish, Sample, StreamRecords, Uniform, read_published_stream
from tacita.testing import seeded_ledger
from tacita.utility.streams import measure
from tacita.verifying import verify
from tacita_papers import BinaryTree, BudgetAbsorption

CELLS = Universe(["a", "b", "c"])
GRID = TimeGrid(start=0, interval=10, intervals=25)

PUBLIC = [
    Pace(contexts=4),
    Uniform(contexts=4),
    Sample(contexts=4),
    Republish(contexts=4),
    Republish(contexts=4, strategy="similar", past=6),
    Republish(contexts=4, strategy="average", past=3),
    BinaryTree(contexts=4, span=8),
]
PRIVATE = [replace(method, presence="changed") for method in PUBLIC] + [
    BudgetAbsorption(contexts=4),
    Pace(contexts=3, presence="added"),
]


def events(seed=0, *, people=8, chance=0.6):
    generator = np.random.default_rng(seed)
    return [
        (place * 10, f"user {user}", "abcx"[int(generator.integers(0, 4))])
        for place in range(GRID.intervals)
        for user in np.flatnonzero(generator.random(people) < chance)
    ]


def records(found):
    return StreamRecords.from_events(found, cells=CELLS, grid=GRID)


def replayed_loss(method, first, second, budget, seed):
    transcript = Transcript()
    method.publish(first, budget=budget, ledger=seeded_ledger(seed, transcript=transcript))
    replays = []
    for stream in (first, second):
        replay = Replay(transcript)
        method.publish(stream, budget=budget, ledger=replay)
        replays.append(replay.trace.entries)
    answers = [answer for _, answer in transcript.entries]
    return sum(
        question.log_ratio(answer, one, other) for (question, one), (_, other), answer in zip(*replays, answers, strict=True)
    )


@pytest.mark.parametrize("method", PUBLIC, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_changing_the_statuses_of_a_window_costs_no_more_than_epsilon(method, seed):
    found = events(seed)
    own = [place for place, event in enumerate(found) if event[1] == "user 1"]
    window = set(own[seed * 2 : seed * 2 + 4])
    changed = [
        (time, who, "a" if what != "a" else "b") if place in window else (time, who, what)
        for place, (time, who, what) in enumerate(found)
    ]
    budget = PureDP("3/2")
    assert abs(replayed_loss(method, records(found), records(changed), budget, seed)) <= 1.5 + 1e-9


@pytest.mark.parametrize("method", PRIVATE, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_all_that_a_person_does_in_a_window_of_timestamps_costs_no_more_than_epsilon(method, seed):
    found = events(seed)
    start = seed * 5
    window = [(start + step) * 10 for step in range(method.contexts)]
    absent = [event for event in found if event[1] != "user 1" or event[0] not in window]
    pairs = [(found, absent), (absent, found)]
    if method.presence == "changed":
        moved = [*absent, *((time, "user 1", "c") for time in window)]
        pairs.append((found, moved))
    for first, second in pairs:
        assert abs(replayed_loss(method, records(first), records(second), PureDP("2"), seed)) <= 2 + 1e-9


@pytest.mark.parametrize("presence", Presence)
def test_with_a_delta_any_window_costs_its_rho_and_the_manifest_is_verified(presence, tmp_path):
    method, budget, ledger = Pace(contexts=4, presence=presence), ApproxDP("2", "1e-6"), Ledger()
    release = method.publish(records(events()), budget=budget, ledger=ledger)
    (balance,) = ledger.balances()
    assert (balance.rho, balance.epsilon) == (budget.rho, 0)
    draws = release.manifest["budget"]["draws"]
    assert all(draw["noise"].partition(", in all")[0].count("discrete Gaussian") for draw in draws)
    assert all(draw["epsilon"] == "0" and f"rho {draw['rho']} each" in draw["note"] for draw in draws[-1:])
    folder = release.write(tmp_path / "release")
    assert not verify(folder).failed
    assert "(2, 0.000001)" in release.guarantee.statement()


def test_a_time_step_is_paid_in_the_currency_of_its_part():
    parts = Sliding(name="counts", rho=Fraction(1, 10), ticks=3), Sliding(name="total", epsilon=Fraction(1, 10), ticks=3)
    charge = Charge(dataset="d", mechanism="m", plan=Sequential(name="window", parts=parts))
    pure, gaussian = Step(name="a", epsilon=Fraction(1, 20)), Step(name="b", rho=Fraction(1, 20))
    with Ledger().open(charge) as account:
        for step, wrong, currency in (("counts", pure, "rho"), ("total", gaussian, "epsilon")):
            with pytest.raises(UnplannedDrawError, match=f"must cost {currency} only, and"):
                account.slide(step, tick=1, plan=wrong)
        account.slide("counts", tick=1, plan=gaussian)
        account.slide("counts", tick=2, plan=replace(gaussian, name="c"))
        with pytest.raises(UnplannedDrawError, match=r"leave any 3 of them at rho 0\.1"):
            account.slide("counts", tick=3, plan=replace(gaussian, name="d", rho=Fraction(1, 10**6)))
        account.slide("counts", tick=4, plan=replace(gaussian, name="e"))


def test_a_stream_in_rho_is_resumed_at_the_rho_that_was_charged(tmp_path):
    plan = Sliding(name="counts", rho=Fraction(1, 10), ticks=3)
    ledger = Ledger.create(tmp_path / "ledger")
    charge = Charge(dataset="d", mechanism="m", plan=plan, units_together=2)
    with ledger.open(charge) as account:
        account.slide("counts", tick=1, plan=Step(name="a", rho=Fraction(1, 10)))
    with Ledger(tmp_path / "ledger").resume(account.charge_id) as again:
        assert again.charge.cost == charge.cost
        with pytest.raises(UnplannedDrawError, match="leave any 3 of them"):
            again.slide("counts", tick=2, plan=Step(name="a", rho=Fraction(1, 100)))
        again.windows["counts"].spends.clear()  # the ledger adds the window up by itself
        with pytest.raises(UnplannedDrawError, match="in any 3 time steps"):
            again.slide("counts", tick=2, plan=Step(name="a", rho=Fraction(1, 100)))


@pytest.mark.parametrize("method", PUBLIC + PRIVATE, ids=str)
def test_a_stream_is_charged_once_for_any_window(method):
    ledger, stream = Ledger(), records(events())
    release = method.publish(stream, budget=PureDP("1"), ledger=ledger)
    assert ledger.balance(stream.name, unit=method.relation().counted).epsilon == 1 == method.plan(PureDP("1")).epsilon
    assert ledger.balance(stream.name).epsilon == 0, "windows are not persons"
    assert release.guarantee.holds
    assert len(release.data) == GRID.intervals
    assert np.isfinite(measure(stream, release).mean_absolute_error)


def test_the_guarantee_says_in_words_what_is_protected():
    statement = Pace(contexts=40).publish(records(events()), budget=PureDP("1")).guarantee.statement()
    assert "statuses of one person in any 40 successive contexts" in statement
    assert "when a person is active is public" in statement
    week = TimeGrid(start=GRID.start, interval=GRID.interval, intervals=3)
    assert "per person per 7 timestamps" in str(Pace(contexts=7, presence="changed").explain(PureDP("1")))
    assert week.intervals == 3


def test_a_week_is_called_a_week():
    from datetime import datetime, timedelta

    grid = TimeGrid(start=datetime(2026, 1, 1), interval=timedelta(hours=1), intervals=1000)  # noqa: DTZ001 - in UTC by the grid's rule
    explained = str(Pace(contexts=168, presence="added").explain(PureDP("1"), PublicInputs(grid=grid)))
    assert "epsilon 1 per person per week, presence included" in explained


def test_other_relations_and_budgets_are_refused():
    with pytest.raises(NeighboursError, match="not for AddRemoveRecord"):
        Pace(contexts=4).publish(records(events()), budget=PureDP("1"), neighbours=AddRemoveRecord())
    with pytest.raises(NeighboursError, match="not for TimedEvents"):
        Pace(contexts=4).publish(records(events()), budget=PureDP("1"), neighbours=TimedEvents(timestamps=4))
    with pytest.raises(ParameterError, match="any 5 successive"):
        Pace(contexts=4).publish(records(events()), budget=PureDP("1"), neighbours=StatusContexts(contexts=5))
    with pytest.raises(BudgetError, match="must be PureDP"):
        Uniform(contexts=4).publish(records(events()), budget=ApproxDP("1", "1e-6"))
    Pace(contexts=4).publish(records(events()), budget=PureDP("1"), neighbours=StatusContexts(contexts=4))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"contexts": 0}, "contexts must be"),
        ({"contexts": 3, "presence": "hidden"}, "presence must be one of"),
        ({"contexts": 3, "expected_people": 0}, "expected_people must be"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        Pace(**fields)
    with pytest.raises(ParameterError, match="past must be 1"):
        Republish(contexts=3, past=4)
    with pytest.raises(ParameterError, match="presence must be changed or added"):
        BudgetAbsorption(contexts=3, presence="public")


@pytest.mark.parametrize("file_format", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("method", [PUBLIC[0], PUBLIC[-1]], ids=str)
def test_a_written_release_is_read_back_as_it_was(tmp_path, method, file_format):
    release = method.publish(records(events()), budget=PureDP("1"))
    folder = release.write(tmp_path / "release", file_format=file_format)
    read = read_published_stream(folder, cells=CELLS)
    assert np.array_equal(read.sixteenths, release.data.sixteenths)
    assert np.array_equal(read.measured, release.data.measured)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["kind"] == "streams"
    assert manifest["guarantee"]["holds"]


def test_a_release_that_lost_rows_is_refused(tmp_path):
    folder = Pace(contexts=4).publish(records(events()), budget=PureDP("1")).write(tmp_path / "release")
    file = folder / "stream.csv"
    file.write_text("\n".join(file.read_text(encoding="utf-8").splitlines()[:-1]) + "\n", encoding="utf-8")
    with pytest.raises(InputError):
        read_published_stream(folder)


def test_zeros_are_the_floor_of_every_measure():
    stream = records(events())
    found = measure(stream, Pace(contexts=4).publish(stream, budget=PureDP("100")))
    assert found.is_better_than_nothing
    assert found.absolute_error_of_zero == pytest.approx(stream.histograms().mean())
    assert "better than nothing" in str(found)
    assert 0 < found.publication_rate <= 1


def test_people_with_longer_windows_are_named_by_their_public_ids():
    stream = replace(records(events()), longer_windows={"user 1": 9})
    release = Pace(contexts=4).publish(stream, budget=PureDP("1"))
    assert any("longer windows" in rule for rule in release.manifest["rules"])
    assert stream.protection(4, Presence.PUBLIC).longest == 9
    with pytest.raises(ParameterError, match="at least the 10 contexts"):
        Pace(contexts=10).publish(stream, budget=PureDP("1"))
    with pytest.raises(ParameterError, match="need public presence"):
        Pace(contexts=4, presence="changed").publish(stream, budget=PureDP("1"))


def test_levels_have_names_and_the_guarantee_says_them():
    stream, public = records(events()), PublicInputs(grid=GRID)
    for level, contexts in (("event", 1), ("user", GRID.intervals)):
        method = Pace(contexts=level)
        release = method.publish(stream, budget=PureDP(Fraction(5)))
        assert release.guarantee.neighbours == StatusContexts(contexts=contexts)
        assert any(rule.startswith(f"{level}-level privacy") for rule in release.manifest["rules"])
        assert f"{level}-level privacy" in str(method.explain(PureDP("1"), public))
        assert release.manifest["mechanism"]["parameters"]["contexts"] == level
    with pytest.raises(ParameterError, match="the grid must be known"):
        Pace(contexts="user").plan(PureDP("1"))
    with pytest.raises(ParameterError, match="contexts must be one of event, user"):
        Pace(contexts="person")


def test_explain_says_that_activity_is_not_protected_where_the_ledger_is_public():
    assert "when a person is active is NOT protected" in str(Pace(contexts=4).explain(PureDP("1")))
    for presence in ("changed", "added"):
        assert "NOT protected" not in str(Pace(contexts=4, presence=presence).explain(PureDP("1")))


@pytest.mark.parametrize(
    ("people", "epsilon", "told"),
    [(10**7, "10", "uniform is as good as pace"), (3, "0.1", "no method will be much better than zeros"), (300, "1", None)],
)
def test_explain_names_the_method_to_use_from_public_facts(people, epsilon, told):
    public = PublicInputs(universe=CELLS, grid=GRID)
    text = str(Pace(contexts=10, expected_people=people).explain(PureDP(epsilon), public))
    assert "pace is the method to use" in text
    assert (told is None and "as good as pace" not in text and "better than zeros" not in text) or told in text
    assert "sample is for comparison" in str(Sample(contexts=4).explain(PureDP("1")))


@pytest.mark.parametrize("method", PUBLIC + PRIVATE, ids=str)
def test_a_manifest_counts_every_draw_and_not_those_of_the_last_timestamp(method):
    transcript = Transcript()
    release = method.publish(records(events()), budget=PureDP("1"), ledger=seeded_ledger(1, transcript=transcript))
    drawn = Counter(question.step for question, _ in transcript.entries)
    told = {draw["step"]: int(draw["note"].split()[0].replace(",", "")) for draw in release.manifest["budget"]["draws"]}
    assert told == drawn
    assert sum(drawn.values()) > len(drawn)
