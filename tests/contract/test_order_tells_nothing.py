"""The order of the rows of a private file changes no byte of what a verified method publishes of them."""

import random

import pytest

from tables import table_records
from tacita.arrays.ragged import Ragged
from tacita.auditing.cases.verified import PersonalCase, TrajectoryCase
from tacita.errors import VerificationError
from tacita.kinds import methods
from tacita.kinds.registration import Promise
from tacita.personal import PersonalRecords
from tacita.personal.rechecking import owners_of
from tacita.privacy.randomness import SecureSource
from tacita.tables import Bucketize, CellSuppression, FullDomain, Mondrian
from tacita.testing import SeededSource

TABLES = {
    "mondrian": [Mondrian(models="k=3"), Mondrian(models="k=2, confidence=0.6"), Mondrian(models="k=2, l=2")],
    "full-domain": [FullDomain(models="k=3"), FullDomain(models="k=2, l=2", suppression="1/2")],
    "cell-suppression": [CellSuppression(models="k=3"), CellSuppression(models="k=2, confidence=0.6")],
    "bucketize": [Bucketize(l=2)],
}


def texts(generator):
    """Rows of tables and of trajectories: a few letters, with `!` for somebody who is ill."""
    return ["".join(generator.choices("ABCD", k=generator.randint(1, 8))) for _ in range(generator.choice([10, 30, 60]))]


def sequences(generator):
    return [[generator.randrange(9) for _ in range(generator.randint(2, 40))] for _ in range(4)]


def walks(generator):
    rows = ["".join(sorted(set(generator.choices("ABCDEF", k=4)))) for _ in range(generator.choice([8, 15, 30]))]
    return [row + generator.choice(["!", "", "", ""]) for row in rows]


def people(universe):
    return lambda rows: PersonalRecords(sequences=Ragged.from_lists(rows), universe=universe)


def subjects():
    """Every verified method with its variants, how its records are made of rows, and rows by chance."""
    for name, method in methods().items():
        if method.promise is not Promise.VERIFIED:
            continue
        if name in TABLES:
            yield from ((f"{name} {place}", each, table_records, texts) for place, each in enumerate(TABLES[name]))
        elif method.kind == "trajectories":
            for label, each in TrajectoryCase.variants(name).items():
                yield label, each, TrajectoryCase(name=label, mechanism=each).records, walks
        else:
            for label, each in PersonalCase.variants(name).items():
                yield label, each, people(PersonalCase(name=label, mechanism=each).tree.universe), sequences


SUBJECTS = list(subjects())


def written(method, records, folder):
    """The bytes of every file but those that tell when it was made; None where it was refused."""
    try:
        release = method.publish(records)
    except VerificationError:
        return None
    release.write(folder)
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name not in {"manifest.json", "croissant.json"}}


@pytest.mark.parametrize(("method", "records_of", "rows_of"), [each[1:] for each in SUBJECTS], ids=[each[0] for each in SUBJECTS])
def test_the_same_rows_in_another_order_are_the_same_release(method, records_of, rows_of, tmp_path, monkeypatch):
    generator, published = random.Random(5), 0
    for number in range(5):
        rows = rows_of(generator)
        found = []
        for place in range(3):
            source = SeededSource(number)
            monkeypatch.setattr(SecureSource, "take", lambda _, size, source=source: source.take(size))
            found.append(written(method, records_of(rows), tmp_path / f"{number}-{place}"))
            generator.shuffle(rows)
        assert found[0] == found[1] == found[2]
        published += found[0] is not None
    assert published


def test_sequences_are_told_apart_by_what_they_show_whatever_their_order():
    possible = {0: {0, 1}, 1: {0}, 2: {1, 2}, 3: {2}}
    owners = owners_of(4, 4, lambda row, person: person in possible[row])
    assert [None if owner is None else owner in possible[row] for row, owner in enumerate(owners)].count(True) == 3
    assert sorted(owner for owner in owners if owner is not None) == [0, 1, 2]


def test_the_sweep_has_every_verified_method():
    verified = {name for name, method in methods().items() if method.promise is Promise.VERIFIED}
    assert verified == {label.split(",")[0].split(" ")[0] for label, *_ in SUBJECTS}
