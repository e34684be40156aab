"""The command line: it parses, calls the library and prints.

Nothing heavy is imported here, so that help is instant; each command loads what it needs when it runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from tacita.cli.added import added_commands
from tacita.cli.parser import COMMANDS, build_parser
from tacita.cli.screen import Terminated, finish, ignore_echo, silence, stoppable, warn
from tacita.errors import TacitaError

__all__ = ["main"]

REFUSED, INTERRUPTED, TERMINATED = 1, 130, 143


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a refusal is one line on standard error and an exit code."""
    try:
        with stoppable():
            options = _options(sys.argv[1:] if arguments is None else arguments)
            _module(options.command).run(options)
            finish()
    except TacitaError as error:
        return _end(str(error), REFUSED)
    except KeyboardInterrupt as interrupt:
        ignore_echo()
        terminated = isinstance(interrupt, Terminated)
        return _end("terminated", TERMINATED) if terminated else _end("interrupted", INTERRUPTED)
    except BrokenPipeError:
        silence()  # the reader of our output is gone: no traceback at exit
        return REFUSED
    return 0


def _module(command: str) -> ModuleType:
    return import_module(f"tacita.cli.{command}") if command in COMMANDS else added_commands(COMMANDS)[command].load()


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    typed = arguments[: arguments.index("--")] if "--" in arguments else arguments
    has_config = any(word == "--config" or word.startswith("--config=") for word in typed)
    parser = build_parser(None if has_config else "".join(arguments[:1]))
    if has_config:
        from tacita.cli.config import apply_config

        arguments = apply_config(parser, arguments, typed)
    try:
        return parser.parse_args(arguments)
    except SystemExit:
        finish()  # help was printed, or standard error says what is wrong
        raise


def _end(sentence: str, code: int) -> int:
    warn(sentence)
    return code
