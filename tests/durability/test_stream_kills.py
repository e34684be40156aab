"""A publisher of a stream is killed at random moments: every timestamp comes out once, and no window is overspent."""

import json
import random
import subprocess
import sys
import time
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import stream_forever
from stream_forever import CELLS, INTERVALS, publisher
from tacita.privacy.ledger.log import AppendLog
from tacita.privacy.windows import QUANTA
from tacita.streams.service.journal import FORMAT, Released

WORKER = Path(stream_forever.__file__)


def events(path, *, chance, people=60):
    generator = np.random.default_rng(1)
    with path.open("w", encoding="utf-8") as file:
        for place in range(INTERVALS):
            for user in np.flatnonzero(generator.random(people) < chance):
                event = {"time": place * 10 + int(generator.integers(0, 14)), "id": f"u{user}", "label": f"cell {user % 25}"}
                file.write(json.dumps(event) + "\n")
    return path


def kill_until_done(arguments, kills):
    """Start, wait up to 0.3 s, kill; how often it was killed in the middle. At last it may finish."""
    killed = 0
    for number in range(kills + 1):
        worker = subprocess.Popen([sys.executable, str(WORKER), *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        assert worker.stdout.readline() == "ready\n"
        if number < kills:
            time.sleep(random.uniform(0, 0.3))
            killed += worker.poll() is None
            worker.kill()
        worker.communicate()
    assert worker.returncode == 0
    return killed


def worst_window(journal, contexts=20):
    """What anybody paid in any window, by the journal alone: each recorded histogram question is repriced from its place."""
    spends = defaultdict(list)
    with AppendLog(path=journal, kind=FORMAT, noun="stream journal").reading() as reader:
        released = [Released.of(record.payload) for record in reader.records() if record.payload["kind"] == "release"]
    charged = []

    running = publisher(journal.with_name("unused"), journal.with_name("unused.jsonl"), group=1)
    running._outbox.close()
    windows = running._running.counts.windows
    charge = windows.charge

    def spy(quanta, included=None):
        charge(quanta, included)
        users = windows._users if included is None else windows._users[included]
        charged.append((quanta, users.tolist()))

    windows.charge = spy
    for each in released:
        charged.clear()
        running._replay([each], {})
        paid = defaultdict(int)
        for quanta, users in charged:
            for user in users:
                paid[user] += quanta
        for user in each.users.tolist():
            spends[user].append(Fraction(paid[user], QUANTA))
    return max(sum(own[start : start + contexts]) for own in spends.values() for start in range(len(own))), len(released)


def kill_and_check(tmp_path, kills, *, group, chance):
    found = events(tmp_path / "events.jsonl", chance=chance)
    journal, output = tmp_path / "stream.journal", tmp_path / "out.jsonl"
    killed = kill_until_done((found, journal, output, group), kills)
    places = [json.loads(line)["place"] for line in output.read_text(encoding="utf-8").splitlines()]
    assert places == list(range(INTERVALS)), "each timestamp comes out once, in order"
    counts = [json.loads(line)["counts"] for line in output.read_text(encoding="utf-8").splitlines()]
    assert {len(row) for row in counts} == {len(CELLS)}
    worst, released = worst_window(journal)
    assert released == INTERVALS, "the journal covers all of it"
    assert worst <= 1
    return killed


@pytest.mark.slow
@pytest.mark.parametrize(("group", "chance"), [(1, 0.5), (8, 0.05)])
def test_a_few_kills_lose_and_repeat_nothing(tmp_path, group, chance):
    assert kill_and_check(tmp_path, 5, group=group, chance=chance) >= 3


@pytest.mark.slow
@pytest.mark.parametrize(("group", "chance"), [(1, 0.5), (50, 0.05)])
def test_two_hundred_kills_lose_and_repeat_nothing(tmp_path, group, chance):
    assert kill_and_check(tmp_path, 200, group=group, chance=chance) >= 10
