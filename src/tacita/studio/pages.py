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
from tacita.io import dataset_name, read_manifest
from tacita.kinds import kind_named, kinds, method_named, methods
from tacita.kinds.configuration import COLUMNS, FILE_NAME
from tacita.pictures import Axis, Bars, Line, Picture, Table, bar_plot, line_plot
from tacita.privacy.budget import ApproxDP, PureDP, decimal_text
from tacita.privacy.drafts import appearing
from tacita.privacy.ledger import PERSON, Balance
from tacita.studio.comparison import EPSILONS, Cell, Comparison, Forecaster, as_line, as_python, publish_words, report_words
from tacita.studio.declared import Declared, declared_in, require_same_ledger
from tacita.studio.fields import columns_of, first_rows, kind_fields, method_fields
from tacita.studio.jobs import Job, Jobs, State
from tacita.studio.workspace import Publication, Publications, Workspace

__all__ = ["FACTS", "REPORTS", "Preview", "Studio", "as_refusal", "comparison_pictures", "ledger_picture"]

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

    # the list

    def home(self) -> dict[str, Any]:
        """All publications."""
        listed = [(one, self.job(one)) for one in self.publications.all()]
        return {"publications": listed, "damaged": self.publications.damaged(), **self.ledger()}

    def job(self, publication: Publication) -> Job:
        """How publishing stands."""
        return self.jobs.look(self.publications.place(publication.id) / "publish.journal")

    # a new publication

    def choices(self) -> dict[str, Any]:
        """What a publication begins with."""
        return {"files": self.workspace.files(), "kinds": list(kinds().values()), "declared": self._declared()}

    def begin(self, form: Form) -> Publication:
        """Begin one: a file and what it holds."""
        typed = form.get("elsewhere", "").strip() or form.get("file", "")
        if not typed:
            message = "choose a file, or type where it is"
            raise ParameterError(message)
        path = self.workspace.folder / Path(typed).expanduser()
        if not path.is_file():
            message = f"the file {typed!r} does not exist"
            raise InputError(message)
        declared = self._declared()
        if declared is not None and path.name == FILE_NAME:
            return self._begin_declared(declared)
        kind = kind_named(form.get("kind", ""))
        short = self.workspace.short(path)
        if declared is not None and (declared.file, declared.kind) == (short, kind.name):
            return self._begin_declared(declared)
        return self.publications.begin(file=short, kind=kind.name, dataset=dataset_name(short, None))

    def _declared(self) -> Declared | None:
        return declared_in(self.workspace.folder)

    def _begin_declared(self, declared: Declared) -> Publication:
        """Begin one with all that the folder's `tacita.toml` says."""
        path = self.workspace.folder / Path(declared.file).expanduser()
        if not declared.file or not path.is_file():
            message = f"{FILE_NAME} must name the private file, got input = {declared.file!r}"
            raise InputError(message)
        require_same_ledger(declared, self.workspace.folder, self.workspace.ledger_path)
        short, typed = self.workspace.short(path), declared.typed()
        if declared.columns:
            typed["options"][COLUMNS] = self.workspace.keep_text(f"{COLUMNS}.json", declared.columns)
        return self.publications.begin(file=short, kind=declared.kind, **({"dataset": dataset_name(short, None)} | typed))

    def again(self, identity: str) -> Publication:
        """A new publication with everything that was typed for another one."""
        known = self.publications.find(identity)
        rest: dict[str, Any] = {
            "options": known.options,
            "parameters": known.parameters,
            "facts": known.facts,
            "method": known.method,
            "output": known.output,
        }
        rest |= {"epsilon": known.epsilon, "delta": known.delta, "dataset": known.dataset, "observed": known.observed}
        return self.publications.begin(file=known.file, kind=known.kind, **rest)

    # the file: who a person is, and what is public

    def data(self, publication: Publication) -> dict[str, Any]:
        """The columns, and the options of the kind."""
        kind = kind_named(publication.kind)
        columns = columns_of(self.workspace.folder / publication.file)
        return {
            "kind": kind,
            "columns": columns,
            "public": kind_fields(kind, kind.public_options, publication.options, columns.names),
            "reading": kind_fields(kind, kind.reading_options, publication.options, columns.names),
            "files": self.workspace.files(),
        }

    def rows(self, publication: Publication) -> list[str]:
        """The first rows, because the owner asks for them."""
        return first_rows(self.workspace.folder / publication.file)

    def save_data(self, identity: str, form: Form) -> Publication:
        """Keep what was typed about the file."""
        known = self.publications.find(identity)
        kind = kind_named(known.kind)
        options = {option.field_name: self._value(form, f"option.{option.field_name}") for option in kind.options}
        return self._changed(form, identity, options=_given(options), observed="observed" in form)

    def _value(self, form: Form, key: str) -> str:
        """A value that was typed, or the name of a new file with a text that was typed instead."""
        text = form.get(f"{key}.text", "")
        if text.strip():
            return self.workspace.keep_text(form.get(f"{key}.name", "") or "typed.txt", text)
        return form.get(key, "").strip()

    def _changed(self, form: Form, identity: str, **changes: Any) -> Publication:  # noqa: ANN401 - fields of a publication
        version = form.get("version", "")
        if not version.isdecimal():
            message = "this form is not whole; open the page again"
            raise ParameterError(message)
        return self.publications.change(identity, int(version), **changes)

    # methods and forecasts

    def comparison(self, publication: Publication) -> dict[str, Any]:
        """All methods at several epsilons."""
        kind = kind_named(publication.kind)
        return {
            "kind": kind,
            "fields": method_fields(kind, publication.parameters),
            "facts": FACTS if kind.forecast is not None else {},
            "comparison": self.forecaster.compare(publication),
            "methods": [method for method in methods().values() if method.kind == kind.name],
            "epsilons": EPSILONS,
            "files": self.workspace.files(),
        }

    def save_comparison(self, identity: str, form: Form) -> Publication:
        """Keep the public facts and the parameters of methods."""
        known = self.publications.find(identity)
        names = [field.name for field in method_fields(kind_named(known.kind), {})]
        parameters = {name: self._value(form, f"parameter.{name}") for name in names}
        facts = {name: form.get(f"fact.{name}", "").strip() for name in FACTS}
        return self._changed(form, identity, parameters=_given(parameters), facts=_given(facts))

    # publishing

    def publishing(self, publication: Publication, preview: Preview | None = None) -> dict[str, Any]:
        """The choice, what it would promise and cost, and the same as a command and in Python."""
        kind = kind_named(publication.kind)
        shown = {"kind": kind, "methods": [method for method in methods().values() if method.kind == kind.name]}
        if not publication.method:
            return {**shown, "preview": None}
        preview = self.preview(publication) if preview is None else preview
        return {
            **shown,
            **self._balance(publication, preview),
            "method": method_named(publication.method),
            "preview": preview,
            "line": as_line(publish_words(publication, self.workspace)),
            "python": as_python(publication, self.workspace),
        }

    def _balance(self, publication: Publication, preview: Preview) -> dict[str, Any]:
        """What was spent on the data set so far, and what this publication would add."""
        if preview.told is None or preview.told["explanation"]["plan"] is None:
            return {"balance": [], "asked": None}
        found = self.workspace.ledger().balance(publication.dataset, unit=preview.told["unit"])
        return {"balance": [found], "asked": (publication.dataset, Fraction(preview.told["explanation"]["plan"]["epsilon"]))}

    def save_choice(self, identity: str, form: Form) -> Publication:
        """Keep the method, the budget and the name in the ledger."""
        known = self.publications.find(identity)
        method = method_named(form.get("method", ""))
        if method.kind != known.kind:
            message = f"{method.name} is not a method for this kind of data"
            raise ParameterError(message)
        typed = {name: form.get(name, "").strip() for name in ("epsilon", "delta", "dataset")}
        return self._changed(form, identity, method=method.name, **typed)

    def preview(self, publication: Publication) -> Preview:
        """What publishing would do; the private file stays closed."""
        if publication.observed:
            return Preview(told=None, refusal="")
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
            taken = {one.out for one in self.publications.all()}
            begun = self._changed(form, identity, out=self.workspace.new_release(known.dataset, taken))
        words = [*publish_words(begun, self.workspace), "--json"]
        self.jobs.start(self.publications.place(identity) / "publish.journal", words)
        return None

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
            "line": as_line(publish_words(publication, self.workspace)),
            "python": as_python(publication, self.workspace),
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
        self.jobs.start(journal, words)

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


