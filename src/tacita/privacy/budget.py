"""Exact privacy budgets, plans that say where a budget goes, and how plans are shown to people and scripts.

Budgets and costs are fractions, never floats, in two currencies: epsilon (with or without a delta), and the rho of
zero-concentrated privacy, in which Gaussian noise is priced (`concentrated`). A plan is a small tree: steps that cost something,
put together by sequential composition (costs add up: the same person can take part in each) or by parallel composition (the
largest cost counts: a person takes part in one of them). A sliding part continues for as long as there is data; its cost is
bounded in every window of time. The total is computed exactly, so what `explain` prints is what the ledger charges.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from tacita.errors import BudgetError
from tacita.pictures import notebook
from tacita.pictures.picture import html_facts, html_table
from tacita.privacy.concentrated import (
    Exact,
    decimal_text,
    delta_of,
    epsilon_of,
    exact,
    for_readers,
    rho_for,
    rho_of_pure,
    rounded_up,
    share_of,
    split,
)

__all__ = [
    "USUAL_DELTA",
    "ApproxDP",
    "Budget",
    "Cost",
    "Exact",
    "Explanation",
    "Parallel",
    "Plan",
    "PureDP",
    "Sequential",
    "Sliding",
    "Step",
    "ZeroConcentrated",
    "decimal_text",
    "exact",
    "plan_as_json",
    "plan_of",
    "share_of",
    "sliding_parts",
    "split",
]

LARGEST_BUDGET = 10_000

USUAL_DELTA = Fraction(1, 10**9)
"""The delta at which a rho is stated as an epsilon, unless another is chosen: below one person in the largest data sets."""


@dataclass(frozen=True)
class Cost:
    """What one protected unit can lose: an (epsilon, delta), and a rho beside it. Either may be zero.

    >>> Cost(epsilon=Fraction(1)) + Cost(rho=Fraction(1, 50))
    Cost(epsilon=Fraction(1, 1), delta=Fraction(0, 1), rho=Fraction(1, 50))
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def __add__(self, other: Cost) -> Cost:
        """Both, one after the other: each currency adds up."""
        return Cost(self.epsilon + other.epsilon, self.delta + other.delta, self.rho + other.rho)

    def or_else(self, other: Cost) -> Cost:
        """One or the other, in parallel: the larger amount of each currency bounds both."""
        return Cost(max(self.epsilon, other.epsilon), max(self.delta, other.delta), max(self.rho, other.rho))

    @property
    def is_pure(self) -> bool:
        """Whether it is an epsilon alone."""
        return not (self.delta or self.rho)

    @property
    def amount(self) -> Fraction:
        """How much of its one currency it is: the rho if it has one, else the epsilon."""
        return self.rho or self.epsilon

    def __str__(self) -> str:
        """Render for people, exactly."""
        said = [f"{name} {decimal_text(getattr(self, name))}" for name in ("epsilon", "delta", "rho") if getattr(self, name)]
        return ", ".join(said) or "epsilon 0"


@dataclass(frozen=True)
class PureDP:
    """A budget of pure differential privacy.

    >>> PureDP("0.1").epsilon + PureDP("0.2").epsilon == PureDP("0.3").epsilon
    True
    """

    epsilon: Fraction

    def __init__(self, epsilon: Exact) -> None:
        """Parse and check; a budget that exists is positive and finite."""
        object.__setattr__(self, "epsilon", _positive(epsilon, name="epsilon"))

    @property
    def delta(self) -> Fraction:
        """Pure: the probability of failing is zero."""
        return Fraction(0)

    def covers(self, cost: Cost) -> bool:
        """Whether whatever costs this much keeps the promise; Gaussian noise never does."""
        return cost.is_pure and cost.epsilon <= self.epsilon

    def __str__(self) -> str:
        """Render for people, exactly."""
        return f"epsilon = {decimal_text(self.epsilon)}"


