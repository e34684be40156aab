"""What holds for every method whose releases are verified, swept over all of them and their variants."""

import dataclasses
import inspect
import json

import jsonschema
import pytest

from tacita.errors import TacitaError
from tacita.kinds import kind_of, load, methods
from tacita.privacy.guarantee import Verified
from tacita.privacy.mechanism import VerifiedMethod
from tacita.schemas import manifest_schema
from tacita.seeded import public_generator


def cases():
    for name, method in methods().items():
        if not method.promise.takes_epsilon:
            make = load(kind_of(method).case)
            for variant, mechanism in make.variants(name).items():
                yield make(name=variant, mechanism=mechanism, budget=None)


CASES = list(cases())
every_variant = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def published(case, seed):
    """The first data set of a seed that can be published, and its release."""
    generator = public_generator(seed)
    for _ in range(20):
        records = case.records(case.random_rows(generator))
        try:
            return records, case.mechanism.publish(records)
        except TacitaError:
            continue
    pytest.fail("nothing can be published")


def test_every_verified_method_has_a_variant_that_is_swept():
    kinds = {type(case.mechanism) for case in CASES}
    assert {method.load() for method in methods().values() if not method.promise.takes_epsilon} == kinds


@every_variant
def test_a_method_is_a_frozen_dataclass_of_keywords_without_a_budget_or_a_seed(case):
    kind = type(case.mechanism)
    assert isinstance(case.mechanism, VerifiedMethod)
    assert kind.__dataclass_params__.frozen
    assert all(field.kw_only for field in dataclasses.fields(kind))
    assert not {"seed", "source", "rng", "budget", "ledger"} & set(inspect.signature(kind.publish).parameters)


@every_variant
def test_a_release_keeps_its_bound_fits_the_schema_and_spends_nothing(case, tmp_path):
    records, release = published(case, 1)
    assert case.violations(release.data) == []
    assert release.guarantee.holds
    assert isinstance(release.guarantee.evidence, Verified)
    folder = release.write(tmp_path / "out")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    jsonschema.validate(manifest, manifest_schema())
    assert "budget" not in manifest or not manifest["budget"]
    assert records.name == "audit"


@every_variant
def test_publishing_changes_nothing_in_the_records_so_that_they_can_be_published_again(case):
    records, one = published(case, 2)
    again = case.mechanism.publish(records)
    assert again.manifest == one.manifest
    assert case.violations(again.data) == []


@every_variant
def test_the_manifest_depends_on_public_facts_only(case):
    (_, one), (_, other) = published(case, 3), published(case, 4)
    assert one.manifest == other.manifest
