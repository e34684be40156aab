"""Exact privacy budgets, plans that say where a budget goes, and how plans are shown to people and scripts.

A budget is a pair of fractions, never a float. A plan is a small tree: steps that cost something, put together by sequential
composition (costs add up: the same person can take part in each) or by parallel composition (the largest cost counts: a person
takes part in one of them). A sliding part continues for as long as there is data; its cost is bounded in every window of time.
The total is computed exactly, so what `explain` prints is what the ledger charges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any

from tacita.errors import BudgetError, ParameterError
from tacita.pictures import Picture, notebook
from tacita.pictures.picture import html_facts, html_table

__all__ = [
    "ApproxDP",
    "Budget",
    "Exact",
    "Explanation",
    "Parallel",
    "Plan",
    "PureDP",
    "Sequential",
    "Sliding",
    "Step",
    "decimal_text",
    "exact",
    "plan_as_json",
    "plan_of",
    "plan_picture",
    "share_of",
    "sliding_parts",
    "split",
]

LARGEST_BUDGET = 10_000

Exact = int | str | Decimal | Fraction | float
MOST_DIGITS = 1000
"""Longer numbers are refused before they are written out, which could take for ever."""


def exact(value: Exact, *, name: str) -> Fraction:
    """Convert a number as typed into an exact fraction; a float stands for its shortest decimal form.

    >>> exact("0.1", name="epsilon"), exact(0.1, name="epsilon"), exact("1/3", name="epsilon")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 3))
    """
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal | Fraction | float):
        message = f"{name} must be a number or a decimal string, got {value!r}"
        raise BudgetError(message)
    if isinstance(value, float | Decimal) and not isfinite(value):
        message = f"{name} must be finite, got {value}"
        raise BudgetError(message)
    if _is_huge(value):
        message = f"{name} must be a number of fewer than {MOST_DIGITS:,} digits, exponents written out, got {str(value)[:40]!r}"
        raise BudgetError(message)
    try:
        fraction = Fraction(float.__repr__(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError):
        message = f"{name} must be a finite number such as 1, 0.5 or 1/3, got {value!r}"
        raise BudgetError(message) from None
    return Fraction(int(fraction.numerator), int(fraction.denominator))  # Python's integers, which never overflow


LARGEST_DENOMINATOR = 10**6
"""So that products of counts and shares fit 64 bits, in every method and in every independent check."""


def share_of(value: Exact, *, name: str) -> Fraction:
    """A share from 0 to 1 as typed, exactly: `0.6`, `3/5` or `60%`.

    >>> share_of("60%", name="confidence"), share_of("1/3", name="confidence")
    (Fraction(3, 5), Fraction(1, 3))
    """
    text = value.strip() if isinstance(value, str) else value
    try:
        is_percent = isinstance(text, str) and text.endswith("%")
        found = exact(text[:-1].strip() if isinstance(text, str) and is_percent else text, name=name) / (100 if is_percent else 1)
    except BudgetError:
        message = f"{name} must be a share such as 0.6, 3/5 or 60%, got {value!r}"
        raise ParameterError(message) from None
    if not 0 <= found <= 1 or found.denominator > LARGEST_DENOMINATOR:
        message = f"{name} must be from 0 to 1, with a denominator of at most {LARGEST_DENOMINATOR:,}, got {value}"
        raise ParameterError(message)
    return found


def _is_huge(value: Exact) -> bool:
    """Whether a number would take for ever to write out, such as 1e-999999999."""
    if isinstance(value, Decimal):
        return abs(value.adjusted()) >= MOST_DIGITS
    if not isinstance(value, str):
        return False
    exponents = (part.strip().lstrip("+-").replace("_", "") for part in value.lower().split("e")[1:])
    return len(value) >= MOST_DIGITS or any(part.isdecimal() and int(part) >= MOST_DIGITS for part in exponents)


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

    def __str__(self) -> str:
        """Render for people, exactly."""
        return f"epsilon = {decimal_text(self.epsilon)}, delta = {decimal_text(self.delta)}"


Budget = PureDP | ApproxDP


def _positive(value: Exact, *, name: str) -> Fraction:
    fraction = exact(value, name=name)
    if fraction <= 0:
        message = f"{name} must be above 0, got {value}"
        raise BudgetError(message)
    if fraction > LARGEST_BUDGET:
        message = f"{name} must be at most {LARGEST_BUDGET}, got {value}; a budget that large protects nobody"
        raise BudgetError(message)
    return fraction


@lru_cache(maxsize=1024)
def decimal_text(value: Fraction) -> str:
    """Write a fraction exactly: as a short decimal if there is one, otherwise as a quotient.

    >>> decimal_text(Fraction(1, 8)), decimal_text(Fraction(1, 12))
    ('0.125', '1/12')
    """
    for places in range(13):  # past a dozen places a quotient reads better
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).zfill(places + 1)
            text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
            return f"-{text}" if value < 0 else text
    return str(value)


def split(whole: Fraction, weights: Sequence[int | Fraction]) -> list[Fraction]:
    """Share `whole` in proportion to positive weights; the shares add up to it exactly.

    >>> shares = split(Fraction(1, 10), [1, 1, 1])
    >>> sum(shares) == Fraction(1, 10)
    True
    """
    fractions = [Fraction(weight) for weight in weights]
    if not fractions or min(fractions) <= 0:
        message = f"a budget is split by one or more positive weights, got {list(weights)}"
        raise BudgetError(message)
    total = sum(fractions, Fraction(0))
    return [whole * weight / total for weight in fractions]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One draw that costs budget: on disjoint cells, so that a person changes only one of them."""

    name: str
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    note: str = ""

    def __post_init__(self) -> None:
        """A step that is free or negative is a mistake in the plan."""
        if self.epsilon <= 0 or self.delta < 0:
            message = (
                f"step {self.name!r} must cost a positive epsilon and a non-negative delta, got {self.epsilon} and {self.delta}"
            )
            raise BudgetError(message)

    def steps(self) -> Iterator[Step]:
        """The leaves below, in the order of the plan."""
        yield self


