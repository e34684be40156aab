"""With the same noise, releases are byte for byte what they were before kinds became registrations.

The digests were made by the code of that time, over 20 random data sets per variant, from the files of a release that hold data.
Who changes on purpose what a method publishes puts the new digest here, and says so in the changelog.
"""

import hashlib
import random

import pytest

import tacita as ta
from tacita.testing import seeded_ledger

pytestmark = pytest.mark.slow  # half a minute

GROUPS = ta.Taxonomy.from_edges([("A", "*"), ("B", "BCD"), ("C", "CD"), ("D", "CD"), ("CD", "BCD"), ("BCD", "*")])
PRIVATE_LENGTH = ta.sequences.PrivateLength(longest=4, share="1/8")
UNIVERSE = ta.Universe("ABCD")
ABOUT = {"README.md", "manifest.json", "universe.json", "croissant.json"}
"""What a release says about itself, and public; that has changed since."""

SEQUENCES = [
    (ta.sequences.PrefixTree(height=3), "2"),
    (ta.sequences.PrefixTree(height=2, threshold="published"), "1/3"),
    (ta.sequences.PrefixTree(height=3, taxonomy=GROUPS), "3"),
    (ta.sequences.PrefixTree(height=3, lost="continue", inference="corrected"), "5/2"),
    (ta.sequences.PrefixTree(height=3, inference="exact"), "2"),
    (ta.sequences.PrefixTree(height=3, inference="two-phase"), "2"),
    (ta.sequences.PrefixTree(height=3, inference="none"), "2"),
    (ta.sequences.PrefixTree(height=PRIVATE_LENGTH), "4"),
    (ta.sequences.NGram(max_length=4, max_gram=3), "20"),
    (ta.sequences.NGram(max_length=3, max_gram=2, synthesis="joined", threshold="published", with_grams=True), "9"),
    (ta.sequences.NGram(max_length=PRIVATE_LENGTH, max_gram=2, allocation="uniform", missing="zero"), "16"),
]
SETS = [
    (ta.sets.DiffPart(fan_out=2), "2"),
    (ta.sets.DiffPart(fan_out=3, threshold="authors"), "3"),
    (ta.sets.DiffPart(taxonomy=GROUPS), "5/2"),
    (ta.sets.ItemsetCounts(), "5/2"),
    (ta.sets.ItemsetCounts(max_core=2), "2"),
    (ta.sets.FlatHistogram(), "1"),
    (ta.sets.FlatHistogram(expected_records=1000), "1/2"),
    (ta.sets.StableHistogram(), "1"),
]
DIGESTS = [
    "cdcb73d562a1f98c",
    "65c7e1a6e5b52811",
    "7efba584e6c068ff",
    "e0fde9de2bbad9d1",
    "cdcb73d562a1f98c",
    "fef524303519808b",
    "6941067422c1e9bd",
    "eb4f74cb869cda41",
    "cf154b90627b1c5a",
    "d11ca517cb5da0ee",
    "6813ce24773efb0e",
    "1a1f34b0e0762384",
    "592b1240710acca3",
    "e997462534063fa4",
    "2d6a6bfe493103d6",
    "e9e203cad59c2d1a",
    "d0c99420670d294e",
    "fe6b1225f0f1919c",
    "044eb21242eac456",
]


def random_rows(seed):
    """Up to 1,500 texts over four labels, some of them empty."""
    drawn = random.Random(seed)
    people = drawn.choice([0, 3, 40, 200, 1500])
    lengths = (min(drawn.randint(0, 7), drawn.randint(0, 7)) for _ in range(people))
    return ["".join(drawn.choices("ABCD", weights=[8, 4, 2, 1], k=length)) for length in lengths]


def records_of(mechanism, rows):
    if any(mechanism is each for each, _ in SEQUENCES):
        return ta.sequences.SequenceRecords.from_labels([list(row) for row in rows], universe=UNIVERSE, name="x")
    return ta.sets.BasketRecords.from_labels([sorted(set(row)) for row in rows], universe=UNIVERSE, name="x")


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "digest"),
    [(*each, digest) for each, digest in zip([*SEQUENCES, *SETS], DIGESTS, strict=True)],
    ids=[f"{type(mechanism).__name__}-{place}" for place, (mechanism, _) in enumerate([*SEQUENCES, *SETS])],
)
def test_releases_are_byte_for_byte_what_they_were(mechanism, epsilon, digest, tmp_path):
    found = hashlib.sha256()
    budget = ta.ApproxDP(epsilon, "1e-9") if isinstance(mechanism, ta.sets.StableHistogram) else ta.PureDP(epsilon)
    for seed in range(20):
        release = mechanism.publish(records_of(mechanism, random_rows(seed)), budget=budget, ledger=seeded_ledger(seed))
        for path in sorted(release.write(tmp_path / str(seed)).iterdir()):
            if path.name not in ABOUT:
                found.update(path.name.encode() + path.read_bytes())
    assert found.hexdigest()[:16] == digest
