"""What the entries of a ledger add up to: spends, caps and open charges.

The books are made by applying entries one after the other. Written into the log from time to time, they spare the next charge the
reading of everything before. They are small: one line per data set and unit, and the charges that have not ended yet. Of charges
that were left open by killed runs the latest thousand are remembered, for nothing can be drawn under older ones; their cost
stays counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import reduce
from typing import Any

from tacita.errors import LedgerError, UnplannedDrawError
from tacita.privacy.budget import (
    ApproxDP,
    Budget,
    Cost,
    PureDP,
    Sliding,
    ZeroConcentrated,
    decimal_text,
    plan_of,
    sliding_parts,
)
from tacita.privacy.concentrated import epsilon_of, rho_of_pure
from tacita.privacy.ledger.entries import PERSON, Entry, EntryKind, keys

__all__ = ["Balance", "Books", "OpenCharge", "Total", "cap_amounts"]

MOST_OPEN = 1000


@dataclass(frozen=True, kw_only=True)
class Total:
    """What was spent on one data set in one unit, as far as it must be kept to add it up in either currency.

    Pure spends count twice: with their epsilon, and with half of its square, which is what they cost in rho. Which of the two
    sums is smaller depends on how many there are, so both are kept.
    """

    pure: Fraction = Fraction(0)
    half_squares: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    approximate: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    def plus(self, cost: Cost, *, sign: int = 1) -> Total:
        """The total with one spend more, or with one that is taken back."""
        own = Total(rho=cost.rho, approximate=cost.epsilon, delta=cost.delta)
        if not cost.delta:
            own = Total(pure=cost.epsilon, half_squares=rho_of_pure(cost.epsilon), rho=cost.rho)
        return self.with_all(own, sign=sign)

    def with_all(self, other: Total, *, sign: int = 1) -> Total:
        """Both totals together."""
        return Total(**{part.name: getattr(self, part.name) + sign * getattr(other, part.name) for part in fields(Total)})

    @property
    def cost(self) -> Cost:
        """The plain sum of each currency."""
        return Cost(self.pure + self.approximate, self.delta, self.rho)

    @property
    def readings(self) -> tuple[Cost, Cost]:
        """What was spent, added up in two ways; each is true."""
        return self.cost, Cost(self.approximate, self.delta, self.rho + self.half_squares)

    def epsilon_at(self, delta: Fraction) -> Fraction | None:
        """The smallest epsilon that holds for all spends together with this delta; None if the delta itself is overspent."""
        left = delta - self.delta
        known = [reading.epsilon for reading in self.readings if left >= 0 and not reading.rho]
        converted = [reading.epsilon + epsilon_of(reading.rho, left) for reading in self.readings if left > 0 and reading.rho]
        return min([*known, *converted], default=None)


@dataclass(frozen=True, kw_only=True)
class Balance:
    """What was spent on a data set, in one unit of protection, and the owner's cap where there is one.

    `datasets` are all names that share the cap: other spellings count as one name, and data sets of one declared identity are
    added up. `others_capped` says that the ledger holds caps, but none for this name.
    """

    dataset: str
    total: Total = Total()
    cap: Budget | None = None
    unit: str = PERSON
    identity: str = ""
    datasets: tuple[str, ...] = ()
    others_capped: bool = False

    @property
    def epsilon(self) -> Fraction:
        """The sum of what was spent in epsilon."""
        return self.total.cost.epsilon

    @property
    def delta(self) -> Fraction:
        """The sum of the deltas."""
        return self.total.delta

    @property
    def rho(self) -> Fraction:
        """The sum of what was spent in rho."""
        return self.total.rho

    @property
    def cap_epsilon(self) -> Fraction | None:
        """The epsilon of the cap, which one in rho implies; None if there is no cap."""
        return None if self.cap is None else self.cap.epsilon

    @property
    def is_overspent(self) -> bool:
        """Whether more was spent than a cap allows that was set later."""
        return self.cap is not None and not any(map(self.cap.covers, self.total.readings))

    def refuses(self, cost: Cost) -> str | None:
        """Why a further spend would pass the cap, or None if it would not."""
        if self.cap is None:
            return self._uncapped() if self.others_capped else None
        after = self.total.plus(cost)
        if any(map(self.cap.covers, after.readings)):
            return None
        remedy = "ask for less, or let the owner raise the cap"
        if isinstance(self.cap, PureDP) and after.rho:
            return (
                f"data set {self.dataset!r} has a cap in pure epsilon{self._per_unit()}, which Gaussian noise cannot keep; "
                "spend a pure epsilon, or let the owner set a cap with a delta, or in rho"
            )
        if isinstance(self.cap, ZeroConcentrated) or after.rho:
            spent = f"has spent {self.total.cost} of its cap, {self.cap}{self._per_unit()}"
            return f"data set {self.dataset!r} {spent}, which {cost} would exceed; {remedy}"
        name = "epsilon" if after.cost.epsilon > self.cap.epsilon else "delta"
        own, asked, cap = getattr(self, name), getattr(cost, name), getattr(self.cap, name)
        left = decimal_text(max(cap - own, Fraction(0)))
        return (
            f"data set {self.dataset!r} has {name} {left} left of its cap {decimal_text(cap)}{self._per_unit()}, "
            f"{decimal_text(asked)} was asked; {remedy}"
        )

    def _uncapped(self) -> str:
        return (
            f"data set {self.dataset!r} has no cap{self._per_unit()} in a ledger that holds caps for others; is its name right? "
            "Let the owner set a cap for it, or say that it is a new data set (--new-dataset)"
        )

    def _per_unit(self) -> str:
        return "" if self.unit == PERSON else f" per {self.unit}"


@dataclass(kw_only=True)
class OpenCharge:
    """A charge that has not ended: what it cost, and what was drawn under it.

    `plan` is that of a charge that lasts, `journal` the file that may draw under it, once there is one, and `progress` the last
    record of that journal that the ledger has been told of.
    """

    dataset: str
    unit: str
    mechanism: str
    cost: Cost
    plan: str = ""
    journal: str = ""
    progress: str = ""
    steps: dict[str, None] = field(default_factory=dict)
    ticks: dict[str, list[tuple[int, Fraction]]] = field(default_factory=dict)

    @property
    def is_drawn(self) -> bool:
        """Whether anything was learnt under it."""
        return bool(self.steps or self.ticks or self.journal)

    def check_draw(self, step: str) -> None:
        """Refuse a step that was drawn already."""
        if step in self.steps or step in {node.name for node in _sliding(self.plan)}:
            message = f"step {step!r} was drawn already under this charge, perhaps by another process; plan and pay for it twice"
            raise UnplannedDrawError(message)

    def check_tick(self, step: str, tick: int, cost: Cost) -> None:
        """Refuse a time step that came before, or one that would make any window cost more than its plan says.

        This adds the window up from the entries themselves; the account keeps a sum of its own.
        """
        node = next((node for node in _sliding(self.plan) if node.name == step), None)
        if node is None:
            message = f"step {step!r} slides in no plan of this charge; every draw must be planned and paid for"
            raise UnplannedDrawError(message)
        past = self.ticks.get(step, [])
        if past and tick <= past[-1][0]:
            message = f"time step {tick} of {step!r} must come after {past[-1][0]}, which was drawn already"
            raise UnplannedDrawError(message)
        first = tick - node.ticks + 1 if node.common else tick
        total = cost.amount + sum((amount for when, amount in past if when >= first), Fraction(0))
        if cost not in {Cost(epsilon=cost.amount), Cost(rho=cost.amount)} or bool(cost.rho) != bool(node.rho):
            message = f"a time step of {step!r} must cost {node.currency} only, got {cost}"
            raise UnplannedDrawError(message)
        if total > node.amount:
            message = (
                f"step {step!r} may cost {node.currency} {decimal_text(node.amount)} in any {node.ticks} time steps; "
                f"with time step {tick} the last ones would cost {decimal_text(total)}"
            )
            raise UnplannedDrawError(message)

    def note_tick(self, step: str, tick: int, amount: Fraction) -> None:
        """Remember a time step as long as a window can hold it."""
        longest = next((node.ticks for node in _sliding(self.plan) if node.name == step), 1)
        past = [(when, cost) for when, cost in self.ticks.get(step, []) if when > tick - longest]
        self.ticks[step] = [*past, (tick, amount)]


@dataclass
class Books:
    """The sums of a ledger, kept by applying its entries."""

    names: dict[str, str] = field(default_factory=dict)  # each key of a name, and the name as it was first written
    identities: dict[str, tuple[str, str]] = field(default_factory=dict)  # of a data set: its key and as it was declared
    spent: dict[tuple[str, str], Total] = field(default_factory=dict)  # by data set and unit
    caps: dict[tuple[str, str], Budget] = field(default_factory=dict)  # by holder (an identity, or a data set) and unit
    open: dict[str, OpenCharge] = field(default_factory=dict)

    def apply(self, entry: Entry) -> None:
        """Take one entry into account."""
        dataset = self._written(entry.dataset)
        if entry.kind is EntryKind.CAP:
            self._set_cap(dataset, entry)
        elif entry.kind is EntryKind.CHARGE:
            self._spend(dataset, entry.unit, entry.cost)
            self._open(dataset, entry)
        elif entry.charge in self.open:
            self._go_on(self.open[entry.charge], entry)

    def resolve(self, name: str) -> str:
        """The data set that a name means: as it was first written, if the ledger knows it in any spelling."""
        found = {self.names[key] for key in keys(name) if key in self.names}
        if len(found) > 1:
            first, second = sorted(found)
            message = f"the name {name!r} may mean {first!r} or {second!r}, which look alike; choose another name"
            raise LedgerError(message)
        return found.pop() if found else name

    def _is_capped(self, holder: str) -> bool:
        """Whether a data set has a cap in any unit: then it is not new, no matter who says so."""
        return any(capped == holder for capped, _ in self.caps)

    def balance(self, name: str, unit: str = PERSON, *, new_datasets: bool = False) -> Balance:
        """What was spent on a data set, and on all that share its cap."""
        dataset = self.resolve(name)
        holder = self._holder(dataset)
        together = tuple(sorted({dataset, *(other for other in self.identities if self._holder(other) == holder)}))
        cap = self.caps.get((holder, unit))
        return Balance(
            dataset=name,
            total=reduce(Total.with_all, (self.spent.get((other, unit), Total()) for other in together)),
            cap=cap,
            unit=unit,
            identity=self.identities.get(dataset, ("", ""))[1],
            datasets=together,
            others_capped=cap is None and (bool(self.caps) if not new_datasets else self._is_capped(holder)),
        )

    def balances(self) -> list[Balance]:
        """One balance for each data set and unit that has a spend or a cap."""
        holders = {self._holder(dataset): dataset for dataset in reversed(list(dict.fromkeys(self.names.values())))}
        capped = [(holders[holder], unit) for holder, unit in self.caps if holder in holders]
        return [self.balance(dataset, unit) for dataset, unit in dict.fromkeys([*self.spent, *capped])]

    def as_json(self) -> dict[str, object]:
        """The books as a checkpoint holds them."""
        return {
            "names": self.names,
            "identities": {dataset: list(pair) for dataset, pair in self.identities.items()},
            "spent": [
                [*where, *(str(getattr(total, part.name)) for part in fields(Total))] for where, total in self.spent.items()
            ],
            "caps": [[*where, *map(str, cap_amounts(cap))] for where, cap in self.caps.items()],
            "open": {name: _open_as_json(charge) for name, charge in self.open.items()},
        }

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Books:
        """The books that a checkpoint holds; the chain of digests vouches for it."""
        return cls(
            names=dict(held["names"]),
            identities={name: (pair[0], pair[1]) for name, pair in held["identities"].items()},
            spent={(row[0], row[1]): _total_of(row[2:]) for row in held["spent"]},
            caps={(row[0], row[1]): _cap_of(*map(Fraction, row[2:])) for row in held["caps"]},
            open={name: _open_of(charge) for name, charge in held["open"].items()},
        )

    def _written(self, name: str) -> str:
        """The data set of an entry; its spelling is remembered."""
        known = [self.names[key] for key in keys(name) if key in self.names]
        dataset = known[0] if known else name
        for key in keys(name):
            self.names.setdefault(key, dataset)
        return dataset

    def _holder(self, dataset: str) -> str:
        """Who holds the caps of a data set: its declared identity, or itself."""
        key, _ = self.identities.get(dataset, ("", ""))
        return f"identity:{key}" if key else f"data set:{dataset}"

    def _set_cap(self, dataset: str, entry: Entry) -> None:
        if entry.identity:
            before = self._holder(dataset)
            self.identities[dataset] = (keys(entry.identity)[1], entry.identity)
            for unit in [unit for holder, unit in self.caps if holder == before != self._holder(dataset)]:
                self.caps.setdefault((self._holder(dataset), unit), self.caps.pop((before, unit)))
        self.caps[self._holder(dataset), entry.unit] = _cap_of(entry.epsilon, entry.delta, entry.rho)

    def _spend(self, dataset: str, unit: str, cost: Cost, *, sign: int = 1) -> None:
        self.spent[dataset, unit] = self.spent.get((dataset, unit), Total()).plus(cost, sign=sign)

    def _open(self, dataset: str, entry: Entry) -> None:
        self.open[entry.charge] = OpenCharge(
            dataset=dataset, unit=entry.unit, mechanism=entry.mechanism, cost=entry.cost, plan=entry.plan
        )
        if len(self.open) > MOST_OPEN:
            oldest = next((name for name, charge in self.open.items() if not charge.plan), None)
            if oldest is not None:
                del self.open[oldest]

    def _go_on(self, charge: OpenCharge, entry: Entry) -> None:
        if entry.kind is EntryKind.DRAW:
            charge.steps[entry.step] = None
        elif entry.kind is EntryKind.TICK and entry.tick is not None:
            charge.note_tick(entry.step, entry.tick, entry.cost.amount)
        elif entry.kind is EntryKind.JOURNAL:
            charge.journal = entry.note
        elif entry.kind is EntryKind.PROGRESS:
            charge.progress = entry.note
        elif entry.kind in {EntryKind.FINISHED, EntryKind.VOID}:
            if entry.kind is EntryKind.VOID and not charge.is_drawn:
                self._spend(charge.dataset, charge.unit, charge.cost, sign=-1)
            del self.open[entry.charge]


def _sliding(plan: str) -> list[Sliding]:
    return list(sliding_parts(plan_of(json.loads(plan)))) if plan else []


def cap_amounts(cap: Budget) -> tuple[Fraction, Fraction, Fraction]:
    """A cap as an entry holds it; the epsilon that a rho implies is none of it."""
    if isinstance(cap, ZeroConcentrated):
        return Fraction(0), cap.delta, cap.rho
    return cap.epsilon, cap.delta, Fraction(0)


def _cap_of(epsilon: Fraction, delta: Fraction, rho: Fraction) -> Budget:
    if rho:
        return ZeroConcentrated(rho, delta)
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def _total_of(amounts: Sequence[str]) -> Total:
    return Total(**{part.name: Fraction(amount) for part, amount in zip(fields(Total), amounts, strict=True)})


def _open_as_json(charge: OpenCharge) -> dict[str, object]:
    ticks = {step: [[when, str(cost)] for when, cost in past] for step, past in charge.ticks.items()}
    return {
        "dataset": charge.dataset,
        "unit": charge.unit,
        "mechanism": charge.mechanism,
        "cost": [str(charge.cost.epsilon), str(charge.cost.delta), str(charge.cost.rho)],
        "plan": charge.plan,
        "steps": list(charge.steps),
        "ticks": ticks,
        **({"journal": charge.journal} if charge.journal else {}),
        **({"progress": charge.progress} if charge.progress else {}),
    }


def _open_of(held: Mapping[str, Any]) -> OpenCharge:
    return OpenCharge(
        dataset=str(held["dataset"]),
        unit=str(held["unit"]),
        mechanism=str(held["mechanism"]),
        cost=Cost(*map(Fraction, held["cost"])),
        plan=str(held["plan"]),
        journal=str(held.get("journal", "")),
        progress=str(held.get("progress", "")),
        steps=dict.fromkeys(held["steps"]),
        ticks={step: [(int(when), Fraction(cost)) for when, cost in past] for step, past in held["ticks"].items()},
    )
