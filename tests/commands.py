"""How tests run the command line: inside this process, or as a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tacita.cli import main

SECRET = "zzsecretzz"


def publish(files, *more, name="taps.parquet", universe="stations.txt", out="out"):
    """Publish the small agency of the fixture `files` with a budget that suits it."""
    arguments = ["publish", "sequences", str(files / name), "--method", "prefix-tree", "--out", str(files / out)]
    given = " ".join(more)
    arguments += ["--height", "2"] if "--height" not in given else []
    arguments += ["--epsilon", "4"] if "--epsilon" not in given else []
    arguments += ["--universe", str(files / universe)] if universe else []
    arguments += ["--create-ledger"] if "--ledger" in more else []
    return main([*arguments, *more])


def set_cap(ledger, *words):
    """Make a ledger and set a cap in it."""
    assert main(["ledger", "create", str(ledger)]) == 0
    assert main(["ledger", "cap", str(ledger), *words]) == 0


def run_command(*words, **rest):
    """Run the command as a process of its own."""
    return subprocess.run([sys.executable, "-m", "tacita.cli", *words], capture_output=True, text=True, check=False, **rest)


def listing(folder):
    """Every file below a folder and its size."""
    return sorted((str(path.relative_to(folder)), path.stat().st_size) for path in folder.rglob("*"))


def misused(words, capsys, message):
    """Check what every wrong usage has in common: two lines, the second of which says where to read on."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert printed.out == ""
    first, second = printed.err.splitlines()
    assert message in first
    assert second.endswith("--help")


def refused(code, capsys, message):
    """Check what every refusal has in common; `message` may name several, separated by `|`, of which one must be told."""
    printed = capsys.readouterr()
    assert code == 1
    assert printed.out == ""
    assert printed.err.count("\n") == 1, printed.err
    assert printed.err.startswith("tacita: ")
    assert any(part in printed.err for part in message.split("|")), printed.err
    assert SECRET not in printed.err
    assert "Traceback" not in printed.err
