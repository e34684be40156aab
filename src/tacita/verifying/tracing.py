"""Whether a release folder is the owner's: the one that a ledger charged, or one that the owner signed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tacita.privacy.ledger import EntryKind, Ledger
from tacita.privacy.tracing import release_digest, require_signed

__all__ = ["charged", "signed"]


def charged(folder: Path, manifest: Mapping[str, Any], ledger: str | Path) -> Iterator[str]:
    """What speaks against this folder being the one that the ledger charged, or noted if it cost nothing."""
    entries = Ledger(ledger).history()
    digest, mechanism = release_digest(folder, manifest), manifest["mechanism"]["name"]
    noted = [entry for entry in entries if entry.kind is EntryKind.RELEASE and entry.note == digest]
    if not noted:
        yield "the ledger holds no release with this digest"
        return
    if "ledger" not in manifest:
        return
    charge = manifest["ledger"]["charge"]
    if all(entry.charge != charge for entry in noted):
        yield "the ledger holds this digest under another charge than the manifest names"
    paid = next((entry for entry in entries if entry.kind is EntryKind.CHARGE and entry.charge == charge), None)
    if paid is None or paid.mechanism != mechanism:
        yield "the ledger holds no charge of that name for this method"


def signed(folder: Path, manifest: Mapping[str, Any], public_key: str | Path) -> Iterator[str]:
    """What speaks against this folder having been signed with the key that belongs to a public one."""
    require_signed(folder, release_digest(folder, manifest), public_key)
    yield from ()
