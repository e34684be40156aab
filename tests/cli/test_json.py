"""Output for scripts: one object, true to its schema, free of raw figures."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from commands import SECRET, publish
from tacita import cli
from tacita.auditing import Check
from tacita.cli import main
from tacita.cli.parser import build_parser, every_parser, visible
from tacita.kinds import kinds
from tacita.schemas import output_schema


def printed_object(capsys):
    """What was printed, which must be one object that follows the schema that it names."""
    content = json.loads(capsys.readouterr().out)
    schema = output_schema(content["schema"])
    assert schema["$id"] == content["schema"]
    jsonschema.validate(content, schema)
    return content


def test_every_command_that_prints_a_result_offers_json():
    offered = {path: {action.dest for action in visible(parser)} for path, parser in every_parser(build_parser())}
    without = {path for path, names in offered.items() if "json" not in names}
    by_kind = {("publish",), ("explain",), ("lattice",), ("compare",), ("attack",)}
    assert without == {(), ("ledger",), ("completion",), ("studio",), *by_kind}


def test_every_schema_that_a_command_or_a_kind_names_is_shipped():
    source = "".join(path.read_text(encoding="utf-8") for path in Path(cli.__file__).parent.glob("*.py"))
    named = {*re.findall(r'say_json\("([^"]+)"', source), *(kind.evaluation for kind in kinds().values())}
    assert len(named) > 20
    assert {output_schema(name)["$id"] for name in named} == named


def test_publish_tells_folder_files_guarantee_and_balance(files, capsys):
    ledger = str(files / "owner.ledger")
    assert publish(files, "--ledger", ledger, "--json") == 0
    told = printed_object(capsys)
    assert told["folder"] == str(files / "out")
    assert told["files"] == ["README.md", "croissant.json", "manifest.json", "sequences.parquet", "universe.json"]
    assert told["guarantee"]["epsilon"] == "4"
    assert told["balance"] == {"dataset": "taps", "epsilon": "4", "delta": "0", "rho": "0"} | dict.fromkeys(
        ("cap_epsilon", "cap_delta", "cap_rho")
    )
    assert publish(files, "--json", out="second") == 0
    told = printed_object(capsys)
    assert told["ledger"] is None
    assert told["balance"] is None


@pytest.mark.usefixtures("terminal")
def test_the_number_of_dropped_labels_is_in_no_json(files, capsys):
    assert publish(files, "--json") == 0
    printed = capsys.readouterr()
    assert "1 of 601 were labels outside the universe and are dropped" in printed.err
    told = json.loads(printed.out)
    assert 1 not in told.values()
    assert "labels" not in printed.out
    assert SECRET not in printed.out


def test_the_other_commands_follow_their_schemas(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    assert main(["explain", "sequences", "--method", "prefix-tree", "--height", "2", "--epsilon", "1/3", "--json"]) == 0
    assert printed_object(capsys)["plan"]["epsilon"] == "1/3"
    assert main(["ledger", "create", "owner.ledger", "--json"]) == 0
    assert printed_object(capsys)["ledger"] == "owner.ledger"
    assert main(["ledger", "cap", "owner.ledger", "--dataset", "taps", "--epsilon", "4.5", "--delta", "1e-6", "--json"]) == 0
    assert printed_object(capsys)["balance"]["cap_delta"] == "0.000001"
    assert publish(files, "--ledger", "owner.ledger", "--dry-run", "--json") == 0
    assert printed_object(capsys)["allowed"] is True
    assert publish(files, "--ledger", "owner.ledger") == 0
    capsys.readouterr()
    assert main(["ledger", "show", "owner.ledger", "--json"]) == 0
    assert [entry["kind"] for entry in printed_object(capsys)["entries"]] == [
        "cap",
        "charge",
        "draw",
        "draw",
        "finished",
        "release",
    ]
    assert main(["ledger", "verify", "owner.ledger", "--json"]) == 0
    assert printed_object(capsys)["entries"] == 6
    assert main(["ledger", "key", "owner.key", "--json"]) == 0
    assert printed_object(capsys)["public"] == "owner.key.pub"
    assert main(["demo", "--json"]) == 0
    told = printed_object(capsys)
    assert [len(row["values"]) for row in told["table"]] == [len(told["columns"])] * 6
    assert all((files / path).exists() for path in told["files"].values())


def test_an_audit_follows_its_schema_whatever_it_found(capsys, monkeypatch):
    bad = Check(subject="tree", test="replay", passed=False, summary="lost it", figures={"loss": float("inf")})
    monkeypatch.setattr("tacita.auditing.audit_mechanism", lambda *_args, **_rest: iter([bad]))
    assert main(["audit", "prefix-tree", "--height", "2", "--json"]) == 1
    assert printed_object(capsys)["passed"] is False


@pytest.mark.usefixtures("terminal")
def test_the_figures_of_an_audit_of_a_real_file_are_for_the_owner_s_terminal(files, capsys, monkeypatch):
    from tacita.auditing import exact_replay
    from tacita.auditing.product import replay_case

    monkeypatch.setattr(
        "tacita.auditing.audit_mechanism",
        lambda variant, budget, *, real, **_rest: iter(
            [exact_replay.audit_real_replay(replay_case(variant, budget), real, neighbours=5)]
        ),
    )
    words = [
        "audit",
        "prefix-tree",
        "--height",
        "2",
        "--input",
        str(files / "taps.csv"),
        "--universe",
        str(files / "stations.txt"),
    ]
    assert main([*words, "--json"]) == 0
    printed = capsys.readouterr()
    (check,) = json.loads(printed.out)["checks"]
    jsonschema.validate(json.loads(printed.out), output_schema("tacita-audit-1"))
    assert check["passed"] is True
    assert check["figures"] == {}
    assert "loss" not in printed.out
    assert "for your eyes only: prefix-tree, exact replay on real data: worst loss" in printed.err


@pytest.mark.parametrize(
    "words",
    [
        [
            "publish",
            "sequences",
            "none.csv",
            "--method",
            "prefix-tree",
            "--height",
            "2",
            "--epsilon",
            "1",
            "--universe",
            "x",
            "--out",
            "y",
        ],
        ["explain", "sequences", "--method", "prefix-tree", "--epsilon", "1"],
        ["evaluate", "none.csv", "none", "--universe", "none.txt"],
        ["simulate", "metro", "--records", "0", "--out", "world"],
        ["ledger", "show", "none.ledger"],
        ["ledger", "cap", "no/folder.ledger", "--dataset", "a", "--epsilon", "1"],
        ["audit"],
        ["demo", "--out", "no/folder"],
    ],
)
def test_a_refusal_leaves_standard_output_empty(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*words, "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("tacita: ")
    assert printed.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
