"""What the pages about trajectories show runs."""

import re
import shlex
from pathlib import Path

from tacita.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "publish-trajectories.md"


def test_the_how_to_about_trajectories_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    commands = [
        shlex.split(line) for block in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL) for line in block.splitlines()
    ]
    assert [words[1] for words in commands] == ["simulate", "publish", "evaluate", "attack", "lattice"]
    assert [main(words[1:]) for words in commands] == [0] * 5
    assert "linkage risk after" in capsys.readouterr().out
    names = {}
    for code in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(code, "publish-trajectories.md", "exec"), names)
    assert "instances kept" in capsys.readouterr().out
