"""What holds for every mechanism of the product beyond the contract of every method, swept over small data."""

import dataclasses
import inspect
import json
from dataclasses import replace
from fractions import Fraction

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mechanisms import CASES, KINDS
from tacita.errors import BudgetError
from tacita.kinds import methods
from tacita.privacy.budget import Sequential, Step
from tacita.privacy.ledger import EntryKind, Ledger
from tacita.privacy.publishing import counted_by, units_together_in
from tacita.schemas import manifest_schema
from tacita.testing import seeded_ledger


def identity(case):
    """What a case is called in the names of tests."""
    return f"{case.name}-{case.budget.epsilon}"


every_mechanism = pytest.mark.parametrize("case", CASES, ids=identity)
ROWS = ["AB", "ABC", "ABC", "", "D", "AAAAAAAA"] * 5


def test_every_method_of_the_product_that_spends_a_budget_is_swept():
    """Streams are told time by time and published as counts: what holds for their methods is tested beside them."""
    spending = {name for name, method in methods().items() if method.promise.takes_epsilon}
    assert {case.name for case in CASES} == {name for name in spending if methods()[name].kind in KINDS}
    for case in CASES:
        assert isinstance(case.mechanism, methods()[case.name].load())


@every_mechanism
def test_the_docstring_has_the_contract_sections_in_order(case):
    text = inspect.getdoc(type(case.mechanism))
    places = [text.find(f"{section}:") for section in ("Needs", "Guarantees", "Neighbours", "Budget", "Not covered", "Reference")]
    assert min(places) > 0
    assert places == sorted(places)


@every_mechanism
@pytest.mark.parametrize("wrong", ["nan", "inf", "0", "-1"])
def test_a_budget_that_means_nothing_never_reaches_a_mechanism(case, wrong):
    with pytest.raises(BudgetError, match="epsilon"):
        case.mechanism.publish(case.records(ROWS), budget=replace(case.budget, epsilon=wrong))


@pytest.mark.parametrize("case", [case for case in CASES if case.budget.delta], ids=identity)
@pytest.mark.parametrize("wrong", ["nan", "inf", "0", "-1", "1"])
def test_a_delta_that_means_nothing_never_reaches_a_mechanism(case, wrong):
    with pytest.raises(BudgetError, match="delta"):
        case.mechanism.publish(case.records(ROWS), budget=replace(case.budget, delta=wrong))


def is_sequential(plan):
    """Whether every step adds up, so that a person can take part in all of them."""
    return isinstance(plan, Step) or (isinstance(plan, Sequential) and all(map(is_sequential, plan.parts)))


@every_mechanism
@given(data=st.data())
@settings(max_examples=10, suppress_health_check=[HealthCheck.differing_executors])
def test_the_ledger_holds_the_budget_and_what_explain_promised(case, data):
    ledger = Ledger()
    records = case.records(data.draw(case.kind.rows))
    release = case.mechanism.publish(records, budget=case.budget, ledger=ledger)
    promised = case.mechanism.explain(case.budget, records.public).plan
    drawn = [entry for entry in ledger.history() if entry.kind is EntryKind.DRAW]
    balance = ledger.balance(records.name, unit=counted_by(records))
    together = units_together_in(case.mechanism)
    if promised.rho:
        assert (balance.rho, balance.epsilon, balance.delta) == (case.budget.rho, 0, 0)
        assert promised.rho == case.budget.rho
        assert sum(entry.rho for entry in drawn) <= case.budget.rho
        return
    assert balance.epsilon * together == case.budget.epsilon == promised.epsilon
    assert balance.delta == case.budget.delta == promised.delta
    assert case.is_adaptive or sum(entry.epsilon for entry in drawn) == case.budget.epsilon or not is_sequential(promised)
    if not case.is_adaptive:
        assert [(entry.step, entry.epsilon) for entry in drawn] == [(step.name, step.epsilon) for step in promised.steps()]
    told = release.manifest["budget"]["draws"]
    assert [(draw["step"], Fraction(draw["epsilon"])) for draw in told] == [(entry.step, entry.epsilon) for entry in drawn]


@every_mechanism
def test_records_are_left_as_they_were(case):
    records = case.records(ROWS)
    lists = case.lists(records)
    before = lists.codes.tobytes(), lists.offsets.tobytes()
    case.mechanism.publish(records, budget=case.budget)
    assert (lists.codes.tobytes(), lists.offsets.tobytes()) == before
    with pytest.raises(ValueError, match="read-only"):
        lists.codes[0] = 1


@every_mechanism
def test_the_same_test_source_gives_the_same_release_and_another_one_another(case):
    def published(seed):
        return case.mechanism.publish(case.records(ROWS * 20), budget=case.budget, ledger=seeded_ledger(seed)).data.to_labels()

    assert published(1) == published(1)
    assert any(published(1) != published(seed) for seed in range(2, 5))


@every_mechanism
def test_a_release_from_a_test_source_is_stamped_and_one_from_the_secure_source_is_not(case):
    records = case.records(ROWS)
    seeded = case.mechanism.publish(records, budget=case.budget, ledger=seeded_ledger(0))
    secure = case.mechanism.publish(records, budget=case.budget, ledger=Ledger())
    assert seeded.manifest["guarantee"]["statement"].startswith("NOT PRIVATE")
    assert not seeded.guarantee.holds
    assert secure.guarantee.holds
    assert "NOT PRIVATE" not in json.dumps(secure.manifest)


@every_mechanism
def test_the_order_of_the_records_does_not_matter(case):
    first = case.mechanism.publish(case.records(ROWS), budget=case.budget, ledger=seeded_ledger(3))
    second = case.mechanism.publish(case.records(ROWS[::-1]), budget=case.budget, ledger=seeded_ledger(3))
    assert first.data.to_labels() == second.data.to_labels()


@every_mechanism
def test_the_manifest_depends_on_public_facts_only(case):
    def manifest(rows):
        made = case.mechanism.publish(case.records(rows), budget=case.budget).manifest
        return made | {"ledger": {}}

    if case.is_adaptive:
        noisy = {
            "mechanism": {},
            "rules": [],
            "budget": {},
        }  # what was bought from the budget is told, and the steps that it led to
        assert manifest(ROWS) | noisy == manifest([]) | noisy
    else:
        assert manifest(ROWS) == manifest([]) == manifest(["D"] * 1000)


@every_mechanism
def test_a_written_release_fits_the_schema(case, tmp_path):
    folder = case.mechanism.publish(case.records(ROWS * 20), budget=case.budget).write(tmp_path / "out")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    jsonschema.validate(manifest, manifest_schema(), format_checker=jsonschema.FormatChecker())
    assert manifest["mechanism"]["name"] == case.name
    fields = {field.name for field in dataclasses.fields(case.mechanism)}
    assert set(manifest["mechanism"]["parameters"]) == fields


@every_mechanism
def test_published_integers_have_no_trace_of_where_they_came_from(case):
    """The output is in the order of public labels: sorting it by length and code, or by code, changes nothing."""
    release = case.mechanism.publish(case.records(ROWS * 20), budget=case.budget)
    published = case.lists(release.data).to_lists()
    assert published == sorted(published, key=case.kind.order)
    assert len(published) > 0
