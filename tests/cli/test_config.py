"""`tacita.toml`: what it declares need not be typed, what is typed wins, and what means nothing is refused."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.cli import _options, main
from tacita.errors import ParameterError
from tacita.kinds import kinds
from tacita.kinds.configuration import key_of, read_configuration, tables_of
from tacita.kinds.registration import amount, byte_size, height, level, number, number_or_text, texts, whole_numbers
from tacita.privacy.budget import PureDP

TAPS = """\
kind = "sequences"
input = "taps.csv"
method = "prefix-tree"
[public]
universe = "stations.txt"
[parameters]
height = 2
[budget]
epsilon = 0.1
ledger = "taps.ledger"
create-ledger = true
[output]
out = "out"
"""


def config(folder, text, name="tacita.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture
def agency(files, monkeypatch):
    monkeypatch.chdir(files)
    config(files, TAPS)
    return files


def example_of(option):
    """A value that the option takes, as TOML, and what it means."""
    if option.switch:
        return "true", True
    if option.choices:
        return json.dumps(option.choices[-1]), option.choices[-1]
    examples = {int: ("7", 7), height: ("7", 7), number: ("4.5", 4.5), number_or_text: ("7", "7"), amount: ("0.1", "0.1")}
    examples |= {
        byte_size: ('"2 KB"', 2_000),
        texts: ('["a", "b"]', ("a", "b")),
        whole_numbers: ("[10, 100]", (10, 100)),
        level: ("7", 7),
    }
    return examples.get(option.convert, ('"some text"', "some text"))


@pytest.mark.parametrize("name", list(kinds()))
def test_every_option_of_every_kind_can_stand_in_a_file_and_none_needs_typing(name, tmp_path):
    tables = tables_of(kinds()[name])
    values = {option.field_name: example_of(option) for options in tables.values() for option in options}
    text = f"kind = {name!r}\ninput = 'private.csv'\n"
    for table, options in tables.items():
        text += f"[{table}]\n" + "".join(f"{key_of(option)} = {values[option.field_name][0]}\n" for option in options)
    found = read_configuration(config(tmp_path, text))
    assert found.values == {"input": "private.csv", **{field: meant for field, (_, meant) in values.items()}}
    options = _options(["publish", "--config", str(tmp_path / "tacita.toml")])
    assert (options.kind, options.input, options.configuration.file.name) == (name, "private.csv", "tacita.toml")
    of_publish = {
        field for table, held in tables.items() if table not in {"stream", "report"} for field in (one.field_name for one in held)
    }
    for field in of_publish & set(vars(options)):
        assert getattr(options, field) == values[field][1], field
    assert of_publish - set(vars(options)) <= {"spark_folder", "mean_length", "longest_record"}, "of other kinds"


def test_publish_alone_obeys_the_file_and_says_so_before_the_charge(agency, capsys):
    assert main(["publish"]) == 0
    printed = capsys.readouterr()
    assert "0.1-differential privacy" in printed.out
    said = (
        f"obeying {agency / 'tacita.toml'}: taps.csv is published to {agency / 'out'}, for epsilon 0.1, in the ledger taps.ledger"
    )
    assert said in printed.err
    manifest = json.loads((agency / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["guarantee"]["epsilon"] == "0.1"
    assert manifest["mechanism"]["parameters"]["height"] == 2


def test_what_is_typed_wins_over_the_file(agency):
    options = _options(["publish", "--height", "5", "--epsilon", "1/3", "--no-create-ledger"])
    assert (options.height, options.epsilon, options.create_ledger, options.input) == (5, "1/3", False, "taps.csv")
    other = config(agency, TAPS.replace("height = 2", "height = 3"), "other.toml")
    for words in (["--config", other, "--epsilon", "2"], [f"--config={other}", "--epsilon=2"]):
        options = _options(["publish", "sequences", "b.csv", *words])
        assert (options.height, options.epsilon, options.input) == (3, "2", "b.csv")


@pytest.mark.usefixtures("agency")
def test_a_kind_and_a_file_that_are_typed_mean_what_is_typed_and_nothing_else(capsys):
    """Privacy parameters do not come from a file that happens to lie around."""
    words = ["--method", "prefix-tree", "--height", "2", "--universe", "stations.txt", "--out", "out"]
    assert main(["publish", "sequences", "taps.csv", *words]) == 1
    assert "needs --epsilon" in capsys.readouterr().err


@pytest.mark.usefixtures("agency")
def test_every_command_takes_from_the_file_what_it_needs(capsys):
    assert main(["publish", "--epsilon", "8"]) == 0
    assert main(["explain"]) == 0
    assert main(["evaluate"]) == 0
    assert main(["evaluate", "out", "--json"]) == 0
    assert main(["report"]) == 0
    assert main(["report", "out", "--out", "owner.html", "--shared", "shared.html"]) == 0
    assert main(["attack", "--membership", "1"]) in {0, 1}
    options = _options(["audit", "--quick"])
    assert (options.method, options.epsilon, options.height) == ("prefix-tree", "0.1", 2)
    capsys.readouterr()


@pytest.mark.usefixtures("agency")
def test_help_is_that_of_the_command_and_not_of_the_file(capsys):
    for words in (["publish", "--help"], ["evaluate", "-h"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
        assert "usage: tacita" in capsys.readouterr().out


@pytest.mark.usefixtures("agency")
def test_a_kind_that_is_typed_must_be_that_of_the_file(capsys):
    assert main(["publish", "sets", "--config", "tacita.toml"]) == 1
    assert "tacita.toml is for sequences, got sets; leave the kind out" in capsys.readouterr().err


def test_lines_that_are_not_confirmed_are_refused_by_number_unless_they_are_typed(agency, capsys):
    config(
        agency, TAPS.replace('universe = "stations.txt"', 'universe = "?"').replace("epsilon = 0.1", 'epsilon = "?"  # how much')
    )
    assert main(["publish"]) == 1
    assert "has lines that you have not confirmed: universe (line 5), epsilon (line 9)" in capsys.readouterr().err
    assert not (agency / "taps.ledger").exists()
    assert main(["publish", "--universe", "stations.txt", "--epsilon", "1"]) == 0


def test_columns_of_a_table_are_declared_one_by_one_and_each_line_must_be_confirmed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{20 + row % 9},{'MF'[row % 2]},{('flu', 'cold')[row % 2]}\n" for row in range(200))
    (tmp_path / "people.csv").write_text("age,the sex,illness\n" + rows, encoding="utf-8")
    text = """
