"""The Python front: `ta.publish`, `ta.explain`, `ta.evaluate` and `ta.report`, for any kind of data.

Every function takes a path or a frame of any library, and simple values: `epsilon=1`, a list of labels, the names of columns.
They become the same objects as the options of the command line (`kinds.wanted.Wanted`), so both choose, refuse and publish alike;
sentences of the library that name an option of the command line name the argument here. `ta.verify` is in `tacita.opening`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tacita.errors import InputError, LedgerError, LedgerExhaustedError, ParameterError, TacitaError
from tacita.io import STANDARD_INPUT, Source, dataset_name, read_manifest
from tacita.io.frames import is_frame
from tacita.kinds import Kind, Method, Option, kind_named, kind_of, kinds, load, method_named, methods
from tacita.kinds.choosing import is_auto
from tacita.kinds.registration import number
from tacita.kinds.wanted import Wanted, charge_for, inputs_to_publish_with
from tacita.kinds.words import MAKES_TAXONOMY
from tacita.opening import OpenedRelease, open_release
from tacita.pictures import render
from tacita.privacy.budget import Exact, Explanation
from tacita.privacy.drafts import appearing, outside_releases
from tacita.privacy.ledger import Ledger
from tacita.privacy.ledger.entries import check_name
from tacita.privacy.publishing import Progress, Published
from tacita.privacy.release import Release
from tacita.public.inputs import PerPerson
from tacita.public.parameters import path_of, whole_number
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

if TYPE_CHECKING:
    from tacita.forecasts import AnyForecast
    from tacita.pages.evaluation import Evaluation

__all__ = ["Explained", "evaluate", "explain", "publish", "report"]

AnyRelease: TypeAlias = Release[Published] | OpenedRelease | str | Path
"""A release as it was made or opened, or its folder."""

Labels: TypeAlias = Universe | Sequence[str] | str | Path
"""Public labels: a universe, a list, or a file."""


@dataclass(frozen=True, kw_only=True)
class Explained:
    """Where a budget would go and, if the number of records is public, what a release would keep; print it."""

    method: str
    explanation: Explanation
    forecast: AnyForecast | None = None

    def __str__(self) -> str:
        """As `tacita explain` prints it."""
        lines = [] if self.forecast is None else ["", *self.forecast.lines()]
        return _spelled("\n".join([str(self.explanation), *lines]))

    def as_json(self) -> dict[str, object]:
        """As `tacita explain --json` prints it."""
        forecast = None if self.forecast is None else self.forecast.as_json()
        figures = [] if self.forecast is None else [figure.as_json() for figure in self.forecast.figures()]
        return {**self.explanation.as_json(), "forecast": forecast, "figures": figures}

    def _repr_html_(self) -> str:
        """The explanation, for a notebook."""
        return self.explanation._repr_html_()


# Sentences name arguments, not options of the command line.

_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])")
_RENAMED = {"id": "person", "dataset": "name", "group-columns": "groups"}
"""Arguments whose options have another name."""


@contextmanager
def _in_python() -> Iterator[None]:
    """Refusals that name an option of the command line name the argument."""
    try:
        yield
    except TacitaError as error:
        error.args = (_spelled(str(error)),)
        raise


def _spelled(text: str) -> str:
    return _FLAG.sub(lambda found: _RENAMED.get(found[1], found[1]).replace("-", "_") + "=", text)


# Publishing and explaining.


@_in_python()
def publish(  # noqa: PLR0913 - what a publication depends on
    private: Source,
    /,
    *,
    kind: str | None = None,
    method: str | object | None = None,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    person: str | None = None,
    label: str | None = None,
    time: str | None = None,
    universe: Labels | None = None,
    taxonomy: Taxonomy | str | Path | None = None,
    columns: object | None = None,
    grid: object | None = None,
    name: str | None = None,
    ledger: Ledger | str | Path | None = None,
    create_ledger: bool = False,
    records: int | None = None,
    mean_length: float | None = None,
    longest_record: int | None = None,
    measure: str | None = None,
    observed_universe: bool = False,
    progress: Progress | None = None,
    **parameters: object,
) -> Release[Published]:
    """Publish a file or a data frame of any kind, as `tacita publish` does; `release.write(folder)` writes it.

    `person`, `label` and `time` name columns. `columns` declares those of a table, `grid` is a `TimeGrid` for times. Without a
    `method`, one is chosen from public facts, which `records`, `mean_length`, `longest_record` and `measure` may add to; further
    arguments are its parameters, public inputs and reading options, by the names of the command line's options. `name` is the
    data set's name in the ledger, that of the file by default. Without a `ledger` the spend is remembered nowhere. A method that
    is verified takes no epsilon, and its publication is noted in the ledger.
    """
    private = _source(private)
    _require_progress(progress)
    asked = _asked(kind, method)
    given = _given(asked, _named(locals()), parameters)
    facts = _facts(records, mean_length, longest_record, measure)
    wanted = asked.wanted(given, epsilon=epsilon, delta=delta, **facts)
    _ = wanted.budget
    data_set = check_name(_data_set_name(private, name))
    public = inputs_to_publish_with(wanted, private, observed_universe=_is_true(observed_universe, "observed_universe"))
    wanted = asked.wanted(given, epsilon=epsilon, delta=delta, known=public, **facts)
    if not is_frame(private):
        load(wanted.kind.output_format)(str(private), options=wanted.reading, public=public, wanted=None)
    opened = _opened_ledger(ledger, create=_is_true(create_ledger, "create_ledger"))
    nobody = wanted.nobody(public, name=data_set)
    charge = charge_for(wanted, nobody, public, dataset=data_set)
    refusal = None if charge is None else opened.balance(data_set, unit=charge.unit).refuses(charge.epsilon, charge.delta)
    if refusal:
        raise LedgerExhaustedError(refusal)
    if records is not None and charge is not None and wanted.kind.forecast is not None:
        from tacita.forecasts.asked import require_something  # noqa: PLC0415 - a publication does not pay for it

        require_something(wanted, progress=progress)
    read = wanted.read(private, public, name=data_set)
    if read.is_empty:
        message = f"there is nothing to publish: {read.why_empty}"
        raise InputError(message)
    release: Release[Published]
    if wanted.budget is None:
        release = wanted.mechanism.publish(read, progress=progress)
        opened.note_verified(data_set, wanted.method.name, guarantee=release.guarantee.statement())
    else:
        release = wanted.mechanism.publish(read, budget=wanted.budget, ledger=opened, progress=progress)
    own = {option.field_name for option in wanted.kind.reading_options}
    return replace(release, read_as={name: value for name, value in given.items() if name in own})


@_in_python()
def explain(  # noqa: PLR0913 - what an explanation depends on
    *,
    kind: str | None = None,
    method: str | object | None = None,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    universe: Labels | None = None,
    taxonomy: Taxonomy | str | Path | None = None,
    columns: object | None = None,
    grid: object | None = None,
    records: int | None = None,
    mean_length: float | None = None,
    longest_record: int | None = None,
    measure: str | None = None,
    like: Sequence[str] | str | None = None,
    alone: bool = False,
    progress: Progress | None = None,
    **parameters: object,
) -> Explained:
    """Where a budget would go and, given the public number of `records`, what a release would keep; reads no private data.

    `like` says how people behave (session, commuter, journey, wanderer); with `alone`, no other method is tried.
    """
    _require_progress(progress)
    asked = _asked(kind, method)
    given = _given(asked, _named(locals()), parameters)
    facts = _facts(records, mean_length, longest_record, measure)
    wanted = asked.wanted(given, epsilon=epsilon, delta=delta, **facts)
    explanation, forecast = wanted.explanation(), None
    behaviours = _behaviours(like)
    if records is not None:
        from tacita.forecasts.asked import forecast_for  # noqa: PLC0415 - a publication does not pay for it

        forecast = forecast_for(wanted, like=behaviours, alone=_is_true(alone, "alone"), progress=progress)
    elif mean_length is not None or longest_record is not None or behaviours is not None:
        message = "mean_length=, longest_record= and like= refine a forecast, so records= must say how many records there are"
        raise ParameterError(message)
    return Explained(method=wanted.method.name, explanation=explanation, forecast=forecast)


# Judging a release beside its private data.


@_in_python()
def evaluate(  # noqa: PLR0913 - how the private data is read
    private: Source,
    release: AnyRelease,
    /,
    *,
    person: str | None = None,
    label: str | None = None,
    time: str | None = None,
    universe: Labels | None = None,
    columns: object | None = None,
    grid: object | None = None,
    tasks: bool = False,
    without_noise: bool = False,
    **reading: object,
) -> Evaluation:
    """Compare a release with the private data that it was made from, as `tacita evaluate` does; for the owner's eyes only.

    A release that `publish` returned remembers how its data was read; for a folder, say it again. With `tasks`, models are
    trained on the release too; `without_noise` adds the error that is not due to noise.
    """
    from tacita.pages.evaluation import evaluated, measures_beside  # noqa: PLC0415 - a publication does not pay for it

    private = _source(private)
    compared = _compared(release, _named(locals()), reading)
    beside = measures_beside(
        compared.kind,
        compared.manifest,
        tasks=_is_true(tasks, "tasks"),
        without_noise=_is_true(without_noise, "without_noise"),
    )
    return evaluated(compared.kind, compared.manifest, compared.records(private), compared.published, beside)


@_in_python()
def report(  # noqa: PLR0913 - how the private data is read, and the pages
    private: Source,
    release: AnyRelease,
    page: str | Path,
    /,
    *,
    shared: str | Path | None = None,
    groups: Taxonomy | str | Path | None = None,
    person: str | None = None,
    label: str | None = None,
    time: str | None = None,
    universe: Labels | None = None,
    columns: object | None = None,
    grid: object | None = None,
    **reading: object,
) -> Path:
    """Write the owner's page on a release, a new file outside every release folder, and return its path.

    `shared` names another page, which is made from the release alone and may go with it. `groups` draws labels by groups, such
    as stations by lines.
    """
    from tacita.pages.evaluation import groups_to_draw_by, report_pages  # noqa: PLC0415 - a publication does not pay for it

    private = _source(private)
    folder = release if isinstance(release, str | Path) else None
    owner = outside_releases(path_of(page, name="the owner's page"), folder)
    others = {} if shared is None else {"public": outside_releases(path_of(shared, name="the shared page"), folder)}
    compared = _compared(release, _named(locals()), reading)
    drawn_by = os.fspath(groups) if isinstance(groups, str | Path) else groups
    pages = report_pages(
        compared.kind,
        compared.manifest,
        compared.published,
        folder="release" if folder is None else Path(folder).name or str(folder),
        read=lambda: compared.records(private),
        groups=groups_to_draw_by(compared.kind, compared.published.public, file=drawn_by, columns=None),
    )
    for which, path in {"owner": owner, **others}.items():
        with appearing(path.absolute(), what="the page cannot be written to", is_file=True) as draft:
            draft.write_text(render(pages[which]), encoding="utf-8")
    return owner


@dataclass(frozen=True, kw_only=True)
class _Compared:
    """A release of any kind, and how its private data is read."""

    kind: Kind
    manifest: Mapping[str, Any]
    published: Any
    given: Mapping[str, Any]

    def records(self, private: Source) -> Any:  # noqa: ANN401 - of any kind
        """The private records that the release was made from."""
        wanted = Wanted(given=self.given, named_kind=self.kind.name)
        name = "private" if is_frame(private) or str(private) == STANDARD_INPUT else None
        return wanted.read(private, self.published.public, name=name)


def _compared(release: object, named: Mapping[str, object], reading: Mapping[str, object]) -> _Compared:
    if isinstance(release, Release | OpenedRelease):
        kind = kind_named(release.data.kind)
        given = _given(_Asked(kind=kind, is_made=True), named, reading)
        known = [_argument(option.field_name) for option in kind.public_options if option.field_name in given]
        if known:
            message = f"the release knows its public inputs; leave out {', '.join(known)}"
            raise ParameterError(message)
        read_as = release.read_as if isinstance(release, Release) else {}
        return _Compared(kind=kind, manifest=release.manifest, published=release.data, given={**read_as, **given})
    if not isinstance(release, str | Path):
        message = f"a release must be what ta.publish or ta.open_release returned, or its folder, got {type(release).__name__}"
        raise ParameterError(message)
    manifest = read_manifest(release)
    if manifest["kind"] not in kinds():
        message = f"the release {str(release)!r} is of the kind {manifest['kind']}, which no installed package knows"
        raise InputError(message)
    given = _given(_Asked(kind=kinds()[manifest["kind"]], is_made=True), named, reading)
    opened = open_release(release, public=load(kinds()[manifest["kind"]].inputs)(given))
    return _Compared(kind=opened.kind, manifest=manifest, published=opened.data, given=given)


# From arguments to what is wanted: the kind and the method, then every value by its option.


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """A kind, and a method of it by name or as an object, if one was given."""

    kind: Kind
    method: Method | None = None
    made: object | None = None
    is_made: bool = False
    """Whether the release exists, so that only reading options count."""

    def parameters(self) -> dict[str, Option | None]:
        """The parameters that may be given by name: of the method, or of all that could be chosen."""
        if self.made is not None or self.is_made:
            return {}
        if self.method is not None:
            own = {part.name: self.method.option(part.name) for part in fields(self.method.load())}
            trees: dict[str, Option | None] = dict.fromkeys(MAKES_TAXONOMY) if "taxonomy" in own else {}
            return {**trees, **own}
        return {each.field_name: each for one in methods().values() if one.kind == self.kind.name for each in one.options}

    def wanted(self, given: Mapping[str, Any], **rest: Any) -> Wanted:  # noqa: ANN401 - budget and facts
        """What to publish, or to explain."""
        named = None if self.method is None else self.method.name
        wanted = Wanted(given=given, named_method=named, named_kind=self.kind.name, **rest)
        if self.made is not None:
            vars(wanted)["mechanism"] = self.made  # it has its parameters, so nothing is built
        return wanted


def _asked(kind: object, method: object) -> _Asked:
    if kind is not None and not isinstance(kind, str):
        message = f"kind= must be one of {', '.join(kinds())}, got {type(kind).__name__}"
        raise ParameterError(message)
    named = None if kind is None else kind_named(kind)
    if method is None or (isinstance(method, str) and is_auto(method)):
        if named is None:
            message = f"name the kind of data with kind=, one of {', '.join(kinds())}, or a method with method="
            raise ParameterError(message)
        return _Asked(kind=named)
    registered = method_named(method) if isinstance(method, str) else _registration_of(method)
    if named is not None and registered.kind != named.name:
        message = f"the method {registered.name} is for {registered.kind}, got kind={named.name!r}; leave one of them out"
        raise ParameterError(message)
    return _Asked(kind=kind_of(registered), method=registered, made=None if isinstance(method, str) else method)


def _registration_of(method: object) -> Method:
    """The registration of a method with its parameters."""
    known = [each for each in methods().values() if each.loads.endswith(f":{type(method).__name__}")]
    found = next((each for each in known if each.load() is type(method)), None)
    if found is None:
        message = (
            f"method= must be the name of a method, or one with its parameters such as ta.Mondrian(...), got {_type(method)}"
        )
        raise ParameterError(message)
    return found


def _type(value: object) -> str:
    return f"the class {value.__name__} itself" if isinstance(value, type) else type(value).__name__


_OWN = ("person", "label", "time", "universe", "taxonomy", "columns")


def _named(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments of a call that stand for options of the kind, by the names of these."""
    named = {"id" if name == "person" else name: arguments.get(name) for name in _OWN}
    grid = arguments.get("grid")
    if isinstance(grid, TimeGrid):
        named |= {"time_start": grid.start, "time_step": grid.interval, "time_intervals": grid.intervals}
    else:
        named["grid"] = grid
    return {name: value for name, value in named.items() if value is not None}


