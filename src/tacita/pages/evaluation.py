"""How useful a release is, compared with the private records that it was made from; and the pages that show it.

Every figure comes from raw data without noise and is for the owner's eyes only.

The pages on what the judges found are here too: an audit with its evidence, which shows how much of the promise was seen to be
used, and attacks with a picture of what they could tell. All of them are for the owner only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tacita.attacks.result import Figure
from tacita.errors import ParameterError
from tacita.kinds import Kind, load
from tacita.kinds.words import built_taxonomy
from tacita.pages.release_report import Reported, evaluation_page, evaluation_sections, owner_report, public_report
from tacita.pictures import Bars, Page, Picture, Section, Table, bar_plot, render
from tacita.pictures.picture import percent
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.public.inputs import PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.utility.verdict import Judged, Judgement, headline

if TYPE_CHECKING:
    from tacita.auditing.verdict import AuditReport, Check

__all__ = [
    "Assessed",
    "Beside",
    "Evaluation",
    "Figures",
    "attack_page",
    "attack_picture",
    "audit_page",
    "evaluated",
    "groups_to_draw_by",
    "judged_and_drawn",
    "measures_beside",
    "report_pages",
]


class Figures(Protocol):
    """The figures of one section, for people and for scripts."""

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        ...

    def __str__(self) -> str:
        """The figures for people."""
        ...


@dataclass(frozen=True, kw_only=True, repr=False)
class Evaluation:
    """The figures of an evaluation by section, computed from raw data: for the owner's eyes only; print it."""

    kind: Kind
    sections: Mapping[str, Figures | None]
    """By name; None for a section that does not apply to this release."""
    left_out: str
    """How many rows did not fit, by column and rule."""
    beside: Mapping[str, Figures | None] = field(default_factory=dict)
    """What was asked for beside them, such as models that learn from the release."""
    pictures: Callable[[], Sequence[Picture]] = field(default=list, compare=False)
    """Draws both sides, when it is called."""

    def __getitem__(self, name: str) -> Figures | None:
        """The figures of a section."""
        every = {**self.sections, **self.beside}
        if name not in every:
            message = f"this evaluation has no section {name!r}; it has {', '.join(every)}"
            raise ParameterError(message)
        return every[name]

    def as_json(self) -> dict[str, object]:
        """All figures, as `tacita evaluate --json` prints them."""
        found = {name: None if part is None else part.as_json() for name, part in {**self.sections, **self.beside}.items()}
        return {"left_out": self.left_out, **found}

    def __str__(self) -> str:
        """All figures, as `tacita evaluate` prints them."""
        every = {name: part for name, part in {**self.sections, **self.beside}.items() if part is not None}
        floors = every.pop("floors", None)
        if len(every) == 1:
            text = "\n".join(str(part) for part in every.values())
        else:
            text = "\n\n".join(f"== {self.kind.sections.get(name, name)} ==\n{part}" for name, part in every.items())
        text = text if floors is None else f"{text}\n\n{floors}"
        return f"{text}\n\nOf the private file, {self.left_out}."

    def __repr__(self) -> str:
        """What was evaluated; figures are printed, or taken from `as_json`."""
        return f"Evaluation({self.kind.name}: {', '.join({**self.sections, **self.beside})})"

    def page(self, title: str) -> str:
        """Figures and pictures as one HTML page."""
        return evaluation_page(title, self.kind, self.sections, self.pictures(), left_out=self.left_out)


def measures_beside(
    kind: Kind, manifest: Mapping[str, Any], *, tasks: bool, without_noise: bool
) -> dict[str, Callable[[Any, Any], Figures | None]]:
    """What else was asked for; refused before anything is computed where the kind does not have it."""
    found: dict[str, Callable[[Any, Any], Figures | None]] = {}
    asked = (("tasks", tasks, kind.tasks, "--tasks"), ("without_noise", without_noise, kind.without_noise, "--without-noise"))
    for name, is_asked, registered, flag in asked:
        if not is_asked:
            continue
        if registered is None:
            message = f"{flag} is not for {kind.name}; leave it out"
            raise ParameterError(message)
        found[name] = load(registered) if name == "tasks" else partial(load(registered), mechanism=manifest["mechanism"])
    return found


