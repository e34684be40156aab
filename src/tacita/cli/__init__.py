"""The command line: it parses, calls the library and prints.

Nothing heavy is imported here, so that help is instant; each command loads what it needs when it runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tacita.cli.parser import COMMANDS, added_commands, build_parser
from tacita.cli.screen import Terminated, finish, ignore_echo, silence, stoppable, warn
from tacita.errors import ParameterError, TacitaError

__all__ = ["main"]

FILE_NAME = "tacita.toml"
"""As `tacita.kinds.configuration` has it, which is loaded only if there is such a file."""

REFUSED, INTERRUPTED, TERMINATED = 1, 130, 143


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a refusal is one line on standard error and an exit code."""
    try:
        with stoppable():
            options = _options(sys.argv[1:] if arguments is None else arguments)
            _require_memory(options.command)
            _module(options.command).run(options)
            finish()
    except TacitaError as error:
        return _end(str(error), REFUSED)
    except MemoryError:
        return _end("this needs more memory than there is; free some, or count in blocks on disk (--engine blocks)", REFUSED)
    except KeyboardInterrupt as interrupt:
        ignore_echo()
        terminated = isinstance(interrupt, Terminated)
        return _end("terminated", TERMINATED) if terminated else _end("interrupted", INTERRUPTED)
    except BrokenPipeError:
        silence()  # the reader of our output is gone: no traceback at exit
        return REFUSED
    return 0


LEAST_MEMORY = 2 * 2**30
"""The least address space in bytes: with less, threads of the libraries abort the process, or wait for one another for ever."""


def _require_memory(command: str) -> None:
    """Refuse to run below a limit on memory (`ulimit -v`) that the libraries do not survive; a ledger needs none of them."""
    try:
        import resource
    except ImportError:  # not every system has such limits
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if command != "ledger" and limit != resource.RLIM_INFINITY and limit < LEAST_MEMORY:
        message = f"the memory of a process must not be limited to less than {LEAST_MEMORY:,} bytes (ulimit -v), got {limit:,}"
        raise ParameterError(message)


def _module(command: str) -> ModuleType:
    return import_module(f"tacita.cli.{command}") if command in COMMANDS else added_commands(COMMANDS)[command].load()


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = build_parser("".join(arguments[:1]))
    configuration = None
    if arguments and (Path(FILE_NAME).is_file() or any(word.startswith("--config") for word in arguments)):
        from tacita.cli.choices import configure

        arguments, configuration = configure(parser, arguments)
    try:
        return parser.parse_args(arguments, argparse.Namespace(configuration=configuration))
    except SystemExit:
        finish()  # help was printed, or standard error says what is wrong
        raise


def _end(sentence: str, code: int) -> int:
    warn(sentence)
    return code
