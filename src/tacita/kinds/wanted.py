"""What somebody wants to publish, whatever the kind of data: the method, its budget, public inputs, and how the data is read.

The command line and `ta.publish` both make a `Wanted`, from what was typed or from arguments, and take everything else from it,
so both choose, refuse and read alike.

Choosing a method from public facts alone, for an owner who names none.

A kind registers `chooses`, a function of the facts and of the methods that could be meant: those that promise what the budget is
for and have all parameters that were given. Without one, the first of these methods is taken, in the order of registration.
Nothing here may see a record; what is not said is not guessed from data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import exp
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

from tacita.errors import ParameterError
from tacita.formats import is_sheet
from tacita.kinds import kind_named, kind_of, method_named, methods
from tacita.kinds.registration import AUTO, Facts, Kind, Method, Selection, load
from tacita.kinds.words import built_method
from tacita.privacy.account import Charge
from tacita.privacy.budget import ApproxDP, Budget, Exact, Explanation, PureDP, ZeroConcentrated
from tacita.privacy.concentrated import rounded_up
from tacita.privacy.publishing import Mechanism, VerifiedMethod, counted_by, units_together_in
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of

__all__ = [
    "Chosen",
    "Wanted",
    "budget_facts",
    "budget_for",
    "charge_for",
    "choose_method",
    "chosen_in",
    "inputs_to_publish_with",
    "is_auto",
    "large_epsilon",
    "selected",
]

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


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A method, or what one is chosen from, with everything that was given for it; each part is built once."""

    given: Mapping[str, Any] = field(default_factory=dict)
    """Public inputs, reading options and parameters, by field name."""
    named_method: str | None = None
    named_kind: str | None = None
    epsilon: Exact | None = None
    delta: Exact | None = None
    number: int | None = None
    """How many records there are, if that is public; this and the next three are facts that help to choose a method."""
    mean_length: float | None = None
    longest: int | None = None
    measure: str | None = None
    known: PublicInputs | None = None
    """Public inputs that are already known and replace the given ones."""

    @cached_property
    def kind(self) -> Kind:
        """The kind of data: that of the method, or the one that was named."""
        if self.named_method is not None and not is_auto(self.named_method):
            return kind_of(method_named(self.named_method))
        return kind_named(str(self.named_kind))

    @cached_property
    def selection(self) -> Selection | None:
        """The method that the kind chooses from public facts; None if one was named."""
        if not is_auto(self.named_method):
            return None
        budget = given_budget(self.epsilon, self.delta)
        facts = Facts(
            labels=self.public.size,
            has_times=self.public.grid is not None,
            intervals=None if self.public.grid is None else self.public.grid.intervals,
            epsilon=None if budget is None else float(budget.epsilon),
            has_delta=budget is not None and budget.delta > 0,
            records=self.number,
            mean_length=self.mean_length,
            longest=self.longest,
            measure=self.measure,
        )
        return selected(self.kind, facts, self.given)

    @cached_property
    def method(self) -> Method:
        """The registration of the method."""
        return method_named(str(self.named_method) if self.selection is None else self.selection.method)

    @property
    def why(self) -> str | None:
        """Which method was chosen, why, and what it keeps; None if one was named."""
        if self.selection is None:
            return None
        return sentence(self.method.name, self.selection.because, self.method.keeps)

    @cached_property
    def budget(self) -> Budget | None:
        """What may be spent; None if the method is verified."""
        return budget_for(self.method, self.epsilon, self.delta)

    @cached_property
    def public(self) -> PublicInputs:
        """The public inputs."""
        found: PublicInputs = load(self.kind.inputs)(self.given) if self.known is None else self.known
        return found

    @cached_property
    def mechanism(self) -> Any:  # noqa: ANN401 - a mechanism or a verified method
        """The method with its parameters."""
        needed = {} if self.selection is None else self.selection.parameters
        return built_method(self.method, {**needed, **self.given}, self.public)

    @cached_property
    def reading(self) -> Any:  # noqa: ANN401 - each kind has reading options of its own
        """How the private data is to be read."""
        return load(self.kind.reading)(self.given)

    def explanation(self, public: PublicInputs | None = None) -> Explanation:
        """The method's explanation, with the public inputs or with those given here."""
        public = self.public if public is None else public
        explanation: Explanation = (
            self.mechanism.explain(public) if self.budget is None else self.mechanism.explain(self.budget, public)
        )
        why = () if self.why is None else (self.why,)
        beside: tuple[str, ...] = ()
        if self.budget is not None:
            compared = getattr(self.mechanism, "compared", None)  # methods of other packages may have none
            told = () if compared is None else compared(self.budget, public, records=self.number)
            beside = (*told, *budget_facts(self.budget, people=self.number))
        return replace(explanation, facts=(*why, *explanation.facts, *beside))

    def read(self, source: Any, public: PublicInputs, *, name: str | None, strict: bool | None = None) -> Any:  # noqa: ANN401 - a path or a frame; each kind has records of its own
        """Read the private data; rows that do not fit are refused if `strict`, or if that was given."""
        return read_private(self.kind, source, public=public, given=self.given, reading=self.reading, name=name, strict=strict)

    def output_format(self, source: str, public: PublicInputs, wanted: str | None) -> str:
        """The format of a release; the private file is not opened. A workbook is released as CSV, as if it had been saved so."""
        came_as = f"{source}.csv" if is_sheet(source) else source
        found: str = load(self.kind.output_format)(came_as, options=self.reading, public=public, wanted=wanted)
        return found

    def nobody(self, public: PublicInputs, *, name: str) -> Any:  # noqa: ANN401 - each kind has records of its own
        """An empty set of records with the same options, which has everything that is public about the private ones."""
        return load(self.kind.nobody)(public=public, options=self.reading, name=name)


