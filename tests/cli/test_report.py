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
    assert max(owner.stat().st_size, shared.stat().st_size) < 500_000
    assert "For the owner's eyes only" in owner.read_text(encoding="utf-8")
    assert "owner" not in shared.read_text(encoding="utf-8").lower()
    assert shared.read_text(encoding="utf-8").count("<figure") >= 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "records"), [("sequences", 100_000), ("sets", 88_162), ("tables", 30_162), ("networks", 5_242), ("streams", 10_000)]
)
def test_the_pages_on_a_file_of_usual_size_are_small_too(name, records, tmp_path):
    assert all(page.stat().st_size < 500_000 for page in report_of(name, tmp_path, records=records))


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
    crowds = next(picture for picture in pictures if picture["title"].startswith("Every row looks like at least 9 others"))
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


@pytest.mark.parametrize("name", EVERY_KIND)
def test_titles_are_short_and_speak_of_people_not_of_python(name, tmp_path, capsys):
    raw, release = release_of(name, tmp_path)
    capsys.readouterr()
    words = ["report", str(raw), str(release), "--out", str(tmp_path / "o.html"), "--shared", str(tmp_path / "s.html"), "--json"]
    assert main(words) == 0
    pages = json.loads(capsys.readouterr().out)["pages"]
    for page in pages.values():
        titles = [page["title"], *(picture["title"] for section in page["sections"] for picture in section["pictures"])]
        assert len(titles) > 2
        assert [title for title in titles if len(title) > 90] == []
        assert [title for title in titles if any(sign in title for sign in ("{", "None", "nan", "inf %"))] == []
    assert "{&#39;" not in (tmp_path / "o.html").read_text(encoding="utf-8")


def test_two_unrelated_private_files_give_the_same_page_to_share_and_different_ones_for_the_owner(tables, tmp_path):
    raw, release = tables
    header, *rows = raw.read_text(encoding="utf-8").splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([header, *[rows[0]] * 40]) + "\n", encoding="utf-8")
    pages = {}
    for private in (raw, other):
        files = [tmp_path / f"{private.stem}-{which}.html" for which in ("owner", "shared")]
        assert main(["report", str(private), str(release), "--out", str(files[0]), "--shared", str(files[1])]) == 0
        pages[private] = [file.read_text(encoding="utf-8") for file in files]
    assert pages[raw][1] == pages[other][1]
    assert pages[raw][0] != pages[other][0]


def test_a_report_of_a_release_that_has_nothing_to_do_with_the_file_says_so_in_its_first_line(tables, tmp_path, capsys):
    raw, release = tables
    header, *rows = raw.read_text(encoding="utf-8").splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([header, *[rows[0]] * 40]) + "\n", encoding="utf-8")
    assert (
        main(
            [
                "report",
                str(other),
                str(release),
                "--out",
                str(tmp_path / "o.html"),
                "--shared",
                str(tmp_path / "s.html"),
                "--json",
            ]
        )
        == 0
    )
    owner = json.loads(capsys.readouterr().out)["pages"]["owner"]
    assert owner["title"].startswith("Do not publish this one")
    assert any(
        "0 of 8 columns keep their shape" in picture["title"] or "columns keep" in picture["title"]
        for section in owner["sections"]
        for picture in section["pictures"]
    )


def test_two_releases_of_one_file_are_compared_measure_by_measure(tables, tmp_path, capsys):
    raw, release = tables
    coarser = tmp_path / "coarser"
    columns = tmp_path / "world" / "columns.json"
    assert (
        main(
            [
                "publish",
                "tables",
                str(raw),
                "--method",
                "mondrian",
                "--models",
                "k=100",
                "--columns",
                str(columns),
                "--out",
                str(coarser),
            ]
        )
        == 0
    )
    capsys.readouterr()
    assert main(["compare", "releases", str(raw), str(release), str(coarser), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, output_schema("tacita-compare-releases-1"))
    counts = found["measures"][0]
    assert counts["off"][0] < counts["off"][1]
    assert counts["nearer"] == str(release)
    assert main(["compare", "releases", str(raw), str(release), str(release)]) == 1
    assert "name two different folders" in capsys.readouterr().err
