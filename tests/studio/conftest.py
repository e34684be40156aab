"""A folder, a studio in this process, and one in a process of its own."""

import signal
import subprocess
import sys

import pytest

from studios import Browser
from tacita.studio.guard import Secrets
from tacita.studio.pages import Studio
from tacita.studio.workspace import Workspace


@pytest.fixture
def folder(tmp_path):
    """A folder with a small private file and its public labels."""
    rows = [f"p{person},{'ABCD'[(person + step) % 4]},{step}" for person in range(400) for step in range(3)]
    (tmp_path / "taps.csv").write_text("\n".join(["id,label,time", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "stations.txt").write_text("A\nB\nC\nD\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def browser(folder):
    """A browser that has opened the link."""
    found = Browser(Studio(Workspace.at(folder)), Secrets())
    yield found if found.open().status == 200 else pytest.fail("the link did not open")
    found.studio.close()


@pytest.fixture
def served(folder):
    """`tacita studio` in a process of its own; its link."""
    words = [sys.executable, "-m", "tacita.cli", "studio", str(folder), "--no-browser"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    link = next(line.strip() for line in process.stdout if "http://" in line)
    yield link
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert "Traceback" not in errors
