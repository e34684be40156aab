"""Whatever is wrong with what comes in: one sentence, a code, nothing on disk, no traceback, and no record in the words."""

import gzip

import polars as pl
import pytest

from commands import SECRET, listing, publish, refused
from tacita.cli import main

GRID = ["--time-start", "0", "--time-step", "1", "--time-intervals", "4"]
CSV = f"id,label,time\n1,A,0\n1,{SECRET},1\n2,B,0\n"


@pytest.fixture
def prepared(files):
    """The small agency, a release of it, and inputs and taxonomies that are wrong in one way each."""
    assert publish(files, out="release") == 0
    for name, content in {
        "empty.csv": b"",
        "header.csv": b"id,label,time\n",
        "latin.csv": CSV.replace("A", "\xe9").encode("latin-1"),
        "ragged.csv": (CSV + f"3,{SECRET}\n").encode(),
        "wider.csv": (CSV + f"3,{SECRET},1,2\n").encode(),
        "twice.csv": b"id,label,label,time\n1,A,A,0\n",
        "lacking.csv": f"id,label\n1,{SECRET}\n".encode(),
        "untimed.csv": f"id,label,time\n1,A,\n1,{SECRET},1\n".encode(),
        "nonsense.csv": f"id,label,time\n1,A,0\n1,B,{SECRET}\n".encode(),
        "dates.csv": b"id,label,time\n1,A,2026-05-04\n",
        "anonymous.csv": f"id,label,time\n,{SECRET},0\n".encode(),
        "nul.csv": CSV.encode() + b"4,A\0,1\n",
        "outside.csv": CSV.encode(),
        "cut.csv.gz": gzip.compress(CSV.encode() * 50)[:-20],
        "plain.csv.gz": CSV.encode(),
        "broken.parquet": b"PAR1" + SECRET.encode() * 20,
        "broken.jsonl": f'{{"id": 1, "label": "{SECRET}", "time": 0}}\n{{"id": 1, "la'.encode(),
        "broken.seq": f"{SECRET}\n".encode(),
        "numbers.csv": f"{SECRET},label,time\n1,A,0\n".encode(),
        "circle.csv": b"label,group\nA,x\nB,x\nC,y\nx,y\ny,x\n",
        "orphan.csv": b"label,group\nA,x\nB,x\n",
        "childless.csv": b"label,group\nA,x\nB,x\nC,x\nD,y\n",
        "parents.csv": b"label,group\nA,x\nB,x\nC,y\nC,x\n",
        "gap.csv": b"label,group\nA,x\nB,\nC,x\n",
        "double.txt": b"A\nB\nA\n",
        "nothing.txt": b"",
    }.items():
        (files / name).write_bytes(content)
    (files / "folder.csv").mkdir()
    return files


INPUTS = [
    ([], {"name": "none.csv"}, "does not exist"),
    ([], {"name": "folder.csv"}, "does not exist or is not a file"),
    ([], {"name": "empty.csv"}, "is empty"),
    ([], {"name": "latin.csv"}, "must be text in UTF-8, line 2 is not"),
    (["--encoding", "klingon"], {}, "an encoding must be one that Python knows"),
    ([], {"name": "ragged.csv"}, "a value in the column 'time', row 4 has none"),
    ([], {"name": "wider.csv"}, "its rows must fit its columns, row 4 does not"),
    ([], {"name": "twice.csv"}, "must have different names, got 'label' twice"),
    ([], {"name": "lacking.csv"}, "must have the columns id, label, time"),
    ([], {"name": "untimed.csv"}, "a value in the column 'time', row 1 has none"),
    ([], {"name": "nonsense.csv"}, "times as numbers or ISO dates"),
    ([], {"name": "anonymous.csv"}, "a value in the column 'id', row 1 has none"),
    ([], {"name": "nul.csv"}, "must be text, line 5 holds a NUL character"),
    (["--strict"], {"name": "outside.csv"}, "must belong to the universe, but some do not"),
    ([], {"name": "cut.csv.gz"}, "is not a complete gzip file"),
    ([], {"name": "plain.csv.gz"}, "is not a complete gzip file"),
    ([], {"name": "broken.parquet"}, "cannot be read as parquet: it is not a complete file"),
    ([], {"name": "broken.jsonl"}, "every line must be one JSON object, line 2 is not"),
    ([], {"name": "broken.seq"}, "must begin with a .seq header"),
    (["--input-format", "parquet"], {"name": "outside.csv"}, "cannot be read as parquet: it is not a complete file"),
    (["--input-format", "dat", "--no-header"], {"name": "outside.csv"}, "the format dat has no header to choose"),
    (["--separator", "ab"], {"name": "outside.csv"}, "a separator must be one ASCII character"),
    (["--quote", ","], {"name": "outside.csv", "more": ["--separator", ","]}, "separator and quote must differ"),
    (["--time-format", "sometimes"], {"name": "outside.csv"}, "a time format must be auto, iso"),
    (["--time-format", "epoch-s", "--time-zone", "Europe/London"], {"name": "outside.csv"}, "take no zone"),
    (["--time-zone", "Mars/Base"], {"name": "outside.csv"}, "a time zone must be in the time zone database"),
    (["--per-person", "cap=3"], {"name": "outside.csv"}, "name it as record"),
    (["--per-person", "some"], {"name": "outside.csv"}, "join or cap=N"),
    (["--record", "id"], {"name": "outside.csv"}, "a column of its own"),
    ([], {"universe": "none.txt"}, "does not exist"),
    ([], {"universe": "double.txt"}, "must be distinct, got 'A' more than once"),
    ([], {"universe": "nothing.txt"}, "a universe must have at least one label"),
]

