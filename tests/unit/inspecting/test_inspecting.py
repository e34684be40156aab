"""What an inspection says of columns, questions and odd rows, and that any tidy text is recognised as it was written."""

import codecs
from contextlib import suppress
from dataclasses import FrozenInstanceError
from datetime import datetime

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.cli.options import typed
from tacita.cli.parser import build_parser
from tacita.inspecting import ColumnType, Role
from tacita.inspecting.columns import forms_of
from tacita.inspecting.texts import Odd, TextForm, encoding_of, form_of_rows, rows_of_text
from tacita.kinds import kinds
from tacita.kinds.words import timed_reading

LABELS = ["A", "Zoë", "north side", "5 o'clock", 'the "old" one', "a;b", "c,d", "e|f", "g\th"]
WAYS = ["%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%d.%m.%Y", "%Y/%m/%d %H:%M", "%d-%b-%Y", "%m/%d/%y %I:%M %p", "%Y%m%d"]


def enclosed(field, separator):
    """A field as the readers of Tacita expect it."""
    if any(mark in field for mark in (separator, '"', "\n", "\r")):
        return '"' + field.replace('"', '""') + '"'
    return field


def read_with(found):
    """The sequences that `tacita publish` reads with the printed options."""
    options = build_parser("publish").parse_args(["publish", found.kind, found.source, *found.options, "--out", "release"])
    universe = ta.Universe(LABELS)
    return ta.sequences.read_sequences(
        found.source, universe=universe, options=timed_reading(typed(options, kinds()[found.kind].options))
    ).sequences


