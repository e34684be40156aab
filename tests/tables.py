"""Small random tables for tests."""

import numpy as np
from hypothesis import strategies as st

from strategies import _neighbouring_rows, taxonomies
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.tables import Categorical, Numeric, Schema, Sensitive, TableRecords

MODELS = ["k=2", "k=3", "l=2", "k=2, entropy-l=1.5", "recursive=3:2", "alpha=0.75:2", "t=0.5", "confidence=a:0.6", "k=3, t=0.4"]


@st.composite
def schemas(draw):
    first = Numeric(name="n", low=0, high=draw(st.integers(0, 9)), widths=draw(st.sampled_from([(), (2,), (2, 4)])))
    columns = [first, *(Categorical(name=f"c{place}", taxonomy=draw(taxonomies())) for place in range(draw(st.integers(0, 2))))]
    sensitive = Sensitive(name="s", universe=Universe("abc"), ordered=draw(st.booleans()))
    return Schema(quasi=tuple(columns), sensitive=sensitive)


@st.composite
def tables(draw, *, least=1, most=40):
    schema = draw(schemas())
    rows = draw(st.integers(least, most))
    columns = [
        np.array(draw(st.lists(st.integers(0, size - 1), min_size=rows, max_size=rows)), dtype=np.int64)
        for size in (*schema.sizes, schema.sensitive.size)
    ]
    return TableRecords(schema=schema, quasi=tuple(columns[:-1]), sensitive=columns[-1])


LETTERS = Schema(
    quasi=(
        Categorical(name="first", taxonomy=Taxonomy.from_edges([("A", "AB"), ("B", "AB"), ("C", "CD"), ("D", "CD")])),
        Numeric(name="length", low=1, high=8),
    ),
    sensitive=Sensitive(name="last", universe=Universe("ABCD")),
)


def table_records(rows):
    """A table from texts over the letters A to D: the first letter, the length and the last letter; empty texts are nobody's."""
    people = [row for row in rows if row]
    places = LETTERS.quasi[0].tree.place_of
    return TableRecords(
        schema=LETTERS,
        quasi=(
            np.array([places["ABCD".index(row[0])] for row in people], dtype=np.int64),
            np.array([min(len(row), 8) - 1 for row in people], dtype=np.int64),
        ),
        sensitive=np.array(["ABCD".index(row[-1]) for row in people], dtype=np.int64),
    )


def table_lists(held):
    """What each row of a private or published table shows, as a list of codes."""
    if isinstance(held, TableRecords):
        table = np.stack([*held.quasi, held.sensitive], axis=1)
    else:
        lists = [shown.of[held.groups, np.newaxis] for shown in held.listed.values()]
        table = np.concatenate([held.lows[held.groups], held.highs[held.groups], *lists, held.sensitive[:, np.newaxis]], axis=1)
    return Ragged(table.reshape(-1), offsets_of([table.shape[1]] * table.shape[0]))


@st.composite
def neighbouring_tables(draw):
    """Two tables, the second with one row more, at any place; the text of that row may be empty."""
    rows, more = draw(_neighbouring_rows("ABCD", 5))
    return table_records(rows), table_records(more)
