"""What the pages show and do, one method per page, and the studio's two pictures.

Nothing here names a kind: forms and commands come from registrations.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from tacita.errors import InputError, ParameterError, TacitaError
from tacita.inspecting import inspect
from tacita.io import dataset_name, read_manifest
from tacita.kinds import kind_named, kinds, method_named, methods
from tacita.kinds.configuration import OPEN, read_configuration
from tacita.kinds.registration import AUTO
from tacita.kinds.wanted import chosen_in
from tacita.privacy.budget import ApproxDP, PureDP, decimal_text
from tacita.privacy.drafts import appearing
from tacita.studio.comparison import EPSILONS, Forecaster, as_line, as_python, next_words, publish_words, report_words
from tacita.studio.declared import Declared, declaration, declared_in, require_same_ledger
from tacita.studio.fields import columns_of, first_rows, method_fields
from tacita.studio.jobs import Job, Jobs, State
from tacita.studio.map_page import mapped
from tacita.studio.mapping import Seen, drafted, first_answers
from tacita.studio.missing import Missing, missing_of
from tacita.studio.recommending import (
    PRECEDENTS,
    comparison_picture,
    floor_rows,
    method_rows,
    odds_of,
    primary_of,
    recommended,
)
from tacita.studio.workspace import Publication, Publications, Workspace

__all__ = ["FACTS", "REPORTS", "Preview", "Studio", "as_refusal"]

FACTS = {
    "records": "how many records there are, if that is public; forecasts need it",
    "mean_length": "how long a record is on average, if that is public",
    "longest_record": "how long the longest may be, if that is public",
    "like": "how people behave: session, commuter, journey or wanderer, separated by commas; all if nothing is said",
}
"""Public facts that refine forecasts, as `tacita explain` takes them."""

REPORTS = ("owner", "shared")

Form = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a publication would do: what `tacita publish --dry-run` says."""

    told: dict[str, Any] | None
    refusal: str


