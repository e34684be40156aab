"""What all methods have in common, whatever the kind of data: how they charge or verify, how they release, and their interface.

    private methods:   inherit `PrivateMethod`, whose `publish` charges, has `_made` ask and build, and assembles the release
    verified methods:  make the data, check it with independent code, return verified_release(...)

`Mechanism` and `VerifiedMethod`, at the end, are the interface that every method follows, however it is built.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

from tacita.errors import BudgetError, NeighboursError, ParameterError
from tacita.privacy.account import Account, Charge
from tacita.privacy.budget import Budget, Explanation, Plan, PureDP, decimal_text
from tacita.privacy.guarantee import AddRemoveRecord, DifferentialPrivacy, Guarantee, Neighbours, Verified, require
from tacita.privacy.ledger import Ledger, OpensAccounts
from tacita.privacy.noise import require_rate, require_rho
from tacita.privacy.release import Payload, Release, manifest_of
from tacita.public.inputs import UNKNOWN, PublicInput, PublicInputs
from tacita.public.parameters import instance_of

__all__ = [
    "Made",
    "Mechanism",
    "PrivateMethod",
    "PrivateRecords",
    "Progress",
    "Published",
    "VerifiedMethod",
    "charged",
    "counted_by",
    "parameters_of",
    "private_release",
    "relation_proved",
    "require_pure",
    "require_records_of",
    "units_together_in",
    "verified_release",
]

Progress = Callable[[int, int], None]
"""Called with how much is done and the total."""

DataT = TypeVar("DataT", bound=Payload)
RecordsT = TypeVar("RecordsT", bound="PrivateRecords")


class PrivateRecords(Protocol):
    """What is public about private records."""

    @property
    def name(self) -> str:
        """The name of the data set in a ledger."""
        ...

    @property
    def public(self) -> PublicInputs:
        """The public inputs they were read with."""
        ...

    @property
    def unit(self) -> str:
        """What one protected record is."""
        ...

    @property
    def records_per_person(self) -> int:
        """The largest number of records one person can have."""
        ...

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to each record, whatever the data: public facts only."""
        ...


def require_pure(budget: Budget, public: PublicInputs = UNKNOWN, *, method: str) -> PureDP:
    """Return a budget of pure differential privacy; refuse any other, and whatever is no public inputs beside it."""
    instance_of(public, PublicInputs, name="what is public")
    if not isinstance(budget, PureDP):
        message = f"{method} pure differential privacy, so the budget must be PureDP, got {type(budget).__name__}"
        raise BudgetError(message)
    return budget


def require_records_of(records: object, expected: type, *, method: str) -> None:
    """Refuse records of another kind before anything is charged."""
    if not isinstance(records, expected):
        message = (
            f"{method} cannot publish {type(records).__name__}; choose a method for that kind of data, or read it as another"
        )
        raise ParameterError(message)


@contextmanager
def charged(  # noqa: PLR0913 - what a charge depends on
    records: PrivateRecords,
    mechanism: str,
    plan: Plan,
    *,
    ledger: OpensAccounts | None,
    neighbours: Neighbours | None,
    proved: tuple[type[object], ...] = (AddRemoveRecord,),
    units_together: int = 1,
    unit: str | None = None,
) -> Iterator[Account]:
    """Charge the whole cost of a publication and open its account; `proved` are the relations that the mechanism proves.

    The ledger adds up spends for `unit`, or for what the records count: persons, unless they say otherwise. If a plan is the
    price of several units together, each unit is charged its share.
    """
    if neighbours is not None:
        require(neighbours, proved=proved, mechanism=mechanism)
    if ledger is not None and not hasattr(ledger, "open"):
        message = f"a ledger must be able to open accounts, as Ledger(path) does, got {type(ledger).__name__}"
        raise ParameterError(message)
    for step in plan.steps():  # nothing after the charge may fail for a reason that was knowable before
        if step.rho:
            require_rho(step.rho / units_together**2)
        else:
            require_rate(step.epsilon / units_together)
    charge = Charge(
        dataset=records.name,
        mechanism=mechanism,
        plan=plan,
        records_per_person=records.records_per_person,
        unit=counted_by(records) if unit is None else unit,
        units_together=units_together,
    )
    with (Ledger() if ledger is None else ledger).open(charge) as account:
        yield account


