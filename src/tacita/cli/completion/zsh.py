"""Completion for zsh: a function for each command, for `source` and for a folder of `fpath` alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacita.cli.completion.vocabulary import Command, Takes, Word

__all__ = ["script"]

HEAD = """#compdef tacita
# Completion of tacita for zsh. To use it: source <(tacita completion zsh), or save it as _tacita in a folder of fpath.
"""

TAIL = """
if [[ "$funcstack[1]" = _tacita ]]; then
    _tacita "$@"
else
    compdef _tacita tacita
fi"""


def script(commands: Sequence[Command]) -> str:
    """The whole script."""
    functions = [_branch(command) if command.below else _leaf(command) for command in commands]
    return HEAD + "\n".join(functions) + TAIL


def _function(path: Sequence[str]) -> str:
    return "_".join(["_tacita", *path])


def _branch(command: Command) -> str:
    """Commands below, or the function of the one that was typed."""
    below = " ".join(_quoted(f"{name}:{summary}") for name, summary in command.below.items())
    cases = "\n".join(f"                {name}) {_function([*command.path, name])} ;;" for name in command.below)
    return f"""{_function(command.path)}() {{
    local state line
    local -a below
    _arguments -C {" ".join(map(_option, command.options))} '1:command:->command' '*::argument:->argument'
    case "$state" in
        command)
            below=({below})
            _describe command below ;;
        argument)
            case "$line[1]" in
{cases}
            esac ;;
    esac
}}"""


def _leaf(command: Command) -> str:
    words = [*map(_option, command.options), *(_quoted(f":{_plain(word.name)}:{_action(word)}") for word in command.positions)]
    lines = " \\\n        ".join(words)
    return f"{_function(command.path)}() {{\n    _arguments \\\n        {lines}\n}}"


def _option(word: Word) -> str:
    value = "" if word.takes is Takes.NOTHING else f":{_plain(word.name)}:{_action(word)}"
    return " ".join(_quoted(f"{flag}[{_plain(word.help)}]{value}") for flag in word.flags)


def _action(word: Word) -> str:
    return {
        Takes.CHOICE: f"({' '.join(word.choices)})",
        Takes.FILE: "_files",
        Takes.FOLDER: "_files -/",
    }.get(word.takes, " ")


def _plain(text: str) -> str:
    """A text without what zsh would read as the end of it."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
