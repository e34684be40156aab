"""Write the command-line reference from the command's own help, or check that it is up to date."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["COLUMNS"] = "100"  # help is wrapped to the width of the terminal; here it must always be the same

from tacita.cli.parser import build_parser, every_parser

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "command-line.md"
HEADER = """# The command line

Rendered from `tacita --help` by `make format`; `make check` fails when it is not up to date.

Exit codes: 0 done, 1 refused (one line on standard error says why), 2 wrong usage, 130 interrupted (Ctrl-C), 143 terminated
(SIGTERM). Whatever the code, nothing is left half-written. [Configuration files and scripts](../how-to/configure-and-script.md)
explains `--config`, `--json`, `--dry-run` and `completion`.
"""


def main() -> int:
    """Write the page; with --check, only compare."""
    sections = [
        f"\n## {parser.prog}\n\n```text\n{parser.format_help().strip()}\n```\n" for _, parser in every_parser(build_parser())
    ]
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
