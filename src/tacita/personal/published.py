"""A release of personal sequences: the published sequences, how they are read back from a folder, and what they promise.

Each symbol is shown as itself or as a node of the taxonomy above it. Everything here was released, so it is free to look at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError, ParameterError, TaxonomyError
from tacita.gate import read_json
from tacita.io import (
    FileFormat,
    Framed,
    LongColumns,
    long_frame,
    read_manifest,
    read_released,
    release_universe,
    require_kind,
    write_named,
    write_universe,
)
from tacita.personal.bounds import AnyBound, BeliefBound, EveryPattern, Form, InformationBound, PaperBound
from tacita.pictures import Picture
from tacita.privacy.budget import decimal_text
from tacita.privacy.guarantee import NOT_PRIVATE, Evidence, Guarantee, Verified
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe

__all__ = [
    "TREE_FILE",
    "BoundedBelief",
    "BoundedInformation",
    "PublishedPersonal",
    "guarantee_of",
    "in_their_own_order",
    "opened_personal",
    "read_published_personal",
]

TREE_FILE = "taxonomy.json"


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedPersonal(Framed):
    """Sequences of nodes of a taxonomy, one per person that could be protected."""

    sequences: Ragged = field(repr=False)
    taxonomy: Taxonomy = field(repr=False)
    file_format: FileFormat = FileFormat.CSV
    columns: LongColumns = field(default_factory=LongColumns)

    def __post_init__(self) -> None:
        """Check that every code is a node."""
        instance_of(self.sequences, Ragged, name="the sequences")
        codes = self.sequences.codes
        if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < len(self.taxonomy.parents):
            message = "every code of a published sequence must be a node of the taxonomy"
            raise ParameterError(message)

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were made with."""
        return PublicInputs(universe=self.taxonomy.universe, others={"taxonomy": self.taxonomy})

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "personal"

    @property
    def whole(self) -> str:
        """What is released, in a sentence."""
        return "personal sequences"

    @cached_property
    def names(self) -> Universe:
        """The names of all nodes, labels first."""
        return Universe((*self.taxonomy.universe.labels, *self.taxonomy.inner_names))

    def __len__(self) -> int:
        """The number of persons."""
        return len(self.sequences)

    def to_labels(self) -> list[list[str]]:
        """The sequences as Python lists; for small releases."""
        return [[self.names.labels[code] for code in row] for row in self.sequences.to_lists()]

    def pictures(self) -> list[Picture]:
        """Pictures of the release alone."""
        from tacita.personal.pictures import personal_pictures  # noqa: PLC0415 - a publication draws nothing

        return personal_pictures(self.sequences, taxonomy=self.taxonomy)

    def frame(self) -> pl.DataFrame:
        """One row per symbol: a number for the person, the label that is shown, and its position."""
        return long_frame(self.sequences, universe=self.names, columns=self.columns)

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `personal.*` in the named format, or in the one that the records came in, with labels and tree beside it."""
        write_universe(folder, self.taxonomy.universe)
        tree = {"nodes": self.taxonomy.inner_names, "parents": self.taxonomy.parents}
        (folder / TREE_FILE).write_text(json.dumps(tree, ensure_ascii=False) + "\n", encoding="utf-8")
        chosen = self.file_format if file_format is None else file_format
        return write_named(folder, "personal", self.sequences, universe=self.names, file_format=chosen, columns=self.columns)


def in_their_own_order(rows: Sequence[Integers]) -> Ragged:
    """The sequences of all persons, in an order that depends on what is shown alone: theirs in the file says whose they are."""
    ordered = sorted(rows, key=lambda row: row.tolist())
    nodes = np.concatenate([np.zeros(0, dtype=np.int32), *ordered]).astype(np.int32)
    return Ragged(nodes, offsets_of([row.size for row in ordered]))


# Reading a release back from its folder, for anyone who receives it or judges it.


def read_published_personal(folder: str | Path, *, universe: Universe | None = None) -> PublishedPersonal:
    """Read the sequences of a release folder; it must be whole, and made with this universe, if one is given."""
    manifest = read_manifest(folder)
    return opened_personal(Path(folder), manifest, public=PublicInputs(universe=universe))


def opened_personal(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedPersonal:
    """The sequences of a release whose manifest was read; labels that are not given are taken from the folder."""
    require_kind(folder, manifest, kind="personal")
    taxonomy = _stored_tree(folder, manifest, release_universe(folder, manifest, public.universe))
    names = Universe((*taxonomy.universe.labels, *taxonomy.inner_names))
    found = read_released(folder, manifest, universe=names, ordered=True)
    return PublishedPersonal(sequences=found.lists, taxonomy=taxonomy, file_format=found.file_format, columns=found.columns)


def _stored_tree(folder: Path, manifest: Mapping[str, Any], universe: Universe) -> Taxonomy:
    """The tree in the folder, if it is the one that the manifest describes."""
    path = folder / TREE_FILE
    try:
        stored: Any = read_json(path, what="the file")
        tree = Taxonomy(universe, tuple(stored["nodes"]), tuple(stored["parents"]))
        known = manifest["public_inputs"]["taxonomy"]["sha256"] == tree.digest()
    except (InputError, ValueError, KeyError, TypeError, IndexError, TaxonomyError):
        known = False
    if not known:
        message = f"the release {str(folder)!r} must hold the taxonomy that its manifest describes, in {TREE_FILE}; it does not"
        raise InputError(message)
    return tree


# The guarantees. Both are verified on the finished release; neither spends a budget.

_CHECK = Verified(
    check="every occurrence was counted again on the finished release, and every place shows its symbol or a node above it",
    by="tacita.personal.verification",
)
_OBSERVER = "sees it and knows the taxonomy, the patterns, the rule and how often each pattern occurs"
_ABOUT = {
    Form.TUPLES_SINGLE: "which places hold one of the patterns",
    Form.TUPLES_ANY: "which places hold any of the patterns",
    Form.STARTS_SINGLE: "where one of the patterns starts",
    Form.STARTS_ANY: "where any of the patterns starts",
}


@dataclass(frozen=True, kw_only=True)
class BoundedBelief:
    """Nobody believes more than the limit about where a sensitive pattern is."""

    bound: BeliefBound
    unit: str
    voids: tuple[str, ...] = ()

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest."""
        return "bounded-belief"

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    @property
    def evidence(self) -> Evidence:
        """The independent check."""
        return _CHECK

    def statement(self) -> str:
        """The promise as one paragraph, rendered from the fields."""
        about = "; ".join(_ABOUT[form] for form in self.bound.forms)
        promise = (
            f"of the places that look alike in it, at most {decimal_text(self.bound.limit)} are sensitive, so that anyone who "
            f"{_OBSERVER} believes it of none of them with more ({about})"
        )
        return _sentence(promise, self.voids)

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        own = {"limit": decimal_text(self.bound.limit), "forms": [str(form) for form in self.bound.forms], "unit": self.unit}
        return _as_json(self, own)