@dataclass(frozen=True)
class ApproxDP:
    """A budget of approximate differential privacy, (epsilon, delta)."""

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Exact, delta: Exact) -> None:
        """Parse and check: epsilon positive, delta inside (0, 1)."""
        object.__setattr__(self, "epsilon", _positive(epsilon, name="epsilon"))
        object.__setattr__(self, "delta", _positive(delta, name="delta"))
        if self.delta >= 1:
            message = f"delta must be below 1, got {delta}; it is usually far below one divided by the number of people"
            raise BudgetError(message)

    @property
    def rho(self) -> Fraction:
        """The largest rho that implies it, rounded down."""
        return rho_for(self.epsilon, self.delta)

    def covers(self, cost: Cost) -> bool:
        """Whether whatever costs this much keeps the promise: the rho is converted with what the rest leaves of epsilon."""
        left = self.epsilon - cost.epsilon
        if not cost.rho or left <= 0:
            return left >= 0 and cost.delta <= self.delta and not cost.rho
        return cost.delta + delta_of(cost.rho, left) <= self.delta

    def __str__(self) -> str:
        """Render for people, exactly."""
        return f"epsilon = {decimal_text(self.epsilon)}, delta = {decimal_text(self.delta)}"


@dataclass(frozen=True)
class ZeroConcentrated:
    """A budget of zero-concentrated differential privacy; `delta` is the one at which it is also stated as an epsilon.

    >>> ZeroConcentrated("0.02").rho, 0.8 < float(ZeroConcentrated("0.02", "1e-6").epsilon) < 1.1
    (Fraction(1, 50), True)
    """

    rho: Fraction
    delta: Fraction

    def __init__(self, rho: Exact, delta: Exact = USUAL_DELTA) -> None:
        """Parse and check; a budget that exists is positive and finite."""
        object.__setattr__(self, "rho", _positive(rho, name="rho"))
        object.__setattr__(self, "delta", ApproxDP(1, delta).delta)

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that it implies together with its delta, rounded up."""
        return epsilon_of(self.rho, self.delta)

    def covers(self, cost: Cost) -> bool:
        """Whether whatever costs this much keeps the promise; what is pure costs half of the square of its epsilon."""
        return not cost.delta and cost.rho + rho_of_pure(cost.epsilon) <= self.rho

    def __str__(self) -> str:
        """Render for people: rho exactly, and what it implies, rounded up."""
        return f"rho = {decimal_text(self.rho)} (epsilon {rounded_up(self.epsilon)} at delta {rounded_up(self.delta)})"


Budget = PureDP | ApproxDP | ZeroConcentrated


def _positive(value: Exact, *, name: str) -> Fraction:
    fraction = exact(value, name=name)
    if fraction <= 0:
        message = f"{name} must be above 0, got {value}"
        raise BudgetError(message)
    if fraction > LARGEST_BUDGET:
        message = f"{name} must be at most {LARGEST_BUDGET}, got {value}; a budget that large protects nobody"
        raise BudgetError(message)
    return fraction


@dataclass(frozen=True, kw_only=True)
class Step:
    """One draw that costs an epsilon, perhaps with a delta, or a rho."""

    name: str
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    note: str = ""

    def __post_init__(self) -> None:
        """A step that is free or negative, or paid in two currencies, is a mistake in the plan."""
        if self.rho and not self.epsilon and not self.delta and self.rho > 0:
            return
        if self.rho or self.epsilon <= 0 or self.delta < 0:
            message = (
                f"step {self.name!r} must cost a positive epsilon and a non-negative delta, got {self.epsilon} and {self.delta}, "
                f"or a positive rho alone, got {self.rho}"
            )
            raise BudgetError(message)

    @property
    def cost(self) -> Cost:
        """What it costs."""
        return Cost(self.epsilon, self.delta, self.rho)

    def steps(self) -> Iterator[Step]:
        """The leaves below, in the order of the plan."""
        yield self


@dataclass(frozen=True, kw_only=True)
class _Composed(ABC):
    """Parts put together; how their costs are is what tells two compositions apart."""

    name: str
    parts: tuple[Plan, ...]

    @property
    @abstractmethod
    def cost(self) -> Cost:
        """What the parts cost together."""

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of its cost."""
        return self.cost.epsilon

    @property
    def delta(self) -> Fraction:
        """The delta of its cost."""
        return self.cost.delta

    @property
    def rho(self) -> Fraction:
        """The rho of its cost."""
        return self.cost.rho

    def steps(self) -> Iterator[Step]:
        """The leaves below, in the order of the plan."""
        for part in self.parts:
            yield from part.steps()