def counted_by(records: PrivateRecords, method: object = None) -> str:
    """What a ledger adds spends up for: what the relation of the method or the records say, or persons."""
    relation = getattr(method, "relation", None)
    if relation is not None:
        of_method: str = relation(records.public).counted
        return of_method
    counted: str = getattr(records, "counted", AddRemoveRecord.counted)
    return counted


def relation_proved(method: Any, public: PublicInputs) -> Neighbours | None:  # noqa: ANN401 - any method
    """The relation that a method proves with its parameters, if that is another than adding or removing one record."""
    relation = getattr(method, "relation", None)
    proved: Neighbours | None = getattr(method, "_proved", None) if relation is None else relation(public)
    return proved


def units_together_in(method: object) -> int:
    """How many units the plan of a method is the price of together: 1, unless the method says otherwise."""
    together: int = getattr(method, "units_together", 1)
    return together


def private_release(  # noqa: PLR0913 - the parts of a release
    records: PrivateRecords,
    data: DataT,
    account: Account,
    *,
    budget: Budget,
    parameters: Mapping[str, object],
    rules: tuple[str, ...],
    asked: Mapping[str, object] | None = None,
    others: Mapping[str, PublicInput | None] | None = None,
    relation: Neighbours | None = None,
) -> Release[DataT]:
    """Turn noisy data into a release, while the account is open; `rules` are listed after those of reading.

    The relation is the one that the mechanism proves: adding or removing one record, unless it says otherwise. `others` are
    further public inputs, such as the taxonomy of the method; `asked` represents parameters that were determined with budget.
    """
    charge = account.charge
    if not budget.covers(charge.plan.cost):
        message = f"a release cannot promise {budget}: its plan costs more, {charge.plan.cost}"
        raise BudgetError(message)
    unit = in_rho(records.unit) if charge.plan.rho else records.unit
    relation = AddRemoveRecord(unit=unit) if relation is None else relation
    if relation.counted != charge.unit:
        message = f"what is promised per {relation.counted} was charged per {charge.unit}; both must count the same"
        raise NeighboursError(message)
    public = records.public.having(**({} if others is None else others))
    noise = () if account.private else (f"its noise came from {account.noise_source}",)
    guarantee = DifferentialPrivacy(
        budget=budget,
        neighbours=relation,
        voids=(*public.voids, *noise),
    )
    manifest = manifest_of(
        kind=data.kind,
        mechanism=account.charge.mechanism,
        parameters=parameters,
        asked=asked,
        guarantee=guarantee,
        account=account,
        public=public,
        rules=(*records.rules, *rules),
    )
    return Release(data=data, guarantee=guarantee, manifest=manifest, traced=account.trace)


def in_rho(unit: str) -> str:
    """What is protected, if the cost of several records is stated: under Gaussian noise it grows with the square of their number.

    >>> in_rho("one row (a whole person is protected at 3 times epsilon)")
    'one row (a whole person is protected at 9 times rho)'
    """
    unit = unit.replace("epsilon is multiplied by their number", "rho is multiplied by the square of their number")
    return re.sub(r"at ([0-9]+) times epsilon", lambda found: f"at {int(found[1]) ** 2} times rho", unit)


@dataclass(frozen=True, kw_only=True)
class Made(Generic[DataT]):
    """What a private method made of noisy answers, and what its release says about that."""

    data: DataT
    rules: tuple[str, ...] = ()
    """What applied, beside the rules of reading."""
    bought: Mapping[str, object] = field(default_factory=dict)
    """The parameters that were determined with budget."""
    others: Mapping[str, PublicInput | None] = field(default_factory=dict)
    """Further public inputs, such as the taxonomy of the method."""


