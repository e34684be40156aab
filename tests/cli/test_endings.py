"""However a command ends, it leaves everything or nothing, says one sentence, and has its code."""

import fcntl
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from commands import publish, run_command, set_cap
from tacita.cli import main
from tacita.cli.screen import Terminated, one_at_a_time, stop_if_asked, stoppable
from tacita.errors import LedgerError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import EntryKind, Ledger

LONG_RUN = [
    "publish",
    "sequences",
    "taps.csv",
    "--method",
    "prefix-tree",
    "--height",
    "10000",
    "--epsilon",
    "1",
    "--universe",
    "stations.txt",
]
SIGNALS = [(signal.SIGINT, 130, "tacita: interrupted\n"), (signal.SIGTERM, 143, "tacita: terminated\n")]


def start(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "tacita.cli", *words], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def wait_for(condition, process):
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def kinds(ledger):
    try:
        return [entry.kind for entry in ledger.history()]
    except LedgerError:
        return []


@pytest.mark.parametrize(("number", "code", "sentence"), SIGNALS)
def test_a_publication_that_is_stopped_leaves_no_folder_but_the_spend(files, number, code, sentence):
    pl.DataFrame({"id": range(300), "label": ["A"] * 300, "time": range(300)}).write_csv(files / "taps.csv")
    before = sorted(file.name for file in files.iterdir())
    ledger = Ledger.create(files / "owner.ledger")
    process = start(files, *LONG_RUN, "--out", "out", "--ledger", "owner.ledger")
    wait_for(lambda: EntryKind.DRAW in kinds(ledger), process)
    process.send_signal(number)
    assert "once more stops without a release" in process.stderr.readline()
    process.send_signal(number)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (code, "")
    assert err.endswith(sentence)
    assert sorted(file.name for file in files.iterdir()) == sorted([*before, "owner.ledger", "owner.ledger.mark"])
    assert EntryKind.FINISHED not in kinds(ledger)
    assert ledger.balance("taps").epsilon == 1


@pytest.mark.parametrize(("number", "code", "sentence"), SIGNALS)
@pytest.mark.parametrize("words", [["demo", "--out", "demo"], ["simulate", "stm", "--out", "world"]], ids=" ".join)
def test_a_demo_or_a_world_that_is_stopped_leaves_nothing(tmp_path, words, number, code, sentence):
    process = start(tmp_path, *words)
    wait_for(lambda: any(tmp_path.iterdir()), process)
    process.send_signal(number)
    _, err = process.communicate(timeout=600)
    assert process.returncode == code
    assert err.endswith(sentence)
    assert not list(tmp_path.iterdir())


def test_a_termination_waits_until_a_short_piece_of_work_is_done():
    done = []

    def work():
        with stoppable(), one_at_a_time():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.02)
            done.append("cleaned up")

    with pytest.raises(Terminated):
        work()
    assert done == ["cleaned up"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_termination_whose_exception_was_lost_is_told_at_the_next_stop():
    def lose_it():
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)

    with stoppable():
        lose_it()
        with pytest.raises(Terminated):
            stop_if_asked()
    with stoppable():
        stop_if_asked()  # a new run begins with nothing asked


def test_signals_that_are_ignored_stay_so():
    previous = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with stoppable():
        os.kill(os.getpid(), signal.SIGTERM)
        stop_if_asked()
    assert signal.signal(signal.SIGTERM, previous) is signal.SIG_IGN