@dataclass(frozen=True, kw_only=True)
class Sequential(_Composed):
    """Parts that may all see the same person: their costs add up."""

    @property
    def cost(self) -> Cost:
        """The sum over the parts."""
        return sum((part.cost for part in self.parts), Cost())


@dataclass(frozen=True, kw_only=True)
class Parallel(_Composed):
    """Parts of which only one sees any given person: the largest cost counts."""

    @property
    def cost(self) -> Cost:
        """The largest over the parts."""
        return reduce(Cost.or_else, (part.cost for part in self.parts), Cost())


@dataclass(frozen=True, kw_only=True)
class Sliding:
    """A part that is drawn again and again: at most `epsilon`, or `rho`, in any `ticks` successive time steps of one unit.

    If `common`, time steps are those of the stream, the same for everybody, and the ledger adds up every window itself. Otherwise
    they are each unit's own (the moments at which a person takes part): the ledger limits each single time step to that, and the
    mechanism must keep each unit's windows within bounds.

    >>> Sliding(name="counts", epsilon=Fraction(1), ticks=24).epsilon
    Fraction(1, 1)
    """

    name: str
    epsilon: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    ticks: int
    common: bool = True
    note: str = ""

    def __post_init__(self) -> None:
        """A window has a length, and a price in one currency."""
        if min(self.epsilon, self.rho) or self.amount <= 0 or isinstance(self.ticks, bool) or self.ticks < 1:
            message = (
                f"step {self.name!r} must cost a positive epsilon, or rho, in 1 or more time steps, "
                f"got {self.amount} in {self.ticks}"
            )
            raise BudgetError(message)

    @property
    def delta(self) -> Fraction:
        """Pure: the probability of failing is zero."""
        return Fraction(0)

    @property
    def cost(self) -> Cost:
        """The most that any window costs."""
        return Cost(epsilon=self.epsilon, rho=self.rho)

    @property
    def amount(self) -> Fraction:
        """The same in its currency."""
        return self.cost.amount

    @property
    def currency(self) -> str:
        """What it is paid for in."""
        return "rho" if self.rho else "epsilon"

    def steps(self) -> Iterator[Step]:
        """The charge for this part: once, for the most that any window may cost."""
        whose = "" if self.common else " of one unit"
        yield Step(
            name=self.name,
            epsilon=self.epsilon,
            rho=self.rho,
            note=self.note or f"in any {self.ticks} successive time steps{whose}",
        )


Plan = Step | Sequential | Parallel | Sliding


def sliding_parts(plan: Plan) -> Iterator[Sliding]:
    """The sliding parts of a plan; a charge for such a plan stays open until it is ended."""
    if isinstance(plan, Sliding):
        yield plan
    elif not isinstance(plan, Step):
        for part in plan.parts:
            yield from sliding_parts(part)


