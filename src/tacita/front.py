"""The Python front: `ta.publish`, `ta.explain`, `ta.evaluate` and `ta.report`, for any kind of data.

Every function takes a path or a frame of any library, and simple values: `epsilon=1`, a list of labels, the names of columns.
They become the same objects as the options of the command line (`kinds.wanted.Wanted`), so both choose, refuse and publish alike;
sentences of the library that name an option of the command line name the argument here. `ta.verify` is in `tacita.verifying`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tacita.errors import InputError, LedgerError, LedgerExhaustedError, ParameterError
from tacita.io import STANDARD_INPUT, Source, dataset_name, read_manifest
from tacita.io.frames import is_frame
from tacita.kinds import Kind, kind_named, kinds, load
from tacita.kinds.arguments import Asked, argument, asked_for, given_arguments, in_python, is_true, named_arguments, spelled
from tacita.kinds.configuration import read_configuration
from tacita.kinds.wanted import Wanted, charge_for, inputs_to_publish_with
from tacita.opening import OpenedRelease, open_release
from tacita.pictures import render
from tacita.privacy.budget import Exact, Explanation
from tacita.privacy.drafts import appearing, outside_releases
from tacita.privacy.ledger import Ledger, require_ledger_folder
from tacita.privacy.ledger.entries import check_name
from tacita.privacy.publishing import Progress, Published, counted_by
from tacita.privacy.release import Release
from tacita.public.parameters import path_of, whole_number
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe

if TYPE_CHECKING:
    from tacita.forecasts import AnyForecast
    from tacita.pages.evaluation import Evaluation

__all__ = ["Explained", "evaluate", "explain", "forecast", "publish", "report"]

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
        return spelled("\n".join([str(self.explanation), *lines]))

    def as_json(self) -> dict[str, object]:
        """As `tacita explain --json` prints it."""
        forecast = None if self.forecast is None else self.forecast.as_json()
        figures = [] if self.forecast is None else [figure.as_json() for figure in self.forecast.figures()]
        return {**self.explanation.as_json(), "forecast": forecast, "figures": figures}

    def _repr_html_(self) -> str:
        """The explanation, for a notebook."""
        return self.explanation._repr_html_()


# Publishing and explaining.


@in_python()
def publish(  # noqa: PLR0913 - what a publication depends on
    private: Source | None = None,
    /,
    *,
    config: str | Path | None = None,
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
    new_dataset: bool = False,
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
    data set's name in the ledger, that of the file by default. Without a `ledger` the spend is remembered nowhere; with
    `new_dataset`, a ledger that holds caps for others takes it too. A method that is verified takes no epsilon, and its
    publication is noted in the ledger.

    `config` names a `tacita.toml`, all of whose lines must be confirmed; what is given here takes precedence over it.
    """
    if config is not None:
        private, merged = _declared(config, _PUBLISHED, {**locals(), **parameters})
        return publish(private, **merged)
    private = _source(private)
    _require_progress(progress)
    asked = asked_for(kind, method)
    given = given_arguments(asked, named_arguments(locals()), parameters)
    facts = _facts(records, mean_length, longest_record, measure)
    wanted = asked.wanted(given, epsilon=epsilon, delta=delta, **facts)
    _ = wanted.budget
    data_set = check_name(_data_set_name(private, name))
    public = inputs_to_publish_with(wanted, private, observed_universe=is_true(observed_universe, "observed_universe"))
    wanted = asked.wanted(given, epsilon=epsilon, delta=delta, known=public, **facts)
    if not is_frame(private):
        wanted.output_format(str(private), public, None)
    books = _Books(given=ledger, create=is_true(create_ledger, "create_ledger"), new_dataset=is_true(new_dataset, "new_dataset"))
    nobody = wanted.nobody(public, name=data_set)
    charge = charge_for(wanted, nobody, public, dataset=data_set)
    balance = books.before().balance(data_set, unit=counted_by(nobody, wanted.mechanism))
    refusal = None if charge is None else balance.refuses(charge.cost)
    if refusal:
        raise LedgerExhaustedError(refusal)
    if records is not None and charge is not None and wanted.kind.forecast is not None:
        from tacita.forecasts import require_something  # noqa: PLC0415 - a publication does not pay for it

        require_something(wanted, progress=progress)
    read = wanted.read(private, public, name=data_set)
    if read.is_empty:
        message = f"there is nothing to publish: {read.why_empty}"
        raise InputError(message)
    opened = books.opened()
    release: Release[Published]
    if wanted.budget is None:
        release = wanted.mechanism.publish(read, progress=progress)
        opened.note_verified(data_set, wanted.method.name, guarantee=release.guarantee.statement())
        release = replace(release, traced=partial(opened.note_release, data_set))
    else:
        release = wanted.mechanism.publish(read, budget=wanted.budget, ledger=opened, progress=progress)
    own = {option.field_name for option in wanted.kind.reading_options}
    return replace(release, read_as={name: value for name, value in given.items() if name in own})


