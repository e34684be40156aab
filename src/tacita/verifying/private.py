"""A private release recomputed: its plan by the method itself, its noise by what each step needs, its promise by both.

The method is built again from the parameters in the manifest, and makes its plan for the budget that the guarantee names. Every
draw must belong to a step of that plan, cost no more than it, and have the noise that covers what one protected unit changes.
What was answered is not looked at: that the noise was drawn, and from where, cannot be seen from a release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from tacita.kinds import Method, methods
from tacita.kinds.words import built_method
from tacita.privacy.budget import (
    ApproxDP,
    Budget,
    Cost,
    Parallel,
    Plan,
    PureDP,
    Sequential,
    Sliding,
    Step,
    ZeroConcentrated,
    plan_of,
)
from tacita.privacy.guarantee import AddRemoveRecord, DifferentialPrivacy, Neighbours
from tacita.privacy.laws import Change, Law, Noise, noise_in_words
from tacita.privacy.publishing import parameters_of, relation_proved
from tacita.privacy.randomness import SecureSource, describe
from tacita.public.inputs import PublicInputs
from tacita.verifying.findings import Findings

__all__ = ["check_private"]

NEARLY = Fraction(9999, 10_000)
"""The ends of a range of scales are rounded in words."""

DRAWN = "that the noise was drawn, and from a secure source"
_PRICE = r"([0-9./]{1,99})"
_TALLY = re.compile(
    r"([0-9,]{1,20}) draws? in time steps? ([0-9]{1,18})(?: to ([0-9]{1,18}))?, "
    rf"(?:epsilon|rho) {_PRICE}(?: to {_PRICE})? each; .*"
)


@dataclass(frozen=True, kw_only=True)
class _Private:
    """A manifest's promise, plan and draws, beside the method that they are held against."""

    manifest: Mapping[str, Any]
    public: PublicInputs
    budget: Budget
    plan: Plan
    asked: Any
    """The method as it was asked for; None if its taxonomy is not in the folder."""
    found: Any
    """The method with the parameters that were chosen privately."""
    knows_public: bool = True
    """Whether the folder holds all public inputs that a plan may depend on; of some it holds only a digest."""

    @property
    def draws(self) -> list[Mapping[str, Any]]:
        """What was drawn, as the manifest lists it."""
        listed: list[Mapping[str, Any]] = self.manifest["budget"]["draws"]
        return listed


def check_private(findings: Findings, manifest: Mapping[str, Any], public: PublicInputs) -> None:
    """Recompute plan, noise and promise, as far as the folder allows."""
    findings.skip(DRAWN)
    registered = methods().get(manifest["mechanism"]["name"])
    if registered is None:
        findings.skip(f"plan, noise and promise: no installed package has the method {manifest['mechanism']['name'][:80]!r}")
        return
    made: list[_Private] = []

    def built() -> Iterator[str]:
        made.append(_private(registered, manifest, public, findings))
        yield from _parameters(made[0])

    if not findings.check("the parameters are those of the method", built()):
        return
    it = made[0]
    findings.check("the promise is what the method proves with these parameters", _promise(it))
    findings.check("the plan is the method's own, and adds up to the budget", _planned(it))
    findings.check(
        "every draw belongs to a step, costs no more, and has the noise that one protected unit needs",
        _drawn(it, findings),
        note=_skipped(it),
    )


