"""Write the command-line reference from the command's own help, or check that it is up to date.

The product is shown as it is without any other package; what `tacita[papers]` adds has a section of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from unittest.mock import patch

os.environ["COLUMNS"] = "100"  # help is wrapped to the width of the terminal; here it must always be the same

from tacita.cli.parser import AddedCommand, build_parser, every_parser
from tacita.kinds import Method, kinds, methods
from tacita.kinds.options import parameter_default, with_default

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "command-line.md"
PAPERS = "tacita_papers"
HEADER = """# The command line

Rendered from `tacita --help` by `make format`; `make check` fails when it is not up to date.

Exit codes: 0 done, 1 refused (one line on standard error says why), 2 wrong usage, 130 interrupted (Ctrl-C), 143 terminated
(SIGTERM). Whatever the code, nothing is left half-written. [Configuration files and scripts](../how-to/configure-and-script.md)
explains `--config`, `--json`, `--dry-run` and `completion`.

A command about data takes the kind of data as its first word, and the options of that kind only. They are here once, for
`publish`; `explain`, `compare`, `lattice` and `attack` take those that they need, and are shown for one kind.
"""
ADDED = """
## What `tacita[papers]` adds

`pip install 'tacita[papers]'` installs a package with baselines that the papers compare with, and a command that
[runs their experiments again](../how-to/reproduce-the-papers.md). The methods are offered wherever a method is named:

| method | kind | keeps | options |
|---|---|---|---|
"""


def main() -> int:
    """Write the page; with --check, only compare."""
    with _alone():
        text = HEADER + "".join(_sections())
    text += ADDED + "".join(map(_row, _methods_of_papers()))
    reproduce = dict(every_parser(build_parser()))["reproduce",]
    text += _section(reproduce.prog, reproduce.format_help())
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        print("docs/reference/command-line.md is not up to date; run make format")
        return 1
    return 0


def _sections() -> Iterator[str]:
    """Every command; for publish, every kind with the parameters of its methods; other commands by one kind."""
    shown: set[str] = set()
    for path, parser in every_parser(build_parser()):
        is_of_a_kind = len(path) > 1 and path[1] in kinds()
        if is_of_a_kind and path[0] != "publish":
            if path[0] in shown:
                continue
            shown.add(path[0])
        yield _section(parser.prog, parser.format_help())
        if is_of_a_kind and path[0] == "publish":
            for method in kinds()[path[1]].methods:
                if method.options:
                    yield f"\n### --method {method.name}\n\nKeeps {method.keeps}.\n\n{_parameters(method)}"


def _parameters(method: Method) -> str:
    """The parameters of a method, with the defaults of the library."""
    lines = ["| parameter | |", "|---|---|"]
    for option in method.options:
        value = "" if option.switch else f" {'{' + ','.join(option.choices) + '}' if option.choices else option.metavar}"
        text = with_default(option, parameter_default(method, option.field_name)).replace("|", "\\|")
        lines.append(f"| `{option.flag}{value}` | {text} |".replace("FILE|N", "FILE"))
    return "\n".join(lines) + "\n"


@contextmanager
def _alone() -> Iterator[None]:
    """The product without the packages that add to it."""
    nothing: dict[str, AddedCommand] = {}
    with patch("tacita.kinds.registered", lambda *_: iter(())), patch("tacita.cli.parser.added_commands", lambda _: nothing):
        _forget()
        yield
    _forget()


def _forget() -> None:
    kinds.cache_clear()
    methods.cache_clear()


def _methods_of_papers() -> list[Method]:
    found = [point.load() for point in entry_points(group="tacita.methods") if point.module.startswith(PAPERS)]
    return sorted(found, key=lambda method: (list(kinds()).index(method.kind), method.name))


def _row(method: Method) -> str:
    options = ", ".join(f"`{option.flag}`" for option in method.options)
    return f"| `{method.name}` | {method.kind} | {method.keeps} | {options} |\n"


def _section(title: str, text: str) -> str:
    return f"\n## {title}\n\n```text\n{text.strip()}\n```\n"


if __name__ == "__main__":
    sys.exit(main())
