"""The owner's folder, the part of it that belongs to the studio, and the publications that are kept there.

FOLDER/                         the owner's files; commands run here, so that they show short names
FOLDER/tacita-studio/           what the studio keeps
    studio.ledger               what was spent, unless another ledger was named, here or in FOLDER/tacita.toml
    publications/ID/            what was typed for one publication, its journals and its report
    forecasts/                  forecasts that were computed; they come from public facts alone
    files/                      files that were uploaded, or typed into a page
    releases/NAME/              the releases
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacita.errors import ChangedElsewhereError, InputError, OutputError, ParameterError
from tacita.gate import read_json
from tacita.kinds.configuration import FILE_NAME, OPEN, read_configuration
from tacita.kinds.registration import AUTO
from tacita.privacy.drafts import appearing
from tacita.privacy.ledger import Ledger
from tacita.privacy.randomness import token
from tacita.studio.fields import declared_in

__all__ = ["OWN", "Publication", "Publications", "Workspace"]

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
        declared = declared_in(root) if ledger is None else None
        named = root / declared.ledger if declared is not None and declared.ledger is not None else own / "studio.ledger"
        path = named.resolve() if ledger is None else Path(ledger).resolve()
        if ledger is None and (declared is None or declared.ledger is None or declared.creates_ledger):
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
        plain = _shortened(plain)
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

    def config_for(self, file: str, taken: Collection[str] = ()) -> str:
        """The configuration of a private file: the folder's `tacita.toml` if it is about that file, or free for it."""
        stem = Path(file).name.partition(".")[0] or "data"
        for name in (FILE_NAME, f"{stem}.toml", *(f"{stem}-{number}.toml" for number in range(2, MOST_FILES))):
            path = self.folder / name
            if not path.exists() and name not in taken:
                return name
            with suppress(ParameterError):
                if path.exists() and self.short(str(read_configuration(path).values.get("input", OPEN))) == file:
                    return name
        message = f"no free name is left for the configuration of {file}; remove one of {stem}-2.toml and so on"
        raise OutputError(message)

    def write_config(self, name: str, text: str) -> None:
        """Write a configuration; one that was changed outside of the studio is never overwritten."""
        path = self.folder / name
        digests = self.own / "written"
        known = digests.read_text(encoding="utf-8").split() if digests.is_file() else []
        if path.exists() and _digest(path.read_bytes()) not in {*known, _digest(text.encode())}:
            message = f"{name} was changed outside of the studio; take its changes over first, or remove it"
            raise ChangedElsewhereError(message)
        with appearing(path, what="the configuration cannot be written to", is_file=True) as draft:
            draft.write_text(text, encoding="utf-8")
        self.know_config(text.encode())

    def know_config(self, content: bytes) -> None:
        """Note a text that was read or written here, so that it may be replaced."""
        with (self.own / "written").open("a", encoding="utf-8") as file:
            file.write(_digest(content) + "\n")

    def is_changed(self, name: str) -> bool:
        """Whether a configuration was changed outside of the studio since it was read or written here."""
        path, digests = self.folder / name, self.own / "written"
        known = digests.read_text(encoding="utf-8").split() if digests.is_file() else []
        return bool(name) and path.is_file() and _digest(path.read_bytes()) not in known

    def new_release(self, name: str, taken: Collection[str] = ()) -> str:
        """A short name for a release folder that does not exist yet, and that no other publication has `taken`."""
        plain, number = re.sub(r"[^\w\-]+", "-", name).strip("-") or "release", 1
        while (path := self.own / "releases" / f"{plain}-{number}").exists() or self.short(path) in taken:
            number += 1
        return self.short(path)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


LONGEST_NAME = 150
"""Bytes of a file's name: systems allow 255, and a draft of it has a longer one."""


def _shortened(name: str) -> str:
    """A name without its middle, if it is too long for a file; its ending says what it holds."""
    stem, dot, ending = name.partition(".")
    ending = ending.encode()[-50:].decode(errors="ignore")
    room = LONGEST_NAME - len((dot + ending).encode())
    return stem.encode()[:room].decode(errors="ignore") + dot + ending


NO_DATA = (".py", ".ledger", ".mark", ".lock", ".html", ".md", ".partial", ".toml")


def _is_data(name: str) -> bool:
    return not name.startswith(".") and not name.endswith(NO_DATA)


# What was typed for one publication, kept on the disk after every step. A publication has a version that grows with every
# change. A page says on which version it was typed; if another tab changed the publication since, nothing is overwritten
# unseen.


