"""Tables by marginals: what is kept, what is asked, and what is said about it."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from tacita import PureDP
from tacita.errors import BudgetError, ParameterError
from tacita.privacy.budget import plan_of
from tacita.public.inputs import PublicInputs
from tacita.tables import Independent, Marginals, TableRecords, declared
from tacita.testing import public_generator
from tacita.utility.marginals import marginal_distances
from tacita.utility.tables import report

COLUMNS = {
    "town": {"type": "category", "values": ["a", "b", "c", "d"], "missing": True},
    "age": {"type": "number", "low": 0, "high": 99},
    "paid": {"type": "number", "low": 0, "high": 999.9, "step": 0.1, "missing": True},
    "seen": {"type": "date", "first": "2020-01-01", "last": "2024-12-31"},
    "ill": {"type": "yes/no"},
}


def people(rows, seed=0):
    """Towns tell ages, ages tell illness; two in five have paid exactly 123.4, one in ten nothing that is known."""
    generator = public_generator(seed)
    town = generator.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])
    age = np.clip(20 + 15 * town + 8 * generator.standard_normal(rows), 0, 99).astype(np.int64)
    ill = generator.random(rows) < np.where(age > 50, 0.8, 0.1)
    paid = np.where(generator.random(rows) < 0.4, 1234, generator.integers(0, 10_000, rows)) / 10
    known, seen = generator.random(rows) < 0.9, generator.integers(0, 1827, rows)
    return TableRecords.from_frame(
        pl.DataFrame(
            {
                "town": [None if place % 25 == 0 else "abcd"[own] for place, own in enumerate(town.tolist())],
                "age": age,
                "paid": [each if is_known else None for each, is_known in zip(paid.tolist(), known.tolist(), strict=True)],
                "seen": (pl.Series(seen) * 86_400_000_000 + 1_577_836_800_000_000).cast(pl.Datetime("us")),
                "ill": ill,
            }
        ),
        schema=declared(COLUMNS),
    )


@pytest.fixture(scope="module")
def raw():
    return people(6000)


@pytest.fixture(scope="module")
def release(raw):
    return Marginals().publish(raw, budget=PureDP(4))


def test_columns_that_hang_together_do_so_in_the_release(raw, release):
    ours = marginal_distances(raw, release.data)
    alone = marginal_distances(raw, Independent().publish(raw, budget=PureDP(4)).data)
    assert ours.orders[2] < 0.75 * alone.orders[2]
    assert alone.orders[2] == pytest.approx(alone.independent[2], rel=0.25)
    frame = release.data.frame()
    assert frame.filter(pl.col("age") > 55)["ill"].mean() > 0.6
    assert frame.filter(pl.col("age") < 45)["ill"].mean() < 0.3


def test_a_heavy_single_value_and_missing_ones_keep_their_shares(raw, release):
    frame = release.data.frame()
    assert (frame["paid"] == 123.4).sum() / len(frame) == pytest.approx(0.36, abs=0.04)
    assert frame["paid"].null_count() / len(frame) == pytest.approx(0.1, abs=0.03)
    assert frame["town"].null_count() / len(frame) == pytest.approx(0.04, abs=0.02)
    assert len(frame) == pytest.approx(len(raw), rel=0.05)
    assert frame["age"].n_unique() > 40, "numbers are values, not the ends of ranges"
    assert frame["seen"].n_unique() > 500


def test_what_is_asked_adds_up_to_the_budget_at_most_and_stands_in_one_list(release):
    budget = release.manifest["budget"]
    plan = plan_of(budget["plan"])
    assert plan.epsilon == 4
    assert sum(Fraction(draw["epsilon"]) for draw in budget["draws"]) <= 4
    assert sum(Fraction(draw["epsilon"]) for draw in budget["draws"]) > Fraction(39, 10)
    (inside,) = budget["plan"]["parts"]
    assert {part["composition"] for part in inside["parts"]} == {"step"}
    steps = [draw["step"] for draw in budget["draws"]]
    assert steps[0] == "rows"
    assert any(step.startswith("choice ") for step in steps)
    assert any(step.startswith("ranges of column 3 'paid', level ") for step in steps)
    assert any("the sets of columns to count together were chosen privately" in rule for rule in release.manifest["rules"])


def test_too_few_rows_for_their_noise_are_released_as_independent_columns():
    few = Marginals().publish(people(200), budget=PureDP("0.5"))
    steps = [draw["step"] for draw in few.manifest["budget"]["draws"]]
    assert not any(step.startswith(("choice", "marginal")) for step in steps)
    assert any("they are independent in this release" in rule for rule in few.manifest["rules"])


def test_a_target_is_linked_first_and_must_be_a_column(raw):
    for target in ("ill", "town"):
        found = Marginals(target=target).publish(raw, budget=PureDP(3))
        first = next(draw["note"] for draw in found.manifest["budget"]["draws"] if draw["step"].startswith("marginal 1 "))
        assert target in first.split(" x ")
    with pytest.raises(ParameterError, match="the target must be one of the columns town, age, paid, seen, ill, got 'illness'"):
        Marginals(target="illness").publish(raw, budget=PureDP(3))


def test_what_is_chosen_in_a_round_makes_no_circle(raw):
    """Between two marginals that are asked after the same choices, columns are joined at most once."""
    names = list(COLUMNS)
    found = Marginals().publish(raw, budget=PureDP(8))
    batches, batch = [], []
    for draw in found.manifest["budget"]["draws"]:
        if draw["step"].startswith("marginal "):
            batch.append([names.index(name) for name in draw["note"].split(" x ")])
        elif batch:
            batches.append(batch)
            batch = []
    assert len([*batches, batch]) > 1
    for chosen in [*batches, batch][:-1]:  # the last may ask again for all that is known
        group = list(range(5))
        for columns in chosen:
            assert len({group[column] for column in columns}) > 1
            group = [min(group[column] for column in columns) if own in {group[c] for c in columns} else own for own in group]


def test_nobody_at_all_is_published_without_an_error():
    nobody = TableRecords.from_frame(pl.DataFrame({name: [] for name in COLUMNS}), schema=declared(COLUMNS))
    for method in (Marginals(), Marginals(target="ill"), Independent()):
        for epsilon in ("0.01", "1", "1000"):
            assert len(method.publish(nobody, budget=PureDP(epsilon)).data.frame().columns) == 5


def test_a_budget_that_cannot_be_divided_is_refused_before_anything_is_charged(raw):
    with pytest.raises(BudgetError, match="at least 2"):
        Marginals().publish(raw, budget=PureDP("1e-12"))


def test_a_report_tells_distances_of_marginals_and_what_nothing_about_dependence_gives(raw, release):
    found = report(raw, release.data)
    assert found.loss is None
    assert set(found.marginals.orders) == {1, 2, 3}
    assert set(found.marginals.columns) == set(COLUMNS)
    assert found.marginals.orders[1] < found.marginals.orders[2] < found.marginals.orders[3]
    assert "farthest columns" in str(found)
    same = marginal_distances(raw, _as_released(raw))
    assert max(same.columns.values()) == 0
    assert max(same.orders.values()) == 0


def _as_released(records):
    from tacita.tables.published import exact_table

    return exact_table(records.schema, records.quasi, None)


def test_distances_are_those_of_the_definition_on_a_tiny_table():
    schema = declared({name: {"type": "yes/no"} for name in "xyz"})
    rows = [(0, 0, 1), (1, 0, 1), (1, 1, 0)]
    made = [(0, 0, 0), (0, 0, 1)]
    tables = [TableRecords(schema=schema, quasi=tuple(np.array(side, dtype=np.int64).T.copy())) for side in (rows, made)]
    found = marginal_distances(tables[0], _as_released(tables[1]))
    for order in (1, 2, 3):
        distances = []
        for chosen in combinations(range(3), order):
            cells = {tuple(row[column] for column in chosen) for row in rows + made}
            shares = [
                [sum(tuple(row[column] for column in chosen) == cell for row in side) / len(side) for cell in cells]
                for side in (rows, made)
            ]
            distances.append(sum(abs(one - other) for one, other in zip(*shares, strict=True)) / 2)
        assert found.orders[order] == pytest.approx(sum(distances) / len(distances))


def test_an_explanation_says_how_many_rows_it_takes():
    public = PublicInputs(others={"columns": declared(COLUMNS)})
    shown = str(Marginals().explain(PureDP(1), public))
    assert "the table has 5 columns, from 'town' to 'ill'" in shown
    assert "columns are likely to be released as if they were independent" in shown
