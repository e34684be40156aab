"""Write the reference of the command line from its own help, or check that it is up to date."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

os.environ["COLUMNS"] = "100"  # help is wrapped for the terminal's width; here it must always be the same

from tacita.cli.parser import build_parser

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "command-line.md"
HEADER = """# The command line

Rendered from `tacita --help` by `make format`; `make check` fails when it is not up to date.

Exit codes: 0 done, 1 refused (one line on standard error says why), 2 wrong usage, 130 interrupted.
"""


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """This parser and all below it, in order."""
    yield parser
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way down
        if isinstance(action.choices, dict):
            for child in action.choices.values():
                yield from parsers(child)


def main() -> int:
    """Write the page; with --check, only compare."""
    sections = [f"\n## {parser.prog}\n\n```text\n{parser.format_help().strip()}\n```\n" for parser in parsers(build_parser())]
    text = HEADER + "".join(sections)
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        print("docs/reference/command-line.md is not up to date; run make format")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
