"""Completion for fish, 3.0 or later: one line for each word, with the command after which it may stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacita.cli.completion.vocabulary import Command, Takes, Word

__all__ = ["script"]

HEAD = """# Completion of tacita for fish. To use it: tacita completion fish | source
function __tacita_at
    set -l path
    for word in (commandline -opc)[2..]
        if contains -- (string join -- ' ' $path $word) {paths}
            set path $path $word
        end
    end
    test "$path" = "$argv"
end
complete -c tacita -f
"""


def script(commands: Sequence[Command]) -> str:
    """The whole script."""
    paths = " ".join(_quoted(" ".join(command.path)) for command in commands if command.path)
    return HEAD.format(paths=paths) + "\n".join(line for command in commands for line in _lines(command))


def _lines(command: Command) -> Iterator[str]:
    lead = f"complete -c tacita -n {_quoted(' '.join(['__tacita_at', *command.path]))}"
    for name, summary in command.below.items():
        yield f"{lead} -a {name} -d {_quoted(summary)}"
    for position in command.positions:
        yield f"{lead}{_value(position)}"
    for option in command.options:
        flags = "".join(f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in option.flags)
        yield f"{lead}{flags}{_value(option)} -d {_quoted(option.help)}"


def _value(word: Word) -> str:
    follows = " -r" if word.flags else ""
    return {
        Takes.NOTHING: "",
        Takes.CHOICE: f"{follows} -f -a {_quoted(' '.join(word.choices))}",
        Takes.FILE: f"{follows} -F",
        Takes.FOLDER: f"{follows} -f -a '(__fish_complete_directories)'",
        Takes.TEXT: f"{follows} -f",
    }[word.takes]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