# The pictures: what was spent under each cap, and what each method is expected to keep at several epsilons.

FEW = 3
"""So many balances are told in words too."""


def ledger_picture(balances: Sequence[Balance], asked: tuple[str, Fraction] | None = None) -> Picture | None:
    """Spent epsilon under each cap; `asked` is a data set, and what a publication would add. None if nothing is known."""
    if not balances:
        return None
    names = [", ".join(one.datasets or (one.dataset,)) + ("" if one.unit == PERSON else f", per {one.unit}") for one in balances]
    caps = [None if one.cap_epsilon is None else float(one.cap_epsilon) for one in balances]
    spent = [Bars(name="spent so far", values=[float(one.epsilon) for one in balances], bounds=caps)]
    if asked is not None:
        after = [float(one.epsilon + asked[1]) if asked[0] in {one.dataset, *one.datasets} else None for one in balances]
        spent.append(Bars(name="with this publication", values=after, bounds=caps))
    told = [f"{name}: {_of_cap(one)}" for name, one in zip(names, balances, strict=True)] if len(balances) <= FEW else []
    about = " ".join(["A thick mark is the cap, where the owner has set one.", *(f"{text}." for text in told)])
    return bar_plot("What was spent, and the owner's caps", names, spent, unit="epsilon", about=about)


