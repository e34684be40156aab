"""From a file of trajectories to a verified release, and back."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import polars as pl
import pytest

import tacita.trajectories.suppression as method_module
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError, VerificationError
from tacita.io import LongColumns, ReadOptions
from tacita.public.cells import CellGrid
from tacita.public.inputs import PerPerson
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.schemas import manifest_schema
from tacita.trajectories import (
    Grain,
    LinkagePrivacy,
    PairColumns,
    PlaceWeights,
    Requirement,
    SensitiveGroup,
    SensitiveGroups,
    Strategy,
    Suppression,
    TrajectoryReading,
    TrajectoryRecords,
    generalized,
    in_groups,
    lattice,
    occurrences,
    pack,
    read_published_trajectories,
    read_trajectories,
)
from tacita.utility.trajectories import sections

TOWN = Universe(["a", "b", "c"])
DAY = TimeGrid(start=0, interval=1, intervals=24)
ROWS = [
    ("p", "a", 1),
    ("p", "b", 3),
    ("p", "a", 1),
    ("q", "a", 1),
    ("q", "b", 3),
    ("r", "a", 1),
    ("r", "c", 9),
    ("s", "nowhere", 1),
    ("r", "b", 99),
]


@pytest.fixture
def files(tmp_path):
    pl.DataFrame(ROWS, schema=["id", "label", "time"], orient="row").write_csv(tmp_path / "rows.csv")
    people = {"id": ["r", "q", "p"], "state": ["ill", "well", None], "sex": ["f", "f", "m"]}
    pl.DataFrame(people).write_csv(tmp_path / "people.csv")
    return tmp_path


def read(files, **options):
    reading = TrajectoryReading(attributes=files / "people.csv", **options)
    return read_trajectories(files / "rows.csv", universe=TOWN, grid=DAY, options=reading)


def test_a_record_is_a_set_of_pairs_and_attributes_find_their_persons(files):
    records = read(files)
    assert records.trajectories.to_lists() == [[3, 10], [3, 10], [3, 29]]
    assert records.attributes["state"].to_list() == [None, "well", "ill"]
    assert records.dropped_rows == 2


def test_strict_refuses_rows_outside_without_telling_them(files):
    with pytest.raises(InputError, match="must lie in the universe") as caught:
        read_trajectories(files / "rows.csv", universe=TOWN, grid=DAY, strict=True)
    assert "nowhere" not in str(caught.value)


def test_records_of_one_person_count_as_one_person(tmp_path):
    rows = [("p", day, "a", 1) for day in range(5)] + [("q", 1, "b", 2), ("r", 1, "b", 2)]
    pl.DataFrame(rows, schema=["id", "day", "label", "time"], orient="row").write_csv(tmp_path / "rows.csv")
    options = ReadOptions(columns=LongColumns(record="day"), per_person=PerPerson.cap(3))
    records = read_trajectories(tmp_path / "rows.csv", universe=TOWN, grid=DAY, options=TrajectoryReading(rows=options))
    assert len(records.trajectories) == 5
    assert records.people == 3
    release = Suppression(crowd=2, known_pairs=1).publish(records)
    assert release.data.frame()["label"].to_list() == ["b", "b"]


def test_a_release_follows_the_schema_states_its_limits_and_can_be_read_back(files):
    method = Suppression(crowd=2, known_pairs=2, sensitive=SensitiveGroups.parse("state=ill<=1/2"))
    release = method.publish(read(files))
    folder = release.write(files / "release")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    jsonschema.validate(manifest, manifest_schema())
    assert manifest["guarantee"]["evidence"]["kind"] == "verified"
    assert "It does not promise anything against somebody who knows more pairs" in manifest["guarantee"]["statement"]
    back = read_published_trajectories(folder)
    assert back.trajectories.to_lists() == release.data.trajectories.to_lists() == [[3], [3, 10], [3, 10]]
    assert back.attributes.equals(release.data.attributes)
    assert set(back.attributes.columns) == {"state"}
    assert back.requirement == method.requirement


def test_a_misspelt_sensitive_value_is_refused_since_its_bound_would_hold_for_nothing(files):
    with pytest.raises(ParameterError, match="nobody has a value of the sensitive group 'state'"):
        Suppression(crowd=2, known_pairs=2, sensitive=SensitiveGroups.parse("state=Ill<=1/2")).publish(read(files))


def test_the_number_of_records_left_empty_is_nowhere_in_the_manifest(files):
    few = Suppression(crowd=3, known_pairs=1).publish(read(files))
    text = json.dumps(few.manifest)
    assert len(few.data) == 3
    assert not any(word in text for word in ("emptied", "dropped_rows", '"left_empty"'))


def test_the_order_of_a_release_depends_on_what_is_published_alone():
    walks = [[("a", 1), ("b", 2)], [("b", 2)], [("a", 1)]] * 2
    made = [
        TrajectoryRecords.from_pairs([walks[place] for place in order], universe=TOWN, grid=DAY)
        for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4])
    ]
    method = Suppression(crowd=2, known_pairs=2)
    first, second = (method.publish(records).data.trajectories.to_lists() for records in made)
    assert first == second == sorted(first)


def test_nothing_is_published_if_the_check_finds_a_violation(files, monkeypatch):
    monkeypatch.setattr(method_module, "pack", lambda columns, *_, **__: np.ones(columns.pairs.size, dtype=np.bool_))
    with pytest.raises(VerificationError, match="nothing is published"):
        Suppression(crowd=2, known_pairs=2).publish(read(files))


def ill_walks():
    walks = [[("a", 1), ("b", 2)]] * 3 + [[("a", 1), ("c", 3)]] * 3
    return TrajectoryRecords.from_pairs(walks, universe=TOWN, grid=DAY, attributes={"state": ["ill"] * 3 + ["well"] * 3})


IN_HALF = Suppression(crowd=2, known_pairs=2, sensitive=SensitiveGroups.parse("state=ill<=1/2"))


def test_the_check_does_not_take_the_algorithms_word_for_who_is_sensitive(monkeypatch):
    assert len(IN_HALF.publish(ill_walks()).data) == 6
    nobody = lambda self, requirement: np.zeros((self.people, len(requirement.groups)), dtype=np.bool_)  # noqa: E731
    monkeypatch.setattr(TrajectoryRecords, "sensitive_flags", nobody)
    with pytest.raises(VerificationError, match="found a violation, so nothing is published"):
        IN_HALF.publish(ill_walks())


def corrupted(change):
    """The method with what it made changed after the suppression, before the check."""
    made = method_module._published

    def changed(*given):
        data, sources = made(*given)
        return change(data, sources)

    return changed


@pytest.mark.parametrize(
    "change",
    [
        lambda data, sources: (replace(data, attributes=data.attributes.reverse()), sources),
        lambda data, sources: (
            replace(data, attributes=data.attributes.with_columns(pl.lit("well").alias("state"))),
            sources,
        ),
        lambda data, sources: (data, sources[::-1]),
        lambda data, sources: (data, sources * 0),
        lambda data, sources: (replace(data, grid=TimeGrid(start=1, interval=1, intervals=24)), sources),
        lambda data, sources: (replace(data, universe=Universe(["b", "a", "c"])), sources),
    ],
    ids=["attributes in another order", "attributes changed", "other sources", "one source", "other times", "other places"],
)
def test_the_check_looks_at_what_will_be_written(monkeypatch, change):
    monkeypatch.setattr(method_module, "_published", corrupted(change))
    with pytest.raises(VerificationError, match="nothing is published"):
        IN_HALF.publish(ill_walks())


def test_quasi_identifiers_are_suppressed_like_pairs(files):
    release = Suppression(crowd=2, known_pairs=2).publish(read(files, quasi_identifiers=("sex",)))
    assert release.data.attributes["sex"].to_list().count("f") in {0, 2}
    assert "m" not in release.data.attributes["sex"].to_list()
    assert release.data.quasi_identifiers == ("sex",)


@pytest.mark.parametrize("strategy", list(Strategy))
def test_every_strategy_publishes_nobodys_trajectories(strategy):
    nobody = TrajectoryRecords(trajectories=Ragged.from_lists([]), universe=TOWN, grid=DAY)
    assert len(Suppression(crowd=2, known_pairs=2, strategy=strategy).publish(nobody).data) == 0


def test_an_observed_universe_voids_the_guarantee():
    records = TrajectoryRecords.from_pairs([[("a", 1)]] * 2, universe=Universe.observed(["a"]), grid=DAY)
    release = Suppression(crowd=2, known_pairs=1).publish(records)
    assert not release.guarantee.holds
    assert release.guarantee.statement().startswith("NOT PRIVATE")


def test_a_crowd_of_one_must_accept_minimality():
    groups = SensitiveGroups.parse("state=ill<=1/2")
    with pytest.raises(ParameterError, match="minimality"):
        Suppression(crowd=1, known_pairs=2, sensitive=groups)
    assert Suppression(crowd=1, known_pairs=2, sensitive=groups, accept_minimality=True).crowd == 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"crowd": 0}, "crowd must be"),
        ({"crowd": 2, "known_pairs": 0}, "known_pairs must be"),
        ({"crowd": 1}, "asks for nothing"),
        (
            {"crowd": 2, "frequent_support": 5, "strategy": Strategy.PUBLISHED, "weights": PlaceWeights({"a": 2.0})},
            "frequent sequences or weights",
        ),
        ({"crowd": 2, "place_depth": 1}, "both a taxonomy and a place_depth"),
        ({"crowd": 2, "join_intervals": 0}, "intervals must be"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        Suppression(**fields)


@pytest.mark.parametrize("text", ["state", "state=ill", "state=ill<=2", "=ill<=1/2", "state=ill<=nan", "state=<=1/2|"])
def test_sensitive_groups_that_cannot_be_read_are_refused(text):
    with pytest.raises(ParameterError):
        SensitiveGroups.parse(text)


def test_a_confidence_is_exact():
    for confidence in ("0.1", 0.1, "10%", " 10 %", "1/10"):
        assert SensitiveGroup(attribute="a", values=("b",), confidence=confidence).confidence * 10 == 1


def test_two_confidences_for_the_same_values_are_refused_in_whatever_order_they_are_named():
    with pytest.raises(ParameterError, match=r"one confidence, but d=Flu\|HIV has 2; leave one"):
        Suppression(crowd=2, sensitive=SensitiveGroups.parse("d=HIV|Flu<=1/4; d = Flu | HIV <= 90%"))


@pytest.mark.parametrize(
    ("confidence", "told"), [("1/3", "1/3"), ("0.6", "60 %"), ("999999/1000000", "99.9999 %"), ("1/1024", "0.09765625 %")]
)
def test_a_promise_is_not_rounded(confidence, told):
    group = SensitiveGroup(attribute="a", values=("b",), confidence=confidence)
    asked = Requirement(crowd=1, known_pairs=2, groups=(group,))
    statement = LinkagePrivacy(requirement=asked, unit="one person", voids=()).statement()
    assert f"(1, {told})_2-privacy" in statement
    assert f"at least 1 person here, of whom at most {told} have a b" in statement


def test_a_confidence_that_would_take_for_ever_to_write_out_is_refused():
    with pytest.raises(ParameterError, match="confidence must be a share"):
        SensitiveGroup(attribute="a", values=("b",), confidence="1e-999999999")


@pytest.mark.parametrize("confidence", ["5e-19", "0.333333333333333333", "1/18446744073709551629"])
def test_a_confidence_whose_products_with_counts_would_overflow_is_refused(confidence):
    with pytest.raises(ParameterError, match="denominator of at most 1,000,000"):
        SensitiveGroup(attribute="a", values=("b",), confidence=confidence)


def test_an_attribute_is_sensitive_or_a_quasi_identifier_but_not_both_and_named_once():
    records = TrajectoryRecords.from_pairs([[("a", 1)], [("a", 1)]], universe=TOWN, grid=DAY, attributes={"ill": ["x", "y"]})
    with pytest.raises(ParameterError, match="every quasi-identifier must be named once"):
        records.with_quasi_identifiers(["ill", "ill"])
    with pytest.raises(ParameterError, match="either sensitive or a quasi-identifier, got 'ill' as both"):
        Suppression(crowd=2, sensitive=SensitiveGroups.parse("ill=x<=1/2")).publish(records.with_quasi_identifiers(["ill"]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,id,ill\n1,2,x\n", "different names, got 'id' twice"),
        ("who,ill\n1,x\n", "must have a column 'id'"),
        ("", "is empty"),
    ],
)
def test_a_table_of_attributes_that_is_none_is_refused(tmp_path, text, message):
    (tmp_path / "data.csv").write_text("id,label,time\n1,a,3\n")
    (tmp_path / "attributes.csv").write_text(text)
    options = TrajectoryReading(attributes=tmp_path / "attributes.csv")
    with pytest.raises(InputError, match=message):
        read_trajectories(tmp_path / "data.csv", universe=TOWN, grid=DAY, options=options)


@pytest.mark.parametrize("strategy", [Strategy.PACKING, Strategy.PUBLISHED])
def test_places_that_are_worth_more_are_kept_first(strategy):
    walks = [[("a", 1), ("b", 2)], [("a", 1)], [("b", 2)]]  # both together are one person's, so that one of them must go
    records = TrajectoryRecords.from_pairs(walks, universe=TOWN, grid=DAY)
    for kept, lost in (("a", "b"), ("b", "a")):
        method = Suppression(crowd=2, known_pairs=2, strategy=strategy, weights=PlaceWeights({kept: 9.0}))
        shown = method.publish(records).data.frame()["label"].to_list()
        assert (shown.count(kept), shown.count(lost)) == (2, 0)
        assert method.publish(records).manifest["mechanism"]["parameters"]["weights"] == method.weights.digest()


def test_packing_keeps_frequent_sequences_if_asked_to():
    walks = [[("a", 1), ("b", 2)]] + [[("a", 1)]] * 8 + [[("b", 2)]] * 2
    records = TrajectoryRecords.from_pairs(walks, universe=TOWN, grid=DAY)
    shown = {}
    for support in (None, 9):
        release = Suppression(crowd=2, known_pairs=2, frequent_support=support).publish(records)
        shown[support] = release.data.frame()["label"].to_list().count("a")
    assert shown == {None: 8, 9: 9}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("place,weight\na,1\n", "columns label and weight"),
        ("label,weight\na,much\n", "line 2 has 'much'"),
        ("label,weight\na,0\n", "must be a positive number"),
        ("label,weight\na,nan\n", "must be a positive number"),
        ("label,weight\na,1\na,2\n", "must have one weight"),
        ("label,weight\nz,1\n", "'z' is none"),
    ],
)
def test_weights_that_mean_nothing_are_refused(tmp_path, text, message):
    (tmp_path / "weights.csv").write_text(text)
    records = TrajectoryRecords.from_pairs([[("a", 1)]] * 2, universe=TOWN, grid=DAY)
    with pytest.raises(ParameterError, match=message):
        Suppression(crowd=2, weights=PlaceWeights.read(tmp_path / "weights.csv")).publish(records)


def test_coarser_places_and_times_are_published_under_their_own_grid():
    tree = Taxonomy.from_edges([("a", "north"), ("b", "north"), ("c", "south")], universe=TOWN)
    records = TrajectoryRecords.from_pairs([[("a", 1), ("b", 2)], [("b", 3)], [("c", 4)]], universe=TOWN, grid=DAY)
    coarse = generalized(records, Grain(place_depth=1, intervals=4), taxonomy=tree)
    assert coarse.trajectories.to_lists() == [[0], [0], [3]]
    assert coarse.universe.labels == ("north", "south")
    release = Suppression(crowd=2, known_pairs=2, join_intervals=4, place_depth=1, taxonomy=tree).publish(records)
    assert release.data.frame().rows() == [(1, "north", 0), (2, "north", 0)]
    assert in_groups(records, release.data.places).trajectories.to_lists() == [[2, 4], [6], [9]]


def test_the_lattice_keeps_more_instances_at_coarser_grains():
    generator = np.random.default_rng(2)
    walks = [[("abc"[generator.integers(3)], int(hour)) for hour in generator.integers(0, 24, 4)] for _ in range(200)]
    records = TrajectoryRecords.from_pairs(walks, universe=TOWN, grid=DAY)
    table = lattice(records, Requirement(crowd=5, known_pairs=2), intervals=(1, 4, 24))
    kept = table["instances kept"].to_list()
    assert kept == sorted(kept)
    assert kept[0] < kept[2]
    assert table["information kept"][0] == pytest.approx(kept[0])


def test_points_become_cells_and_those_outside_are_dropped(tmp_path):
    points = pl.DataFrame(
        [("p", 40.6, -74.0, 1), ("p", 40.6, -74.0, 1), ("q", 10.0, 0.0, 1), ("q", 40.89, -73.71, 5)],
        schema=["id", "latitude", "longitude", "time"],
        orient="row",
    )
    points.write_csv(tmp_path / "points.csv")
    cells = CellGrid(south=40.5, west=-74.3, north=40.9, east=-73.7, rows=2, columns=2)
    records = read_trajectories(tmp_path / "points.csv", universe=cells.universe, grid=DAY)
    assert records.trajectories.to_lists() == [[4 + 1], [20 + 3]]
    assert records.dropped_rows == 1


@pytest.mark.parametrize("box", [(1, 0, 0, 1), (0, 0, 1, float("nan")), (0, 5, 1, 4), (-91, 0, 1, 1)])
def test_a_box_that_is_none_is_refused(box):
    south, west, north, east = box
    with pytest.raises(ParameterError, match="must be a box"):
        CellGrid(south=south, west=west, north=north, east=east, rows=2, columns=2)


def test_sets_that_are_too_many_are_refused_before_memory_is_gone(monkeypatch):
    monkeypatch.setattr(occurrences, "MOST_OCCURRENCES", 100)
    columns = PairColumns.of(Ragged.from_lists([list(range(20))] * 3))
    with pytest.raises(ParameterError, match="lower known_pairs"):
        pack(columns, Requirement(crowd=2, known_pairs=None))


def test_an_evaluation_says_what_is_kept_and_the_risk_on_both_sides(files):
    records = read(files)
    release = Suppression(crowd=2, known_pairs=1, sensitive=SensitiveGroups.parse("state=ill<=1/2")).publish(records)
    found = sections(records, release.data)
    assert found["kept"].instance_loss == pytest.approx(1 / 6)
    assert found["before"].risk.sizes[0].smallest.tolist() == [2, 2, 1]
    assert found["before"].risk.sizes[0].highest_confidence == 1.0
    assert found["after"].risk.sizes[0].smallest.min() >= 2
    assert "owner's eyes only" in str(found["kept"])


def test_a_release_is_not_compared_with_a_file_that_it_was_not_made_of(files):
    records = read(files)
    release = Suppression(crowd=2, known_pairs=1).publish(records)
    nobody = TrajectoryRecords(trajectories=Ragged.from_lists([]), universe=TOWN, grid=DAY)
    with pytest.raises(InputError, match="is this the file"):
        sections(nobody, release.data)
