"""The picture of the risk before and after."""

from xml.etree import ElementTree as ET

from tacita.arrays.ragged import Ragged
from tacita.attacks.trajectories import attack_trajectories
from tacita.trajectories import PairColumns
from tacita.utility.trajectories import risk_picture


def test_the_picture_is_well_formed_and_shows_both_sides_and_where_the_promise_ends():
    raw = attack_trajectories(PairColumns.of(Ragged.from_lists([[0, 1, 3], [0, 1], [0, 2]])), known_pairs=3)
    kept = attack_trajectories(PairColumns.of(Ragged.from_lists([[0, 1], [0, 1], [0]])), known_pairs=3)
    picture = risk_picture("a < b", raw, kept, promised=2)
    root = ET.fromstring(picture.svg())
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert "a < b" in texts
    assert "66.7 %" in texts
    assert "3 known (not promised)" in texts
    assert picture.tables[0].columns == ("", "before", "after")
    assert len(picture.tables[0].rows) == 3


def test_the_picture_leaves_out_numbers_of_pairs_that_no_record_has():
    risk = attack_trajectories(PairColumns.of(Ragged.from_lists([[0, 1], [0, 2]])), known_pairs=4)
    assert [row[0] for row in risk_picture("risk", risk, risk, promised=1).tables[0].rows] == [
        "1 known",
        "2 known (not promised)",
    ]
