"""Journeys of new users: what they type, in order, and that nothing they meet is a dead end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tacita.cli import main


class Person:
    """Somebody at a terminal: the commands that were typed, and what came of each."""

    def __init__(self, capsys):
        self._capsys = capsys
        self.typed = []

    def types(self, line):
        """Run a command as it is typed, and give back its code and everything it printed."""
        words = line.split()
        assert words[0] == "tacita"
        self.typed.append(line)
        try:
            code = main(words[1:])
        except SystemExit as ended:
            code = ended.code
        printed = self._capsys.readouterr()
        return code, printed.out + printed.err

    def does(self, line):
        """Run a command that must work."""
        code, printed = self.types(line)
        assert code == 0, printed
        return printed

    def edits(self, answers, file="tacita.toml"):
        """Fill in lines that the file left open."""
        text = Path(file).read_text(encoding="utf-8")
        for key, value in answers.items():
            assert f'\n{key} = "?"' in text, f"{key} is not open in\n{text}"
            text = text.replace(f'\n{key} = "?"', f"\n{key} = {value}")
        Path(file).write_text(text, encoding="utf-8")


@pytest.fixture
def person(tmp_path, monkeypatch, capsys):
    """Somebody in an empty folder, without a terminal, so that nothing is asked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    return Person(capsys)
