"""Tables 6.2 to 6.4 of the thesis: a sample database, its grams, and a count query on it."""

from tacita.mining import top_contiguous_patterns, top_gapped_patterns
from tacita.public.universe import Universe
from tacita.sequences import SequenceRecords
from tacita.utility import count_location_sets, count_occurrences

PATHS = ["L2 L3 L1", "L2 L3", "L3 L2", "L2 L3 L1", "L3 L2 L1", "L2 L3 L1 L2 L3", "L3 L2", "L3 L1 L2 L3"]
UNIVERSE = Universe(["L1", "L2", "L3"])
DATA = SequenceRecords.from_labels([path.split() for path in PATHS], universe=UNIVERSE).sequences


def coded(*paths):
    return SequenceRecords.from_labels([path.split() for path in paths], universe=UNIVERSE).sequences


def named(found):
    return {" ".join(UNIVERSE.labels[code] for code in pattern): support for pattern, support in found.as_dict().items()}


def test_the_1_grams_and_2_grams_are_the_published_ones():
    found = named(top_contiguous_patterns(DATA, count=100, symbols=3, max_length=2))
    assert found == {"L3": 10, "L2": 9, "L2 L3": 6, "L1": 5, "L3 L1": 4, "L3 L2": 3, "L1 L2": 2, "L2 L1": 1}


def test_the_example_of_a_count_query_is_answered_as_published():
    assert count_occurrences(DATA, coded("L2 L3"), symbols=3).tolist() == [6]


def test_records_are_counted_once_by_a_set_and_by_a_pattern_with_gaps():
    assert count_location_sets(DATA, coded("L2 L3", "L1 L2 L3"), symbols=3).tolist() == [8, 5]
    assert named(top_gapped_patterns(DATA, count=100, symbols=3))["L2 L3"] == 5
