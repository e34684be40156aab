"""Tables in blocks on disk: the same rows are kept, and the same rows released, as in memory."""

import numpy as np
import pytest

from table_files import TYPED, WHOLE, opened_typed, released_rows, typed_file, typed_rows
from tacita.errors import EngineError, ParameterError
from tacita.io import Engine
from tacita.io.misfits import Misfits
from tacita.privacy.budget import PureDP
from tacita.tables import Independent, KAnonymity, Marginals, Mondrian, TopDown
from tacita.tables.blocks import TableCut
from tacita.utility import tables as judges


def sorted_rows(records):
    held = records.in_memory()
    return sorted(zip(*(codes.tolist() for codes in (*held.quasi, held.sensitive)), strict=True))


@pytest.mark.parametrize("cap", [None, 1, 2])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_blocks_hold_what_memory_holds(tmp_path, ending, cap):
    path = typed_file(tmp_path / f"typed.{ending}", typed_rows(1))
    here, there = (opened_typed(path, engine, cap) for engine in (Engine.LOCAL, Engine.BLOCKS))
    assert sorted_rows(here) == sorted_rows(there)
    assert (here.owner_note, len(here), here.rules, here.unit) == (there.owner_note, len(there), there.rules, there.unit)
    assert len(here.misfits)
    assert (here.dropped_rows > 0) == (cap is not None)


def test_which_rows_of_a_person_are_kept_depends_on_no_order(tmp_path):
    rows = typed_rows(2)
    files = [typed_file(tmp_path / f"{place}.csv", frame) for place, frame in enumerate((rows, rows.reverse()))]
    for engine in (Engine.LOCAL, Engine.BLOCKS):
        one, other = (opened_typed(path, engine, 1) for path in files)
        assert sorted_rows(one) == sorted_rows(other)


@pytest.mark.parametrize(
    ("method", "cap", "schema"),
    [(Marginals(), None, TYPED), (Marginals(), 2, TYPED), (Independent(), 2, TYPED), (TopDown(), None, WHOLE)],
)
def test_a_release_from_blocks_is_the_one_from_memory(tmp_path, method, cap, schema):
    path = typed_file(tmp_path / "typed.csv", typed_rows(3))
    held = [opened_typed(path, engine, cap, schema=schema) for engine in (Engine.LOCAL, Engine.BLOCKS)]
    here, there = (released_rows(method, records, PureDP("4")) for records in held)
    assert here.equals(there)


def test_a_table_in_blocks_is_judged(tmp_path):
    records = opened_typed(typed_file(tmp_path / "typed.csv", typed_rows(3)), Engine.BLOCKS, None)
    release = Marginals().publish(records, budget=PureDP("4"))
    assert judges.report(records, release.data).marginals is not None


def test_a_method_that_looks_at_all_rows_says_so(tmp_path):
    records = opened_typed(typed_file(tmp_path / "typed.csv", typed_rows(3)), Engine.BLOCKS, None)
    with pytest.raises(ParameterError, match="mondrian looks at all rows at once, so it takes a table in memory"):
        Mondrian(models=(KAnonymity(k=2),)).publish(records)


def test_a_person_in_a_wrong_block_is_refused():
    cut = TableCut(schema=TYPED, person="who", most=1, buckets=2)
    pieces = dict(cut.pieces([typed_rows(4)], Misfits()))
    assert np.diff(cut.assembled([pieces[0]], number=0).lists.lengths).tolist() == [0, 0, 0]
    with pytest.raises(EngineError, match="in two blocks"):
        cut.assembled([pieces[0], pieces[1]], number=0)