def _private(registered: Method, manifest: Mapping[str, Any], public: PublicInputs, findings: Findings) -> _Private:
    guarantee, mechanism = manifest["guarantee"], manifest["mechanism"]
    epsilon, delta = guarantee["epsilon"], guarantee["delta"]
    budget: Budget = PureDP(epsilon) if Fraction(delta) == 0 else ApproxDP(epsilon, delta)
    if "rho" in guarantee:
        budget = ZeroConcentrated(guarantee["rho"], delta)
    parameters: Mapping[str, Any] = mechanism["parameters"]
    tree = manifest["public_inputs"].get("taxonomy", {}).get("sha256")
    is_elsewhere = tree is not None and parameters.get("taxonomy") == tree and "taxonomy" in _fields(registered)
    if is_elsewhere:
        findings.skip("the plan against the method, since its taxonomy is not in the folder")
        parameters = {**parameters, "taxonomy": None}
    found = _rebuilt(registered, parameters, public)
    asked = None if is_elsewhere else _rebuilt(registered, {**parameters, **mechanism.get("asked", {})}, public)
    elsewhere = [name for name in manifest["public_inputs"] if name not in {*public.as_json(), "taxonomy"}]
    if elsewhere:
        findings.skip(f"the plan against the method, since its {' and '.join(map(str, elsewhere))[:80]} are not in the folder")
    return _Private(
        manifest=manifest,
        public=public,
        budget=budget,
        plan=plan_of(manifest["budget"]["plan"]),
        asked=asked,
        found=found,
        knows_public=not elsewhere,
    )


def _fields(registered: Method) -> set[str]:
    return {part.name for part in fields(registered.load())}


def _rebuilt(registered: Method, parameters: Mapping[str, Any], public: PublicInputs) -> Any:  # noqa: ANN401 - a method
    """The method with these parameters."""
    return built_method(registered, {name: value for name, value in parameters.items() if value is not None}, public)


def _parameters(it: _Private) -> Iterator[str]:
    """The method, built from the parameters, must state the same ones; a taxonomy that is elsewhere is none of them."""
    parameters = it.manifest["mechanism"]["parameters"]
    tree = {} if it.asked is not None else {"taxonomy": parameters["taxonomy"]}
    asked = parameters if it.asked is None else {**parameters, **it.manifest["mechanism"].get("asked", {})}
    for made, stated in ((it.asked, asked), (it.found, parameters)):
        if made is not None and {**parameters_of(made), **tree} != stated:
            yield "the method would state other parameters than the manifest does"
            return


def _promise(it: _Private) -> Iterator[str]:
    """The guarantee must be the one that this method renders, and void where something voids it."""
    guarantee = it.manifest["guarantee"]
    proved = relation_proved(it.found, it.public)
    stated = guarantee["neighbours"]
    relation: Neighbours = AddRemoveRecord(unit=str(stated["unit"])) if proved is None else proved
    if dict(relation.as_json()) != stated:
        yield f"the method proves its promise for {relation}, not for what the manifest says"
        return
    voids = guarantee["voids"]
    missing = [void for void in it.public.voids if void not in voids]
    if it.manifest["noise_source"] != describe(SecureSource()) and not any("noise came from" in void for void in voids):
        missing.append(f"its noise came from {it.manifest['noise_source']}")
    yield from (f"the promise is void, and does not say so: {void}" for void in missing)
    meant = DifferentialPrivacy(budget=it.budget, neighbours=relation, voids=tuple(voids)).as_json()
    yield from (
        f"the guarantee's {name} is not what follows from the rest of it"
        for name in sorted({*meant, *guarantee})
        if meant.get(name) != guarantee.get(name)
    )


def _planned(it: _Private) -> Iterator[str]:
    if not it.budget.covers(it.plan.cost):
        yield "the plan costs more than the guarantee promises"
    yield from _adds_up(it.manifest["budget"]["plan"], it.plan)
    names = [step.name for step in it.plan.steps()]
    if len(set(names)) != len(names):
        yield "two steps of the plan have the same name"
    if it.asked is not None and it.knows_public:
        yield from _differs(it.asked.plan(it.budget, it.public), it.plan)


