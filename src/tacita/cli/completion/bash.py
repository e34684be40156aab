"""Completion for bash, 3.2 or later: a function that finds the command typed so far and offers what may follow."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from tacita.cli.completion.vocabulary import Command, Takes, Word

__all__ = ["script"]

HEAD = """# Completion of tacita for bash. To use it: source <(tacita completion bash)
_tacita_files() {
    local IFS=$'\\n'
    compopt -o filenames 2> /dev/null
    COMPREPLY=($(compgen "$1" -- "$word"))
}
_tacita() {
    local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" path="" offered="" place
    COMPREPLY=()
    for ((place = 1; place < COMP_CWORD; place++)); do
        case "${path:+$path }${COMP_WORDS[place]}" in"""

TAIL = """    COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
complete -F _tacita tacita
"""


def script(commands: Sequence[Command]) -> str:
    """The whole script."""
    paths = "|".join(quote(" ".join(command.path)) for command in commands if command.path)
    lines = [HEAD, f'            {paths}) path="${{path:+$path }}${{COMP_WORDS[place]}}" ;;', "        esac", "    done"]
    lines += ['    case "$path:$previous" in', *_values(commands), "    esac"]
    lines += ['    case "$path:$word" in', *_words(commands), "    esac"]
    return "\n".join([*lines, TAIL]).rstrip("\n")


def _values(commands: Sequence[Command]) -> list[str]:
    """What follows an option that takes something."""
    return [
        f"        {_pattern(command, option)}) {_offer(option)} return ;;"
        for command in commands
        for option in command.options
        if option.takes is not Takes.NOTHING
    ]


def _pattern(command: Command, option: Word) -> str:
    return "|".join(quote(f"{' '.join(command.path)}:{flag}") for flag in option.flags)


def _offer(word: Word) -> str:
    if word.takes is Takes.CHOICE:
        return f'COMPREPLY=($(compgen -W {quote(" ".join(word.choices))} -- "$word"));'
    if word.takes in (Takes.FILE, Takes.FOLDER):
        return f"_tacita_files {'-f' if word.takes is Takes.FILE else '-d'};"
    return ""


def _words(commands: Sequence[Command]) -> list[str]:
    """Options after a dash; otherwise commands below, and what stands at a position."""
    lines = []
    for command in commands:
        path = quote(" ".join(command.path) + ":")
        flags = " ".join(flag for option in command.options for flag in option.flags)
        lines.append(f"        {path}-*) offered={quote(flags)} ;;")
        if any(position.takes is Takes.FILE for position in command.positions):
            lines.append(f"        {path}*) _tacita_files -f; return ;;")
        else:
            offered = [*command.below, *(choice for position in command.positions for choice in position.choices)]
            lines.append(f"        {path}*) offered={quote(' '.join(offered))} ;;")
    return lines
