"""However a private file is written, the options say so, and what is read and published is the same."""

import io
import json
import sys

import polars as pl
import pytest

from commands import publish
from tacita.cli import main

ROWS = [(person, "AB"[time], time) for person in range(300) for time in range(2)]


def pairs(files, out="out"):
    """How many released sequences are A and then B."""
    frame = pl.read_csv(files / out / "sequences.csv") if (files / out / "sequences.csv").exists() else None
    assert frame is not None, sorted((files / out).iterdir())
    lists = frame.group_by(frame.columns[0], maintain_order=True).agg(pl.col(frame.columns[1]).str.join(""))
    return lists.filter(pl.col(frame.columns[1]) == "AB").height


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.tsv", "id\tlabel\ttime\n" + "".join(f"{i}\t{a}\t{t}\n" for i, a, t in ROWS), []),
        ("a.txt", "".join(f"{i}|{a}|{t}\n" for i, a, t in ROWS), ["--input-format", "csv", "--separator", "|", "--no-header"]),
        (
            "b.txt",
            "".join(f"{i}\t{a}\t{t}\n" for i, a, t in ROWS),
            ["--input-format", "csv", "--separator", "tab", "--no-header"],
        ),
        ("a.csv", "# by hand\nid,label,time\n" + "".join(f"{i},{a},{t}\n" for i, a, t in ROWS), ["--comment", "#"]),
        ("n.csv", "none of it\nid,label,time\n" + "".join(f"{i},{a},{t}\n" for i, a, t in ROWS), ["--comment", "none"]),
        ("q.csv", "id,label,time\n" + "".join(f"{i},{a},{t}\n" for i, a, t in ROWS) + '9999,",0\n', ["--quote", "none"]),
        ("b.csv", "id,label,time\n" + "".join(f"{i},'{a}',{t}\n" for i, a, t in ROWS), ["--quote", "'"]),
        ("c.csv", "id,label,time\n" + "".join(f"{i},{a},0{5 - t}/05/2026\n" for i, a, t in ROWS), ["--time-format", "%d/%m/%Y"]),
        ("d.csv", "id,label,time\n" + "".join(f"{i},{a},{t + 1}e9\n" for i, a, t in ROWS), ["--time-format", "epoch-s"]),
        ("e.lines", "A,B\n" * 300, ["--format", "csv"]),
        ("f.dat", "A B\n" * 300, ["--format", "csv"]),
        ("g.jsonl", "".join(f'{{"id": {i}, "label": "{a}", "time": {t}}}\n' for i, a, t in ROWS), ["--format", "csv"]),
    ],
)
def test_files_of_many_kinds_are_read_as_they_are(files, name, text, options):
    (files / name).write_text(text, encoding="utf-8")
    numbered = ["--person", "1", "--label", "2", "--time", "3"] if "--no-header" in options else []
    assert publish(files, *options, *numbered, name=name) == 0
    if name == "c.csv":
        assert pairs(files) < 100  # these times run backwards, so that B comes first
    else:
        assert abs(pairs(files) - 300) < 60


def test_an_encoding_is_followed(files):
    (files / "cafes.txt").write_text("café\nB\n", encoding="utf-8")
    (files / "latin.csv").write_bytes(("id,label,time\n" + "".join(f"{i},café,0\n" for i in range(300))).encode("latin-1"))
    assert publish(files, "--encoding", "latin-1", name="latin.csv", universe="cafes.txt") == 0
    assert "café" in (files / "out" / "sequences.csv").read_text(encoding="utf-8")


def test_records_of_a_person_are_joined_or_capped_and_the_guarantee_says_so(files):
    rows = [{"id": person, "day": day, "label": "AB"[day % 2], "time": day} for person in range(100) for day in range(4)]
    pl.DataFrame(rows).write_csv(files / "days.csv")
    assert publish(files, "--record", "day", name="days.csv", out="joined") == 0
    assert publish(files, "--record", "day", "--per-person", "cap=3", name="days.csv", out="capped") == 0
    units = [
        json.loads((files / out / "manifest.json").read_text(encoding="utf-8"))["guarantee"]["neighbours"]["unit"]
        for out in ("joined", "capped")
    ]
    assert units[0] == "one person's sequence"
    assert "at most 3" in units[1]
    assert publish(files, "--record", "day", "--per-person", "cap=3", "--dry-run", name="days.csv", out="new") == 0


