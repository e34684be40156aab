"""A package that adds a kind of data of its own, without an edit of Tacita: installed, and used through every command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "sample_package"
MODULE = PACKAGE / "src" / "tacita_ratings.py"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The package in a folder of its own, with its entry points; nothing is fetched."""
    folder = tmp_path_factory.mktemp("site")
    words = ["install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder), str(PACKAGE)]
    done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def paths(installed):
    return os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture
def run(installed, tmp_path):
    """Run a command of Tacita in a folder with ratings of 60 people, where the package is installed."""
    (tmp_path / "ratings.txt").write_text("good\n" * 40 + "bad\n" * 15 + "odd\n" * 5 + "unknown\n", encoding="utf-8")
    (tmp_path / "labels.txt").write_text("good\nbad\nodd\n", encoding="utf-8")

    def command(*words):
        environment = os.environ | {"PYTHONPATH": paths(installed)}
        words = [sys.executable, "-m", "tacita.cli", *words]
        return subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)

    return command


PUBLISH = ["publish", "ratings.txt", "--universe", "labels.txt", "--out", "out"]
METHODS = {"noisy-ratings": ["--epsilon", "1"], "crowds": []}


@pytest.mark.parametrize("method", METHODS)
def test_a_kind_of_another_package_is_published_opened_and_evaluated(run, tmp_path, installed, method):
    done = run(*PUBLISH, "--method", method, *METHODS[method])
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["kind"], manifest["mechanism"]["name"]) == ("ratings", method)
    assert manifest["guarantee"]["evidence"]["kind"] == ("spent" if METHODS[method] else "verified")
    assert "Every rating" in done.stdout or "1-differential privacy" in done.stdout
    evaluated = run("evaluate", "ratings.txt", "out", "--json")
    assert json.loads(evaluated.stdout)["ratings"]["people"] == 60
    code = "import tacita as ta; print(len(ta.open_release('out').to_polars()))"
    environment = os.environ | {"PYTHONPATH": str(installed)}
    opened = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
    )
    assert int(opened.stdout) == 2 if method == "crowds" else int(opened.stdout) >= 1


@pytest.mark.parametrize("method", METHODS)
def test_a_kind_of_another_package_is_explained_rehearsed_and_audited(run, tmp_path, method):
    explained = run("explain", "--method", method, *METHODS[method], "--universe", "labels.txt", "--json")
    assert json.loads(explained.stdout)["facts"]
    dry = run(*PUBLISH, "--method", method, *METHODS[method], "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert not (tmp_path / "out").exists()
    audited = run("audit", method, *METHODS[method], "--quick")
    assert audited.returncode == 0, audited.stdout + audited.stderr


@pytest.mark.parametrize("method", METHODS)
def test_a_kind_of_another_package_keeps_the_contract_of_every_method(installed, tmp_path, method):
    code = (
        f"from pathlib import Path; from tacita.testing.contract import check_contract; check_contract('{method}', folder=Path())"
    )
    environment = os.environ | {"PYTHONPATH": paths(installed)}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert any("opens_again" in path.name for path in tmp_path.iterdir())


def test_what_belongs_to_another_kind_is_refused_by_name(run):
    done = run(*PUBLISH, "--method", "crowds", "--epsilon", "1")
    assert "spends no budget" in done.stderr
    assert "noisy-ratings has no --people" in run(*PUBLISH, "--method", "noisy-ratings", "--epsilon", "1", "--people", "3").stderr
    assert "--time means nothing for ratings" in run(*PUBLISH, "--method", "crowds", "--time", "when").stderr


def test_the_package_is_small():
    assert len(MODULE.read_text(encoding="utf-8").splitlines()) <= 200
