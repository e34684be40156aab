"""`tacita completion`: a script that lets a shell complete commands, options, choices and files, written from the parser.

The script holds every word, so that completing starts no Python; it is written anew with each version. First comes what can be
typed, for all shells alike, then one script for each shell: bash, fish and zsh.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from shlex import quote

from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, build_parser, every_parser, visible
from tacita.cli.screen import say

__all__ = ["SHELLS", "add", "run"]

SHELLS = ("bash", "zsh", "fish")


def add(commands: Commands) -> None:
    """Offer the command."""
    completion = add_command(commands, "completion", COMMANDS["completion"], "tacita completion bash")
    completion.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


# What can be typed: each command with its subcommands, options and positions.


class Takes(Enum):
    """What follows an option, or stands at a position."""

    NOTHING = auto()
    CHOICE = auto()
    FILE = auto()
    FOLDER = auto()
    TEXT = auto()


FILES = {"FILE": Takes.FILE, "INPUT": Takes.FILE, "FOLDER": Takes.FOLDER}


@dataclass(frozen=True, kw_only=True)
class Word:
    """An option, or a position if it has no flags."""

    flags: tuple[str, ...]
    name: str
    help: str
    takes: Takes
    choices: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command by the words that lead to it; the first of all has none."""

    path: tuple[str, ...]
    summary: str
    below: dict[str, str]
    options: tuple[Word, ...]
    positions: tuple[Word, ...]


def vocabulary(parser: Parser) -> list[Command]:
    """Every command, each after the one that it belongs to."""
    parsers = dict(every_parser(parser))
    commands = []
    for path, child in parsers.items():
        words = [_word(action) for action in visible(child)]
        asked = Word(flags=("-h", "--help"), name="", help="show help and exit", takes=Takes.NOTHING, choices=())
        below = {name[-1]: _summary(parsers[name]) for name in parsers if name and name[:-1] == path}
        commands.append(
            Command(
                path=path,
                summary=_summary(child),
                below=below,
                options=(asked, *(word for word in words if word.flags)),
                positions=tuple(word for word in words if not word.flags),
            )
        )
    return commands


def _summary(parser: argparse.ArgumentParser) -> str:
    return (parser.description or "").rstrip(".")


def _word(action: argparse.Action) -> Word:
    name = action.metavar if isinstance(action.metavar, str) else action.dest
    if action.nargs == 0:
        takes = Takes.NOTHING
    elif action.choices is not None:
        takes = Takes.CHOICE
    else:
        takes = FILES.get(name, Takes.TEXT)
    return Word(
        flags=tuple(action.option_strings),
        name=name,
        help=(action.help or "").split(";")[0],
        takes=takes,
        choices=tuple(map(str, action.choices or ())),
    )


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    say(SCRIPTS[options.shell](vocabulary(build_parser())))


# bash, 3.2 or later: a function that finds the command typed so far and offers what may follow.

BASH_HEAD = """# Completion of tacita for bash. To use it: source <(tacita completion bash)
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

BASH_TAIL = """    COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
complete -F _tacita tacita
"""


def bash_script(commands: Sequence[Command]) -> str:
    """The whole script."""
    paths = "|".join(quote(" ".join(command.path)) for command in commands if command.path)
    lines = [BASH_HEAD, f'            {paths}) path="${{path:+$path }}${{COMP_WORDS[place]}}" ;;', "        esac", "    done"]
    lines += ['    case "$path:$previous" in', *_values(commands), "    esac"]
    lines += ['    case "$path:$word" in', *_words(commands), "    esac"]
    return "\n".join([*lines, BASH_TAIL]).rstrip("\n")


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


# fish, 3.0 or later: one line for each word, with the command after which it may stand.

FISH_HEAD = """# Completion of tacita for fish. To use it: tacita completion fish | source
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


def fish_script(commands: Sequence[Command]) -> str:
    """The whole script."""
    paths = " ".join(_fish_quoted(" ".join(command.path)) for command in commands if command.path)
    return FISH_HEAD.format(paths=paths) + "\n".join(line for command in commands for line in _lines(command))


def _lines(command: Command) -> Iterator[str]:
    lead = f"complete -c tacita -n {_fish_quoted(' '.join(['__tacita_at', *command.path]))}"
    for name, summary in command.below.items():
        yield f"{lead} -a {name} -d {_fish_quoted(summary)}"
    for position in command.positions:
        yield f"{lead}{_value(position)}"
    for option in command.options:
        flags = "".join(f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in option.flags)
        yield f"{lead}{flags}{_value(option)} -d {_fish_quoted(option.help)}"


def _value(word: Word) -> str:
    follows = " -r" if word.flags else ""
    return {
        Takes.NOTHING: "",
        Takes.CHOICE: f"{follows} -f -a {_fish_quoted(' '.join(word.choices))}",
        Takes.FILE: f"{follows} -F",
        Takes.FOLDER: f"{follows} -f -a '(__fish_complete_directories)'",
        Takes.TEXT: f"{follows} -f",
    }[word.takes]


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# zsh: a function for each command, which works with `source` and in a folder of `fpath` alike.

ZSH_HEAD = """#compdef tacita
# Completion of tacita for zsh. To use it: source <(tacita completion zsh), or save it as _tacita in a folder of fpath.
"""

ZSH_TAIL = """
if [[ "$funcstack[1]" = _tacita ]]; then
    _tacita "$@"
else
    compdef _tacita tacita
fi"""


def zsh_script(commands: Sequence[Command]) -> str:
    """The whole script."""
    functions = [_branch(command) if command.below else _leaf(command) for command in commands]
    return ZSH_HEAD + "\n".join(functions) + ZSH_TAIL


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


SCRIPTS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
