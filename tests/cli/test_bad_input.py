"""Whatever is wrong with what comes in: one sentence, a code, nothing on disk, no traceback, and no record in the words.

What can be wrong with a file of any kind is swept over all kinds; what only some formats or options of lists can have wrong
follows, for sequences and sets together.
"""

import gzip
import shutil
from pathlib import Path

import polars as pl
import pytest

from commands import SECRET, listing, publish, refused
from small_kinds import SMALL
from tacita import kinds
from tacita.cli import main
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger


def test_every_kind_is_swept():
    assert set(SMALL) == set(kinds.kinds())


def wrong_files(small):
    """Files that are wrong in one way each, with what is said of them."""
    header, first, *_ = small.csv.splitlines()
    columns = header.split(b",")
    values = [SECRET.encode()] * len(columns)
    return {
        "empty.csv": (b"", "is empty"),
        "header.csv": (header + b"\n", "no rows|no edges"),
        "twice.csv": (
            header + b"," + columns[1] + b"\n" + first + b",A\n",
            f"must have different names, got '{columns[1].decode()}' twice",
        ),
        "lacking.csv": (
            b",".join(columns[:-1]) + b"\n" + b",".join(values[:-1]) + b"\n",
            f"must have the columns {', '.join(map(bytes.decode, columns))}|must have two columns",
        ),
        "cut.csv.gz": (gzip.compress(small.csv * 50)[:-20], "is not a complete gzip file"),
        "plain.csv.gz": (small.csv, "is not a complete gzip file"),
        "broken.parquet": (b"PAR1" + SECRET.encode() * 20, "cannot be read as parquet: it is not a complete file"),
        "broken.jsonl": (f'{{"{SECRET}": 1, "la'.encode(), "not a JSON object"),
    }


@pytest.mark.parametrize("kind", SMALL)
def test_a_file_that_is_wrong_is_refused_by_every_kind(kind, tmp_path, capsys):
    small = SMALL[kind]
    for name, (data, message) in wrong_files(small).items():
        words = small.lay_out(tmp_path, data, name=name)
        before = listing(tmp_path)
        refused(main(words), capsys, message)
        assert listing(tmp_path) == before, name


@pytest.mark.parametrize("kind", SMALL)
def test_a_row_that_does_not_fit_stops_no_kind_and_nothing_tells_of_it(kind, tmp_path, capsys):
    small = SMALL[kind]
    header, first, *_ = small.csv.splitlines()
    values = [SECRET.encode()] * header.count(b",")
    odd = ["\xe9".encode("latin-1"), b",".join([*values, b"x", b"y"]), b",".join(values), b"\0" + first[1:], b'"' + first]
    words = small.lay_out(tmp_path, small.csv + b"\n".join(odd) + b"\n", name="odd.csv")
    assert main(words) == 0
    said = capsys.readouterr()
    assert "not fit" not in said.out + said.err
    shown = "".join(path.read_text(encoding="utf-8") for path in Path(words[-1]).iterdir())
    assert SECRET not in shown
    assert "do not fit and are" not in shown


@pytest.mark.parametrize("kind", SMALL)
def test_a_path_or_a_folder_that_is_wrong_is_refused_by_every_kind(kind, tmp_path, capsys):
    small = SMALL[kind]
    words = small.lay_out(tmp_path)
    assert main(words) == 0
    capsys.readouterr()
    before = listing(tmp_path)
    refused(main(words), capsys, "must not exist yet")
    refused(main([*words[:2], str(tmp_path / "none.csv"), *words[3:-1], str(tmp_path / "other")]), capsys, "does not exist")
    (tmp_path / "folder.csv").mkdir()
    refused(main([*words[:2], str(tmp_path / "folder.csv"), *words[3:-1], str(tmp_path / "other")]), capsys, "is not a file")
    (tmp_path / "folder.csv").rmdir()
    assert listing(tmp_path) == before


