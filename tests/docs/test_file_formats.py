"""The page about file formats is true."""

import gzip
import re
from pathlib import Path

import polars as pl

from tacita.formats import LISTS, formats_of

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "file-formats.md").read_text(encoding="utf-8")


def test_its_code_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("taps.csv").write_text("id,label,time\n1,Viau,2\n1,Berri,1\n", encoding="utf-8")
    Path("trips.txt").write_text("# log\ncard;stop;when;trip\n1;'Viau';02/01/2024 10:00;x\n", encoding="latin-1")
    Path("groceries.csv.gz").write_bytes(gzip.compress(b'milk,"rolls, buns"\nmilk\n'))
    pl.DataFrame({"card": [1, 2, 1], "item": ["rolls, buns", "milk", "milk"]}).write_parquet("visits.parquet")
    names = {}
    code, _ = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)  # the other is a module
    exec(compile(code, "file-formats.md", "exec"), names)
    found = {name: names[name].sequences.to_lists() for name in ("taps", "trips")}
    assert found == {"taps": [[0, 2]], "trips": [[2]]}
    sets = {name: names[name].baskets.to_lists() for name in ("baskets", "visits")}
    assert sets == {"baskets": [[0, 1], [0]], "visits": [[0, 1], [0]]}
    assert names["trips"].records_per_person == 3


ROWS = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", PAGE, flags=re.MULTILINE)


def test_its_table_says_what_the_formats_are_registered_as():
    listed = {known.name: (", ".join(f"`{ending}`" for ending in known.endings), known.about) for known in formats_of(*LISTS)}
    assert {name: (endings, about) for name, endings, about in ROWS} == listed
