"""A readable account of where a budget goes, rendered from the plan so that it always agrees with what is charged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tacita.pictures import Bars, Picture, bar_plot, notebook
from tacita.pictures.tables import html_facts, html_table
from tacita.privacy.budget import Plan, Sequential, Sliding, Step, decimal_text

__all__ = ["Explanation", "plan_as_json", "plan_picture"]

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
