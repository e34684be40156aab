"""Chapter 5 of the thesis: Tables 5.1 and 5.2 and the examples around them."""

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.attacks.trajectories import attack_trajectories
from tacita.trajectories import (
    PairColumns,
    Requirement,
    SensitiveGroup,
    find_violations,
    maximal_frequent,
    pack,
    suppress_greedily,
    verify,
)
from tacita.trajectories.loss import FrequentSets
from trajectory_databases import OF_THE_THESIS, PAIRS, SENSITIVE, TABLE_5_1, TABLE_5_2, codes_of, names_of, table_5_1


def support(path):
    return [number + 1 for number, (whole, _) in enumerate(TABLE_5_1) if set(path.split()) <= set(whole.split())]


def test_claude_is_identified_and_bill_has_hiv_by_two_thirds():
    assert support("d2 e4") == [1]
    assert TABLE_5_1[0][1] == "HIV"
    assert support("a1 f6") == [1, 5, 8]
    flags = np.array([[diagnosis == "HIV"] for _, diagnosis in TABLE_5_1])
    risk = attack_trajectories(
        PairColumns.of(Ragged.from_lists([codes_of(path) for path, _ in TABLE_5_1]), sensitive=flags), known_pairs=2
    ).sizes[1]
    assert risk.smallest[0] == 1
    assert risk.confidence[0] == 1.0
    assert [TABLE_5_1[number - 1][1] for number in support("a1 f6")].count("HIV") / 3 == pytest.approx(2 / 3)
    a1 = attack_trajectories(
        PairColumns.of(Ragged.from_lists([codes_of("a1 f6") if "a1" in path else [5] for path, _ in TABLE_5_1]), sensitive=flags),
        known_pairs=2,
    )
    assert a1.sizes[1].confidence[4] == pytest.approx(2 / 3)


def test_violating_sequences_have_at_most_the_known_pairs():
    def violates(path, known):
        asked = Requirement(crowd=2, known_pairs=known, groups=OF_THE_THESIS.groups)
        found = [set(codes) for codes in find_violations(table_5_1(), asked)]
        return len(path.split()) <= known and any(part <= set(codes_of(path)) for part in found)

    assert violates("a1 b3", 2)
    assert violates("a1 d2", 2)
    assert not violates("b3 c7 e8", 2)


def test_a_minimal_violating_sequence_has_no_violating_part():
    found = {names_of(codes) for codes in find_violations(table_5_1(), OF_THE_THESIS)}
    assert "d2 e4" in found
    assert "a1 d2" not in found


def test_the_minimal_violating_sequences_of_table_5_1():
    found = {names_of(codes) for codes in find_violations(table_5_1(), OF_THE_THESIS)}
    assert found == {"a1", "d2 b3", "d2 e4", "d2 e8", "b3 c7"}


def test_suppressing_c7_in_record_3_makes_a_new_violation():
    columns = table_5_1()
    keep = ~((columns.records == 2) & (columns.codes[columns.pairs] == PAIRS.index("c7")))
    found = {names_of(codes) for codes in find_violations(columns.where(keep), OF_THE_THESIS)}
    assert "c7 e8" in found


def test_suppressing_d2_in_record_1_is_valid():
    columns = table_5_1()
    before = {names_of(codes) for codes in find_violations(columns, OF_THE_THESIS)}
    keep = ~((columns.records == 0) & (columns.codes[columns.pairs] == PAIRS.index("d2")))
    after = {names_of(codes) for codes in find_violations(columns.where(keep), OF_THE_THESIS)}
    assert after < before


def test_published_suppression_gives_table_5_2():
    columns = table_5_1()
    kept = columns.where(suppress_greedily(columns, OF_THE_THESIS))
    assert tuple(names_of(row) for row in kept.lists().to_lists()) == TABLE_5_2
    assert columns.pairs.size == 34
    assert kept.pairs.size == 29


def test_table_5_2_is_private_and_table_5_1_is_not():
    flags = np.array([[diagnosis == value for value in SENSITIVE] for _, diagnosis in TABLE_5_1])
    raw = Ragged.from_lists([codes_of(path) for path, _ in TABLE_5_1])
    published = Ragged.from_lists([codes_of(path) for path in TABLE_5_2])
    assert not verify(raw, OF_THE_THESIS, sensitive=flags).holds
    assert verify(published, OF_THE_THESIS, sensitive=flags).holds


def test_packing_loses_no_more_than_table_5_2_by_much_and_is_private():
    columns = table_5_1()
    kept = columns.where(pack(columns, OF_THE_THESIS))
    flags = np.array([[diagnosis == value for value in SENSITIVE] for _, diagnosis in TABLE_5_1])
    assert verify(kept.lists(), OF_THE_THESIS, sensitive=flags).holds
    assert kept.pairs.size >= 28


def test_the_maximal_frequent_sequences_of_example_5_3_5():
    found = {names_of(codes): number for codes, number in maximal_frequent(table_5_1(), support=2).items()}
    assert found == dict.fromkeys(("a1 d2 f6 c7", "d2 c5 f6 c7", "d2 f6 c7 e9", "b3 e4 f6 e8", "c5 f6 e9", "c7 e8"), 2)


def test_the_link_of_f6_leads_to_five_maximal_frequent_sequences():
    columns = table_5_1()
    f6 = int(np.flatnonzero(columns.codes == PAIRS.index("f6"))[0])
    assert FrequentSets(columns, support=2).with_pair(f6) == 5


def test_all_known_pairs_are_not_k_anonymity():
    lists = Ragged.from_lists([[0], [0, 1], [0, 1]])
    assert verify(lists, Requirement(crowd=2, known_pairs=None)).holds
    classes = {tuple(row): lists.to_lists().count(row) for row in lists.to_lists()}
    assert classes[(0,)] == 1


def test_a_confidence_of_one_half_is_not_needed_for_two_diverse_classes():
    lists, ill = Ragged.from_lists([[0]] * 4), np.array([[True], [True], [True], [False]])
    half = SensitiveGroup(attribute="diagnosis", values=("HIV",), confidence="1/2")
    assert not verify(lists, Requirement(crowd=2, known_pairs=1, groups=(half,)), sensitive=ill).holds
    assert len({"HIV", "flu"}) == 2
