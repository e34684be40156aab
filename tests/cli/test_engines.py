"""Engines from the command line: the release has the same form on each, and an engine that does not apply says so."""

import json

import pytest

from commands import misused, publish, refused
from tacita.cli import main
from tacita.io import Engine
from tacita.kinds.options import ENGINES
from tacita.sequences import SequenceRecords, open_sequences


def test_the_command_line_names_the_engines_of_the_library():
    assert list(ENGINES) == list(Engine)


@pytest.mark.parametrize("name", ["taps.parquet", "taps.csv"])
def test_blocks_publish_and_evaluate_as_memory_does(files, name, capsys):
    assert publish(files, "--engine", "blocks", name=name) == 0
    manifest = json.loads((files / "out" / "manifest.json").read_text())
    assert "blocks" not in json.dumps(manifest)
    figures = []
    for engine in ("local", "blocks"):
        capsys.readouterr()
        words = ["evaluate", str(files / name), str(files / "out"), "--universe", str(files / "stations.txt"), "--json"]
        assert main([*words, "--engine", engine]) == 0
        figures.append(json.loads(capsys.readouterr().out))
    assert figures[0] == figures[1]


def test_an_engine_means_nothing_for_networks(files, capsys):
    words = ["publish", "networks", str(files / "taps.csv"), "--method", "degree", "--epsilon", "1", "--engine", "blocks"]
    misused([*words, "--out", str(files / "none")], capsys, "unrecognized arguments: --engine blocks")


def test_spark_without_pyspark_is_one_sentence(files, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyspark.sql", None)
    refused(publish(files, "--engine", "spark"), capsys, "pip install 'tacita[spark]'")


def test_spark_without_java_is_one_sentence(files, capsys, monkeypatch):
    pytest.importorskip("pyspark")
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", classmethod(lambda _: None))
    refused(publish(files, "--engine", "spark"), capsys, "needs Java 17 or later")


@pytest.mark.parametrize(
    ("engine", "folder", "said"), [("blocks", "file:///x", "goes with --engine spark"), ("spark", "x", "its scheme")]
)
def test_a_folder_of_spark_is_refused_before_anything_is_read(files, capsys, engine, folder, said):
    refused(publish(files, "--engine", engine, "--spark-folder", folder), capsys, said)


def test_a_java_home_without_java_is_one_sentence(files, capsys, monkeypatch):
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", str(files))
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", classmethod(lambda _: None))
    refused(publish(files, "--engine", "spark"), capsys, "needs Java 17 or later")


def test_a_file_that_does_not_fit_is_counted_in_blocks(files, monkeypatch):
    from tacita.public.universe import Universe

    stations = Universe.read(files / "stations.txt")
    assert isinstance(open_sequences(files / "taps.csv", universe=stations), SequenceRecords)
    monkeypatch.setattr("tacita.io.blocks.spill.free_memory", lambda: 1)
    records = open_sequences(files / "taps.csv", universe=stations)
    assert not isinstance(records, SequenceRecords)
    assert not records.is_empty
