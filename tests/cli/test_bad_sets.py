"""Whatever is wrong with baskets: one sentence, a code, nothing on disk, no traceback, and no record in the words."""

import gzip

import pytest

from commands import SECRET, listing, refused
from tacita.cli import main
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger

CSV = f"id,label\n1,A\n1,{SECRET}\n2,B\n"

WRONG = {
    "empty.csv": b"",
    "blank.dat": b" \n\n\t\n",
    "header.csv": b"id,label\n",
    "latin.csv": CSV.replace("A", "\xe9").encode("latin-1"),
    "latin.dat": "A B\n\xe9\n".encode("latin-1"),
    "ragged.csv": (CSV + f"3,{SECRET},9\n").encode(),
    "short.csv": (CSV + f"{SECRET}\n").encode(),
    "twice.csv": b"id,label,label\n1,A,A\n",
    "lacking.csv": f"id,item\n1,{SECRET}\n".encode(),
    "nameless.csv": f"id,label\n,{SECRET}\n".encode(),
    "itemless.csv": f"id,label\n{SECRET},\n".encode(),
    "nul.csv": CSV.encode() + b"4,A\0\n",
    "nul.lines": b"A,B\n\0\n",
    "outside.csv": CSV.encode(),
    "outside.dat": f"A {SECRET}\nB\n".encode(),
    "nobody.dat": f"{SECRET} {SECRET}\n{SECRET}\n".encode(),
    "quoted.lines": f'A,"{SECRET}\nB\n'.encode(),
    "cut.csv.gz": gzip.compress(CSV.encode() * 50)[:-20],
    "plain.dat.gz": b"A B\n",
    "broken.parquet": b"PAR1" + SECRET.encode() * 20,
    "broken.jsonl": f'{{"id": 1, "label": "{SECRET}"}}\n{{"id": 1, "la'.encode(),
    "fraction.jsonl": f'{{"id": 1.5, "label": "{SECRET}"}}\n'.encode(),
    "list.jsonl": f'{{"id": 1, "label": ["{SECRET}"]}}\n'.encode(),
    "broken.seq": f"{SECRET}\n".encode(),
    "words.seq": f"% x\nA B\n% x\n1 {SECRET}\n".encode(),
    "long.seq": b"% x\nA B\n% x\n1 12345678901\n",
    "double.txt": b"A\nB\nA\n",
    "nothing.txt": b"",
    "spaced.txt": b"A\nB B\n",
}

INPUTS = [
    ([], {"name": "none.csv"}, "does not exist"),
    ([], {"name": "folder.csv"}, "does not exist or is not a file"),
    ([], {"name": "baskets.txt"}, "must be clear from its ending"),
    ([], {"name": "empty.csv"}, "is empty"),
    ([], {"name": "blank.dat"}, "is empty"),
    ([], {"name": "header.csv"}, "has no rows"),
    ([], {"name": "latin.csv"}, "must be text in UTF-8, line 2 is not"),
    ([], {"name": "latin.dat"}, "must be text in UTF-8, line 2 is not"),
    (["--encoding", "klingon"], {}, "an encoding must be one that Python knows"),
    ([], {"name": "ragged.csv"}, "its rows must fit its columns, row 4 does not"),
    ([], {"name": "short.csv"}, "a value in the column 'label', row 4 has none"),
    ([], {"name": "twice.csv"}, "must have different names, got 'label' twice"),
    ([], {"name": "lacking.csv"}, "must have the columns id, label; give the names that it uses"),
    (["--label", "id"], {}, "id and label must be two different columns, got 'id' for both"),
    ([], {"name": "nameless.csv"}, "a value in the column 'id', row 1 has none"),
    ([], {"name": "itemless.csv"}, "a value in the column 'label', row 1 has none"),
    ([], {"name": "nul.csv"}, "must be text, line 5 holds a NUL character"),
    ([], {"name": "nul.lines"}, "must be text, line 2 holds a NUL character"),
    (["--strict"], {"name": "outside.csv"}, "must belong to the universe, but some do not"),
    (["--strict"], {"name": "outside.dat"}, "must belong to the universe, but some do not"),
    ([], {"name": "quoted.lines"}, "quotation mark"),
    ([], {"name": "cut.csv.gz"}, "is not a complete gzip file"),
    ([], {"name": "plain.dat.gz"}, "is not a complete gzip file"),
    ([], {"name": "broken.parquet"}, "cannot be read as parquet: it is not a complete file"),
    ([], {"name": "broken.jsonl"}, "every line must be one JSON object, line 2 is not"),
    ([], {"name": "fraction.jsonl"}, "the column 'id' must hold strings or whole numbers, line 1 does not"),
    ([], {"name": "list.jsonl"}, "the column 'label' must hold strings or whole numbers, line 1 does not"),
    ([], {"name": "broken.seq"}, "must begin with a .seq header"),
    ([], {"name": "words.seq"}, "must hold whole numbers separated by spaces, line 4 does not"),
    ([], {"name": "long.seq"}, "at most 9 digits, line 4 has a longer one"),
    (["--input-format", "dat", "--no-header"], {"name": "outside.csv"}, "the format dat has no header to choose"),
    (["--separator", "ab"], {"name": "outside.csv"}, "a separator must be one ASCII character"),
    (["--per-person", "cap=3"], {"name": "outside.csv"}, "name it as record"),
    (["--per-person", "some"], {"name": "outside.csv"}, "join or cap=N"),
    (["--record", "id"], {"name": "outside.csv"}, "a column of its own"),
    (["--record", "visit"], {"name": "outside.dat"}, "has one line per person and no ids"),
    ([], {"universe": "none.txt"}, "does not exist"),
    ([], {"universe": "double.txt"}, "must be distinct, got 'A' more than once"),
    ([], {"universe": "nothing.txt"}, "a universe must have at least one label"),
]

