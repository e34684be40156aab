"""Parameters of any kind reach any mechanism."""

import argparse
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fractions import Fraction

import pytest

from tacita.cli.choices import chosen_method
from tacita.cli.words.field_options import FieldOption, add_options, typed
from tacita.cli.words.reading_options import COLUMN_OPTIONS
from tacita.cli.words.values import amount, whole_numbers
from tacita.core.errors import ParameterError, TaxonomyError
from tacita.core.taxonomy import Taxonomy
from tacita.core.universe import Universe
from tacita.io import LongColumns
from tacita.methods import Method


class Shape(StrEnum):
    ROUND = "round"
    FLAT = "flat"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A mechanism with a parameter of every kind."""

    size: int
    shape: Shape = Shape.ROUND
    limit: int | None = None
    other_shape: Shape | None = None
    share: Fraction = Fraction(1, 2)
    careful: bool = False
    weights: tuple[int, ...] = ()
    taxonomy: Taxonomy | None = field(default_factory=lambda: None)


TABLE = (
    FieldOption(field_name="size", methods=("sample",), convert=int, help="how large"),
    FieldOption(field_name="shape", methods=("sample",), choices=("round", "flat"), help="which form"),
    FieldOption(field_name="limit", methods=("sample",), convert=int, help="at most"),
    FieldOption(field_name="other_shape", methods=("sample",), choices=("round", "flat"), help="which other form"),
    FieldOption(field_name="share", methods=("sample",), convert=amount, help="of the budget"),
    FieldOption(field_name="careful", methods=("sample",), switch=True, help="with care"),
    FieldOption(field_name="weights", methods=("sample",), convert=whole_numbers, help="of levels"),
    FieldOption(field_name="taxonomy", methods=("sample",), metavar="FILE", help="the tree"),
    FieldOption(field_name="elsewhere", methods=("other",), help="not of this method"),
)


@pytest.fixture
def choose(monkeypatch):
    monkeypatch.setattr(Method, "load", lambda _: Sample)
    sample = Method(name="sample", kind="sequences", module="", class_name="")
    monkeypatch.setattr("tacita.cli.choices.method_named", lambda _: sample)
    monkeypatch.setattr("tacita.cli.choices.METHOD_OPTIONS", TABLE)
    monkeypatch.setattr("tacita.cli.choices.method_parameters", lambda options: typed(options, TABLE))
    parser = argparse.ArgumentParser()
    parser.add_argument("--universe")
    add_options(parser, TABLE)
    return lambda *words: chosen_method(argparse.Namespace(**vars(parser.parse_args(words)), method="sample"))


def test_what_is_not_typed_is_left_to_the_mechanism(choose):
    assert choose("--size", "3") == Sample(size=3)


def test_numbers_choices_amounts_switches_and_lists_arrive_as_their_types(choose):
    words = ["--size", "3", "--shape", "flat", "--limit", "4", "--other-shape", "round", "--share", "0.1", "--careful"]
    made = choose(*words, "--weights", "1,2")
    expected = Sample(
        size=3, shape=Shape.FLAT, limit=4, other_shape=Shape.ROUND, share=Fraction(1, 10), careful=True, weights=(1, 2)
    )
    assert made == expected
    assert isinstance(made.other_shape, Shape)
    assert choose("--size", "3", "--careful", "--no-careful") == Sample(size=3)


def test_a_taxonomy_is_read_from_all_columns_of_its_file_over_the_universe(choose, tmp_path):
    (tmp_path / "tree.csv").write_text("station,line,city\nA,green,M\nB,green,M\nC,red,M\n", encoding="utf-8")
    (tmp_path / "stations.txt").write_text("C\nB\nA\n", encoding="utf-8")
    made = choose("--size", "1", "--taxonomy", str(tmp_path / "tree.csv"), "--universe", str(tmp_path / "stations.txt"))
    assert made.taxonomy.universe == Universe(["C", "B", "A"])
    assert made.taxonomy.name(made.taxonomy.root) == "M"
    with pytest.raises(TaxonomyError, match="does not exist"):
        choose("--size", "1", "--taxonomy", str(tmp_path / "none.csv"))


def test_a_parameter_that_is_lacking_or_foreign_is_refused_by_name(choose):
    with pytest.raises(ParameterError, match="sample needs --size"):
        choose()
    with pytest.raises(ParameterError, match="sample has no --elsewhere"):
        choose("--size", "1", "--elsewhere", "x")


def test_the_columns_are_the_fields_of_their_dataclass():
    assert {option.field_name for option in COLUMN_OPTIONS} == {column.name for column in fields(LongColumns)}
