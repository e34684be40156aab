"""What is installed without a checkout: the wheel holds all that commands and pages need; the Dockerfile names what exists."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


PAPERS = ROOT / "packages" / "tacita-papers"


def built(project, folder):
    """The wheel, built without fetching anything."""
    words = ["wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(folder), str(project)]
    done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of the product."""
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    """The wheel of the papers."""
    return built(PAPERS, tmp_path_factory.mktemp("papers"))


def files_below(source):
    return {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == {name for name in files_below(ROOT / "src") if name.startswith("tacita/")}
    assert {"tacita/studio/templates/base.html", "tacita/studio/static/studio.js", "tacita/py.typed"} <= held
    assert wheel.stat().st_size < 3_000_000


def test_the_wheel_works_without_the_checkout(wheel, tmp_path):
    site = tmp_path / "site"
    words = ["install", "--quiet", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    script = f"""
import sys
sys.path.insert(0, {str(site)!r})
import tacita
from tacita.cli import main
from tacita.studio.app import Pages
from tacita.studio.guard import Secrets
from tacita.studio.pages import Studio
from tacita.studio.workspace import Workspace
assert tacita.__file__.startswith({str(site)!r})
code = main(["simulate", "baskets", "--records", "50", "--out", "shop"])
page = Pages(Studio(Workspace.at(".")), Secrets()).home(None)
print(code, len(page.body) > 500)
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["0 True"], done.stderr


def test_the_wheel_of_the_papers_holds_every_file_of_its_package_and_no_results(papers):
    held = {name for name in zipfile.ZipFile(papers).namelist() if ".dist-info/" not in name}
    assert held == files_below(PAPERS / "src")
    assert {"tacita_papers/schemas/reproduce-1.json", "tacita_papers/py.typed"} <= held
    assert papers.stat().st_size < 200_000


def test_the_extra_papers_installs_the_package_of_the_papers():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    of_papers = tomllib.loads((PAPERS / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"]["papers"] == [of_papers["name"]]
    assert of_papers["dependencies"] == [project["name"]]
    assert of_papers["version"] == project["version"]


def test_the_dockerfile_copies_files_that_exist_and_runs_without_rights():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = [name for line in re.findall(r"^COPY (?!--from)(.*) \S+$", text, flags=re.MULTILINE) for name in line.split()]
    assert copied
    assert all((ROOT / name).exists() for name in copied)
    assert "\nUSER owner" in text
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not {name.strip("./") for name in copied} & set(ignored)


def test_commands_need_no_extra_but_those_that_say_so(tmp_path):
    """In an installation without extras, and without what the tests install."""
    script = """
import sys
for name in ("scipy", "sklearn", "numba", "pandas", "pyarrow", "pyspark", "starlette", "uvicorn", "networkx", "duckdb"):
    sys.modules[name] = None
from tacita.cli import main
world = ["simulate", "metro", "--records", "300", "--out", "w"]
public = ["--universe", "w/universe.txt", "--out", "r"]
assert main(world) == 0
assert main(["publish", "sequences", "w/sequences.csv", "--method", "ngram", "--epsilon", "1", *public]) == 0
assert main(["verify", "r"]) == 0
for command in (["report"], ["evaluate"], ["attack", "sequences"]):
    assert main([*command, "w/sequences.csv", "r"]) == 0, command
import tacita.demo
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