kind = "tables"
input = "people.csv"
method = "mondrian"
[parameters]
models = "k=5"
[output]
out = "out"
[columns.age]
type = "number"
low = 0
high = "?"
[columns."the sex"]
type = "category"
values = ["F", "M"]
[columns.illness]
type = "category"
values = ["flu", "cold"]
sensitive = true
"""
    config(tmp_path, text)
    assert main(["publish"]) == 1
    assert "you have not confirmed: age.high (line 12)" in capsys.readouterr().err
    config(tmp_path, text.replace('high = "?"', "high = 99"))
    assert main(["publish"]) == 0
    assert (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("input = 'a'\n", "must say what kind of data this is: kind = one of sequences, sets"),
        ("kind = 'sequenses'\n", "kind must be one of sequences, sets, .*, got 'sequenses'"),
        ("kind = 'sequences'\nheight = 2\n", r"must not hold 'height': it belongs to \[parameters\]"),
        ("kind = 'sequences'\n[parameters]\nheigth = 2\n", r"\[parameters\] must not hold 'heigth'; did you mean 'height'\?"),
        ("kind = 'sequences'\n[reading]\nepsilon = 2\n", r"\[reading\] must not hold 'epsilon': it belongs to \[budget\]"),
        ("kind = 'sequences'\n[reading]\ninput = 'a'\n", r"\[reading\] must not hold 'input': it belongs above all tables"),
        ("kind = 'sequences'\n[fly]\nheight = 2\n", "must not hold 'fly'"),
        ("kind = 'sequences'\nreading = 2\n", "must not hold 'reading'"),
        ("kind = 'sets'\n[parameters]\nheight = 2\n", r"\[parameters\] must not hold 'height'"),
        ("kind = 'sets'\n[columns.age]\ntype = 'number'\n", r"must not hold \[columns\]: sets have none to declare"),
        ("kind = 'tables'\ncolumns = 3\n", r"\[columns\] must hold one table per column"),
        ("kind = 'tables'\n[columns]\nage = 3\n", r"must hold one table per column, such as \[columns.age\], got age = 3"),
        ("kind = 'sequences'\n[parameters]\nheight = '2'\n", "height must be a whole number, or 'private:LONGEST', got '2'"),
        ("kind = 'sequences'\n[parameters]\nheight = 'private:x'\n", "height must be a whole number, or 'private:LONGEST'"),
        ("kind = 'sequences'\n[parameters]\nheight = true\n", "height must be a whole number, or 'private:LONGEST', got True"),
        ("kind = 'sequences'\n[public]\nmean-length = 'long'\n", "mean-length must be a number, got 'long'"),
        ("kind = 'sequences'\n[public]\ntime-start = 2.5\n", "time-start must be a whole number or a string"),
        ("kind = 'sequences'\n[public]\ntaxonomy-columns = 'a'\n", "taxonomy-columns must be a list of strings"),
        ("kind = 'sequences'\n[budget]\nepsilon = [1]\n", "epsilon must be an amount such as 1, 0.5 or '1/3'"),
        ("kind = 'sequences'\n[budget]\nepsilon = true\n", "epsilon must be an amount"),
        ("kind = 'sequences'\n[budget]\ndataset = 5\n", "dataset must be a string, got 5"),
        ("kind = 'sequences'\n[reading]\nstrict = 'yes'\n", "strict must be true or false, got 'yes'"),
        ("kind = 'sequences'\n[reading]\nengine = 'fly'\n", "engine must be one of auto, local"),
        ("kind = 'sequences'\nconfig = 'other.toml'\n", "must not hold 'config'"),
        ("kind = 'sequences'\n[publish\n", "must be TOML: .*line 2"),
        ("kind = 'sequences'\nkind = 'sets'\n", "must be TOML: .*line 2"),
        ("a=" + "[" * 20_000, "must be TOML"),
        ("#" * (1 << 20) + "#", "is larger than a configuration may be"),
    ],
    ids=lambda each: each[:40] if "\n" in each else "",
)
def test_what_means_nothing_is_refused_by_name_whatever_command_runs(tmp_path, text, message, capsys):
    file = config(tmp_path, text)
    assert main(["explain", "--config", file]) == 1
    assert capsys.readouterr().err.startswith(f"tacita: {file}")
    with pytest.raises(ParameterError, match=message):
        read_configuration(file)


def test_a_file_that_cannot_be_read_is_refused(tmp_path, capsys):
    (tmp_path / "latin.toml").write_bytes(b'[budget]\ndataset = "caf\xe9"\n')
    for name, message in (("none.toml", "does not exist"), ("latin.toml", "cannot be read as UTF-8"), (".", "cannot be read")):
        assert main(["publish", "--config", str(tmp_path / name)]) == 1
        assert message in capsys.readouterr().err


def test_required_options_that_neither_holds_are_wrong_usage(agency, capsys):
    config(agency, 'kind = "sequences"\nmethod = "prefix-tree"\n')
    with pytest.raises(SystemExit) as caught:
        main(["publish"])
    assert caught.value.code == 2
    assert "the following arguments are required: FILE, --out" in capsys.readouterr().err


def test_config_without_a_file_is_wrong_usage_and_after_two_dashes_it_is_a_file_name(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["publish", "sequences", "--config"])
    assert caught.value.code == 2
    assert "expected one argument" in capsys.readouterr().err
    assert _options(["ledger", "show", "--", "--config"]).file == "--config"


@given(digits=st.integers(1, 10**6), places=st.integers(0, 12))
def test_a_number_in_a_file_means_exactly_its_decimals(digits, places, tmp_path_factory):
    written = f"{digits // 10**places}.{digits % 10**places:0{max(places, 1)}d}"
    file = config(tmp_path_factory.getbasetemp(), f"kind = 'sets'\n[budget]\nepsilon = {written}\n")
    whole, _, rest = written.partition(".")
    meant = Fraction(int(whole + rest), 10 ** len(rest))
    if 0 < meant <= 10_000:
        assert PureDP(read_configuration(file).values["epsilon"]).epsilon == meant


@pytest.mark.parametrize("written", ["nan", "inf", "-1.0", "1e400"])
def test_a_number_that_is_no_budget_is_refused_as_if_it_were_typed(agency, written, capsys):
    config(agency, TAPS.replace("0.1", written))
    assert main(["publish"]) == 1
    assert "epsilon must be" in capsys.readouterr().err
    assert not (agency / "taps.ledger").exists()


def test_a_method_is_audited_on_the_declared_file_and_all_methods_on_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tacita.toml").write_text(
        'kind = "sequences"\ninput = "taps.csv"\n[reading]\nseparator = ";"\nperson = "card"\n'
        '[public]\nuniverse = "stops.txt"\n[budget]\nepsilon = 1\n',
        encoding="utf-8",
    )
    options = _options(["audit", "prefix-tree", "--config", "tacita.toml", "--input", "taps.csv"])
    assert (options.separator, options.person, options.universe) == (";", "card", "stops.txt")
    assert getattr(_options(["audit", "--all"]), "configuration", None) is None