ONLY_PUBLISH = [
    (["--epsilon", "-1"], {}, "epsilon must be above 0, got -1"),
    (["--epsilon", "nan"], {}, "epsilon must be a finite number"),
    (["--epsilon", "0"], {}, "epsilon must be above 0, got 0"),
    (["--height", "0"], {}, "height must be a whole number of at least 1, got 0"),
    (["--height", "private:0"], {}, "longest must be a whole number of at least 1, got 0"),
    (["--max-nodes", "0"], {}, "max_nodes must be a whole number of at least 1, got 0"),
    (["--granularity", "hybrid"], {}, "a hybrid tree must have a taxonomy, or times and a universe"),
    (["--granularity", "simple", "--fan-out", "2"], {}, "a simple tree does not use a taxonomy"),
    (["--fan-out", "1"], {}, "a fan-out must be a whole number of at least 2, got 1"),
    (["--taxonomy", "circle.csv"], {}, "so its parents form a cycle"),
    (["--taxonomy", "orphan.csv"], {}, "must have a place in the taxonomy, but 'C' has no parent"),
    (["--taxonomy", "childless.csv"], {}, "every leaf must be a label of the universe, but the leaf 'D'"),
    (["--taxonomy", "parents.csv"], {}, "a node must have one parent, but 'C' has two"),
    (["--taxonomy", "gap.csv"], {}, "line 3 lacks one"),
    (["--taxonomy", "none.csv"], {}, "does not exist"),
    (["--taxonomy", "circle.csv", "--taxonomy-columns", "label,line"], {}, "line is missing"),
    ([], {"out": "release"}, "must not exist yet"),
    (GRID[:4], {}, "--time-intervals is missing"),
    (GRID, {"name": "dates.csv"}, "the time grid is one of numbers"),
    ([*GRID, "--format", "dat"], {}, "the format dat cannot hold times"),
    ([*GRID, "--strict"], {"name": "outside.csv"}, "must belong to the universe, and every time to the grid"),
    (GRID, {"name": "broken.seq"}, "the format seq cannot hold times"),
    (["--format", "parquet.gz"], {}, "parquet files are already compressed inside"),
]


def spelled(case):
    more, rest, _ = case
    return " ".join([*more, *map(str, rest.values())])


@pytest.mark.parametrize("case", [*INPUTS, *ONLY_PUBLISH], ids=spelled)
def test_publish_refuses_what_is_wrong(prepared, capsys, monkeypatch, case):
    more, rest, message = case
    monkeypatch.chdir(prepared)
    before = listing(prepared)
    capsys.readouterr()
    rest = dict(rest)
    words = [*more, *rest.pop("more", [])]
    refused(publish(prepared, *words, **rest), capsys, message)
    assert listing(prepared) == before