def read_private(  # noqa: PLR0913 - what reading depends on
    kind: Kind,
    source: Any,  # noqa: ANN401 - a path or a frame
    *,
    public: PublicInputs,
    given: Mapping[str, Any],
    reading: Any = None,  # noqa: ANN401 - each kind has reading options of its own
    name: str | None,
    strict: bool | None = None,
) -> Any:  # noqa: ANN401 - each kind has records of its own
    """Read private data of a kind, with the options given; the rows of a workbook have the workbook's name."""
    strict = bool(given.get("strict")) if strict is None else strict
    reading = load(kind.reading)(given) if reading is None else reading
    if is_sheet(source):
        source, name = _rows_of_sheet(source), Path(source).stem if name is None else name
    return load(kind.read)(source, public=public, options=reading, name=name, strict=strict)


def _rows_of_sheet(path: str | Path) -> Any:  # noqa: ANN401 - a data frame
    from tacita.io.typed_files import sheet_rows  # noqa: PLC0415 - help loads no frames

    return sheet_rows(path)


def given_budget(epsilon: Exact | None, delta: Exact | None, rho: Exact | None = None) -> Budget | None:
    """The budget that was given, whatever it is for; None if there is none."""
    if rho is not None:
        if epsilon is not None:
            message = "give --epsilon or --rho, not both; a --delta beside --rho is the one at which it is stated as an epsilon"
            raise ParameterError(message)
        return ZeroConcentrated(rho) if delta is None else ZeroConcentrated(rho, delta)
    if epsilon is None:
        if delta is not None:
            message = "a --delta needs an --epsilon, such as 1, 0.5 or 1/3"
            raise ParameterError(message)
        return None
    return PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)


def budget_for(method: Method, epsilon: Exact | None, delta: Exact | None) -> Budget | None:
    """The budget that the method needs; None if it is verified and needs none."""
    promise = method.promise
    if not promise.takes_epsilon:
        if epsilon is not None or delta is not None:
            message = f"{method.name} promises {promise.value} and spends no budget; leave out --epsilon and --delta"
            raise ParameterError(message)
        return None
    if epsilon is None:
        message = f"{method.name} promises {promise.value} and needs --epsilon, such as 1, 0.5 or 1/3"
        raise ParameterError(message)
    if promise.takes_delta and delta is None:
        message = f"{method.name} promises {promise.value} and needs --delta, such as 1e-6"
        raise ParameterError(message)
    if not method.takes_delta and delta is not None:
        message = f"{method.name} promises {promise.value} and takes no --delta, got {delta}; leave it out"
        raise ParameterError(message)
    return given_budget(epsilon, delta)


