"""The auditor on methods of streams: nothing is lost beyond epsilon, exactly; what comes out follows the exact law."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tacita.auditing import audit_replay, output_case, replay_case, subject_named
from tacita.auditing.cases.durable import Durable
from tacita.auditing.output_test import audit_output
from tacita.kinds import methods
from tacita.privacy.account import Replay, StandIn
from tacita.privacy.answers import Drawing, Recording, Transcript
from tacita.privacy.budget import PureDP
from tacita.seeded import SeededSource
from tacita.streams import Pace
from tacita.streams.questions import ClosestQuestion, HistogramQuestion
from tacita.streams.service.intake import Intake
from tacita.streams.service.publisher import Publisher

VARIANTS = [
    (name, variant) for name, method in methods().items() if method.kind == "streams" for variant in subject_named(name).variants
]
ONE_EACH = list({method: (method, variant) for method, variant in reversed(VARIANTS)}.values())
every_variant = pytest.mark.parametrize(
    ("method", "variant"),
    [pytest.param(*each, marks=() if each in ONE_EACH else pytest.mark.slow) for each in VARIANTS],
    ids=lambda value: getattr(value, "name", value),
)


@every_variant
def test_a_variant_loses_no_more_than_epsilon_and_leaves_nothing_raw(method, variant, monkeypatch):
    monkeypatch.setattr("tacita.auditing.exact_replay.FEWEST_TIGHT_RUNS", 1)
    monkeypatch.setattr("tacita.auditing.exact_replay.TIGHT_RUNS", 1)
    check = audit_replay(replay_case(variant, subject_named(method).budget(3)), data_sets=1)
    assert check.passed, check.summary
    assert check.figures["share"] > 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("method", "variant"), ONE_EACH, ids=lambda value: getattr(value, "name", value))
def test_what_comes_out_follows_the_exact_law(method, variant):
    """A correct mechanism fails this about six times in 100,000."""
    assert method
    check = audit_output(output_case(variant), runs=1_000, processes=1)
    assert check.passed, check.summary


def test_the_output_test_notices_noise_of_half_the_scale(monkeypatch):
    """The transcript of such a sampler looks right: only frequencies show it."""
    draw = HistogramQuestion.draw

    def halved(self, truth, source):
        return truth + (draw(self, truth, source) - truth) // 2

    monkeypatch.setattr(HistogramQuestion, "draw", halved)
    variant = next(variant for method, variant in VARIANTS if method == "uniform")
    assert not audit_output(output_case(variant), runs=300, processes=1).passed


def largest(question, first, second):
    """The most that any answer to a question can lose between two truths, exactly."""
    if isinstance(question, HistogramQuestion):
        return question.rate * int(np.abs(np.asarray(first) - np.asarray(second)).sum())
    if isinstance(question, ClosestQuestion):
        return Fraction(question.epsilon) * int(np.abs(np.asarray(first) - np.asarray(second)).max() > 0)
    return question.rate * abs(question.slack(first) - question.slack(second))


@every_variant
def test_no_window_costs_more_than_epsilon_exactly_and_some_window_costs_all_of_it(method, variant):
    """Rates and counts are fractions and integers: nothing is rounded, and no answer matters."""
    case = replay_case(variant, subject_named(method).budget(5))
    rows, worst = case.people, Fraction(0)
    transcript = Transcript()
    case.mechanism.publish(
        case.records(rows), budget=case.budget, ledger=StandIn(Recording(Drawing(SeededSource(1)), transcript))
    )
    own = Replay(transcript)
    case.mechanism.publish(case.records(rows), budget=case.budget, ledger=own)
    for neighbour in case.neighbours(rows):
        other = Replay(transcript)
        case.mechanism.publish(case.records(neighbour), budget=case.budget, ledger=other)
        pairs = zip(own.trace.entries, other.trace.entries, strict=True)
        worst = max(worst, sum((largest(question, one, two) for (question, one), (_, two) in pairs), Fraction(0)))
    assert Fraction(1, 4) < worst <= 5


def test_a_window_that_is_one_context_too_short_is_caught():
    """The ledger of two contexts against neighbours that differ in three."""
    case = replay_case(next(variant for method, variant in VARIANTS if method == "pace"), PureDP(3))
    longer = case.of(Pace(contexts=3))
    tight = [pair for pair in longer.tight_pairs() if pair[0] == case.people]
    losses = []
    for first, second in tight:
        for seed in range(6):
            transcript = Transcript()
            recording = Recording(Drawing(SeededSource(seed)), transcript)
            case.mechanism.publish(case.records(first), budget=case.budget, ledger=StandIn(recording))
            replays = [Replay(transcript), Replay(transcript)]
            for rows, replay in zip((first, second), replays, strict=True):
                case.mechanism.publish(case.records(rows), budget=case.budget, ledger=replay)
            pairs = zip(replays[0].trace.entries, replays[1].trace.entries, strict=True)
            losses.append(sum((largest(question, one, two) for (question, one), (_, two) in pairs), Fraction(0)))
    assert max(losses) > 3


def publisher(**given):
    """The durable publisher around the default method."""
    return Durable(method=Pace(contexts=2), **given)


@pytest.mark.parametrize("mechanism", [publisher(), publisher(stops=False, group=3)], ids=["restarted", "in groups"])
def test_the_durable_publisher_releases_what_the_method_does(mechanism, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = replay_case(next(variant for _, variant in VARIANTS if "durable" in variant.name), PureDP(4))
    records = case.records(("AABAAB", "AA.AB.", "B....A", "..AAAA"))
    released = [
        each.publish(records, budget=PureDP(4), ledger=StandIn(Drawing(SeededSource(5)))).data
        for each in (mechanism.method, mechanism)
    ]
    assert np.array_equal(released[0].sixteenths, released[1].sixteenths)
    assert np.array_equal(released[0].measured, released[1].measured)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("few_replays")
def test_a_publisher_that_draws_again_after_a_restart_is_noticed(monkeypatch):
    """What it forgets it pays for once more, and the account has no room."""

    def forgotten(self, released, block):
        for each in released:
            self._people.learn(each.new_people)
            self._running.step(self._remembered(each, block.get(each.place)))

    monkeypatch.setattr(Publisher, "_replay", forgotten)
    variant = next(variant for _, variant in VARIANTS if "durable" in variant.name)
    assert not audit_replay(replay_case(variant, PureDP(3)), data_sets=1).passed


@pytest.mark.usefixtures("few_replays")
def test_a_publisher_that_counts_an_event_in_the_next_timestamp_too_is_noticed(monkeypatch):
    close = Intake.close

    def counted_twice(self, place):
        closed = close(self, place)
        before, self.kept = getattr(self, "kept", ([], [])), (list(closed.people), list(closed.cells))
        more = [(person, cell) for person, cell in zip(*before, strict=True) if person not in closed.people]
        people = [*closed.people, *(person for person, _ in more)]
        return replace(closed, people=people, cells=np.array([*closed.cells, *(cell for _, cell in more)], dtype=np.int64))

    monkeypatch.setattr(Intake, "close", counted_twice)
    variant = next(variant for _, variant in VARIANTS if variant.name == "pace, the durable publisher, presence changed")
    assert not audit_replay(replay_case(variant, PureDP(3)), data_sets=2).passed


def test_the_durable_publisher_can_be_the_first_thing_that_a_process_audits():
    """Nothing that a library does once for each process may look like something that leaves."""
    code = (
        "from tacita.auditing.foreign_answers import audit_foreign_answers\n"
        "check = audit_foreign_answers('pace', transcripts=3, seed=0)\n"
        "assert check.passed, check.summary\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
