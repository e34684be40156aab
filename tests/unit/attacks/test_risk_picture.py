"""The picture of the risk before and after."""

from xml.etree import ElementTree as ET

from tacita.arrays.ragged import Ragged
from tacita.attacks.trajectories import attack_trajectories
from tacita.report.linkage_risk import risk_picture
from tacita.trajectories import PairColumns


def test_the_picture_is_well_formed_and_shows_both_sides_and_where_the_promise_ends():
    raw = attack_trajectories(PairColumns.of(Ragged.from_lists([[0, 1], [0, 1], [0, 2]])), known_pairs=3)
    kept = attack_trajectories(PairColumns.of(Ragged.from_lists([[0, 1], [0, 1], [0]])), known_pairs=3)
    picture = risk_picture("a < b", raw, kept, promised=2)
    root = ET.fromstring(picture)
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert "a < b" in texts
    assert "33%" in texts
    assert "not promised from here on" in texts
    assert sum(element.get("class") == "after" for element in root.iter()) == 4