class Studio:
    """The studio of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        """Open it; what an earlier studio kept there is found again."""
        self.workspace = workspace
        self.publications = Publications(workspace.own / "publications")
        self.jobs = Jobs(workspace.folder)
        self.forecaster = Forecaster(workspace)
        self._beginning = threading.Lock()
        self._looking = threading.Lock()
        self._seen: dict[tuple[object, ...], Seen] = {}

    def close(self) -> None:
        """End what runs for its pages only; a publication goes on, and is found again."""
        self.forecaster.close()
        self.jobs.close()

    # the list

    def home(self) -> dict[str, Any]:
        """All publications."""
        listed = [(one, self.job(one)) for one in self.publications.all()]
        return {"publications": listed, "damaged": self.publications.damaged(), **self.choices(), **self.ledger()}

    def job(self, publication: Publication) -> Job:
        """How publishing stands."""
        return self.jobs.look(self.publications.place(publication.id) / "publish.journal")

    # a new publication

    def choices(self) -> dict[str, Any]:
        """What a publication begins with."""
        return {"files": self.workspace.files(), "kinds": list(kinds().values()), "declared": self._declared()}

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

    def _declared(self) -> Declared | None:
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
        return self._changed(form, identity, kind=kind.name, **changes)

    def again(self, identity: str) -> Publication:
        """A new publication with everything that was typed for another one."""
        known = self.publications.find(identity)
        kept = ("options", "parameters", "facts", "method", "output", "columns", "answers", "config", "is_mapped")
        rest: dict[str, Any] = {name: getattr(known, name) for name in kept}
        rest |= {"epsilon": known.epsilon, "delta": known.delta, "dataset": known.dataset, "observed": known.observed}
        return self.publications.begin(file=known.file, kind=known.kind, **rest)

    # the file: who a person is, and what is public

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
            "toml": self._declaration(publication, missing),
            "line": as_line(next_words(publication)),
        }

    def _declaration(self, publication: Publication, missing: Sequence[Missing]) -> str:
        """The configuration, with what is missing as open lines."""
        names = {"labels": "universe"}
        left = {part.field.removeprefix("option-").removeprefix("answer-").replace("-", "_") for part in missing}
        columns = {name: dict(one) for name, one in publication.columns.items()}
        listed = self.seen(publication).names
        for part in missing:
            words = part.field.split("-")
            if words[0] == "column" and listed[int(words[1])] in columns:
                columns[listed[int(words[1])]][words[2]] = OPEN
        still_open = {names.get(name, name) for name in left} | ({"epsilon"} if self._takes_epsilon(publication) else set())
        shown = replace(publication, columns=columns)
        return declaration(shown, ledger=self.workspace.short(self.workspace.ledger_path), still_open=still_open)

    def _takes_epsilon(self, publication: Publication) -> bool:
        if publication.method != AUTO:
            return method_named(publication.method).promise.takes_epsilon
        return any(one.promise.takes_epsilon for one in methods().values() if one.kind == publication.kind)

    def _declare(self, publication: Publication) -> None:
        """Write the configuration of a publication."""
        missing = missing_of(publication, self.seen(publication), self.workspace)
        self.workspace.write_config(publication.config, self._declaration(publication, missing))

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
        names = ("options", "columns", "answers", "observed", "dataset")
        changes = {name: getattr(typed, name) for name in names}
        left = missing[0].text if missing else ""
        is_mapped = not missing and form.get("do") != "save"
        saved = self._changed(form, identity, **changes, left=left, is_mapped=is_mapped)
        self._declare(saved)
        return saved

    def _changed(self, form: Form, identity: str, **changes: Any) -> Publication:  # noqa: ANN401 - fields of a publication
        version = form.get("version", "")
        if not version.isdecimal():
            message = "this form is not whole; open the page again"
            raise ParameterError(message)
        return self.publications.change(identity, int(version), **changes)

    # methods and forecasts

    def comparison(self, publication: Publication) -> dict[str, Any]:
        """All methods at several epsilons, the floors, and what is recommended."""
        kind = kind_named(publication.kind)
        own = [method for method in methods().values() if method.kind == kind.name]
        found = self.forecaster.compare(publication)
        takes_epsilon = any(method.promise.takes_epsilon for method in own)
        figure = primary_of(found)
        choice = recommended(found, takes_epsilon=takes_epsilon)
        fields = method_fields(kind, publication.parameters)
        needed = [field for field in fields if set(field.required_by) >= {method.name for method in own}]
        return {
            "kind": kind,
            "needed": needed,
            "fields": [field for field in fields if field not in needed],
            "facts": FACTS if kind.forecast is not None else {},
            "comparison": found,
            "figure": figure,
            "recommended": choice,
            "picture": comparison_picture(found, figure, choice) if figure else None,
            "rows": method_rows(found, own, figure),
            "floors": floor_rows(found, figure),
            "methods": own,
            "epsilons": [epsilon for epsilon in EPSILONS if takes_epsilon],
            "odds": [
                odds_of(epsilon)
                for epsilon in dict.fromkeys((*EPSILONS, publication.epsilon))
                if takes_epsilon and odds_of(epsilon)
            ],
            "precedents": PRECEDENTS,
            "files": self.workspace.files(),
            "balances": [
                one for one in self.workspace.ledger().balances() if publication.dataset in {one.dataset, *one.datasets}
            ],
            "toml": self._declaration(publication, ()),
            "line": as_line(publish_words(publication, self.workspace)),
        }

    def save_comparison(self, identity: str, form: Form) -> Publication:
        """Keep the public facts, the parameters of methods, and the choice as far as it was made."""
        known = self.publications.find(identity)
        names = [field.name for field in method_fields(kind_named(known.kind), {})]
        parameters = {name: self._value(form, f"parameter.{name}", known.parameters.get(name, "")) for name in names}
        facts = {name: form.get(f"fact.{name}", known.facts.get(name, "")).strip() for name in FACTS}
        changes: dict[str, Any] = {"parameters": _given(parameters), "facts": _given(facts)}
        if "method" in form:
            changes["method"] = self._method(known, form["method"])
        other = form.get("epsilon.other", "").strip()
        changes |= {"epsilon": other or form["epsilon"].strip()} if other or "epsilon" in form else {}
        changes |= {"delta": form["delta"].strip()} if "delta" in form else {}
        saved = self._changed(form, identity, **changes)
        self._declare(saved)
        return saved

    def _value(self, form: Form, key: str, known: str) -> str:
        """A value that was typed, or the name of a new file with a text that was typed instead."""
        text = form.get(f"{key}.text", "")
        if text.strip():
            return self.workspace.keep_text(form.get(f"{key}.name", "") or "typed.txt", text)
        if f"switch.{key}" in form and key not in form:
            return ""
        return form.get(key, known).strip()

    def _method(self, known: Publication, name: str) -> str:
        if name == AUTO:
            return AUTO
        method = method_named(name)
        if method.kind != known.kind:
            message = f"{method.name} is not a method for this kind of data"
            raise ParameterError(message)
        return method.name

    # publishing

    def publishing(self, publication: Publication, preview: Preview | None = None) -> dict[str, Any]:
        """What the choice would promise and cost, and the same as a command and in Python."""
        preview = self.preview(publication) if preview is None else preview
        return {
            "kind": kind_named(publication.kind),
            **self._balance(publication, preview),
            "takes_epsilon": self._takes_epsilon(publication) and bool(publication.epsilon),
            "odds": odds_of(publication.epsilon),
            "chosen": chosen_in(preview.told["explanation"]["facts"]) if preview.told is not None else None,
            "preview": preview,
            "line": as_line(publish_words(publication, self.workspace)),
            "python": as_python(publication, self.workspace),
            "toml": self._declaration(publication, ()),
        }

    def is_chosen(self, publication: Publication) -> bool:
        """Whether the owner said what it may cost: without an epsilon, an automatic choice could mean a verified method."""
        return bool(publication.epsilon) or not self._takes_epsilon(publication)

    def missing(self, publication: Publication) -> list[Missing]:
        """What must be said before anything can be compared or published."""
        return missing_of(publication, self.seen(publication), self.workspace)

    def _balance(self, publication: Publication, preview: Preview) -> dict[str, Any]:
        """What was spent on the data set so far, and what this publication would add."""
        if preview.told is None or preview.told["explanation"]["plan"] is None:
            return {"balance": [], "asked": None}
        found = self.workspace.ledger().balance(publication.dataset, unit=preview.told["unit"])
        return {"balance": [found], "asked": (publication.dataset, Fraction(preview.told["explanation"]["plan"]["epsilon"]))}

    def save_choice(self, identity: str, form: Form) -> Publication:
        """Keep the method, the budget and the name in the ledger."""
        known = self.publications.find(identity)
        typed = {name: form.get(name, "").strip() for name in ("epsilon", "delta", "dataset") if name in form}
        method = self._method(known, form.get("method", known.method))
        saved = self._changed(form, identity, method=method, **typed)
        self._declare(saved)
        return saved

    def preview(self, publication: Publication) -> Preview:
        """What publishing would do; the private file stays closed."""
        if publication.observed:
            return Preview(told=None, refusal="")
        self._declare(publication)
        done = self._run([*publish_words(publication, self.workspace, dry=True), "--json"])
        told = json.loads(done.stdout) if done.stdout.startswith("{") else None
        return Preview(told=told, refusal="" if done.returncode == 0 else _sentence(done.stderr))

    def publish(self, identity: str, form: Form) -> Preview | None:
        """Publish as the page showed it; if a dry run is refused, what it says, and nothing is begun."""
        known = self.publications.find(identity)
        if known.has_begun:
            return None
        preview = self.preview(known)
        if preview.refusal:
            return preview
        with self._beginning:  # two tabs that publish at once get folders of their own
            self._declare(known)
            taken = {one.out for one in self.publications.all()}
            out = self.workspace.new_release(known.dataset, taken)
            begun = self._changed(form, identity, out=out, before=str(self._spent(known)))
        words = [*publish_words(begun, self.workspace), "--json"]
        self.jobs.start(self.publications.place(identity) / "publish.journal", words)
        return None

    def _spent(self, publication: Publication) -> Fraction:
        balances = self.workspace.ledger().balances()
        return sum((one.epsilon for one in balances if publication.dataset in {one.dataset, *one.datasets}), Fraction(0))

    def mend(self, identity: str) -> Publication:
        """Take up a publication again that ended without a release; the attempt is noted in it."""
        known = self.publications.find(identity)
        job = self.result(known)["job"]
        if not known.has_begun or not job.state.has_ended or (self.workspace.folder / known.out).exists():
            return known
        spent = self._spent(known) - Fraction(known.before or 0)
        said = {State.CANCELLED: "it was cancelled", State.KILLED: "it was stopped from outside"}
        attempt = {
            "why": said.get(job.state, job.error),
            "spent": "nothing spent" if spent == 0 else f"ε {decimal_text(spent)} stays charged",
        }
        return self.publications.reopen(identity, attempt)

    def cancel(self, identity: str) -> None:
        """Stop publishing."""
        self.jobs.cancel(self.publications.place(identity) / "publish.journal")

    # the result

    def result(self, publication: Publication) -> dict[str, Any]:
        """How it ended, and what there is."""
        job, folder = self.job(publication), self.workspace.folder / publication.out
        if job.state is State.NONE and publication.has_begun:
            job = replace(job, state=State.KILLED)
        written = publication.has_begun and (folder / "manifest.json").is_file()
        manifest = _readable(folder) if written else None
        return {
            "job": job,
            "manifest": manifest,
            "files": sorted(path.name for path in folder.iterdir()) if written else [],
            "report": self.jobs.look(self.publications.place(publication.id) / "report.journal"),
            "check": self.jobs.look(self.publications.place(publication.id) / "verify.journal"),
            "odds": odds_of(publication.epsilon) if manifest is not None and "epsilon" in manifest["guarantee"] else {},
            "line": as_line(publish_words(publication, self.workspace)),
            "python": as_python(publication, self.workspace),
            "toml": self._declaration(publication, ()),
        }

    def packed(self, publication: Publication) -> Path | None:
        """The release as one file, packed when it is first asked for; None if there is no release."""
        folder = self.workspace.folder / publication.out
        if not publication.has_begun or not (folder / "manifest.json").is_file():
            return None
        path = self.publications.place(publication.id) / f"{folder.name}.zip"
        if not path.exists():
            with (
                appearing(path, what="the release cannot be packed into", is_file=True) as draft,
                ZipFile(draft, "w", ZIP_DEFLATED) as archive,
            ):
                for file in sorted(folder.rglob("*")):
                    archive.write(file, f"{folder.name}/{file.relative_to(folder)}")
        return path

    def report_page(self, publication: Publication, which: str) -> Path:
        """Where a report is kept, outside of the release: the owner's, or the one that may be shared."""
        return self.publications.place(publication.id) / f"{which}-report.html"

    def make_report(self, identity: str) -> None:
        """Compare the release with the private file, for the owner's eyes only, and make a page that may be shared."""
        known = self.publications.find(identity)
        owner, shared = (self.report_page(known, which) for which in REPORTS)
        journal = owner.with_name("report.journal")
        if self.jobs.look(journal).state.has_ended and not owner.exists():  # it failed before: try again
            shared.unlink(missing_ok=True)
            journal.unlink()
        words = report_words(known, owner=self.workspace.short(owner), shared=self.workspace.short(shared))
        self.jobs.start(journal, words, is_bound=True)

    def verify(self, identity: str) -> None:
        """Check the release against its own manifest and the ledger, by code that shares nothing with what made it."""
        known = self.publications.find(identity)
        journal = self.publications.place(identity) / "verify.journal"
        if self.jobs.look(journal).state.has_ended:
            journal.unlink()
        words = ["verify", known.out, "--ledger", self.workspace.short(self.workspace.ledger_path)]
        self.jobs.start(journal, words, is_bound=True)

    # the ledger

    def ledger(self) -> dict[str, Any]:
        """Balances and history."""
        ledger = self.workspace.ledger()
        name = self.workspace.short(self.workspace.ledger_path)
        return {"balances": ledger.balances(), "entries": ledger.history()[::-1], "ledger_name": name}

    def set_cap(self, form: Form) -> None:
        """Set what may be spent on a data set."""
        epsilon, delta = form.get("epsilon", "").strip(), form.get("delta", "").strip()
        cap = ApproxDP(epsilon, delta) if delta and delta != "0" else PureDP(epsilon)
        self.workspace.ledger().set_cap(form.get("dataset", "").strip(), cap, unit=form.get("unit", "").strip() or "person")

    def _run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - our own program, without a shell
            [sys.executable, "-m", "tacita.cli", *words],
            cwd=self.workspace.folder,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )


def _given(typed: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in typed.items() if text}


def _sentence(error: str) -> str:
    lines = [line for line in error.splitlines() if line.strip()]
    return lines[-1].removeprefix("tacita: ") if lines else "it was refused without a reason"


def as_refusal(error: TacitaError) -> str:
    """An error as a sentence that begins with a capital."""
    text = str(error)
    return text[:1].upper() + text[1:]


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


def _readable(folder: Path) -> Mapping[str, Any] | None:
    """The manifest of a release; None if the folder was changed so that it can no longer be read."""
    try:
        return read_manifest(folder)
    except InputError:
        return None