def evaluated(
    kind: Kind,
    manifest: Mapping[str, Any],
    records: Any,  # noqa: ANN401 - of any kind
    published: Any,  # noqa: ANN401 - of any kind
    beside: Mapping[str, Callable[[Any, Any], Figures | None]],
) -> Evaluation:
    """Compare published data with the records that it was made from."""
    found = dict(load(kind.reported)(records, published))
    if kind.floors is not None:
        found["floors"] = load(kind.floors)(records, published, manifest)
    return Evaluation(
        kind=kind,
        sections=found,
        left_out=records.owner_note,
        beside={name: measure(records, published) for name, measure in beside.items()},
        pictures=lambda: judged_and_drawn(kind, manifest, records, published)[1],
    )


def report_pages(  # noqa: PLR0913 - what pages are made of
    kind: Kind,
    manifest: Mapping[str, Any],
    published: Any,  # noqa: ANN401 - of any kind
    *,
    folder: str,
    read: Callable[[], Any] | None,
    groups: Taxonomy | None = None,
    outline: str | Path | None = None,
) -> dict[str, Page]:
    """The page that may go with the release, `public`, and, if the private records can be read, the `owner`'s.

    The lines of an `outline`, a public file, are drawn over maps of cells.
    """
    published = published if outline is None else outlined(published, outline)
    grouped = {} if groups is None else {"taxonomy": groups}
    drawn = published.pictures(**grouped) if hasattr(published, "pictures") else []
    of = Reported(kind=kind, manifest=manifest, drawn=drawn, folder=folder, released=len(published))
    pages = {"public": public_report(of)}
    if read is not None:
        records = read()
        judgement, compared = judged_and_drawn(kind, manifest, records, published, groups=groups)
        found = load(kind.reported)(records, published) if judgement is None else {}
        *figures, left_out = evaluation_sections(kind, found, (), records.owner_note)
        pages["owner"] = owner_report(of, judgement=judgement, drawn=compared, sections=[*figures, left_out])
    return pages


def judged_and_drawn(
    kind: Kind,
    manifest: Mapping[str, Any],
    records: Any,  # noqa: ANN401 - of any kind
    published: Any,  # noqa: ANN401 - of any kind
    *,
    groups: Taxonomy | None = None,
) -> tuple[Judgement | None, Sequence[Picture]]:
    """What a release is good for, and the pictures that show it; nothing of a kind that does not say."""
    if kind.judged is None:
        return None, ()
    judgement: Judgement = load(kind.judged)(records, published, manifest)
    grouped = {} if groups is None else {"taxonomy": groups}
    return judgement, [] if kind.drawn is None else load(kind.drawn)(records, published, found=judgement, **grouped)


def outlined(published: Any, outline: str | Path) -> Any:  # noqa: ANN401 - of any kind
    """The same data, on maps with these lines."""
    universe = published.public.universe
    if universe is None or universe.cells is None:
        message = "an outline is drawn over maps, and the places of this release are no cells of a map; leave it out"
        raise ParameterError(message)
    named = next(each.name for each in fields(published) if getattr(published, each.name) is universe)
    drawn = Universe(universe.labels, origin=universe.origin, cells=universe.cells.outlined(outline))
    return replace(published, **{named: drawn})


class Released(Protocol):
    """A release that was opened: its kind, its manifest and its data."""

    @property
    def kind(self) -> Kind:
        """The kind."""
        ...

    @property
    def manifest(self) -> Mapping[str, Any]:
        """What it says of itself."""
        ...

    @property
    def published(self) -> Any:  # noqa: ANN401 - of any kind
        """The data."""
        ...


