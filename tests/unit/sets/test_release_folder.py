import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forging import fit
from item_counts import ItemCounts
from strategies import basket_records
from tacita.arrays.parts import RaggedInParts
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError, UniverseError
from tacita.io import FileFormat, LongColumns
from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
from tacita.sequences import read_published
from tacita.sets import BasketRecords, PublishedBaskets, read_baskets, read_published_baskets
from tacita.testing import seeded_ledger

UNIVERSE = Universe("ABCD")
TEXTS = ["csv", "jsonl", "wide", "dat", "seq"]
FORMATS = ["parquet", *TEXTS, *(f"{name}.{packing}" for name in TEXTS for packing in ("gz", "zst"))]


def published(records, budget="6"):
    return ItemCounts().publish(records, budget=PureDP(budget), ledger=seeded_ledger(1))


def baskets_of(rows):
    return PublishedBaskets(
        baskets=Ragged.from_lists(rows), universe=UNIVERSE, file_format=FileFormat.CSV, columns=LongColumns(time=None)
    )


@pytest.fixture
def release():
    return published(basket_records(["BAB"] * 200 + ["C"] * 100))


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_release_reads_back_as_it_was_written(release, tmp_path, file_format):
    folder = release.write(tmp_path / "out", file_format=file_format)
    again = read_published_baskets(folder, universe=UNIVERSE)
    assert again.baskets.to_lists() == release.data.baskets.to_lists()
    assert (again.kind, again.file_format, len(again)) == ("sets", file_format.partition(".")[0], len(release.data))
    (data,) = (file for file in folder.iterdir() if file.name.startswith("baskets."))
    assert data.name == "baskets." + file_format.replace("wide", "lines")
    assert read_baskets(data, universe=UNIVERSE).baskets.to_lists() == release.data.baskets.to_lists()


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_release_of_nothing_reads_back_as_nothing(tmp_path, file_format):
    release = published(basket_records([]))
    assert len(release.data) == 0
    again = read_published_baskets(release.write(tmp_path / "out", file_format=file_format), universe=UNIVERSE)
    assert len(again) == 0


@pytest.mark.parametrize("file_format", ["parquet", "csv", "jsonl.gz", "wide", "dat.zst", "seq"])
@given(rows=st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=1, max_size=9))
@settings(max_examples=25)
def test_any_baskets_are_read_back_in_their_order(tmp_path_factory, file_format, rows):
    rows = [sorted(row) for row in rows]
    data = baskets_of(rows).write(tmp_path_factory.mktemp("out"), file_format=file_format)
    assert read_baskets(data, universe=UNIVERSE).baskets.to_lists() == rows


def test_long_rows_have_a_record_and_a_label_and_nothing_else(tmp_path):
    path = baskets_of([[0, 2], [1]]).write(tmp_path, file_format=None)
    assert path.read_text(encoding="utf-8") == "id,label\n1,A\n1,C\n2,B\n"
    assert baskets_of([[0, 2], [1]]).to_labels() == [["A", "C"], ["B"]]


@pytest.mark.parametrize("time", [None, "when"])
def test_columns_of_any_name_are_found(tmp_path, time):
    plain = basket_records(["AB"] * 50)
    records = BasketRecords(baskets=plain.baskets, universe=UNIVERSE, columns=LongColumns(person="till", label="item", time=time))
    release = published(records)
    again = read_published_baskets(release.write(tmp_path / "out"), universe=UNIVERSE)
    assert again.baskets.to_lists() == release.data.baskets.to_lists()
    assert again.columns == LongColumns(person="till", label="item", time=None)


@pytest.mark.parametrize("rows", [[[1, 0]], [[0, 0]], [[]], [[4]]])
def test_what_is_no_basket_is_not_published(rows):
    with pytest.raises(ParameterError):
        baskets_of(rows)


def test_a_release_of_another_kind_or_universe_is_refused(release, tmp_path):
    folder = release.write(tmp_path / "out")
    with pytest.raises(UniverseError, match="made with a different universe"):
        read_published_baskets(folder, universe=Universe("ABDC"))
    with pytest.raises(InputError, match="one file of sequences, but its manifest says 1 of sets"):
        read_published(folder, universe=UNIVERSE)


def test_data_that_was_changed_is_refused(release, tmp_path):
    folder = release.write(tmp_path / "out")
    with (folder / "baskets.csv").open("a", encoding="utf-8") as file:
        file.write("9999,A\n")
    with pytest.raises(InputError, match="it was changed after"):
        read_published_baskets(folder, universe=UNIVERSE)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"id": [1], "label": ["A"], "position": [1]}, "does not have two columns, for record and label"),
        ({"id": ["x"], "label": ["A"]}, "does not have two columns, for record and label"),
        ({"id": [1], "label": ["Z"]}, "must belong to the universe, but some do not"),
        ({"id": [1, 1], "label": ["A", "A"]}, "must be distinct and in the universe's order"),
        ({"id": [1, 1], "label": ["B", "A"]}, "must be distinct and in the universe's order"),
    ],
)
def test_data_that_fits_no_release_is_refused_even_if_its_manifest_was_made_to_fit(release, tmp_path, frame, message):
    folder = release.write(tmp_path / "out")
    pl.DataFrame(frame).write_csv(folder / "baskets.csv")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    fit(manifest["files"][0], folder / "baskets.csv")
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_published_baskets(folder, universe=UNIVERSE)


def test_baskets_in_parts_are_checked_when_they_are_made():
    rows = [Ragged.from_lists([[0]]), Ragged.from_lists([[1, 1]])]
    lists = RaggedInParts([1, 1], rows.__getitem__, symbols=3)
    made = PublishedBaskets(baskets=lists, universe=Universe("ab"), file_format=FileFormat.CSV, columns=LongColumns(time=None))
    with pytest.raises(ParameterError, match="strictly increase"):
        made.frame()
