"""Releases that are complete but have no name yet: a run that was stopped at the very end left them, and they are paid for.

The next run of the same publication names such a draft and stops; with `--finish` it renames it. Nothing is drawn or charged. The
draft is the same publication if its digest is in the ledger, under the same data set, and method, parameters, budget and public
inputs are those of the command.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cli.screen import say, say_json
from tacita.errors import InputError, OutputError, TacitaError
from tacita.gate import read_json
from tacita.privacy.budget import decimal_text
from tacita.privacy.drafts import complete_drafts, finish
from tacita.privacy.ledger import Ledger
from tacita.privacy.ledger.entries import EntryKind, keys
from tacita.privacy.publishing import parameters_of
from tacita.privacy.release import release_digest

if TYPE_CHECKING:
    from tacita.cli.choices import Choices
    from tacita.public.inputs import PublicInputs

__all__ = ["finished"]


def finished(choices: Choices, public: PublicInputs, *, dataset: str, out: Path) -> bool:
    """Name the release of this publication that is complete, if that is asked for; stop if it is not, and there is one.

    `public` are the inputs as records have them, which a release repeats.
    """
    options = choices.options
    draft = _waiting(choices, public, dataset=dataset, ledger=options.ledger, out=out)
    if draft is None and not options.finish:
        return False
    if draft is None:
        message = (
            f"--finish names a release that a stopped run of this publication left complete, and {str(out.parent)!r} holds none "
            "that the ledger knows; leave --finish out to publish"
        )
        raise InputError(message)
    if not options.finish:
        message = (
            f"a release of this publication is paid for and complete, in {str(draft)!r}; the same command with --finish names it "
            "and draws nothing; remove that folder to publish anew"
        )
        raise OutputError(message)
    finish(draft, out)
    _tell(out, public, as_json=options.json, ledger=options.ledger)
    return True


def _tell(out: Path, public: PublicInputs, *, as_json: bool, ledger: str) -> None:
    """Say what the release promises and where it is."""
    from tacita.opening import open_release

    opened = open_release(out, public=public)
    guarantee = opened.manifest["guarantee"]
    if not as_json:
        say(f"{guarantee['statement']}\nThe release is complete, in {out}; nothing was drawn.")
        return
    made = {"kind": opened.manifest["kind"], "records": len(opened.data), "guarantee": guarantee}
    files = sorted(file.name for file in out.iterdir())
    say_json("tacita-publish-1", {"folder": str(out), "files": files, **made, "ledger": ledger, "balance": None})


def _waiting(choices: Choices, public: PublicInputs, *, dataset: str, ledger: str | None, out: Path) -> Path | None:
    drafts = complete_drafts(out.parent)
    if not drafts or ledger is None or choices.budget is None or not Path(ledger).exists():
        return None
    noted = {
        entry.note for entry in Ledger(ledger).history() if entry.kind is EntryKind.RELEASE and _same(entry.dataset, dataset)
    }
    for draft in drafts:
        try:
            manifest = _manifest(draft)
            is_ours = (
                release_digest(draft, manifest) in noted and _is_whole(draft, manifest) and _means(manifest, choices, public)
            )
        except (TacitaError, OSError, LookupError):
            continue  # not a draft of ours, or damaged
        if is_ours:
            return draft
    return None


def _same(one: str, other: str) -> bool:
    return keys(one)[1] == keys(other)[1]


def _manifest(draft: Path) -> Any:  # noqa: ANN401 - JSON
    return read_json(draft / "manifest.json", what="the manifest")


def _is_whole(draft: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether every file is as the manifest says; data that Spark wrote elsewhere is not here."""
    for file in manifest["files"]:
        path = draft / Path(file["name"]).name
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != file["sha256"]:
                return False
    return True


def _means(manifest: Mapping[str, Any], choices: Choices, public: PublicInputs) -> bool:
    """Whether a manifest is that of the publication that is asked for."""
    mechanism, budget = manifest["mechanism"], choices.budget
    asked = {**mechanism["parameters"], **mechanism.get("asked", {})}
    inputs = {name: manifest["public_inputs"].get(name) for name in public.as_json()}
    return (
        budget is not None
        and mechanism["name"] == choices.method.name
        and asked == json.loads(json.dumps(parameters_of(choices.mechanism)))
        and manifest["guarantee"]["epsilon"] == decimal_text(budget.epsilon)
        and manifest["guarantee"].get("delta", "0") == decimal_text(budget.delta)
        and inputs == json.loads(json.dumps(public.as_json()))
    )