ONLY_PUBLISH = [
    (["--epsilon", "-1"], {}, "epsilon must be above 0, got -1"),
    (["--epsilon", "nan"], {}, "epsilon must be a finite number"),
    (["--epsilon", "inf"], {}, "epsilon must be a finite number"),
    (["--epsilon", "0"], {}, "epsilon must be above 0, got 0"),
    (
        [],
        {"name": "nobody.dat"},
        "nothing to publish: all labels outside the universe would be dropped; is this the right universe?",
    ),
    ([], {"out": "folder.csv"}, "must not exist yet"),
    (["--format", "parquet.gz"], {}, "parquet files are already compressed inside"),
    (["--format", "dat"], {"universe": "spaced.txt"}, "separates names by spaces, so no label may contain one"),
    (["--observed-universe"], {}, "give --universe or --observed-universe, not both"),
]


@pytest.fixture
def prepared(shop):
    """The small shop, a release of it, and inputs that are wrong in one way each."""
    assert publish(shop, out="release") == 0
    for name, content in WRONG.items():
        (shop / name).write_bytes(content)
    (shop / "baskets.txt").write_text("A B\n", encoding="utf-8")
    (shop / "folder.csv").mkdir()
    return shop


def publish(shop, *more, name="baskets.csv", universe="items.txt", out="out"):
    words = ["publish", str(shop / name), "--method", "item-counts", "--universe", str(shop / universe), "--out", str(shop / out)]
    return main([*words, *([] if "--epsilon" in more else ["--epsilon", "4"]), "--create-ledger", *more])


def spelled(case):
    more, rest, _ = case
    return " ".join([*more, *rest.values()])


@pytest.mark.parametrize("case", [*INPUTS, *ONLY_PUBLISH], ids=spelled)
def test_publish_refuses_what_is_wrong(prepared, capsys, case):
    more, rest, message = case
    before = listing(prepared)
    capsys.readouterr()
    refused(publish(prepared, *more, "--ledger", str(prepared / "owner.ledger"), **rest), capsys, message)
    assert listing(prepared) == before


@pytest.mark.parametrize("case", INPUTS, ids=spelled)
def test_evaluate_refuses_what_is_wrong(prepared, capsys, case):
    more, rest, message = case
    before = listing(prepared)
    capsys.readouterr()
    raw, universe = prepared / rest.get("name", "baskets.csv"), prepared / rest.get("universe", "items.txt")
    words = [
        "evaluate",
        str(raw),
        str(prepared / "release"),
        "--universe",
        str(universe),
        "--out",
        str(prepared / "figures.json"),
    ]
    refused(main([*words, *more]), capsys, message)
    assert listing(prepared) == before


def test_a_ledger_that_is_damaged_or_exhausted_is_refused_before_the_input_is_opened(shop, capsys):
    ledger = shop / "owner.ledger"
    Ledger.create(ledger).set_cap("none", PureDP("1"))
    before = listing(shop)
    refused(publish(shop, "--ledger", str(ledger), name="none.csv"), capsys, "epsilon 1 left of its cap 1, 4 was asked")
    assert listing(shop) == before
    ledger.write_bytes(b"no database at all" * 100)
    before = listing(shop)
    refused(publish(shop, "--ledger", str(ledger), name="none.csv"), capsys, "ledger")
    assert listing(shop) == before