def _given(asked: _Asked, named: Mapping[str, object], others: Mapping[str, object]) -> dict[str, Any]:
    """Every value that was given, by field name, as the command line would have it."""
    options: dict[str, Option | None] = {**asked.parameters(), **{each.field_name: each for each in asked.kind.options}}
    everything = {**named, **{name: value for name, value in others.items() if value is not None}}
    for name, value in everything.items():
        if name not in options:
            raise ParameterError(_unknown(asked, name, value, list(options)))
    return {name: _converted(asked, name, options[name], value) for name, value in everything.items()}


def _unknown(asked: _Asked, name: str, value: object, known: Sequence[str]) -> str:
    shown, names = _argument(name), [_argument(each) for each in known]
    if asked.made is not None and asked.method is not None and asked.method.option(name) is not None:
        return f"method= is given with its parameters, so {shown} belongs there: {type(asked.made).__name__}({name}=...)"
    if name == "grid" and "time_start" in known:
        return f"grid= must be a TimeGrid, got {type(value).__name__}"
    taken, whose = f"no method of {asked.kind.name} takes {shown}", f"methods of {asked.kind.name}"
    if asked.method is not None:
        taken, whose = f"{asked.method.name} takes no {shown}", asked.method.name
    others = ", ".join(_argument(option.field_name) for option in asked.kind.options)
    own = ", ".join(sorted(_argument(each) for each in asked.parameters())) or "none by name"
    near = get_close_matches(shown, names, n=1)
    if asked.is_made:
        meant = f"; did you mean {near[0]}?" if near else ""
        return f"a release of {asked.kind.name} is compared without {shown}{meant}; reading options are {others}"
    if near:
        return f"{taken}; did you mean {near[0]}? The parameters of {whose} are {own}"
    return f"{taken}; the parameters of {whose} are {own}; public inputs and reading options are {others}"


