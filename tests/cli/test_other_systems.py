"""Commands that need no file locks and no forks run on a system that has neither; the others say so in a sentence."""

import subprocess
import sys

import pytest

from small_kinds import SMALL

WITHOUT = """
import multiprocessing, os, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for owner, names in ((os, ("register_at_fork", "fork", "posix_fallocate", "pwrite", "pread", "fdatasync", "getuid")),
                     (signal, ("pthread_sigmask", "SIGHUP", "SIGKILL"))):
    for name in names:
        if hasattr(owner, name):
            delattr(owner, name)
multiprocessing.get_all_start_methods = lambda: ["spawn"]
from tacita.cli import main
for words in WORDS:
    code = main(words)
    if code:
        sys.exit(code)
"""


def run_without(*commands):
    """Run commands in a process without what Windows lacks."""
    program = WITHOUT.replace("WORDS", repr([list(map(str, words)) for words in commands]))
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_a_file_is_inspected_published_verified_and_reported_on(tmp_path):
    words = SMALL["tables"].lay_out(tmp_path)
    raw, out, columns = tmp_path / "raw.csv", tmp_path / "out", words[words.index("--columns") + 1]
    done = run_without(
        ["inspect", raw, "--config", tmp_path / "a.toml"],
        words,
        ["verify", out],
        ["evaluate", raw, out, "--columns", columns],
        ["report", raw, out, "--columns", columns, "--out", tmp_path / "a.html", "--shared", tmp_path / "b.html"],
        ["explain", "tables", "--method", "mondrian", "--models", "k=2"],
        ["simulate", "census", "--records", "20", "--out", tmp_path / "world"],
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.html").exists()


def test_a_private_release_is_published_without_a_ledger_of_its_own(tmp_path):
    done = run_without(SMALL["sets"].lay_out(tmp_path), ["verify", tmp_path / "out"])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ledger", "create", "FOLDER/a.ledger"], "a ledger in a file needs `flock`, which this system does not have"),
        (["studio", "FOLDER", "--no-browser"], "the studio needs file locks, which this system does not have"),
        (["demo", "--out", "FOLDER/demo"], "a ledger in a file needs `flock`"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_needs_locks_says_so(words, sentence, tmp_path):
    done = run_without([word.replace("FOLDER", str(tmp_path)) for word in words])
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr
