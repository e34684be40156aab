"""The rules that every method must keep, ours or another package's, for tests to call.

    from tacita.testing.contract import check_contract

    def test_my_method_keeps_the_contract(tmp_path):
        check_contract("my-method", folder=tmp_path)

The rules need only the registration of the method: the small data sets come from the case of its kind. Each variant that the
auditor knows is checked against each rule.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacita.auditing import replay_case, subject_named
from tacita.errors import BudgetError, ContractError, LedgerExhaustedError, NeighboursError, ParameterError, TacitaError
from tacita.kinds import Method, kind_of, load, method_named
from tacita.opening import open_release
from tacita.privacy.budget import ApproxDP, Budget, PureDP, ZeroConcentrated, sliding_parts
from tacita.privacy.guarantee import ReplaceRecord, Verified
from tacita.privacy.ledger import EntryKind, Ledger
from tacita.privacy.publishing import units_together_in
from tacita.seeded import SeededSource, public_generator

__all__ = ["ContractCase", "check_contract", "contract_cases", "rules_of"]

TRIES = 50
"""How many small data sets are tried until one can be published."""


@dataclass(frozen=True, kw_only=True)
class ContractCase:
    """A variant of a method, a budget if it spends one, and small records."""

    name: str
    method: Method
    mechanism: Any
    budget: Budget | None
    records: Any
    others: Any
    """Records of other people over the same public inputs."""

    def publish(self, ledger: Ledger | None = None, *, records: Any = None, **rest: Any) -> Any:  # noqa: ANN401 - of any kind
        """Publish the records, or others."""
        if self.budget is None:
            return self.mechanism.publish(self.records if records is None else records, **rest)
        rest = {"budget": self.budget, **rest}
        return self.mechanism.publish(self.records if records is None else records, ledger=ledger, **rest)


Rule = Callable[[ContractCase, Path], None]


def check_contract(method: str, *, folder: Path) -> None:
    """Check every variant of a method against every rule and report all breaches together; releases are written to `folder`."""
    broken = []
    for number, case in enumerate(contract_cases(method)):
        for rule in rules_of(case):
            place = folder / f"{number}-{rule.__name__}"
            place.mkdir(parents=True)
            try:
                rule(case, place)
            except ContractError as error:
                broken.append(f"{case.name}: {error}")
    if broken:
        raise ContractError("; ".join(broken))


def contract_cases(method: str) -> Iterator[ContractCase]:
    """The variants of a method that the auditor knows, each with small data of its kind that can be published."""
    registered = method_named(method)
    kind = kind_of(registered)
    if kind.case is None:
        message = f"the kind {kind.name} registers no small data sets, so there is nothing to try {method} on"
        raise ParameterError(message)
    if registered.promise.takes_epsilon:
        subject = subject_named(method)
        own = (variant for variant in subject.variants if isinstance(variant.mechanism, registered.load()))
        cases: list[Any] = [replay_case(variant, subject.budget(4)) for variant in own]  # not what only runs the method
    else:
        make = load(kind.case)
        cases = [make(name=name, mechanism=each, budget=None) for name, each in make.variants(method).items()]
    for case in cases:
        records, others = _publishable(case)
        yield ContractCase(
            name=case.name, method=registered, mechanism=case.mechanism, budget=case.budget, records=records, others=others
        )


def _publishable(case: Any) -> tuple[Any, Any]:  # noqa: ANN401 - the case of any kind
    """Two small data sets; a verified method may refuse some."""
    generator, found = public_generator(1), []
    for _ in range(TRIES):
        records = case.records(case.random_rows(generator))
        try:
            case.mechanism.publish(records, **({} if case.budget is None else {"budget": case.budget}))
        except TacitaError:
            continue
        found.append(records)
        if len(found) == 2:
            return found[0], found[1]
    message = f"{case.name} published none of {TRIES} small data sets"
    raise ContractError(message)


def rules_of(case: ContractCase) -> tuple[Rule, ...]:
    """The rules that hold for a case."""
    return (*_EVERY, *(_VERIFIED if case.budget is None else _PRIVATE))


def _must(holds: bool, sentence: str) -> None:  # noqa: FBT001 - it reads like assert
    if not holds:
        raise ContractError(sentence)


def _refused(publish: Callable[[], object], error: type[TacitaError], sentence: str) -> None:
    try:
        publish()
    except error:
        return
    raise ContractError(sentence)


def is_a_frozen_dataclass_of_keywords(case: ContractCase, _folder: Path) -> None:
    """Parameters are fixed when a method is made, and none of them chooses its noise."""
    kind = type(case.mechanism)
    frozen = dataclasses.is_dataclass(kind) and getattr(kind, "__dataclass_params__").frozen  # noqa: B009 - private to dataclasses
    _must(frozen, "a method must be a frozen dataclass")
    _must(all(part.kw_only for part in dataclasses.fields(kind)), "the parameters of a method must be keywords")
    told = set(inspect.signature(kind.publish).parameters)
    _must(not {"seed", "source", "rng"} & told, "nobody may choose the noise: publish must take no seed, source or rng")


def opens_again_as_it_was_written(case: ContractCase, folder: Path) -> None:
    """A release fits the schema, lists every parameter, and is read back row by row."""
    release = case.publish(Ledger())
    opened = open_release(release.write(folder / "out"))
    _must(opened.to_polars().equals(release.data.frame()), "a release that is opened again must have the rows that were written")
    told, fields = release.manifest["mechanism"], {part.name for part in dataclasses.fields(case.mechanism)}
    _must(told["name"] == case.method.name, f"the manifest must name the method {case.method.name}, got {told['name']}")
    _must(set(told["parameters"]) == fields, "the manifest must list every parameter of the method")


def explains_without_data(case: ContractCase, _folder: Path) -> None:
    """A method explains what it does before anything is spent."""
    words = () if case.budget is None else (case.budget,)
    explained = case.mechanism.explain(*words, case.records.public)
    _must(bool(explained.title), "an explanation must have a title")
    if case.budget is not None:
        spent, plan = (case.budget.epsilon, case.budget.delta), explained.plan
        if not isinstance(case.budget, PureDP) and plan.rho:
            spent = (case.budget.rho, Fraction(0))
        _must((plan.rho or plan.epsilon, plan.delta) == spent, "the plan of an explanation must cost the whole budget")


def refuses_other_definitions_before_the_charge(case: ContractCase, _folder: Path) -> None:
    """A budget that the method does not prove, or for which no noise can be drawn, is never charged."""
    ledger, tiny = Ledger(), Fraction(1, 2**41)
    takes_delta = case.method.promise.takes_delta
    other: Budget = PureDP("1") if takes_delta else ApproxDP("1", "1e-6")
    small: Budget = ApproxDP(tiny, "1e-6") if takes_delta else PureDP(tiny)
    if not case.method.has_gaussian:  # which takes them all
        _refused(lambda: case.publish(ledger, budget=other), BudgetError, "a budget of another definition must be refused")
    _refused(lambda: case.publish(ledger, budget=small), BudgetError, "an epsilon of 2**-41 must be refused: no noise fits it")
    _must(ledger.history() == [], "what is refused must not be charged")


def refuses_relations_that_it_does_not_prove(case: ContractCase, _folder: Path) -> None:
    """Any other neighbouring relation is refused."""
    _refused(lambda: case.publish(neighbours=ReplaceRecord()), NeighboursError, "a relation that is not proved must be refused")


def charges_the_whole_budget_and_keeps_the_cap(case: ContractCase, _folder: Path) -> None:
    """The ledger holds what was spent per unit, the release lists the same draws, and nothing exceeds the cap."""
    if case.budget is None:  # pragma: no cover - the rule is for private methods
        return
    plan = case.mechanism.plan(case.budget, case.records.public)
    units_charged = Fraction(case.records.records_per_person, units_together_in(case.mechanism))
    price, cap = _price_and_cap(case.budget, units_charged, in_rho=plan.rho > 0)
    free, ledger = Ledger(), Ledger()
    case.publish(free)
    units = [entry.unit for entry in free.history() if entry.kind is EntryKind.CHARGE]
    _must(len(units) == 1, "a publication must be charged to the ledger it is given, once")
    ledger.set_cap(case.records.name, cap, unit=units[0])
    release = case.publish(ledger)
    balance = ledger.balance(case.records.name, unit=units[0])
    _must((balance.rho if plan.rho else balance.epsilon) == price, "the ledger must hold the price of one unit")
    drawn = [(entry.step, entry.epsilon, entry.cost.rho) for entry in ledger.history() if entry.kind is EntryKind.DRAW]
    told = [(draw["step"], *_price_told(draw)) for draw in release.manifest["budget"]["draws"]]
    lasts = any(sliding_parts(plan))  # what each tick drew is in its journal
    _must(drawn == told or lasts, "the manifest must tell the draws that the ledger holds")
    _refused(lambda: case.publish(ledger), LedgerExhaustedError, "a publication past the cap must be refused")


def _price_and_cap(budget: Any, units: Fraction, *, in_rho: bool) -> tuple[Fraction, Budget]:  # noqa: ANN401 - with a rho or not
    """What so many units lose, a rho with the square, and a cap that is enough for one publication and not for two."""
    price: Fraction = budget.rho * units**2 if in_rho else budget.epsilon * units
    more = price * Fraction(3, 2)
    return price, ZeroConcentrated(more) if in_rho else dataclasses.replace(budget, epsilon=more)


def _price_told(draw: dict[str, str]) -> tuple[Fraction, Fraction]:
    return Fraction(draw["epsilon"]), Fraction(draw.get("rho", "0"))


def is_stamped_where_noise_repeats(case: ContractCase, _folder: Path) -> None:
    """With a test source a release repeats itself and says that it is not private; with the secure source it does not."""
    seeded = [case.publish(Ledger(source=SeededSource(7))) for _ in range(2)]
    _must(seeded[0].data.frame().equals(seeded[1].data.frame()), "the same test source must give the same release")
    statement = seeded[0].manifest["guarantee"]["statement"]
    _must(statement.startswith("NOT PRIVATE") and not seeded[0].guarantee.holds, "a release of a test source must be stamped")
    _must(case.publish(Ledger()).guarantee.holds, "the guarantee of a release of the secure source must hold")


def tells_public_facts_only(case: ContractCase, _folder: Path) -> None:
    """The manifests of two data sets are the same, except for what noisy answers led to."""
    noisy: dict[str, object] = {"ledger": {}, "mechanism": {}, "rules": [], "budget": {}, "files": {}}
    manifests = [case.publish(Ledger(), records=records).manifest | noisy for records in (case.records, case.others)]
    _must(manifests[0] == manifests[1], "a manifest must depend on public facts and noisy answers only")


def is_verified_before_it_exists(case: ContractCase, _folder: Path) -> None:
    """The evidence of the guarantee is a check that passed, named so that it can be run again."""
    release = case.publish()
    evidence = release.guarantee.evidence
    _must(isinstance(evidence, Verified), "a method without a budget must be verified")
    _must(bool(evidence.check and evidence.by), "a verification must say what was checked, and by what")
    _must(release.guarantee.holds, "the guarantee of a verified release must hold")


_EVERY: tuple[Rule, ...] = (is_a_frozen_dataclass_of_keywords, opens_again_as_it_was_written, explains_without_data)
_PRIVATE: tuple[Rule, ...] = (
    refuses_other_definitions_before_the_charge,
    refuses_relations_that_it_does_not_prove,
    charges_the_whole_budget_and_keeps_the_cap,
    is_stamped_where_noise_repeats,
    tells_public_facts_only,
)
_VERIFIED: tuple[Rule, ...] = (is_verified_before_it_exists,)