def _argument(name: str) -> str:
    return "person=" if name == "id" else f"{name}="


_AS_THEY_ARE = {"universe", "columns", "taxonomy", "blocks", "cells", "time_start", "time_step"}
"""Public inputs that may be objects; what reads them refuses what it cannot take."""


def _converted(asked: _Asked, name: str, option: Option | None, value: object) -> object:
    """A value as the command line would have it; what has the wrong type is refused."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if option is None:
        return value
    if option.switch:
        return _is_true(value, name)
    if isinstance(value, str):
        return _read(name, option, value)
    if name in _AS_THEY_ARE:
        return value
    if isinstance(value, list | tuple) and (option.convert is not str or option not in asked.kind.options):
        return tuple(value)
    return str(value) if isinstance(value, PerPerson) else _plain(asked, name, option, value)


def _plain(asked: _Asked, name: str, option: Option, value: object) -> object:
    """A number, or an object that a method takes as it is."""
    if option.convert is int and (isinstance(value, bool) or not isinstance(value, int)):
        message = f"{_argument(name)} must be a whole number, got {value!r}"
        raise ParameterError(message)
    if isinstance(value, int | float | Fraction) and not isinstance(value, bool):
        return float(value) if option.convert is number else str(value) if option.convert is str else value
    if option in asked.kind.options:
        message = f"{_argument(name)} must be a string ({option.help}), got {type(value).__name__}"
        raise ParameterError(message)
    return value


def _read(name: str, option: Option, text: str) -> object:
    if option.choices is not None and text not in option.choices:
        message = f"{_argument(name)} must be one of {', '.join(option.choices)}, got {text!r}"
        raise ParameterError(message)
    try:
        return option.convert(text)
    except ValueError:
        message = f"{_argument(name)} cannot be {text!r}: {option.help}"
        raise ParameterError(message) from None


def _is_true(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        message = f"{name}= must be True or False, got {value!r}"
        raise ParameterError(message)
    return value


def _facts(records: object, mean_length: object, longest: object, measure: object) -> dict[str, Any]:
    """Public facts about the data, each of which may be known or not."""
    for name, value in (("records=", records), ("longest_record=", longest)):
        if value is not None:
            whole_number(value, name=name, least=1)
    if mean_length is not None and (isinstance(mean_length, bool) or not isinstance(mean_length, int | float)):
        message = f"mean_length= must be a number, got {mean_length!r}"
        raise ParameterError(message)
    if measure is not None and not isinstance(measure, str):
        message = f"measure= must be the name of what matters most, got {type(measure).__name__}"
        raise ParameterError(message)
    return {"number": records, "mean_length": mean_length, "longest": longest, "measure": measure}


def _behaviours(like: object) -> tuple[str, ...] | None:
    if like is None:
        return None
    named = (like,) if isinstance(like, str) else like
    if not isinstance(named, list | tuple) or not all(isinstance(each, str) for each in named):
        message = f"like= must be the name of a behaviour, or a list of names, got {type(like).__name__}"
        raise ParameterError(message)
    return tuple(named)


def _source(private: Source) -> Source:
    """A path or a data frame; what cannot be either is refused."""
    if private is None or isinstance(private, bool | int | float | bytes | list | tuple | dict | set):
        message = f"the private data must be a path or a data frame, got {type(private).__name__}"
        raise ParameterError(message)
    return Path(private) if isinstance(private, os.PathLike) else private


def _require_progress(progress: object) -> None:
    if progress is not None and not callable(progress):
        message = f"progress= must be a function of what is done and what there is to do, got {type(progress).__name__}"
        raise ParameterError(message)


def _data_set_name(private: Source, name: object) -> str:
    if name is not None and not isinstance(name, str):
        message = f"name= must be the data set's name, a string, got {type(name).__name__}"
        raise ParameterError(message)
    if name is None and is_frame(private):
        message = "a data frame has no name; say with name= what the ledger is to call this data set"
        raise ParameterError(message)
    return dataset_name(private, name)


def _opened_ledger(ledger: object, *, create: bool) -> Ledger:
    if ledger is None:
        return Ledger()
    if isinstance(ledger, Ledger):
        return ledger
    path = path_of(ledger, name="ledger=")
    if create:
        return Ledger.create(path, exist_ok=True)
    if not path.exists():
        message = f"the ledger {str(path)!r} does not exist; create_ledger=True creates it"
        raise LedgerError(message)
    return Ledger(path)
