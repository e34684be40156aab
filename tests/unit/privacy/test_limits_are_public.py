"""Whether a release is refused, capped or written in parts follows from public and noisy numbers, whoever's data it is."""

import pytest

from tacita.errors import ReplayError, TacitaError
from tacita.privacy import limits
from tacita.privacy.account import Replay
from tacita.privacy.answers import Transcript
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.universe import Universe
from tacita.sequences import NGram, PrefixTree, Raked, SequenceRecords
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts
from tacita.testing import SeededSource

LABELS = Universe("abcd")
ROWS = [["a", "b"], ["b", "c", "d"], ["a"], ["d"], ["a", "b", "c"]]
OTHERS = [ROWS[1:], [*ROWS, ["c"]], [["d", "c", "b", "a"]] * 40, [["a"]]]
"""Without one record, with one more, and data that has nothing to do with these."""


def outcome(mechanism, records, ledger):
    """What comes out: a refusal, or the published data."""
    try:
        data = mechanism.publish(records, budget=PureDP(1), ledger=ledger).data
    except ReplayError:
        raise
    except TacitaError as error:
        return type(error).__name__, str(error)
    lists = data.sequences if hasattr(data, "sequences") else data.baskets
    return "published", lists.to_lists()


CASES = [
    (SequenceRecords, PrefixTree(height=3)),
    (SequenceRecords, NGram(max_length=3)),
    (SequenceRecords, Raked(max_length=3)),
    (BasketRecords, FlatHistogram()),
    (BasketRecords, DiffPart(max_partitions=2)),
    (BasketRecords, ItemsetCounts()),
]


@pytest.mark.parametrize("limit", [2, 12, 40, None])
@pytest.mark.parametrize(("held", "mechanism"), CASES, ids=lambda part: getattr(part, "__name__", str(part)))
def test_the_same_answers_are_refused_or_published_on_any_data(monkeypatch, held, mechanism, limit):
    if limit is not None:
        monkeypatch.setattr(limits, "LARGEST_OUTPUT", limit)
        monkeypatch.setattr(limits, "LARGEST_IN_PARTS", 2 * limit)
        monkeypatch.setattr(limits, "MOST_UNSURE", limit)
    for seed in range(6):
        transcript = Transcript()
        first = outcome(
            mechanism, held.from_labels(ROWS, universe=LABELS), Ledger(source=SeededSource(seed), transcript=transcript)
        )
        for rows in [ROWS, *OTHERS]:
            assert outcome(mechanism, held.from_labels(rows, universe=LABELS), Replay(transcript)) == first


def test_limits_so_small_are_reached_and_those_of_users_are_not(monkeypatch):
    mechanism, records = FlatHistogram(), BasketRecords.from_labels(ROWS, universe=LABELS)
    assert outcome(mechanism, records, Ledger(source=SeededSource(1)))[0] == "published"
    monkeypatch.setattr(limits, "LARGEST_IN_PARTS", 2)
    monkeypatch.setattr(limits, "LARGEST_OUTPUT", 2)
    assert outcome(mechanism, records, Ledger(source=SeededSource(1)))[0] == "TooManyNodesError"
