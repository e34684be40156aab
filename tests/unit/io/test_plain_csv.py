"""The quick way for plain CSV files finds the same people as the careful one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.io import LongColumns, csv_rows, read_long
from tacita.io.csv_rows import plain_frame
from tacita.io.sources import plain_file
from tacita.public.universe import Universe

UNIVERSE = Universe(["a", "bc", "7"])
usual = st.integers(-(10**18), 10**18).map(str)
unusual = st.from_regex(r"[+-]?0{0,3}[0-9]{1,4}", fullmatch=True)
rows_of = st.lists(
    st.tuples(st.one_of(usual, unusual), st.sampled_from([*UNIVERSE.labels, "other"]), st.one_of(usual, unusual)), min_size=1
)


UNTIMED = LongColumns(time=None)


def lists(path, columns):
    found, dropped = read_long(path, universe=UNIVERSE, columns=columns)
    rows = found.to_lists()
    return sorted(sorted(row) for row in rows) if columns.time is None else rows, dropped


@pytest.mark.parametrize("columns", [LongColumns(), UNTIMED], ids=["with times", "without"])
@given(rows=rows_of, ending=st.sampled_from(["", "\n", "\r"]))
def test_both_ways_read_the_same_lists(tmp_path_factory, columns, rows, ending):
    path = tmp_path_factory.mktemp("plain") / "rows.csv"
    lines = [",".join(row[: len(columns.names)]) for row in [("id", "label", "time"), *rows]]
    path.write_text(lines[0] + "\n" + "".join(f"{line}{ending}\n" for line in lines[1:]), encoding="utf-8", newline="")
    quick = lists(path, columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "plain_frame", lambda *_, **__: None)
        assert lists(path, columns) == quick


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("id,label\n7,a\n-12,bc\n", True),
        ("label,id\na,7\n", True),
        ("id,label\n007,a\n", False),
        ("id,label\nx,a\n", False),
        ("id,label\n7,\n", False),
        ("id,label,time\n7,a,1\n-12,bc,0\n", True),
        ("time,id,label\n7,8,a\n", True),
        ("id,label,time\n007,a,1\n", False),
        ("id,label,time\n7,a,01\n", False),
        ("id,label,time\n+7,a,1\n", False),
        ("id,label,time\n7,a,1\n\n", False),
        ("id,label,time\nx,a,1\n", False),
        ("id,label,time\n,a,1\n", False),
        ("id,label,time,more\n7,a,1,2\n", False),
    ],
)
def test_a_file_is_plain_only_if_every_number_has_its_shortest_text(tmp_path, text, is_plain):
    path = tmp_path / "rows.csv"
    path.write_text(text, encoding="utf-8", newline="")
    header = text.split("\n")[0].split(",")
    columns = LongColumns() if "time" in header else UNTIMED
    assert (plain_frame(plain_file(path), header, columns=columns, separator=",") is not None) == is_plain
