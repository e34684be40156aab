import numpy as np
import pytest

from engines import COUNTED, NAMES, opened, random_file, released
from tacita.arrays.ragged import Ragged
from tacita.counting.blocks import Conversation, LocalBlocks, SequenceCountsOfBlocks
from tacita.counting.engines import BlocksOnDisk
from tacita.counting.local import LocalSequenceCounts, PartitionCounter
from tacita.errors import EngineError
from tacita.io import Engine, ReadOptions
from tacita.sets import open_baskets

LISTS = [Ragged.from_lists(rows) for rows in ([[0, 1], [2]], [], [[0, 1, 1], [0]])]


def three_blocks(**options):
    return LocalBlocks(blocks=3, load=LISTS.__getitem__, counted=LocalSequenceCounts, **options)


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 50), marks=pytest.mark.slow)], ids=["few", "many"])
@pytest.mark.parametrize("case", COUNTED, ids=NAMES)
def test_a_release_from_blocks_is_the_one_from_memory(tmp_path, case, seeds):
    for seed in seeds:
        path = random_file(tmp_path / "events.csv", seed)
        expected = released(case, opened(case, path, Engine.LOCAL), seed)
        assert released(case, opened(case, path, Engine.BLOCKS), seed) == expected


@pytest.mark.parametrize("case", COUNTED, ids=NAMES)
def test_a_block_that_was_forgotten_is_replayed(tmp_path, case, monkeypatch):
    path = random_file(tmp_path / "events.csv", 3)
    records = opened(case, path, Engine.BLOCKS)
    monkeypatch.setattr(
        BlocksOnDisk,
        "asker",
        lambda self, counted: LocalBlocks(blocks=len(self.files), load=self.files.lists, counted=counted, room=0),
    )
    assert released(case, records, 3) == released(case, opened(case, path, Engine.LOCAL), 3)


@pytest.mark.parametrize("change", ["lost", "twice", "unknown"])
def test_every_block_must_answer_exactly_once(change):
    class Careless(LocalBlocks):
        def answers(self, question):
            answers = list(super().answers(question))
            return {"lost": answers[1:], "twice": [*answers, answers[0]], "unknown": [*answers[1:], (7, answers[0][1])]}[change]

    asker = Careless(blocks=3, load=LISTS.__getitem__, counted=LocalSequenceCounts)
    with pytest.raises(EngineError, match="nothing was published"):
        SequenceCountsOfBlocks(asker).lengths(longest=3)


def test_lengths_are_added_up_over_blocks():
    assert SequenceCountsOfBlocks(three_blocks()).lengths(longest=2) == [2, 2]


def test_two_counters_of_one_conversation_do_not_disturb_each_other():
    counts = SequenceCountsOfBlocks(three_blocks())
    grams = counts.grams(symbols=3, max_length=3)
    starts = grams.beginnings()
    local = LocalSequenceCounts(Ragged.from_lists([row for lists in LISTS for row in lists.to_lists()]))
    others = local.grams(symbols=3, max_length=3)
    other_starts = others.beginnings()
    for _ in range(2):
        for one, other in ((grams, others), (starts, other_starts)):
            found, expected = one.counts(), other.counts()
            assert all(np.array_equal(part, wanted) for part, wanted in zip(found, expected, strict=True))
            one.follow(found[0][:2], found[1][:2])
            other.follow(found[0][:2], found[1][:2])


def test_a_conversation_has_a_name_of_its_own():
    assert Conversation(three_blocks())._name != Conversation(three_blocks())._name


def test_partitions_can_be_kept_without_asking_for_them_first():
    baskets = Ragged.from_lists([[0, 2], [1], [0]])
    asked, told = (PartitionCounter(baskets, place_of=np.arange(3)) for _ in range(2))
    everything, one = [(0, 2), (2, 3)], np.zeros(1, dtype=np.int64)
    asked.counts(everything, one)
    for counter in (asked, told):
        counter.keep(everything, one, kept=np.array([1, 3]), become=np.array([0, 1]))
    both = np.arange(2)
    found, expected = told.counts([(0, 1), (1, 2)], both), asked.counts([(0, 1), (1, 2)], both)
    assert all(np.array_equal(part, wanted) for part, wanted in zip(found, expected, strict=True))


def test_asking_about_another_node_leaves_no_masks_behind():
    baskets = Ragged.from_lists([[0, 2], [1], [0]])
    counter, fresh = (PartitionCounter(baskets, place_of=np.arange(3)) for _ in range(2))
    one = np.zeros(1, dtype=np.int64)
    counter.counts([(0, 1), (1, 2)], one)
    found, expected = counter.counts([(0, 2), (2, 3)], one), fresh.counts([(0, 2), (2, 3)], one)
    assert all(np.array_equal(part, wanted) for part, wanted in zip(found, expected, strict=True))


@pytest.mark.slow
def test_msnbc_is_released_from_blocks_as_from_memory(data_folder, monkeypatch):
    from tacita.io import declared_universe
    from tacita.io import sources as parts
    from tacita.privacy.budget import PureDP
    from tacita.sequences import NGram, PrefixTree, open_sequences
    from tacita.sets import DiffPart, ItemsetCounts
    from tacita.testing import seeded_ledger

    monkeypatch.setattr(parts, "BYTES", 1 << 21)
    path = next(iter(sorted(data_folder.glob("msnbc/*.seq*"))))
    universe = declared_universe(path)
    for opens, methods in ((open_sequences, (PrefixTree(height=8), NGram())), (open_baskets, (DiffPart(), ItemsetCounts()))):
        held = [opens(path, universe=universe, options=ReadOptions(engine=engine)) for engine in (Engine.LOCAL, Engine.BLOCKS)]
        assert len(held[1].blocks.people) > 3
        for method in methods:
            frames = [method.publish(one, budget=PureDP("1"), ledger=seeded_ledger(1)).to_polars() for one in held]
            assert frames[0].equals(frames[1])


def test_a_worker_of_spark_answers_by_number_what_it_remembers_and_says_what_it_forgot():
    pa = pytest.importorskip("pyarrow")
    from tacita.counting.blocks import Event, Question
    from tacita.counting.spark.asking import _Task, checksum, decoded

    lengths, codes = np.array([2, 1], dtype=np.int32).tobytes(), np.array([0, 1, 2], dtype=np.uint8).tobytes()
    task = _Task(
        Question("a test", (), Event(0, "lengths", (), {"longest": 2})), LocalSequenceCounts, 3, (checksum(lengths, codes),)
    )
    block, number = {"block": [0], "lengths": [lengths], "codes": [codes]}, {"block": [0]}

    def asked(columns):
        (batch,) = task.answers([pa.RecordBatch.from_pydict(columns)])
        answer = batch.column("answer")[0].as_py()
        return None if answer is None else decoded(answer)

    assert [asked(columns) for columns in (number, block, number)] == [None, [1, 1], [1, 1]]
