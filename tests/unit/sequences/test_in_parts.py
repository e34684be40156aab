"""Large releases are made in parts: each has a stream of its own, and together they say what one part would say."""

from dataclasses import replace

import numpy as np
import pytest

from engines import COUNTED, NAMES, opened, random_file
from tacita.arrays import parts
from tacita.arrays.parts import RaggedInParts
from tacita.errors import TooManyNodesError
from tacita.io import Engine
from tacita.kinds import methods
from tacita.opening import open_release
from tacita.privacy import limits
from tacita.testing import seeded_ledger


def lists_of(case, release):
    return release.data.baskets if methods()[case.name].kind == "sets" else release.data.sequences


@pytest.mark.parametrize("case", COUNTED, ids=NAMES)
def test_a_release_in_parts_is_read_back_as_it_is_and_says_what_one_part_says(tmp_path, monkeypatch, case):
    records = opened(case, random_file(tmp_path / "events.csv", 6, most=300), Engine.BLOCKS)
    whole = lists_of(case, case.mechanism.publish(records, budget=case.budget, ledger=seeded_ledger(2)))
    monkeypatch.setattr(parts, "RECORDS", 40)
    monkeypatch.setattr(parts, "AT_ONCE", 60)
    release = case.mechanism.publish(records, budget=case.budget, ledger=seeded_ledger(2))
    lists = lists_of(case, release)
    folder = release.write(tmp_path / "release", file_format="parquet")
    assert lists_of(case, open_release(folder)).to_lists() == lists.to_lists()
    assert abs(len(lists) - len(whole)) <= len(parts_of(lists))
    assert shares(lists) == pytest.approx(shares(whole), abs=0.08)


@pytest.mark.parametrize("file_format", ["csv", "csv.gz", "jsonl.zst", "wide", "dat.gz", "seq"])
def test_every_format_is_written_in_parts(tmp_path, monkeypatch, file_format):
    case = COUNTED[NAMES.index("1-prefix-tree")]
    records = opened(case, random_file(tmp_path / "events.csv", 6, most=300), Engine.BLOCKS)
    monkeypatch.setattr(parts, "AT_ONCE", 60)
    release = case.mechanism.publish(records, budget=case.budget, ledger=seeded_ledger(2))
    assert len(release.data.sequences.most) > 3
    folder = release.write(tmp_path / "release", file_format=file_format)
    assert open_release(folder).data.sequences.to_lists() == release.data.sequences.to_lists()


def test_an_error_while_parts_are_made_is_raised_as_it_is_and_leaves_nothing(tmp_path, monkeypatch):
    case = COUNTED[NAMES.index("1-prefix-tree")]
    records = opened(case, random_file(tmp_path / "events.csv", 6, most=300), Engine.BLOCKS)
    monkeypatch.setattr(parts, "AT_ONCE", 60)
    release = case.mechanism.publish(records, budget=case.budget, ledger=seeded_ledger(2))

    def broken(lists):
        if len(lists) < 30:
            raise TooManyNodesError("enough")
        return lists

    data = replace(release.data, sequences=release.data.sequences.mapped(broken))
    with pytest.raises(TooManyNodesError, match="enough"):
        replace(release, data=data).write(tmp_path / "release")
    assert [path.name for path in tmp_path.iterdir()] == ["events.csv"]


@pytest.mark.parametrize("engine", [Engine.BLOCKS, Engine.LOCAL])
def test_every_engine_refuses_the_same_releases(tmp_path, monkeypatch, engine):
    case = COUNTED[NAMES.index("1-prefix-tree")]
    records = opened(case, random_file(tmp_path / "events.csv", 6, most=300), engine)
    monkeypatch.setattr(limits, "LARGEST_OUTPUT", 50)
    case.mechanism.publish(records, budget=case.budget, ledger=seeded_ledger(2))
    monkeypatch.setattr(limits, "LARGEST_IN_PARTS", 50)
    with pytest.raises(TooManyNodesError, match="at most 50 symbols"):
        case.mechanism.publish(records, budget=case.budget, ledger=seeded_ledger(2))


def parts_of(lists):
    return lists.most if isinstance(lists, RaggedInParts) else (len(lists),)


def shares(lists):
    return (np.bincount(lists.codes, minlength=8) / max(lists.codes.size, 1)).tolist()
