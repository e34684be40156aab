"""What the documents tell users of SQL and R to type reads a release of cells, and counts what is in it."""

import json
import random
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import tacita as ta

needs_duckdb = pytest.mark.skipif(find_spec("duckdb") is None, reason="needs DuckDB: pip install duckdb")

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "use-a-release.md"


def block(language):
    return re.search(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]


@pytest.fixture
def release(tmp_path, monkeypatch):
    drawn = random.Random(1)
    rows = [f"p{person},{40 + drawn.random():.4f},{10 + drawn.random():.4f},{time}" for person in range(90) for time in range(4)]
    (tmp_path / "points.csv").write_text("\n".join(["id,latitude,longitude,time", *rows]) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    made = ta.publish("points.csv", kind="sequences", cells="40,10,41,11", cell_size="2x2", epsilon=4)
    made.write("release")
    return made


@needs_duckdb
def test_duckdb_joins_the_visits_of_a_release_with_its_cells(release):
    script = """if True:
        import duckdb, json, sys
        with duckdb.connect() as connection:
            print(json.dumps([connection.execute(statement).fetchall() for statement in sys.argv[1:]][-1]))
    """
    *statements, _ = block("sql").split(";\n")
    done = subprocess.run([sys.executable, "-c", script, *statements], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    counted = release.data.to_polars()["label"].value_counts().rows()
    centres = dict(zip(release.data.universe.labels, zip(*release.data.universe.cells.centres(), strict=True), strict=True))
    assert {(label, number) for label, number, *_ in result} == set(counted)
    assert all((latitude, longitude) == pytest.approx(centres[label]) for label, _, latitude, longitude in result)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R: apt-get install r-base-core")
def test_r_counts_the_visits_and_steps_of_a_release(release):
    done = subprocess.run(["Rscript", "--vanilla", "-e", block("r")], capture_output=True, text=True, check=True)
    visits = release.data.to_polars()
    most = visits["label"].value_counts()["count"].max()
    assert str(most) in done.stdout
    assert str(len(visits) - visits["id"].n_unique()) in done.stdout
