"""What `evaluate` measures is the same on every engine: queries, patterns and distributions add up over blocks."""

import numpy as np
import pytest

from engines import UNIVERSE, random_file
from tacita.arrays import parts
from tacita.arrays.parts import RaggedInParts, copied
from tacita.arrays.ragged import Ragged
from tacita.errors import TooManyPatternsError
from tacita.io import Engine, LongColumns, ReadOptions
from tacita.mining import top_contiguous_patterns
from tacita.privacy.budget import PureDP
from tacita.public.time_grid import TimeGrid
from tacita.sequences import NGram, PrefixTree, open_sequences
from tacita.sets import DiffPart, open_baskets
from tacita.testing import seeded_ledger
from tacita.utility import preservation, sequences, sets
from tacita.utility.preservation import PatternKind, contiguous_in_parts


def no_gathering(monkeypatch):
    """Lists in several parts may not be gathered."""

    def refuse(_):
        raise AssertionError

    monkeypatch.setattr(RaggedInParts, "codes", property(refuse))
    monkeypatch.setattr(RaggedInParts, "offsets", property(refuse))


def nothing(*_, **__):
    return top_contiguous_patterns(Ragged.from_lists([]), count=1, symbols=1)


def test_sequences_in_blocks_are_judged_as_in_memory(tmp_path):
    path = random_file(tmp_path / "events.csv", 3, most=200)
    grid = TimeGrid(start=0, interval=2, intervals=2)
    engines = (Engine.LOCAL, Engine.BLOCKS)
    held = [open_sequences(path, universe=UNIVERSE, grid=grid, options=ReadOptions(engine=engine)) for engine in engines]
    release = PrefixTree(height=3).publish(held[0], budget=PureDP("4"), ledger=seeded_ledger(1)).data
    found = [sequences.sections(records, release) for records in held]
    assert found[0] == found[1]


def test_baskets_in_blocks_are_judged_as_in_memory(tmp_path):
    path = random_file(tmp_path / "events.csv", 4, most=200)
    held = [
        open_baskets(path, universe=UNIVERSE, options=ReadOptions(engine=engine, columns=LongColumns(time=None)))
        for engine in (Engine.LOCAL, Engine.BLOCKS)
    ]
    release = DiffPart().publish(held[0], budget=PureDP("4"), ledger=seeded_ledger(1)).data
    assert sets.sections(held[0], release) == sets.sections(held[1], release)


def test_queries_distributions_and_contiguous_patterns_gather_nothing(tmp_path, monkeypatch):
    path = random_file(tmp_path / "events.csv", 5, most=200)
    records = open_sequences(path, universe=UNIVERSE, options=ReadOptions(engine=Engine.BLOCKS))
    monkeypatch.setattr(parts, "RECORDS", 20)
    release = NGram(max_length=4, max_gram=2).publish(records, budget=PureDP("8"), ledger=seeded_ledger(1)).data
    assert len(release.sequences.most) > 1
    monkeypatch.setitem(preservation._SEARCH, PatternKind.GAPPED, nothing)
    no_gathering(monkeypatch)
    report = sequences.report(records, release)
    assert report.raw_records == len(records.sequences) > 20
    assert report.queries


@pytest.mark.parametrize("seed", range(8))
def test_contiguous_patterns_of_parts_are_those_of_the_whole(seed, monkeypatch):
    generator = np.random.default_rng(seed)
    rows = Ragged.from_lists([generator.integers(0, 3, generator.integers(1, 7)).tolist() for _ in range(40)])
    monkeypatch.setattr(parts, "AT_ONCE", 20)
    lists = copied(rows, generator.integers(0, 4, 40))
    whole = Ragged(lists.codes, lists.offsets)
    for count, least, most in ((1, 1, None), (5, 2, None), (30, 2, 3), (10_000, 1, None)):
        asked = {"count": count, "symbols": 3, "min_length": least, "max_length": most}
        expected = top_contiguous_patterns(whole, **asked).as_dict()
        assert contiguous_in_parts(lists, **asked).as_dict() == expected


def test_too_many_ties_are_refused_in_parts_as_well():
    rows = Ragged.from_lists([[code] for code in range(50)])
    with pytest.raises(TooManyPatternsError, match="they tie"):
        contiguous_in_parts(rows, count=2, symbols=50, max_patterns=10)
