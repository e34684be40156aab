"""Parameters of any kind reach any mechanism."""

import argparse
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from fractions import Fraction

import pytest

from tacita.cli.options import add_options, typed
from tacita.cli.simulate import NAMES
from tacita.errors import ParameterError, TaxonomyError
from tacita.formats import LISTS, formats_of
from tacita.io import LongColumns
from tacita.kinds import Method, Option
from tacita.kinds.options import COLUMN_OPTIONS, FORMATS, GRID_OPTIONS, POINT_OPTIONS, TAXONOMY_OPTIONS, UNIVERSE
from tacita.kinds.registration import amount, height, whole_numbers
from tacita.kinds.words import built_method, chosen_grid, labels
from tacita.public.inputs import PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrivateLength
from tacita.simulate import WORLDS


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
    length: int | PrivateLength = 1
    taxonomy: Taxonomy | None = field(default_factory=lambda: None)


TABLE = (
    Option(field_name="size", convert=int, help="how large"),
    Option(field_name="shape", choices=("round", "flat"), help="which form"),
    Option(field_name="limit", convert=int, help="at most"),
    Option(field_name="other_shape", choices=("round", "flat"), help="which other form"),
    Option(field_name="share", convert=amount, help="of the budget"),
    Option(field_name="careful", switch=True, help="with care"),
    Option(field_name="weights", convert=whole_numbers, help="of levels"),
    Option(field_name="length", convert=height, help="how long"),
    Option(field_name="taxonomy", metavar="FILE", help="the tree"),
)


ELSEWHERE = Option(field_name="elsewhere", help="not of this method")


@pytest.fixture
def choose(monkeypatch):
    monkeypatch.setattr(Method, "load", lambda _: Sample)
    sample = Method(name="sample", kind="sequences", loads="", options=TABLE)
    table = (*TABLE, ELSEWHERE, UNIVERSE, *TAXONOMY_OPTIONS)
    parser = argparse.ArgumentParser()
    add_options(parser, table)

    def made(*words):
        given = typed(parser.parse_args(words), table)
        return built_method(sample, given, labels(given))

    return made


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
    assert {option.field_name for option in (*COLUMN_OPTIONS, *POINT_OPTIONS)} == {column.name for column in fields(LongColumns)}


def test_the_formats_and_worlds_that_are_offered_are_those_of_the_library():
    assert tuple(map(str, formats_of(*LISTS))) == FORMATS
    assert tuple(WORLDS) == NAMES


def test_a_length_is_a_number_or_bought_from_the_budget(choose):
    assert choose("--size", "1", "--length", "3").length == 3
    assert choose("--size", "1", "--length", "private:30").length == PrivateLength(longest=30)
    with pytest.raises(ParameterError, match="longest"):
        choose("--size", "1", "--length", "private:0")
    with pytest.raises(SystemExit):
        choose("--size", "1", "--length", "private:many")


def test_a_taxonomy_is_read_from_the_columns_that_are_named(choose, tmp_path):
    (tmp_path / "tree.csv").write_text("station,note,line\nA,x,green\nB,y,green\nC,z,red\n", encoding="utf-8")
    made = choose("--size", "1", "--taxonomy", str(tmp_path / "tree.csv"), "--taxonomy-columns", "station,line")
    assert set(made.taxonomy.inner_names) == {"green", "red", "*"}
    with pytest.raises(TaxonomyError, match="street is missing"):
        choose("--size", "1", "--taxonomy", str(tmp_path / "tree.csv"), "--taxonomy-columns", "station,street")


def test_a_taxonomy_is_balanced_over_the_universe_if_a_fan_out_is_given(choose, tmp_path):
    (tmp_path / "stations.txt").write_text("A\nB\nC\nD\n", encoding="utf-8")
    words = ["--size", "1", "--fan-out", "2"]
    universe = ["--universe", str(tmp_path / "stations.txt")]
    assert choose(*words, *universe).taxonomy == Taxonomy.balanced(Universe("ABCD"), fan_out=2)
    with pytest.raises(ParameterError, match="--fan-out groups the labels of a public --universe"):
        choose(*words)
    with pytest.raises(ParameterError, match="leave one of them out"):
        choose(*words, *universe, "--taxonomy", "tree.csv")
    with pytest.raises(ParameterError, match="--taxonomy must name one"):
        choose("--size", "1", "--taxonomy-columns", "a,b")