@dataclass(frozen=True, kw_only=True)
class Sequential:
    """Parts that may all see the same person: their costs add up."""

    name: str
    parts: tuple[Plan, ...]

    @property
    def epsilon(self) -> Fraction:
        """The sum over the parts."""
        return sum((part.epsilon for part in self.parts), Fraction(0))

    @property
    def delta(self) -> Fraction:
        """The sum over the parts."""
        return sum((part.delta for part in self.parts), Fraction(0))

    def steps(self) -> Iterator[Step]:
        """The leaves below, in the order of the plan."""
        for part in self.parts:
            yield from part.steps()


@dataclass(frozen=True, kw_only=True)
class Parallel:
    """Parts of which only one sees any given person: the largest cost counts."""

    name: str
    parts: tuple[Plan, ...]

    @property
    def epsilon(self) -> Fraction:
        """The largest over the parts."""
        return max((part.epsilon for part in self.parts), default=Fraction(0))

    @property
    def delta(self) -> Fraction:
        """The largest over the parts."""
        return max((part.delta for part in self.parts), default=Fraction(0))

    def steps(self) -> Iterator[Step]:
        """The leaves below, in the order of the plan."""
        for part in self.parts:
            yield from part.steps()


@dataclass(frozen=True, kw_only=True)
class Sliding:
    """A part that is drawn again and again: it costs at most `epsilon` in any `ticks` successive time steps of one unit.

    If `common`, time steps are those of the stream, the same for everybody, and the ledger adds up every window itself. Otherwise
    they are each unit's own (the moments at which a person takes part): the ledger limits each single time step to epsilon, and
    the mechanism must keep each unit's windows within bounds.

    >>> Sliding(name="counts", epsilon=Fraction(1), ticks=24).epsilon
    Fraction(1, 1)
    """

    name: str
    epsilon: Fraction
    ticks: int
    common: bool = True
    note: str = ""

    def __post_init__(self) -> None:
        """A window has a length and a price."""
        if self.epsilon <= 0 or isinstance(self.ticks, bool) or self.ticks < 1:
            message = (
                f"step {self.name!r} must cost a positive epsilon in 1 or more time steps, got {self.epsilon} in {self.ticks}"
            )
            raise BudgetError(message)

    @property
    def delta(self) -> Fraction:
        """Pure: the probability of failing is zero."""
        return Fraction(0)

    def steps(self) -> Iterator[Step]:
        """The charge for this part: once, for the most that any window may cost."""
        whose = "" if self.common else " of one unit"
        yield Step(name=self.name, epsilon=self.epsilon, note=self.note or f"in any {self.ticks} successive time steps{whose}")


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
    Sliding(name='counts', epsilon=Fraction(1, 3), ticks=7, common=True, note='')
    """
    match held:
        case {"composition": "step", "name": str(name), "epsilon": str(epsilon), "delta": str(delta), "note": str(note)}:
            return Step(name=name, epsilon=Fraction(epsilon), delta=Fraction(delta), note=note)
        case {"composition": "sliding", "name": str(name), "epsilon": str(epsilon), "ticks": int(ticks), "common": bool(common)}:
            return Sliding(name=name, epsilon=Fraction(epsilon), ticks=ticks, common=common, note=str(held.get("note", "")))
        case {"composition": "sequential", "name": str(name), "parts": list(parts)}:
            return Sequential(name=name, parts=tuple(map(plan_of, parts)))
        case {"composition": "parallel", "name": str(name), "parts": list(parts)}:
            return Parallel(name=name, parts=tuple(map(plan_of, parts)))
    message = "a plan must be a step, a sliding part, or a composition of them"
    raise BudgetError(message)


# Plans as text, JSON and pictures, rendered from the plan itself so that they always agree with what is charged.

MOST_STEPS = 16


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
        steps = [] if self.plan is None else [(step.name, decimal_text(step.epsilon), step.note) for step in self.plan.steps()]
        table = html_table(self.title, ("step", "epsilon", "what it asks"), steps) if steps else ""
        facts = html_facts("" if steps else self.title, [(f"fact {n}", fact) for n, fact in enumerate(self.facts, 1)])
        drawn = [] if self.plan is None else [plan_picture(plan_as_json(self.plan))]
        return notebook(drawn, before=table + facts)

    def as_json(self) -> dict[str, object]:
        """The same for scripts."""
        plan = None if self.plan is None else plan_as_json(self.plan)
        return {"title": self.title, "plan": plan, "facts": list(self.facts)}


def _tree(plan: Plan, *, lead: str, below: str) -> list[str]:
    cost = f"epsilon {decimal_text(plan.epsilon)}"
    if plan.delta:
        cost += f", delta {decimal_text(plan.delta)}"
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
    if isinstance(plan, Step):
        return {**cost, "composition": "step", "note": plan.note}
    if isinstance(plan, Sliding):
        return {**cost, "composition": "sliding", "ticks": plan.ticks, "common": plan.common, "note": plan.note}
    kind = "sequential" if isinstance(plan, Sequential) else "parallel"
    return {**cost, "composition": kind, "parts": [plan_as_json(part) for part in plan.parts]}


def plan_picture(plan: Mapping[str, Any]) -> Picture:
    """Where a budget goes, from a plan as a manifest holds it: one bar per part, or per step if there is one part only."""
    from tacita.pictures import Bars, bar_plot  # noqa: PLC0415 - a publication draws nothing

    rule, parts = "step", [plan]
    while len(parts) == 1 and parts[0].get("parts"):
        rule, parts = parts[0]["composition"], list(parts[0]["parts"])
    together = "the largest of" if len(parts) > 1 and rule == "parallel" else "the sum of"
    shown = parts[:MOST_STEPS] if len(parts) > MOST_STEPS + 1 else parts
    names, values = [part["name"] for part in shown], [Fraction(part["epsilon"]) for part in shown]
    if len(shown) < len(parts):
        rest = [Fraction(part["epsilon"]) for part in parts[len(shown) :]]
        names.append(f"{len(rest)} further steps")
        values.append(max(rest) if together == "the largest of" else sum(rest, Fraction(0)))
    return bar_plot(
        f"Where the budget goes: epsilon {plan['epsilon']} is {together} these parts",
        names,
        [Bars(name="epsilon", values=[float(value) for value in values])],
        unit="epsilon",
        about="One bar per part of the plan that was charged before any noise was drawn.",
    )
