"""From typed options to the objects they stand for, once per command, whatever the kind of data."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tacita.cli.words.field_options import kind_options, method_options, typed
from tacita.errors import ParameterError
from tacita.io import STANDARD_INPUT, dataset_name
from tacita.kinds import Facts, Kind, Method, Selection, kind_named, kind_of, load, method_named
from tacita.kinds.building import built_method
from tacita.kinds.choosing import fitting_kind, is_auto, selected, sentence
from tacita.privacy.budget import ApproxDP, Budget, PureDP
from tacita.privacy.explanation import Explanation
from tacita.public.inputs import PublicInputs

__all__ = ["Choices", "budget_of", "dataset_of", "given_options", "refuse_idle"]


def given_options(options: argparse.Namespace) -> dict[str, Any]:
    """All public inputs, reading options and parameters that were typed, by field name."""
    tables = (*kind_options("public_options"), *kind_options("reading_options"), *method_options())
    return typed(options, tables)


def refuse_idle(options: argparse.Namespace, kind: Kind, given: Mapping[str, Any], *, whose: str) -> None:
    """Refuse a contradictory --kind, and options that mean nothing for this kind."""
    if getattr(options, "kind", None) not in {None, kind.name}:
        message = f"{whose} is for {kind.name}, got --kind {options.kind}; leave it out, or choose another one"
        raise ParameterError(message)
    own = {option.field_name for option in kind.options}
    others = {option.field_name for option in (*kind_options("public_options"), *kind_options("reading_options"))}
    idle = [name for name in given if name in others - own]
    if idle:
        names = ", ".join("--" + name.replace("_", "-") for name in idle)
        message = f"{names} means nothing for {kind.name}; leave it out"
        raise ParameterError(message)


def budget_of(options: argparse.Namespace, method: Method) -> Budget | None:
    """The budget that the method needs; None if it is verified and needs none."""
    promise = method.promise
    if not promise.takes_epsilon:
        if options.epsilon is not None or options.delta is not None:
            message = f"{method.name} promises {promise.value} and spends no budget; leave out --epsilon and --delta"
            raise ParameterError(message)
        return None
    if options.epsilon is None:
        message = f"{method.name} promises {promise.value} and needs --epsilon, such as 1, 0.5 or 1/3"
        raise ParameterError(message)
    if promise.takes_delta and options.delta is None:
        message = f"{method.name} promises {promise.value} and needs --delta, such as 1e-6"
        raise ParameterError(message)
    if not promise.takes_delta and options.delta is not None:
        message = f"{method.name} promises {promise.value} and takes no --delta, got {options.delta}; leave it out"
        raise ParameterError(message)
    return PureDP(options.epsilon) if options.delta is None else ApproxDP(options.epsilon, options.delta)


def typed_budget(options: argparse.Namespace) -> Budget | None:
    """The budget that was typed, whatever it is for; None if there is none."""
    if options.epsilon is None:
        if options.delta is not None:
            message = "a --delta needs an --epsilon, such as 1, 0.5 or 1/3"
            raise ParameterError(message)
        return None
    return PureDP(options.epsilon) if options.delta is None else ApproxDP(options.epsilon, options.delta)


def dataset_of(options: argparse.Namespace) -> str:
    """The name of the data set in the ledger, which is that of the file if no other was given."""
    if options.dataset is None and options.input == STANDARD_INPUT:
        message = "data from standard input needs a name for the ledger; give --dataset"
        raise ParameterError(message)
    return dataset_name(options.input, options.dataset)


@dataclass(frozen=True)
class Choices:
    """The chosen method with everything that was typed for it; each part is built once."""

    options: argparse.Namespace
    known: PublicInputs | None = None
    """Public inputs that are already known and replace the typed ones."""

    def __post_init__(self) -> None:
        """Refuse what does not belong to the method before anything is opened."""
        whose = "what was given" if is_auto(self.options.method) else f"the method {self.options.method}"
        refuse_idle(self.options, self.kind, self.given, whose=whose)

    @cached_property
    def kind(self) -> Kind:
        """The kind of data: that of the method, or the one that was named, or the first that has these options."""
        if not is_auto(self.options.method):
            return kind_of(method_named(self.options.method))
        named = getattr(self.options, "kind", None)
        return fitting_kind(self.given) if named is None else kind_named(named)

    @cached_property
    def selection(self) -> Selection | None:
        """The method that the kind chooses from public facts; None if one was named."""
        if not is_auto(self.options.method):
            return None
        budget = typed_budget(self.options)
        facts = Facts(
            labels=self.public.size,
            has_times=self.public.grid is not None,
            intervals=None if self.public.grid is None else self.public.grid.intervals,
            epsilon=None if budget is None else float(budget.epsilon),
            has_delta=budget is not None and budget.delta > 0,
            records=getattr(self.options, "records", None),
            mean_length=getattr(self.options, "mean_length", None),
            longest=getattr(self.options, "longest_record", None),
            measure=getattr(self.options, "measure", None),
        )
        return selected(self.kind, facts, self.given)

    @cached_property
    def method(self) -> Method:
        """The registration of the method."""
        return method_named(self.options.method if self.selection is None else self.selection.method)

    @property
    def why(self) -> str | None:
        """Which method was chosen, why, and what it keeps; None if one was named."""
        if self.selection is None:
            return None
        return sentence(self.method.name, self.selection.because, self.method.keeps)

    @cached_property
    def given(self) -> dict[str, Any]:
        """What was typed, by field name."""
        return given_options(self.options)

    @cached_property
    def budget(self) -> Budget | None:
        """What may be spent; None if the method is verified."""
        return budget_of(self.options, self.method)

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
        """How the private file is to be read."""
        return load(self.kind.reading)(self.given)

    def explanation(self, public: PublicInputs | None = None) -> Explanation:
        """The method's explanation, with the public inputs or with those given here."""
        public = self.public if public is None else public
        explanation: Explanation = (
            self.mechanism.explain(public) if self.budget is None else self.mechanism.explain(self.budget, public)
        )
        return explanation if self.why is None else replace(explanation, facts=(self.why, *explanation.facts))

    def records(self, public: PublicInputs, *, name: str | None) -> Any:  # noqa: ANN401 - each kind has records of its own
        """Read the private file."""
        return load(self.kind.read)(
            self.options.input, public=public, options=self.reading, name=name, strict=bool(self.given.get("strict"))
        )

    def nobody(self, public: PublicInputs, *, name: str) -> Any:  # noqa: ANN401 - each kind has records of its own
        """An empty set of records with the same options, which has everything that is public about the private ones."""
        return load(self.kind.nobody)(public=public, options=self.reading, name=name)

    def output_format(self, public: PublicInputs) -> str:
        """The format in which the release will be written; the private file is not opened."""
        wanted = getattr(self.options, "format", None)
        found: str = load(self.kind.output_format)(self.options.input, options=self.reading, public=public, wanted=wanted)
        return found
