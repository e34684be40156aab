"""The pages on a release: an evaluation, a report for its owner, with raw figures, and one for its recipients, without.

The report for recipients may go with the release: it is made from the release alone.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacita.kinds import Kind
from tacita.pages.promise import budget_section, promise_section, tables_of, words_of
from tacita.pictures import Page, Picture, Section, Table, render

__all__ = ["PRIVATE", "Reported", "evaluation_page", "evaluation_sections", "owner_report", "public_report"]


# How useful a release is: figures of any kind as tables, and the pictures of the kind.

PRIVATE = "For the owner's eyes only: everything here is computed from raw data, without noise. Keep it out of every release."


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
    "chance. Public inputs are named by their hashes, so that the right files can be told from others."
)


@dataclass(frozen=True, kw_only=True)
class Reported:
    """What a report is made of: the manifest, pictures of the release alone, and how to refer to its folder."""

    kind: Kind
    manifest: Mapping[str, Any]
    drawn: Sequence[Picture]
    folder: str


def public_report(of: Reported) -> Page:
    """The page that may go with the release: everything in it follows from the folder."""
    facts = Section(title="What the release shows", pictures=of.drawn)
    using = Section(
        title="How to use it",
        paragraphs=[USING],
        commands=[f"tacita verify {shlex.quote(of.folder)}", _opening(of.folder)],
    )
    sections = [*_promise(of.manifest), *([facts] if of.drawn else []), _making(of.manifest), using]
    return _page(of, sections, title=f"A release of {of.kind.whole or of.kind.name}")


def owner_report(of: Reported, *, found: Mapping[str, Any], drawn: Sequence[Picture], left_out: str) -> Page:
    """The page for the owner: raw figures beside the released ones, and how the release is made again."""
    again = Section(
        title="How to reproduce it",
        paragraphs=[AGAIN],
        tables=[_inputs(of.manifest)],
        commands=[_command(of), f"tacita verify {shlex.quote(of.folder)}"],
    )
    sections = [*_promise(of.manifest), *evaluation_sections(of.kind, found, drawn, left_out), _making(of.manifest), again]
    return _page(of, sections, title=f"Owner's report on a release of {of.kind.whole or of.kind.name}", private=PRIVATE)


def _promise(manifest: Mapping[str, Any]) -> list[Section]:
    budget = budget_section(manifest)
    return [promise_section(manifest["guarantee"]), *([] if budget is None else [budget])]


def _page(of: Reported, sections: Sequence[Section], *, title: str, private: str = "") -> Page:
    guarantee = of.manifest["guarantee"]
    made = f"Made by Tacita {of.manifest['tacita']} on {of.manifest['created']}. This page is one file and loads nothing."
    return Page(
        title=title,
        lead=guarantee["statement"],
        verdict="" if guarantee["holds"] else "The promise does not hold for this release.",
        is_bad=not guarantee["holds"],
        sections=sections,
        private=private,
        footer=made,
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
    """The command that publishes with the same parameters; files cannot be told from hashes and stand as capitals."""
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
    words += ["--universe", "UNIVERSE"] if "universe" in of.manifest["public_inputs"] else []
    return shlex.join([*words, "--out", "FOLDER"])


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and all(letter in "0123456789abcdef" for letter in value)


def _typed(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
