"""Every method at several epsilons, side by side, before anything is spent: `tacita explain` for each, from public facts alone.

Forecasts take seconds, so they are computed in the background, and kept by the command and the public files that they came from.
The usual epsilon comes first, so that there is soon something to see of every method.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.kinds import Method, methods
from tacita.privacy.drafts import appearing
from tacita.studio.commands import explain_words
from tacita.studio.publications import Publication
from tacita.studio.workspace import Workspace

__all__ = ["EPSILONS", "Cell", "Comparison", "Forecaster", "Span"]

EPSILONS = ("0.1", "0.5", "1", "2")
TOGETHER = 2
"""How many forecasts are computed at a time."""


@dataclass(frozen=True, kw_only=True)
class Span:
    """What is expected of one figure."""

    low: float
    middle: float
    high: float
    best: float


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One method at one epsilon: figures by name, or why there are none."""

    method: str
    epsilon: str
    figures: dict[str, Span] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    refusal: str = ""
    known: bool = True


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All cells, and the names of their figures."""

    cells: tuple[Cell, ...]

    @property
    def waiting(self) -> int:
        """How many are not known yet."""
        return sum(not cell.known for cell in self.cells)

    @property
    def figures(self) -> tuple[str, ...]:
        """The figures that at least one method has."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in cell.figures))


class Forecaster:
    """Computes forecasts in the background, and remembers them on the disk."""

    def __init__(self, workspace: Workspace) -> None:
        """For one workspace."""
        self._workspace = workspace
        self._pool = ThreadPoolExecutor(TOGETHER, thread_name_prefix="forecast")
        self._asked: set[str] = set()
        self._wanted: dict[str, set[str]] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Begin no further forecast."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def compare(self, publication: Publication) -> Comparison:
        """What is known now; what is not is being computed after this, and what was asked for before is not any more."""
        with self._lock:
            self._wanted[publication.id] = set()
        own = [method for method in methods().values() if method.kind == publication.kind]
        asked = [
            (method, epsilon)
            for epsilon in sorted(EPSILONS, key=lambda text: abs(float(text) - 1))
            for method in own
            if method.promise.takes_epsilon
        ]
        asked += [(method, "") for method in own if not method.promise.takes_epsilon]
        cells = [self._cell(publication, method, epsilon) for method, epsilon in asked]
        return Comparison(cells=tuple(sorted(cells, key=lambda cell: float(cell.epsilon or 0))))

    def _cell(self, publication: Publication, method: Method, epsilon: str) -> Cell:
        base: dict[str, Any] = {"method": method.name, "epsilon": epsilon}
        found = self._told(publication.id, explain_words(publication, method, epsilon))
        if found is None:
            return Cell(**base, known=False)
        if "refusal" in found:
            return Cell(**base, refusal=found["refusal"])
        return Cell(**base, figures=_figures(found) or noise_of(found["plan"]), facts=tuple(found["facts"]))

    def _told(self, identity: str, words: list[str]) -> dict[str, Any] | None:
        """What a command told; None if it is still to be run."""
        path = self._workspace.own / "forecasts" / f"{self._key(words)}.json"
        with suppress(OSError, ValueError):
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return found
        with self._lock:
            self._wanted[identity].add(path.name)
            if path.name not in self._asked:
                self._asked.add(path.name)
                self._pool.submit(self._run, path, words)
        return None

    def _run(self, path: Path, words: list[str]) -> None:
        with self._lock:
            if not any(path.name in wanted for wanted in self._wanted.values()):  # other facts were typed meanwhile
                self._asked.discard(path.name)
                return
        done = subprocess.run(  # noqa: S603 - our own program, without a shell
            [sys.executable, "-m", "tacita.cli", *words, "--json"],
            cwd=self._workspace.folder,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        found = done.stdout if done.returncode == 0 else json.dumps({"refusal": _sentence(done.stderr)})
        with suppress(Exception), appearing(path, what="a forecast cannot be kept in", is_file=True) as draft:
            draft.write_text(found, encoding="utf-8")
        with self._lock:
            self._asked.discard(path.name)

    def _key(self, words: list[str]) -> str:
        """The command, and how long and how old the files are that it names."""
        parts = []
        for word in words:
            with suppress(OSError, ValueError):
                stat = (self._workspace.folder / word).stat()
                parts.append(f"{word} {stat.st_size} {stat.st_mtime_ns}")
        return hashlib.sha256("\0".join([*words, *parts]).encode()).hexdigest()[:32]


def _sentence(error: str) -> str:
    """The last line that a refused command printed."""
    lines = [line for line in error.splitlines() if line.strip()]
    return lines[-1].removeprefix("tacita: ") if lines else "the forecast could not be computed"


def _figures(told: dict[str, Any]) -> dict[str, Span]:
    return {
        figure["name"]: Span(low=figure["low"], middle=figure["middle"], high=figure["high"], best=figure["best"])
        for figure in told.get("figures", [])
        if figure["method"] is None
    }


def noise_of(plan: dict[str, Any] | None) -> dict[str, Span]:
    """For a kind without forecasts: how far a noisy count is off, typically, at the best and the worst paid step of a plan."""
    epsilons = sorted(_amounts(plan)) if plan is not None else []
    if not epsilons:
        return {}
    middle = epsilons[len(epsilons) // 2]
    return {"noise of one count (its typical error)": Span(low=1 / epsilons[-1], middle=1 / middle, high=1 / epsilons[0], best=0)}


def _amounts(plan: dict[str, Any]) -> list[float]:
    if "parts" in plan:
        return [amount for part in plan["parts"] for amount in _amounts(part)]
    top, _, bottom = str(plan["epsilon"]).partition("/")
    amount = float(top) / float(bottom or 1)
    spread = [amount / plan["ticks"]] if plan.get("ticks", 1) > 1 else []  # what slides may be spent at once, or evenly
    return [amount, *spread] if amount > 0 else []
