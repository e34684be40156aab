"""A raw table with dates, decimals, missing values and odd names goes from file to report, and its types survive."""

import json
import re
import subprocess
import sys
from datetime import date
from importlib.util import find_spec

import numpy as np
import polars as pl
import pytest

import tacita as ta
from tacita.cli import main
from tacita.testing import public_generator
from workbooks import write_workbook

needs_duckdb = pytest.mark.skipif(find_spec("duckdb") is None, reason="needs DuckDB: pip install duckdb")

ANSWERS = {
    "née": {"first": "1920-01-01", "last": "2010-12-31"},
    "Dosis (mg)": {"low": "0", "high": "10.00", "step": "0.25"},
    "seen at": {"type": '"time"', "first": "2024-01-01T00:00:00", "last": "2024-12-31T23:59:59"},
    'a "b"': {"values": '["nein", "ja"]'},
    "ward": {"values": '["A", "B", "C"]'},
}
"""What the owner fills in, from what is public."""


def patients(rows=1500):
    generator = public_generator(3)
    made = []
    for number in range(rows):
        is_ill = generator.random() < 0.3
        day, month, year = generator.integers(1, 29), generator.integers(1, 13), generator.integers(1930, 2006)
        dose = round(float(generator.normal(5 if is_ill else 2, 0.8)) * 4) / 4
        moment = f"2024-{generator.integers(1, 13):02}-{generator.integers(1, 29):02}T{generator.integers(0, 24):02}:30:00"
        made.append(
            {
                "née": f"{day:02}.{month:02}.{year}",
                "Dosis (mg)": "" if number % 9 == 0 else f"{dose:.2f}".replace(".", ","),
                "seen at": moment,
                'a "b"': "ja" if is_ill else "nein",
                "ward": "ABBC"[number % 4],
                "note": f"came in at night with a cold, number {number}",
            }
        )
    return made


def filled(text):
    """The configuration with the owner's answers in place of every open line."""
    text = re.sub(r'person = "\?".*\n', "", text).replace('epsilon = "?"', "epsilon = 2")
    for name, answers in ANSWERS.items():
        start = text.index(f"[columns.{json.dumps(name, ensure_ascii=False)}]")
        end = text.find("\n[columns.", start + 1)
        part = text[start : end if end >= 0 else None]
        rest = "" if end < 0 else text[end:]
        for key, value in answers.items():
            part = part.replace(f'{key} = "?"', f"{key} = {value}")
        text = text[:start] + part + rest
    return text


def test_a_table_goes_from_file_to_report_by_three_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(patients()).write_csv("patients.csv", separator=";")
    assert main(["inspect", "patients.csv"]) == 0
    written = (tmp_path / "tacita.toml").read_text(encoding="utf-8")
    assert '# [columns."note"] is left out: it holds free text' in written
    assert "1930" not in written, "no value of a row is written"
    (tmp_path / "tacita.toml").write_text(filled(written), encoding="utf-8")
    assert main(["publish"]) == 0, capsys.readouterr().err
    assert main(["report", "patients-release"]) == 0
    assert main(["verify", "patients-release"]) == 0
    assert "FAIL" not in capsys.readouterr().out
    rows = pl.read_csv(tmp_path / "patients-release" / "rows.csv", infer_schema=False, separator=";")
    assert [name.replace('""', '"') for name in rows.columns] == list(ANSWERS)
    assert rows["née"].str.contains(r"^\d\d\.\d\d\.\d{4}$").all()
    assert rows["Dosis (mg)"].drop_nulls().str.contains(r"^\d+,\d\d$").all()
    assert rows["seen at"].drop_nulls().str.contains(r"^2024-\d\d-\d\dT\d\d:\d\d:\d\d$").all()
    opened = ta.open_release(tmp_path / "patients-release").data.frame()
    assert opened.dtypes == [pl.Date, pl.Float64, pl.Datetime("us"), pl.String, pl.String]
    assert opened["née"].min() >= date(1920, 1, 1)
    assert len(opened) == pytest.approx(1500, rel=0.1)


TYPED = {
    "née": {"type": "date", "first": "1920-01-01", "last": "2010-12-31"},
    "Dosis (mg)": {"type": "number", "low": 0, "high": 10, "step": 0.25, "missing": True},
    "seen at": {"type": "time", "first": "2024-01-01", "last": "2024-12-31", "step": "30min"},
    'a "b"': {"type": "yes/no"},
    "ward": {"type": "category", "values": ["A", "B", "C"]},
}