@pytest.mark.parametrize("case", INPUTS, ids=spelled)
def test_evaluate_refuses_what_is_wrong(prepared, capsys, case):
    more, rest, message = case
    before = listing(prepared)
    capsys.readouterr()
    raw, universe = prepared / rest.get("name", "taps.csv"), prepared / rest.get("universe", "stations.txt")
    words = [
        "evaluate",
        str(raw),
        str(prepared / "release"),
        "--universe",
        str(universe),
        "--out",
        str(prepared / "figures.json"),
    ]
    refused(main([*words, *more, *rest.get("more", [])]), capsys, message)
    assert listing(prepared) == before


def damage(folder):
    with (folder / "sequences.parquet").open("ab") as file:
        file.write(b"x")


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (damage, "it was changed after"),
        (lambda folder: (folder / "sequences.parquet").unlink(), "does not exist"),
        (lambda folder: (folder / "manifest.json").unlink(), "must hold a readable manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "does not follow the schema"),
    ],
)
def test_evaluate_refuses_a_release_that_is_not_whole(prepared, capsys, harm, message):
    harm(prepared / "release")
    capsys.readouterr()
    words = ["evaluate", str(prepared / "taps.csv"), str(prepared / "release"), "--universe", str(prepared / "stations.txt")]
    refused(main(words), capsys, message)


def test_evaluate_refuses_another_universe_and_a_file_in_the_release(prepared, capsys):
    capsys.readouterr()
    words = ["evaluate", str(prepared / "taps.csv"), str(prepared / "release"), "--universe"]
    refused(main([*words, str(prepared / "blanks.txt")]), capsys, "made with a different universe")
    inside = prepared / "release" / "figures.json"
    refused(main([*words, str(prepared / "stations.txt"), "--out", str(inside)]), capsys, "must lie outside the release folder")
    around = prepared / "release" / ".." / "release" / "figures.json"
    refused(main([*words, str(prepared / "stations.txt"), "--out", str(around)]), capsys, "must lie outside the release folder")
    taken = prepared / "taps.csv"
    refused(main([*words, str(prepared / "stations.txt"), "--out", str(taken)]), capsys, "must not exist yet")
    assert not inside.exists()


@pytest.mark.usefixtures("terminal")
def test_labels_outside_the_universe_are_told_on_standard_error_only(prepared, capsys):
    capsys.readouterr()
    assert publish(prepared, name="outside.csv") == 0
    printed = capsys.readouterr()
    assert "for your eyes only: 1 of 3 were labels outside the universe and are dropped" in printed.err
    assert "dropped" not in printed.out
    assert SECRET not in printed.out + printed.err
    written = "".join((prepared / "out" / name).read_text(encoding="utf-8") for name in ("manifest.json", "README.md"))
    assert SECRET not in written


@pytest.mark.parametrize(
    "words",
    [
        ["--granularity", "coarse"],
        ["--height", "high"],
        ["--height", "private:"],
        ["--input-format", "xls"],
        ["--time-intervals", "few"],
        ["--inference", "wild"],
    ],
)
def test_values_that_no_option_takes_are_wrong_usage(files, words, capsys):
    before = listing(files)
    with pytest.raises(SystemExit) as caught:
        publish(files, *words)
    assert caught.value.code == 2
    assert "usage: tacita publish" in capsys.readouterr().err
    assert listing(files) == before


def test_a_file_of_which_nothing_is_left_is_neither_published_nor_evaluated(prepared, capsys):
    """It is told to the owner before anything is spent: the universe is probably another file's."""
    pl.DataFrame({"id": [1], "label": ["elsewhere"], "time": [0]}).write_csv(prepared / "nobody.csv")
    before = listing(prepared)
    assert publish(prepared, "--ledger", str(prepared / "owner.ledger"), name="nobody.csv") == 1
    assert "nothing to publish: all labels outside the universe would be dropped" in capsys.readouterr().err
    assert listing(prepared) == before
    assert publish(prepared) == 0
    capsys.readouterr()
    words = ["evaluate", str(prepared / "nobody.csv"), str(prepared / "out"), "--universe", str(prepared / "stations.txt")]
    assert main(words) == 1
    assert "a report needs one raw record at least" in capsys.readouterr().err