@dataclass(frozen=True, kw_only=True)
class BoundedInformation:
    """What is shown gives away no more than a share of the entropy of where sensitive patterns are, on average."""

    bound: InformationBound | EveryPattern | PaperBound
    unit: str
    voids: tuple[str, ...] = ()

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest."""
        return "bounded-information"

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    @property
    def evidence(self) -> Evidence:
        """The independent check."""
        return _CHECK

    def statement(self) -> str:
        """The promise as one paragraph, rendered from the fields."""
        match self.bound:
            case InformationBound(limit=limit):
                what = f"at most {decimal_text(limit)} of the entropy of which sensitive pattern, if any, the places hold"
            case EveryPattern():
                what = "so little about which sensitive pattern the places hold that each of them is shown as something else"
            case PaperBound(limit=limit):
                what = f"by the measure {self.bound.reading} at most {decimal_text(limit)}"
        return _sentence(
            f"anyone who {_OBSERVER} learns, on average over all places, {what}; single places can give away more",
            self.voids,
        )

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        limit = None if isinstance(self.bound, EveryPattern) else decimal_text(self.bound.limit)
        return _as_json(self, {"bound": str(self.bound), "limit": limit, "unit": self.unit})


def guarantee_of(bound: AnyBound, *, unit: str, voids: tuple[str, ...]) -> BoundedBelief | BoundedInformation:
    """The guarantee that a bound gives; the paper's own measure gives none."""
    if isinstance(bound, BeliefBound):
        return BoundedBelief(bound=bound, unit=unit, voids=voids)
    if isinstance(bound, PaperBound):
        lacks = "the measure of the paper does not see whether a place holds a sensitive pattern at all, only which one"
        voids = (*voids, lacks)
    return BoundedInformation(bound=bound, unit=unit, voids=voids)


def _sentence(promise: str, voids: tuple[str, ...]) -> str:
    if not voids:
        return f"This release keeps a bound that was verified: {promise}."
    return f"{NOT_PRIVATE}. This release would keep the bound that {promise}, but does not: {'; '.join(voids)}."


def _as_json(guarantee: Guarantee, own: Mapping[str, object]) -> dict[str, object]:
    return {
        "definition": guarantee.definition,
        **own,
        "holds": guarantee.holds,
        "voids": list(guarantee.voids),
        "evidence": guarantee.evidence.as_json(),
        "statement": guarantee.statement(),
    }
