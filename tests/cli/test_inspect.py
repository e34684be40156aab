"""`tacita inspect`: what it prints for the owner, and that `tacita publish` takes the printed options and reads every row."""

import gzip
import json
import shlex
import sys
from datetime import datetime, timedelta
from itertools import product

import jsonschema
import polars as pl
import pyarrow as pa
import pytest

from tacita.cli import main
from tacita.cli.choices import Choices
from tacita.cli.parser import build_parser
from tacita.kinds.configuration import read_configuration
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.schemas import output_schema
from workbooks import write_workbook

STATIONS = ["Älmhult", "B; north", "C|D, east", "E"]
PEOPLE, STEPS = 40, 5
BEGIN = datetime(2026, 11, 3, 8, 15)  # noqa: DTZ001 - what a clock showed


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """What inspect writes lands beside the file."""
    monkeypatch.chdir(tmp_path)


def taps():
    """(card, station, moment) of each tap: everybody's stations in the order of their times, people mixed."""
    for step, card in product(range(STEPS), range(PEOPLE)):
        yield card + 100, STATIONS[(card + step) % 4], BEGIN + timedelta(days=step * 5, minutes=card)


def quoted(text, separator):
    return '"' + text + '"' if separator in text else text


def written(separator, write_time, *, header=True, ends="\n"):
    """The taps as delimited text."""
    rows = ["card" + separator + "station" + separator + "tap"] if header else []
    rows += [separator.join([str(card), quoted(station, separator), write_time(time)]) for card, station, time in taps()]
    return ends.join(rows) + ends


def inspected(path, capsys):
    """What the command prints for scripts, which must follow its schema."""
    assert main(["inspect", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, output_schema("tacita-inspect-1"))
    return found


def words(found, folder):
    """The printed command with the owner's words filled in."""
    said = found["command"].replace("UNIVERSE", shlex.quote(str(folder / "stations.txt"))).replace("EPSILON", "4")
    return shlex.split(said.replace("FOLDER", shlex.quote(str(folder / "release"))))[1:]


def read_by(command):
    """The records that publish reads with these words."""
    options = build_parser().parse_args(command)
    choices = Choices(options)
    return choices.records(choices.public, name="taps")


def expected():
    """Everybody's stations in order."""
    return sorted([(card + step) % 4 for step in range(STEPS)] for card in range(PEOPLE))


def proven(path, folder, capsys):
    """Inspect a file, publish it with the printed words, and compare what was read; return what was found."""
    (folder / "stations.txt").write_text("\n".join(STATIONS) + "\n", encoding="utf-8")
    found = inspected(path, capsys)
    command = words(found, folder)
    records = read_by(command)
    assert sorted(records.sequences.to_lists()) == expected()
    assert main(command) == 0, capsys.readouterr().err
    capsys.readouterr()
    return found


def twelve(time):
    return f"{time.month}/{time.day}/{time:%y} {(time.hour - 1) % 12 + 1}:{time:%M} {'AM' if time.hour < 12 else 'PM'}"


TIMES = {
    "%d/%m/%Y %H:%M": lambda time: f"{time:%d/%m/%Y %H:%M}",
    "iso": lambda time: f"{time:%Y-%m-%dT%H:%M:%SZ}",
    "%d.%m.%Y": lambda time: f"{time:%d.%m.%Y}",
    "%m/%d/%y %I:%M %p": twelve,
    "epoch-s": lambda time: str(int((time - datetime(1970, 1, 1)).total_seconds())),  # noqa: DTZ001
    "epoch-ms": lambda time: str(int((time - datetime(1970, 1, 1)).total_seconds()) * 1000),  # noqa: DTZ001
    "%d %b %Y %H:%M:%S": lambda time: f"{time:%d %b %Y %H:%M:%S}",
}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("pattern", TIMES)
def test_publish_reads_every_row_with_the_printed_options_whatever_the_separator_and_the_dates(
    separator, pattern, tmp_path, capsys
):
    path = tmp_path / "taps.csv"
    path.write_text(written(separator, TIMES[pattern]), encoding="utf-8")
    found = proven(path, tmp_path, capsys)
    assert found["reading"]["separator"] == separator
    assert found["columns"][2]["pattern"] == pattern
    assert (found["kind"], found["person"], found["label"], found["time"]) == ("sequences", "card", "station", "tap")
    assert found["odd"] == found["obstacles"] == []


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("utf-16", "utf-16"), ("utf-16-le", "utf-16-le"), ("cp1252", "cp1252")],
)
@pytest.mark.parametrize("pack", [None, "gz", "zst"])
def test_publish_reads_every_row_with_the_printed_options_whatever_the_encoding_and_the_compression(
    encoding, said, pack, tmp_path, capsys
):
    data = written(";", TIMES["%d/%m/%Y %H:%M"], ends="\r\n").encode(encoding)
    path = tmp_path / ("taps.csv" if pack is None else f"taps.csv.{pack}")
    path.write_bytes({None: data, "gz": gzip.compress(data), "zst": bytes(pa.compress(data, codec="zstd", asbytes=True))}[pack])
    found = proven(path, tmp_path, capsys)
    assert found["reading"]["encoding"] == said
    assert found["reading"]["compression"] == pack
    assert ("encoding" in {question["about"] for question in found["questions"]}) == (encoding == "cp1252")


