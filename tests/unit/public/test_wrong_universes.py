"""What is not a universe, and records that do not fit one, are refused by name before anything is charged."""

import pytest

from tacita.errors import ParameterError, UniverseError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.universe import Universe
from tacita.sequences import NGram, PrefixTree, SequenceRecords
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts

STATIONS = Universe(["s1", "s2"])


@pytest.mark.parametrize("name", ["stations.csv", "folder/stations", "C:\\stations"])
def test_a_file_name_is_not_taken_for_its_letters(name):
    with pytest.raises(UniverseError, match=r"Universe\.read reads a file"):
        Universe(name)


@pytest.mark.parametrize("records", [BasketRecords, SequenceRecords])
def test_records_must_be_lists_of_strings(records):
    with pytest.raises(UniverseError, match="must be a list of labels, got a string"):
        records.from_labels(["s1"], universe=STATIONS)
    with pytest.raises(UniverseError, match="must be a string"):
        records.from_labels([[1, 2]], universe=STATIONS)


@pytest.mark.parametrize("records", [BasketRecords, SequenceRecords])
def test_a_list_is_no_universe(records):
    with pytest.raises(UniverseError, match="must be a Universe"):
        records.from_labels([["s1"]], universe=["s1", "s2"])


@pytest.mark.parametrize(
    ("mechanism", "kind"),
    [
        (ItemsetCounts(), SequenceRecords),
        (DiffPart(), SequenceRecords),
        (FlatHistogram(), SequenceRecords),
        (NGram(max_length=3), BasketRecords),
        (PrefixTree(height=2), BasketRecords),
    ],
)
def test_records_of_another_kind_are_refused_before_the_charge(mechanism, kind):
    ledger = Ledger()
    with pytest.raises(ParameterError, match=f"cannot publish {kind.__name__}"):
        mechanism.publish(kind.from_labels([["s1"]], universe=STATIONS), budget=PureDP("1"), ledger=ledger)
    assert ledger.balance("unnamed").epsilon == 0
