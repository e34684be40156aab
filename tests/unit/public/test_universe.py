import pytest

from tacita.errors import UniverseError
from tacita.public.universe import Universe


def test_the_code_of_a_label_is_its_place():
    universe = Universe(["b", "a"])
    assert [universe.code(label) for label in ("b", "a")] == [0, 1]
    assert "a" in universe
    assert "c" not in universe
    with pytest.raises(UniverseError, match="no label 'c'"):
        universe.code("c")


def test_an_empty_universe_is_refused():
    with pytest.raises(UniverseError, match="at least one label"):
        Universe([])


@pytest.mark.parametrize("labels", [["a", ""], ["a", 1], ["a", None]])
def test_a_label_that_is_no_text_is_refused_with_its_place(labels):
    with pytest.raises(UniverseError, match="at place 2"):
        Universe(labels)


def test_a_repeated_label_is_refused_by_name():
    with pytest.raises(UniverseError, match="'x' more than once"):
        Universe(["x", "y", "x"])


def test_one_label_a_line_is_read_in_order(tmp_path):
    file = tmp_path / "stations.txt"
    file.write_text("Berri\n\n Peel \nSnowdon\n", encoding="utf-8")
    assert Universe.read(file).labels == ("Berri", "Peel", "Snowdon")


def test_the_first_column_of_a_csv_is_read_without_its_header(tmp_path):
    file = tmp_path / "stations.csv"
    file.write_text('\ufeffstation,line\n"Berri, UQAM",green\nPeel,green\n', encoding="utf-8")
    assert Universe.read(file).labels == ("Berri, UQAM", "Peel")


def test_a_missing_file_and_a_wrong_encoding_are_refused(tmp_path):
    with pytest.raises(UniverseError, match="does not exist"):
        Universe.read(tmp_path / "nowhere.txt")
    file = tmp_path / "latin.txt"
    file.write_bytes("Montréal\n".encode("latin-1"))
    with pytest.raises(UniverseError, match="must be plain UTF-8 text"):
        Universe.read(file)


def test_a_universe_that_was_observed_knows_it():
    assert Universe(["a"]).is_public
    observed = Universe.observed(["b", "a", "b"])
    assert observed.labels == ("a", "b")
    assert not observed.is_public


def test_the_digest_depends_on_labels_and_their_order_only():
    assert Universe(["a", "b"]).digest() == Universe.observed(["b", "a"]).digest()
    assert Universe(["a", "b"]).digest() != Universe(["b", "a"]).digest()


def test_labels_of_several_lines_and_unusual_blanks_stay_whole(tmp_path):
    quoted = tmp_path / "labels.csv"
    quoted.write_text('label\n"new\nline"\nb\n', encoding="utf-8", newline="")
    assert Universe.read(quoted).labels == ("new\nline", "b")
    plain = tmp_path / "labels.txt"
    plain.write_text("a\u2028b\r\nc\n", encoding="utf-8", newline="")
    assert Universe.read(plain).labels == ("a\u2028b", "c")
    tabs = tmp_path / "labels.tsv"
    tabs.write_text("label\tline\na,1\tx\n", encoding="utf-8")
    assert Universe.read(tabs).labels == ("a,1",)


def test_a_universe_with_a_nul_or_that_is_a_folder_is_refused(tmp_path):
    (tmp_path / "nul.txt").write_bytes(b"a\0b\n")
    with pytest.raises(UniverseError, match="contains a NUL character"):
        Universe.read(tmp_path / "nul.txt")
    with pytest.raises(UniverseError, match="cannot be read: Is a directory"):
        Universe.read(tmp_path)