class PrivateMethod(ABC, Generic[RecordsT, DataT]):
    """What every method does that spends a budget: refuse what can be refused, charge, ask, and assemble the release.

    A method is a frozen dataclass of public parameters with `plan`, `explain` and `_made`.
    """

    name: ClassVar[str]
    """The name in manifests and ledgers."""
    takes: ClassVar[type]
    """The class of the records that it publishes."""

    @abstractmethod
    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""

    @abstractmethod
    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Tell where the budget goes and what the noise means. Spends nothing."""

    def compared(self, budget: Budget, public: PublicInputs, *, records: int | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """Both currencies side by side, as far as public facts tell; nothing unless a method says more."""
        return ()

    @abstractmethod
    def _made(self, records: RecordsT, account: Account, budget: Budget, progress: Progress | None, /) -> Made[DataT]:
        """Ask through the account, and build the data from the answers."""

    def publish(
        self,
        records: RecordsT,
        *,
        budget: Budget,
        ledger: OpensAccounts | None = None,
        neighbours: Neighbours | None = None,
        progress: Progress | None = None,
    ) -> Release[DataT]:
        """Publish the records, spending the whole budget; `progress` is called with how much is done and the total."""
        require_records_of(records, self.takes, method=self.name)
        with self._charged(records, budget, ledger=ledger, neighbours=neighbours) as account:
            made = self._made(records, account, budget, progress)
            return private_release(
                records,
                made.data,
                account,
                budget=budget,
                parameters=parameters_of(self, **made.bought),
                asked=asked_of(self, **made.bought),
                rules=made.rules,
                others=made.others,
                relation=self._proved,
            )

    def _charged(
        self, records: RecordsT, budget: Budget, *, ledger: OpensAccounts | None, neighbours: Neighbours | None
    ) -> AbstractContextManager[Account]:
        """Charge the whole cost and open the account."""
        return charged(records, self.name, self.plan(budget, records.public), ledger=ledger, neighbours=neighbours)

    @property
    def _proved(self) -> Neighbours | None:
        """The relation that the method proves, if that is another than adding or removing one record."""
        return None


def verified_release(  # noqa: PLR0913 - the parts of a release
    records: PrivateRecords,
    data: DataT,
    guarantee: Guarantee,
    *,
    mechanism: str,
    parameters: Mapping[str, object],
    rules: tuple[str, ...],
    others: Mapping[str, PublicInput | None] | None = None,
) -> Release[DataT]:
    """Turn data that has passed an independent check into a release; nothing is spent, so nothing is charged."""
    if not isinstance(guarantee.evidence, Verified):
        message = "a release without an account needs a guarantee whose evidence is a check that passed"
        raise ParameterError(message)
    manifest = manifest_of(
        kind=data.kind,
        mechanism=mechanism,
        parameters=parameters,
        guarantee=guarantee,
        account=None,
        public=records.public.having(**({} if others is None else others)),
        rules=(*records.rules, *rules),
    )
    return Release(data=data, guarantee=guarantee, manifest=manifest)


def parameters_of(method: Any, /, **bought: object) -> dict[str, object]:  # noqa: ANN401 - any frozen dataclass
    """The public parameters of a method for the manifest; `bought` replaces those that were determined with budget."""
    return {part.name: bought.get(part.name, _plain(getattr(method, part.name))) for part in fields(method)}


def asked_of(method: Any, /, **bought: object) -> dict[str, object]:  # noqa: ANN401 - any frozen dataclass
    """What was asked for in place of the parameters that were determined with budget."""
    own = {name: _plain(getattr(method, name)) for name in bought}
    return {name: value for name, value in own.items() if value != bought[name]}


def _plain(value: object) -> object:
    """A parameter as JSON can hold it."""
    digest = getattr(value, "digest", None)
    if digest is not None:
        found: object = digest()
        return found
    if isinstance(value, Fraction):
        return decimal_text(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return str(value)


# The interface of every method: public parameters with two or three verbs.
#
# The command line, and any other code that accepts every method, relies on these protocols only. A *private* method spends a
# budget; a *verified* one has its bound among its parameters and publishes only what has passed an independent check.


class Published(Payload, Sized, Protocol):
    """Released data that can write itself and has a number of records, which is noisy or synthetic and so may be shown."""


@runtime_checkable
class Mechanism(Protocol):
    """A frozen dataclass of public parameters that can say where a budget would go, and spend it."""

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes; refuses a budget or public inputs that the mechanism cannot use.

        Where the plan depends on the public inputs, they must be given.
        """
        ...

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """The plan with the public facts around it. Spends nothing."""
        ...

    def publish(
        self,
        records: Any,  # noqa: ANN401 - each kind has records of its own
        *,
        budget: Budget,
        ledger: OpensAccounts | None = None,
        neighbours: Neighbours | None = None,
        progress: Progress | None = None,
    ) -> Release[Published]:
        """Publish the records, spending the whole budget."""
        ...


@runtime_checkable
class VerifiedMethod(Protocol):
    """A frozen dataclass of public parameters, its bound among them, whose releases have passed an independent check."""

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What will be guaranteed and what not, and the public facts around it."""
        ...

    def publish(
        self,
        records: Any,  # noqa: ANN401 - each kind has records of its own
        *,
        progress: Progress | None = None,
    ) -> Release[Published]:
        """Publish the records, or refuse if the check does not pass."""
        ...
