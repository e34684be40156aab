"""Reports: one page for the owner, one that follows from the release alone, and the same figures for scripts."""

import json

import jsonschema
import pytest

from released import WORLDS, release_of, report_of
from tacita.cli import main
from tacita.schemas import output_schema

QUICK = ("tables", "streams", "trajectories", "personal")
SLOW = tuple(name for name in WORLDS if name not in QUICK)
EVERY_KIND = [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]


@pytest.fixture
def tables(tmp_path, capsys):
    raw, release = release_of("tables", tmp_path)
    capsys.readouterr()
    return raw, release


@pytest.mark.parametrize("name", EVERY_KIND)
def test_the_shared_page_follows_from_the_release_alone_and_both_are_small(name, tmp_path):
    owner, shared = report_of(name, tmp_path)
    alone = tmp_path / "alone.html"
    groups = ["--groups", str(tmp_path / "world" / "taxonomy.csv")] if name in {"sequences", "timed"} else []
    assert main(["report", str(tmp_path / "release"), "--shared", str(alone), *groups]) == 0
    assert alone.read_bytes() == shared.read_bytes(), "the private file must not change a byte of it"
    assert max(owner.stat().st_size, shared.stat().st_size) < 1_000_000
    assert "For the owner&#39;s eyes only" in owner.read_text(encoding="utf-8")
    assert "owner" not in shared.read_text(encoding="utf-8").lower()
    assert shared.read_text(encoding="utf-8").count("<figure") >= 2


def test_json_holds_the_figures_of_both_pages_and_follows_its_schema(tables, tmp_path, monkeypatch, capsys):
    raw, release = tables
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(raw), str(release), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    jsonschema.validate(printed, output_schema("tacita-report-1"))
    assert set(printed["files"]) == {"public", "owner"}
    owner = printed["pages"]["owner"]
    assert owner["owner_only"]
    assert printed["pages"]["public"]["owner_only"] is None
    pictures = [picture for section in owner["sections"] for picture in section["pictures"]]
    crowds = next(picture for picture in pictures if picture["title"].startswith("How many rows look the same"))
    assert crowds["tables"][0]["columns"] == ["", "raw", "released"]
    assert crowds["tables"][0]["rows"][0][2] == 0, "k = 10: no row is alone"
    figures = (tmp_path / "release-owner-report.html").read_text(encoding="utf-8")
    assert all(picture["title"].replace("'", "&#x27;") in figures for picture in pictures)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{release}", "--out", "x.html"], "--out names the owner's page, which needs the private file"),
        (["{raw}", "{release}", "--out", "{release}/x.html"], "must lie outside the release folder"),
        (["{raw}", "{release}", "--shared", "{release}/x.html"], "must lie outside the release folder"),
        (["{raw}", "{release}", "--groups", "{raw}"], "pictures of tables are not drawn by groups"),
        (["{raw}", "{raw}.nowhere"], "a release folder must hold a readable manifest.json"),
        (["{raw}.nowhere", "{release}"], "nowhere"),
    ],
)
def test_bad_input_is_refused_with_a_sentence_and_writes_nothing(words, message, tables, tmp_path, monkeypatch, capsys):
    raw, release = tables
    monkeypatch.chdir(tmp_path)
    assert main(["report", *(word.format(raw=raw, release=release) for word in words)]) == 1
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("**/*.html"))
