import re

import pytest

from tacita.errors import InputError, ParameterError
from tacita.io import FileFormat, LongColumns, ReadOptions, TextDialect, observed_labels, read_lists
from tacita.public.universe import Universe

UNIVERSE = Universe(["a", "b", "c, d", 'say "x"', "two\nlines"])
SECRET = "zzsecretzz"


def read(folder, text, *, name="taps.csv", columns=None, **dialect):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    options = ReadOptions(columns=LongColumns() if columns is None else columns, dialect=TextDialect(**dialect))
    return read_lists(path, universe=UNIVERSE, options=options).lists.to_lists()


def refused(folder, text, **rest):
    with pytest.raises(InputError) as caught:
        read(folder, text, **rest)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_quoted_fields_may_hold_separators_and_quotes_and_no_line_ends(tmp_path):
    text = 'id,label,time\n1,"c, d",1\n1,"say ""x""",2\n"1","two\nlines","3"\n'
    assert read(tmp_path, text) == [[2, 3]]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("id;label;time\n1;b;2\n1;a;1\n", {"separator": ";"}),
        ("id|label|time\n1|'b'|2\n1|a|1\n", {"separator": "|", "quote": "'"}),
        ("id\tlabel\ttime\r\n1\tb\t2\r\n1\ta\t1\r\n", {"separator": "\t"}),
        ("% from a machine\nid,label,time\n%1,b,9\n1,b,2\n1,a,1\n", {"comment": "%"}),
        ("# \"\n\n\nid,label,time\n1,b,2\n# '\n1,a,1\n\n\n", {"comment": "#"}),
        ("id,label,time\n1,b,2\n\n1,a,1\n\n", {}),
        ("time,more,id,label\n2,x,1,b\n1,,1,a\n", {}),
        ('time,more,id,label\n2,"x,""y",1,b\n1,,1,a\n', {}),
    ],
)
def test_other_dialects_are_read_as_they_are_told(tmp_path, text, dialect):
    assert read(tmp_path, text, **dialect) == [[0, 1]]


def test_a_tsv_file_has_tabs(tmp_path):
    assert read(tmp_path, "id\tlabel\ttime\n1\ta\t1\n", name="taps.tsv") == [[0]]


def test_without_quotes_every_sign_is_part_of_a_field(tmp_path):
    universe = Universe(['"a', 'b"'])
    (tmp_path / "taps.csv").write_text('id,label,time\n1,"a,1\n1,b",2\n', encoding="utf-8")
    read_back = read_lists(tmp_path / "taps.csv", universe=universe, options=ReadOptions(dialect=TextDialect(quote=None)))
    assert read_back.lists.to_lists() == [[0, 1]]


def test_columns_of_a_file_without_a_header_are_told_by_number(tmp_path):
    columns = LongColumns(person="3", label="2", time="1")
    assert read(tmp_path, "2,b,7,x\n1,a,7,y\n", header=False, columns=columns) == [[0, 1]]
    with pytest.raises(ParameterError, match="given by number, starting at 1, got id, label, time"):
        read(tmp_path, "1,a,1\n", header=False)
    assert "fewer fields than columns" in refused(
        tmp_path, "2,b,7\n", header=False, columns=LongColumns(person="3", label="2", time="9")
    )
    assert read(tmp_path, '2,b,7\n1\n1,a,7,"x,y",z\n', header=False, columns=columns) == [[0, 1]]


def test_times_that_change_their_looks_late_are_read_all_the_same(tmp_path):
    rows = "".join(f"1,a,{place}\n" for place in range(500))
    assert read(tmp_path, f"id,label,time\n{rows}1,b,-2.5\n") == [[1] + [0] * 500]


