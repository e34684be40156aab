"""A stream that has ended is released once more, smoothed: from released numbers alone, free, once, and never while it runs."""

import hashlib
import json
from dataclasses import replace
from urllib.request import urlopen

import numpy as np
import pytest

from stream_worlds import Wall, random_moments
from tacita.errors import LedgerError, LedgerLockedError, ParameterError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import AppendLog, Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams import Pace, Presence, Uniform, read_published_stream
from tacita.streams.pace.running import smoothed
from tacita.streams.service import Clock, FileSource, IteratorSource, Service, Settings, serving
from tacita.streams.service.journal import FORMAT
from tacita.verifying import verify

STEPS = 24


@pytest.fixture
def service(tmp_path):
    return Service(
        name="wards",
        method=Pace(contexts=4),
        budget=PureDP(1),
        public=PublicInputs(universe=Universe(["a", "b", "c"]), grid=TimeGrid(start=0, interval=10, intervals=STEPS)),
        state=tmp_path / "state",
        out=tmp_path / "out",
        settings=Settings(clock=Clock.EVENTS, checkpoint_bytes=1),
    )


@pytest.fixture
def events(tmp_path):
    file = tmp_path / "events.jsonl"
    found = [{"time": place * 10, "id": f"u{user}", "label": "abc"[user % 3]} for place in range(STEPS) for user in range(9)]
    file.write_text("".join(json.dumps(each) + "\n" for each in found), encoding="utf-8")
    return file


@pytest.fixture
def ended(service, events):
    """A stream that was stopped and taken up twice, whose input is gone."""
    for most in (5, 7, None):
        service.run(FileSource(path=events), most=most)
    events.unlink()
    return service


def files(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir()) if path.is_file()}


def test_a_stream_that_has_ended_is_released_once_more_at_no_cost_and_verifies(ended):
    live, spent = files(ended.out), Ledger(ended.state.with_name("state.ledger")).balance("wards").epsilon
    folder = ended.finish()
    ledger = Ledger(ended.state.with_name("state.ledger"))
    assert files(ended.out) == live
    assert ledger.balance("wards").epsilon == spent
    found = verify(folder, ledger=ledger.path)
    assert not found.failed
    stream = read_published_stream(folder)
    lines = [json.loads(line) for line in (ended.out / "stream.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(stream) == len(lines)
    assert [bool(each) for each in stream.measured] == [line["measured"] for line in lines]
    assert stream.means.sum(axis=1) == pytest.approx([9.0] * len(lines))
    manifests = [json.loads((place / "manifest.json").read_text(encoding="utf-8")) for place in (folder, ended.out)]
    assert manifests[0]["budget"] == manifests[1]["budget"]
    assert "nothing was drawn or charged for it" in (folder / "README.md").read_text(encoding="utf-8")


def test_finishing_again_changes_nothing_and_the_stream_never_goes_on(ended):
    first = files(ended.finish())
    history = Ledger(ended.state.with_name("state.ledger")).history()
    assert files(ended.finish()) == first
    assert Ledger(ended.state.with_name("state.ledger")).history() == history
    with pytest.raises(LedgerError, match="it has ended"):
        ended.run(IteratorSource(events=[]))


def test_a_stream_that_is_still_running_is_not_finished(ended, monkeypatch):
    monkeypatch.setattr(serving, "_WAIT_TO_FINISH", 0.01)
    journal = AppendLog(path=ended.state / "stream.journal", kind=FORMAT, noun="stream journal")
    with journal.writing(), pytest.raises(LedgerLockedError, match="still running; end it first"):
        ended.finish()
    assert not (ended.out / "smoothed").exists()


def test_only_a_stream_of_pace_with_public_presence_that_released_something_is_finished(service):
    with pytest.raises(ParameterError, match="holds no journal"):
        service.finish()
    for method in (Pace(contexts=4, presence=Presence.CHANGED), Uniform(contexts=4)):
        with pytest.raises(ParameterError, match="only a stream that pace published with presence public"):
            replace(service, method=method, settings=Settings()).finish()
    service.run(IteratorSource(events=[]))
    with pytest.raises(ParameterError, match="once something was released"):
        service.finish()


def test_a_smoothed_release_depends_on_answers_and_public_presence_alone():
    """Two streams with other statuses, whose questions get the same answers, are smoothed alike: nothing else of them is used."""
    found = []
    for turn in (0, 1):
        answers = np.random.default_rng(1)
        wall = Wall(lambda _, truth, answers=answers: answers.integers(-3, 9, truth.size))
        running = Pace(contexts=5).start(PureDP(1), cells=4, wall=wall)
        told = []
        for moment in random_moments(3):
            running.step(replace(moment, cells=(moment.cells + turn) % 4))
            told.append(running.beliefs.now)
        found.append(smoothed(told, running.beliefs))
    assert np.array_equal(found[0].counts, found[1].counts)
    assert np.array_equal(found[0].means, found[1].means)
    assert found[0].counts.any()


def test_metrics_are_served_while_the_stream_runs_and_hold_no_number_of_events(service):
    seen = []

    def watched():
        yield (0, "somebody", "a")
        for place in range(1, 4):
            yield (10 * place + 1, "somebody else", "b")
        with urlopen("http://127.0.0.1:19273/metrics", timeout=5) as answer:
            seen.append(answer.read().decode())

    replace(service, metrics=("127.0.0.1", 19273)).run(IteratorSource(events=watched(), size=1))
    [text] = seen
    assert text.startswith("# TYPE tacita_stream_timestamps_total counter")
    names = {line.partition(" ")[0].partition("{")[0] for line in text.splitlines() if not line.startswith("#")}
    assert names == {
        f"tacita_stream_{name}"
        for name in ("timestamps_total", "commits_total", "next_place", "intervals", "measured_total", "draws_total")
    }