@dataclass(frozen=True, kw_only=True)
class Publication:
    """One publication; everything in it was typed by the owner, and nothing comes from private data."""

    id: str
    version: int = 1
    began: str
    file: str
    kind: str
    options: Mapping[str, str] = field(default_factory=dict)
    """Public inputs and reading options, as they are typed on the command line."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Parameters of methods; each method takes those that it has."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Public facts for forecasts."""
    output: Mapping[str, str] = field(default_factory=dict)
    """How the release is written, and how a stream goes on, if a `tacita.toml` says so."""
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What each published column of a table may hold, by its name: what `[columns.NAME]` says in a `tacita.toml`."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """Which answer the owner chose to each question that rows cannot settle, by what it is about."""
    attempts: tuple[Mapping[str, str], ...] = ()
    """Attempts that ended without a release: when, why, and whether anything was spent."""
    config: str = ""
    """The `tacita.toml` that this publication reads and writes."""
    is_mapped: bool = False
    """Whether the owner has confirmed how the file is read."""
    left: str = ""
    """The first thing that is still to be said; empty if nothing is."""
    before: str = ""
    """What was spent on the data set before this publication began."""
    method: str = AUTO
    epsilon: str = ""
    delta: str = ""
    dataset: str = ""
    observed: bool = False
    out: str = ""
    """The release folder, once publishing has begun."""

    @property
    def has_begun(self) -> bool:
        """Whether it was published, or tried to; from then on, nothing of it changes."""
        return bool(self.out)


def _is_typed(publication: Publication) -> bool:
    """Whether every field is of its type: the file may have been changed by hand."""
    maps = ("options", "parameters", "facts", "output", "answers", "columns")
    kinds = {"version": int, "observed": bool, "is_mapped": bool, "attempts": tuple} | dict.fromkeys(maps, dict)
    held = {part.name: getattr(publication, part.name) for part in fields(publication)}
    if not all(isinstance(value, kinds.get(name, str)) for name, value in held.items()):
        return False
    texts = [text for name in maps[:-1] for text in held[name].values()]
    rest = [*held["columns"].values(), *held["attempts"]]
    return all(isinstance(text, str) for text in texts) and all(isinstance(part, dict) for part in rest)


class Publications:
    """All publications of a workspace."""

    def __init__(self, folder: Path) -> None:
        """Name the folder that holds them."""
        self._folder = folder

    def place(self, identity: str) -> Path:
        """The folder of one publication."""
        if not re.fullmatch(r"[0-9a-f]{32}", identity):
            message = "there is no such publication"
            raise InputError(message)
        return self._folder / identity

    def all(self) -> list[Publication]:
        """The newest first; one that was damaged, or a folder that is none, does not hide the others."""
        found = []
        for path in self._folder.glob("*/typed.json"):
            with suppress(InputError):
                found.append(self.find(path.parent.name))
        return sorted(found, key=lambda one: one.began, reverse=True)

    def damaged(self) -> list[str]:
        """The names of folders that hold no publication that can be read."""
        readable = {one.id for one in self.all()}
        return sorted(path.name for path in self._folder.iterdir() if path.name not in readable and not path.name.startswith("."))

    def find(self, identity: str) -> Publication:
        """One of them."""
        path = self.place(identity) / "typed.json"
        try:
            held: Any = read_json(path, what="the publication")
            found = Publication(**held | {"attempts": tuple(held.get("attempts", ()))})
        except (InputError, TypeError):
            found = None
        if found is None or found.id != identity or not _is_typed(found):
            message = "there is no such publication"
            raise InputError(message)
        return found

    def begin(self, *, file: str, kind: str, **rest: Any) -> Publication:  # noqa: ANN401 - fields of a publication
        """A new one."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        made = Publication(id=token(), began=now, file=file, kind=kind, **rest)
        self.place(made.id).mkdir()
        self._write(made)
        return made

    def change(self, identity: str, version: int, **changes: Any) -> Publication:  # noqa: ANN401 - fields of a publication
        """Change it, unless another tab did so since `version`."""
        with self._alone(identity):
            known = self.find(identity)
            if known.has_begun:
                message = "it was published from another tab, so it cannot be changed any more; begin a new publication"
                raise ChangedElsewhereError(message)
            if known.version != version:
                message = "it was changed in another tab since this page was opened; this page now shows what is kept"
                raise ChangedElsewhereError(message)
            changed = replace(known, version=version + 1, **changes)
            self._write(changed)
            return changed

    def reopen(self, identity: str, attempt: Mapping[str, str]) -> Publication:
        """Note an attempt that ended without a release, so that it can be mended in place."""
        with self._alone(identity):
            known = self.find(identity)
            if not known.has_begun:
                return known
            place = self.place(identity)
            (place / "publish.journal").rename(place / f"publish-{len(known.attempts) + 1}.journal")
            changed = replace(known, version=known.version + 1, out="", before="", attempts=(*known.attempts, attempt))
            self._write(changed)
            return changed

    @contextmanager
    def _alone(self, identity: str) -> Iterator[None]:
        """Wait for other tabs that change the same publication."""
        import fcntl  # noqa: PLC0415 - missing on some systems, where the studio cannot run

        with (self.place(identity) / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _write(self, publication: Publication) -> None:
        path = self.place(publication.id) / "typed.json"
        with appearing(path, what="the publication cannot be kept in", is_file=True) as draft:
            draft.write_text(json.dumps(asdict(publication), indent=2) + "\n", encoding="utf-8")
