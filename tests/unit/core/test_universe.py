import pytest

from tacita.core.errors import UniverseError
from tacita.core.universe import Universe


def test_the_code_of_a_label_is_its_place():
    universe = Universe(["b", "a"])
    assert [universe.code(label) for label in ("b", "a")] == [0, 1]
    assert "a" in universe
    assert "c" not in universe
    with pytest.raises(UniverseError, match="no label 'c'"):
        universe.code("c")


def test_an_empty_universe_is_refused():
    with pytest.raises(UniverseError, match="one label at least"):
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
