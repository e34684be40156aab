"""Reading a release of personal sequences back from its folder, as whoever receives it, or judges it, does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacita.errors import InputError, TaxonomyError
from tacita.io import read_manifest, read_released, release_universe, require_kind
from tacita.personal.published import TREE_FILE, PublishedPersonal
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe

__all__ = ["opened_personal", "read_published_personal"]


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
        stored = json.loads(path.read_text(encoding="utf-8"))
        tree = Taxonomy(universe, tuple(stored["nodes"]), tuple(stored["parents"]))
        known = manifest["public_inputs"]["taxonomy"]["sha256"] == tree.digest()
    except (OSError, ValueError, KeyError, TypeError, IndexError, TaxonomyError):
        known = False
    if not known:
        message = f"the release {str(folder)!r} must hold the taxonomy that its manifest describes, in {TREE_FILE}; it does not"
        raise InputError(message)
    return tree
