"""The recipient's side: a release of any kind opened, with its guarantee and, where they exist, error bars; or verified.

`open_release` gives the data back, and answers with error bars if the method allows any. `verify` checks that the folder is
what it says.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from tacita.errors import InputError, OutputError, ParameterError, TacitaError
from tacita.io import named_file, read_manifest
from tacita.kinds import Kind, kinds, load
from tacita.pictures import notebook
from tacita.pictures.picture import html_facts
from tacita.privacy.publishing import Published
from tacita.privacy.release import CROISSANT_FILE, croissant_of, readme_of
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import path_of
from tacita.schemas import manifest_schema, violations

__all__ = ["Finding", "OpenedGuarantee", "OpenedRelease", "Verification", "open_release", "verify"]

SHOWN = 2


@dataclass(frozen=True, kw_only=True)
class OpenedGuarantee:
    """What a release promises, as its manifest says; `tacita verify` checks that this follows from the draws."""

    definition: str
    holds: bool
    statement: str
    voids: tuple[str, ...]
    described: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        """The promise in plain words."""
        return self.statement


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OpenedRelease:
    """A release as its recipient has it: data, guarantee, manifest, and answers with error bars.

    What is asked of the data is passed on to it, so that `ta.open_release(folder).to_polars()` works as well.
    """

    data: Published
    guarantee: OpenedGuarantee
    manifest: Mapping[str, Any]
    kind: Kind

    def __repr__(self) -> str:
        """The kind, the method and the guarantee, as a release of one's own shows them."""
        return f"OpenedRelease({self.kind.name} by {self.manifest['mechanism']['name']}: {self.guarantee.statement})"

    @cached_property
    def answers(self) -> Any:  # noqa: ANN401 - those of any kind
        """Answers with error bars that follow from the public law of the noise; an error if the method allows none."""
        if self.kind.answered is None:
            message = f"no error bar follows from a release of {self.kind.name}: no noise was drawn, or its law is not public"
            raise ParameterError(message)
        return load(self.kind.answered)(self.data, self.manifest)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the data has
        """What the data has."""
        if name.startswith("_") or name == "data":
            raise AttributeError(name)
        return getattr(self.data, name)

    def __len__(self) -> int:
        """How much was published."""
        return len(self.data)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule interface."""
        if not hasattr(self.data, "__arrow_c_stream__"):
            message = f"published {self.kind.name} cannot be turned into a data frame; read the files of the release"
            raise OutputError(message)
        found: object = self.data.__arrow_c_stream__(requested_schema)
        return found

    def _repr_html_(self) -> str:
        """Guarantee and pictures, for a notebook."""
        drawn = self.data.pictures()[:SHOWN] if hasattr(self.data, "pictures") else []
        mechanism = self.manifest["mechanism"]["name"]
        facts = [("guarantee", self.guarantee.statement), ("method", mechanism), ("made on", self.manifest["created"])]
        return notebook(drawn, before=html_facts(f"A release of {self.kind.whole or self.kind.name}", facts))


def open_release(folder: str | Path, *, public: PublicInputs = UNKNOWN) -> OpenedRelease:
    """The release in a folder, whatever its kind; the folder must be complete.

    Any public inputs given must be those that the release was made with; the others are taken from the folder.
    """
    manifest = read_manifest(folder)
    kind = kinds().get(manifest["kind"])
    if kind is None:
        message = f"the release {str(folder)!r} is of the kind {manifest['kind']}, which no installed package knows"
        raise InputError(message)
    data, promised = load(kind.opened)(Path(folder), manifest, public=public), manifest["guarantee"]
    guarantee = OpenedGuarantee(
        definition=str(promised.get("definition", "")),
        holds=bool(promised.get("holds", False)),
        statement=str(promised.get("statement", "")),
        voids=tuple(promised.get("voids", ())),
        described=promised,
    )
    return OpenedRelease(data=data, guarantee=guarantee, manifest=manifest, kind=kind)


# Verifying a release folder: its files, its schema, and that its guarantee follows from what was drawn.
#
# Everything is checked from the folder alone, by a recipient who trusts neither the owner nor the transport. What cannot be
# checked from there is whether the noise was really drawn, and from where: that is what an audit of the software is for.

BESIDE = ("manifest.json", "README.md", CROISSANT_FILE)
UNSAID = ("@context", "recordSet")
"""Parts of a Croissant file that the manifest does not tell: the vocabulary, and the columns, which follow from the data."""

ROUNDED = Fraction(999, 1000)
"""Scales in words are rounded where they are a range."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One check: what must hold, whether it does, and what was found if not."""

    check: str
    passed: bool
    found: str = ""

    def __str__(self) -> str:
        """One line for a terminal."""
        return f"{'ok  ' if self.passed else 'FAIL'} {self.check}" + (f": {self.found}" if self.found else "")

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {"check": self.check, "passed": self.passed, "found": self.found}