def inputs_to_publish_with(wanted: Wanted, source: Any, *, observed_universe: bool) -> PublicInputs:  # noqa: ANN401 - a path or a frame
    """The public inputs of a publication; its labels are read off the data only if that was asked for, which voids it."""
    if not observed_universe:
        if wanted.public.universe is None and "universe" in {option.field_name for option in wanted.kind.public_options}:
            message = "name the public --universe (for a .seq file, its header serves); --observed-universe voids the guarantee"
            raise ParameterError(message)
        return wanted.public
    if wanted.given.get("universe") is not None or wanted.given.get("cells") is not None:
        message = "give --universe, --cells or --observed-universe, not several"
        raise ParameterError(message)
    if wanted.kind.observed is None:
        message = f"--observed-universe means nothing for {wanted.kind.name}; leave it out"
        raise ParameterError(message)
    rows = _rows_of_sheet(source) if is_sheet(source) else source
    observed: PublicInputs = load(wanted.kind.observed)(rows, options=wanted.reading)
    return PublicInputs(universe=observed.universe, grid=wanted.public.grid, others=wanted.public.others)


def charge_for(wanted: Wanted, nobody: Any, public: PublicInputs, *, dataset: str) -> Charge | None:  # noqa: ANN401 - records of nobody, of any kind
    """What the publication will be charged, from public facts alone; None if it is verified and spends nothing."""
    if wanted.budget is None:
        return None
    return Charge(
        dataset=dataset,
        mechanism=wanted.method.name,
        plan=wanted.mechanism.plan(wanted.budget, public),
        records_per_person=nobody.records_per_person,
        unit=counted_by(nobody, wanted.mechanism),
        units_together=units_together_in(wanted.mechanism),
    )


LARGE_EPSILON = 5
"""Above this, somebody who thought it one in a hundred can become surer than not: the bound alone protects little."""


def large_epsilon(budget: Budget) -> str | None:
    """A warning if the bound alone protects little.

    >>> print(large_epsilon(PureDP("8")))
    epsilon 8 lets the odds of a guess about one person grow up to e^8 = 2,981 times; above 5 the bound alone protects little
    """
    if budget.epsilon <= LARGE_EPSILON:
        return None
    epsilon = f"{float(budget.epsilon):.6g}"
    factor = f"e^{epsilon}" + (f" = {exp(float(budget.epsilon)):,.0f}" if budget.epsilon <= 20 else "")
    grown = f"lets the odds of a guess about one person grow up to {factor} times"
    return f"epsilon {epsilon} {grown}; above {LARGE_EPSILON} the bound alone protects little"


def budget_facts(budget: Budget, *, people: int | None = None) -> tuple[str, ...]:
    """What a delta means, and warnings if epsilon is large or delta too large for a public number of people.

    >>> print(budget_facts(ApproxDP("1", "0.001"), people=5000)[1])
    warning: a delta above 1 / 5,000 allows a method to show somebody's whole record; choose 1 / 50,000 or less
    """
    warning = large_epsilon(budget)
    large = () if warning is None else (f"warning: {warning}",)
    if isinstance(budget, PureDP):
        return large
    bound = f"the bound of epsilon {rounded_up(budget.epsilon)} does not hold for a person"
    facts = [f"with a probability of up to delta = {rounded_up(budget.delta)}, {bound}"]
    if people is not None and budget.delta * people > 1:
        remedy = f"choose 1 / {10 * people:,} or less"
        facts.append(f"warning: a delta above 1 / {people:,} allows a method to show somebody's whole record; {remedy}")
    return (*large, *facts)
