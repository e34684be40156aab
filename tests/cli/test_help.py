"""Help of a kind and of a method: short, with the options that belong there and the defaults of the library."""

import re
from dataclasses import fields

import pytest

from commands import misused
from tacita.cli import main
from tacita.cli.options import methods_of
from tacita.cli.parser import below, build_parser, visible
from tacita.cli.publish import COMMON
from tacita.io import ReadOptions
from tacita.kinds import kinds, methods

WIDTHS = ["100", "120"]
BY_KIND = ["publish", "explain", "compare", "lattice", "attack"]


def help_of(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def parser_of(command, kind, *words):
    return below(below(build_parser(command))[command])[kind].filled(words)


def described(text):
    """Each option that help describes, with its text in one line."""
    found = {}
    for part in re.split(r"\n  (?=--)", text.replace("\n\n", "\n  --\n")):
        if part.startswith("--"):
            found[part.split()[0]] = " ".join(part.split())
    return found


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", kinds())
def test_help_of_a_kind_and_of_each_of_its_methods_fits_80_lines(kind, width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", width)
    for command in BY_KIND:
        if kind in below(below(build_parser(command))[command]):
            assert len(help_of(capsys, command, kind).splitlines()) <= 80, command
    for method in methods_of(kinds()[kind]):
        assert len(help_of(capsys, "publish", kind, "--method", method.name).splitlines()) <= 80, method.name


def test_help_of_tacita_fits_40_lines_of_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert len(help_of(capsys).splitlines()) <= 40


def test_help_of_publish_lists_each_kind_with_its_default_method_and_what_every_kind_takes(capsys):
    text = " ".join(help_of(capsys, "publish").split())
    for kind in kinds().values():
        assert f"{kind.name} {kind.about} (by default " in text
    assert "by default itemset-counts)" in text
    assert "by default mondrian without --epsilon, marginals with it)" in text
    for kind in kinds():
        accepted = {flag for action in visible(parser_of("publish", kind)) for flag in action.option_strings}
        assert {flag.split()[0] for flag in COMMON} <= accepted


@pytest.mark.parametrize("name", methods())
def test_help_of_a_method_describes_its_parameters_with_the_defaults_of_its_fields(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    method = methods()[name]
    found = described(help_of(capsys, "publish", method.kind, "--method", name))
    public = {option.field_name for option in kinds()[method.kind].options}
    for part in fields(method.load()):
        option = method.option(part.name)
        if option is None or part.name in public:
            continue
        text = found[option.flag]
        if isinstance(part.default, bool):
            assert ("on by default" in text) == part.default
        elif isinstance(part.default, int | str):
            assert f"(default {part.default})" in text or part.default == "default"
    others = {option.flag for other in methods_of(kinds()[method.kind]) for option in other.options}
    elsewhere = {option.flag for option in (*method.options, *kinds()[method.kind].options)}
    assert not (others - elsewhere) & set(found)


def test_no_help_text_holds_a_default_that_was_typed_by_hand():
    every = {*(option for kind in kinds().values() for option in kind.options)}
    every |= {option for method in methods().values() for option in method.options}
    typed = [option.flag for option in every if re.search(r"\((\d[\d.,]*|[\w-]+=\d+|the default)\)", option.help)]
    assert typed == []
    named = [option.flag for option in every if "(default)" in option.help and "default" not in (option.choices or ())]
    assert named == []


def test_reading_options_show_the_defaults_of_reading(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    found, reading = described(help_of(capsys, "publish", "sequences")), ReadOptions()
    for flag, value in (
        ("--person", reading.columns.person),
        ("--label", reading.columns.label),
        ("--time", reading.columns.time),
        ("--encoding", reading.dialect.encoding),
        ("--per-person", reading.per_person),
        ("--engine", reading.engine.value),
    ):
        assert found[flag].endswith(f"(default {value})")


@pytest.mark.parametrize("kind", kinds())
def test_a_kind_accepts_its_own_options_and_the_parameters_of_its_methods_and_no_others(kind):
    registered = kinds()[kind]
    parser = parser_of("publish", kind)
    accepted = {flag for action in visible(parser) for flag in action.option_strings}
    own = {option.flag for option in registered.options} | {
        option.flag for method in methods_of(registered) for option in method.options
    }
    foreign = {option.flag for other in kinds().values() for option in other.options}
    foreign |= {option.flag for method in methods().values() for option in method.options}
    assert own <= accepted
    assert not (foreign - own) & accepted


@pytest.mark.parametrize("command", BY_KIND)
def test_a_kind_that_is_left_out_or_misspelled_is_named_first(command, capsys):
    for words in ([], ["taps.csv"], ["--epsilon", "1"]):
        misused([command, *words], capsys, "the kind of data comes first, one of ")
    with pytest.raises(SystemExit):
        main([command, "streems" if command == "compare" else "trajectoris"])
    assert "did you mean " in capsys.readouterr().err


def test_an_option_that_a_kind_does_not_have_is_answered_by_the_nearest_of_that_kind(capsys):
    words = ["publish", "tables", "x.csv", "--out", "y", "--column", "z"]
    misused(words, capsys, "tacita publish tables: error: unrecognized arguments: --column z")
    with pytest.raises(SystemExit):
        main(words)
    assert "did you mean --columns? see tacita publish tables --help" in capsys.readouterr().err
