"""Large releases are made in parts: each has a stream of its own, and together they say what one part would say."""

import numpy as np
import pytest

from engines import COUNTED, NAMES, opened, random_file
from tacita.arrays import parts
from tacita.arrays.parts import RaggedInParts
from tacita.io import Engine
from tacita.kinds import methods
from tacita.opening import open_release
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
    for place, file_format in enumerate(("parquet", "csv.gz", "wide")):
        folder = release.write(tmp_path / str(place), file_format=file_format)
        assert lists_of(case, open_release(folder)).to_lists() == [row for row in lists.to_lists() if row]
    assert abs(len(lists) - len(whole)) <= len(parts_of(lists))
    assert shares(lists) == pytest.approx(shares(whole), abs=0.08)


def parts_of(lists):
    return lists.most if isinstance(lists, RaggedInParts) else (len(lists),)


def shares(lists):
    return (np.bincount(lists.codes, minlength=8) / max(lists.codes.size, 1)).tolist()
