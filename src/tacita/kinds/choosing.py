"""Choosing a method from public facts alone, for an owner who names none.

A kind registers `chooses`, a function of the facts and of the methods that could be meant: those that promise what the budget is
for and have all parameters that were given. Without one, the first of these methods is taken, in the order of registration.
Nothing here may see a record; what is not said is not guessed from data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

from tacita.errors import ParameterError
from tacita.kinds import kind_named, methods
from tacita.kinds.registration import AUTO, Facts, Kind, Method, Selection, load
from tacita.kinds.words import built_method
from tacita.privacy.budget import ApproxDP, Budget, PureDP, ZeroConcentrated
from tacita.privacy.publishing import Mechanism, VerifiedMethod
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of

__all__ = ["Chosen", "choose_method", "chosen_in", "is_auto", "selected"]


MethodT = TypeVar("MethodT", bound=Mechanism | VerifiedMethod)


@dataclass(frozen=True, kw_only=True)
class Chosen(Generic[MethodT]):
    """A method with its parameters, and why it was chosen; print it."""

    name: str
    method: MethodT
    because: str
    keeps: str

    def __str__(self) -> str:
        """In one sentence."""
        return sentence(self.name, self.because, self.keeps)


def sentence(name: str, because: str, keeps: str) -> str:
    """What was chosen, why, and what it keeps."""
    return f"the method is {name}, chosen from public facts: {because}; it keeps {keeps}"


def chosen_in(facts: Sequence[str]) -> str | None:
    """The method that `sentence` names among the facts of an explanation; None if it was not chosen.

    >>> chosen_in(["kept: lengths", sentence("raked", "it is the first that fits", "lengths")])
    'raked'
    """
    found = (re.match(r"the method is (\S+), chosen from public facts: ", fact) for fact in facts)
    return next((match[1] for match in found if match is not None), None)


def is_auto(name: str | None) -> bool:
    """Whether a method is to be chosen."""
    return name is None or name == AUTO


@overload
def choose_method(
    kind: str,
    *,
    budget: Budget,
    public: PublicInputs = UNKNOWN,
    records: int | None = None,
    mean_length: float | None = None,
    longest: int | None = None,
    measure: str | None = None,
) -> Chosen[Mechanism]: ...


@overload
def choose_method(
    kind: str,
    *,
    budget: None,
    public: PublicInputs = UNKNOWN,
    records: int | None = None,
    mean_length: float | None = None,
    longest: int | None = None,
    measure: str | None = None,
) -> Chosen[VerifiedMethod]: ...


def choose_method(  # noqa: PLR0913 - public facts, each of which may be known or not
    kind: str,
    *,
    budget: Budget | None,
    public: PublicInputs = UNKNOWN,
    records: int | None = None,
    mean_length: float | None = None,
    longest: int | None = None,
    measure: str | None = None,
) -> Chosen[Mechanism] | Chosen[VerifiedMethod]:
    """The method for data of a kind, from public facts: inputs, budget, and what the owner says about number and length.

    >>> from tacita.privacy.budget import PureDP
    >>> print(choose_method("networks", budget=PureDP("1")))  # doctest: +ELLIPSIS
    the method is shape, chosen from public facts: ...; it keeps degrees, ...
    """
    instance_of(public, PublicInputs, name="what is public")
    if measure is not None:
        instance_of(measure, str, name="the measure")
    if budget is not None:
        instance_of(budget, PureDP, ApproxDP, ZeroConcentrated, name="a budget")
    facts = Facts(
        labels=public.size,
        has_times=public.grid is not None,
        intervals=None if public.grid is None else public.grid.intervals,
        epsilon=None if budget is None else float(budget.epsilon),
        has_delta=budget is not None and budget.delta > 0,
        records=records,
        mean_length=mean_length,
        longest=longest,
        measure=measure,
    )
    found = selected(kind_named(kind), facts, {})
    method = methods()[found.method]
    made = built_method(method, dict(found.parameters), public)
    return Chosen(name=method.name, method=made, because=found.because, keeps=method.keeps)


def selected(kind: Kind, facts: Facts, given: Mapping[str, object]) -> Selection:
    """The method that a kind chooses; `given` are parameters, which narrow what can be meant."""
    if facts.measure is not None and facts.measure not in kind.measures:
        known = f"one of {', '.join(kind.measures)}" if kind.measures else f"left out: methods of {kind.name} have none"
        message = f"the measure must be {known}, got {facts.measure!r}"
        raise ParameterError(message)
    own = {option.field_name for option in kind.options}
    among = [
        method
        for method in methods().values()
        if method.kind == kind.name and method.fits(facts) and _has(method, set(given) - own)
    ]
    if not among:
        every = [method for method in methods().values() if method.kind == kind.name and _has(method, set(given) - own)]
        if facts.epsilon is None and every and all(method.promise.takes_epsilon for method in every):
            message = f"a release of {kind.whole or kind.name} needs --epsilon, such as 1, 0.5 or 1/3"
            raise ParameterError(message)
        message = f"no method of {kind.name} takes this budget together with these parameters; choose one with --method"
        raise ParameterError(message)
    found: Selection = load(kind.chooses)(facts, among)
    return found


def _has(method: Method, names: set[str]) -> bool:
    return all(method.option(name) is not None for name in names)
