"""The quick way for plain CSV files finds the same people as the careful one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.core.universe import Universe
from tacita.io import LongColumns, csv_rows, read_long
from tacita.io.plain_csv import plain_frame
from tacita.io.sources import plain_file

UNIVERSE = Universe(["a", "bc", "7"])
usual = st.integers(-(10**18), 10**18).map(str)
unusual = st.from_regex(r"[+-]?0{0,3}[0-9]{1,4}", fullmatch=True)
rows_of = st.lists(
    st.tuples(st.one_of(usual, unusual), st.sampled_from([*UNIVERSE.labels, "other"]), st.one_of(usual, unusual)), min_size=1
)


def lists(path):
    found, dropped = read_long(path, universe=UNIVERSE)
    return found.to_lists(), dropped


@given(rows_of, st.sampled_from(["", "\n", "\r"]))
def test_both_ways_read_the_same_lists(tmp_path_factory, rows, ending):
    path = tmp_path_factory.mktemp("plain") / "rows.csv"
    path.write_text("id,label,time\n" + "".join(f"{','.join(row)}{ending}\n" for row in rows), encoding="utf-8", newline="")
    quick = lists(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "plain_frame", lambda *_, **__: None)
        assert lists(path) == quick


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
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
    assert (plain_frame(plain_file(path), header, columns=LongColumns(), separator=",") is not None) == is_plain