@pytest.mark.parametrize("kind", [kind for kind, small in SMALL.items() if "--epsilon" in small.words])
@pytest.mark.parametrize(
    ("epsilon", "message"),
    [("-1", "must be above 0, got -1"), ("0", "must be above 0, got 0"), ("nan", "finite number"), ("inf", "finite number")],
)
def test_an_epsilon_that_is_none_is_refused_by_every_kind(kind, epsilon, message, tmp_path, capsys):
    words = SMALL[kind].lay_out(tmp_path)
    words[words.index("--epsilon") + 1] = epsilon
    before = listing(tmp_path)
    refused(main(words), capsys, message)
    assert listing(tmp_path) == before


GRID = ["--time-start", "0", "--time-step", "1", "--time-intervals", "4"]
CSV = f"id,label,time\n1,A,0\n1,{SECRET},1\n2,B,0\n"
WRONG = {
    "untimed.csv": f"id,label,time\n1,A,\n1,{SECRET},1\n".encode(),
    "nonsense.csv": f"id,label,time\n1,A,0\n1,B,{SECRET}\n".encode(),
    "dates.csv": b"id,label,time\n1,A,2026-05-04\n",
    "anonymous.csv": f"id,label,time\n,{SECRET},0\n".encode(),
    "unlabelled.csv": f"id,label,time\n{SECRET},,0\n".encode(),
    "outside.csv": CSV.encode(),
    "outside.dat": f"A {SECRET}\nB\n".encode(),
    "nobody.dat": f"{SECRET} {SECRET}\n{SECRET}\n".encode(),
    "blank.dat": b" \n\n\t\n",
    "latin.dat": "A B\n\xe9\n".encode("latin-1"),
    "baskets.txt": b"A B\n",
    "nul.lines": b"A,B\n\0\n",
    "quoted.lines": f'A,"{SECRET}\nB\n'.encode(),
    "fraction.jsonl": f'{{"id": 1.5, "label": "{SECRET}", "time": 0}}\n'.encode(),
    "list.jsonl": f'{{"id": 1, "label": ["{SECRET}"], "time": 0}}\n'.encode(),
    "broken.seq": f"{SECRET}\n".encode(),
    "words.seq": f"% x\nA B\n% x\n1 {SECRET}\n".encode(),
    "long.seq": b"% x\nA B\n% x\n1 12345678901\n",
    "circle.csv": b"label,group\nA,x\nB,x\nC,y\nx,y\ny,x\n",
    "orphan.csv": b"label,group\nA,x\nB,x\n",
    "childless.csv": b"label,group\nA,x\nB,x\nC,x\nD,y\n",
    "parents.csv": b"label,group\nA,x\nB,x\nC,y\nC,x\n",
    "gap.csv": b"label,group\nA,x\nB,\nC,x\n",
    "double.txt": b"A\nB\nA\n",
    "nothing.txt": b"",
    "spaced.txt": b"A\nB B\n",
}
LISTS = ("sequences", "sets")


@pytest.fixture(scope="module", params=LISTS)
def prepared_once(request, tmp_path_factory):
    """Lists of a kind, a release of them, and inputs and taxonomies that are wrong in one way each."""
    folder = tmp_path_factory.mktemp(request.param)
    assert main([*SMALL[request.param].lay_out(folder, name="taps.csv")[:-1], str(folder / "release")]) == 0
    for name, content in WRONG.items():
        (folder / name).write_bytes(content)
    return request.param, folder


@pytest.fixture
def prepared(prepared_once, tmp_path, monkeypatch, capsys):
    kind, made = prepared_once
    folder = tmp_path / "lists"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    capsys.readouterr()
    return kind, folder


