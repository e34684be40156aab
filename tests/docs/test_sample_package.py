"""A package that adds a kind of data of its own, without an edit of Tacita: installed, and used through every command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tacita as ta
from tacita.auditing import Effort
from tacita.cli import main
from tacita.kinds import kinds, methods
from tacita.testing.contract import check_contract

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


@pytest.fixture
def package(installed, monkeypatch):
    """The package where this process finds it; kinds are looked up anew, and again without it."""
    monkeypatch.syspath_prepend(str(installed))
    forget()
    yield
    monkeypatch.undo()
    forget()


def forget():
    kinds.cache_clear()
    methods.cache_clear()


@pytest.fixture
def ratings(tmp_path, monkeypatch):
    """A folder with ratings of 60 people, where commands run."""
    (tmp_path / "ratings.txt").write_text("good\n" * 40 + "bad\n" * 15 + "odd\n" * 5 + "unknown\n", encoding="utf-8")
    (tmp_path / "labels.txt").write_text("good\nbad\nodd\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(ratings, package, capfd):  # noqa: ARG001 - what must be there
    """Run a command of Tacita there, in this process: its code, and what it printed."""

    def command(*words):
        capfd.readouterr()
        return main(words), *capfd.readouterr()

    return command


PUBLISH = ["publish", "ratings", "ratings.txt", "--universe", "labels.txt", "--out", "out"]
METHODS = {"noisy-ratings": ["--epsilon", "1"], "crowds": []}


@pytest.mark.usefixtures("ratings")
def test_the_command_finds_an_installed_package_by_itself(installed):
    words = [sys.executable, "-m", "tacita.cli", *PUBLISH, "--method", "noisy-ratings", "--epsilon", "1"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "1-differential privacy" in done.stdout


@pytest.mark.parametrize("method", METHODS)
def test_a_kind_of_another_package_is_published_opened_and_evaluated(run, ratings, method):
    code, printed, told = run(*PUBLISH, "--method", method, *METHODS[method])
    assert code == 0, told
    manifest = json.loads((ratings / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["kind"], manifest["mechanism"]["name"]) == ("ratings", method)
    assert manifest["guarantee"]["evidence"]["kind"] == ("spent" if METHODS[method] else "verified")
    assert "Every rating" in printed or "1-differential privacy" in printed
    _, evaluated, _ = run("evaluate", "ratings.txt", "out", "--json")
    assert json.loads(evaluated)["ratings"]["people"] == 60
    rows = len(ta.open_release("out").to_polars())
    assert rows == 2 if method == "crowds" else rows >= 1


@pytest.mark.usefixtures("few_replays")
@pytest.mark.parametrize("method", METHODS)
def test_a_kind_of_another_package_is_explained_rehearsed_and_audited(run, ratings, method, monkeypatch):
    little = Effort(data_sets=3, output_runs=100, black_box_runs=100, sampler_draws=1000)
    monkeypatch.setattr("tacita.auditing.QUICK", little)
    _, explained, _ = run("explain", "ratings", "--method", method, *METHODS[method], "--universe", "labels.txt", "--json")
    assert json.loads(explained)["facts"]
    code, _, told = run(*PUBLISH, "--method", method, *METHODS[method], "--dry-run")
    assert code == 0, told
    assert not (ratings / "out").exists()
    code, *words = run("audit", method, *METHODS[method], "--quick")
    assert code == 0, words


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("method", METHODS)
def test_a_kind_of_another_package_keeps_the_contract_of_every_method(tmp_path, method):
    check_contract(method, folder=tmp_path)
    assert any("opens_again" in path.name for path in tmp_path.iterdir())


def test_what_belongs_to_another_kind_is_refused_by_name(run):
    def told(method, *more):
        return run(*PUBLISH, "--method", method, *more)[2]

    assert "spends no budget" in told("crowds", "--epsilon", "1")
    assert "noisy-ratings has no --people" in told("noisy-ratings", "--epsilon", "1", "--people", "3")
    with pytest.raises(SystemExit) as ended:
        told("crowds", "--time", "when")
    assert ended.value.code == 2


def test_a_command_of_another_package_is_listed_described_and_run(run):
    code, printed, told = run("tally", "ratings.txt")
    assert (code, printed.splitlines()[0]) == (0, "good: 40"), told
    with pytest.raises(SystemExit) as ended:
        run("--help")
    assert ended.value.code == 0
    with pytest.raises(SystemExit):
        run("tally", "--help")
    assert "tally" in run("completion", "bash")[1]


@pytest.mark.usefixtures("ratings")
def test_help_lists_a_command_of_another_package_without_importing_it(installed):
    script = """
import sys
from tacita.cli.parser import build_parser
text = build_parser("--help").format_help()
print("tally" in text and "(tacita-ratings)" in text)
print([name for name in sys.modules if name.startswith(("tacita_", "importlib.metadata", "numpy"))])
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.splitlines() == ["True", "[]"], done.stderr


def test_the_package_is_small():
    assert len(MODULE.read_text(encoding="utf-8").splitlines()) <= 200