def test_workers_that_are_terminated_at_any_moment_end_without_a_word():
    script = """if True:
        import os, signal, sys, time
        from tacita.cli.screen import stoppable
        endings = set()
        with stoppable():
            for _ in range(200):
                worker = os.fork()
                if worker == 0:
                    time.sleep(60)
                    os._exit(0)
                os.kill(worker, signal.SIGTERM)
                _, status = os.waitpid(worker, 0)
                endings.add(os.WTERMSIG(status))
        assert endings == {signal.SIGTERM}, endings
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, start_new_session=True)
    assert (done.returncode, done.stderr) == (0, "")


def with_small_disk(folder, limit, *words):
    """Run the command where no file can grow beyond some bytes, which is how a full disk looks."""
    return run_command(*words, cwd=folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))


EXPLAIN = ["explain", "sequences", "--method", "prefix-tree", "--height", "2", "--epsilon", "1"]
PUBLISH = [
    "publish",
    "sequences",
    "crowd.csv",
    "--method",
    "prefix-tree",
    "--height",
    "1",
    "--epsilon",
    "4",
    "--universe",
    "stations.txt",
    "--reserve",
    "0",
]


@pytest.fixture
def crowd(files):
    pl.DataFrame({"id": range(20_000), "label": ["A"] * 20_000, "time": [0] * 20_000}).write_csv(files / "crowd.csv")
    return files


@pytest.mark.parametrize("file_format", ["csv", "parquet", "seq"])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(crowd, file_format):
    before = sorted(crowd.iterdir())
    done = with_small_disk(crowd, 100, *PUBLISH, "--out", "out", "--format", file_format)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith("tacita: the ")
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(crowd.iterdir()) == before


def test_a_full_disk_after_the_spend_says_that_the_ledger_keeps_it(crowd):
    done = with_small_disk(crowd, 40_000, *PUBLISH, "--out", "out", "--ledger", "owner.ledger", "--create-ledger")
    assert done.returncode == 1
    assert "the noisy answers imply a release of" in done.stderr
    assert "trying once more" in done.stderr
    assert done.stderr.endswith("the spend stays in the ledger\n")
    assert not (crowd / "out").exists()
    assert not list(crowd.glob(".*"))
    assert Ledger(crowd / "owner.ledger").balance("crowd").epsilon == 4


def test_a_full_disk_under_the_ledger_stops_before_anything_is_drawn(crowd):
    before = sorted(crowd.iterdir())
    done = with_small_disk(crowd, 100, *PUBLISH, "--out", "out", "--ledger", "owner.ledger", "--create-ledger")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "the ledger 'owner.ledger' cannot be" in done.stderr
    assert sorted(crowd.iterdir()) == before


def test_a_full_disk_under_a_ledger_that_exists_is_one_sentence_and_spends_nothing(crowd):
    ledger = Ledger.create(crowd / "owner.ledger")
    for _ in range(20):
        ledger.set_cap("crowd", PureDP("9"))
    size = (crowd / "owner.ledger").stat().st_size
    done = with_small_disk(crowd, size + 100, *PUBLISH, "--out", "out", "--ledger", "owner.ledger")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "tacita: the ledger 'owner.ledger' cannot be written to, because the disk is full (File too large); "
        "nothing was added to it: make room\n"
    )
    assert ledger.balance("crowd").epsilon == 0
    assert (crowd / "owner.ledger").stat().st_size == size


@pytest.mark.parametrize("words", [["demo"], ["simulate", "metro", "--records", "500", "--out", "world"]], ids=" ".join)
def test_a_full_disk_under_the_demo_or_a_world_leaves_nothing(tmp_path, words):
    done = with_small_disk(tmp_path, 100, *words)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"the {'demo' if words == ['demo'] else 'world'} cannot be written" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_page_of_evidence_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("tacita.auditing.audit_mechanism", lambda *_args, **_rest: iter([]))
    monkeypatch.setattr("tacita.pages.audit_page", lambda _report: "x" * 100)

    def full(*_args, **_rest):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.rename", full)
    assert main(["audit", "prefix-tree", "--height", "1", "--html", str(tmp_path / "page.html")]) == 1
    assert "the page" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["--version"], ["completion", "bash"], EXPLAIN])
def test_a_result_that_cannot_be_printed_is_one_sentence(words):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tacita.cli", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "tacita: the result cannot be printed to standard output: No space left on device\n"


def damage(path):
    path.write_bytes(path.read_bytes().replace(b'"epsilon":"9"', b'"epsilon":"8"'))


def lock(path):
    held = path.open("rb")
    fcntl.flock(held, fcntl.LOCK_EX)
    return held


@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["real", "dry"])
@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: path.write_bytes(b"no ledger"), "is not a Tacita ledger"),
        (damage, "is damaged"),
        (lambda path: path.write_bytes(b""), "is not a Tacita ledger"),
        (lock, "is locked by another process"),
        (lambda path: Ledger(path).set_cap("taps", PureDP("1")), "1 left of its cap 1, 4 was asked"),
    ],
    ids=["other file", "damaged", "empty", "locked", "exhausted"],
)
def test_a_ledger_that_cannot_serve_is_one_sentence_and_nothing_is_written(files, harm, message, dry, capsys, monkeypatch):
    monkeypatch.setattr("tacita.cli.choices.WAIT_SECONDS", 0.05)
    path = files / "owner.ledger"
    set_cap(path, "--dataset", "other", "--epsilon", "9")
    held = harm(path)
    capsys.readouterr()
    assert publish(files, "--ledger", str(path), *dry) == 1
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert message in printed.err
    assert not (files / "out").exists()
    assert not list(files.glob(".*"))
    if harm is lock:
        held.close()


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_spent(files, capsys):
    ledger = files / "owner.ledger"
    assert publish(files, "--ledger", str(ledger), out="taps.csv/out") == 1
    assert publish(files, "--ledger", str(ledger), out="stations.txt") == 1
    assert capsys.readouterr().err.count("\n") == 2
    assert not ledger.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_terminal_that_takes_nothing_spoils_no_release(files):
    words = [sys.executable, "-m", "tacita.cli", *LONG_RUN, "--height", "2", "--out", "out"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(words, cwd=files, stdout=subprocess.PIPE, stderr=full, text=True, check=False)
    assert done.returncode == 0
    assert (files / "out" / "manifest.json").exists()


def test_a_limit_on_memory_that_libraries_do_not_survive_is_one_sentence(crowd):
    done = run_command(
        *PUBLISH, "--out", "out", cwd=crowd, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 * 10**8,) * 2)
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "tacita: the memory of a process must not be limited to less than 2,147,483,648 bytes (ulimit -v), got 400,000,000\n"
    )
    assert not (crowd / "out").exists()


def test_memory_that_runs_out_is_one_sentence(crowd, monkeypatch, capsys):
    def exhausted(*_given, **_rest):
        raise MemoryError

    monkeypatch.chdir(crowd)
    monkeypatch.setattr("tacita.cli.publish.inputs_to_publish_with", exhausted, raising=False)
    monkeypatch.setattr("tacita.kinds.wanted.inputs_to_publish_with", exhausted)
    assert main([*PUBLISH, "--out", "out"]) == 1
    assert "this needs more memory than there is" in capsys.readouterr().err
