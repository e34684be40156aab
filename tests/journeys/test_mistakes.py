"""Forty mistakes that people make with ordinary files: each is answered by a sentence that names the remedy, or costs nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

STATIONS = ["A", "B", "C"]
READ = "--person card --label station --time tap --universe stations.txt --epsilon 1 --out out"
TAPS = [(100 + card, STATIONS[(card + step) % 3], f"2026-11-{step + 3:02d} 08:15") for card in range(60) for step in range(3)]


def csv(rows=TAPS, header="card,station,tap", separator=",", encoding="utf-8"):
    text = "\n".join([header.replace(",", separator), *(separator.join(map(str, row)) for row in rows)]) + "\n"
    Path("taps.csv").write_bytes(text.encode(encoding))


def frame():
    return pl.DataFrame(TAPS, schema=["card", "station", "tap"], orient="row")


def semicolons():
    csv(separator=";")


def tabs():
    csv(separator="\t")


def pipes():
    csv(separator="|")


def other_names():
    csv(header="card_no,stop,time_of_tap")


def capitals():
    csv(header="Card,Station,Tap")


def spaces_in_names():
    csv(header=" card , station , tap ")


def no_header():
    rows = "\n".join(",".join(map(str, row)) for row in TAPS)
    Path("taps.csv").write_text(rows + "\n", encoding="utf-8")


def twice_the_same_name():
    csv(header="card,card,tap")


def latin():
    csv([(card, f"{station}é", tap) for card, station, tap in TAPS], encoding="latin-1")


def wide_bytes():
    csv(encoding="utf-16")


def with_mark():
    csv(encoding="utf-8-sig")


def day_first():
    csv([(card, station, f"{3 + card % 25:02d}/11/2026 08:15") for card, station, _ in TAPS])


def one_bad_row():
    csv([*TAPS[:50], (1, "A", "yesterday"), *TAPS[50:]])


def ragged():
    csv([*TAPS[:50], (1, "A", "2026-11-03 08:15", "extra"), *TAPS[50:]])


def open_quote():
    csv([*TAPS[:50], (1, '"A', "2026-11-03 08:15"), *TAPS[50:]])


def missing_values():
    csv([*TAPS[:50], ("", "A", "2026-11-03 08:15"), (7, "", "2026-11-03 08:15"), (7, "B", ""), *TAPS[50:]])


def blank_lines():
    csv()
    Path("taps.csv").write_text(Path("taps.csv").read_text(encoding="utf-8").replace("\n", "\n\n"), encoding="utf-8")


def empty():
    Path("taps.csv").write_bytes(b"")


def only_a_header():
    csv(rows=[])


def a_folder():
    Path("taps.csv").mkdir()


def zipped():
    csv()
    Path("taps.csv").write_bytes(gzip.compress(Path("taps.csv").read_bytes()))


def zipped_by_name():
    csv()
    Path("taps.csv.gz").write_bytes(Path("taps.csv").read_bytes())


def excel():
    Path("taps.xlsx").write_bytes(b"PK\x03\x04" + bytes(200))


def excel_as_csv():
    Path("taps.csv").write_bytes(b"PK\x03\x04" + bytes(200))


def json_array():
    Path("taps.jsonl").write_text(json.dumps(frame().to_dicts()), encoding="utf-8")


def json_lines():
    Path("taps.jsonl").write_text("".join(json.dumps(row) + "\n" for row in frame().to_dicts()), encoding="utf-8")


def json_other_names():
    rows = [{"Card": card, "Station": station, "Tap": tap} for card, station, tap in TAPS]
    Path("taps.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def parquet():
    frame().write_parquet("taps.parquet")


def parquet_other_names():
    frame().rename({"card": "Card"}).write_parquet("taps.parquet")


def cut_parquet():
    parquet()
    Path("taps.parquet").write_bytes(Path("taps.parquet").read_bytes()[:200])


def good():
    csv()


def lines_with_spaces():
    Path("taps.lines").write_text("\n".join(" ".join("ABC"[(row + step) % 3] for step in range(3)) for row in range(60)) + "\n")


def taken():
    csv()
    Path("out").mkdir()


def two_columns():
    rows = [f"{row},{'MF'[row % 2]}" for row in range(50)]
    Path("people.csv").write_text("age,sex\n" + "\n".join(rows) + "\n", encoding="utf-8")
    Path("columns.json").write_text(
        json.dumps({"quasi": [{"name": "years", "type": "numeric", "low": 0, "high": 99}]}), encoding="utf-8"
    )


PUBLISH = f"tacita publish sequences taps.csv {READ}"
TABLE = "tacita publish tables people.csv --columns columns.json --method mondrian --out out"
REFUSED = {
    "another separator: semicolons": (semicolons, PUBLISH, "give --separator ';'"),
    "another separator: tabs": (tabs, PUBLISH, "give --separator tab"),
    "another separator: pipes": (pipes, PUBLISH, "give --separator '|'"),
    "other names": (other_names, PUBLISH, "it has card_no, stop, time_of_tap; give the names that it uses with --person"),
    "capital letters": (capitals, PUBLISH, "it has Card, Station, Tap"),
    "spaces around names": (spaces_in_names, PUBLISH, "must have the columns card, station, tap"),
    "no header": (no_header, PUBLISH, "looks like data: declare --no-header"),
    "one name twice": (
        twice_the_same_name,
        PUBLISH.replace("label station", "label card"),
        "different columns",
    ),
    "an encoding that is not UTF-8": (latin, PUBLISH, "--encoding"),
    "UTF-16": (wide_bytes, PUBLISH, "UTF-16|--encoding|must have the columns|NUL"),
    "a time that is no time, strictly": (one_bad_row, PUBLISH + " --strict", "`tacita inspect` shows which"),
    "a row with a field too many, strictly": (ragged, PUBLISH + " --strict", "`tacita inspect` shows which"),
    "an open quotation mark, strictly": (open_quote, PUBLISH + " --strict", "`tacita inspect` shows which"),
    "missing values, strictly": (missing_values, PUBLISH + " --strict", "`tacita inspect` shows which"),
    "day first without a pattern": (day_first, PUBLISH, "--time-format"),
    "an empty file": (empty, PUBLISH, "empty"),
    "a header and nothing else": (only_a_header, PUBLISH, "has no rows"),
    "a folder": (a_folder, PUBLISH, "is not a file"),
    "a file that does not exist": (lambda: None, PUBLISH, "does not exist"),
    "an ending of compression without it": (zipped_by_name, PUBLISH.replace("taps.csv", "taps.csv.gz"), "gz"),
    "a broken file of Excel": (excel, PUBLISH.replace("taps.csv", "taps.xlsx"), "cannot be read as a file of Excel"),
    "a file of Excel called .csv": (excel_as_csv, PUBLISH, "must have the columns|NUL|binary|text"),
    "an array in place of JSON lines": (
        json_array,
        PUBLISH.replace("taps.csv", "taps.jsonl"),
        "not a JSON object",
    ),
    "JSON with other names": (
        json_other_names,
        PUBLISH.replace("taps.csv", "taps.jsonl"),
        "none with a value in the columns that are read (--person, --label, --time)",
    ),
    "Parquet with other names": (parquet_other_names, PUBLISH.replace("taps.csv", "taps.parquet"), "it has Card, station, tap"),
    "half a file of Parquet": (cut_parquet, PUBLISH.replace("taps.csv", "taps.parquet"), "not a complete file"),
    "spaces in lines of labels": (
        lines_with_spaces,
        "tacita publish sequences taps.lines --universe stations.txt --epsilon 1 --out out",
        "the right separator (--separator)",
    ),
    "no universe": (good, PUBLISH.replace("--universe stations.txt ", ""), "--universe"),
    "no budget": (good, PUBLISH.replace("--epsilon 1 ", ""), "--epsilon"),
    "a budget of nothing": (good, PUBLISH.replace("--epsilon 1 ", "--epsilon 0 "), "epsilon must be"),
    "an output that exists": (taken, PUBLISH, "out"),
    "a ledger that does not exist": (good, PUBLISH + " --ledger metro.ledger", "tacita ledger create"),
    "a universe of other labels": (good, PUBLISH.replace("stations.txt", "others.txt"), "nothing to publish|universe"),
    "a column of a table that is not there": (two_columns, TABLE, "must have the columns years, it has age, sex"),
}
READ_ALL_THE_SAME = {
    "a byte order mark": (with_mark, PUBLISH),
    "blank lines": (blank_lines, PUBLISH),
    "one time that is no time": (one_bad_row, PUBLISH),
    "one row with a field too many": (ragged, PUBLISH),
    "one quotation mark that is not closed": (open_quote, PUBLISH),
    "values that are missing": (missing_values, PUBLISH),
    "compressed without its ending": (zipped, PUBLISH),
    "JSON lines": (json_lines, PUBLISH.replace("taps.csv", "taps.jsonl")),
    "day first with its pattern": (day_first, PUBLISH + " --time-format %d/%m/%Y_%H:%M"),
}
WRONG_USAGE = {
    "the file before the kind": "tacita publish taps.csv --epsilon 1",
    "a kind in the singular": "tacita publish sequence taps.csv --epsilon 1",
    "an option of another kind": f"{PUBLISH} --contexts 3",
    "an option that is misspelt": PUBLISH.replace("--universe", "--univers"),
    "a command that is misspelt": "tacita publsh sequences taps.csv",
}


@pytest.fixture(autouse=True)
def folder(person):
    """Everybody has the public list of stations, and one of other labels."""
    Path("stations.txt").write_text("\n".join(STATIONS) + "\n", encoding="utf-8")
    Path("others.txt").write_text("x\ny\n", encoding="utf-8")
    return person


@pytest.mark.parametrize("mistake", REFUSED)
def test_a_mistake_is_refused_in_one_sentence_that_names_the_remedy(person, mistake):
    lay_out, line, remedy = REFUSED[mistake]
    lay_out()
    code, said = person.types(line)
    assert code == 1, said
    assert said.count("\n") == 1, said
    assert any(part in said for part in remedy.split("|")), said
    assert not [made for made in ("out/manifest.json", "metro.ledger") if Path(made).exists()]


@pytest.mark.parametrize("mistake", READ_ALL_THE_SAME)
def test_what_concerns_single_rows_stops_no_publication(person, mistake):
    lay_out, line = READ_ALL_THE_SAME[mistake]
    lay_out()
    code, said = person.types(line)
    if "_" in line.partition("--time-format")[2]:
        Path("taps.csv").write_text(Path("taps.csv").read_text(encoding="utf-8").replace(" 08:15", "_08:15"), encoding="utf-8")
        code, said = person.types(line)
    assert code == 0, said
    assert Path("out/manifest.json").exists()


@pytest.mark.parametrize("mistake", WRONG_USAGE)
def test_wrong_usage_is_two_lines_with_where_to_read_on(person, mistake):
    good()
    code, said = person.types(WRONG_USAGE[mistake])
    assert code == 2, said
    assert said.count("\n") == 2, said
    assert "--help" in said