def test_a_dry_run_promises_what_a_cap_on_records_gives(files, capsys):
    assert publish(files, "--record", "day", "--per-person", "cap=3", "--dry-run", "--json", name="none.csv") == 0
    assert "at most 3" in json.loads(capsys.readouterr().out)["guarantee"]["neighbours"]["unit"]


@pytest.fixture
def standard_input(monkeypatch):
    def give(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return give


def on_standard_input(files, *more):
    words = [
        "publish",
        "sequences",
        "-",
        "--method",
        "prefix-tree",
        "--height",
        "2",
        "--epsilon",
        "4",
        "--out",
        str(files / "out"),
    ]
    return main([*words, "--universe", str(files / "stations.txt"), *more])


def test_standard_input_is_read_if_its_name_and_format_are_given(files, standard_input, capsys):
    standard_input("id,label,time\n" + "".join(f"{i},{a},{t}\n" for i, a, t in ROWS))
    assert on_standard_input(files) == 1
    assert "give --dataset" in capsys.readouterr().err
    assert on_standard_input(files, "--dataset", "taps") == 1
    assert "its format must be named" in capsys.readouterr().err
    assert on_standard_input(files, "--dataset", "taps", "--input-format", "csv", "--dry-run") == 0
    assert on_standard_input(files, "--dataset", "taps", "--input-format", "csv") == 0
    assert abs(pairs(files) - 300) < 60


@pytest.mark.usefixtures("terminal")
def test_times_are_published_on_a_public_grid_and_shown_by_a_dry_run(files, capsys):
    grid = ["--time-start", "0", "--time-step", "2", "--time-intervals", "3"]
    assert publish(files, *grid, "--dry-run", name="taps.csv") == 0
    assert "times   3 intervals of 2, starting at 0" in capsys.readouterr().out
    assert publish(files, *grid, "--dry-run", "--json", name="taps.csv") == 0
    shown = json.loads(capsys.readouterr().out)
    assert publish(files, *grid, name="taps.csv") == 0
    manifest = json.loads((files / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert shown["time_grid"] == manifest["public_inputs"]["time_grid"]
    assert shown["explanation"]["plan"] == manifest["budget"]["plan"]
    assert set(pl.read_csv(files / "out" / "sequences.csv")["time"]) <= {0, 2, 4}
    assert "rows outside the universe or the time grid and are dropped" in capsys.readouterr().err


def test_a_hybrid_tree_with_times_needs_no_taxonomy(files, capsys):
    grid = ["--time-start", "0", "--time-step", "1", "--time-intervals", "4", "--granularity", "hybrid"]
    assert publish(files, *grid, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert publish(files, *grid) == 0
    words = ["--method", "prefix-tree", "--height", "2", "--epsilon", "4", "--universe", str(files / "stations.txt")]
    capsys.readouterr()
    assert main(["explain", "sequences", *words, *grid]) == 0
    explained = capsys.readouterr().out
    assert "level 2" in explained
    assert explained.split("\n\n")[0] in shown


def test_every_parameter_of_a_tree_reaches_the_manifest(files):
    more = ["--height", "private:3", "--fan-out", "2", "--inference", "corrected", "--lost", "continue", "--max-nodes", "1000"]
    assert publish(files, *more, "--threshold", "published") == 0
    told = json.loads((files / "out" / "manifest.json").read_text(encoding="utf-8"))
    parameters = told["mechanism"]["parameters"]
    assert parameters["granularity"] == "hybrid"
    assert parameters["height"] in {1, 2, 3}
    assert [parameters[name] for name in ("inference", "lost", "threshold", "max_nodes")] == [
        "corrected",
        "continue",
        "published",
        1000,
    ]
    assert "height" in {draw["step"] for draw in told["budget"]["draws"]}


def test_a_taxonomy_over_the_header_of_the_input_is_rehearsed_without_a_look(files):
    (files / "groups.csv").write_text("label,group\nA,x\nB,x\nC,y\n", encoding="utf-8")
    more = ["--taxonomy", str(files / "groups.csv"), "--dry-run"]
    assert publish(files, *more, name="none.seq", universe="none.seq") == 0
