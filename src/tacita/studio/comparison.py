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
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.errors import TacitaError
from tacita.kinds import Kind, Method, Option, kind_named, method_named, methods
from tacita.kinds.options import OUTPUT_OPTIONS
from tacita.kinds.words import MAKES_TAXONOMY
from tacita.privacy.drafts import appearing
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
    "publish_words",
    "report_words",
    "takes",
]


# From what was typed to the commands of Tacita, and to the same in Python; no kind is named here. Commands run in the owner's
# folder. A value is written as `--flag=value` where it begins with a dash, and nothing passes a shell.


def publish_words(publication: Publication, workspace: Workspace, *, dry: bool = False) -> list[str]:
    """`tacita publish`, or what it would do."""
    method = method_named(publication.method)
    out = publication.out or workspace.new_release(publication.dataset)
    words = [
        "publish",
        publication.kind,
        *_input(publication),
        "--method",
        method.name,
        *_budget(publication, method, publication.epsilon),
    ]
    words += [*_typed(publication, method), *_words("--dataset", publication.dataset)]
    words += ["--ledger", workspace.short(workspace.ledger_path), "--out", out, *_words_of(OUTPUT_OPTIONS, publication.output)]
    words += ["--observed-universe"] if publication.observed else []
    return [*words, "--dry-run"] if dry else words


def explain_words(publication: Publication, method: Method, epsilon: str) -> list[str]:
    """`tacita explain` for one method and one epsilon, with a forecast if the kind has one and the facts are known."""
    kind = kind_named(publication.kind)
    words = ["explain", publication.kind, "--method", method.name, *_budget(publication, method, epsilon)]
    words += _typed(publication, method, reading=False)
    if kind.forecast is not None and method.promise.takes_epsilon and publication.facts.get("records"):
        words += [
            word for name, text in publication.facts.items() if text for word in _words(f"--{name.replace('_', '-')}", text)
        ]
        words.append("--alone")
    return words


def report_words(publication: Publication, *, owner: str, shared: str) -> list[str]:
    """`tacita report`: a page for the owner, and one that may go with the release."""
    typed = _words_of(kind_named(publication.kind).options, publication.options)
    return ["report", *_input(publication), publication.out, *typed, "--out", owner, "--shared", shared]


def takes(method: Method, publication: Publication) -> set[str]:
    """The parameters among those typed that a method has."""
    return {name for name in publication.parameters if method.option(name) is not None}


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
    method, kind = method_named(publication.method), kind_named(publication.kind)
    given = {option.field_name: option for option in (*kind.options, *method.options)}
    typed = {**publication.options, **{name: publication.parameters[name] for name in takes(method, publication)}}
    budget = {"epsilon": publication.epsilon} if method.promise.takes_epsilon else {}
    budget |= {"delta": publication.delta} if method.promise.takes_delta or (method.takes_delta and publication.delta) else {}
    named: dict[str, object] = {"method": method.name, **budget}
    named |= {name: _value(given[name], text) for name, text in typed.items() if text and name in given}
    named |= {"name": publication.dataset}
    lines = [f"    {name}={value!r}," for name, value in named.items()]
    ledger, out = workspace.short(workspace.ledger_path), publication.out or workspace.new_release(publication.dataset)
    observed = ["    observed_universe=True,"] if publication.observed else []
    written = [f"{'file_format' if name == 'format' else name}={text!r}" for name, text in publication.output.items()]
    body = "\n".join([f"    {publication.file!r},", *lines, f"    ledger={ledger!r},", *observed])
    return (
        f"import tacita as ta\n\nrelease = ta.publish(\n{body}\n)\n"
        f"release.write({', '.join([repr(out), *written])})\nprint(release.guarantee.statement())\n"
    )


def _value(option: Option, text: str) -> object:
    """A value as Python would write it; what has no plain form stays as it is typed."""
    if option.switch:
        return True
    try:
        found = option.convert(text)
    except (TacitaError, ArgumentTypeError, ValueError):
        return text  # the preview says what is wrong with it
    return found if isinstance(found, int | float | tuple) else text


def _input(publication: Publication) -> list[str]:
    """The private file; a name that begins with a dash would pass for an option."""
    return [f"./{publication.file}" if publication.file.startswith("-") else publication.file]


def _budget(publication: Publication, method: Method, epsilon: str) -> list[str]:
    words = _words("--epsilon", epsilon) if method.promise.takes_epsilon and epsilon else []
    return words + (_words("--delta", publication.delta) if method.takes_delta and publication.delta else [])


def _typed(publication: Publication, method: Method, *, reading: bool = True) -> list[str]:
    kind: Kind = kind_named(publication.kind)
    idle = () if method.option("taxonomy") is not None else MAKES_TAXONOMY
    public = [option for option in kind.public_options if option.field_name not in idle]
    own = {name: publication.parameters[name] for name in takes(method, publication)}
    words = _words_of(public, publication.options) + _words_of(method.options, own)
    return words + _words_of(kind.reading_options, publication.options) if reading else words


def _words_of(options: Iterable[Option], values: Mapping[str, str]) -> list[str]:
    words: list[str] = []
    for option in options:
        text = values.get(option.field_name, "")
        if text:
            words += [option.flag] if option.switch else _words(option.flag, text)
    return words


def _words(flag: str, text: str) -> list[str]:
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]


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