@in_python()
def explain(  # noqa: PLR0913 - what an explanation depends on
    *,
    config: str | Path | None = None,
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

    `like` says how people behave (session, commuter, journey, wanderer); with `alone`, no other method is tried. `config` names a
    `tacita.toml`, as for `publish`.
    """
    if config is not None:
        _, merged = _declared(config, _EXPLAINED, {**locals(), **parameters})
        return explain(**merged)
    _require_progress(progress)
    asked = asked_for(kind, method)
    given = given_arguments(asked, named_arguments(locals()), parameters)
    facts = _facts(records, mean_length, longest_record, measure)
    wanted = asked.wanted(given, epsilon=epsilon, delta=delta, **facts)
    explanation, forecast = wanted.explanation(), None
    behaviours = _behaviours(like)
    if records is not None:
        from tacita.forecasts import forecast_for  # noqa: PLC0415 - a publication does not pay for it

        forecast = forecast_for(wanted, like=behaviours, alone=is_true(alone, "alone"), progress=progress)
    elif mean_length is not None or longest_record is not None or behaviours is not None:
        message = "mean_length=, longest_record= and like= refine a forecast, so records= must say how many records there are"
        raise ParameterError(message)
    return Explained(method=wanted.method.name, explanation=explanation, forecast=forecast)


def forecast(*, records: int, **asked: Any) -> AnyForecast:  # noqa: ANN401 - what `explain` takes
    """What a release of that many records would keep, from public facts alone: `explain` with `records`, without its plan."""
    found = explain(records=records, **asked).forecast
    if found is None:
        message = f"records= must be the public number of records, got {records!r}"
        raise ParameterError(message)
    return found


# Judging a release beside its private data.


@in_python()
def evaluate(  # noqa: PLR0913 - how the private data is read
    private: Source | None,
    release: AnyRelease,
    /,
    *,
    config: str | Path | None = None,
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
    trained on the release too; `without_noise` adds the error that is not due to noise. `config` names a `tacita.toml`, whose
    file is read if no other is given.
    """
    if config is not None:
        private, merged = _declared(config, _JUDGED, {**locals(), **reading})
        return evaluate(private, release, **merged)
    from tacita.pages.evaluation import evaluated, measures_beside  # noqa: PLC0415 - a publication does not pay for it

    private = _source(private)
    compared = _compared(release, named_arguments(locals()), reading)
    beside = measures_beside(
        compared.kind,
        compared.manifest,
        tasks=is_true(tasks, "tasks"),
        without_noise=is_true(without_noise, "without_noise"),
    )
    return evaluated(compared.kind, compared.manifest, compared.records(private), compared.published, beside)


@in_python()
def report(  # noqa: PLR0913 - how the private data is read, and the pages
    private: Source | None,
    release: AnyRelease,
    page: str | Path,
    /,
    *,
    config: str | Path | None = None,
    shared: str | Path | None = None,
    groups: Taxonomy | str | Path | None = None,
    outline: str | Path | None = None,
    person: str | None = None,
    label: str | None = None,
    time: str | None = None,
    universe: Labels | None = None,
    columns: object | None = None,
    grid: object | None = None,
    **reading: object,
) -> Path:
    """Write the owner's page on a release, a new file outside every release folder, and return its path.

    `shared` names another page, made from the release alone, which may go with it. `groups` draws labels by groups, such as
    stations by lines; an `outline`, public GeoJSON, is drawn over maps. `config` names a `tacita.toml`, whose file is read.
    """
    if config is not None:
        private, merged = _declared(config, _REPORTED, {**locals(), **reading})
        return report(private, release, page, **merged)
    from tacita.pages.evaluation import groups_to_draw_by, report_pages  # noqa: PLC0415 - a publication does not pay for it

    private = _source(private)
    folder = release if isinstance(release, str | Path) else None
    owner = outside_releases(path_of(page, name="the owner's page"), folder)
    others = {} if shared is None else {"public": outside_releases(path_of(shared, name="the shared page"), folder)}
    compared = _compared(release, named_arguments(locals()), reading)
    pages = report_pages(
        compared.kind,
        compared.manifest,
        compared.published,
        folder="release" if folder is None else Path(folder).name or str(folder),
        read=lambda: compared.records(private),
        groups=groups_to_draw_by(compared.kind, compared.published.public, file=groups, columns=None),
        outline=outline,
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
        given = given_arguments(Asked(kind=kind, is_made=True), named, reading)
        known = [argument(option.field_name) for option in kind.public_options if option.field_name in given]
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
    given = given_arguments(Asked(kind=kinds()[manifest["kind"]], is_made=True), named, reading)
    opened = open_release(release, public=load(kinds()[manifest["kind"]].inputs)(given))
    return _Compared(kind=opened.kind, manifest=manifest, published=opened.data, given=given)


# What a `tacita.toml` declares.

_EXPLAINED = ("", "public", "parameters", "budget")
_PUBLISHED = (*_EXPLAINED, "reading")
_JUDGED, _REPORTED = ("reading",), ("reading", "report")
"""The tables that each verb takes from a file."""

_RENAMED = {"dataset": "name"}
"""Options that are arguments of another name."""

_OF_LEDGERS = {"ledger", "create_ledger", "name", "new_dataset"}
_OF_THE_CALL = {"config", "private", "release", "page", "parameters", "reading"}


def _declared(config: str | Path, tables: Sequence[str], call: Mapping[str, Any]) -> tuple[Source, dict[str, Any]]:
    """The source and the arguments of a call: what was given, and otherwise what the file declares."""
    found = read_configuration(path_of(config, name="config="))
    given = {name: value for name, value in call.items() if name not in _OF_THE_CALL and value not in (None, False)}
    if tables is _PUBLISHED:
        found.require_confirmed(frozenset({*given, *(option for option, name in _RENAMED.items() if name in given)}))
    source = found.values.get("input") if call.get("private") is None else call["private"]
    declared = {_RENAMED.get(name, name): value for name, value in found.values.items() if found.table_of[name] in tables}
    idle = {"input"} if tables is _PUBLISHED else {"input", *_OF_LEDGERS}
    kind = {} if tables in {_JUDGED, _REPORTED} else {"kind": found.kind.name}
    return source, {**kind, **{name: value for name, value in declared.items() if name not in idle}, **given}


# Simple checks, and the ledger.


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


@dataclass(frozen=True, kw_only=True)
class _Books:
    """The ledger that was given: an object, a file, or none; a file is created once the data could be read."""

    given: object
    create: bool
    new_dataset: bool

    def before(self) -> Ledger:
        """What a publication will find; a ledger that is still to be created is empty, if it can be created."""
        if self.given is None or isinstance(self.given, Ledger):
            return self.opened()
        path = path_of(self.given, name="ledger=")
        if path.exists():
            return self.opened()
        if not self.create:
            message = f"the ledger {str(path)!r} does not exist; create_ledger=True creates it"
            raise LedgerError(message)
        require_ledger_folder(path)
        return Ledger()

    def opened(self) -> Ledger:
        """The ledger itself."""
        if self.given is None:
            return Ledger()
        if isinstance(self.given, Ledger):
            return self.given
        path = path_of(self.given, name="ledger=")
        if self.create:
            return Ledger.create(path, exist_ok=True, new_datasets=self.new_dataset)
        return Ledger(path, new_datasets=self.new_dataset)