def _adds_up(stated: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    if Cost(*(Fraction(stated.get(name, "0")) for name in ("epsilon", "delta", "rho"))) != plan.cost:
        yield f"the parts of {plan.name!r} do not add up to what it says"
    if isinstance(plan, Sequential | Parallel):
        for part, inner in zip(stated["parts"], plan.parts, strict=True):
            yield from _adds_up(part, inner)


def _differs(own: Plan, stated: Plan) -> Iterator[str]:
    """Where a stated plan is not the method's own; a step may have been replaced by parts that cost no more together."""
    if isinstance(own, Step) and not (isinstance(stated, Step) and stated.name == own.name):
        if stated.cost.or_else(own.cost) != own.cost:
            yield f"the parts in place of {own.name!r} cost more than it"
    elif isinstance(own, Step | Sliding):
        price = (own.name, own.cost, getattr(own, "ticks", None), getattr(own, "common", None))
        said = (stated.name, stated.cost, getattr(stated, "ticks", None), getattr(stated, "common", None))
        if type(own) is not type(stated) or price != said:
            yield f"the method plans {own.name!r} at another price, or for another window"
    elif type(own) is not type(stated) or own.name != stated.name or len(own.parts) != len(getattr(stated, "parts", ())):
        yield f"the method plans {own.name!r} in other parts"
    elif isinstance(stated, Sequential | Parallel):
        for part, other in zip(own.parts, stated.parts, strict=True):
            yield from _differs(part, other)


@dataclass(frozen=True, kw_only=True)
class _Paid:
    """What a draw may cost at most, and how far one protected unit changes it."""

    cost: Cost
    change: Change
    sliding: Sliding | None = None


def _drawn(it: _Private, findings: Findings) -> Iterator[str]:
    if not it.draws:
        yield "no draw is listed, although the method draws"
    seen: set[str] = set()
    rounds: dict[str, list[tuple[Fraction, Noise]]] = {}
    for draw in it.draws:
        name, _, number = draw["step"].partition(", round ")
        if draw["step"] in seen:
            yield f"the draw {draw['step']!r} is listed twice"
        seen.add(draw["step"])
        paid, noise = _paid(it, name, findings), noise_in_words(draw["noise"])
        if paid is None:
            yield f"the draw {draw['step']!r} belongs to no step of the plan"
            continue
        epsilon, done = Fraction(draw["epsilon"]), rounds.setdefault(name, [])
        if number and (not paid.change.in_rounds or number != str(len(done) + 1)):
            yield f"{name!r} is not drawn in rounds, or they are not numbered one by one"
        done.append((epsilon, noise))
        yield from _fits(draw, epsilon, noise, paid)
    for name, done in rounds.items():
        paid = _paid(it, name, findings)
        if paid is not None:
            yield from _along_paths(name, done, paid.cost.epsilon, findings)


def _paid(it: _Private, name: str, findings: Findings) -> _Paid | None:
    """The step that a draw belongs to; None if the plan has none."""
    stated = getattr(it.found, "changes", None)
    change = None if stated is None else stated(name, budget=it.budget, public=it.public)
    if change is None and stated is not None:
        return None
    if change is None:
        findings.skip("how far one record changes what each step asks, since the method does not state it")
        change = Change(in_rounds=True)
    elif change.is_chosen:
        findings.skip(f"how many symbols, items or columns of one record count in {name!r}, which noisy answers chose")
    parts = {part.name: part for part in _sliding(it.plan)}
    sliding = parts.get(change.part or name.removesuffix(" of a timestamp"))
    if sliding is not None:
        cost = Cost(epsilon=sliding.epsilon * change.share, rho=sliding.rho * change.share)
        return _Paid(cost=cost, change=change, sliding=sliding)
    step = next((step for step in it.plan.steps() if step.name == name), None)
    return None if step is None else _Paid(cost=step.cost, change=change)


def _sliding(plan: Plan) -> Iterator[Sliding]:
    if isinstance(plan, Sliding):
        yield plan
    elif not isinstance(plan, Step):
        for part in plan.parts:
            yield from _sliding(part)


def _fits(draw: Mapping[str, Any], epsilon: Fraction, noise: Noise, paid: _Paid) -> Iterator[str]:
    """One draw against its step: price, law, scale, threshold, and its windows if it slides."""
    name, change = draw["step"], paid.change
    cost = Cost(epsilon, Fraction(draw["delta"]), Fraction(draw.get("rho", "0")))
    if epsilon < 0 or cost.rho < 0 or not (epsilon or cost.rho) or cost.or_else(paid.cost) != paid.cost:
        yield f"the draw {name!r} costs more than its step allows, or nothing"
    if noise.law is not change.law_for(rho=cost.rho > 0):
        yield f"the draw {name!r} has the noise of another law than the method draws from"
    if noise.law is Law.GAUSSIAN:
        if noise.smallest is None or 2 * noise.smallest * cost.rho < change.squares:
            yield f"the noise of {name!r} is too small for its rho and what one protected unit changes"
    elif noise.smallest is not None and noise.smallest * epsilon < change.least:
        yield f"the noise of {name!r} is too small for its epsilon and what one protected unit changes"
    if change.threshold is not None and (noise.threshold is None or noise.threshold < change.threshold):
        yield f"the threshold of {name!r} is too low for its delta"
    if paid.sliding is not None:
        yield from _windows(name, str(draw["note"]), cost, noise, paid)


def _windows(name: str, note: str, cost: Cost, noise: Noise, paid: _Paid) -> Iterator[str]:
    """The draws of a part that slides: some window has at least the mean number of them, and may cost no more than its budget."""
    told, part = _TALLY.fullmatch(note), paid.sliding
    if told is None or part is None or f", {part.currency} " not in note:
        yield f"the draw {name!r} does not say in which time steps it was drawn, and at which prices"
        return
    number, first, last = int(told[1].replace(",", "")), int(told[2]), int(told[3] or told[2])
    least, most = Fraction(told[4]), Fraction(told[5] or told[4])
    steps = last - first + 1
    if most != cost.amount or not 0 < least <= most or not 1 <= number <= steps:
        yield f"the draw {name!r} says other prices or time steps than fit its epsilon"
        return
    covered, needed = (2 * least, paid.change.squares) if cost.rho else (least, paid.change.least)
    if noise.largest is not None and noise.largest * covered < needed:
        yield f"the noise of {name!r} is too small for its smallest {part.currency}"
    fullest = -(-number // -(-steps // part.ticks))
    if part.common and fullest * least > part.amount:
        yield f"{number:,} draws in {steps:,} time steps make some {part.ticks:,} of them cost more than {name!r} may"


def _along_paths(name: str, done: list[tuple[Fraction, Noise]], allowed: Fraction, findings: Findings) -> Iterator[str]:
    """Rounds of a step that is shared along the paths of a tree.

    Every node below the root was kept by the first round, so a path pays at least the least price of the first round and the
    least of any later one. What it pays in between depends on answers that are not published.
    """
    if len(done) < 2 or sum((epsilon for epsilon, _ in done), Fraction(0)) <= allowed:
        return
    cheapest = [_cheapest(epsilon, noise) for epsilon, noise in done]
    if any(cheapest[0] + each > allowed for each in cheapest[1:]):
        yield f"the rounds of {name!r} cost more along a path than the step"
    findings.skip(f"what each path of {name!r} paid in all of its rounds")


def _cheapest(epsilon: Fraction, noise: Noise) -> Fraction:
    """The least that a block of a round cost: the one with the largest noise, if there are several."""
    if noise.smallest is None or noise.largest is None:
        return epsilon
    return epsilon * min(Fraction(1), noise.smallest / noise.largest) * (1 if noise.smallest == noise.largest else NEARLY)


def _skipped(it: _Private) -> str:
    """The steps of the plan that no draw belongs to."""
    drawn = {draw["step"].partition(", round ")[0] for draw in it.draws}
    missing = [step.name for step in it.plan.steps() if step.name not in drawn and f"{step.name} of a timestamp" not in drawn]
    return f"not drawn, by a rule on noisy answers: {', '.join(missing)}" if missing else ""
