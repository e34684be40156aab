"""Releases: the data, what it promises, and how it was made, as an object and as a folder.

The manifest holds public and noisy facts only. It is written by code from the guarantee, the plan and the draws of the account,
so that it cannot say anything else than what was done. A folder appears whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from tacita.errors import OutputError
from tacita.privacy.account import Account
from tacita.privacy.explanation import plan_as_json
from tacita.privacy.guarantee import DifferentialPrivacy
from tacita.privacy.randomness import token
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["MANIFEST_SCHEMA", "Payload", "Release", "manifest_of", "public_inputs", "require_new_folder", "voids_of"]

MANIFEST_SCHEMA = "tacita-manifest-1"


class Payload(Protocol):
    """Released data that can write itself."""

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        ...

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write the data into the folder and name its file; what is beside it belongs to the release too."""
        ...


Data_co = TypeVar("Data_co", bound=Payload, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Release(Generic[Data_co]):
    """What may leave the house."""

    data: Data_co
    guarantee: DifferentialPrivacy
    manifest: Mapping[str, object]

    def write(self, folder: str | Path, *, file_format: str | None = None) -> Path:
        """Write data, `manifest.json` and `README.md` into a folder that does not exist yet; all of it or nothing."""
        folder = require_new_folder(folder)
        draft = folder.with_name(f".{folder.name}.{token()}.partial")
        try:
            draft.mkdir()
            data_file = self.data.write(draft, file_format=file_format)
            others = sorted(file for file in draft.iterdir() if file != data_file)
            manifest = {**self.manifest, "files": [_describe(file) for file in (data_file, *others)]}
            (draft / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            (draft / "README.md").write_text(_readme(manifest), encoding="utf-8")
            for file in draft.iterdir():
                _sync(file)
            draft.rename(folder)
        except OSError as error:
            message = f"the release cannot be written to {str(folder)!r}: {error.strerror or error}; nothing was left there"
            raise OutputError(message) from None
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return folder


def require_new_folder(folder: str | Path) -> Path:
    """Give back the folder's path if it can be made: it is not there yet, and its parent is."""
    folder = Path(folder).absolute()
    if folder.exists() or folder.is_symlink():
        message = f"the output folder {str(folder)!r} must not exist yet; name another one or remove it"
        raise OutputError(message)
    if not folder.parent.is_dir() or not os.access(folder.parent, os.W_OK):
        message = (
            f"the output folder {str(folder)!r} cannot be made: {str(folder.parent)!r} must be a folder that can be written to"
        )
        raise OutputError(message)
    return folder


def manifest_of(  # noqa: PLR0913 - the parts of a manifest
    *,
    kind: str,
    mechanism: str,
    parameters: Mapping[str, object],
    guarantee: DifferentialPrivacy,
    account: Account,
    public_inputs: Mapping[str, object],
    rules: tuple[str, ...],
) -> dict[str, object]:
    """Everything about a release that its receiver may know; the files are added when it is written."""
    return {
        "schema": MANIFEST_SCHEMA,
        "tacita": _version(),
        "created": datetime.now(UTC).date().isoformat(),
        "kind": kind,
        "mechanism": {"name": mechanism, "parameters": dict(parameters)},
        "guarantee": guarantee.as_json(),
        "budget": {"plan": plan_as_json(account.plan), "draws": [draw.as_json() for draw in account.draws]},
        "public_inputs": dict(public_inputs),
        "rules": list(rules),
        "noise_source": account.noise_source,
        "ledger": {"kept_in": account.ledger_kind, "charge": account.charge_id},
    }


def public_inputs(universe: Universe, *, taxonomy: Taxonomy | None = None, grid: TimeGrid | None = None) -> dict[str, object]:
    """What was public before, with hashes by which a receiver can tell whether it is the same."""
    inputs: dict[str, object] = {"universe": {"size": len(universe), "sha256": universe.digest(), "origin": universe.origin}}
    if taxonomy is not None:
        inputs["taxonomy"] = {"groups": len(taxonomy.inner_names), "sha256": taxonomy.digest()}
    if grid is not None:
        inputs["time_grid"] = grid.as_json()
    return inputs


def voids_of(universe: Universe, account: Account) -> tuple[str, ...]:
    """Why a guarantee does not hold, if there is anything: its universe, or its noise."""
    voids: list[str] = []
    if not universe.is_public:
        voids.append("its universe was read from the data, so that a label can show that somebody is there")
    if not account.private:
        voids.append(f"its noise came from {account.noise_source}")
    return tuple(voids)


@cache
def _version() -> str:
    return version("tacita")


def _describe(file: Path) -> dict[str, object]:
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"name": file.name, "bytes": file.stat().st_size, "sha256": digest}


def _sync(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _draw_rows(draws: Sequence[Mapping[str, str]]) -> list[str]:
    """A line for each draw; the rounds of a shared step are one line, since no sum over them means anything."""
    rows = []
    for step, group in groupby(draws, key=lambda draw: draw["step"].partition(", round ")[0]):
        rounds = list(group)
        first = rounds[0]
        if first["step"] == step or len(rounds) == 1:
            rows += [f"| {step} | {draw['epsilon']} | {draw['noise']} |" for draw in rounds]
        else:
            rows.append(f"| {step} | shared along each path | discrete Laplace, {len(rounds)} rounds, told in the manifest |")
    return rows


def _readme(manifest: Mapping[str, Any]) -> str:
    """A page for whoever receives the release, rendered from the manifest."""
    guarantee, budget, mechanism = manifest["guarantee"], manifest["budget"], manifest["mechanism"]
    ledger, files = manifest["ledger"], manifest["files"]
    parameters = ", ".join(f"{name} {value}" for name, value in mechanism["parameters"].items() if value is not None)
    draws = "\n".join(_draw_rows(budget["draws"]))
    rules = "\n".join(f"- {rule}" for rule in manifest["rules"])
    names = "\n".join(f"- `{file['name']}` (SHA-256 {file['sha256']})" for file in files)
    kept = "a durable ledger" if ledger["kept_in"] == "file" else "memory only, so nothing stops a second spend on the same data"
    return f"""# A release of {manifest["kind"]}

{guarantee["statement"]}

The records in this folder are synthetic: they were generated from noisy counts.

{names}

## How it was made

By {mechanism["name"]} ({parameters}), Tacita {manifest["tacita"]}, {manifest["created"]}.

{rules}

| step | epsilon | noise |
|---|---|---|
{draws}

Noise source: {manifest["noise_source"]}. The spend was recorded in {kept} (charge {ledger["charge"]}).
`manifest.json` holds the same facts for programs.
"""
