"""Publishers that share a ledger are killed at random moments; what is left must still tell the truth."""

import json
import random
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.ledger import EntryKind

WORKER = Path(__file__).with_name("publish_forever.py")


def start(ledger, releases):
    worker = subprocess.Popen([sys.executable, str(WORKER), str(ledger), str(releases)], stdout=subprocess.PIPE, text=True)
    assert worker.stdout.readline() == "ready\n"
    return worker


def kill_at_random(ledger, releases, kills, *, workers=3):
    """Keep some publishers going; kill one of them again and again, after up to 60 ms, and start another in its place."""
    running = [start(ledger, releases) for _ in range(workers)]
    in_the_middle = 0
    for _ in range(kills):
        victim = running.pop(random.randrange(workers))
        time.sleep(random.uniform(0, 0.06))
        in_the_middle += victim.poll() is None
        victim.kill()
        victim.communicate()
        running.append(start(ledger, releases))
    for worker in running:
        worker.kill()
        worker.communicate()
    return in_the_middle


def check(ledger, releases):
    """Every release that exists was charged, and the charges are within the cap."""
    entries = Ledger(ledger).history()
    charged = {entry.charge for entry in entries if entry.kind is EntryKind.CHARGE}
    drawn = {entry.charge for entry in entries if entry.kind is EntryKind.DRAW}
    finished = [folder for folder in releases.iterdir() if not folder.name.startswith(".")]
    for folder in finished:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["ledger"]["charge"] in charged
        assert manifest["ledger"]["charge"] in drawn
        assert sorted(file.name for file in folder.iterdir()) == ["README.md", "manifest.json", "sequences.csv"]
    balance = Ledger(ledger).balance("taps")
    assert balance.epsilon <= balance.cap_epsilon
    assert len(charged) >= len(finished)
    return len(finished), balance


def kill_and_check(tmp_path, kills):
    ledger, releases = tmp_path / "owner.ledger", tmp_path / "releases"
    releases.mkdir()
    Ledger(ledger).set_cap("taps", PureDP("1000"))
    killed = kill_at_random(ledger, releases, kills)
    published, balance = check(ledger, releases)
    assert killed == kills
    assert published > kills / 10
    Ledger(ledger).set_cap("taps", PureDP(balance.epsilon + Fraction(5, 100)))
    kill_at_random(ledger, releases, max(4, kills // 20))
    for worker in [start(ledger, releases) for _ in range(3)]:
        assert worker.wait(timeout=60) == 0
        worker.stdout.close()
    _, capped = check(ledger, releases)
    assert capped.epsilon == capped.cap_epsilon, "what was left was spent to the last hundredth and not past it"


def test_a_few_kills_lose_no_spend(tmp_path):
    kill_and_check(tmp_path, 15)


@pytest.mark.slow
def test_three_hundred_kills_lose_no_spend(tmp_path):
    kill_and_check(tmp_path, 300)
