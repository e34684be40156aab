"""The private files of a studio: beginning a publication of one, what is known of it, and the configuration that is written.

What is seen of a file is kept in memory only, and forgotten when the file changes.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacita.errors import InputError, ParameterError, TacitaError
from tacita.inspecting import inspect
from tacita.io import dataset_name
from tacita.kinds import kind_named, kinds, method_named, methods
from tacita.kinds.configuration import OPEN, read_configuration
from tacita.kinds.registration import AUTO
from tacita.studio.comparison import as_line, next_words
from tacita.studio.fields import Declared, columns_of, declaration, declared_in, first_rows, require_same_ledger
from tacita.studio.map_page import mapped
from tacita.studio.mapping import Seen, drafted, first_answers
from tacita.studio.missing import Missing, missing_of
from tacita.studio.workspace import Publication, Publications, Workspace

__all__ = ["Files"]

Form = Mapping[str, str]


class Files:
    """What the owner says of private files, and what is seen of them."""

    def __init__(self, workspace: Workspace, publications: Publications) -> None:
        """Those of one workspace."""
        self.workspace = workspace
        self.publications = publications
        self._looking = threading.Lock()
        self._seen: dict[tuple[object, ...], Seen] = {}

    def begin(self, form: Form) -> Publication:
        """Begin one: a file, and what it holds if it does not show that itself."""
        typed = form.get("elsewhere", "").strip() or form.get("file", "")
        if not typed:
            message = "choose a file, or type where it is"
            raise ParameterError(message)
        path = self.workspace.folder / Path(typed).expanduser()
        if not path.is_file():
            message = f"the file {typed!r} does not exist"
            raise InputError(message)
        if path.suffix == ".toml":
            return self._begin_declared(self.workspace.short(path))
        short = self.workspace.short(path)
        config = self.workspace.config_for(short)
        if (self.workspace.folder / config).is_file() and form.get("kind", "") in {
            "",
            read_configuration(self.workspace.folder / config).kind.name,
        }:
            return self._begin_declared(config)
        named = form.get("kind", "")
        seen = self._look(short, kind_named(named).name if named else None)
        if not named and (seen.found is None or seen.found.kind is None):
            why = seen.note if seen.found is None else seen.found.because
            message = f"what {short} holds does not show: {why}; say below what it holds"
            raise ParameterError(message)
        kind = named or str(seen.found.kind if seen.found is not None else "")
        rest: dict[str, Any] = {"dataset": dataset_name(short, None), "config": config}
        if seen.found is not None:
            rest |= first_answers(seen.found)
        return self.publications.begin(file=short, kind=kind, **rest)

    def declared(self) -> Declared | None:
        """The configuration in the studio's folder, if there is one."""
        return declared_in(self.workspace.folder)

    def _begin_declared(self, name: str) -> Publication:
        """Begin one with all that a configuration says."""
        declared, fields = self._read_declared(name)
        return self.publications.begin(file=self.workspace.short(declared.file), kind=declared.kind, config=name, **fields)

    def _read_declared(self, name: str) -> tuple[Declared, dict[str, Any]]:
        declared = declared_in(self.workspace.folder, name)
        path = self.workspace.folder / Path("" if declared is None else declared.file).expanduser()
        if declared is None or not declared.file or not path.is_file():
            message = f"{name} must name the private file, got input = {'' if declared is None else declared.file!r}"
            raise InputError(message)
        require_same_ledger(declared, self.workspace.folder, self.workspace.ledger_path)
        self.workspace.know_config((self.workspace.folder / name).read_bytes())
        return declared, {"dataset": dataset_name(self.workspace.short(path), None)} | declared.typed()

    def take_over(self, identity: str) -> Publication:
        """Take over what was changed in the configuration outside of the studio."""
        known = self.publications.find(identity)
        declared, fields = self._read_declared(known.config)
        return self.publications.change(identity, known.version, kind=declared.kind, **fields)

    def change_kind(self, identity: str, form: Form) -> Publication:
        """Read the file as another kind of data; answers that mean the same there are kept."""
        known, kind = self.publications.find(identity), kind_named(form.get("kind", ""))
        seen = self._look(known.file, kind.name)
        names = {option.field_name for option in kind.options}
        kept = {name: text for name, text in known.options.items() if name in names}
        first = {"options": {}, "columns": {}} if seen.found is None else first_answers(seen.found)
        first["options"] |= kept
        changes = {**first, "parameters": {}, "answers": {}, "method": AUTO, "is_mapped": False}
        return self.changed(form, identity, kind=kind.name, **changes)

    def again(self, identity: str) -> Publication:
        """A new publication with everything that was typed for another one."""
        known = self.publications.find(identity)
        kept = ("options", "parameters", "facts", "method", "output", "columns", "answers", "config", "is_mapped")
        rest: dict[str, Any] = {name: getattr(known, name) for name in kept}
        rest |= {"epsilon": known.epsilon, "delta": known.delta, "dataset": known.dataset, "observed": known.observed}
        return self.publications.begin(file=known.file, kind=known.kind, **rest)

    def seen(self, publication: Publication) -> Seen:
        """What is known of a publication's file; kept in memory only."""
        return self._look(publication.file, publication.kind)

    def _look(self, file: str, kind: str | None) -> Seen:
        path = self.workspace.folder / file
        with self._looking:  # two tabs look once
            try:
                stat = path.stat()
            except OSError:
                return Seen(None, note=f"the file {file!r} does not exist any more")
            key = (file, kind, stat.st_size, stat.st_mtime_ns)
            if key not in self._seen:
                self._seen[key] = self._looked(path, file, kind)
                if kind is None and (found := self._seen[key].found) is not None:
                    self._seen[file, found.kind, stat.st_size, stat.st_mtime_ns] = self._seen[key]
            return self._seen[key]

    def _looked(self, path: Path, file: str, kind: str | None) -> Seen:
        columns = columns_of(path)
        try:
            found = replace(inspect(path, kind=kind), source=file)
        except TacitaError as error:
            return Seen(None, note=str(error), names=columns.names)
        lines = found.reading.file_format in {"wide", "dat", "seq"}
        return Seen(found, note="; ".join(found.obstacles), names=() if lines else tuple(one.name for one in found.columns))

    def data(self, publication: Publication) -> dict[str, Any]:
        """The mapping of the file, what it writes, and what is missing."""
        seen = self.seen(publication)
        return {
            **mapped(publication, seen, self.workspace),
            **self.written(publication, seen),
            "kinds": list(kinds().values()),
            "is_changed": self.workspace.is_changed(publication.config),
        }

    def written(self, publication: Publication, seen: Seen) -> dict[str, Any]:
        """What the page writes and runs, and what is missing; nothing is written by showing it."""
        missing = missing_of(publication, seen, self.workspace)
        return {
            "missing": missing,
            "ready": _ready(publication, seen, missing),
            "toml": self.declaration_of(publication, missing),
            "line": as_line(next_words(publication)),
        }

    def declaration_of(self, publication: Publication, missing: Sequence[Missing]) -> str:
        """The configuration, with what is missing as open lines."""
        names = {"labels": "universe"}
        left = {part.field.removeprefix("option-").removeprefix("answer-").replace("-", "_") for part in missing}
        columns = {name: dict(one) for name, one in publication.columns.items()}
        listed = self.seen(publication).names
        for part in missing:
            words = part.field.split("-")
            if words[0] == "column" and listed[int(words[1])] in columns:
                columns[listed[int(words[1])]][words[2]] = OPEN
        still_open = {names.get(name, name) for name in left} | ({"epsilon"} if self.takes_epsilon(publication) else set())
        shown = replace(publication, columns=columns)
        return declaration(shown, ledger=self.workspace.short(self.workspace.ledger_path), still_open=still_open)

    def takes_epsilon(self, publication: Publication) -> bool:
        """Whether the method, or any that may be chosen, spends a budget."""
        if publication.method != AUTO:
            return method_named(publication.method).promise.takes_epsilon
        return any(one.promise.takes_epsilon for one in methods().values() if one.kind == publication.kind)

    def declare(self, publication: Publication) -> None:
        """Write the configuration of a publication."""
        missing = missing_of(publication, self.seen(publication), self.workspace)
        self.workspace.write_config(publication.config, self.declaration_of(publication, missing))

    def drafted(self, identity: str, form: Form) -> Publication:
        """The publication as a form has it; nothing is kept."""
        known = self.publications.find(identity)
        kept = self.workspace.short(self.workspace.own / "files")
        return drafted(known, form, self.seen(known), keep=lambda name, _text: f"{kept}/{name}", folder=self.workspace.folder)

    def rows(self, publication: Publication) -> list[str]:
        """The first rows, because the owner asks for them."""
        return first_rows(self.workspace.folder / publication.file)

    def save_data(self, identity: str, form: Form) -> Publication:
        """Keep what was typed about the file, and write it to the configuration."""
        known = self.publications.find(identity)
        seen = self.seen(known)
        typed = drafted(known, form, seen, keep=self.workspace.keep_text, folder=self.workspace.folder)
        missing = missing_of(typed, seen, self.workspace)
        names = ("options", "output", "columns", "answers", "observed", "dataset")
        changes = {name: getattr(typed, name) for name in names}
        left = missing[0].text if missing else ""
        is_mapped = not missing and form.get("do") != "save"
        saved = self.changed(form, identity, **changes, left=left, is_mapped=is_mapped)
        self.declare(saved)
        return saved

    def changed(self, form: Form, identity: str, **changes: Any) -> Publication:  # noqa: ANN401 - fields of a publication
        """Keep what a form changes, if nobody else changed the publication meanwhile."""
        version = form.get("version", "")
        if not version.isdecimal():
            message = "this form is not whole; open the page again"
            raise ParameterError(message)
        return self.publications.change(identity, int(version), **changes)

    def missing(self, publication: Publication) -> list[Missing]:
        """What must be said before anything can be compared or published."""
        return missing_of(publication, self.seen(publication), self.workspace)


def _ready(publication: Publication, seen: Seen, missing: Sequence[Missing]) -> list[str]:
    """What is said already, in a list that grows while somebody types."""
    options = publication.options
    found = []
    if options.get("person"):
        found = [f"A person is a {options['person'].splitlines()[0].rstrip('.')}."]
    elif seen.names and publication.columns and not any("person" in part.text for part in missing):
        found = ["Every row is a person of its own."]
    found += [f"Labels are on the list {options['universe']}."] if options.get("universe") else []
    found += ["Labels are the cells of a public grid."] if options.get("cells") else []
    found += ["Times are on a public grid."] if options.get("time_start") else []
    found += [f"{len(publication.columns)} columns are declared."] if publication.columns else []
    return found
