import errno
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import polars as pl
import pytest

from strategies import sequence_records
from tacita.errors import OutputError, ParameterError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.universe import Universe
from tacita.schemas import manifest_schema
from tacita.sequences import PrefixTree, SequenceRecords, read_sequences


@pytest.fixture
def release():
    return PrefixTree(height=2).publish(sequence_records(["AB"] * 200 + ["C"] * 100), budget=PureDP("4"))


def test_a_release_folder_holds_data_manifest_and_readme(release, tmp_path):
    folder = release.write(tmp_path / "out")
    assert sorted(file.name for file in folder.iterdir()) == [
        "README.md",
        "croissant.json",
        "manifest.json",
        "sequences.csv",
        "universe.json",
    ]
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert [(file["name"], file["role"]) for file in manifest["files"]] == [
        ("sequences.csv", "data"),
        ("universe.json", "universe"),
    ]
    for described in manifest["files"]:
        data = (folder / described["name"]).read_bytes()
        assert (described["bytes"], described["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())


@pytest.mark.parametrize("file_format", ["csv", "parquet", "seq"])
def test_a_release_reads_back_in_every_format(release, tmp_path, file_format):
    folder = release.write(tmp_path / "out", file_format=file_format)
    columns = {} if file_format == "seq" else {"columns": release.data.columns.__class__(time="position")}
    again = read_sequences(folder / f"sequences.{file_format}", universe=Universe("ABCD"), **columns)
    assert again.sequences.to_lists() == release.data.sequences.to_lists()


def test_the_format_that_came_in_goes_out(tmp_path):
    pl.DataFrame({"card": [1] * 50, "stop": ["A"] * 50, "when": range(50)}).write_parquet(tmp_path / "taps.parquet")
    from tacita.io import LongColumns

    columns = LongColumns(person="card", label="stop", time="when")
    records = read_sequences(tmp_path / "taps.parquet", universe=Universe("AB"), columns=columns)
    assert records.name == "taps"
    folder = PrefixTree(height=1).publish(records, budget=PureDP("1")).write(tmp_path / "out")
    assert pl.read_parquet(folder / "sequences.parquet").columns == ["card", "stop", "position"]


def test_the_readme_tells_the_guarantee_and_every_draw(release, tmp_path):
    text = (release.write(tmp_path / "out") / "README.md").read_text(encoding="utf-8")
    assert "satisfies 4-differential privacy for adding or removing one person's sequence" in text
    assert "| level 2 | 2 | discrete Laplace, scale 0.5" in text
    assert "memory only" in text


def test_the_manifest_says_where_the_spend_is_kept(tmp_path):
    ledger = Ledger.create(tmp_path / "owner.ledger")
    release = PrefixTree(height=1).publish(sequence_records(["A"]), budget=PureDP("1"), ledger=ledger)
    kept = release.manifest["ledger"]
    assert kept["kept_in"] == "file"
    assert kept["charge"] == ledger.history()[0].charge


def test_a_folder_that_exists_is_refused_and_left_alone(release, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="must not exist yet"):
        release.write(tmp_path / "out")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["precious"]


def test_a_folder_whose_parent_is_missing_is_refused(release, tmp_path):
    with pytest.raises(OutputError, match="cannot be created"):
        release.write(tmp_path / "nowhere" / "out")


def test_a_full_disk_leaves_nothing_behind(release, tmp_path, monkeypatch):
    def full(*_args, **_rest):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OutputError, match="No space left on device; nothing was left there"):
        release.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file_format", ["csv", "parquet", "seq"])
def test_a_disk_that_takes_no_more_bytes_leaves_nothing_behind(tmp_path, file_format):
    """The limit on the size of files stands for a full disk: the writers themselves fail, not a patched function."""
    script = f"""
import resource, signal, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from strategies import sequence_records
from tacita.privacy.budget import PureDP
from tacita.errors import OutputError
from tacita.sequences import PrefixTree
release = PrefixTree(height=2).publish(sequence_records(["AB"] * 20000), budget=PureDP("4"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
try:
    release.write({str(tmp_path / "out")!r}, file_format={file_format!r})
except OutputError as error:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_leaves_nothing_behind(release, tmp_path, monkeypatch):
    def interrupted(*_args, **_rest):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        release.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_refused_and_leaves_nothing_behind(release, tmp_path):
    with pytest.raises(ParameterError, match="one of parquet, csv, seq, jsonl, wide, dat, got 'xls'"):
        release.write(tmp_path / "out", file_format="xls")
    assert list(tmp_path.iterdir()) == []


def test_labels_that_do_not_fit_the_format_leave_nothing_behind(tmp_path):
    records = SequenceRecords.from_labels([["a b"]], universe=Universe(["a b"]))
    release = PrefixTree(height=1).publish(records, budget=PureDP("1"))
    with pytest.raises(ParameterError, match="no label may contain one"):
        release.write(tmp_path / "out", file_format="seq")
    assert list(tmp_path.iterdir()) == []


def test_the_schema_refuses_a_manifest_with_a_field_it_does_not_know(release, tmp_path):
    manifest = json.loads((release.write(tmp_path / "out") / "manifest.json").read_text(encoding="utf-8"))
    jsonschema.validate(manifest, manifest_schema())
    with pytest.raises(jsonschema.ValidationError, match="records"):
        jsonschema.validate(manifest | {"records": 300}, manifest_schema())


def test_a_universe_from_the_data_voids_the_guarantee_in_manifest_and_readme(tmp_path):
    records = SequenceRecords.from_labels([["x"]], universe=Universe.observed(["x"]))
    release = PrefixTree(height=1).publish(records, budget=PureDP("1"))
    assert not release.guarantee.holds
    text = (release.write(tmp_path / "out") / "README.md").read_text(encoding="utf-8")
    assert "NOT PRIVATE. This release would satisfy 1-differential privacy" in text
    assert "universe was read from the data" in text