@dataclass(frozen=True, kw_only=True)
class Verification:
    """All checks of a release folder; print it."""

    folder: Path
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether the folder is what it says."""
        return not self.failed

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The checks that failed."""
        return tuple(finding for finding in self.findings if not finding.passed)

    def __iter__(self) -> Iterator[Finding]:
        """The checks, one after the other."""
        return iter(self.findings)

    def __str__(self) -> str:
        """One line per check."""
        return "\n".join(str(finding) for finding in self.findings)

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {"release": str(self.folder), "passed": self.passed, "checks": [finding.as_json() for finding in self.findings]}


def verify(folder: str | Path) -> Verification:
    """Check that a release folder is what it says, from the folder alone; an error only if it holds no manifest at all."""
    folder = path_of(folder, name="the release folder")
    manifest = read_manifest(folder)
    checks = {
        "the manifest follows its schema": _schema(manifest),
        "every file is there, unchanged, and no other": _files(folder, manifest),
        "README.md and croissant.json say what the manifest says": _beside(folder, manifest),
        "the data can be opened with the public inputs that the manifest describes": _opened(folder, manifest),
        "the guarantee follows from the draws": _guarantee(manifest),
    }
    found = tuple(Finding(check=name, passed=not found, found="; ".join(found[:5])) for name, found in _listed(checks))
    return Verification(folder=folder, findings=found)


def _listed(checks: Mapping[str, Iterator[str]]) -> Iterator[tuple[str, list[str]]]:
    for name, found in checks.items():
        try:
            yield name, list(found)
        except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError) as error:
            yield name, [f"the manifest cannot be understood ({type(error).__name__})"]