INPUTS = [
    (["--encoding", "klingon"], {}, "an encoding must be one that Python knows"),
    ([], {"name": "anonymous.csv"}, "'id': no value"),
    ([], {"name": "unlabelled.csv"}, "'label': no value"),
    (["--strict"], {"name": "outside.csv"}, "must belong to the universe, but some do not"),
    (["--strict"], {"name": "outside.dat"}, "must belong to the universe, but some do not"),
    ([], {"name": "blank.dat"}, "is empty"),
    (["--strict"], {"name": "latin.dat"}, "not text in the encoding"),
    ([], {"name": "baskets.txt"}, "must be clear from its ending"),
    (["--strict"], {"name": "nul.lines"}, "with a NUL"),
    (["--strict"], {"name": "quoted.lines"}, "quotation mark|has no records"),
    (["--strict"], {"name": "list.jsonl"}, "must belong to the universe, but some do not"),
    ([], {"name": "broken.seq"}, "must begin with a .seq header"),
    (["--strict"], {"name": "words.seq"}, "not whole numbers of at most 9 digits"),
    (["--strict"], {"name": "long.seq"}, "not whole numbers of at most 9 digits"),
    (["--input-format", "parquet"], {"name": "outside.csv"}, "cannot be read as parquet: it is not a complete file"),
    (["--input-format", "dat", "--no-header"], {"name": "outside.csv"}, "the format dat has no header to choose"),
    (["--separator", "ab"], {"name": "outside.csv"}, "a separator must be one ASCII character"),
    (["--quote", ",", "--separator", ","], {"name": "outside.csv"}, "separator and quote must differ"),
    (
        ["--label", "id"],
        {},
        "person, label and time must be three different columns|person and label must be two different columns",
    ),
    (["--per-person", "cap=3"], {"name": "outside.csv"}, "name it as record"),
    (["--per-person", "some"], {"name": "outside.csv"}, "join or cap=N"),
    (["--record", "id"], {"name": "outside.csv"}, "a column of its own"),
    (["--record", "visit"], {"name": "outside.dat"}, "has one line per person and no ids"),
    ([], {"universe": "none.txt"}, "does not exist"),
    ([], {"universe": "double.txt"}, "must be distinct, got 'A' more than once"),
    ([], {"universe": "nothing.txt"}, "a universe must have at least one label"),
]

TIMED_INPUTS = [
    ([], {"name": "untimed.csv"}, "'time': not a time"),
    (["--strict"], {"name": "nonsense.csv"}, "'time': not a time"),
    (["--time-format", "sometimes"], {"name": "outside.csv"}, "a time format must be auto, iso"),
    (["--time-format", "epoch-s", "--time-zone", "Europe/London"], {"name": "outside.csv"}, "take no zone"),
    (["--time-zone", "Mars/Base"], {"name": "outside.csv"}, "a time zone must be in the time zone database"),
]

ONLY_PUBLISH = [
    (
        [],
        {"name": "nobody.dat"},
        "nothing to publish: no label is in the universe",
    ),
    (["--format", "parquet.gz"], {}, "parquet files are already compressed inside"),
    (["--format", "dat"], {"universe": "spaced.txt"}, "separates names by spaces, so no label may contain one"),
    (["--observed-universe"], {}, "give --universe, --cells or --observed-universe, not several"),
]

ONLY_PREFIX_TREES = [
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
    (GRID[:4], {}, "--time-intervals is missing"),
    (GRID, {"name": "dates.csv"}, "is this the right universe, and grid"),
    ([*GRID, "--format", "dat"], {}, "the format dat cannot hold times"),
    ([*GRID, "--strict"], {"name": "outside.csv"}, "must belong to the universe, and every time to the grid"),
    (GRID, {"name": "broken.seq"}, "the format seq cannot hold times"),
]


def spelled(case):
    more, rest, _ = case
    return " ".join([*more, *rest.values()])


def refused_with_nothing_left(words, folder, capsys, message):
    before = listing(folder)
    refused(main(words), capsys, message)
    assert listing(folder) == before


def publishing(kind, *more, name="taps.csv", universe="labels.txt"):
    return ["publish", kind, name, *SMALL[kind].words, "--universe", universe, "--out", "out", *more]


@pytest.mark.parametrize("case", [*INPUTS, *ONLY_PUBLISH], ids=spelled)
def test_publish_refuses_what_is_wrong(prepared, capsys, case):
    (kind, folder), (more, rest, message) = prepared, case
    refused_with_nothing_left(publishing(kind, *more, **rest), folder, capsys, message)


@pytest.mark.parametrize("prepared_once", ["sequences"], indirect=True)
@pytest.mark.parametrize("case", [*TIMED_INPUTS, *ONLY_PREFIX_TREES], ids=spelled)
def test_publish_refuses_what_is_wrong_with_times_and_trees(prepared, capsys, case):
    (kind, folder), (more, rest, message) = prepared, case
    refused_with_nothing_left(publishing(kind, *more, **rest), folder, capsys, message)


