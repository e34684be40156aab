"""How columns of a table depend on each other, and what models learn from released rows."""

import numpy as np
import pytest

from tacita.errors import ParameterError
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.seeded import public_generator
from tacita.tables import Bucketize, Categorical, Numeric, Schema, Sensitive, TableRecords
from tacita.tables.published import exact_table
from tacita.utility.marginals import marginal_distances
from tacita.utility.tables import links_picture
from tacita.utility.tasks import on_tables

SCHEMA = Schema(
    quasi=(
        Categorical(name="town", taxonomy=Taxonomy.flat(Universe("ABC"))),
        Numeric(name="income", low=0, high=999, missing=True),
        Categorical(name="coin", taxonomy=Taxonomy.flat(Universe("HT"))),
    ),
)


def columns(rows=3000, *, seed=0):
    """Incomes follow towns closely; a coin follows nothing. Some incomes are missing."""
    generator = public_generator(seed)
    town, coin = generator.integers(0, 3, rows), generator.integers(0, 2, rows)
    income = np.where(generator.random(rows) < 0.1, 1000, 300 * town + generator.integers(0, 50, rows))
    return town.astype(np.int64), income.astype(np.int64), coin.astype(np.int64)


def shuffled(parts):
    generator = public_generator(9)
    return [part[generator.permutation(part.size)] for part in parts]


def test_associations_are_those_of_the_columns_and_0_where_columns_are_independent():
    raw = TableRecords(schema=SCHEMA, quasi=columns())
    found = marginal_distances(raw, exact_table(SCHEMA, shuffled(columns()), None)).associations
    assert found.raw[0, 1] > 0.9
    assert found.released[0, 1] < 0.05
    assert max(found.raw[0, 2], found.raw[1, 2]) < 0.05
    assert found.mean_difference == pytest.approx(np.abs(found.raw - found.released)[np.triu_indices(3, 1)].mean())
    assert "most in town x income" in str(found)
    same = marginal_distances(raw, exact_table(SCHEMA, list(columns()), None)).associations
    assert same.mean_difference == 0
    assert len(same.as_json()["pairs"]) == 3


def test_the_picture_of_links_says_how_many_are_kept_and_how_many_invented():
    raw = TableRecords(schema=SCHEMA, quasi=columns())
    lost = links_picture(marginal_distances(raw, exact_table(SCHEMA, shuffled(columns()), None)).associations)
    kept = links_picture(marginal_distances(raw, exact_table(SCHEMA, list(columns()), None)).associations)
    assert lost.title == "0 of 1 real links between columns are kept"
    assert kept.title == "1 of 1 real links between columns are kept"
    assert len(kept.tables) == len(kept.panes) == 2


def test_each_column_is_predicted_from_the_others_and_judged_on_raw_rows():
    raw = TableRecords(schema=SCHEMA, quasi=columns())
    good, bad = (
        {score.task.split()[0]: score for score in on_tables(raw, exact_table(SCHEMA, list(made), None)).scores}
        for made in (columns(seed=1), shuffled(columns(seed=1)))
    )
    assert good["income"].released > 0.95
    assert bad["income"].released < 0.1
    assert good["town"].kept > 0.95
    assert bad["town"].released < 0.5
    assert good["coin"].baseline == pytest.approx(0.5, abs=0.05)


def test_buckets_have_no_rows_to_learn_from():
    schema = Schema(quasi=SCHEMA.quasi[:1], sensitive=Sensitive(name="ill", universe=Universe("xy")))
    town, coin = columns(40)[0], np.arange(40) % 2
    records = TableRecords(schema=schema, quasi=(town,), sensitive=coin)
    with pytest.raises(ParameterError, match="buckets have their columns apart"):
        on_tables(records, Bucketize(l=2).publish(records).data)
