"""A readable account of where a budget goes, rendered from the plan so that it always agrees with what is charged."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.markup import html_facts, html_table
from tacita.privacy.budget import Plan, Sequential, Sliding, Step, decimal_text

__all__ = ["Explanation", "plan_as_json"]


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
        return table + html_facts("" if steps else self.title, [(f"fact {n}", fact) for n, fact in enumerate(self.facts, 1)])

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