@pytest.mark.parametrize("name", ["taps.csv", "taps.data", "taps.tsv"])
def test_a_file_without_a_header_has_numbered_columns_whatever_its_ending(name, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(written(";", TIMES["iso"], header=False), encoding="utf-8")
    found = proven(path, tmp_path, capsys)
    assert found["reading"]["header"] is False
    assert (found["person"], found["label"], found["time"]) == ("1", "2", "3")


def test_parquet_and_json_lines_are_published_with_the_printed_options(tmp_path, capsys):
    frame = pl.DataFrame(list(taps()), schema=["card", "station", "tap"], orient="row")
    frame.write_parquet(tmp_path / "taps.parquet")
    found = proven(tmp_path / "taps.parquet", tmp_path, capsys)
    assert [column["type"] for column in found["columns"]] == ["whole number", "category", "date or time"]
    (tmp_path / "release").rename(tmp_path / "first")
    frame.with_columns(pl.col("tap").dt.to_string("%Y-%m-%dT%H:%M:%S")).write_ndjson(tmp_path / "taps.jsonl")
    assert proven(tmp_path / "taps.jsonl", tmp_path, capsys)["reading"]["file_format"] == "jsonl"


@pytest.mark.parametrize(
    ("name", "separator", "labels"), [("a.lines", " ", "ABC"), ("a.lines", "|", "ABC"), ("a.dat", ",", "ABC")]
)
def test_lines_of_labels_are_published_with_the_separator_that_they_have(name, separator, labels, tmp_path, capsys):
    lines = [[labels[(line + step) % 3] for step in range(1 + line % 3)] for line in range(60)]
    (tmp_path / name).write_text("".join(separator.join(line) + "\n" for line in lines), encoding="utf-8")
    (tmp_path / "stations.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    found = inspected(tmp_path / name, capsys)
    assert found["reading"]["separator"] == separator
    assert found["questions"][0]["text"] == "Does the order of the labels in a line matter?"
    command = ["sequences" if word == "sets" else word for word in words(found, tmp_path)]
    assert read_by(command).sequences.to_lists() == [[labels.index(label) for label in line] for line in lines]
    assert main(command) == 0


def test_the_header_of_a_seq_file_serves_as_its_universe(tmp_path, capsys):
    (tmp_path / "a.seq").write_text("% names:\n\nnews sport\n\n% Sequences:\n\n" + "1 2 1\n" * 30, encoding="utf-8")
    found = inspected(tmp_path / "a.seq", capsys)
    assert found["rows"] == 30
    assert main(words(found, tmp_path)) == 0


def test_baskets_and_edges_are_recognised_and_published_with_the_printed_options(tmp_path, capsys):
    (tmp_path / "stations.txt").write_text("\n".join(map(str, range(20))) + "\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text(
        "customer\titem\n" + "".join(f"c{row // 3}\t{row % 7}\n" for row in range(90)), encoding="utf-8"
    )
    (tmp_path / "e.csv").write_text("u;v\n" + "".join(f"{row % 20};{row * 7 % 20}\n" for row in range(90)), encoding="utf-8")
    (tmp_path / "e.txt").write_text("# edges\n" + "".join(f"{row % 20}\t{row * 7 % 20}\n" for row in range(90)), encoding="utf-8")
    for name, kind in (("b.csv", "sets"), ("e.csv", "networks"), ("e.txt", "networks")):
        found = inspected(tmp_path / name, capsys)
        assert found["kind"] == kind
        found["command"] = found["command"].replace("VERTICES", "UNIVERSE").replace("FOLDER", f"{tmp_path}/{name}-out")
        assert main(words(found, tmp_path)) == 0, capsys.readouterr().err
        capsys.readouterr()


def test_one_odd_row_among_many_is_told_by_its_line_and_never_by_its_value(tmp_path, capsys):
    lines = written(";", TIMES["%d/%m/%Y %H:%M"]).splitlines() * 200
    lines = [lines[0], *(line for line in lines if not line.startswith("card"))]
    lines[9_999] = "zzsecretzz"
    lines[20_000] = "104;E;zzsecretzz"
    lines[30_001] = '104;"E"zzsecretzz;03/11/2026 08:15'
    lines[30_002] = ";E;03/11/2026 08:15"
    lines[30_003] = ""
    path = tmp_path / "taps.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = inspected(path, capsys)
    assert {rows["reason"]: rows["positions"] for rows in found["odd"]} == {
        "fewer fields than the first row": [10_000],
        "a misplaced quotation mark": [30_002],
        "tap: not a time as %d/%m/%Y %H:%M": [20_001],
        "card: no value": [30_003],
    }
    assert found["obstacles"] == []
    assert found["empty_lines"] == 1
    assert found["rows"] == len(lines) - 4
    assert main(["inspect", str(path)]) == 0
    printed = capsys.readouterr()
    assert "zzsecretzz" not in printed.out + printed.err
    assert "line 10,000 (publish leaves them out, or refuses the file with --strict)" in printed.out
    (tmp_path / "stations.txt").write_text("\n".join(STATIONS) + "\n", encoding="utf-8")
    assert main([*words(found, tmp_path), "--strict"]) == 1
    assert main(words(found, tmp_path)) == 0


def test_the_owner_is_asked_whether_the_day_or_the_month_comes_first_if_rows_do_not_tell(tmp_path, capsys):
    path = tmp_path / "taps.csv"
    path.write_text(
        "card;station;tap\n" + "".join(f"{row % 9};A;0{row % 9 + 1}/11/2026 08:15\n" for row in range(99)), encoding="utf-8"
    )
    asked = inspected(path, capsys)["questions"]
    assert [answer["options"] for answer in asked[0]["answers"]] == [
        ["--time-format", "%d/%m/%Y %H:%M"],
        ["--time-format", "%m/%d/%Y %H:%M"],
    ]
    assert asked[1]["about"] == "time zone"
    path.write_text(path.read_text(encoding="utf-8").replace("09/11", "29/11"), encoding="utf-8")
    assert [question["about"] for question in inspected(path, capsys)["questions"]] == ["time zone"]


def test_a_table_shows_types_and_decimal_commas_and_nothing_stands_in_the_way(tmp_path, capsys):
    rows = [
        f"{20 + row % 50};0{row % 90 + 10};{row},5;{'ja' if row % 3 else 'nein'};words that are {row} long;{'xyz'[row % 3]}"
        for row in range(99)
    ]
    (tmp_path / "t.csv").write_text("age;post;income;smoker;note;illness\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = inspected(tmp_path / "t.csv", capsys)
    assert [column["type"] for column in found["columns"]] == [
        "whole number",
        "category",
        "decimal number",
        "yes or no",
        "free text",
        "category",
    ]
    assert found["reading"]["decimal"] == ","
    assert found["kind"] == "tables"
    assert found["obstacles"] == []
    assert "--separator ';'" in found["command"]


def test_what_is_printed_is_marked_for_the_owner_and_no_value_of_a_row_is_written(tmp_path, capsys):
    path = tmp_path / "taps.csv"
    path.write_text(written(";", TIMES["%d/%m/%Y %H:%M"]), encoding="utf-8")
    assert main(["inspect", str(path)]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(OWNER_ONLY)
    assert "--separator ';' --person card --label station --time tap --time-format '%d/%m/%Y %H:%M'" in printed.out
    assert "Älmhult" not in printed.out
    assert printed.err == ""
    assert sorted(file.name for file in tmp_path.iterdir()) == ["tacita.toml", "taps.csv"]
    declared = (tmp_path / "tacita.toml").read_text(encoding="utf-8")
    assert not [station for station in STATIONS if f'"{station}"' in declared]
    assert str(PEOPLE * STEPS) not in declared


def test_a_configuration_that_exists_is_never_changed(tmp_path, capsys):
    (tmp_path / "taps.csv").write_text(written(";", TIMES["%d/%m/%Y %H:%M"]), encoding="utf-8")
    (tmp_path / "tacita.toml").write_text("kind = 'sets'\n", encoding="utf-8")
    assert main(["inspect", "taps.csv"]) == 0
    assert "tacita.toml exists, and stays as you declared it" in capsys.readouterr().out
    assert (tmp_path / "tacita.toml").read_text(encoding="utf-8") == "kind = 'sets'\n"
    assert main(["inspect", "taps.csv", "--config", "other.toml"]) == 0
    assert (tmp_path / "other.toml").exists()


def test_what_rows_cannot_settle_is_asked_at_a_terminal_and_left_open_without_one(tmp_path, capsys, monkeypatch):
    rows = "".join(f"c{row % 9};S{row % 3};0{row % 8 + 1}/0{row % 9 + 1}/2026 08:15\n" for row in range(90))
    (tmp_path / "taps.csv").write_text("card;station;tap\n" + rows, encoding="utf-8")
    assert main(["inspect", "taps.csv"]) == 0
    assert "fill in time-format, universe, epsilon" in capsys.readouterr().out
    (tmp_path / "tacita.toml").unlink()
    answers = iter(["", "3", "2"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["inspect", "taps.csv"]) == 0
    assert 'time-format = "%m/%d/%Y %H:%M"' in (tmp_path / "tacita.toml").read_text(encoding="utf-8")
    assert "fill in universe, epsilon" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["sequences", "streams", "sets"])
def test_a_kind_may_be_named_and_the_file_then_asks_for_what_that_kind_needs(tmp_path, kind):
    (tmp_path / "taps.csv").write_text(written(";", TIMES["%d/%m/%Y %H:%M"]), encoding="utf-8")
    assert main(["inspect", "taps.csv", "--kind", kind]) == 0
    found = read_configuration("tacita.toml")
    assert found.kind.name == kind
    assert ("contexts" in found.open_lines) == (kind == "streams")
    assert {"universe", "epsilon"} <= set(found.open_lines)


def sheet(path):
    """People and stations in a workbook."""
    write_workbook(path, [("card", "station"), *((f"c{row % 5}", "ABC"[row % 3]) for row in range(30))])


def test_a_file_of_excel_is_described_and_can_be_published(tmp_path, capsys):
    pytest.importorskip("python_calamine")
    sheet(tmp_path / "taps.xlsx")
    found = inspected(tmp_path / "taps.xlsx", capsys)
    assert (found["rows"], found["kind"], found["person"], found["label"]) == (30, "sets", "card", "station")
    assert found["obstacles"] == []
    assert "publish sets" in found["command"]


def test_a_workbook_under_another_name_must_be_renamed(tmp_path, capsys):
    pytest.importorskip("python_calamine")
    sheet(tmp_path / "taps.csv")
    found = inspected(tmp_path / "taps.csv", capsys)
    assert "rename it" in found["obstacles"][0]
    assert found["command"] is None


def test_without_the_extra_a_file_of_excel_names_the_command_that_installs_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    sheet(tmp_path / "taps.xlsx")
    assert main(["inspect", str(tmp_path / "taps.xlsx")]) == 1
    assert "pip install 'tacita[excel]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\n \n", "is empty"),
        ("a.parquet", b"id,label\n1,2\n", "is not a parquet file"),
        ("a.json", b'[{"id": 1}]', "jq -c '.[]'"),
        ("a.csv.gz", b"id,label\n1,2\n", "is not a complete gzip file"),
        ("a.parquet", b"PAR1 and nothing else", "damaged or incomplete"),
        ("a.xlsx", b"PK\x03\x04 and nothing else", "cannot be read as a file of Excel"),
    ],
)
def test_a_file_that_cannot_be_read_at_all_gets_a_sentence(name, content, sentence, tmp_path, capsys):
    (tmp_path / name).write_bytes(content)
    assert main(["inspect", str(tmp_path / name)]) == 1
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(("name", "sentence"), [("-", "standard input will not do"), ("nothing.csv", "nothing.csv")])
def test_what_is_not_a_file_is_refused(name, sentence, capsys):
    assert main(["inspect", name]) == 1
    assert sentence in capsys.readouterr().err
