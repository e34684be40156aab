import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest

from commands import SECRET, publish, run_command, set_cap
from tacita.auditing import Effort
from tacita.cli import main
from tacita.cli.parser import build_parser, every_parser
from tacita.cli.screen import one_at_a_time
from tacita.kinds import kinds, methods
from tacita.kinds.options import TAXONOMY_OPTIONS


def test_publish_writes_a_release_and_says_what_it_promises(files, capsys):
    assert publish(files) == 0
    printed = capsys.readouterr()
    assert "This release satisfies 4-differential privacy" in printed.out
    assert str(files / "out") in printed.out
    assert (files / "out" / "sequences.parquet").exists()


@pytest.mark.usefixtures("terminal")
def test_the_number_of_dropped_labels_is_told_to_the_terminal_and_to_nothing_else(files, capsys):
    assert publish(files) == 0
    printed = capsys.readouterr()
    assert "for your eyes only: 1 of 601 were labels outside the universe and are dropped" in printed.err
    written = "".join((files / "out" / name).read_text(encoding="utf-8") for name in ("manifest.json", "README.md"))
    assert SECRET not in printed.err + printed.out + written
    assert "eyes only" not in written + printed.out


def test_strict_refuses_what_would_be_dropped(files, capsys):
    assert publish(files, "--strict") == 1
    assert "must belong to the universe" in capsys.readouterr().err
    assert not (files / "out").exists()


def test_a_ledger_remembers_and_refuses(files, capsys):
    ledger = str(files / "owner.ledger")
    set_cap(ledger, "--dataset", "taps", "--epsilon", "5")
    assert publish(files, "--ledger", ledger) == 0
    assert "spent on 'taps' so far: epsilon 4; the cap is 5" in capsys.readouterr().out
    assert publish(files, "--ledger", ledger, out="second") == 1
    assert "epsilon 1 left of its cap 5, 4 was asked" in capsys.readouterr().err
    assert not (files / "second").exists()
    assert publish(files, "--ledger", ledger, "--epsilon", "1", out="third") == 0


