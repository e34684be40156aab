"""The commands that the studio runs, and every method at several epsilons, side by side, before anything is spent.

The comparison runs `tacita explain` for each method, from public facts alone. Forecasts take seconds, so they are computed in
the background, and kept under the command and the public files that they came from. The usual epsilon comes first, so that soon
there is something to see of every method.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.kinds import Method, Option, kind_named, methods
from tacita.kinds.configuration import COLUMNS
from tacita.kinds.registration import AUTO
from tacita.kinds.wanted import chosen_in
from tacita.kinds.words import MAKES_TAXONOMY
from tacita.privacy.drafts import appearing
from tacita.studio.fields import parameters_of
from tacita.studio.workspace import Publication, Workspace

__all__ = [
    "EPSILONS",
    "Cell",
    "Comparison",
    "Forecaster",
    "Span",
    "as_line",
    "as_python",
    "explain_words",
    "next_words",
    "publish_words",
    "report_words",
]


# From what was typed to the commands of Tacita, and to the same in Python; no kind is named here. Commands run in the owner's
# folder and obey the configuration that the pages write. A value is written as `--flag=value` where it begins with a dash, and
# nothing passes a shell.


def publish_words(publication: Publication, workspace: Workspace, *, dry: bool = False) -> list[str]:
    """`tacita publish`, or what it would do."""
    out = publication.out or workspace.new_release(publication.dataset)
    words = ["publish", "--config", publication.config, *_words("--out", out)]
    words += ["--observed-universe"] if publication.observed else []
    return [*words, "--dry-run"] if dry else words


def next_words(publication: Publication) -> list[str]:
    """What to type to see the automatic method and its forecast."""
    budget = _words("--epsilon", publication.epsilon) if publication.epsilon else []
    return ["explain", "--config", publication.config, *budget]


def explain_words(publication: Publication, workspace: Workspace, method: Method | None, epsilon: str) -> list[str]:
    """`tacita explain` for one method, or the automatic choice, and one epsilon, with a forecast if the facts are known."""
    kind = kind_named(publication.kind)
    takes_epsilon = method is None or method.promise.takes_epsilon
    words = ["explain", publication.kind, *([] if method is None else ["--method", method.name])]
    words += _words("--epsilon", epsilon) if takes_epsilon and epsilon else []
    takes_delta = method is None or method.takes_delta
    words += _words("--delta", publication.delta) if takes_delta and publication.delta else []
    idle = () if method is None or method.option("taxonomy") is not None else MAKES_TAXONOMY
    public = [option for option in kind.public_options if option.field_name not in idle]
    options = dict(publication.options)
    if publication.columns and not options.get(COLUMNS):
        options[COLUMNS] = _columns_file(publication, workspace)
    known = methods().values() if method is None else (method,)
    parameters = {option.field_name: option for one in known for option in one.options if one.kind == kind.name}
    own = parameters_of(publication, kind, method)
    words += _words_of(public, options) + _words_of(parameters.values(), own)
    if kind.forecast is not None and takes_epsilon and publication.facts.get("records"):
        facts = {name: text for name, text in publication.facts.items() if text}
        words += [word for name, text in facts.items() for word in _words(f"--{name.replace('_', '-')}", text)]
        words.append("--alone")
    return words


def _columns_file(publication: Publication, workspace: Workspace) -> str:
    """The declared columns as a file for forecasts, named after what it holds, so that another declaration is forecast anew."""
    text = json.dumps(publication.columns, ensure_ascii=False, sort_keys=True)
    path = workspace.own / "forecasts" / f"columns-{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"
    if not path.exists():
        with appearing(path, what="a forecast cannot be kept in", is_file=True) as draft:
            draft.write_text(text, encoding="utf-8")
    return workspace.short(path)


def report_words(publication: Publication, *, owner: str, shared: str) -> list[str]:
    """`tacita report`: a page for the owner, and one that may go with the release."""
    return ["report", *_input(publication), publication.out, "--config", publication.config, "--out", owner, "--shared", shared]


def as_line(words: list[str]) -> str:
    """A command as one would type it, one option per line."""
    lines, current = [], "tacita"
    for place, word in enumerate(words):
        if word.startswith("--") and place > 1:
            lines.append(current)
            current = "    " + shlex.quote(word)
        else:
            current += " " + shlex.quote(word)
    return " \\\n".join([*lines, current])


def as_python(publication: Publication, workspace: Workspace) -> str:
    """The publication in Python."""
    out = publication.out or workspace.new_release(publication.dataset)
    observed = ", observed_universe=True" if publication.observed else ""
    written = [
        f"{'file_format' if name == 'format' else name}={text!r}"
        for name, text in publication.output.items()
        if name in {"format", "reserve"}
    ]
    return (
        f"import tacita as ta\n\nrelease = ta.publish(config={publication.config!r}{observed})\n"
        f"release.write({', '.join([repr(out), *written])})\nprint(release.guarantee.statement())\n"
    )


def _input(publication: Publication) -> list[str]:
    """The private file; a name that begins with a dash would pass for an option."""
    return [f"./{publication.file}" if publication.file.startswith("-") else publication.file]


def _words_of(options: Iterable[Option], values: Mapping[str, str]) -> list[str]:
    words: list[str] = []
    for option in options:
        text = values.get(option.field_name, "")
        if text:
            words += [option.flag] if option.switch else _words(option.flag, text)
    return words


def _words(flag: str, text: str) -> list[str]:
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]


EPSILONS = ("0.1", "0.25", "0.5", "1", "2")
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
    """The name of a method, or `auto` for the one that the kind chooses."""
    epsilon: str
    figures: dict[str, Span] = field(default_factory=dict)
    floors: dict[str, dict[str, float]] = field(default_factory=dict)
    """What the simplest releases would have, by the name of the figure and of the floor."""
    decides: tuple[str, ...] = ()
    """The figures by which the kind compares methods."""
    chosen: str = ""
    """The method that was chosen, if the choice was left to the kind."""
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

    @property
    def automatic(self) -> list[Cell]:
        """What the automatic choice gives, by rising epsilon."""
        return [cell for cell in self.cells if cell.method == AUTO]

    @property
    def chosen(self) -> str:
        """The method that is chosen automatically; empty as long as that is not known."""
        return next((cell.chosen for cell in self.automatic if cell.chosen), "")


class Forecaster:
    """Computes forecasts in the background, and remembers them on the disk."""

    def __init__(self, workspace: Workspace) -> None:
        """For one workspace."""
        self._workspace = workspace
        self._pool = ThreadPoolExecutor(TOGETHER, thread_name_prefix="forecast")
        self._asked: set[str] = set()
        self._wanted: dict[str, set[str]] = {}
        self._running: set[subprocess.Popen[str]] = set()
        self._is_closed = False
        self._lock = threading.Lock()

    def close(self) -> None:
        """Begin no further forecast, and end those that run."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._is_closed = True
            while self._running:
                self._running.pop().kill()

    def compare(self, publication: Publication) -> Comparison:
        """What is known now; what is not is being computed after this, and what was asked for before is not any more."""
        with self._lock:
            self._wanted[publication.id] = set()
        own = [method for method in methods().values() if method.kind == publication.kind]
        budgets = (
            sorted(EPSILONS, key=lambda text: abs(float(text) - 1)) if any(one.promise.takes_epsilon for one in own) else [""]
        )
        automatic = [self._cell(publication, None, epsilon) for epsilon in budgets]
        chosen = {cell.chosen for cell in automatic}
        asked = [
            (method, epsilon)
            for epsilon in budgets
            for method in own
            if method.promise.takes_epsilon and not chosen & {method.name, ""}
        ]
        asked += [(method, "") for method in own if not method.promise.takes_epsilon and method.name not in chosen]
        cells = [*automatic, *(self._cell(publication, method, epsilon) for method, epsilon in asked)]
        return Comparison(cells=tuple(sorted(cells, key=lambda cell: float(cell.epsilon or 0))))

    def _cell(self, publication: Publication, method: Method | None, epsilon: str) -> Cell:
        base: dict[str, Any] = {"method": AUTO if method is None else method.name, "epsilon": epsilon}
        found = self._told(publication.id, explain_words(publication, self._workspace, method, epsilon))
        if found is None:
            return Cell(**base, known=False)
        if "refusal" in found:
            return Cell(**base, refusal=found["refusal"], chosen="none")
        figures = _figures(found)
        return Cell(
            **base,
            figures=figures or noise_of(found["plan"]),
            floors=_floors(found, tuple(figures)),
            decides=_decides(found, tuple(figures)),
            chosen=(chosen_in(found["facts"]) or "none") if method is None else "",
            facts=tuple(found["facts"]),
        )

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
            if self._is_closed:
                return
            process = subprocess.Popen(  # noqa: S603 - our own program, without a shell
                [sys.executable, "-m", "tacita.cli", *words, "--json"],
                cwd=self._workspace.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            self._running.add(process)
        told, errors = process.communicate()
        with self._lock:
            if process not in self._running:  # it was killed
                return
            self._running.remove(process)
        found = told if process.returncode == 0 else json.dumps({"refusal": _sentence(errors)})
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


def _floors(told: dict[str, Any], names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """The medians of the simplest releases, by the names of the figures: a forecast has them in the order of its figures."""
    found: dict[str, dict[str, float]] = {name: {} for name in names}
    for floor, parts in ((told.get("forecast") or {}).get("floors") or {}).items():
        spans = [parts] if "middle" in parts else list(parts.values())
        if len(spans) in (1, len(names)):
            for name, span in zip(names, spans, strict=False):
                found[name][floor] = span["middle"]
    return {name: floors for name, floors in found.items() if floors}


def _decides(told: dict[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    forecast = told.get("forecast") or {}
    keys = list((forecast.get("floors") or {}).get("nothing", ()))
    places = [keys.index(key) for key in forecast.get("decides", ()) if key in keys]
    return tuple(names[place] for place in places if place < len(names)) or names[:1]


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
