"""A draft that a killed process left is removed by the next one that writes to its place, and nobody else's is."""

import os
import signal
import subprocess
import sys

import pytest

from strategies import sequence_records
from tacita.cli.choices import write_new
from tacita.privacy.budget import PureDP
from tacita.privacy.drafts import draft_of, held, remove_abandoned
from tacita.sequences import PrefixTree

RELEASE = PrefixTree(height=1).publish(sequence_records(["AB"] * 50), budget=PureDP("2"))

KILLED = """
import os, signal, sys
from pathlib import Path
from tacita.privacy.drafts import draft_of, held
draft = draft_of(Path(sys.argv[1]))
draft.mkdir()
(draft / "half.csv").write_text("half")
with held(draft):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def drafts(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".partial"))


def test_the_draft_of_a_killed_writer_is_removed_by_the_next_release_of_that_name(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "out")], check=False, env=os.environ)
    assert done.returncode == -signal.SIGKILL
    assert len(drafts(tmp_path)) == 1
    RELEASE.write(tmp_path / "other")
    assert len(drafts(tmp_path)) == 1, "a draft of another place was touched"
    RELEASE.write(tmp_path / "out")
    assert drafts(tmp_path) == []
    assert (tmp_path / "out" / "manifest.json").exists()


def test_a_draft_that_somebody_is_writing_stays(tmp_path):
    draft = draft_of(tmp_path / "out")
    draft.mkdir()
    with held(draft):
        remove_abandoned(tmp_path / "out")
        assert draft.exists()
    remove_abandoned(tmp_path / "out")
    assert not draft.exists()


@pytest.mark.parametrize("name", [".out.partial", ".out.xyz.partial", "out.partial", ".out2." + "0" * 32 + ".partial"])
def test_what_only_looks_like_a_draft_stays(tmp_path, name):
    (tmp_path / name).mkdir()
    remove_abandoned(tmp_path / "out")
    assert (tmp_path / name).exists()


def test_a_single_file_is_drafted_the_same_way(tmp_path):
    left = draft_of(tmp_path / "page.html")
    left.write_text("half", encoding="utf-8")
    write_new(tmp_path / "page.html", "whole", what="page")
    assert drafts(tmp_path) == []
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "whole"


def test_a_link_that_is_called_like_a_draft_is_not_followed(tmp_path):
    (tmp_path / "precious").mkdir()
    draft_of(tmp_path / "out").symlink_to(tmp_path / "precious")
    remove_abandoned(tmp_path / "out")
    assert (tmp_path / "precious").exists()
