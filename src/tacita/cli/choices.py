"""From typed options to what they name, once per command, whatever the kind of data: method, budget, forecast and ledger.

`Choices` is the chosen method with everything that was typed for it. The forecast and the ledger of a command follow from it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cli.options import kind_options, method_options, typed
from tacita.cli.screen import progress_bar, warn
from tacita.errors import LedgerError, ParameterError
from tacita.io import STANDARD_INPUT, dataset_name
from tacita.kinds import Facts, Kind, Method, Selection, kind_named, kind_of, load, method_named
from tacita.kinds.choosing import fitting_kind, is_auto, selected, sentence
from tacita.kinds.words import built_method
from tacita.privacy.budget import ApproxDP, Budget, Explanation, PureDP, decimal_text
from tacita.privacy.ledger import PERSON, Balance, Ledger
from tacita.privacy.ledger.entries import check_name
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import whole_number

if TYPE_CHECKING:
    from tacita.forecasts import AnyForecast

__all__ = [
    "Choices",
    "amounts",
    "balance_as_json",
    "balance_text",
    "budget_of",
    "cap_text",
    "dataset_of",
    "expected_balance",
    "forecast_of",
    "given_options",
    "group_text",
    "opened_ledger",
    "refuse_an_empty_release",
    "refuse_idle",
]


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


# Forecasts from what was typed: what a release would keep, and whether it would be empty, before anything is spent.


def forecast_of(choices: Choices, *, like: tuple[str, ...] | None = None, alone: bool) -> AnyForecast:
    """The forecast from the public facts that were typed, of which the number of records is one."""
    from tacita.forecasts import Request

    options = choices.options
    if choices.kind.forecast is None:
        message = f"there is no forecast for {choices.method.name}; leave out --records"
        raise ParameterError(message)
    with progress_bar("forecasting") as progress:
        request = Request(
            name=choices.method.name,
            method=choices.mechanism,
            budget=choices.budget,
            public=choices.public,
            records=options.records,
            mean_length=options.mean_length,
            longest=options.longest_record,
            like=like,
            progress=progress,
            alone=alone,
        )
        found: AnyForecast = load(choices.kind.forecast)(request)
    return found


def refuse_an_empty_release(choices: Choices) -> None:
    """If the number of records is public and was typed, refuse to spend a budget on a release with nothing in it."""
    if choices.options.records is None or choices.budget is None or choices.kind.forecast is None:
        return
    whole_number(choices.options.records, name="records", least=1)
    try:
        found = forecast_of(choices, alone=True)
    except ParameterError as uncovered:  # facts that no forecast covers, such as times
        warn(f"--records was not used: {uncovered}")
        return
    if found.is_empty:
        message = (
            f"a release of {choices.options.records:,} records by {choices.method.name} would be empty, by its forecast; nothing "
            "is spent: choose another method or a larger epsilon, or leave out --records to publish anyway"
        )
        raise ParameterError(message)


# The ledger of a command, the balance that it expects before a publication, and balances as text and as JSON.

WAIT_SECONDS = 30.0
"""How long a command waits for other publishers."""


def opened_ledger(options: argparse.Namespace) -> Ledger:
    """The ledger of a publication: created if requested, in memory if none was given."""
    if options.ledger is None:
        return Ledger()
    rest = {"wait_seconds": WAIT_SECONDS, "new_datasets": options.new_dataset}
    return Ledger.create(options.ledger, exist_ok=True, **rest) if options.create_ledger else Ledger(options.ledger, **rest)


def expected_balance(options: argparse.Namespace, dataset: str, unit: str = PERSON) -> Balance:
    """The balance that a publication will find; refuses what the ledger would refuse, and makes no file.

    A ledger that is still to be made has a balance of nothing, if it can be made.
    """
    check_name(dataset)
    if options.ledger is None or (options.create_ledger and not Path(options.ledger).exists()):
        _require_folder(options.ledger)
        return Balance(dataset=dataset, epsilon=Fraction(0), delta=Fraction(0), unit=unit)
    ledger = Ledger(options.ledger, wait_seconds=WAIT_SECONDS, new_datasets=options.new_dataset)
    return ledger.balance(dataset, unit=unit)


def _require_folder(ledger: str | None) -> None:
    folder = None if ledger is None else Path(ledger).absolute().parent
    if folder is not None and not (folder.is_dir() and os.access(folder, os.W_OK)):
        message = f"the ledger {ledger!r} cannot be created: its folder must exist and be writable"
        raise LedgerError(message)


def amounts(epsilon: Fraction, delta: Fraction) -> str:
    """A cost as text; with delta only if there is one."""
    text = f"epsilon {decimal_text(epsilon)}"
    return f"{text}, delta {decimal_text(delta)}" if delta else text


def balance_text(balance: Balance) -> str:
    """What was spent, and the cap, as text."""
    per = "" if balance.unit == PERSON else f" per {balance.unit}"
    spent = f"{amounts(balance.epsilon, balance.delta)}{per}"
    if balance.cap_epsilon is None or balance.cap_delta is None:
        return f"{spent} spent, no cap is set"
    return f"{spent} spent of {amounts(balance.cap_epsilon, balance.cap_delta)}"


def group_text(balance: Balance, together: int = 10) -> str:
    """What spends in a unit smaller than a person mean for several of them."""
    each, whole = decimal_text(balance.epsilon), decimal_text(balance.epsilon * together)
    if " window of " in balance.unit:
        return f"whoever has events in k such windows can lose k times {each}"
    return f"{each} per {balance.unit}, so {whole} for a group of {together}, and k times {each} for any k"


def cap_text(balance: Balance) -> str:
    """The cap as text."""
    if balance.cap_epsilon is None:
        return "no cap is set"
    delta = f", delta {decimal_text(balance.cap_delta)}" if balance.cap_delta else ""
    return f"the cap is {decimal_text(balance.cap_epsilon)}{delta}"


def balance_as_json(balance: Balance) -> dict[str, object]:
    """A balance for scripts."""

    def text(value: Fraction | None) -> str | None:
        return None if value is None else decimal_text(value)

    return {
        "dataset": balance.dataset,
        "epsilon": text(balance.epsilon),
        "delta": text(balance.delta),
        "cap_epsilon": text(balance.cap_epsilon),
        "cap_delta": text(balance.cap_delta),
    }
