"""The command line: it parses, calls the library and prints.

Nothing heavy is imported here, so that help answers at once; each command loads what it needs when it runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from tacita.cli.interrupts import ignore_echo
from tacita.cli.parser import build_parser
from tacita.core.errors import TacitaError

__all__ = ["main"]

REFUSED, INTERRUPTED = 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a refusal is one line on standard error and an exit code."""
    options = build_parser().parse_args(arguments)
    try:
        import_module(f"tacita.cli.{options.command}").run(options)
        sys.stdout.flush()
    except TacitaError as error:
        print(f"tacita: {error}", file=sys.stderr)  # noqa: T201 - the command line prints
        return REFUSED
    except KeyboardInterrupt:
        ignore_echo()
        print("tacita: interrupted", file=sys.stderr)  # noqa: T201
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read our output has gone: no traceback at exit
        return REFUSED
    return 0