def _of_cap(balance: Balance) -> str:
    cap = "no cap" if balance.cap_epsilon is None else f"a cap of {decimal_text(balance.cap_epsilon)}"
    return f"{decimal_text(balance.epsilon)} spent, {cap}"


def comparison_pictures(comparison: Comparison) -> list[Picture]:
    """One picture per figure: a line per method over epsilon, with the range over all simulated worlds in the table."""
    return [_picture(name, [cell for cell in comparison.cells if name in cell.figures]) for name in comparison.figures]


def _picture(name: str, cells: Sequence[Cell]) -> Picture:
    methods = list(dict.fromkeys(cell.method for cell in cells))
    best = cells[0].figures[name].best
    lines = []
    for method in methods:
        own = sorted((cell for cell in cells if cell.method == method), key=lambda cell: float(cell.epsilon))
        values = [cell.figures[name].middle for cell in own]
        lines.append(Line(name=method, values=values, xs=[float(cell.epsilon) for cell in own]))
    rows = [
        (f"{cell.method}, epsilon {cell.epsilon}", cell.figures[name].low, cell.figures[name].middle, cell.figures[name].high)
        for cell in cells
    ]
    drawn = line_plot(
        name[:1].upper() + name[1:],
        lines,
        x=Axis(label="epsilon", logarithmic=True),
        y=Axis(label="median of the simulated worlds"),
        about=f"{'Lower' if best == 0 else 'Higher'} is better; {best:g} would be perfect.",
    )
    table = Table(caption=f"{name}, over all that was simulated", columns=("method", "low", "middle", "high"), rows=tuple(rows))
    return replace(drawn, tables=(table,))


def _readable(folder: Path) -> Mapping[str, Any] | None:
    """The manifest of a release; None if the folder was changed so that it can no longer be read."""
    try:
        return read_manifest(folder)
    except InputError:
        return None