WRONG = "fields or quotation marks that do not fit the header"


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (f"1,b,1,x,{SECRET}", WRONG),
        (f"1,{SECRET},1", WRONG),
        (f'1,"{SECRET},1,x', WRONG),
        (f'1,"{SECRET}"b,1,x', WRONG),
        (f'1,{SECRET}"a"b,1,x', WRONG),
        (f'""{SECRET}",a,1,x', WRONG),
        (f'"1"2",{SECRET},1,x', WRONG),
        (f'1,"{SECRET}\r"b,1,x', WRONG),
        ("1," + SECRET * 20_000 + ",1,x,y", WRONG),
        (f"1,{SECRET}\0,1,x", "not text"),
        (f"{SECRET},,1,x", "'label': no value"),
        (f",{SECRET},1,x", "'id': no value"),
        (f"1,{SECRET},,x", "'time': not a time"),
        (f"1,{SECRET},{SECRET},x", "'time': not a time"),
        ("1,a," + "9" * 400 + ",x", "'time': not a time"),
    ],
)
@pytest.mark.parametrize("others", ["1,a,1,x\n1,b,2,y\n", '1,"a",1,"x,y"\n1,b,"2",""\n'])
@pytest.mark.parametrize("names", ["id,label,time,more", "id,label,time,trip"])
def test_a_line_that_does_not_fit_is_left_out_alone(tmp_path, row, rule, others, names):
    path = tmp_path / "taps.csv"
    path.write_bytes(f"{names}\n{row}\n{others}".encode())
    found = read_lists(path, universe=UNIVERSE)
    assert (found.lists.to_lists(), len(found.misfits)) == ([[0, 1]], 1)
    assert rule in found.misfits.rules
    assert SECRET not in f"{found} {found.misfits.note}"
    path.write_bytes(f"{names}\n{row}\n".encode())
    assert rule in refused(tmp_path, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"id,label,time,id\n1,a,1,{SECRET}\n", "different names, got 'id' twice"),
        (f"{SECRET}\n{SECRET}\n", "must have the columns id, label, time"),
        ("id,label,time\n\n\n", "has no rows"),
        ("id,label,time\r1,a,1\r", "must have the columns"),
        ("id,lab\0el,time\n1,a,1\n", "header of .* must be text"),
    ],
)
def test_what_is_wrong_with_a_header_is_told(tmp_path, text, message):
    assert re.search(message, refused(tmp_path, text))


def test_labels_that_are_all_outside_leave_nobody_or_are_refused(tmp_path):
    (tmp_path / "taps.csv").write_text(f"id,label,time\n1,{SECRET},1\n", encoding="utf-8")
    found = read_lists(tmp_path / "taps.csv", universe=UNIVERSE)
    assert (len(found.lists), found.dropped_labels) == (0, 1)
    with pytest.raises(InputError, match="must belong to the universe, but some do not") as caught:
        read_lists(tmp_path / "taps.csv", universe=UNIVERSE, strict=True)
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(found)


def test_observed_labels_are_those_of_the_column(tmp_path):
    (tmp_path / "taps.csv").write_text('id,label,time\n1,a,1\n1,"c, d",1\n2,a,x\n\n', encoding="utf-8")
    assert sorted(observed_labels(tmp_path / "taps.csv")) == ["a", "c, d"]


@pytest.mark.parametrize(
    ("dialect", "message"),
    [
        ({"separator": ";;"}, "a separator must be one ASCII character"),
        ({"separator": ""}, "a separator must be one ASCII character"),
        ({"separator": "\u00a7"}, "a separator must be one ASCII character"),
        ({"separator": "x"}, "not a letter, digit or line end"),
        ({"quote": "\n"}, "a quote must be one ASCII character"),
        ({"separator": '"'}, "separator and quote must differ"),
        ({"comment": ""}, "the start of a comment must be"),
        ({"comment": "a\nb"}, "the start of a comment must be"),
        ({"encoding": "klingon"}, "one that Python knows"),
        ({"encoding": "base64"}, "one that Python knows"),
    ],
)
def test_dialects_that_no_file_has_are_refused(dialect, message):
    with pytest.raises(ParameterError, match=message):
        TextDialect(**dialect)


@pytest.mark.parametrize(
    ("file_format", "dialect"),
    [
        (FileFormat.PARQUET, {"encoding": "latin-1"}),
        (FileFormat.SEQ, {"separator": ","}),
        (FileFormat.JSONL, {"header": False}),
        (FileFormat.DAT, {"quote": None}),
        (FileFormat.WIDE, {"header": False}),
    ],
)
def test_options_that_a_format_cannot_follow_are_refused(file_format, dialect):
    with pytest.raises(ParameterError, match=f"the format {file_format} has no {next(iter(dialect))} to choose"):
        ReadOptions(file_format=file_format, dialect=TextDialect(**dialect)).format_for("x")