@given(
    labels=st.lists(st.sampled_from(LABELS), min_size=25, max_size=40),
    written=st.tuples(st.sampled_from([",", ";", "\t", "|"]), st.sampled_from(["\n", "\r\n"])),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    pattern=st.sampled_from(WAYS),
    header=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_any_tidy_text_is_recognised_as_it_was_written(labels, written, encoding, pattern, header, tmp_path_factory):
    separator, ends = written
    path = tmp_path_factory.mktemp("any") / "taps.csv"
    times = [datetime(2026, 1 + row % 12, 1 + row % 28, row % 24, 15) for row in range(len(labels))]  # noqa: DTZ001
    rows = [[str(100 + row % 12), labels[row], f"{time:{pattern}}"] for row, time in enumerate(times)]
    text = ends.join(separator.join(enclosed(field, separator) for field in row) for row in rows) + ends
    path.write_bytes(((f"card{separator}station{separator}day{ends}" if header else "") + text).encode(encoding))
    found = ta.inspect(path)
    is_plain = encoding == "cp1252" and "ë" not in text
    assert found.reading.encoding == ("utf-8" if is_plain or encoding == "utf-8-sig" else encoding)
    assert (found.reading.separator, found.reading.header) == (separator, header)
    assert (found.rows, found.odd) == (len(rows), ())
    assert [column.type for column in found.columns][::2] == [ColumnType.WHOLE, ColumnType.TIME]
    assert found.columns[2].pattern == pattern
    assert (found.kind, found.person, found.label) == ("sequences", found.columns[0].name, found.columns[1].name)
    read = read_with(found)
    assert (len(read), sorted(LABELS[code] for code in read.codes)) == (12, sorted(labels))


@pytest.mark.parametrize(
    ("values", "kind", "pattern"),
    [
        (["1", "-2", "30"], ColumnType.WHOLE, None),
        (["007", "012"], None, None),
        (["1.5", "2"], ColumnType.DECIMAL, None),
        (["1,5", "2", "1.234,5"], ColumnType.DECIMAL, None),
        (["2026-11-03", "2026-11-04"], ColumnType.TIME, "iso"),
        (["2026-11-03T08:15:00.25+02:00"], ColumnType.TIME, "iso"),
        (["2026-13-03", "2026-02-30"], None, None),
        (["1793693700", "1793693760"], ColumnType.TIME, "epoch-s"),
        (["1793693700123"], ColumnType.TIME, "epoch-ms"),
        (["November 3, 2026"], ColumnType.TIME, "%B %d, %Y"),
        (["3 May 2026", "4 May 2026"], ColumnType.TIME, "%d %b %Y"),
        (["A", "B"], None, None),
    ],
)
def test_values_show_their_form(values, kind, pattern):
    forms = forms_of(pl.Series("column", values))
    assert (forms[0].type if forms else None) == kind
    assert (forms[0].pattern if forms else None) == pattern


def test_numbers_in_a_column_that_is_named_as_an_id_are_no_times():
    assert [form.type for form in forms_of(pl.Series("card id", ["1793693700", "1793693760"]))] == [ColumnType.WHOLE]


def test_a_year_of_two_digits_is_not_read_as_one_of_four():
    patterns = {form.pattern for form in forms_of(pl.Series("day", ["25/11/26", "26/11/26"]))}
    assert patterns == {"%d/%m/%y"}


def test_frames_of_any_library_are_inspected():
    taps = {"card": [1, 1, 2, 2], "station": ["A", "B", "B", "C"], "tap": ["25/11/2026"] * 4, "fare": [1.5, 2.0, None, 1.0]}
    for frame in (pl.DataFrame(taps), pl.LazyFrame(taps), pd.DataFrame(taps)):
        found = ta.inspect(frame)
        assert (found.kind, found.person, found.label, found.time) == ("sequences", "card", "station", "tap")
        assert found.column("fare").type is ColumnType.DECIMAL
        assert found.column("fare").empty == 1
        assert found.column("tap").pattern == "%d/%m/%Y"
        assert found.column("tap").why(Role.TIME) == "by its name"
        assert found.command is None


def test_something_that_is_no_frame_is_refused():
    with pytest.raises(ta.TacitaError, match="from a data frame or cursor"):
        ta.inspect(3)


def test_an_inspection_cannot_be_changed():
    found = ta.inspect(pl.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(FrozenInstanceError):
        found.kind = "sets"


def test_rows_after_the_first_part_are_judged_too():
    days = ["25/11/2026"] * 50_000
    days[45_000] = "soon"
    found = ta.inspect(pl.DataFrame({"card": [row % 99 for row in range(50_000)], "station": ["A", "B"] * 25_000, "day": days}))
    assert [(odd.reason, odd.positions) for odd in found.odd] == [("day: not a time as %d/%m/%Y", (45_001,))]


def test_a_column_that_begins_with_two_values_is_yes_or_no_only_if_no_other_follows():
    rows = {"user": [0] * 10_000 + [1] * 10_000 + [2] * 10_000, "agrees": [0, 1] * 15_000, "page": ["A", "B", "C"] * 10_000}
    found = ta.inspect(pl.DataFrame(rows))
    assert [column.type for column in found.columns] == [ColumnType.WHOLE, ColumnType.YES_NO, ColumnType.CATEGORY]
    assert (found.kind, found.person, found.label) == ("sets", "user", "page")


def test_a_clock_that_was_wrong_for_a_while_does_not_hide_that_numbers_are_times():
    times = [1_224_730_384 + row for row in range(990)] + [946_684_800 + row for row in range(10)]
    found = ta.inspect(pl.DataFrame({"user": [row % 9 for row in range(1_000)], "page": ["A", "B"] * 500, "unix_time": times}))
    assert found.column("unix_time").pattern == "epoch-s"
    assert found.odd == ()


@pytest.mark.parametrize("first", ["sep=;", "Export of taps\n"])
def test_something_before_the_header_is_told_by_its_line(first, tmp_path):
    path = tmp_path / "taps.csv"
    rows = "".join(f"{row % 9};A;{row}\n" for row in range(40))
    path.write_text(f"{first}\ncard;station;time\n{rows}", encoding="utf-8")
    found = ta.inspect(path)
    assert [(odd.reason, odd.positions) for odd in found.odd] == [("something before the first row", (1,))]
    assert (found.rows, found.person, found.label, found.time) == (40, "card", "station", "time")


def test_rows_that_end_with_a_separator_and_spaces_beside_separators_stand_in_the_way(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_text("card;station;time\n" + "".join(f"{row % 9};A;{row};\n" for row in range(40)), encoding="utf-8")
    assert "rows end with a separator that the first row lacks: add one there" in ta.inspect(path).obstacles
    path.write_text("card; station; time\n" + "".join(f"{row % 9}; A; {row}\n" for row in range(40)), encoding="utf-8")
    assert "spaces stand beside the separators" in ta.inspect(path).obstacles[0]


def test_a_csv_whose_rows_differ_in_length_holds_lists_of_labels(tmp_path):
    path = tmp_path / "baskets.csv"
    path.write_text("".join(",".join("ABCDEFGH"[: row % 7 + 1]) + "\n" for row in range(70)), encoding="utf-8")
    found = ta.inspect(path)
    assert (found.reading.file_format, found.reading.separator, found.rows) == ("wide", ",", 70)
    assert "--input-format" in found.options


def test_a_file_without_rows_and_one_with_strange_line_ends_get_a_sentence(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_text("id,label\n", encoding="utf-8")
    assert ta.inspect(path).because == "no row of it can be read"
    path.write_bytes(b"id,label\r1,A\r")
    with pytest.raises(ta.TacitaError, match="carriage returns alone"):
        ta.inspect(path)


def test_objects_inside_json_are_for_no_role(tmp_path):
    path = tmp_path / "taps.jsonl"
    path.write_text('{"user": {"id": 1}, "page": "A"}\n' * 9, encoding="utf-8")
    assert ta.inspect(path).column("user").type is ColumnType.NESTED
    assert ta.inspect(path).person is None


def test_later_rows_can_settle_whether_the_day_comes_first():
    days = ["03/11/2026"] * 30_000 + ["23/11/2026"] * 1_000
    found = ta.inspect(pl.DataFrame({"card": [row % 99 for row in range(31_000)], "station": ["A"] * 31_000, "day": days}))
    assert [question.about for question in found.questions] == ["time zone"]
    assert found.column("day").pattern == "%d/%m/%Y"


def test_a_few_rows_settle_nothing_so_the_owner_is_asked():
    days = ["03/11/2026"] * 30_000 + ["23/11/2026"]
    found = ta.inspect(pl.DataFrame({"card": [row % 99 for row in range(30_001)], "station": ["A"] * 30_001, "day": days}))
    assert [answer.text for answer in found.questions[0].answers] == ["day first", "month first"]


@pytest.mark.parametrize(("offset", "asked"), [("Z", []), ("", ["time zone"]), (None, ["time zone"])])
def test_a_zone_is_asked_for_unless_every_time_has_an_offset(offset, asked):
    days = [f"2026-11-03T08:{row:02d}:00{('Z' if row % 2 else '') if offset is None else offset}" for row in range(40)]
    found = ta.inspect(pl.DataFrame({"card": [row % 9 for row in range(40)], "station": ["A"] * 40, "day": days}))
    assert [question.about for question in found.questions] == asked


def test_two_columns_that_suit_a_role_equally_are_for_the_owner_to_choose_from():
    rows = {"card": [1, 1, 2, 2], "account": [1, 1, 2, 2], "station": ["A", "B"] * 2, "day": ["2026-11-03"] * 4}
    asked = ta.inspect(pl.DataFrame(rows)).questions[0]
    assert asked.text == "Which column is the person?"
    assert [answer.options for answer in asked.answers] == [("--person", "card"), ("--person", "account")]


def test_a_byte_that_is_not_of_the_encoding_is_told_by_its_line(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_bytes(codecs.BOM_UTF8 + "card;station\n1;Zoë\n2;Zoë\n".encode() + b"3;Zo\xeb\n")
    found = ta.inspect(path)
    assert [(odd.reason, odd.positions) for odd in found.odd] == [("a character that is not utf-8", (4,))]


def test_letters_late_in_a_file_show_its_encoding(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_bytes(b"1;A\n" * 30_000 + b"2;Z\xfcrich\n")
    assert encoding_of(path).encoding == "cp1252"
    path.write_bytes(b"1;A\n" * 30_000 + b"2;Z\x81rich\n")
    assert encoding_of(path).encoding == "latin-1"


def test_marks_that_enclose_nothing_are_no_quotation_marks(tmp_path):
    path = tmp_path / "parts.csv"
    path.write_text("card;item;day\n" + "".join(f'{row % 9};5" pipe;{row}\n' for row in range(60)), encoding="utf-8")
    found = ta.inspect(path)
    assert found.reading.quote is None
    assert found.options[:4] == ("--separator", ";", "--quote", "none")
    assert found.odd == ()


def test_a_mark_that_is_never_closed_costs_its_own_line_only(tmp_path):
    path = tmp_path / "taps.csv"
    lines = ["card;station", *(f'{row};"A;B"' for row in range(500))]
    lines[100] = '99;"A'
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    odd = Odd()
    rows = list(rows_of_text(path, "utf-8", form_of_rows(path, "utf-8"), odd))
    assert odd.found == {"a misplaced quotation mark": (1, [101])}
    assert len(rows) == 500


def test_a_field_of_several_lines_is_one_row(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text('id,note\n1,"first ""a""\nsecond, third"\n2,"x"\n', encoding="utf-8")
    rows = list(rows_of_text(path, "utf-8", TextForm(separator=",", quote='"'), Odd()))
    assert rows == [(1, ["id", "note"]), (2, ["1", 'first "a"\nsecond, third']), (4, ["2", "x"])]


def test_decimal_commas_do_not_pass_for_separators(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("".join(f"{row},5;{row},25;{row},75\n" for row in range(40)), encoding="utf-8")
    found = ta.inspect(path)
    assert (found.reading.separator, found.reading.decimal, len(found.columns)) == (";", ",", 3)


def test_comments_are_skipped_and_declared(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_text("# exported\ncard,station,time\n" + "".join(f"{row % 9},A,{row}\n" for row in range(40)), encoding="utf-8")
    found = ta.inspect(path)
    assert found.rows == 40
    assert found.options[:2] == ("--comment", "#")


def test_columns_with_the_same_name_stand_in_the_way(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_text("card,station,station,time\n" + "".join(f"{row % 9},A,B,{row}\n" for row in range(40)), encoding="utf-8")
    assert "two columns are named station: give each a name of its own" in ta.inspect(path).obstacles


def test_a_file_with_one_column_has_no_kind_and_no_command(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("name\nA\nB\nA\n", encoding="utf-8")
    found = ta.inspect(path)
    assert (found.kind, found.command) == (None, None)
    assert "Kind: not recognised, because it has one column only" in str(found)


def test_columns_in_which_every_row_differs_are_left_out_of_a_table_and_numbers_that_happen_to_differ_are_not(tmp_path):
    rows = [f"{1000 + place};K{place:03};{(place * 7919) % 100_003};{'ab'[place % 2]}" for place in range(150)]
    (tmp_path / "people.csv").write_text("\n".join(["nr;code;income;ward", *rows]) + "\n", encoding="utf-8")
    written = ta.inspect(tmp_path / "people.csv").write(tmp_path / "tacita.toml").read_text(encoding="utf-8")
    for name in ("nr", "code"):
        assert f'# [columns."{name}"] is left out: every row has a value of its own' in written
    assert '\n[columns."income"]\n' in written
    assert '\n[columns."ward"]\n' in written


PIECES = st.sampled_from(
    [b"id", b"1", b"2,5", b",", b";", b"\t", b"|", b" ", b'"', b"'", b"\n", b"\r\n", b"\r", b"\xeb", b"\xc3\xab", b"\0"]
)
MORE = st.sampled_from(
    [b"{", b"}", b"[1]", b'{"id": 1}', b"%", b"#", b"03/11/2026", b"99/99/9999", b"2026-11-03", b"1793693700", b"\xff\xfe"]
)


@given(
    pieces=st.lists(st.one_of(PIECES, MORE), max_size=60),
    ending=st.sampled_from([".csv", ".tsv", ".txt", ".lines", ".dat", ".seq", ".jsonl", ".parquet", ".data", ".csv.gz"]),
)
@settings(max_examples=150, deadline=None)
def test_anything_is_described_or_refused_in_a_sentence(pieces, ending, tmp_path_factory):
    path = tmp_path_factory.mktemp("any") / f"file{ending}"
    path.write_bytes(b"".join(pieces))
    with suppress(ta.TacitaError):  # any other error fails
        found = ta.inspect(path)
        assert str(found)
        assert found.as_json()["rows"] == found.rows