def plan_of(held: Mapping[str, object]) -> Plan:
    """The plan that a ledger or a manifest holds as JSON; `plan_as_json` writes it.

    >>> plan_of({"name": "counts", "composition": "sliding", "epsilon": "1/3", "ticks": 7, "common": True, "note": ""})
    Sliding(name='counts', epsilon=Fraction(1, 3), rho=Fraction(0, 1), ticks=7, common=True, note='')
    """
    match held:
        case {"composition": "step", "name": str(name), "epsilon": str(epsilon), "delta": str(delta), "note": str(note)}:
            rho = Fraction(str(held.get("rho", "0")))
            return Step(name=name, epsilon=Fraction(epsilon), delta=Fraction(delta), rho=rho, note=note)
        case {"composition": "sliding", "name": str(name), "epsilon": str(epsilon), "ticks": int(ticks), "common": bool(common)}:
            rho, note = Fraction(str(held.get("rho", "0"))), str(held.get("note", ""))
            return Sliding(name=name, epsilon=Fraction(epsilon), rho=rho, ticks=ticks, common=common, note=note)
        case {"composition": "sequential", "name": str(name), "parts": list(parts)}:
            return Sequential(name=name, parts=tuple(map(plan_of, parts)))
        case {"composition": "parallel", "name": str(name), "parts": list(parts)}:
            return Parallel(name=name, parts=tuple(map(plan_of, parts)))
    message = "a plan must be a step, a sliding part, or a composition of them"
    raise BudgetError(message)


# Plans as text, JSON and pictures, rendered from the plan itself so that they always agree with what is charged.


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A plan (if a budget is spent) with the public facts around it; `print` shows it."""

    title: str
    plan: Plan | None = None
    facts: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Render as an indented tree."""
        lines = [self.title, *([] if self.plan is None else _tree(self.plan, lead="", below=""))]
        if self.facts:
            lines += ["", *(f"- {fact}" for fact in self.facts)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Steps and facts, for a notebook."""
        steps = [] if self.plan is None else [(step.name, for_readers(str(step.cost)), step.note) for step in self.plan.steps()]
        table = html_table(self.title, ("step", "cost", "what it asks"), steps) if steps else ""
        facts = html_facts("" if steps else self.title, [(f"fact {n}", fact) for n, fact in enumerate(self.facts, 1)])
        from tacita.privacy.pictures import plan_picture  # noqa: PLC0415 - a publication draws nothing

        drawn = [] if self.plan is None else [plan_picture(plan_as_json(self.plan))]
        return notebook(drawn, before=table + facts)

    def as_json(self) -> dict[str, object]:
        """The same for scripts."""
        plan = None if self.plan is None else plan_as_json(self.plan)
        return {"title": self.title, "plan": plan, "facts": list(self.facts)}


def _tree(plan: Plan, *, lead: str, below: str) -> list[str]:
    cost = for_readers(str(plan.cost))
    if isinstance(plan, Sliding):
        return _tree(next(plan.steps()), lead=lead, below=below)
    if isinstance(plan, Step):
        return [f"{lead}{plan.name}: {cost}" + (f" ({plan.note})" if plan.note else "")]
    rule = "sum" if isinstance(plan, Sequential) else "largest"
    lines = [f"{lead}{plan.name}: {cost}, the {rule} of"]
    for place, part in enumerate(plan.parts):
        last = place == len(plan.parts) - 1
        lines += _tree(part, lead=below + ("└─ " if last else "├─ "), below=below + ("   " if last else "│  "))
    return lines


def plan_as_json(plan: Plan) -> dict[str, object]:
    """The plan as a manifest holds it."""
    cost = {"name": plan.name, "epsilon": decimal_text(plan.epsilon), "delta": decimal_text(plan.delta)}
    cost |= {"rho": decimal_text(plan.rho)} if plan.rho else {}
    if isinstance(plan, Step):
        return {**cost, "composition": "step", "note": plan.note}
    if isinstance(plan, Sliding):
        return {**cost, "composition": "sliding", "ticks": plan.ticks, "common": plan.common, "note": plan.note}
    kind = "sequential" if isinstance(plan, Sequential) else "parallel"
    return {**cost, "composition": kind, "parts": [plan_as_json(part) for part in plan.parts]}
