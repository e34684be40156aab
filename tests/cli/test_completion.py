"""Completion, as the shells themselves do it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from commands import run_command
from tacita.cli.completion import SHELLS
from tacita.cli.parser import COMMANDS, added_commands, build_parser, every_parser, visible
from tacita.kinds import AUTO, methods

ASK_BASH = """
source script.bash
complete -p tacita > /dev/null || exit 1
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_tacita
printf '%s\\n' "${COMPREPLY[@]}"
"""

QUESTIONS = [
    ("tacita ", {*COMMANDS, *added_commands(COMMANDS)}),
    ("tacita pu", {"publish"}),
    ("tacita publish se", {"sequences", "sets"}),
    ("tacita ledger ", {"create", "show", "cap", "verify", "key"}),
    ("tacita ledger cap --d", {"--dataset", "--delta"}),
    ("tacita completion ", {"bash", "zsh", "fish"}),
    ("tacita publish sets --threshold ", {"default", "authors", "none"}),
    ("tacita publish sets x.csv --method ", {AUTO, *(name for name, method in methods().items() if method.kind == "sets")}),
    ("tacita publish sets --dr", {"--dry-run"}),
    ("tacita publish sets ta", {"taps one.csv", "taps two.csv"}),
    ("tacita publish sets --universe ta", {"taps one.csv", "taps two.csv"}),
    ("tacita publish sets --out fo", {"folder"}),
    ("tacita publish sequences --height ", set()),
    ("tacita publish sequences --granularity ", {"simple", "hybrid"}),
    ("tacita evaluate --input-f", {"--input-format"}),
    ("tacita simulate ci", {"city80k"}),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder to complete in, with the scripts; nobody writes to it."""
    path = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        (path / f"script.{shell}").write_text(run_command("completion", shell).stdout, encoding="utf-8")
    (path / "taps one.csv").touch()
    (path / "taps two.csv").touch()
    (path / "folder").mkdir()
    return path


def shell_or_skip(name):
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return name


def answers(folder, *words):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    assert done.stderr == ""
    return {line.split("\t")[0].strip().rstrip("/").replace("\\ ", " ") for line in done.stdout.splitlines()} - {""}


@pytest.mark.parametrize(("line", "expected"), QUESTIONS)
def test_bash_completes(folder, line, expected):
    assert answers(folder, shell_or_skip("bash"), "--norc", "-c", ASK_BASH, "ask", *line.split(" ")) == expected


def test_fish_completes(folder):
    shell_or_skip("fish")
    for line, expected in QUESTIONS:
        assert answers(folder, "fish", "-N", "-c", f"source script.fish; complete -C {line!r}") == expected, line


def test_zsh_completes(folder):
    shell_or_skip("zsh")
    capture = str(Path(__file__).with_name("capture.zsh"))
    for line, expected in QUESTIONS:
        assert answers(folder, "zsh", "-f", capture, line, "script.zsh") == expected, line


def test_bash_offers_every_option_and_command_that_help_shows(folder):
    shell_or_skip("bash")
    for path, parser in every_parser(build_parser()):
        shown = {flag for action in visible(parser) for flag in action.option_strings}
        offered = answers(folder, "bash", "--norc", "-c", ASK_BASH, "ask", "tacita", *path, "--")
        assert offered == {flag for flag in shown | {"--help"} if flag.startswith("--")}
        for action in visible(parser):
            if action.choices and action.option_strings:
                words = ["tacita", *path, action.option_strings[0], ""]
                assert answers(folder, "bash", "--norc", "-c", ASK_BASH, "ask", *words) == set(map(str, action.choices))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_scripts_for_other_shells_hold_every_option_and_command(shell):
    script = run_command("completion", shell).stdout
    for path, parser in every_parser(build_parser()):
        assert "_".join(["_tacita", *path]) in script or " ".join(["__tacita_at", *path]) in script
        for action in visible(parser):
            for flag in action.option_strings:
                assert (f"{flag}[" if shell == "zsh" else f" -l {flag.removeprefix('--')}") in script


def test_a_shell_that_is_not_known_is_wrong_usage():
    done = run_command("completion", "dos")
    assert done.returncode == 2
    assert "invalid choice: 'dos'" in done.stderr
