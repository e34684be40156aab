"""What is of the wrong type, or of the wrong shape from its first rows on, is refused at once and in a sentence."""

import mmap

import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError, TacitaError, TaxonomyError, UniverseError
from tacita.io import csv_rows
from tacita.privacy.budget import PureDP

UNIVERSE = ta.Universe(["a", "b"])


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,label,time\n1,a,1\n1,b,2\n")
    return path


@pytest.mark.parametrize(
    "read", [ta.sequences.read_sequences, ta.sequences.open_sequences, ta.sets.read_baskets, ta.sets.open_baskets]
)
@pytest.mark.parametrize("universe", [["a", "b"], "ab"])
def test_a_list_is_no_universe(rows, read, universe):
    with pytest.raises(
        UniverseError, match=r"must be a Universe, as Universe\(\[...\]\) or Universe.read\(path\), got (list|str)"
    ):
        read(rows, universe=universe)


def test_a_string_is_no_time_grid(rows):
    with pytest.raises(ParameterError, match=r"must be a TimeGrid\(start=..., interval=..., intervals=...\), got str"):
        ta.sequences.read_sequences(rows, universe=UNIVERSE, grid="1h")


@pytest.mark.parametrize(
    "make", [lambda given: ta.sequences.PrefixTree(height=2, taxonomy=given), lambda given: ta.sets.DiffPart(taxonomy=given)]
)
def test_a_list_is_no_taxonomy(make):
    with pytest.raises(TaxonomyError, match=r"must be a Taxonomy, as Taxonomy.read\(path\) .*, got list"):
        make([("a", "*")])


def test_a_string_is_no_ledger():
    records = ta.sequences.SequenceRecords.from_labels([["a"]], universe=UNIVERSE)
    with pytest.raises(TacitaError, match=r"must be able to open accounts, as Ledger\(path\) does, got str"):
        ta.sequences.PrefixTree(height=1).publish(records, budget=PureDP("1"), ledger="my.ledger")


def test_a_report_compares_data_of_one_kind():
    sequences = ta.sequences.SequenceRecords.from_labels([["a", "b"]] * 20, universe=UNIVERSE)
    baskets = ta.sets.BasketRecords.from_labels([["a", "b"]] * 20, universe=UNIVERSE)
    release = ta.sequences.PrefixTree(height=2).publish(sequences, budget=PureDP("5"))
    with pytest.raises(ParameterError, match="sequences can be compared with sequences only, got BasketRecords"):
        ta.utility.report(baskets, release)


def test_too_many_fields_in_a_first_row_are_refused_before_the_file_is_read(tmp_path, monkeypatch):
    path = tmp_path / "wide.csv"
    path.write_text("id,label,time\n" + "1,a,1\n" * 1195 + "1,a,1,2\n" + "1,a,1\n" * 10)

    def unread(*_, **__):
        message = "the file was read whole"
        raise AssertionError(message)

    monkeypatch.setattr(csv_rows.CsvText, "_read", unread)
    monkeypatch.setattr(csv_rows, "plain_frame", unread)
    with pytest.raises(InputError, match="its rows must fit its columns, row 1196 does not"):
        ta.sequences.read_sequences(path, universe=UNIVERSE)


def test_a_row_far_down_is_found_without_a_copy_of_the_file(tmp_path, monkeypatch):
    path = tmp_path / "wide.csv"
    path.write_text("id,label,time\n" + "1,a,1\n" * 1195 + "1,a,1,2\n")
    monkeypatch.setattr(csv_rows, "_HEAD", 100)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        text = csv_rows.CsvText(_Uncopied(content), ",", '"', path)
        assert text.first_ragged(3) == 1196


class _Uncopied:
    """A content of which only the beginning may be taken."""

    def __init__(self, content):
        self._content = content

    def __getitem__(self, part):
        assert part.stop is not None
        return self._content[part]
