"""The checks of a release folder, in their order: each relies on those before it, and the first that fails can end it.

From the folder alone, the files are compared with the manifest, the plan and the noise of a private release are recomputed, and
so is the model of a verified one. With the owner's file, a ledger or a public key, more can be said. What nobody can see from
what was given is listed, so that nothing is mistaken for checked that was not.

The files of a release folder against its manifest: what is there, unchanged, and described alike everywhere.

Whether a release folder is the owner's: the one that a ledger charged, or one that the owner signed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tacita.errors import InputError
from tacita.gate import digest_of, read_json, read_text, told
from tacita.io import named_file, outlines_differ, read_manifest
from tacita.io.release_files import OUTLINES_FILE
from tacita.kinds import Kind, kinds, load, methods
from tacita.kinds.registration import Promise
from tacita.opening import OpenedRelease, open_release
from tacita.privacy.described import CROISSANT_FILE, croissant_of, readme_of
from tacita.privacy.ledger import EntryKind, Ledger
from tacita.privacy.release import SIGNATURE_FILE, release_digest, require_signed
from tacita.public.cells import CELLS
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import path_of
from tacita.verifying.findings import Findings, Verification
from tacita.verifying.private import check_private

__all__ = [
    "charged",
    "documents",
    "files",
    "signed",
    "verify",
]


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


BESIDE = ("manifest.json", "README.md", CROISSANT_FILE, SIGNATURE_FILE)
UNSAID = ("@context", "recordSet")
"""Parts of a Croissant file that the manifest does not tell: the vocabulary, and the columns, which follow from the data."""


def files(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """What is missing, changed, or there without being part of the release."""
    named: set[str] = set()
    for file in manifest["files"]:
        path = named_file(folder, file["name"])
        name = path.relative_to(folder).as_posix()
        if name != file["name"] or name in named or name in BESIDE:
            yield f"{file['name']!r} is no name of a file of a release, or comes twice"
            continue
        named.add(name)
        if not path.exists():
            yield f"{name} is missing"
        elif digest_of(path, what="the file", size=file["bytes"]) != file["sha256"]:
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


def documents(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Which of README.md and croissant.json say something else than the manifest."""
    kind = kinds().get(manifest["kind"])
    whole = manifest["kind"] if kind is None else kind.whole or kind.name
    try:
        if read_text(folder / "README.md", what="the file") != readme_of(manifest, whole=whole):
            yield "README.md differs"
    except InputError as error:
        yield str(error)
    if not (folder / CROISSANT_FILE).exists():
        yield "croissant.json is missing"
        return
    found = read_json(folder / CROISSANT_FILE, what="the file")
    if not isinstance(found, dict):
        yield "croissant.json differs"
        return
    said, meant = (
        {name: part for name, part in each.items() if name not in UNSAID} for each in (found, croissant_of(manifest, {}))
    )
    if said != meant:
        yield "croissant.json differs"


OWNERS = "that this is the owner's release (give the ledger, or the owner's public key)"
TRUE = "that what is shown is true of the people in the private data"


def verify(
    folder: str | Path,
    *,
    records: Any = None,  # noqa: ANN401 - of any kind
    ledger: str | Path | None = None,
    key: str | Path | None = None,
) -> Verification:
    """Check that a release folder is what it says; an error only if it holds no manifest that follows the schema.

    `records` are those of the owner's private file, which some promises cannot be checked without. A `ledger` says whether this
    folder is the one that was charged, and the owner's public `key` whether the owner signed it.
    """
    folder = path_of(folder, name="the release folder")
    manifest = read_manifest(folder)
    findings = Findings()
    findings.check("the manifest follows its schema", ())
    whole = findings.check("every file is there, unchanged, and no other", files(folder, manifest))
    findings.check("README.md and croissant.json say what the manifest says", documents(folder, manifest))
    if whole:
        opened: list[OpenedRelease] = []
        if findings.check("the data can be opened with the public inputs that the manifest describes", _opened(folder, opened)):
            if CELLS in manifest["public_inputs"] or (folder / OUTLINES_FILE).exists():
                findings.check("the outlines of the cells are those of the public grid", outlines_differ(folder, manifest))
            _promised(findings, folder, manifest, opened[0], records)
    else:
        findings.skip("data and promise, because the files are not those of the manifest")
    if ledger is not None:
        findings.check("the ledger charged this folder, or noted it", charged(folder, manifest, ledger))
    if key is not None:
        findings.check("the owner signed this folder", signed(folder, manifest, key))
    if ledger is None and key is None:
        findings.skip(OWNERS)
    return Verification(folder=folder, findings=tuple(findings.listed), not_checked=tuple(findings.not_checked))