@dataclass(frozen=True, kw_only=True)
class Beside:
    """Two releases of the same data, measure by measure, computed from raw data: for the owner's eyes only."""

    names: tuple[str, str]
    judged: tuple[Judgement, Judgement]

    @classmethod
    def of(cls, kind: Kind, records: Any, releases: Mapping[str, Released]) -> Beside:  # noqa: ANN401 - of any kind
        """Judge both; they must be of one kind, which must say what it is good for."""
        if len(releases) != 2:
            message = "two releases are compared, name two different folders"
            raise ParameterError(message)
        one, two = releases.values()
        if kind.judged is None or two.kind.name != kind.name:
            message = f"two releases must be of one kind to be compared, got {one.kind.name} and {two.kind.name}"
            raise ParameterError(message)
        judge = load(kind.judged)
        first, second = releases
        return cls(names=(first, second), judged=tuple(judge(records, each.published, each.manifest) for each in (one, two)))

    @property
    def rows(self) -> list[tuple[Judged, Judged]]:
        """The measures that both have."""
        other = {each.use: each for each in self.judged[1].measures}
        return [(each, other[each.use]) for each in self.judged[0].measures if each.use in other]

    def nearer(self, one: Judged, two: Judged) -> str:
        """Which release is clearly nearer in a measure; nothing if neither is."""
        return self.names[1] if one.loses_to(two.off) else self.names[0] if two.loses_to(one.off) else ""

    def __str__(self) -> str:
        """A table for a terminal: first what each is good for, then how far off each is."""
        wide = max(12, *(len(name) + 2 for name in self.names))
        lines = [OWNER_ONLY, *(f"{name}: {headline(each)}" for name, each in zip(self.names, self.judged, strict=True)), ""]
        lines.append(f"{'off by':<44}" + "".join(f"{name:>{wide}}" for name in (*self.names, "simplest", "nothing")) + "  nearer")
        for one, two in self.rows:
            cells = (percent(value) for value in (one.off, two.off, one.simplest, one.nothing))
            lines.append(
                f"  {one.use:<42.42}" + "".join(f"{cell:>{wide}}" for cell in cells) + f"  {self.nearer(one, two) or 'neither'}"
            )
        return "\n".join(lines)

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        releases = [{"release": name, "headline": headline(each)} for name, each in zip(self.names, self.judged, strict=True)]
        measures = [
            {
                "use": one.use,
                "off": [one.off, two.off],
                "simplest": [one.simplest, two.simplest],
                "nothing": one.nothing,
                "grades": [str(one.grade), str(two.grade)],
                "nearer": self.nearer(one, two) or None,
            }
            for one, two in self.rows
        ]
        return {"warning": OWNER_ONLY, "releases": releases, "measures": measures}


def groups_to_draw_by(
    kind: Kind, public: PublicInputs, *, file: Taxonomy | str | Path | None, columns: Sequence[str] | None
) -> Taxonomy | None:
    """The groups of labels to draw by, such as stations by lines, if some were named and the kind draws by groups."""
    named = str(file) if isinstance(file, Path) else file
    given = {name: value for name, value in {"taxonomy": named, "taxonomy_columns": columns}.items() if value is not None}
    if not given:
        return None
    if not kind.drawn_by_groups:
        message = f"pictures of {kind.name} are not drawn by groups, so --groups would do nothing; leave it out"
        raise ParameterError(message)
    return built_taxonomy(given, public)


WHAT_IT_SHOWS = (
    "Exact replay proves the accounting: the privacy loss of recorded runs, computed draw by draw on neighbouring data. The "
    "output test compares what is published, over many runs, with the exact law. The black box bounds epsilon from below, from "
    "outputs alone. Controls are mechanisms that are broken on purpose; each must be caught, or the auditor is blind. No audit "
    "proves a guarantee for all data: that is what the proof does. The audit looks for places where code and proof differ."
)
PRIVATE = "For the owner's eyes only: parts of an audit are computed from true counts. Keep it out of every release."


