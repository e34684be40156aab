"""The recipient's side: a release of any kind opened, with its guarantee and, where they exist, error bars.

`open_release` gives the data back, and answers with error bars if the method allows any; `verifying` checks what it says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tacita.errors import InputError, OutputError, ParameterError
from tacita.gate import told
from tacita.io import read_manifest
from tacita.kinds import Kind, kinds, load
from tacita.pictures import notebook
from tacita.pictures.picture import html_facts
from tacita.privacy.publishing import Published
from tacita.public.inputs import UNKNOWN, PublicInputs

__all__ = ["OpenedGuarantee", "OpenedRelease", "open_release"]

SHOWN = 2


@dataclass(frozen=True, kw_only=True)
class OpenedGuarantee:
    """What a release promises, as its manifest says; `tacita verify` recomputes it, as far as a folder allows."""

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

    Attributes of the data are passed on to it, so that `ta.open_release(folder).to_polars()` works as well.
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
    with told(f"the release {str(folder)!r}"):
        data, promised = load(kind.opened)(Path(folder), manifest, public=public), manifest["guarantee"]
    guarantee = OpenedGuarantee(
        definition=str(promised.get("definition", "")),
        holds=bool(promised.get("holds", False)),
        statement=str(promised.get("statement", "")),
        voids=tuple(promised.get("voids", ())),
        described=promised,
    )
    return OpenedRelease(data=data, guarantee=guarantee, manifest=manifest, kind=kind)
