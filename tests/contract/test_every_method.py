"""Every method that is registered, private or verified, keeps the contract that other packages' methods are held to as well."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from tacita.errors import ContractError
from tacita.kinds import kind_of, methods
from tacita.privacy.guarantee import Verified
from tacita.testing.contract import check_contract, contract_cases, rules_of

WITH_CASES = [name for name, method in methods().items() if kind_of(method).case is not None]


@pytest.mark.parametrize("method", WITH_CASES)
def test_a_method_keeps_the_contract(method, tmp_path):
    check_contract(method, folder=tmp_path)
    assert any(tmp_path.iterdir())


class Careless:
    """Has the parameters and the promise of another method, and keeps little of it."""

    def __init__(self, mechanism, **changed):
        self.mechanism, self.changed = mechanism, changed

    def publish(self, records, *, budget, ledger=None, neighbours=None, seed=None):  # noqa: ARG002 - a careless method
        release = self.mechanism.publish(records, budget=budget)
        return SimpleNamespace(data=release.data, manifest=release.manifest, guarantee=release.guarantee, write=release.write)

    def plan(self, budget, public):
        return self.mechanism.plan(budget, public)

    def explain(self, budget, public):
        return self.mechanism.explain(replace(budget, epsilon=budget.epsilon / 2), public)


def test_a_method_that_keeps_little_of_it_breaks_nearly_every_rule(tmp_path):
    case = next(contract_cases("prefix-tree"))
    careless = replace(case, mechanism=Careless(case.mechanism))
    kept = []
    for rule in rules_of(case):
        (tmp_path / rule.__name__).mkdir()
        try:
            rule(careless, tmp_path / rule.__name__)
            kept.append(rule.__name__)
        except (ContractError, TypeError):
            continue
    assert kept == ["refuses_other_definitions_before_the_charge", "tells_public_facts_only"], "the method inside keeps these"


def test_a_manifest_that_tells_how_many_there_were_breaks_the_contract(tmp_path):
    case = next(contract_cases("prefix-tree"))

    def publish(records, **rest):
        release = case.mechanism.publish(records, **rest)
        release.manifest["guarantee"] |= {"unit": f"one of {len(records.sequences)} people"}
        return release

    talkative = replace(case, mechanism=SimpleNamespace(publish=publish))
    rule = next(rule for rule in rules_of(case) if rule.__name__ == "tells_public_facts_only")
    with pytest.raises(ContractError, match="public facts"):
        rule(talkative, tmp_path)


def test_a_method_without_a_budget_must_say_by_what_it_was_verified(tmp_path):
    case = next(contract_cases("mondrian"))
    release = case.publish()
    unnamed = SimpleNamespace(guarantee=SimpleNamespace(evidence=Verified(check="", by=""), holds=True))
    rule = rules_of(case)[-1]
    rule(case, tmp_path)
    with pytest.raises(ContractError, match="what was checked"):
        rule(replace(case, mechanism=SimpleNamespace(publish=lambda _records: unnamed)), tmp_path)
    assert release.guarantee.holds