def test_ledger_show_tells_balances_and_history(files, capsys):
    ledger = str(files / "owner.ledger")
    set_cap(ledger, "--dataset", "taps", "--epsilon", "5", "--delta", "1e-6")
    publish(files, "--ledger", ledger)
    capsys.readouterr()
    assert main(["ledger", "show", ledger]) == 0
    text = capsys.readouterr().out
    assert "taps: epsilon 4 spent of epsilon 5, delta 0.000001" in text
    assert "draw" in text
    assert "level 2, epsilon 2" in text
    assert main(["ledger", "show", ledger, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    amounts = {"epsilon": "4", "delta": "0", "rho": "0", "cap_epsilon": "5", "cap_delta": "0.000001", "cap_rho": "0"}
    assert shown["balances"] == [{"dataset": "taps", **amounts, "unit": "person", "identity": None, "datasets": ["taps"]}]
    assert shown["mark"]["entry"] == 6
    assert [entry["kind"] for entry in shown["entries"]] == ["cap", "charge", "draw", "draw", "finished", "release"]


def test_without_a_ledger_the_owner_is_told_that_nothing_remembers(files, capsys):
    publish(files)
    assert "this spend is not recorded anywhere" in capsys.readouterr().err


def test_an_epsilon_above_five_is_published_with_a_warning(files, capsys):
    assert publish(files, "--epsilon", "5", out="five") == 0
    assert "protects little" not in capsys.readouterr().err
    assert publish(files, "--epsilon", "5.1", out="more") == 0
    assert "above 5 the bound alone protects little" in capsys.readouterr().err
    assert main(["explain", "sequences", "--epsilon", "60", "--universe", str(files / "stations.txt")]) == 0
    assert "warning: epsilon 60 lets the odds of a guess about one person grow up to e^60 times" in capsys.readouterr().out


def test_explain_spends_nothing_and_speaks_json(files, capsys):
    words = ["explain", "sequences", "--method", "prefix-tree", "--height", "3", "--epsilon", "1"]
    assert main(words) == 0
    assert "level 3: epsilon 1/3" in capsys.readouterr().out
    assert main([*words, "--universe", str(files / "stations.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plan"]["epsilon"] == "1"


def test_an_observed_universe_needs_its_flag_and_voids_the_guarantee(files, capsys):
    assert publish(files, universe=None) == 1
    assert "name the public --universe" in capsys.readouterr().err
    assert publish(files, "--observed-universe", universe=None) == 0
    printed = capsys.readouterr()
    assert "NOT PRIVATE" in printed.err
    assert printed.out.startswith("NOT PRIVATE")
    assert publish(files, "--observed-universe", out="other") == 1
    assert "give --universe, --cells or --observed-universe, not several" in capsys.readouterr().err


def test_the_header_of_a_seq_file_is_the_universe_only_if_the_owner_says_so(files, capsys):
    (files / "visits.seq").write_text("% Categories\n\nA B\n\n% Sequences:\n\n" + "1 2\n" * 50, encoding="utf-8")
    assert publish(files, name="visits.seq", universe=None) == 1
    assert publish(files, name="visits.seq", universe="visits.seq") == 0
    manifest = json.loads((files / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["public_inputs"]["universe"]["origin"] == "declared in the header of a .seq file"
    assert publish(files, "--observed-universe", name="visits.seq", universe=None, out="other") == 0
    assert capsys.readouterr().out.splitlines()[-2].startswith("NOT PRIVATE")


def test_the_demo_runs_and_tells_where_it_wrote_what(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tacita-demo").mkdir()  # of an earlier run
    assert main(["demo"]) == 0
    text = capsys.readouterr().out
    assert "frequent patterns found, of 100" in text
    assert "the ledger holds epsilon 3 of a cap of 3" in text
    assert "The default, raked, was chosen from public facts." in text
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["tacita-demo", "tacita-demo-2"]
    assert (tmp_path / "tacita-demo-2" / "release-hybrid" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("more", "rest", "message"),
    [
        (["--epsilon", "0"], {}, "epsilon must be above 0, got 0"),
        (["--epsilon", "-1"], {}, "epsilon must be above 0, got -1"),
        (["--epsilon", "nan"], {}, "epsilon must be a finite number"),
        (["--height", "0"], {}, "height must be a whole number of at least 1, got 0"),
        (["--epsilon", "1e400"], {}, "epsilon must be at most 10000"),
        (["--epsilon", "1e-400"], {}, "at least 2**-40"),
        (["--format", "xls"], {}, "a format must be one of"),
        (["--format", "seq"], {"universe": "blanks.txt"}, "no label may contain one"),
        (["--person", "label"], {}, "three different columns"),
        ([], {"name": "nowhere.csv"}, "does not exist"),
        ([], {"name": "stations.txt"}, "clear from its ending"),
        ([], {"universe": "nowhere.txt"}, "does not exist"),
        (["--label", "place"], {}, "must have the columns id, place, time"),
        ([], {"out": "no/such/parent"}, "cannot be created"),
        ([], {"out": "."}, "must not exist yet"),
        (["--ledger", "/dev/null/owner.ledger"], {}, "ledger"),
    ],
)
def test_bad_input_gets_one_line_a_code_and_nothing_written(files, capsys, more, rest, message):
    before = sorted(files.iterdir())
    assert publish(files, *more, **rest) == 1
    printed = capsys.readouterr()
    refusals = [line for line in printed.err.splitlines() if "for your eyes only" not in line]
    assert len(refusals) == 1
    assert refusals[0].startswith("tacita: ")
    assert message in refusals[0]
    assert printed.out == ""
    assert sorted(files.iterdir()) == before


def test_a_method_lacks_nothing_silently(capsys):
    assert main(["explain", "sequences", "--method", "prefix-tree", "--epsilon", "1"]) == 1
    assert "prefix-tree needs --height" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["publish"],
        ["fly"],
        ["publish", "sequences", "x.csv", "--height"],
        ["explain", "sequences", "--heigh", "3"],
        ["explain", "sqs"],
    ],
)
def test_wrong_usage_exits_with_two(words, capsys):
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("tacita")
    assert re.fullmatch(r"(did you mean [\w-]+\? )?see tacita.* --help", second)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["publish", "sequences", "x.csv", "--epsilom=1", "--out", "y"],
            "did you mean --epsilon? see tacita publish sequences --help",
        ),
        (["publish", "sequences", "x.csv", "--epsilom", "1"], "did you mean --epsilon? see tacita publish sequences --help"),
        (["publsh", "x.csv"], "did you mean publish? see tacita --help"),
        (
            ["publish", "sequences", "x.csv", "--engine", "locl", "--out", "y"],
            "did you mean local? see tacita publish sequences --help",
        ),
        (["ledger", "shw", "x"], "did you mean show? see tacita ledger --help"),
        (["publish", "sequences", "x.csv", "--zzzzzz", "--out", "y"], "see tacita publish sequences --help"),
    ],
)
def test_a_word_that_does_not_exist_is_answered_with_the_nearest_one(words, said, capsys):
    with pytest.raises(SystemExit):
        main(words)
    assert capsys.readouterr().err.splitlines()[1:] == [said]


def test_options_of_methods_are_the_fields_of_their_dataclasses():
    for method in methods().values():
        own = {field.name for field in fields(method.load())}
        offered = {option.field_name for option in method.options}
        makes_its_own = {option.field_name for option in TAXONOMY_OPTIONS} & own
        assert offered | makes_its_own == own


OWN = {path: parser for path, parser in every_parser(build_parser()) if path and path[-1] not in kinds()}
"""Commands; those below for each kind have examples with FILE in them."""
EXAMPLES = {path: parser.epilog.partition(". ")[0].removeprefix("Example: tacita ").split() for path, parser in OWN.items()}


@pytest.mark.parametrize("path", EXAMPLES, ids=" ".join)
def test_every_command_has_help_with_an_example_of_its_own(path, capsys):
    parser = dict(every_parser(build_parser()))[path]
    assert parser.description
    assert EXAMPLES[path][: len(path)] == list(path)
    with pytest.raises(SystemExit):
        main([*path, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: tacita {' '.join(path)} ")


def test_every_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(EXAMPLES["demo",]) == 0
    monkeypatch.chdir(tmp_path / "tacita-demo")
    assert main(EXAMPLES["ledger", "create"]) == 0
    Path("cells.txt").write_text("north\nsouth\n", encoding="utf-8")
    Path("events.jsonl").write_text('{"time": 0, "id": "ann", "label": "north"}\n', encoding="utf-8")
    slow_or_done = {("audit",), ("demo",), ("ledger", "create")}
    slow_or_done |= {("studio",)}  # it runs until it is stopped; its own tests do that
    for path, words in EXAMPLES.items():
        if path == ("compare", "releases"):
            shutil.copytree("release", "release-2")
        assert path in slow_or_done or main(words) == 0


@pytest.mark.slow  # half a minute
def test_the_example_of_an_audit_runs():
    assert main(EXAMPLES["audit",]) == 0


@pytest.mark.parametrize("words", [["--help"], ["publish", "--help"], ["completion", "zsh"], ["publish"]], ids=" ".join)
def test_help_completion_and_wrong_usage_import_nothing_heavy(words):
    script = f"import sys, tacita.cli\ntry: tacita.cli.main({words})\nexcept SystemExit: pass\nprint(sorted(sys.modules))"
    modules = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    for heavy in ("numpy", "polars", "rich", "sqlite3", "tomllib", "json"):
        assert f"'{heavy}'" not in modules


def test_publishing_sequences_imports_no_module_of_another_kind(files):
    words = [
        "publish",
        "sequences",
        "taps.csv",
        "--method",
        "prefix-tree",
        "--height",
        "2",
        "--epsilon",
        "1",
        "--universe",
        "stations.txt",
    ]
    script = f"import sys, tacita.cli\nassert tacita.cli.main({[*words, '--out', 'out']}) == 0\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=files, capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("tacita.")}
    assert "tacita.sequences.records" in loaded
    for other in ("sets", "networks", "personal", "streams", "tables", "trajectories", "audit", "utility"):
        assert not [name for name in loaded if name.startswith(f"tacita.{other}.")], other


def test_the_command_answers_version_and_refuses_without_a_traceback(tmp_path):
    assert run_command("--version").stdout.startswith("tacita 0.")
    refused = run_command("ledger", "show", str(tmp_path / "none.ledger"))
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_crash():
    command = f"{sys.executable} -m tacita.cli explain sequences --method prefix-tree --height 5000 --epsilon 1 | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize("after_seconds", [0.2, 0.35, 0.5])
def test_an_interrupted_run_leaves_a_whole_release_or_none(files, after_seconds):
    pl.DataFrame({"id": range(400_000), "label": ["A"] * 400_000, "time": range(400_000)}).write_csv(files / "many.csv")
    words = ["publish", "sequences", "many.csv", "--method", "prefix-tree", "--height", "400", "--epsilon", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tacita.cli", *words, "--universe", "stations.txt", "--out", "out"],
        cwd=files,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    time.sleep(after_seconds)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=600)
    left = sorted(file.name for file in (files / "out").iterdir()) if (files / "out").exists() else []
    assert left in ([], ["README.md", "croissant.json", "manifest.json", "sequences.csv", "universe.json"])
    assert not list(files.glob(".out.*"))


def test_an_interrupt_waits_until_a_short_piece_of_work_is_done():
    done, before = [], signal.getsignal(signal.SIGINT)

    def work():
        with one_at_a_time():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.02)
            done.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["cleaned up"]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interruption_is_one_line_and_a_code_of_its_own(files, capsys, monkeypatch):
    def interrupted(*_args, **_rest):
        raise KeyboardInterrupt

    monkeypatch.setattr("tacita.sequences.read_for_kind", interrupted)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    assert publish(files) == 130
    for number, handler in handlers.items():
        signal.signal(number, handler)
    assert capsys.readouterr().err == "tacita: interrupted\n"
    assert not (files / "out").exists()


def test_progress_is_shown_on_a_terminal(files):
    controller, terminal = pty.openpty()
    words = [
        "publish",
        "sequences",
        "taps.csv",
        "--method",
        "prefix-tree",
        "--height",
        "2",
        "--epsilon",
        "1",
        "--universe",
        "stations.txt",
    ]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "80"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tacita.cli", *words, "--out", "out"], cwd=files, stderr=terminal, env=environment
    )
    os.close(terminal)
    shown = b""
    with suppress(OSError):  # the other end is closed
        while part := os.read(controller, 4096):  # all the while, for a terminal that nobody reads is soon full
            shown += part
    os.close(controller)
    assert process.wait() == 0
    assert b"publishing" in shown


def test_the_module_runs_as_the_command():
    assert Path(run_command("--help").stdout.split()[1]).name == "tacita"


SMALL = Effort(data_sets=5, output_runs=100, black_box_runs=100, sampler_draws=1000)


@pytest.mark.usefixtures("few_replays")
def test_audit_prints_verdict_bound_confidence_worst_pair_and_how_to_repeat_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("tacita.auditing.QUICK", SMALL)
    words = ["audit", "prefix-tree", "--height", "1", "--epsilon", "1", "--quick", "--html", str(tmp_path / "audit.html")]
    assert main(words) == 0
    text = capsys.readouterr().out
    for part in ("worst loss 1 of a budget of 1", "100 runs", "worst pair: ", "of 3 checks passed"):
        assert part in text
    assert "FAILED" not in text
    assert "again: tacita audit prefix-tree --seed 0 --epsilon 1 --height 1 --quick" in text
    assert "no check found anything" in (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert main(words) == 1
    assert "must not exist yet" in capsys.readouterr().err


def test_an_audit_that_finds_something_fails(monkeypatch, capsys):
    from tacita.auditing import Check

    bad = Check(subject="tree", test="replay", passed=False, summary="lost it")
    monkeypatch.setattr("tacita.auditing.audit_mechanism", lambda *_args, **_rest: iter([bad]))
    assert main(["audit", "prefix-tree", "--height", "2", "--json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["passed"] is False
    assert "found something in 1 of 1 checks" in printed.err


@pytest.mark.parametrize(
    "words",
    [
        ["audit"],
        ["audit", "prefix-tree", "--all"],
        ["audit", "--all", "--delta", "1e-6"],
        ["audit", "prefix-tree", "--height", "2", "--seed", "-1"],
        ["audit", "prefix-tree", "--height", "2", "--neighbours", "0"],
        ["audit", "prefix-tree", "--height", "2", "--epsilon", "1e-6"],
    ],
)
def test_an_audit_of_nothing_or_of_too_much_is_refused(words, capsys):
    assert main(words) == 1
    assert capsys.readouterr().err.startswith("tacita: ")


@pytest.mark.usefixtures("few_replays")
def test_a_real_file_is_audited_with_its_universe(files, capsys, monkeypatch):
    monkeypatch.setattr("tacita.auditing.QUICK", SMALL)
    words = ["audit", "prefix-tree", "--height", "1", "--quick", "--input", str(files / "taps.csv"), "--neighbours", "9"]
    assert main(words) == 1
    assert "--input needs --universe" in capsys.readouterr().err
    assert main([*words, "--universe", str(files / "stations.txt")]) == 0
    text = capsys.readouterr().out
    assert "ok   prefix-tree, exact replay on real data, row by row: nothing was found" in text
    assert "of 5 checks passed" in text
    assert "FAILED" not in text


def test_a_missing_extra_names_the_command_that_installs_it():
    script = "import sys; sys.modules['scipy'] = None; from tacita.cli import main; sys.exit(main(['audit', '--all']))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "tacita: the auditor needs SciPy; install it with: pip install 'tacita[audit]'\n"


def test_audit_without_parameters_runs_every_registered_variant_and_foreign_answers(monkeypatch, capsys):
    from tacita.auditing import Check, product, subject_named

    asked = []

    def one(variant, budget, **_):
        asked.append((variant.name, budget.epsilon))
        return iter([Check(subject=variant.name, test="exact replay", passed=True, summary="fine")])

    def foreign(method, **_):
        return Check(subject=method, test="foreign answers", passed=True, summary="fine")

    monkeypatch.setattr(product, "audit_mechanism", one)
    monkeypatch.setattr(product, "audit_foreign_answers", foreign)
    assert main(["audit", "prefix-tree", "--epsilon", "3", "--quick"]) == 0
    names = [variant.name for variant in subject_named("prefix-tree").variants]
    assert asked == [(name, 3) for name in names]
    printed = capsys.readouterr().out
    assert "ok   prefix-tree, foreign answers: fine" in printed
    assert f"{len(names) + 1} of {len(names) + 1} checks passed" in printed
