"""The pages on a release: an evaluation, a report for its owner, with raw figures, and one for its recipients, without.

The owner's page says first what the release is good for, beside its floors. The report for recipients may go with the release: it
is made from the release alone, so that no title, order or verdict in it depends on the raw data.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacita.kinds import Kind
from tacita.pages.promise import Promise, budget_section, promise_of, tables_of, words_of
from tacita.pictures import Page, Picture, Section, Table, render
from tacita.pictures.picture import percent
from tacita.utility.verdict import LIMITS, Grade, Judgement, Use, headline

__all__ = ["PRIVATE", "Report", "Reported", "evaluation_page", "evaluation_sections", "owner_report", "public_report"]


# How useful a release is: figures of any kind as tables, and the pictures of the kind.

PRIVATE = "For the owner's eyes only: everything here is computed from raw data, without noise. Keep it out of every release."
EYES = (
    "Whatever is marked raw, and every verdict, comes from the private file, without noise. The page that may travel with the "
    "release is the other one that tacita report writes (--shared)."
)
GRADES = {Grade.GOOD: "Good for", Grade.CARE: "Use with care for", Grade.BAD: "Do not use for"}
RULE = (
    "Good: off by at most the good limit of its measure, better than publishing nothing, and not beaten by the simplest release "
    "(by more than a tenth of its error and half of the good limit). "
    "Do not use: off by more than the care limit, no better than nothing, or beaten by the simplest release and not within the "
    "good limit. All else needs care."
)


def evaluation_sections(kind: Kind, found: Mapping[str, Any], drawn: Sequence[Picture], left_out: str) -> list[Section]:
    """The pictures, then the figures of each section of the kind, then what was left out of the file."""
    measured = {name: part for name, part in found.items() if part is not None}
    sections = [Section(title="What the release keeps", pictures=drawn)] if drawn else []
    for name, part in measured.items():
        words = kind.sections.get(name, name)
        title = "Figures" if len(measured) == 1 else f"Figures: {words}"
        sections.append(Section(title=title, tables=tables_of(words, part.as_json())))
    return [*sections, Section(title="What was left out", paragraphs=[f"Of the private file, {left_out}."])]


def evaluation_page(title: str, kind: Kind, found: Mapping[str, Any], drawn: Sequence[Picture], *, left_out: str) -> str:
    """The page of `tacita evaluate`; `left_out` says how many rows did not fit."""
    return render(Page(title=title, sections=evaluation_sections(kind, found, drawn, left_out), private=PRIVATE))


USING = (
    "Check the folder first, then open it: you get the data, its guarantee, and answers with error bars where the law of the "
    "noise is known."
)
AGAIN = (
    "The same command makes another release with fresh noise and spends the budget again; the figures above differ then by "
    "chance. Public inputs are named by their hashes, so that the right files can be distinguished from others."
)


@dataclass(frozen=True, kw_only=True)
class Reported:
    """What a report is made of: the manifest, the released data, pictures of it alone, and how to refer to its folder."""

    kind: Kind
    manifest: Mapping[str, Any]
    drawn: Sequence[Picture]
    folder: str
    released: int


@dataclass(frozen=True, kw_only=True)
class Report(Page):
    """A page whose first screen, and first printed page, is enough for a board: verdict, figures, promise."""

    place: str
    about: str
    """Which release it is, in a line above the title."""
    figures: Sequence[tuple[str, str]]
    """Four numbers, each with what it is."""
    promise: Promise
    uses: Sequence[tuple[str, str, Sequence[Use]]] = ()
    """Grade, its words, and what it was given to; none on a page without raw figures."""
    rule: str = ""
    limits: Table | None = None

    template: ClassVar[str] = "report.html"

    def as_json(self) -> dict[str, object]:
        """The same figures for scripts."""
        promised = self.promise.as_section().as_json()
        verdicts = [
            {
                "title": words,
                "paragraphs": [],
                "points": [f"{use.use}: {use.said}" for use in some],
                "tables": [],
                "pictures": [],
                "commands": [],
            }
            for _, words, some in self.uses
        ]
        base = super().as_json()
        rest = base["sections"] if isinstance(base["sections"], list) else []
        return {**base, "figures": [list(pair) for pair in self.figures], "sections": [*verdicts, promised, *rest]}


def public_report(of: Reported) -> Page:
    """The page that may go with the release: everything in it follows from the folder."""
    facts = Section(title="What the release shows", pictures=of.drawn, menu="Pictures")
    using = Section(
        title="How to use it",
        paragraphs=[USING],
        commands=[f"tacita verify {shlex.quote(of.folder)}", _opening(of.folder)],
    )
    sections = [*_budget(of.manifest), *([facts] if of.drawn else []), _making(of.manifest), using]
    figures = [*_spent(of.manifest), (f"{of.released:,}", _pieces(of.kind)), *_sizes(of.manifest)]
    title = f"A release of {of.kind.whole or of.kind.name}, and what it promises"
    return _page(of, sections, title=title, place="release", figures=figures)


def owner_report(of: Reported, *, judgement: Judgement | None, drawn: Sequence[Picture], sections: Sequence[Section]) -> Page:
    """The page for the owner: what the release is good for, raw figures beside the released ones, and how it is made again."""
    again = Section(
        title="How to reproduce it",
        paragraphs=[AGAIN],
        tables=[_inputs(of.manifest)],
        commands=[_command(of), f"tacita verify {shlex.quote(of.folder)}"],
    )
    kept = [Section(title="What the release keeps", pictures=drawn, menu="Pictures")] if drawn else []
    appendix = [*sections, _making(of.manifest), again]
    if judgement is None:
        figures = [*_spent(of.manifest), (f"{of.released:,}", _pieces(of.kind))]
        title = f"What a release of {of.kind.whole or of.kind.name} keeps"
        return _page(
            of, [*_budget(of.manifest), *kept, *appendix], title=title, place="owner's report", figures=figures, private=EYES
        )
    main = judgement.main
    figures = [
        *_spent(of.manifest),
        (f"{judgement.sizes[1]:,}", f"{judgement.pieces} (raw {judgement.sizes[0]:,})"),
        (percent(main.off), f"off: {main.short}"),
        (percent(main.simplest), "with the simplest release"),
    ]
    measured = Section(
        title="Figures",
        menu="Figures",
        tables=[
            Table(
                caption="Every measure beside its floors",
                columns=("measure", "off by", "nothing", "simplest", "verdict"),
                rows=tuple((each.use, each.off, each.nothing, each.simplest, GRADES[each.grade]) for each in judgement.measures),
            ),
            *tables_of("Further figures", judgement.figures),
        ],
    )
    unchecked = [Section(title="What was not checked", points=list(judgement.not_checked))] if judgement.not_checked else []
    return _page(
        of,
        [*_budget(of.manifest), *unchecked, *kept, measured, *appendix],
        title=headline(judgement),
        place="owner's report",
        figures=figures,
        private=EYES,
        uses=[(str(grade), words, judgement.of(grade)) for grade, words in GRADES.items()],
        rule=f"{RULE} The simplest release is {judgement.simplest}.",
        limits=Table(
            caption="Limits by measure",
            columns=("measure", "what is measured", "good up to", "care up to"),
            rows=tuple((name, each.what, percent(each.good), percent(each.care)) for name, each in LIMITS.items()),
        ),
    )


def _pieces(kind: Kind) -> str:
    return kind.pieces or kind.name


def _budget(manifest: Mapping[str, Any]) -> list[Section]:
    budget = budget_section(manifest)
    return [] if budget is None else [budget]


def _spent(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was spent for whom, or that it was verified."""
    guarantee = manifest["guarantee"]
    if "epsilon" not in guarantee:
        return [("verified", "no differential privacy")]
    unit = guarantee["neighbours"].get("unit", "one record")
    delta = guarantee.get("delta", "0")
    return [(f"ε {_decimal(guarantee['epsilon'])}", f"for {unit}" + (f"; δ {delta}" if delta != "0" else ""))]


