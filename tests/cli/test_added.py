"""Commands that other packages add, and what a command says that names something of a package that is not installed."""

import sys

import pytest

import tacita as ta
from tacita import kinds
from tacita.cli import main
from tacita.cli.parser import COMMANDS, added_commands
from tacita.errors import ParameterError
from tacita.kinds import method_named


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Register a command of a package that is installed in a folder of its own."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def register(line, *, name="other", source="", summary="Other things"):
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nSummary: {summary}\n\nText", encoding="utf-8")
        (about / "entry_points.txt").write_text(f"[console_scripts]\nx = y:z\n\n[tacita.commands]\n{line}\n", encoding="utf-8")
        (tmp_path / f"{name}_command.py").write_text(source, encoding="utf-8")

    yield register
    for name in [name for name in sys.modules if name.endswith("_command")]:
        del sys.modules[name]


@pytest.fixture
def alone(monkeypatch):
    """The product without other packages."""
    monkeypatch.setattr("tacita.cli.parser._registered", lambda: iter(()))
    monkeypatch.setattr(kinds, "registered", lambda *_: iter(()))
    kinds.kinds.cache_clear()
    kinds.methods.cache_clear()
    yield
    monkeypatch.undo()
    kinds.kinds.cache_clear()
    kinds.methods.cache_clear()


def test_a_command_is_known_by_the_name_of_its_entry_point_and_the_summary_of_its_package(package):
    package("other = other_command")
    found = added_commands(COMMANDS)["other"]
    assert (found.module, found.summary) == ("other_command", "Other things (other)")
    assert "other_command" not in sys.modules


def test_a_package_that_is_found_twice_adds_its_command_once(package, tmp_path, monkeypatch):
    package("other = other_command")
    monkeypatch.syspath_prepend(str(tmp_path / "." / ""))
    assert added_commands(COMMANDS)["other"].module == "other_command"


@pytest.mark.parametrize("line", ["publish = other_command", "reproduce = other_command"])
def test_a_name_that_is_taken_is_refused(package, line):
    package(line)
    with pytest.raises(ParameterError, match="registered twice; an installed package must choose another name"):
        added_commands(COMMANDS)


@pytest.mark.parametrize(
    ("module", "source", "sentence"),
    [
        ("other_command", "def add(commands): ...", "must be a module with add and run, got other_command"),
        ("nowhere_command", "", "must name a module that can be imported, got nowhere_command"),
    ],
)
def test_a_command_that_cannot_be_run_is_refused_in_a_sentence(package, capsys, module, source, sentence):
    package(f"other = {module}", source=source)
    assert main(["other"]) == 1
    assert sentence in capsys.readouterr().err


def test_a_command_of_another_package_refuses_as_all_others_do(package, capsys):
    source = """
from tacita.errors import ParameterError
def add(commands):
    commands.add_parser("other")
def run(options):
    raise ParameterError("it must not be")
"""
    package("other = other_command", source=source)
    assert main(["other"]) == 1
    assert capsys.readouterr().err == "tacita: it must not be\n"


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    "words",
    [
        ["reproduce", "--list"],
        ["publish", "networks", "x.csv", "--method", "tmf"],
        ["audit", "tree"],
        ["explain", "sequences", "--method", "ffs"],
    ],
)
def test_what_comes_with_an_extra_is_refused_with_the_command_that_installs_it(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[0].endswith("comes with an extra: pip install 'tacita[papers]'")


def test_a_release_of_a_method_of_an_extra_is_opened_and_verified_without_it(tmp_path, request):
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n", encoding="utf-8")
    (tmp_path / "labels.txt").write_text("a\nb\nc\nd\n", encoding="utf-8")
    public = ["--universe", str(tmp_path / "labels.txt")]
    words = [
        "publish",
        "networks",
        str(tmp_path / "edges.csv"),
        "--method",
        "random",
        "--epsilon",
        "4",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main([*words, *public]) == 0
    request.getfixturevalue("alone")
    assert main(["verify", str(tmp_path / "out")]) == 0
    assert main(["evaluate", str(tmp_path / "edges.csv"), str(tmp_path / "out")]) == 0
    assert len(ta.open_release(tmp_path / "out").data.universe) == 4


@pytest.mark.usefixtures("alone")
def test_a_method_of_an_extra_is_refused_by_the_library_in_the_same_words():
    with pytest.raises(ParameterError, match=r"the method tmf comes with an extra: pip install 'tacita\[papers\]'"):
        method_named("tmf")
    with pytest.raises(ParameterError, match="a method must be one of"):
        method_named("nothing-like-that")
