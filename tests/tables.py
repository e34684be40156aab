"""Small random tables for tests."""

import numpy as np
from hypothesis import strategies as st

from strategies import taxonomies
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
