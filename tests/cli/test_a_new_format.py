"""A format that one module registers is read, offered, written and opened by everything, and no other file knows it."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "file-formats.md").read_text(encoding="utf-8")
(MODULE,) = re.findall(r"```python\n(# tacita_pipes.py\n.*?)```", PAGE, flags=re.DOTALL)
BASKETS = "id|label\n" + "".join(f"{person}|{label}\n" for person in range(300) for label in ("A", "B,C"))


@pytest.fixture
def run(tmp_path):
    """Run a command of Tacita beside the module of the page, as an installed package would have it: what it printed."""
    site = tmp_path / "site"
    described = site / "tacita_pipes-1.0.dist-info"
    described.mkdir(parents=True)
    (site / "tacita_pipes.py").write_text(MODULE, encoding="utf-8")
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: tacita-pipes\nVersion: 1.0\n", encoding="utf-8")
    (described / "entry_points.txt").write_text("[tacita.formats]\npipes = tacita_pipes:PIPES\n", encoding="utf-8")
    (tmp_path / "items.txt").write_text("A\nB,C\nD\n", encoding="utf-8")
    (tmp_path / "baskets.psv").write_text(BASKETS, encoding="utf-8")

    def command(*words):
        script = f"import sys, tacita.cli\nsys.exit(tacita.cli.main({list(words)}))"
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))}
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return command


def publish(run, *words):
    return run("publish", "sets", *words, "--method", "histogram", "--epsilon", "50", "--universe", "items.txt")


@pytest.mark.parametrize("engine", ["local", "blocks"])
def test_sets_come_and_go_in_it(run, tmp_path, engine):
    publish(run, "baskets.psv", "--engine", engine, "--out", "release")
    rows = (tmp_path / "release" / "baskets.psv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "id|label"
    assert {row.partition("|")[2] for row in rows[1:]} == {"A", "B,C"}
    assert "FAIL" not in run("verify", "release")
    described = json.loads((tmp_path / "release" / "croissant.json").read_text(encoding="utf-8"))
    assert described["distribution"][0]["encodingFormat"] == "text/plain"
    assert [field["name"] for field in described["recordSet"][0]["field"]] == ["id", "label"]


def test_it_is_offered_named_and_compressed(run, tmp_path):
    assert "pipes" in run("publish", "sets", "--help")
    (tmp_path / "baskets.txt").write_text(BASKETS, encoding="utf-8")
    publish(run, "baskets.txt", "--input-format", "pipes", "--format", "pipes.gz", "--out", "release")
    assert gzip.decompress((tmp_path / "release" / "baskets.psv.gz").read_bytes()).startswith(b"id|label\n")
    publish(run, "baskets.psv", "--format", "csv", "--out", "other")
    assert (tmp_path / "other" / "baskets.csv").read_text(encoding="utf-8").startswith("id,label\n")
