import pytest

from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.io import (
    FileFormat,
    LongColumns,
    ReadOptions,
    TextDialect,
    observed_labels,
    read_dat,
    read_lists,
    read_wide,
    write_dat,
    write_wide,
)
from tacita.public.inputs import PerPerson
from tacita.public.universe import Universe

UNIVERSE = Universe(["a", "b", "c, d", 'say "x"', "two\nlines", "caf\u00e9 au lait"])
SECRET = "zzsecretzz"


def read(folder, text, *, name="baskets.lines", **dialect):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    found = read_lists(path, universe=UNIVERSE, options=ReadOptions(dialect=TextDialect(**dialect)))
    return found.lists.to_lists(), found.dropped_labels


def test_each_line_is_one_record_in_its_order(tmp_path):
    assert read(tmp_path, "b,a,b\na\ncaf\u00e9 au lait,a") == ([[1, 0, 1], [0], [5, 0]], 0)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (' a , b ,"c, d"\nb\n', {}),
        ("a,,b,'c, d',\r\n\r\n,\n b\r\n\n", {"quote": "'"}),
        ('a\tb\t"c, d"\nb', {"separator": "\t"}),
        ("a|b|c, d\nb\n", {"separator": "|"}),
        ('# x, "\na,b,"c, d"\n#\nb\n', {"comment": "#"}),
        ("a;b;c, d\nb\n", {"separator": ";", "quote": None}),
    ],
)
def test_blanks_empty_fields_and_empty_lines_hold_nothing(tmp_path, text, dialect):
    assert read(tmp_path, text, **dialect) == ([[0, 1, 2], [1]], 0)


def test_quoted_labels_may_hold_separators_and_quotes_and_no_line_ends(tmp_path):
    assert read(tmp_path, '"c, d","say ""x"""\na,"two\nlines"\n"a",b\n') == ([[2, 3], [0, 1]], 0)


@pytest.mark.parametrize("line", [f'a,"{SECRET}', f'a,"{SECRET}"x', f'a,5" {SECRET},7"'])
def test_a_line_with_a_misplaced_mark_is_left_out_alone(tmp_path, line):
    assert read(tmp_path, f'{line}\na,b\n"b",a\n') == ([[0, 1], [1, 0]], 0)


@pytest.mark.parametrize("text", ["a b\n\n b\t\ta  \r\n", "a\tb\r\nb a"])
def test_a_blank_stands_for_any_run_of_blanks(tmp_path, text):
    assert read(tmp_path, text, separator=" ") == ([[0, 1], [1, 0]], 0)
    assert read(tmp_path, text, name="baskets.dat") == ([[0, 1], [1, 0]], 0)


def test_labels_outside_the_universe_are_dropped_and_the_record_stays(tmp_path):
    assert read(tmp_path, "a,x\ny\nb,b\n") == ([[0], [], [1, 1]], 2)
    assert read(tmp_path, "a x\ny\nb b\n", name="baskets.dat") == ([[0], [], [1, 1]], 2)
    path = tmp_path / "baskets.dat"
    with pytest.raises(InputError, match="must belong to the universe"):
        read_lists(path, universe=UNIVERSE, strict=True)


def test_quotes_mean_nothing_between_blanks(tmp_path):
    path = tmp_path / "baskets.dat"
    path.write_text('"a b" a\n', encoding="utf-8")
    assert read_dat(path, universe=Universe(['"a', 'b"', "a"]))[0].to_lists() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'a,"{SECRET}\n', "has no records"),
        (",,\n , \n", "has no records"),
    ],
)
def test_bad_lines_are_refused_without_their_contents(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_lines_of_comments_alone_hold_no_records(tmp_path):
    with pytest.raises(InputError, match="has no records"):
        read(tmp_path, "# a\n", name="baskets.dat", comment="#")


def test_very_long_lines_and_labels_are_read(tmp_path):
    assert read(tmp_path, "a," * 100_000 + "x" * 1_000_000 + "\n") == ([[0] * 100_000], 1)


def test_lines_have_no_ids_so_there_is_nothing_to_cap(tmp_path):
    path = tmp_path / "baskets.dat"
    path.write_text("a\n", encoding="utf-8")
    options = ReadOptions(columns=LongColumns(record="trip"), per_person=PerPerson.cap(2))
    with pytest.raises(ParameterError, match="one line per person and no ids"):
        read_lists(path, universe=UNIVERSE, options=options)


@pytest.mark.parametrize(
    ("label", "message"),
    [(" a", "begin or end"), ("a\t", "or end"), ("a\0b", "hold NUL"), (" ", "space")],
)
def test_wide_lines_refuse_labels_that_they_cannot_hold(tmp_path, label, message):
    with pytest.raises(ParameterError, match=message):
        write_wide(tmp_path / "out.lines", Ragged.from_lists([[0]]), universe=Universe([label]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("label", ["a b", "a\nb", "\ta", "a\r", "a\0"])
def test_dat_lines_refuse_labels_with_blanks(tmp_path, label):
    with pytest.raises(ParameterError, match="no label may contain one"):
        write_dat(tmp_path / "out.dat", Ragged.from_lists([[0]]), universe=Universe([label]))


def test_observed_labels_are_those_of_the_lines(tmp_path):
    path = tmp_path / "baskets.txt"
    path.write_text('a,b , a\n"c, d"\n\n', encoding="utf-8")
    assert sorted(observed_labels(path, options=ReadOptions(file_format=FileFormat.WIDE))) == ["a", "b", "c, d"]
    assert sorted(observed_labels(path, options=ReadOptions(file_format=FileFormat.DAT))) == ['"c,', ",", "a", "a,b", 'd"']


@pytest.mark.parametrize(
    ("name", "file_format", "expected"),
    [
        ("groceries.csv.gz", FileFormat.WIDE, (9_835, 169, 4.409, 32)),
        ("retail.dat.gz", None, (88_162, 16_470, 10.306, 76)),
        ("BMS-WebView-1.dat.gz", None, (59_602, 497, 2.511, 267)),
    ],
)
def test_real_baskets_have_the_published_statistics(data_folder, name, file_format, expected):
    path, options = data_folder / "baskets" / name, ReadOptions(file_format=file_format)
    universe = Universe.observed(observed_labels(path, options=options))
    lengths = read_lists(path, universe=universe, options=options).lists.lengths
    assert (len(lengths), len(universe), round(float(lengths.mean()), 3), lengths.max()) == expected


def test_the_readers_need_no_options(tmp_path):
    path = tmp_path / "any"
    path.write_text("a,b\n", encoding="utf-8")
    assert read_wide(path, universe=UNIVERSE)[0].to_lists() == [[0, 1]]