def _decimal(amount: str) -> str:
    return f"{float(Fraction(amount)):.4g}"


def _sizes(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How many labels and intervals are public."""
    inputs, found = manifest["public_inputs"], []
    if "size" in inputs.get("universe", {}):
        found.append((f"{inputs['universe']['size']:,}", "public labels"))
    if "intervals" in inputs.get("time_grid", {}):
        found.append((f"{inputs['time_grid']['intervals']:,}", "public intervals of time"))
    return found


def _page(  # noqa: PLR0913 - the parts of a page
    of: Reported,
    sections: Sequence[Section],
    *,
    title: str,
    place: str,
    figures: Sequence[tuple[str, str]],
    private: str = "",
    uses: Sequence[tuple[str, str, Sequence[Use]]] = (),
    rule: str = "",
    limits: Table | None = None,
) -> Report:
    guarantee, mechanism = of.manifest["guarantee"], of.manifest["mechanism"]["name"]
    return Report(
        title=title,
        lead=guarantee["statement"],
        verdict="" if guarantee["holds"] else "The promise does not hold for this release.",
        is_bad=not guarantee["holds"],
        sections=sections,
        private=private,
        footer=f"Made by Tacita {of.manifest['tacita']} on {of.manifest['created']}. This page is one file and loads nothing.",
        place=place,
        about=f"Release {of.folder}, {of.manifest['created']}. {of.kind.name.capitalize()}, method {mechanism}",
        figures=figures[:4],
        promise=promise_of(guarantee),
        uses=uses,
        rule=rule,
        limits=limits,
    )


def _making(manifest: Mapping[str, Any]) -> Section:
    mechanism = manifest["mechanism"]
    given = {name: value for name, value in mechanism["parameters"].items() if value not in (None, [])}
    rows = tuple((name.replace("_", " "), words_of(value)) for name, value in given.items())
    files = tuple((file["name"], file.get("bytes"), file["sha256"]) for file in manifest.get("files", ()))
    listed = [Table(caption="Files of the release", columns=("file", "bytes", "SHA-256"), rows=files)] if files else []
    return Section(
        title="How it was made",
        paragraphs=[f"By the method {mechanism['name']}. These rules were applied whatever the data:"],
        points=list(manifest["rules"]),
        tables=[
            Table(caption="Parameters, all of them public", columns=("parameter", "value"), rows=rows or (("(none)", ""),)),
            *listed,
        ],
    )


def _inputs(manifest: Mapping[str, Any]) -> Table:
    rows = tuple((name.replace("_", " "), str(each.get("sha256", ""))) for name, each in manifest["public_inputs"].items())
    return Table(caption="Public inputs", columns=("input", "SHA-256"), rows=rows or (("(none)", ""),))


def _opening(folder: str) -> str:
    return f"import tacita as ta\n\nrelease = ta.open_release({folder!r})\nrelease.guarantee\nrelease.data.to_polars()"


def _command(of: Reported) -> str:
    """The command that publishes with the same parameters; files cannot be inferred from hashes and stand as capitals."""
    mechanism, guarantee = of.manifest["mechanism"], of.manifest["guarantee"]
    method = next((each for each in of.kind.methods if each.name == mechanism["name"]), None)
    words = ["tacita", "publish", of.kind.name, "FILE", "--method", mechanism["name"]]
    if "epsilon" in guarantee:
        words += ["--epsilon", guarantee["epsilon"]]
        words += ["--delta", guarantee["delta"]] if guarantee.get("delta", "0") != "0" else []
    for name, value in mechanism["parameters"].items():
        option = None if method is None else method.option(name)
        if option is None or value in (None, False, []):
            continue
        words += [option.flag] if option.switch else [option.flag, name.upper() if _is_hash(value) else _typed(value)]
    public = of.manifest["public_inputs"]
    if "cells" in public:
        cells = public["cells"]
        box = ",".join(str(cells[side]) for side in ("south", "west", "north", "east"))
        words += ["--cells", box, "--cell-size", f"{cells['rows']}x{cells['columns']}"]
    elif "universe" in public:
        words += ["--universe", "UNIVERSE"]
    return shlex.join([*words, "--out", "FOLDER"])


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and all(letter in "0123456789abcdef" for letter in value)


def _typed(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
