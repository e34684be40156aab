"""What is of the wrong type, or of the wrong shape from its first rows on, is refused at once and in a sentence."""

import pytest

import tacita as ta
from tacita.errors import ParameterError, TacitaError, TaxonomyError, UniverseError
from tacita.privacy.budget import PureDP

UNIVERSE = ta.Universe(["a", "b"])


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,label,time\n1,a,1\n1,b,2\n")
    return path


@pytest.mark.parametrize(
    "read", [ta.sequences.read_sequences, ta.sequences.open_sequences, ta.sets.read_baskets, ta.sets.open_baskets]
)
@pytest.mark.parametrize("universe", [["a", "b"], "ab"])
def test_a_list_is_no_universe(rows, read, universe):
    with pytest.raises(
        UniverseError, match=r"must be a Universe, as Universe\(\[...\]\) or Universe.read\(path\), got (list|str)"
    ):
        read(rows, universe=universe)


def test_a_string_is_no_time_grid(rows):
    with pytest.raises(ParameterError, match=r"must be a TimeGrid\(start=..., interval=..., intervals=...\), got str"):
        ta.sequences.read_sequences(rows, universe=UNIVERSE, grid="1h")


@pytest.mark.parametrize(
    "make", [lambda given: ta.sequences.PrefixTree(height=2, taxonomy=given), lambda given: ta.sets.DiffPart(taxonomy=given)]
)
def test_a_list_is_no_taxonomy(make):
    with pytest.raises(TaxonomyError, match=r"must be a Taxonomy, as Taxonomy.read\(path\) .*, got list"):
        make([("a", "*")])


def test_a_string_is_no_ledger():
    records = ta.sequences.SequenceRecords.from_labels([["a"]], universe=UNIVERSE)
    with pytest.raises(TacitaError, match=r"must be able to open accounts, as Ledger\(path\) does, got str"):
        ta.sequences.PrefixTree(height=1).publish(records, budget=PureDP("1"), ledger="my.ledger")


def test_a_report_compares_data_of_one_kind():
    sequences = ta.sequences.SequenceRecords.from_labels([["a", "b"]] * 20, universe=UNIVERSE)
    baskets = ta.sets.BasketRecords.from_labels([["a", "b"]] * 20, universe=UNIVERSE)
    release = ta.sequences.PrefixTree(height=2).publish(sequences, budget=PureDP("5"))
    with pytest.raises(ParameterError, match="sequences can be compared with sequences only, got BasketRecords"):
        ta.utility.report(baskets, release)