def _opened(folder: Path, opened: list[OpenedRelease]) -> Iterator[str]:
    opened.append(open_release(folder))
    yield from ()


def _promised(findings: Findings, folder: Path, manifest: Mapping[str, Any], opened: OpenedRelease, records: Any) -> None:  # noqa: ANN401 - records of any kind
    """Recompute the promise, by the evidence that it names."""
    guarantee = manifest["guarantee"]
    is_spent = guarantee["evidence"]["kind"] == "spent"
    findings.check("the manifest tells one story", _consistent(manifest, is_spent=is_spent))
    public = getattr(opened.data, "public", PublicInputs())
    if is_spent:
        check_private(findings, manifest, public)
        return
    findings.skip(TRUE)
    findings.check("the promise is that of the parameters", _stated(manifest, opened.kind, public, findings))
    if opened.kind.checked is None:
        findings.skip(f"the promise: no code is registered that checks releases of {opened.kind.name}")
        return
    with told("the release"):
        wrong, left = load(opened.kind.checked)(folder, manifest, records)
    findings.skip(*left)
    if wrong or not left:
        findings.check("the published files keep the promise, counted again", wrong)


def _consistent(manifest: Mapping[str, Any], *, is_spent: bool) -> Iterator[str]:
    guarantee, registered = manifest["guarantee"], methods().get(manifest["mechanism"]["name"])
    if guarantee["holds"] != (not guarantee["voids"]):
        yield "it says that it holds although something voids it, or the other way round"
    if registered is not None and registered.kind != manifest["kind"]:
        yield f"the method {registered.name} is for {registered.kind}, not for {manifest['kind']}"
    elif registered is not None and (registered.promise is not Promise.VERIFIED) != is_spent:
        yield f"{registered.name} promises {registered.promise.value}, and the manifest has the evidence of something else"
    if is_spent != (guarantee["definition"] in {"pure-dp", "approximate-dp", "zero-concentrated-dp"}):
        yield "the evidence is not that of the definition"
    if not is_spent and any(name in manifest for name in ("budget", "noise_source", "ledger")):
        yield "a verified release spends no budget, but this one lists draws"


def _stated(manifest: Mapping[str, Any], kind: Kind, public: PublicInputs, findings: Findings) -> Iterator[str]:
    """The guarantee, word by word, must be what the method promises with the parameters of the manifest."""
    guarantee, mechanism = manifest["guarantee"], manifest["mechanism"]
    if kind.promised is None:
        findings.skip("that the promise in words is that of its numbers")
        return
    meant, parameters = load(kind.promised)(manifest)
    stated = mechanism["parameters"]
    yield from (
        f"the parameter {name} is not that of the guarantee" for name, value in parameters.items() if stated.get(name) != value
    )
    missing = [void for void in public.voids if void not in guarantee["voids"]]
    yield from (f"the promise is void, and does not say so: {void}" for void in missing)
    yield from (
        f"the guarantee's {name} is not what follows from the parameters"
        for name in sorted({*meant, *guarantee})
        if meant.get(name) != guarantee.get(name)
    )
