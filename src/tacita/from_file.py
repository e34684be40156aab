"""From a private file to a release folder in one call, with the options of the command line as keywords."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacita.errors import InputError, ParameterError
from tacita.io import dataset_name
from tacita.kinds import kind_of, load, method_named
from tacita.kinds.words import built_method
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.publishing import Progress, Published
from tacita.privacy.release import Release, require_new_folder
from tacita.public.inputs import PublicInputs

__all__ = ["publish_file"]


def publish_file(  # noqa: PLR0913 - what a publication depends on
    source: str | Path,
    *,
    method: str,
    out: str | Path,
    epsilon: str | None = None,
    delta: str | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    file_format: str | None = None,
    observed_universe: bool = False,
    progress: Progress | None = None,
    **given: Any,  # noqa: ANN401 - the options of the method and its kind
) -> Release[Published]:
    """Publish a file of any kind as `tacita publish` does, and write the release to a new folder.

    `given` are public inputs, reading options and parameters, by the names of the command line's options; texts are read as they
    would be there. A method that is verified takes no epsilon, and its publication is noted in the ledger.
    """
    registered = method_named(method)
    kind, folder = kind_of(registered), require_new_folder(out)
    own = {option.field_name: option for option in (*kind.options, *registered.options)}
    for name, value in given.items():
        if name not in own:
            message = f"{method} has no option {name}"
            raise ParameterError(message)
        given[name] = own[name].convert(value) if isinstance(value, str) and not own[name].switch else value
    if (epsilon is not None, delta is not None) != (registered.promise.takes_epsilon, registered.promise.takes_delta):
        message = f"{method} promises {registered.promise.value}; give exactly the budget that this takes"
        raise ParameterError(message)
    public, reading = load(kind.inputs)(given), load(kind.reading)(given)
    if observed_universe:
        public = _observed(kind.observed, source, reading, public)
    made = built_method(registered, given, public)
    chosen = load(kind.output_format)(str(source), options=reading, public=public, wanted=file_format)
    name = dataset_name(source, dataset)
    records = load(kind.read)(source, public=public, options=reading, name=name, strict=bool(given.get("strict")))
    if records.is_empty:
        message = f"there is nothing to publish: {records.why_empty}"
        raise InputError(message)
    ledger = Ledger() if ledger is None else ledger
    release: Release[Published]
    if epsilon is None:
        release = made.publish(records, progress=progress)
        ledger.note_verified(name, method, guarantee=release.guarantee.statement())
    else:
        budget = PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)
        release = made.publish(records, budget=budget, ledger=ledger, progress=progress)
    release.write(folder, file_format=chosen)
    return release


def _observed(observing: str | None, source: str | Path, reading: object, public: PublicInputs) -> PublicInputs:
    """Public inputs whose labels are read off the data, which voids the guarantee."""
    if observing is None:
        message = "the labels of this kind of data cannot be read off the data; leave out observed_universe"
        raise ParameterError(message)
    found: PublicInputs = load(observing)(source, options=reading)
    return PublicInputs(universe=found.universe, grid=public.grid, others=public.others)
