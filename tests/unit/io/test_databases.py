"""Private data comes straight from a database, through Arrow: a DuckDB relation, the cursor of an ADBC driver."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import tacita as ta
from tacita.errors import InputError

needs_duckdb = pytest.mark.skipif(find_spec("duckdb") is None, reason="needs DuckDB: pip install duckdb")

UNIVERSE = ta.Universe(["a", "b"])
ROWS = [(1, "a", 10), (1, "b", 20), (2, "b", 5)]
EXPECTED = [[0, 1], [1]]
PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "read-from-a-database.md"


def lists(source):
    return sorted(ta.sequences.read_sequences(source, universe=UNIVERSE, name="taps").sequences.to_lists())


@needs_duckdb
def test_a_relation_of_duckdb_is_read_and_published_and_the_process_ends_without_a_word():
    """DuckDB prints what was not freed when a process ends, so it is loaded by processes of its own only."""
    script = """if True:
        import duckdb, tacita as ta
        universe = ta.Universe(["a", "b"])
        with duckdb.connect() as connection:
            connection.execute("create table taps (id integer, label text, time integer)")
            connection.executemany("insert into taps values (?, ?, ?)", [(1, "a", 10), (1, "b", 20), (2, "b", 5)])
            rows = connection.sql("select * from taps")
            print(sorted(ta.sequences.read_sequences(rows, universe=universe, name="taps").sequences.to_lists()))
            print(ta.publish(rows, kind="sequences", universe=universe, epsilon=1, name="taps").data.kind)
            del rows
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{EXPECTED}\nsequences\n", "")


def test_a_cursor_of_adbc_is_read_once_its_query_is_executed():
    sqlite = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with sqlite.connect() as connection, connection.cursor() as cursor:
        cursor.execute("create table taps (id integer, label text, time integer)")
        cursor.executemany("insert into taps values (?, ?, ?)", ROWS)
        cursor.execute("select id, label, time from taps")
        assert lists(cursor) == EXPECTED


def test_a_cursor_without_a_result_is_refused():
    sqlite = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with sqlite.connect() as connection, connection.cursor() as cursor, pytest.raises(InputError, match="execute a query"):
        lists(cursor)


def postgres():
    """Debian's server programs, which are not on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture
def server(tmp_path_factory):
    """A real server in a folder of its own, on a socket that nobody else sees; it does not run as root."""
    programs = postgres()
    if programs is None or shutil.which("runuser") is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    folder = tmp_path_factory.mktemp("pg")
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        for each in (folder, *folder.parents):
            if each.owner() == "root" and "pytest" in str(each):
                each.chmod(0o755)
        shutil.chown(folder, "postgres")
    data = folder / "data"
    subprocess.run([*as_user, programs / "initdb", "-D", data, "-A", "trust"], check=True, capture_output=True)
    options = f"-c listen_addresses='' -k {folder}"
    start = [*as_user, programs / "pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start"]
    subprocess.run(start, check=True, capture_output=True)
    user = "postgres" if as_user else os.environ.get("USER", "postgres")
    yield f"postgresql://{user}@/postgres?host={folder}"
    subprocess.run([*as_user, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], check=True, capture_output=True)


@pytest.mark.slow  # starts a server
def test_the_page_on_databases_runs_against_a_real_postgresql(server, tmp_path, monkeypatch):
    adbc = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with adbc.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("create table taps (card integer, station text, tapped timestamp)")
        for card, station, minute in ((1, "a", 1), (1, "b", 2), (2, "b", 3)):
            cursor.execute(f"insert into taps values ({card}, '{station}', '2026-05-04 08:0{minute}:00')")
        connection.commit()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stations.csv").write_text("station\na\nb\n", encoding="utf-8")
    names = {"DATABASE": server}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    assert sorted(names["taps"].sequences.to_lists()) == EXPECTED
    assert (tmp_path / "release" / "manifest.json").exists()
    assert "taps" in {row for balance in ta.Ledger("metro.ledger").balances() for row in balance.datasets}
