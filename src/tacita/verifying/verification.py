"""The checks of a release folder, in their order: each relies on those before it, and the first that fails can end it.

From the folder alone, the files are compared with the manifest, the plan and the noise of a private release are recomputed, and
so is the model of a verified one. With the owner's file, a ledger or a public key, more can be said. What nobody can see from
what was given is listed, so that nothing is taken for checked that was not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tacita.gate import told
from tacita.io import read_manifest
from tacita.kinds import Kind, load, methods
from tacita.kinds.registration import Promise
from tacita.opening import OpenedRelease, open_release
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import path_of
from tacita.verifying.findings import Findings, Verification
from tacita.verifying.folder import documents, files
from tacita.verifying.private import check_private
from tacita.verifying.tracing import charged, signed

__all__ = ["verify"]

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
