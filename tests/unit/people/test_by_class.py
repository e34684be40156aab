"""People with events: what is read, what is released, and what a part of an account may spend."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import tacita as ta
from tacita.auditing.cases.people import PeopleCase
from tacita.errors import ParameterError, UnplannedDrawError
from tacita.kinds.arguments import asked_for, given_arguments
from tacita.people import ByClass
from tacita.privacy.budget import Parallel, PureDP, Sequential, Step
from tacita.privacy.ledger import Ledger
from tacita.privacy.sections import Section, renamed
from tacita.tables import Marginals
from tacita.testing import public_generator, seeded_ledger

COLUMNS = {
    "town": {"type": "category", "values": ["A", "B"], "missing": True},
    "age": {"type": "number", "low": 0, "high": 9},
}


def people(number=2000):
    """In town A people see x, in B they see y then z; who has no town sees nothing. Ages are the number of events."""
    generator = public_generator(2)
    rows, events = [], []
    for person in range(number):
        town = [None, "A", "B"][person % 3]
        many = 0 if town is None else int(generator.integers(1, 6))
        rows.append({"id": f"p{person}", "town": town, "age": many})
        labels = ["x"] * many if town == "A" else ["y", "z"] * many
        events += [{"id": f"p{person}", "label": label, "time": place} for place, label in enumerate(labels[:many])]
    return pl.DataFrame(rows), pl.DataFrame(events)


def published(rows, events, **given):
    given = {"epsilon": 20, "ledger": seeded_ledger(1), **given}
    return ta.publish(
        rows, kind="people", events=events, name="people", columns=COLUMNS, universe=["x", "y", "z"], class_column="town", **given
    )


def joined(data):
    return data.events_frame().join(data.frame(), on="id")


def test_people_get_the_events_of_their_class_and_as_many_as_their_row_says():
    data = published(*people(), time="time").data
    both = joined(data)
    assert set(both.columns) == {"id", "label", "position", "town", "age"}
    share = both.group_by("town").agg((pl.col("label") == "x").mean()).sort("town", nulls_last=True)
    assert share["label"][0] > 0.95
    assert share["label"][1] < 0.05
    none = data.frame().filter(pl.col("town").is_null())
    assert none.join(data.events_frame(), on="id", how="anti").height > 0.95 * none.height > 500
    numbers = both.group_by("id").agg(pl.len(), pl.col("age").first())
    assert np.corrcoef(numbers["len"], numbers["age"])[0, 1] > 0.7


@pytest.mark.parametrize("time", ["time", None])
def test_both_files_of_people_have_the_separator_of_their_table(time, tmp_path):
    rows, events = people()
    rows.write_csv(tmp_path / "people.csv", separator=";")
    events.write_csv(tmp_path / "events.csv", separator=";")
    release = published(tmp_path / "people.csv", tmp_path / "events.csv", separator=";", person="id", label="label", time=time)
    folder = release.write(tmp_path / "release")
    opened = ta.open_release(folder).data
    assert opened.frame().equals(release.data.frame())
    assert opened.events_frame().equals(release.data.events_frame())
    assert (folder / "rows.csv").read_text(encoding="utf-8").startswith("id;town;age\n")
    assert (folder / "events.csv").read_text(encoding="utf-8").startswith("id;label")


def test_events_without_times_are_sets():
    rows, events = people()
    data = published(rows, events.drop("time")).data
    assert data.events_frame().columns == ["id", "label"]
    assert not data.events_frame().is_duplicated().any()
    shares = joined(data).group_by("town").agg((pl.col("label") == "x").mean()).sort("town", nulls_last=True)["label"]
    assert shares[0] > 0.9
    assert shares[1] < 0.1


def test_what_is_read_of_a_person_depends_on_no_other_and_strangers_are_told_to_the_owner():
    rows, events = people(6)
    odd = pl.DataFrame([{"id": "stranger", "label": "x", "time": 1}, {"id": "p1", "label": "?", "time": 1}])
    asked = asked_for("people", None)
    given = given_arguments(asked, {"columns": COLUMNS, "universe": ["x", "y", "z"], "time": "time"}, {"events": events})
    plain = asked.wanted(given).read(rows, asked.wanted(given).public, name="people")
    more = asked.wanted({**given, "events": pl.concat([odd, events.sample(fraction=1.0, shuffle=True, seed=1)])})
    read = more.read(rows, more.public, name="people")
    assert read.events.to_lists() == plain.events.to_lists()
    assert "1 events have labels outside the universe, and 1 belong to nobody with a row" in read.owner_note


def test_a_release_of_people_is_opened_as_it_was_written(tmp_path):
    release = published(*people(300), time="time")
    for ending in ("csv", "parquet", "jsonl"):
        opened = ta.open_release(release.write(tmp_path / ending, file_format=ending)).data
        assert opened.frame().equals(release.data.frame())
        assert opened.events_frame().equals(release.data.events_frame())


def test_table_and_events_are_one_charge_and_classes_are_parallel(tmp_path):
    ledger = Ledger.create(tmp_path / "people.ledger")
    release = published(*people(60), time="time", ledger=ledger, epsilon=2)
    assert ledger.balance("people").epsilon == 2
    draws = release.manifest["budget"]["draws"]
    of_class = {f"class {number}": 0 for number in (1, 2, 3)}
    for draw in draws:
        name = draw["step"].partition(":")[0]
        of_class[name] = of_class.get(name, 0) + Fraction(draw["epsilon"])
    table = of_class.pop("table")
    assert table <= 1
    assert all(cost == 1 for cost in of_class.values())
    assert "one person: a row and all events" in release.guarantee.statement()


def test_the_column_of_classes_must_have_few_values_and_is_found_by_what_is_declared():
    schema = ta.tables.declared(COLUMNS)
    public = ta.PublicInputs(universe=ta.Universe("xyz"), others={"columns": schema})
    assert "'age' divides people into 10 classes" in str(ByClass().explain(PureDP(1), public))
    with pytest.raises(ParameterError, match="one of town, age, got 'name'"):
        ByClass(class_column="name").plan(PureDP(1), public)


# Parts of an account.


CASE = PeopleCase(name="people", mechanism=ByClass(), budget=PureDP(2))


def test_a_section_can_be_opened_once_and_spends_no_more_than_its_step():
    records = CASE.records(("Aab", "Bb")).counted_table()

    class Greedy(ByClass):
        def _made(self, _, account, *__):
            part = Section(account=account, step="table", prefix="table: ")
            with pytest.raises(UnplannedDrawError, match="would cost"):
                Marginals().publish(records, budget=PureDP(Fraction(3, 2)), ledger=part)
            Marginals().publish(records, budget=PureDP(1), ledger=part)
            with pytest.raises(UnplannedDrawError, match="already been drawn"):
                Marginals().publish(records, budget=PureDP(1), ledger=part)
            message = "seen"
            raise ParameterError(message)

    with pytest.raises(ParameterError, match="seen"):
        Greedy().publish(CASE.records(("Aab",)), budget=PureDP(2))


def test_the_steps_of_a_section_have_a_prefix_and_its_groups_keep_their_names():
    plan = Sequential(name="all", parts=(Step(name="a", epsilon=Fraction(1)), Parallel(name="b", parts=())))
    assert [step.name for step in renamed(plan, "x: ").steps()] == ["x: a"]
    assert renamed(plan, "x: ").name == "all"