def typed_frame(rows):
    return pl.DataFrame(patients(rows)).select(
        pl.col("née").str.to_date("%d.%m.%Y"),
        pl.col("Dosis (mg)").str.replace(",", ".").cast(pl.Float64, strict=False),
        pl.col("seen at").str.to_datetime(time_unit="us"),
        (pl.col('a "b"') == "ja"),
        "ward",
    )


def test_a_pandas_frame_comes_back_with_its_types():
    frame = typed_frame(1500)
    release = ta.publish(frame.to_pandas(), kind="tables", columns=TYPED, epsilon=2, name="patients", target='a "b"')
    made = release.data.to_polars()
    assert made.dtypes == [pl.Date, pl.Float64, pl.Datetime("us"), pl.Boolean, pl.String]
    doses = made["Dosis (mg)"].drop_nulls()
    assert (doses * 4 == (doses * 4).round()).all()
    by_ill = made.group_by('a "b"').agg(pl.col("Dosis (mg)").mean()).sort('a "b"')["Dosis (mg)"].to_list()
    assert by_ill[1] > by_ill[0] + 1, "the target is linked to what tells it"


def test_a_typed_table_means_the_same_in_a_workbook_and_in_databases(tmp_path):
    schema = ta.tables.declared(TYPED)
    frame = typed_frame(300)
    usual = ta.tables.read_table(frame, schema=schema, name="patients")
    write_workbook(tmp_path / "patients.xlsx", [tuple(frame.columns), *frame.rows()])
    sources = {"a workbook": ta.io.sheet_rows(tmp_path / "patients.xlsx"), "an Arrow table": frame.to_arrow()}
    sqlite = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with sqlite.connect() as connection, connection.cursor() as cursor:
        texts = frame.with_columns(pl.col("née").cast(pl.String), pl.col("seen at").dt.to_string("%Y-%m-%d %H:%M:%S"))
        cursor.adbc_ingest("patients", texts.with_columns(pl.col('a "b"').cast(pl.String)).to_arrow())
        cursor.execute("select * from patients")
        sources["SQLite"] = cursor
        for title, source in sources.items():
            read = ta.tables.read_table(source, schema=schema, name="patients")
            pairs = zip(usual.quasi, read.quasi, strict=True)
            assert len(read) == len(usual) == 300, title
            assert all((one == other).all() for one, other in pairs), title


@needs_duckdb
def test_a_typed_table_means_the_same_in_duckdb(tmp_path, monkeypatch):
    """In a process of its own, since DuckDB prints at the end of one what was not freed."""
    monkeypatch.chdir(tmp_path)
    frame = typed_frame(300)
    frame.write_parquet("raw.parquet")
    script = """if True:
        import json, sys, duckdb, numpy, tacita as ta
        with duckdb.connect() as database:
            rows = database.sql('''select * replace ("Dosis (mg)"::decimal(5, 2) as "Dosis (mg)") from 'raw.parquet' ''')
            read = ta.tables.read_table(rows, schema=ta.tables.declared(json.loads(sys.argv[1])), name="patients")
            numpy.savez("read.npz", *read.quasi)
            del rows
    """
    done = subprocess.run([sys.executable, "-c", script, json.dumps(TYPED)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", "")
    usual = ta.tables.read_table(frame, schema=ta.tables.declared(TYPED), name="patients")
    read = np.load("read.npz")
    assert all(np.array_equal(one, read[name]) for one, name in zip(usual.quasi, read.files, strict=True))


def test_a_workbook_of_dates_goes_from_file_to_a_typed_release(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = typed_frame(400)
    write_workbook(tmp_path / "patients.xlsx", [tuple(frame.columns), *frame.rows()])
    assert main(["inspect", "patients.xlsx"]) == 0
    written = re.sub(r'person = "\?".*\n', "", (tmp_path / "tacita.toml").read_text(encoding="utf-8"))
    head = written[: written.index("\n[columns.")].replace('epsilon = "?"', "epsilon = 4")
    blocks = []
    for name, column in TYPED.items():
        said = "\n".join(f"{key} = {json.dumps(value)}" for key, value in column.items())
        blocks.append(f"[columns.{json.dumps(name, ensure_ascii=False)}]\n{said}")
    (tmp_path / "tacita.toml").write_text("\n".join([head, *blocks]), encoding="utf-8")
    assert main(["publish"]) == 0, capsys.readouterr().err
    assert main(["report", "patients-release"]) == 0
    capsys.readouterr()
    released = ta.open_release(tmp_path / "patients-release")
    assert released.data.to_polars().dtypes == [pl.Date, pl.Float64, pl.Datetime("us"), pl.Boolean, pl.String]
    made = released.data.to_pandas()
    assert [str(kind) for kind in made.dtypes[:4]] == ["datetime64[us]", "float64", "datetime64[us]", "bool"]
