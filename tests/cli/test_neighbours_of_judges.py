"""What commands leave that judge raw data, or lead an owner through it.

The log is the same for neighbours, and so is every file that is not the owner's own. Figures of raw data are on standard output
or in the owner's page, and say for whom they are.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import polars as pl
import pytest

from neighbours import LABELS, NEIGHBOURS, PEOPLE, left, publish_words, without_names_of_the_run
from small_kinds import SMALL
from tacita.auditing.verdict import Check
from tacita.cli import main, watched
from tacita.cli.parser import COMMANDS, build_parser, every_parser, visible
from tacita.kinds import kinds
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.schemas import output_schema
from tacita.studio.jobs import Jobs
from tacita.studio.pages import Studio
from tacita.studio.workspace import Workspace
from tacita.utility.networks.cuts import measure_cuts


@pytest.mark.parametrize("neighbour", NEIGHBOURS)
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_audit_on_a_real_file_prints_no_figure_of_it_where_nobody_watches(neighbour, more, monkeypatch, tmp_path, capfd):
    fine = Check(subject="x", test="output", passed=True, summary="fine")
    monkeypatch.setattr("tacita.auditing.product.audit_output", lambda *_words, **_rest: fine)
    monkeypatch.setattr("tacita.auditing.product._black_box", lambda *_words, **_rest: fine)
    monkeypatch.setattr("tacita.auditing.product.audit_replay", lambda *_words, **_rest: fine)
    words = [
        "audit",
        "prefix-tree",
        "--height",
        "2",
        "--epsilon",
        "4",
        "--quick",
        "--neighbours",
        "6",
        "--input",
        "FOLDER/taps.csv",
    ]
    words += ["--universe", "FOLDER/labels.txt", *more]
    first = left(tmp_path / "first", PEOPLE, [*words, "--html", "FOLDER/page.html"], capfd)
    second = left(tmp_path / "second", [*PEOPLE, *NEIGHBOURS[neighbour]], [*words, "--html", "FOLDER/page.html"], capfd)
    for run in (first, second):
        run[3]["page.html"] = (
            run[3]["page.html"].replace(str(tmp_path / "first").encode(), b"").replace(str(tmp_path / "second").encode(), b"")
        )
    assert first[0] == 0
    assert first == second
    everything = first[1] + first[2] + str(first[3])
    assert "person" not in everything.replace("per-person", "").replace("per_person", "")


JUDGES = {
    "evaluate": [],
    "attack sequences": ["--known", "2"],
    "report": ["--out", "FOLDER/owner.html", "--shared", "FOLDER/shared.html"],
}
"""Commands that compare the raw file with a release; what they find is for the owner."""


PREFIX_TREE = ["--height", "2", "--epsilon", "4"]


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    pl.DataFrame(PEOPLE).write_csv(folder / "taps.csv")
    (folder / "labels.txt").write_text("\n".join(LABELS) + "\n", encoding="utf-8")
    words = [*publish_words("prefix-tree"), *PREFIX_TREE]
    assert main([word.replace("FOLDER", str(folder)) for word in words]) == 0
    return folder / "out"


@pytest.mark.parametrize("judge", JUDGES)
def test_a_judge_says_that_its_figures_are_private_and_tells_a_log_nothing_else(judge, released, tmp_path, capfd):
    words = [*judge.split(), "FOLDER/taps.csv", str(released), *JUDGES[judge]]
    first = left(tmp_path / "first", PEOPLE, words, capfd)
    assert first[0] == 0, first[2]
    for name, more in NEIGHBOURS.items():
        second = left(tmp_path / name, [*PEOPLE, *more], words, capfd)
        assert first[0] == second[0]
        assert first[2] == second[2], name
        assert second[3].get("shared.html") == first[3].get("shared.html"), name
        assert "eyes" in second[1] or b"eyes" in second[3]["owner.html"]


CLOCK = ["--universe", "FOLDER/labels.txt", "--time-start", "0", "--time-step", "1", "--time-intervals", "10"]
TRIALS = {
    "inspect": ["--config", "FOLDER/tacita.toml"],
    "compare streams": ["--method", "uniform", "--contexts", "3", "--epsilon", "4", *CLOCK],
    "lattice trajectories": ["--method", "suppression", "--crowd", "2", "--known-pairs", "2", "--intervals", "1,2", *CLOCK],
}
"""Commands that look at the raw file alone, or try methods on it; what they find is for the owner."""


@pytest.mark.parametrize("more", [[], ["--json"]])
@pytest.mark.parametrize("trial", TRIALS)
def test_a_trial_says_that_its_figures_are_private_and_leaves_nothing_else(trial, more, tmp_path, capfd):
    words = [*trial.split(), "FOLDER/taps.csv", *TRIALS[trial], *more]
    first = left(tmp_path / "first", PEOPLE, words, capfd)
    assert first[0] == 0, first[2]
    for name, rows in NEIGHBOURS.items():
        code, out, err, files = left(tmp_path / name, [*PEOPLE, *rows], words, capfd)
        assert (code, err, anywhere(files, tmp_path / name)) == (first[0], first[2], anywhere(first[3], tmp_path / "first")), name
        assert set(files) == {"labels.txt", *(["tacita.toml"] if trial == "inspect" and not more else [])}
        assert OWNER_ONLY in out


def anywhere(files, folder):
    """The files without the name of their folder: what inspect declares names the private file, and holds nothing else of it."""
    return {name: content.replace(str(folder).encode(), b"FOLDER") for name, content in files.items()}


@pytest.mark.parametrize("kind", SMALL)
def test_a_comparison_of_any_kind_says_that_its_figures_are_private_and_follows_its_schema(kind, monkeypatch, tmp_path, capsys):
    few = lambda raw, released, workload: measure_cuts(raw, released, replace(workload, queries=64))  # noqa: E731 - as it is called
    monkeypatch.setattr("tacita.utility.networks.measure_cuts", few)
    small = SMALL[kind]
    assert main(small.lay_out(tmp_path)) == 0
    capsys.readouterr()
    words = ["evaluate", str(tmp_path / "raw.csv"), str(tmp_path / "out")]
    words += ["--attributes", str(tmp_path / "attributes.csv")] if "attributes.csv" in small.files else []
    words += ["--events", str(tmp_path / "events.csv"), "--time", "time"] if "events.csv" in small.files else []
    assert main(words) == 0
    assert OWNER_ONLY in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    told = capsys.readouterr().out
    assert OWNER_ONLY in told
    jsonschema.validate(json.loads(told), output_schema(kinds()[kind].evaluation))


def walked(folder, rows, monkeypatch, capfd):
    """What a studio keeps of a publication and its report; commands run in this process, and the owner's own page is left out."""
    folder.mkdir()
    pl.DataFrame(rows).write_csv(folder / "taps.csv")
    (folder / "labels.txt").write_text("\n".join(LABELS) + "\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    studio = Studio(Workspace.at(folder))
    made = studio.files.begin({"file": "taps.csv", "kind": "sequences"})
    studio.files.save_data(made.id, {"option.universe": "labels.txt", "version": "1"})
    studio.save_comparison(made.id, {"parameter.height": "2", "version": "2"})
    studio.save_choice(made.id, {"method": "prefix-tree", "epsilon": "4", "dataset": "taps", "version": "3"})
    assert studio.publish(made.id, {"version": "4"}) is None
    studio.make_report(made.id)
    studio.forecaster.close()
    capfd.readouterr()  # the pipe to the page, for the owner's eyes
    place = studio.publications.place(made.id)
    assert "eyes" in (place / "owner-report.html").read_text(encoding="utf-8")
    return {
        str(path.relative_to(folder)).replace(made.id, "ID"): kept(path, made.id)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in {"taps.csv", "owner-report.html"} and "ledger" not in path.name
    }


def kept(path, identity):
    """The bytes of a file, without what names the run: ids, times and the folder."""
    if path.suffix == ".journal":
        entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [{name: told for name, told in entry.items() if name != "pid"} for entry in entries]
    if path.parent.name == identity and path.suffix == ".json":
        return {name: told for name, told in json.loads(path.read_bytes()).items() if name not in {"id", "began"}}
    return without_names_of_the_run(path)


def without_the_run(found, folder, identity=r"[0-9a-f]{32}"):
    return re.sub(identity, "ID", repr(found).replace(str(folder), "FOLDER"))


def test_a_studio_keeps_the_same_of_neighbours_but_for_the_page_of_their_owner(fixed, monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(Jobs, "start", lambda _, journal, words, **__: watched.main([str(journal), "alone", *words]) == 0)
    first = walked(tmp_path / "first", PEOPLE, monkeypatch, capfd)
    names = {name.rpartition("/")[2] for name in first}
    assert {"publish.journal", "report.journal", "shared-report.html", "manifest.json", "sequences.csv"} <= names
    for name in ("one unknown label more", "many people more"):
        fixed.place = 0
        second = walked(tmp_path / name, [*PEOPLE, *NEIGHBOURS[name]], monkeypatch, capfd)
        assert without_the_run(second, tmp_path / name) == without_the_run(first, tmp_path / "first"), name


JUDGED = "test_a_judge_says_that_its_figures_are_private_and_tells_a_log_nothing_else"
TRIED = "test_a_trial_says_that_its_figures_are_private_and_leaves_nothing_else"
COMPARED = {
    "publish": "test_publishing_neighbours_leaves_the_same_bytes_and_prints_the_same_words",
    "stream": "test_a_live_stream_leaves_the_same_bytes_outside_of_its_state_too",
    "evaluate": JUDGED,
    "report": JUDGED,
    "attack": JUDGED,
    "inspect": TRIED,
    "lattice": TRIED,
    "compare": TRIED,
    "audit": "test_an_audit_on_a_real_file_prints_no_figure_of_it_where_nobody_watches",
    "verify": "test_a_verification_with_the_owner_s_file_prints_the_same_for_neighbours_and_for_whose_eyes_it_is",
    "studio": "test_a_studio_keeps_the_same_of_neighbours_but_for_the_page_of_their_owner",
}
"""The commands that touch raw data, each with the test that compares neighbours."""

WITHOUT_RAW_DATA = {
    "explain": "public facts only",
    "ledger": "what was spent",
    "datasets": "public data",
    "simulate": "data that belongs to nobody",
    "demo": "data that belongs to nobody",
    "completion": "no data",
}


def test_a_verification_with_the_owner_s_file_prints_the_same_for_neighbours_and_for_whose_eyes_it_is(tmp_path, capsys):
    told = []
    for people in (2, 3):
        folder = tmp_path / str(people)
        folder.mkdir()
        labels = "AABCDBACDCABDDCBACDAABCD" * 3
        rows = "".join(f"{person},{label},{time}\n" for person in range(people) for time, label in enumerate(labels))
        (folder / "raw.csv").write_text("id,label,time\n" + rows, encoding="utf-8")
        (folder / "labels.txt").write_text("A\nB\nC\nD\n", encoding="utf-8")
        hiding = ["--method", "pattern-hiding", "--bound", "belief=0.6", "--patterns", "A, A", "--window", "2", "--fan-out", "2"]
        public = ["--universe", str(folder / "labels.txt"), "--out", str(folder / "out")]
        assert main(["publish", "personal", str(folder / "raw.csv"), *hiding, *public]) == 0
        capsys.readouterr()
        assert main(["verify", str(folder / "out"), "--input", str(folder / "raw.csv")]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert told[0].startswith(OWNER_ONLY)


def test_every_command_that_touches_raw_data_is_compared_on_neighbours():
    assert set(COMPARED) | set(WITHOUT_RAW_DATA) == set(COMMANDS)
    assert not set(COMPARED) & set(WITHOUT_RAW_DATA)
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_neighbours*.py"))
    assert all(f"\ndef {name}(" in tests for name in COMPARED.values())
    assert {judge.split()[0] for judge in JUDGES} == {command for command, test in COMPARED.items() if test == JUDGED}
    assert {trial.split()[0] for trial in TRIALS} == {command for command, test in COMPARED.items() if test == TRIED}
    taking = {path[0] for path, parser in every_parser(build_parser()) if "input" in {action.dest for action in visible(parser)}}
    assert taking <= set(COMPARED)
