"""`ta.publish` on small data of every kind, from files and frames, gives what the command line gives for the same noise."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
import polars as pl
import pytest

import tacita as ta
from small_kinds import SMALL
from tacita.cli import main
from tacita.privacy.randomness import SecureSource
from tacita.testing import SeededSource

ARGUMENTS = {"id": "person"}
PLAIN = {"epsilon", "height", "contexts", "crowd", "known_pairs", "time_start", "time_step", "time_intervals", "fan_out"}
RENAMED = {"id": "card", "label": "station", "time": "tap", "source": "one", "target": "other"}
"""Columns as an owner's frame has them; those of tables are declared under their own names."""


@contextmanager
def the_same_noise(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every block of this kind draws the same bytes, from its beginning."""
    stream = SeededSource(7)
    with monkeypatch.context() as patched:
        patched.setattr(SecureSource, "take", lambda _source, size: stream.take(size))
        patched.setattr("tacita.privacy.drafts.token", lambda: "0" * 32)  # the command claims its folder first
        yield


def arguments_of(words: list[str]) -> dict[str, object]:
    """The options of a command as arguments: numbers as numbers, everything else as it is typed."""
    pairs = zip(words[::2], words[1::2], strict=True)
    named = {flag.removeprefix("--").replace("-", "_"): text for flag, text in pairs}
    return {name: int(text) if name in PLAIN else text for name, text in named.items()}


def by_command(kind, folder, monkeypatch):
    """The words of the command, and the bytes of the data that it writes."""
    words = SMALL[kind].lay_out(folder)
    with the_same_noise(monkeypatch):
        assert main([*words, "--format", "csv"]) == 0
    out = words.index("--out")
    return [*words[3:out], *words[out + 2 :]], data_of(folder / "out")


def data_of(release):
    """The bytes of the data of a release."""
    manifest = json.loads((release / "manifest.json").read_text())
    return (release / next(file["name"] for file in manifest["files"] if file["role"] == "data")).read_bytes()


def written(release, folder):
    """The bytes of the data, once it is written as the command does."""
    return data_of(release.write(folder, file_format="csv"))


@pytest.mark.parametrize("kind", SMALL)
def test_a_file_is_published_as_the_command_publishes_it(kind, tmp_path, monkeypatch, capsys):
    words, expected = by_command(kind, tmp_path, monkeypatch)
    with the_same_noise(monkeypatch):
        release = ta.publish(tmp_path / "raw.csv", kind=kind, **arguments_of(words))
    assert written(release, tmp_path / "again") == expected
    capsys.readouterr()


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
@pytest.mark.parametrize("kind", [kind for kind in SMALL if kind != "people"])  # whose file of events has these names too
def test_a_frame_with_columns_of_other_names_is_published_as_the_command_publishes_its_file(
    kind, library, tmp_path, monkeypatch, capsys
):
    words, expected = by_command(kind, tmp_path, monkeypatch)
    frame = library([{RENAMED.get(name, name): value for name, value in row.items()} for row in SMALL[kind].rows])
    columns = {ARGUMENTS.get(name, name): RENAMED[name] for name in SMALL[kind].rows[0] if name in RENAMED}
    with the_same_noise(monkeypatch):
        release = ta.publish(frame, kind=kind, name="small", **columns, **arguments_of(words))
    assert written(release, tmp_path / "again").splitlines()[1:] == expected.splitlines()[1:]
    capsys.readouterr()


@pytest.mark.parametrize("kind", SMALL)
def test_a_release_of_every_kind_is_evaluated_reported_on_and_verified(kind, tmp_path):
    words = SMALL[kind].lay_out(tmp_path)
    out = words.index("--out")
    frame = pl.DataFrame(SMALL[kind].rows)
    release = ta.publish(frame, kind=kind, name="small", **arguments_of([*words[3:out], *words[out + 2 :]]))
    found = ta.evaluate(frame, release)
    assert "eyes only" in str(found)
    assert set(found.as_json()) == {"left_out", *found.sections, *found.beside}
    page = ta.report(frame, release, tmp_path / "owner.html", shared=tmp_path / "shared.html")
    assert "eyes only" in page.read_text(encoding="utf-8")
    assert "eyes only" not in (tmp_path / "shared.html").read_text(encoding="utf-8")
    assert ta.verify(release.write(tmp_path / "release")).passed


@pytest.mark.parametrize("kind", SMALL)
def test_what_every_kind_would_spend_is_explained_without_data(kind, tmp_path):
    words = SMALL[kind].lay_out(tmp_path)
    out = words.index("--out")
    given = arguments_of([*words[3:out], *words[out + 2 :]])
    reading = ("attributes",)
    explained = ta.explain(kind=kind, **{name: value for name, value in given.items() if name not in reading})
    assert explained.method == given["method"]
    assert str(explained).startswith(explained.explanation.title)
    assert explained.as_json()["title"] == explained.explanation.title
