"""From what was typed to the commands of Tacita, and to the same in Python; no kind is named here.

Commands run in the owner's folder. A value is written as `--flag=value` where it begins with a dash, and nothing passes a shell.
"""

from __future__ import annotations

import shlex
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping

from tacita.errors import TacitaError
from tacita.kinds import Kind, Method, Option, kind_named, method_named
from tacita.kinds.building import MAKES_TAXONOMY
from tacita.studio.publications import Publication
from tacita.studio.workspace import Workspace

__all__ = ["as_line", "as_python", "explain_words", "publish_words", "report_words", "takes"]


def publish_words(publication: Publication, workspace: Workspace, *, dry: bool = False) -> list[str]:
    """`tacita publish`, or what it would do."""
    method = method_named(publication.method)
    out = publication.out or workspace.new_release(publication.dataset)
    words = ["publish", *_input(publication), "--method", method.name, *_budget(publication, method, publication.epsilon)]
    words += [*_typed(publication, method), *_words("--dataset", publication.dataset)]
    words += ["--ledger", workspace.short(workspace.ledger_path), "--out", out]
    words += ["--observed-universe"] if publication.observed else []
    return [*words, "--dry-run"] if dry else words


def explain_words(publication: Publication, method: Method, epsilon: str) -> list[str]:
    """`tacita explain` for one method and one epsilon, with a forecast if the kind has one and the facts are known."""
    kind = kind_named(publication.kind)
    words = ["explain", "--method", method.name, *_budget(publication, method, epsilon)]
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
    budget |= {"delta": publication.delta} if method.promise.takes_delta else {}
    named: dict[str, object] = {"method": method.name, **budget}
    named |= {name: _value(given[name], text) for name, text in typed.items() if text and name in given}
    named |= {"dataset": publication.dataset, "out": publication.out or workspace.new_release(publication.dataset)}
    lines = [f"    {name}={value!r}," for name, value in named.items()]
    ledger = f"    ledger=ta.Ledger({workspace.short(workspace.ledger_path)!r}),"
    observed = ["    observed_universe=True,"] if publication.observed else []
    body = "\n".join([f"    {publication.file!r},", *lines, ledger, *observed])
    return f"import tacita as ta\n\nrelease = ta.publish_file(\n{body}\n)\nprint(release.guarantee.statement())\n"


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
    return words + (_words("--delta", publication.delta) if method.promise.takes_delta and publication.delta else [])


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
