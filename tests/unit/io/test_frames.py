"""Data frames of any library are read as files are, and releases give frames back."""

import numpy as np
import polars as pl
import pytest

import tacita as ta
from tacita.errors import InputError, OutputError, ParameterError
from tacita.testing import seeded_ledger

STATIONS = ta.Universe(["A", "B", "C"])
ROWS = {"id": ["7", "007", "7", "x", "007"], "label": ["A", "B", "C", "A", "Z"], "time": [2, 1, 1, 5, 3]}


class Capsule:
    """Speaks nothing but the Arrow PyCapsule interface."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self.frame.__arrow_c_stream__(requested_schema)


class Relation:
    """Hands itself over as a Polars frame, as relations of DuckDB do."""

    def __init__(self, frame):
        self.frame = frame

    def pl(self):
        return self.frame


def arrow(frame):
    return pytest.importorskip("pyarrow").Table.from_pydict({name: frame[name].to_list() for name in frame.columns})


def pandas(frame):
    return pytest.importorskip("pandas").DataFrame({name: frame[name].to_list() for name in frame.columns})


FORMS = {
    "polars": lambda frame: frame,
    "lazy": pl.DataFrame.lazy,
    "capsule": Capsule,
    "relation": Relation,
    "arrow": arrow,
    "pandas": pandas,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_frame_of_any_library_gives_the_records_of_the_file(form, tmp_path):
    frame = pl.DataFrame(ROWS)
    frame.write_parquet(tmp_path / "taps.parquet")
    for read, held in ((ta.sequences.read_sequences, "sequences"), (ta.sets.read_baskets, "baskets")):
        file = read(tmp_path / "taps.parquet", universe=STATIONS)
        mine = read(FORMS[form](frame), universe=STATIONS, name="taps")
        assert getattr(mine, held).to_lists() == getattr(file, held).to_lists()
        assert (mine.name, mine.dropped_labels) == (file.name, file.dropped_labels) == ("taps", 1)


@pytest.mark.parametrize("form", ["polars", "arrow", "pandas"])
def test_msnbc_is_the_same_as_a_path_and_as_a_frame(form, data_folder):
    path = data_folder / "msnbc" / "msnbc990928.seq.gz"
    pages = ta.io.declared_universe(path)
    file = ta.sequences.read_sequences(path, universe=pages)
    some = slice(0, int(file.sequences.offsets[20_000]))  # as many people as take a moment
    people = np.repeat(np.arange(len(file.sequences)), file.sequences.lengths)[some]
    labels = pl.Series(pages.labels)[file.sequences.codes[some]]
    frame = pl.DataFrame({"id": people, "label": labels, "time": np.arange(people.size)})
    mine = ta.sequences.read_sequences(FORMS[form](frame), universe=pages, name="msnbc")
    assert mine.sequences.to_lists() == file.sequences.to_lists()[:20_000]


def test_a_frame_must_have_a_name_and_its_columns():
    with pytest.raises(ParameterError, match="a data frame has no name"):
        ta.sequences.read_sequences(pl.DataFrame(ROWS), universe=STATIONS)
    with pytest.raises(InputError, match="must have the columns id, label, time"):
        ta.sequences.read_sequences(pl.DataFrame({"id": [1]}), universe=STATIONS, name="taps")
    with pytest.raises(ParameterError, match="got int"):
        ta.sets.read_baskets(3, universe=STATIONS, name="taps")
    with pytest.raises(InputError, match="every label in the data frame must belong"):
        ta.sets.read_baskets(pl.DataFrame(ROWS), universe=STATIONS, name="taps", strict=True)


def test_a_release_gives_frames_back():
    frame = pl.DataFrame({"id": range(400), "label": ["A", "B"] * 200, "time": [0] * 400})
    taps = ta.sequences.read_sequences(frame, universe=STATIONS, name="taps")
    release = ta.sequences.PrefixTree(height=1).publish(taps, budget=ta.PureDP(4), ledger=seeded_ledger(1))
    rows = release.to_polars()
    assert rows.columns == ["id", "label", "position"]
    assert pl.DataFrame(Capsule(release)).equals(rows)
    assert pl.DataFrame(Capsule(release.data)).equals(rows)
    assert release.data.to_labels() == [[label] for label in rows["label"]]
    baskets = ta.sets.read_baskets(frame, universe=STATIONS, name="taps")
    assert ta.sets.FlatHistogram().publish(baskets, budget=ta.PureDP(4)).to_polars().columns == ["id", "label"]


def test_frames_of_libraries_that_are_asked_for():
    frame = pl.DataFrame({"id": range(400), "label": ["A"] * 400, "time": [0] * 400})
    taps = ta.sequences.read_sequences(frame, universe=STATIONS, name="taps")
    release = ta.sequences.PrefixTree(height=1).publish(taps, budget=ta.PureDP(4), ledger=seeded_ledger(1))
    pytest.importorskip("pandas")
    assert release.to_pandas()["label"].tolist() == release.to_polars()["label"].to_list()
    pytest.importorskip("pyarrow")
    assert release.to_arrow().column_names == release.to_polars().columns


def test_what_a_notebook_shows_is_public_and_escaped():
    taps = ta.sequences.read_sequences(pl.DataFrame(ROWS), universe=ta.Universe(["<b>", "A", "C"]), name="taps & co")
    method = ta.sequences.PrefixTree(height=2)
    release = method.publish(taps, budget=ta.PureDP(1), ledger=seeded_ledger(1))
    shown = [taps._repr_html_(), method.explain(ta.PureDP(1), taps.public)._repr_html_(), release._repr_html_()]
    assert all("<table" in text for text in shown)
    assert not any("<b>" in text for text in shown)
    assert "taps &amp; co" in shown[0]
    assert "level 2" in shown[1]
    assert "NOT PRIVATE" in shown[2]
    others = ta.sequences.read_sequences(pl.DataFrame(ROWS).head(1), universe=taps.universe, name="taps & co")
    assert others._repr_html_() == taps._repr_html_()
    assert repr(ta.Universe(map(str, range(5000)))) == "Universe('0', '1', '2', ...: 5,000 labels)"
    assert len(repr(release)) < 400


def test_data_without_rows_says_so(monkeypatch):
    taps = ta.sequences.read_sequences(pl.DataFrame(ROWS), universe=STATIONS, name="taps")
    release = ta.sequences.PrefixTree(height=1).publish(taps, budget=ta.PureDP(1))
    monkeypatch.delattr("tacita.io.frames.Framed.to_polars")
    with pytest.raises(OutputError, match="cannot be turned into a data frame"):
        release.to_polars()
