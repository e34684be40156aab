import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.io import Misfits, declared_universe, read_seq, write_seq
from tacita.public.universe import Universe

HEADER = "% Different categories found in input file:\n\nfront news tech\n\n% Sequences:\n\n"


def read(folder, body, *, header=HEADER, universe=None):
    path = folder / "visits.seq"
    path.write_text(header + body, encoding="utf-8")
    universe = declared_universe(path) if universe is None else universe
    sequences, dropped = read_seq(path, universe=universe)
    return sequences.to_lists(), universe.labels, dropped


def test_the_header_names_the_universe_and_numbers_count_from_one(tmp_path):
    assert read(tmp_path, "1 1 \n2 \n3 2 1 \n") == ([[0, 0], [1], [2, 1, 0]], ("front", "news", "tech"), 0)


@pytest.mark.parametrize("body", ["1 2\n3", "1 2 \r\n3 \r\n", "\t1  2\n\n\n 3\n"])
def test_blanks_line_ends_and_empty_lines_do_not_matter(tmp_path, body):
    assert read(tmp_path, body)[0] == [[0, 1], [2]]


def test_numbers_outside_the_header_are_dropped_and_counted(tmp_path):
    assert read(tmp_path, "1 0 4 2\n99 \n3 \n") == ([[0, 1], [], [2]], ("front", "news", "tech"), 3)


def test_another_universe_may_be_given(tmp_path):
    assert read(tmp_path, "1 2 3\n", universe=Universe(["tech", "front", "sports"])) == ([[1, 0]], ("tech", "front", "sports"), 1)


def test_a_compressed_file_is_read_and_a_broken_one_refused(tmp_path):
    path = tmp_path / "visits.seq.gz"
    packed = gzip.compress((HEADER + "1 2\n").encode())
    path.write_bytes(packed)
    assert read_seq(path, universe=declared_universe(path))[0].to_lists() == [[0, 1]]
    path.write_bytes(packed[:-10])
    with pytest.raises(InputError, match="not a complete gzip file"):
        read_seq(path, universe=Universe("a"))


@pytest.mark.parametrize(
    ("header", "body", "message"),
    [
        (HEADER.replace("news", "front"), "1 2\n", "must name every category once"),
        ("", "1 2\n", "must begin with a .seq header"),
        ("front news\n", "1 2\n", "must begin with a .seq header"),
        ("% nothing\n", "1 2\n3\n", "must begin with a .seq header"),
    ],
)
def test_what_is_no_seq_file_is_refused_without_its_contents(tmp_path, header, body, message):
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, body, header=header)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("line", ["1 secret 2", "1 -2", "12345678901", "1 0000000001 2", "1\0", "1,2"])
def test_a_line_that_is_not_of_numbers_is_left_out_alone(tmp_path, line):
    path, misfits = tmp_path / "visits.seq", Misfits()
    path.write_text(f"{HEADER}{line}\n1 2\n3\n", encoding="utf-8")
    lists, dropped = read_seq(path, universe=Universe(["front", "news", "tech"]), misfits=misfits)
    assert (lists.to_lists(), dropped, len(misfits)) == ([[0, 1], [2]], 0, 1)
    assert "secret" not in misfits.note


@given(st.lists(st.lists(st.integers(0, 11), min_size=1, max_size=8), max_size=20))
@settings(max_examples=50)
def test_what_is_written_reads_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("seq") / "out.seq"
    universe = Universe([f"page-{number}" for number in range(12)])
    write_seq(path, Ragged.from_lists(rows), universe=universe)
    sequences, dropped = read_seq(path, universe=declared_universe(path))
    assert (sequences.to_lists(), declared_universe(path), dropped) == (rows, universe, 0)


def test_labels_with_blanks_do_not_fit_the_format(tmp_path):
    with pytest.raises(ParameterError, match="no label may contain one"):
        write_seq(tmp_path / "out.seq", Ragged.from_lists([[0]]), universe=Universe(["front page"]))


def test_the_real_file_has_the_published_statistics(data_folder):
    path = data_folder / "msnbc" / "msnbc990928.seq.gz"
    universe = declared_universe(path)
    sequences, dropped = read_seq(path, universe=universe)
    assert (len(sequences), len(universe), dropped) == (989_818, 17, 0)
    assert sequences.lengths.mean() == pytest.approx(4.747, abs=0.001)
    assert sequences.lengths.max() == 14_795
    assert (sequences.lengths > 20).mean() == pytest.approx(0.028, abs=0.001)
