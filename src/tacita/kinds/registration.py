"""What kinds of data and methods register, and converters of option values.

Light: nothing here imports NumPy or the code of any kind. Everything heavy is given by dotted names (`module:attribute`) and
loaded when it is used. The expected signature is documented at each field; `docs/how-to/add-a-method.md` walks through a whole
kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from tacita.errors import ParameterError
from tacita.registered import load

__all__ = [
    "AUTO",
    "PRIVATE",
    "Facts",
    "Kind",
    "Method",
    "Option",
    "Promise",
    "Selection",
    "amount",
    "byte_size",
    "first_that_fits",
    "height",
    "level",
    "load",
    "number",
    "number_or_text",
    "texts",
    "whole_numbers",
]

AUTO = "auto"
"""The name that represents the method that a kind chooses."""


class Promise(Enum):
    """What a method promises, which decides what budget it takes."""

    PURE = "pure differential privacy"
    APPROXIMATE = "(epsilon, delta)-differential privacy"
    VERIFIED = "a bound that is verified"

    @property
    def takes_epsilon(self) -> bool:
        """Whether there is a budget."""
        return self is not Promise.VERIFIED

    @property
    def takes_delta(self) -> bool:
        """Whether the budget has a delta."""
        return self is Promise.APPROXIMATE


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option of the command line: a string, a number, a choice, a list, a file, or a switch."""

    field_name: str
    help: str
    convert: Callable[[str], object] = str
    choices: tuple[str, ...] | None = None
    metavar: str | None = None
    switch: bool = False
    """Options have no defaults of their own, so that the library's defaults hold; help looks them up there."""
    needs: str | None = None
    """The field name of another option of the method, which this one is refused without; forms say so."""

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return "--" + self.field_name.replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method: where its dataclass lives, what it promises, its options, and how it is audited."""

    name: str
    kind: str
    loads: str
    """The dataclass: a `Mechanism`, or a `VerifiedMethod` if the promise is verified."""
    promise: Promise = Promise.PURE
    has_gaussian: bool = False
    """Whether a budget with a delta is spent on Gaussian noise; without a delta, the promise is pure."""
    options: tuple[Option, ...] = ()
    """One per field; methods of a kind whose fields have the same name share one option, with the choices of all."""
    audited: str | None = None
    """An `audit.Subject`, which knows variants and small sizes; without one, the case of the kind is used as it is."""
    keeps: str = ""
    """What a release keeps, in half a sentence."""

    def load(self) -> type:
        """The dataclass whose fields are the public parameters."""
        loaded = load(self.loads)
        if not isinstance(loaded, type):
            message = f"{self.loads} must be a class"
            raise ParameterError(message)
        return loaded

    def fits(self, facts: Facts) -> bool:
        """Whether the method promises what the budget is for."""
        if facts.epsilon is None:
            return self.promise is Promise.VERIFIED
        if facts.has_delta and self.has_gaussian:
            return True
        return self.promise is (Promise.APPROXIMATE if facts.has_delta else Promise.PURE)

    @property
    def takes_delta(self) -> bool:
        """Whether a budget may have a delta."""
        return self.promise.takes_delta or self.has_gaussian

    def option(self, field_name: str) -> Option | None:
        """The option of one field."""
        return next((option for option in self.options if option.field_name == field_name), None)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Public facts from which a kind chooses a method; None for what nobody has said."""

    labels: int | None = None
    has_times: bool = False
    intervals: int | None = None
    epsilon: float | None = None
    has_delta: bool = False
    records: int | None = None
    mean_length: float | None = None
    longest: int | None = None
    measure: str | None = None
    """What matters most to the owner, one of the kind's `measures`; everything alike if nothing is said."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The method that was chosen, why, and parameters that it needs and nobody gave."""

    method: str
    because: str
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of data, and, by dotted names, the code for everything that is done with it."""

    name: str
    noun: str
    """What one record is called, such as sequence."""
    about: str
    """What such data is, in half a sentence."""
    rows_are_records: bool = False
    """Whether each row of a file is a record of its own: an event, an edge."""
    whole: str = ""
    """What a release is one of, such as a network, if that is not the name."""
    pieces: str = ""
    """What the length of a release counts, such as edges, if that is not the name."""
    length_is_public: bool = False
    """Whether the public inputs alone say how long a release is, so that it says nothing about how much was kept."""
    records_have_lengths: bool = True
    """Whether a record is a list, so that a mean and a largest length may be public."""

    in_parts: bool = False
    """Whether releases are made part by part, which the workers of Spark can do and write."""

    public_options: tuple[Option, ...]
    """The options for public inputs."""
    inputs: str
    """(given: Mapping[str, object]) -> PublicInputs"""

    reading_options: tuple[Option, ...]
    """The options for reading the private file."""
    reading: str
    """(given: Mapping[str, object]) -> the reading options of the kind"""
    read: str
    """(source, *, public, options, name, strict) -> records"""
    nobody: str
    """(*, public, options, name) -> an empty set of records, for a rehearsal"""
    output_format: str = "tacita.kinds.words:csv_only"
    """(source, *, options, public, wanted: str | None) -> the format of the release, checked before anything is spent"""
    observed: str | None = None
    """(source, *, options) -> PublicInputs that are read off the data, for experiments that have no guarantee"""

    opened: str
    """(folder, manifest, *, public: PublicInputs | None) -> published data"""
    checked: str | None = None
    """(folder, manifest, records: those of the owner's file, or None) -> (what is wrong, what was not checked), each a list of
    sentences: whether what a verified release promises holds for its files, by code that shares nothing with what made them"""
    promised: str | None = None
    """(manifest of a verified release) -> (the guarantee as JSON, parameters that go with it), both rendered from its numbers"""
    reported: str
    """(records, published) -> Mapping of a section's name to figures with `as_json` and `__str__`, or None"""
    floors: str | None = None
    """(records, published, manifest) -> the section `floors`: what the simplest releases would keep, or None"""
    sections: Mapping[str, str] = field(default_factory=dict)
    """The titles of sections, where a report has several."""
    evaluation: str = "tacita-evaluate-1"
    """The name of the schema of `tacita evaluate --json`."""
    forecast: str | None = None
    """(forecasts.Request) -> a forecast with `lines` and `as_json`"""
    attacked: str | None = None
    """(records, releases: Sequence of published data, *, known: int | None) -> Assessments, for `tacita attack`"""
    lattice: str | None = None
    """(records, the method's requirement, *, taxonomy, intervals) -> what each grain keeps, for `tacita lattice`"""
    judged: str | None = None
    """(records, published, manifest) -> a `utility.verdict.Judgement`: how far off each use is, beside its floors"""
    drawn: str | None = None
    """(records, published, *, found: what `judged` gave) -> Pictures of both sides, for the owner's pages"""
    drawn_by_groups: bool = False
    """Whether `drawn`, and the published data's `pictures`, take a `taxonomy` of the labels (stations into lines)"""
    answered: str | None = None
    """(published, manifest) -> answers with error bars, for `ta.open_release(folder).answers`; refuses methods without any"""
    tasks: str | None = None
    """(records, published) -> scores of models that learn from the release, for `evaluate --tasks`"""
    without_noise: str | None = None
    """(records, published, *, mechanism: of the manifest) -> the report of the same method without noise: not private"""
    compared: str | None = None
    """(records, *, method, budget: Budget, runs: int) -> figures of all methods, with `as_json` and `__str__`"""
    live: str | None = None
    """The package with `Service`, `Settings`, `Clock` and sources of events, for `tacita stream`"""
    case: str | None = None
    """(name=, mechanism=, budget=) -> an `audit.AuditCase` with small data sets of this kind"""

    worlds: tuple[str, ...] = ()
    """The simulated worlds whose data is of this kind."""
    example: tuple[str, ...] = ()
    """Command-line arguments that choose a method for such a world."""
    methods: tuple[Method, ...] = ()
    chooses: str = "tacita.kinds.registration:first_that_fits"
    """(Facts, Sequence of the methods that could be meant) -> Selection, for an owner who names no method"""
    measures: Mapping[str, str] = field(default_factory=dict)
    """What an owner may name as mattering most, and what that is."""

    @property
    def options(self) -> tuple[Option, ...]:
        """All options of this kind, whatever the method."""
        return (*self.public_options, *self.reading_options)


def first_that_fits(facts: Facts, among: Sequence[Method]) -> Selection:  # noqa: ARG001 - as it is registered
    """The first method, in the order of registration."""
    because = "it is the first that fits" if len(among) > 1 else "no other takes this budget and these parameters"
    return Selection(method=among[0].name, because=because)


# Converters of option values, shared by the command line and configuration files, so that both accept the same.

PRIVATE = "private:"
"""The prefix of a height that is chosen with a share of the budget."""


def amount(text: str) -> str:
    """An amount of budget, kept as the string that was typed, because that is exact."""
    return text


def number(text: str) -> float:
    """A number that need not be whole or exact."""
    return float(text)


def number_or_text(text: str) -> str:
    """A number or any other string, kept as it was typed."""
    return text


def byte_size(text: str) -> int:
    """A number of bytes, such as 500MB, 2 GB or 1000000.

    >>> byte_size("500MB"), byte_size("1.5 gb"), byte_size("0")
    (500000000, 1500000000, 0)
    """
    units = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
    digits = text.strip().rstrip("bBkKmMgGtT ")
    size = float(digits) * units.get(text.strip()[len(digits) :].strip().lower(), -1)
    if not 0 <= size <= 10**15:
        message = f"a size must be a number of bytes such as 500MB, got {text!r}"
        raise ValueError(message)
    return int(size)


def height(text: str) -> int | str:
    """A whole number, or `private:` and one, which stays a string."""
    if text.startswith(PRIVATE):
        int(text.removeprefix(PRIVATE))
        return text
    return int(text)


def level(text: str) -> int | str:
    """A whole number of contexts, or the name of a level, which stays a string."""
    return int(text) if text.isdecimal() else text


def whole_numbers(text: str) -> tuple[int, ...]:
    """Whole numbers separated by commas."""
    return tuple(int(part) for part in text.split(","))


def texts(text: str) -> tuple[str, ...]:
    """Strings separated by commas."""
    return tuple(part.strip() for part in text.split(","))