def _schema(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield from violations(manifest, manifest_schema())


def _files(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    named = set()
    for file in manifest["files"]:
        path = named_file(folder, file["name"])
        name = path.relative_to(folder).as_posix()
        named.add(name)
        if not path.is_file():
            yield f"{name} is missing"
            continue
        with path.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != file["sha256"]:
                yield f"{name} was changed"
    inside = {name.rpartition("/")[0] for name in named} - {""}
    found = sorted([*folder.iterdir(), *(path for name in inside for path in (folder / name).glob("*") if not _of_spark(path))])
    left = {*named, *BESIDE, *inside}
    yield from (
        f"{name} is no part of the release"
        for name in (path.relative_to(folder).as_posix() for path in found)
        if name not in left
    )


def _of_spark(path: Path) -> bool:
    """Whether a file says nothing about a release: Spark leaves a mark that it is done, and checksums."""
    return path.name == "_SUCCESS" or (path.name.startswith(".") and path.name.endswith(".crc"))


def _beside(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    readme, croissant = folder / "README.md", folder / CROISSANT_FILE
    kind = kinds().get(manifest["kind"])
    whole = manifest["kind"] if kind is None else kind.whole or kind.name
    if not readme.is_file() or readme.read_text(encoding="utf-8") != readme_of(manifest, whole=whole):
        yield "README.md differs"
    if not croissant.is_file():
        yield "croissant.json is missing"
        return
    try:
        found = json.loads(croissant.read_text(encoding="utf-8"))
    except ValueError:
        yield "croissant.json is no JSON"
        return
    said, meant = (
        {name: part for name, part in each.items() if name not in UNSAID} for each in (found, croissant_of(manifest, {}))
    )
    if said != meant:
        yield "croissant.json differs"


def _opened(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    if any(_files(folder, manifest)):
        yield "not tried, because the files are not those of the release"
        return
    try:
        open_release(folder)
    except TacitaError as error:
        yield str(error)


def _guarantee(manifest: Mapping[str, Any]) -> Iterator[str]:
    guarantee = manifest["guarantee"]
    if guarantee["holds"] != (not guarantee["voids"]):
        yield "it says that it holds although something voids it, or the other way round"
    if guarantee["evidence"]["kind"] == "verified":
        if "budget" in manifest:
            yield "a verified release spends no budget, but this one lists draws"
        return
    yield from _spent(guarantee, manifest["budget"]["plan"], manifest["budget"]["draws"])


def _spent(guarantee: Mapping[str, Any], plan: Mapping[str, Any], draws: list[Mapping[str, Any]]) -> Iterator[str]:
    for name in ("epsilon", "delta"):
        planned, promised = Fraction(plan[name]), Fraction(guarantee[name])
        if _total(plan, name) != planned:
            yield f"the parts of the plan do not add up to its {name} {plan[name]}"
        times = promised / planned if planned else Fraction(1 if promised == 0 else 0)
        if times.denominator != 1 or times < 1:  # a person with c records is protected at c times the plan
            yield f"the {name} of the guarantee, {guarantee[name]}, is no multiple of the plan's, {plan[name]}"
    words = f"({guarantee['epsilon']}, {guarantee['delta']})" if Fraction(guarantee["delta"]) else guarantee["epsilon"]
    if f" {words}-differential privacy" not in guarantee["statement"]:
        yield "the statement names another budget than the guarantee"
    if guarantee["neighbours"]["unit"] not in guarantee["statement"]:
        yield "the statement names another protected unit than the guarantee"
    yield from _drawn(plan, draws)


def _total(plan: Mapping[str, Any], name: str) -> Fraction:
    """What the parts of a plan cost together: a sum, or the largest where they are about different people."""
    parts = [_total(part, name) for part in plan.get("parts", ())]
    if not parts:
        return Fraction(plan[name])
    return sum(parts, Fraction(0)) if plan["composition"] == "sequential" else max(parts)


def _steps(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if plan.get("parts"):
        for part in plan["parts"]:
            yield from _steps(part)
    else:
        yield plan


def _drawn(plan: Mapping[str, Any], draws: list[Mapping[str, Any]]) -> Iterator[str]:
    """Every draw belongs to a step and costs no more than it, and its noise is as large as its epsilon asks for at least."""
    steps = {step["name"]: step for step in _steps(plan)}
    sliding = plan["composition"] == "sliding" or any(step["composition"] == "sliding" for step in steps.values())
    seen: set[str] = set()
    for draw in draws:
        epsilon, step = Fraction(draw["epsilon"]), draw["step"].partition(", round ")[0]
        known = steps.get(step)
        if known is None and not sliding:
            yield f"the draw {draw['step']!r} belongs to no step of the plan"
        if epsilon > Fraction(plan["epsilon"] if known is None else known["epsilon"]):
            yield f"the draw {draw['step']!r} costs more than its step"
        if draw["step"] in seen:
            yield f"the draw {draw['step']!r} is listed twice"
        seen.add(draw["step"])
        scale = re.match(r"discrete Laplace, scale ([0-9./]+)( to )?", draw["noise"])
        if scale is not None and epsilon * Fraction(scale[1]) < (ROUNDED if scale[2] else 1):
            yield f"the noise of {draw['step']!r} is too small for its epsilon"