def test_a_fan_out_that_a_method_has_itself_is_its_own_and_needs_no_universe(choose, monkeypatch):
    @dataclass(frozen=True, kw_only=True)
    class Grouping(Sample):
        fan_out: int = 10

    monkeypatch.setattr(Method, "load", lambda _: Grouping)
    made = choose("--size", "1", "--fan-out", "3")
    assert (made.fan_out, made.taxonomy) == (3, None)
    assert choose("--size", "1").fan_out == 10
    with pytest.raises(ParameterError, match="leave one of them out"):
        choose("--size", "1", "--fan-out", "3", "--taxonomy", "tree.csv")


def test_a_taxonomy_that_must_be_given_may_be_made_by_a_fan_out(choose, monkeypatch, tmp_path):
    @dataclass(frozen=True, kw_only=True)
    class Needy(Sample):
        taxonomy: Taxonomy

    monkeypatch.setattr(Method, "load", lambda _: Needy)
    (tmp_path / "stations.txt").write_text("A\nB\nC\nD\n", encoding="utf-8")
    made = choose("--size", "1", "--fan-out", "2", "--universe", str(tmp_path / "stations.txt"))
    assert made.taxonomy == Taxonomy.balanced(Universe("ABCD"), fan_out=2)
    with pytest.raises(ParameterError, match="sample needs --taxonomy"):
        choose("--size", "1")


def test_a_choice_that_only_another_method_has_is_refused(monkeypatch):
    """Methods share the names of options, but not what may be chosen."""
    monkeypatch.setattr(Method, "load", lambda _: Sample)
    sample = Method(name="sample", kind="sequences", loads="", options=TABLE)
    with pytest.raises(ParameterError, match=r"--shape of sample must be one of round, flat, got 'square'"):
        built_method(sample, {"size": 1, "shape": "square"}, PublicInputs())


def grid(*words, zone=None):
    parser = argparse.ArgumentParser()
    add_options(parser, GRID_OPTIONS)
    return chosen_grid(vars(parser.parse_args(words)) | {"time_zone": zone})


@pytest.mark.parametrize(
    ("start", "step", "zone", "expected"),
    [
        ("0", "60", None, (0, 60)),
        ("-5", "1", None, (-5, 1)),
        ("2026-05-04", "1d", None, (datetime(2026, 5, 4, tzinfo=UTC), timedelta(days=1))),
        ("2026-05-04T06:00", "15m", None, (datetime(2026, 5, 4, 6, tzinfo=UTC), timedelta(minutes=15))),
        ("2026-05-04T06:00+02:00", "1h", None, (datetime(2026, 5, 4, 4, tzinfo=UTC), timedelta(hours=1))),
        ("2026-05-04T06:00", "30s", "Europe/London", (datetime(2026, 5, 4, 5, tzinfo=UTC), timedelta(seconds=30))),
        ("2026-05-04T06:00+02:00", "2w", "Europe/London", (datetime(2026, 5, 4, 4, tzinfo=UTC), timedelta(weeks=2))),
    ],
)
def test_a_time_grid_has_numbers_or_dates_and_durations(start, step, zone, expected):
    made = grid("--time-start", start, "--time-step", step, "--time-intervals", "4", zone=zone)
    assert made == TimeGrid(start=expected[0], interval=expected[1], intervals=4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--time-start", "0"], "--time-step, --time-intervals is missing"),
        (["--time-start", "soon", "--time-step", "1", "--time-intervals", "1"], "--time-start must be a whole number or an ISO"),
        (
            ["--time-start", "0", "--time-step", "1y", "--time-intervals", "1"],
            "--time-step must be a whole number, or a duration",
        ),
        (["--time-start", "0", "--time-step", "1h", "--time-intervals", "1"], "must have a date as start and a duration"),
        (["--time-start", "2026-05-04", "--time-step", "1", "--time-intervals", "1"], "must have a date as start and a duration"),
        (["--time-start", "0", "--time-step", "0", "--time-intervals", "1"], "intervals of a positive length"),
        (["--time-start", "0", "--time-step", "1", "--time-intervals", "0"], "intervals of a positive length"),
        (["--time-start", "0", "--time-step", "999999999w", "--time-intervals", "1"], "that a calendar can hold"),
    ],
)
def test_a_time_grid_that_means_nothing_is_refused(words, message):
    with pytest.raises(ParameterError, match=message):
        grid(*words)


def test_without_grid_options_there_is_no_grid():
    assert grid() is None
    with pytest.raises(ParameterError, match="Europe/London"):
        grid("--time-start", "2026-05-04", "--time-step", "1h", "--time-intervals", "1", zone="Mars/Base")
