"""What was typed for one publication, kept on the disk after every step.

A publication has a version that grows with every change. A page says on which version it was typed; if another tab changed the
publication since, nothing is overwritten unseen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacita.errors import ChangedElsewhereError, InputError
from tacita.privacy.drafts import appearing
from tacita.privacy.randomness import token

__all__ = ["Publication", "Publications"]


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
    method: str = ""
    epsilon: str = "1"
    delta: str = ""
    dataset: str = ""
    observed: bool = False
    out: str = ""
    """The release folder, once publishing has begun."""

    @property
    def has_begun(self) -> bool:
        """Whether it was published, or tried to; from then on, nothing of it changes."""
        return bool(self.out)


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
        """The newest first."""
        found = [self.find(path.parent.name) for path in self._folder.glob("*/typed.json")]
        return sorted(found, key=lambda one: one.began, reverse=True)

    def find(self, identity: str) -> Publication:
        """One of them."""
        path = self.place(identity) / "typed.json"
        try:
            return Publication(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            message = "there is no such publication"
            raise InputError(message) from None

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
