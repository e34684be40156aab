"""Publishers that share a ledger by its aliases are killed at random moments; what is left must still tell the truth.

An alias is another name of the same file: a symbolic link, a hard link in another folder, or a mount of the single file as
containers make them. SQLite's journals were named after the path, so that a kill through one alias could undo what was committed
through another.
"""

import json
import random
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import EntryKind, Ledger

WORKER = Path(__file__).with_name("publish_forever.py")


@pytest.fixture
def names(tmp_path):
    """Every name of one ledger: its own, a symbolic link, a hard link, and a mount where the system allows it."""
    path = tmp_path / "owner.ledger"
    Ledger.create(path)
    symbolic, hard, mounted = (tmp_path / kind / "other.ledger" for kind in ("symbolic", "hard", "mounted"))
    for alias in (symbolic, hard, mounted):
        alias.parent.mkdir()
    symbolic.symlink_to(path)
    hard.hardlink_to(path)
    mounted.touch()
    is_mounted = subprocess.run(["mount", "--bind", path, mounted], capture_output=True, check=False).returncode == 0
    yield [path, symbolic, hard, *([mounted] if is_mounted else [])]
    if is_mounted:
        subprocess.run(["umount", mounted], check=True)


def start(names, releases, *, workers=1):
    """Publishers that are at work, through names that are drawn for each."""
    words = [[sys.executable, str(WORKER), str(random.choice(names)), str(releases)] for _ in range(workers)]
    started = [subprocess.Popen(each, stdout=subprocess.PIPE, text=True) for each in words]
    assert [worker.stdout.readline() for worker in started] == ["ready\n"] * workers
    return started


def kill_at_random(names, releases, kills, *, workers=3):
    """Keep some publishers going; kill one of them again and again, after up to 60 ms, and start another in its place."""
    running = start(names, releases, workers=workers)
    in_the_middle = 0
    for _ in range(kills):
        victim = running.pop(random.randrange(workers))
        time.sleep(random.uniform(0, 0.06))
        in_the_middle += victim.poll() is None
        victim.kill()
        victim.communicate()
        running += start(names, releases)
    for worker in running:
        worker.kill()
        worker.communicate()
    return in_the_middle


def publish_until_killed(names, releases, *, more):
    """Let one publisher finish some releases, however long that takes, and kill it."""
    [worker] = start(names, releases)
    while sum(not folder.name.startswith(".") for folder in releases.iterdir()) <= more:
        assert worker.poll() is None
        time.sleep(0.01)
    worker.kill()
    worker.communicate()


def check(names, releases):
    """Every release that exists was charged, the charges are within the cap, and every name tells the same."""
    entries = Ledger(names[0]).history()
    charged = {entry.charge for entry in entries if entry.kind is EntryKind.CHARGE}
    drawn = {entry.charge for entry in entries if entry.kind is EntryKind.DRAW}
    finished = [folder for folder in releases.iterdir() if not folder.name.startswith(".")]
    for folder in finished:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["ledger"]["charge"] in charged
        assert manifest["ledger"]["charge"] in drawn
        assert {"README.md", "manifest.json", "sequences.csv"} <= {file.name for file in folder.iterdir()}
    balance = Ledger(names[0]).balance("taps")
    assert balance.epsilon <= balance.cap_epsilon
    assert len(charged) >= len(finished)
    assert len({Ledger(name).verify() for name in names}) == 1
    assert all(Ledger(name).balance("taps") == balance for name in names)
    return len(finished), balance


def kill_and_check(names, releases, kills):
    releases.mkdir()
    Ledger(names[0]).set_cap("taps", PureDP("1000"))
    assert kill_at_random(names, releases, kills) == kills
    publish_until_killed(names, releases, more=kills / 10)
    _, balance = check(names, releases)
    Ledger(names[-1]).set_cap("taps", PureDP(balance.epsilon + Fraction(5, 100)))
    kill_at_random(names, releases, max(2, kills // 20))
    for worker in start(names, releases, workers=3):
        assert worker.wait(timeout=600) == 0
        worker.stdout.close()
    _, capped = check(names, releases)
    assert capped.epsilon == capped.cap_epsilon, "what was left was spent to the last hundredth and not past it"


def test_a_few_kills_through_any_name_lose_no_spend(names, tmp_path):
    kill_and_check(names, tmp_path / "releases", 4)


@pytest.mark.slow
def test_three_hundred_kills_through_any_name_lose_no_spend(names, tmp_path):
    kill_and_check(names, tmp_path / "releases", 300)