def audit_page(report: AuditReport) -> str:
    """Render the report; failures come first."""
    failed = [check for check in report.checks if not check.passed]
    passed = [check for check in report.checks if check.passed]
    rows = tuple((check.mark.strip(), check.subject, check.test, check.summary) for check in [*failed, *passed])
    table = Table(caption="All checks, failures first", columns=("verdict", "subject", "test", "what was found"), rows=rows)
    shares = _shares(report.checks)
    sections = [
        Section(title="Checks", tables=[table], pictures=[] if shares is None else [shares]),
        Section(title="Evidence", points=[line for check in [*failed, *passed] for line in _evidence(check)]),
        Section(title="What this shows", paragraphs=[WHAT_IT_SHOWS]),
    ]
    verdict = (
        "no check found anything; " + report.verdict if not failed else f"{len(failed)} of {len(report.checks)} checks FAILED"
    )
    return render(Page(title=report.title, sections=sections, verdict=verdict, is_bad=bool(failed), private=PRIVATE))


def _shares(checks: tuple[Check, ...]) -> Picture | None:
    """The share of the promised loss that each check saw, where it measured one."""
    seen = [(f"{check.subject}, {check.test}", check.figures["share"]) for check in checks if "share" in check.figures]
    seen = [(name, share) for name, share in seen if 0 <= share < 10]
    if not seen:
        return None
    return bar_plot(
        "How much of the promised privacy loss was seen; above 100 % the promise is broken",
        [name for name, _ in seen],
        [Bars(name="seen", values=[share for _, share in seen], bounds=[1.0] * len(seen))],
        unit="share of the promised loss",
        percent=True,
    )


def _evidence(check: Check) -> list[str]:
    name = f"{check.subject}, {check.test}"
    return [*(f"{name}: {line}" for line in check.evidence), *([f"{name}, again: {check.reproduce}"] if check.reproduce else [])]


# What attacks found, as a picture: one row per share, with a bar for the private file and for each release.
#
# Only shares are drawn, no numbers of people or values.


class Assessed(Protocol):
    """What an attack found."""

    @property
    def attack(self) -> str:
        """The name of the attack."""
        ...

    @property
    def against(self) -> str:
        """What was attacked."""
        ...

    @property
    def assumptions(self) -> Sequence[str]:
        """What the attacker is taken to know."""
        ...

    @property
    def figures(self) -> Sequence[Figure]:
        """The figures."""
        ...


def attack_picture(title: str, found: Sequence[Assessed]) -> Picture:
    """Bars for all shares, those of one attack and name together."""
    sides = list(dict.fromkeys(each.against for each in found))
    rows: dict[tuple[str, str], dict[str, Figure]] = {}
    for each in found:
        for figure in each.figures:
            if figure.is_share:
                rows.setdefault((each.attack, figure.name), {})[each.against] = figure
    series = []
    for side in sides:
        figures = [row.get(side) for row in rows.values()]
        bounds = [None if figure is None else figure.bound for figure in figures]
        series.append(
            Bars(
                name=side,
                values=[None if figure is None else max(0.0, figure.value) for figure in figures],
                bounds=bounds if any(bound is not None for bound in bounds) else None,
            )
        )
    bounded = any(each.bounds is not None for each in series)
    return bar_plot(
        title,
        [f"{attack}: {name}" for attack, name in rows],
        series,
        unit="share of people or records",
        about="Shares of people or records" + ("; a thick mark is what is allowed at most." if bounded else "."),
        percent=True,
    )


def attack_page(title: str, found: Sequence[Assessed]) -> str:
    """Picture and tables on one page."""
    sections = [Section(title="Who is found out", pictures=[attack_picture(title, found)])]
    for each in found:
        columns = ("figure", "value", "low", "high", "at most")
        rows = tuple((figure.name, figure.value, figure.low, figure.high, figure.bound) for figure in each.figures)
        table = Table(caption=f"{each.attack} against {each.against}", columns=columns, rows=rows)
        name = f"{each.attack[:1].upper()}{each.attack[1:]} against {each.against}"
        sections.append(Section(title=name, points=[f"assumes: {words}" for words in each.assumptions], tables=[table]))
    private = (
        "For the owner's eyes only: these figures are computed from raw data, without noise. Keep them out of every release."
    )
    return render(Page(title=title, sections=sections, private=private))
