"""Typed tables on Spark: the same rows are kept, and released, as in memory."""

import pytest

from table_files import opened_typed, released_rows, typed_file, typed_rows
from tacita.io import Engine
from tacita.privacy.budget import PureDP
from tacita.tables import Independent, Marginals

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of Spark's own sockets
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(("ending", "cap"), [("csv", 2), pytest.param("parquet", None, marks=pytest.mark.slow)])
def test_a_table_is_released_from_spark_as_from_memory(tmp_path, ending, cap):
    path = typed_file(tmp_path / f"typed.{ending}", typed_rows(5))
    held = [opened_typed(str(path), engine, cap) for engine in (Engine.LOCAL, Engine.BLOCKS, Engine.SPARK)]
    assert len({records.owner_note for records in held}) == 1
    for method in (Marginals(), Independent()):
        here, blocks, there = (released_rows(method, records, PureDP("4")) for records in held)
        assert here.equals(blocks)
        assert here.equals(there)
