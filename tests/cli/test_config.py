"""Configuration files: whatever can be typed can be kept, what is typed wins, and what means nothing is refused."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import publish
from tacita.cli import _options, main
from tacita.cli.config import apply_config, key_of
from tacita.cli.parser import Parser, build_parser, every_parser, visible
from tacita.errors import ParameterError
from tacita.kinds import kinds
from tacita.kinds.registration import amount, height, number, number_or_text, texts, whole_numbers
from tacita.privacy.budget import PureDP

LEAVES = {path: parser for path, parser in every_parser(build_parser()) if path and not parser._subparsers}
WITH_CONFIG = [path for path, parser in LEAVES.items() if "config" in {action.dest for action in visible(parser)}]


def config(tmp_path, text):
    path = tmp_path / "tacita-options.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def example_of(action):
    """A value that the option takes, as TOML, and what it means."""
    if action.nargs == 0:
        return "true", True
    if action.choices:
        return json.dumps(list(action.choices)[-1]), list(action.choices)[-1]
    examples = {int: ("7", 7), height: ("7", 7), number: ("4.5", 4.5), number_or_text: ("7", "7"), amount: ("0.1", "0.1")}
    examples[texts] = ('["a", "b"]', ("a", "b"))
    examples[whole_numbers] = ("[10, 100]", (10, 100))
    return examples.get(action.type, ('"some text"', "some text"))


@pytest.mark.parametrize("path", WITH_CONFIG, ids=" ".join)
def test_every_option_of_every_command_can_stand_in_a_file_and_none_needs_typing(path, tmp_path):
    held = [action for action in visible(LEAVES[path]) if action.dest != "config"]
    values = {key_of(action): example_of(action) for action in held}
    text = "\n".join(f"{key} = {value}" for key, (value, _) in values.items())
    if len(path) == 2 and path[1] in kinds():
        table, typed = f"[{path[0]}]\nkind = {path[1]!r}\n", path[:1]
    else:
        table, typed = f"[{'.'.join(path)}]\n", path
    options = _options([*typed, "--config", config(tmp_path, f"{table}{text}\n")])
    for action in held:
        assert getattr(options, action.dest) == values[key_of(action)][1], action.dest


def test_every_command_but_completion_takes_a_file():
    assert set(LEAVES) - set(WITH_CONFIG) == {("completion",)}


def test_a_publication_by_a_file_is_the_one_that_would_have_been_typed(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    text = '[publish]\nkind = "sequences"\ninput = "taps.csv"\nmethod = "prefix-tree"\nheight = 2\nepsilon = 0.1\n'
    text += 'universe = "stations.txt"\nout = "out"\n'
    assert main(["publish", "--config", config(files, text)]) == 0
    assert "0.1-differential privacy" in capsys.readouterr().out
    manifest = json.loads((files / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["guarantee"]["epsilon"] == "0.1"
    assert manifest["mechanism"]["parameters"]["height"] == 2


def test_what_is_typed_wins_whether_it_stands_before_or_after(files):
    file = config(
        files, '[publish]\nkind = "sequences"\ninput = "a.csv"\nheight = 2\nstrict = true\njson = true\nmethod = "prefix-tree"\n'
    )
    for words in (["--config", file, "--height", "5"], ["--height", "5", "--config", file]):
        options = _options(["publish", "sequences", *words, "b.csv", "--epsilon", "1", "--out", "x", "--no-strict"])
        assert (options.height, options.input, options.strict, options.json) == (5, "b.csv", False, True)
    assert _options(["publish", f"--config={file}", "--epsilon", "1", "--out", "x"]).input == "a.csv"


def test_required_options_that_neither_holds_are_wrong_usage(files, capsys):
    file = config(files, '[publish]\nkind = "sequences"\nmethod = "prefix-tree"\n')
    with pytest.raises(SystemExit) as caught:
        main(["publish", "--config", file])
    assert caught.value.code == 2
    assert "the following arguments are required: FILE, --out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[publish]\nkind = 'sequences'\nheigth = 2\n",
            r"\[publish.sequences\] must not hold 'heigth'; it may hold input, epsilon, delta, universe, out",
        ),
        ("[publish]\nkind = 'sequences'\nmax_nodes = 2\n", r"\[publish.sequences\] must not hold 'max_nodes'; .*max-nodes"),
        ("[fly]\nheight = 2\n", r"must not hold 'fly'; it may hold inspect, publish, stream, explain"),
        ("height = 2\n", r"must not hold 'height'; it may hold inspect, publish"),
        ("publish = 2\n", r"publish must be a table, got 2"),
        ("[ledger]\nfile = 'x'\n", r"\[ledger\] must not hold 'file'; it may hold create, show, cap"),
        ("[ledger.fly]\n", r"\[ledger\] must not hold 'fly'"),
        ("[ledger.cap]\nepsilon = true\n", r"\[ledger.cap\] epsilon must be an amount such as 1, 0.5 or '1/3', got True"),
        (
            "[publish]\nkind = 'sequences'\nheight = '2'\n",
            r"\[publish.sequences\] height must be a whole number, or 'private:LONGEST', got '2'",
        ),
        (
            "[publish]\nkind = 'sequences'\nheight = 'private:x'\n",
            r"height must be a whole number, or 'private:LONGEST', got 'private:x'",
        ),
        ("[explain]\nkind = 'sequences'\nmean-length = 'long'\n", r"mean-length must be a number, got 'long'"),
        ("[publish]\nkind = 'sequences'\ntime-start = 2.5\n", r"time-start must be a whole number or a string"),
        (
            "[publish]\nkind = 'sequences'\nheight = true\n",
            r"\[publish.sequences\] height must be a whole number, or 'private:LONGEST', got True",
        ),
        ("[publish]\nkind = 'sequences'\nheight = 2.0\n", r"\[publish.sequences\] height must be a whole number"),
        ("[publish]\nkind = 'sequences'\nepsilon = [1]\n", r"\[publish.sequences\] epsilon must be an amount"),
        ("[publish]\nkind = 'sequences'\ndataset = 5\n", r"\[publish.sequences\] dataset must be a string, got 5"),
        ("[publish]\nkind = 'sequences'\nstrict = 'yes'\n", r"\[publish.sequences\] strict must be true or false, got 'yes'"),
        (
            "[publish]\nkind = 'sequences'\nmethod = 'fly'\n",
            r"\[publish.sequences\] method must be one of auto, prefix-tree, .*, got 'fly'",
        ),
        ("[publish]\nkind = 'sequences'\nconfig = 'other.toml'\n", r"must not hold 'config'"),
        ("[publish]\nkind = 'sequences'\nhelp = true\n", r"must not hold 'help'"),
        ("[publish]\nkind = 'sequences'\nno-strict = true\n", r"must not hold 'no-strict'"),
        ("version = true\n", r"must not hold 'version'"),
        ("[publish\n", r"must be TOML: .*line 1"),
        ("[publish]\nkind = 'sequences'\nheight = 2\nheight = 3\n", r"must be TOML: .*line 4"),
    ],
)
def test_what_means_nothing_is_refused_by_name_and_file_whatever_command_runs(tmp_path, text, message, capsys):
    file = config(tmp_path, text)
    assert main(["ledger", "show", "none.ledger", "--config", file]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f"tacita: the configuration {file!r}")
    with pytest.raises(ParameterError, match=message):
        apply_config(build_parser(), [], ["--config", file])


def test_a_file_that_cannot_be_read_is_refused(tmp_path, capsys):
    (tmp_path / "latin.toml").write_bytes(b'[publish]\ndataset = "caf\xe9"\n')
    for name, message in (("none.toml", "does not exist"), ("latin.toml", "cannot be read as UTF-8"), (".", "cannot be read")):
        assert main(["demo", "--config", str(tmp_path / name)]) == 1
        assert message in capsys.readouterr().err


def test_a_file_that_nobody_names_is_not_read(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    for name in ("tacita.toml", ".tacita.toml", "pyproject.toml"):
        (files / name).write_text("[publish]\nkind = 'sequences'\nepsilon = 1000\n", encoding="utf-8")
    words = ["--method", "prefix-tree", "--height", "2", "--universe", "stations.txt", "--out", "out"]
    assert main(["publish", "sequences", "taps.csv", *words]) == 1
    assert "needs --epsilon" in capsys.readouterr().err


def test_config_without_a_file_is_wrong_usage_and_after_two_dashes_it_is_a_file_name(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["demo", "--config"])
    assert caught.value.code == 2
    assert "expected one argument" in capsys.readouterr().err
    assert _options(["ledger", "show", "--", "--config"]).file == "--config"


@given(digits=st.integers(1, 10**6), places=st.integers(0, 12))
def test_a_number_in_a_file_means_exactly_its_decimals(digits, places, tmp_path_factory):
    written = f"{digits // 10**places}.{digits % 10**places:0{max(places, 1)}d}"
    file = config(tmp_path_factory.getbasetemp(), f"[ledger.cap]\nepsilon = {written}\n")
    parser = build_parser()
    words = ["ledger", "cap", "a.ledger", "--dataset", "a"]
    apply_config(parser, words, [*words, "--config", file])
    options = parser.parse_args(words)
    whole, _, rest = written.partition(".")
    meant = Fraction(int(whole + rest), 10 ** len(rest))
    if 0 < meant <= 10_000:
        assert PureDP(options.epsilon).epsilon == meant


@pytest.mark.parametrize("written", ["nan", "inf", "-1.0", "1e400"])
def test_a_number_that_is_no_budget_is_refused_as_if_it_were_typed(files, written, capsys):
    file = config(files, f"[ledger.cap]\nepsilon = {written}\n")
    assert main(["ledger", "cap", str(files / "a.ledger"), "--dataset", "a", "--config", file]) == 1
    assert "epsilon must be" in capsys.readouterr().err
    assert not (files / "a.ledger").exists()


def test_lists_stand_in_a_file_as_lists(tmp_path):
    parser = Parser()
    command = parser.add_subparsers(dest="command").add_parser("weigh")
    command.add_argument("--weights", type=whole_numbers)
    command.add_argument("--names", type=texts)
    apply_config(parser, ["weigh"], ["weigh", "--config", config(tmp_path, '[weigh]\nweights = [1, 2]\nnames = ["a", "b, c"]\n')])
    options = parser.parse_args(["weigh"])
    assert (options.weights, options.names) == ((1, 2), ("a", "b, c"))
    typed = parser.parse_args(["weigh", "--weights", "3,4", "--names", "x, y"])
    assert (typed.weights, typed.names) == ((3, 4), ("x", "y"))
    for wrong in ("weights = [true]", 'weights = ["1"]', "names = [1]", 'names = "a"'):
        with pytest.raises(ParameterError, match="must be a list of"):
            apply_config(parser, ["weigh"], ["weigh", "--config", config(tmp_path, f"[weigh]\n{wrong}\n")])


def test_a_parameter_from_a_file_that_the_method_does_not_have_is_refused_by_the_command(files, capsys):
    file = config(files, "[publish]\nkind = 'sequences'\nheight = 0\n")
    assert publish(files, "--config", file) == 0  # the helper types a height, which wins
    assert publish(files, "--config", config(files, '[publish]\nformat = "xls"\n'), out="second") == 1
    assert "a format must be one of" in capsys.readouterr().err
