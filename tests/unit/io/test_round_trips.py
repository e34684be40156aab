"""What every format holds is read back as it was, packed or not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.formats import LISTS, formats_of
from tacita.io import Compression, FileFormat, LongColumns, ReadOptions, StoredFormat, read_lists, require_labels, write_lists
from tacita.public.universe import Universe

STORED = [StoredFormat(known) for known in formats_of(*LISTS)]
STORED += [StoredFormat(known, packing) for known in formats_of(*LISTS) if known.is_text for packing in Compression]
SIGNS = st.sampled_from(list("ab01 \t,;|\"'#%\n\r{}[]\\:.-_\ufeff\u00a0\u2028\x85\x1c\u00e9\u4e2d\U0001f600")) | st.characters(
    exclude_categories=["Cs"], exclude_characters="\0"
)
LABELS = st.lists(st.text(SIGNS, min_size=1, max_size=8), min_size=1, max_size=6, unique=True)


@st.composite
def contents(draw):
    universe = Universe(draw(LABELS))
    rows = draw(st.lists(st.lists(st.integers(0, len(universe) - 1), min_size=1, max_size=6), min_size=1, max_size=8))
    return universe, rows


def holds(file_format, universe):
    try:
        require_labels(file_format, universe)
    except ParameterError:
        return False
    return True


def there_and_back(folder, stored, universe, rows):
    path = folder / f"out{stored.ending}"
    write_lists(path, Ragged.from_lists(rows), universe=universe, stored=stored, columns=LongColumns())
    return read_lists(path, universe=universe, options=ReadOptions(columns=LongColumns(time="position")))


@pytest.mark.parametrize("stored", STORED, ids=str)
@given(content=contents())
@settings(max_examples=40)
def test_what_is_written_reads_back(tmp_path_factory, stored, content):
    """Labels that a format refuses are tried as the words that are left of them, so that no example is for nothing."""
    universe, rows = content
    if not holds(stored.file_format, universe):
        universe = Universe(
            [f"w{place}" + "".join(sign for sign in label if sign.isalnum()) for place, label in enumerate(universe.labels)]
        )
    found = there_and_back(tmp_path_factory.mktemp("out"), stored, universe, rows)
    assert (found.lists.to_lists(), found.dropped_labels, found.file_format) == (rows, 0, stored.file_format)


@pytest.mark.parametrize("stored", STORED, ids=str)
def test_the_sign_for_what_is_no_text_is_in_no_label_of_a_text(stored):
    assert holds(stored.file_format, Universe(["a\ufffdb", "c"])) == (not stored.file_format.is_text)


def test_a_label_that_is_only_a_form_feed_is_not_an_empty_file(tmp_path):
    found = there_and_back(tmp_path, StoredFormat(FileFormat.DAT, Compression.GZ), Universe(["\f"]), [[0]])
    assert found.lists.to_lists() == [[0]]


@pytest.mark.parametrize("stored", STORED, ids=str)
def test_empty_lists_are_left_out_and_the_rest_stays(tmp_path, stored):
    found = there_and_back(tmp_path, stored, Universe(["x", "y"]), [[], [0, 1], [], [], [1], []])
    assert found.lists.to_lists() == [[0, 1], [1]]


@pytest.mark.parametrize("stored", STORED, ids=str)
def test_many_records_come_back_in_pieces(tmp_path, stored, monkeypatch):
    monkeypatch.setattr("tacita.io.writing._PIECE", 100)
    rows = [[place % 7, place % 3] * (place % 11 + 1) for place in range(500)] + [[1] * 1000]
    found = there_and_back(
        tmp_path,
        stored,
        Universe([f"label {place}" if stored.file_format.is_long else f"label-{place}" for place in range(7)]),
        rows,
    )
    assert found.lists.to_lists() == rows


@pytest.mark.parametrize("name", ["csv", "jsonl.gz", "wide.zst", "seq", "dat.gz", "parquet"])
def test_the_name_of_a_format_says_how_it_is_packed(name):
    assert str(StoredFormat.parse(name)) == name


@pytest.mark.parametrize(
    ("name", "message"),
    [("xls", "one of parquet, csv"), ("csv.rar", "got 'csv.rar'"), ("parquet.gz", "compressed inside"), ("", "got ''")],
)
def test_other_names_are_refused(name, message):
    with pytest.raises(ParameterError, match=message):
        StoredFormat.parse(name)


@pytest.mark.parametrize("labels", [["%x"], ["1", "2"], ["a b"], ["a\0b"]])
def test_a_seq_header_refuses_names_that_it_would_not_give_back(labels):
    assert not holds(FileFormat.SEQ, Universe(labels))


@pytest.mark.parametrize("file_format", [known for known in formats_of(*LISTS) if known is not FileFormat.PARQUET])
def test_text_files_refuse_a_nul(file_format):
    assert not holds(file_format, Universe(["a\0b"]))
    assert holds(FileFormat.PARQUET, Universe(["a\0b"]))
