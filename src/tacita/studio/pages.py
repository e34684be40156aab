"""What the pages show and do, one method per page, and the studio's two pictures.

Nothing here names a kind: forms and commands come from registrations.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from tacita.errors import InputError, ParameterError, TacitaError
from tacita.io import read_manifest
from tacita.kinds import kind_named, kinds, method_named, methods
from tacita.kinds.registration import AUTO
from tacita.kinds.wanted import chosen_in
from tacita.privacy.budget import ApproxDP, PureDP, decimal_text
from tacita.privacy.drafts import appearing
from tacita.studio.comparison import EPSILONS, Forecaster, as_line, as_python, publish_words, report_words
from tacita.studio.fields import method_fields
from tacita.studio.files import Files
from tacita.studio.jobs import Job, Jobs, State
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
        self.files = Files(workspace, self.publications)
        self.jobs = Jobs(workspace.folder)
        self.forecaster = Forecaster(workspace)
        self._beginning = threading.Lock()

    def close(self) -> None:
        """End what runs for its pages only; a publication goes on, and is found again."""
        self.forecaster.close()
        self.jobs.close()

    def home(self) -> dict[str, Any]:
        """All publications."""
        listed = [(one, self.job(one)) for one in self.publications.all()]
        return {"publications": listed, "damaged": self.publications.damaged(), **self.choices(), **self.ledger()}

    def job(self, publication: Publication) -> Job:
        """How publishing stands."""
        return self.jobs.look(self.publications.place(publication.id) / "publish.journal")

    def choices(self) -> dict[str, Any]:
        """What a publication begins with."""
        return {"files": self.workspace.files(), "kinds": list(kinds().values()), "declared": self.files.declared()}

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
            "toml": self.files.declaration_of(publication, ()),
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
        saved = self.files.changed(form, identity, **changes)
        self.files.declare(saved)
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

    def publishing(self, publication: Publication, preview: Preview | None = None) -> dict[str, Any]:
        """What the choice would promise and cost, and the same as a command and in Python."""
        preview = self.preview(publication) if preview is None else preview
        return {
            "kind": kind_named(publication.kind),
            **self._balance(publication, preview),
            "takes_epsilon": self.files.takes_epsilon(publication) and bool(publication.epsilon),
            "odds": odds_of(publication.epsilon),
            "chosen": chosen_in(preview.told["explanation"]["facts"]) if preview.told is not None else None,
            "preview": preview,
            "line": as_line(publish_words(publication, self.workspace)),
            "python": as_python(publication, self.workspace),
            "toml": self.files.declaration_of(publication, ()),
        }

    def is_chosen(self, publication: Publication) -> bool:
        """Whether the owner said what it may cost: without an epsilon, an automatic choice could mean a verified method."""
        return bool(publication.epsilon) or not self.files.takes_epsilon(publication)

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
        saved = self.files.changed(form, identity, method=method, **typed)
        self.files.declare(saved)
        return saved

    def preview(self, publication: Publication) -> Preview:
        """What publishing would do; the private file stays closed."""
        if publication.observed:
            return Preview(told=None, refusal="")
        self.files.declare(publication)
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
            self.files.declare(known)
            taken = {one.out for one in self.publications.all()}
            out = self.workspace.new_release(known.dataset, taken)
            begun = self.files.changed(form, identity, out=out, before=str(self._spent(known)))
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
            "toml": self.files.declaration_of(publication, ()),
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


def _readable(folder: Path) -> Mapping[str, Any] | None:
    """The manifest of a release; None if the folder was changed so that it can no longer be read."""
    try:
        return read_manifest(folder)
    except InputError:
        return None
