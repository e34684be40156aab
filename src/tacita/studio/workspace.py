"""The owner's folder, and the part of it that belongs to the studio.

FOLDER/                         the owner's files; commands run here, so that they show short names
FOLDER/tacita-studio/           what the studio keeps
    studio.ledger               what was spent, unless another ledger was named
    publications/ID/            what was typed for one publication, its journals and its report
    forecasts/                  forecasts that were computed; they come from public facts alone
    files/                      files that were uploaded, or typed into a page
    releases/NAME/              the releases
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import InputError, OutputError, ParameterError
from tacita.privacy.drafts import appearing
from tacita.privacy.ledger import Ledger

__all__ = ["OWN", "Workspace"]

OWN = "tacita-studio"
MOST_FILES = 500
DEEPEST = 3
_HIDDEN = {OWN, "node_modules", "__pycache__"}


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """A folder that exists, and the ledger that publications are charged to."""

    folder: Path
    ledger_path: Path

    @classmethod
    def at(cls, folder: str | Path, *, ledger: str | Path | None = None) -> Workspace:
        """Open a folder; makes what the studio keeps there, the ledger included, if it is not there yet."""
        root = Path(folder).resolve()
        if not root.is_dir():
            message = f"the studio's folder must exist, got {str(folder)!r}"
            raise InputError(message)
        own = root / OWN
        try:
            own.mkdir(mode=0o700, exist_ok=True)  # reports hold raw figures: nobody else on this machine may look
            for name in ("publications", "forecasts", "files", "releases"):
                (own / name).mkdir(exist_ok=True)
        except OSError as error:
            message = f"the studio cannot write to {str(root)!r}: {error.strerror or error}"
            raise OutputError(message) from None
        path = own / "studio.ledger" if ledger is None else Path(ledger).resolve()
        if ledger is None:
            Ledger.create(path, exist_ok=True)
        found = cls(folder=root, ledger_path=path)
        found.ledger().balances()  # a ledger that cannot be read is refused before a page opens
        return found

    @property
    def own(self) -> Path:
        """The part that belongs to the studio."""
        return self.folder / OWN

    def ledger(self) -> Ledger:
        """The ledger."""
        return Ledger(self.ledger_path)

    def short(self, path: str | Path) -> str:
        """A path as commands show it: within the folder, without the folder."""
        full = self.folder / path
        return str(full.relative_to(self.folder)) if full.is_relative_to(self.folder) else str(full)

    def files(self) -> list[str]:
        """The owner's files that could be data or public inputs, by short name; releases are left out."""
        found: list[str] = []
        for place, folders, names in os.walk(self.folder):
            here = Path(place)
            if "manifest.json" in names:
                folders.clear()
                continue
            depth = len(here.relative_to(self.folder).parts)
            folders[:] = sorted(name for name in folders if depth < DEEPEST and name not in _HIDDEN and not name.startswith("."))
            found += [self.short(here / name) for name in sorted(names) if _is_data(name)]
            if len(found) >= MOST_FILES:
                break
        kept = sorted((self.own / "files").iterdir())
        return [*(self.short(path) for path in kept if not path.name.startswith(".")), *found[:MOST_FILES]]

    def new_file(self, name: str) -> Path:
        """A place for a file that was uploaded or typed; a name that is taken gets a number."""
        plain = re.sub(r"[^\w.\-]+", "-", Path(name).name).strip(".-")
        if not plain:
            message = f"a file needs a name of letters and digits, got {name!r}"
            raise ParameterError(message)
        path, number = self.own / "files" / plain, 1
        while path.exists():
            number += 1
            stem, dot, ending = plain.partition(".")
            path = self.own / "files" / f"{stem}-{number}{dot}{ending}"
        return path

    def keep_text(self, name: str, text: str) -> str:
        """Write a text that was typed to a new file; its short name. The same text under the same name is kept once."""
        taken = self.own / "files" / Path(name).name
        text = text.replace("\r\n", "\n")
        if taken.is_file() and taken.read_text(encoding="utf-8", errors="replace") == text:
            return self.short(taken)
        path = self.new_file(name)
        with appearing(path, what="the file cannot be written to", is_file=True) as draft:
            draft.write_text(text, encoding="utf-8")
        return self.short(path)

    def new_release(self, name: str, taken: Collection[str] = ()) -> str:
        """A short name for a release folder that does not exist yet, and that no other publication has `taken`."""
        plain, number = re.sub(r"[^\w\-]+", "-", name).strip("-") or "release", 1
        while (path := self.own / "releases" / f"{plain}-{number}").exists() or self.short(path) in taken:
            number += 1
        return self.short(path)


def _is_data(name: str) -> bool:
    return not name.startswith(".") and not name.endswith((".py", ".ledger", ".mark", ".lock", ".html", ".md", ".partial"))