@pytest.mark.parametrize("case", INPUTS, ids=spelled)
def test_evaluate_refuses_what_is_wrong(prepared, capsys, case):
    (_, folder), (more, rest, message) = prepared, case
    universe = rest.get("universe", "labels.txt")
    words = ["evaluate", rest.get("name", "taps.csv"), "release", "--universe", universe, "--out", "figures.json", *more]
    refused_with_nothing_left(words, folder, capsys, message)


def damage(folder):
    with next(folder.glob("*.csv")).open("ab") as file:
        file.write(b"x")


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (damage, "it was changed after"),
        (lambda folder: next(folder.glob("*.csv")).unlink(), "does not exist"),
        (lambda folder: (folder / "manifest.json").unlink(), "must hold a readable manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "does not follow the schema"),
    ],
)
def test_evaluate_refuses_a_release_that_is_not_whole(prepared, capsys, harm, message):
    _, folder = prepared
    harm(folder / "release")
    refused_with_nothing_left(["evaluate", "taps.csv", "release", "--universe", "labels.txt"], folder, capsys, message)


def test_evaluate_refuses_another_universe_and_a_file_in_the_release(prepared, capsys):
    _, folder = prepared
    words = ["evaluate", "taps.csv", "release", "--universe"]
    refused_with_nothing_left([*words, "spaced.txt"], folder, capsys, "made with a different universe")
    for inside in ("release/figures.json", "release/../release/figures.json"):
        refused_with_nothing_left([*words, "labels.txt", "--out", inside], folder, capsys, "must lie outside the release folder")
    refused_with_nothing_left([*words, "labels.txt", "--out", "taps.csv"], folder, capsys, "must not exist yet")


@pytest.mark.usefixtures("terminal")
def test_labels_outside_the_universe_are_told_on_standard_error_only(files, capsys):
    (files / "outside.csv").write_text(CSV, encoding="utf-8")
    assert publish(files, name="outside.csv") == 0
    printed = capsys.readouterr()
    assert "for your eyes only: 1 of 3 were labels outside the universe and are dropped" in printed.err
    assert "dropped" not in printed.out
    assert SECRET not in printed.out + printed.err
    written = "".join((files / "out" / name).read_text(encoding="utf-8") for name in ("manifest.json", "README.md"))
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
    said = capsys.readouterr().err
    assert said.startswith("tacita publish sequences: error: ")
    assert said.endswith("see tacita publish sequences --help\n")
    assert listing(files) == before


def test_a_file_of_which_nothing_is_left_is_neither_published_nor_evaluated(files, capsys):
    """It is told to the owner before anything is spent: the universe is probably another file's."""
    pl.DataFrame({"id": [1], "label": ["elsewhere"], "time": [0]}).write_csv(files / "nobody.csv")
    before = listing(files)
    assert publish(files, "--ledger", str(files / "owner.ledger"), name="nobody.csv") == 1
    assert "nothing to publish: no label is in the universe" in capsys.readouterr().err
    assert listing(files) == before
    assert publish(files) == 0
    capsys.readouterr()
    words = ["evaluate", str(files / "nobody.csv"), str(files / "out"), "--universe", str(files / "stations.txt")]
    assert main(words) == 1
    assert "a report needs at least one raw record" in capsys.readouterr().err


def test_a_ledger_that_is_damaged_or_exhausted_is_refused_before_the_input_is_opened(files, capsys):
    ledger = files / "owner.ledger"
    Ledger.create(ledger).set_cap("none", PureDP("1"))
    before = listing(files)
    words = ["publish", "sequences", str(files / "none.csv"), "--method", "prefix-tree", "--height", "2", "--epsilon", "4"]
    words += ["--universe", str(files / "stations.txt"), "--ledger", str(ledger), "--out", str(files / "out")]
    refused(main(words), capsys, "epsilon 1 left of its cap 1, 4 was asked")
    assert listing(files) == before
    ledger.write_bytes(b"no database at all" * 100)
    before = listing(files)
    refused(main(words), capsys, "ledger")
    assert listing(files) == before
