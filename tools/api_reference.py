"""Write the reference of the Python interface from the code's own signatures and docstrings, or check that it is up to date."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from pathlib import Path

import tacita
import tacita_papers
from tacita.formats import FileFormat
from tacita.kinds import kinds

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "python.md"
HEADER = """# The Python interface

Rendered from signatures and docstrings by `make docs`. With `import tacita as ta`, the verbs, the public inputs and the ledger
are names of `ta`; everything else is in a room, such as `ta.sequences.NGram`. A mechanism has `plan`, `explain` and `publish`;
what a release promises is in its docstring, under *Guarantees*.
"""
PAPERS = """
## Baselines of the papers

Names of `tacita_papers`, which `pip install 'tacita[papers]'` installs.
"""


def main() -> int:
    """Write the page; with --check, only compare."""
    text = HEADER + "".join(_section(title, things) for title, things in _groups().items())
    text += PAPERS + "".join(_described(name, getattr(tacita_papers, name)) for name in tacita_papers.__all__)
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        print("docs/reference/python.md is not up to date; run make docs")
        return 1
    return 0


def _groups() -> dict[str, list[tuple[str, object]]]:
    """The public names: those for every kind of data first, then those of the rooms."""
    rooms = tacita._ROOMS  # noqa: SLF001 - the one list of public names
    core = sorted((name for name in tacita.__dir__() if name not in rooms), key=str.casefold)
    listed = {"Every kind of data": [(name, getattr(tacita, name)) for name in core]}
    for name in rooms:
        room = getattr(tacita, name)
        own = [(each, getattr(room, each)) for each in sorted(room.__all__, key=str.casefold) if not _is_registered(name, each)]
        listed[f"ta.{name}"] = [(name, room), *own]
    return listed


def _is_registered(room: str, name: str) -> bool:
    """Whether a kind's registration names a function of its room, which nobody else calls."""
    kind = kinds().get(room)
    return kind is not None and f"tacita.{room}:{name}" in {value for value in vars(kind).values() if isinstance(value, str)}


def _section(title: str, things: list[tuple[str, object]]) -> str:
    return f"\n## {title}\n" + "".join(_described(name, thing) for name, thing in things)


def _described(name: str, thing: object) -> str:
    if inspect.ismodule(thing):
        return f"\n{_text(thing)}\n"
    heading = f"\n### {name}\n\n```text\n{_signature(name, thing)}\n```\n"
    if inspect.isclass(thing) and issubclass(thing, Enum):
        return f"{heading}\n{_text(thing)}\n\nValues: {', '.join(f'`{member.name}`' for member in thing)}.\n"
    parts = [heading, f"\n{_text(thing)}\n"]
    if inspect.isclass(thing):
        parts += [f"\n- `{_one_line(method)}`: {_text(function, first=True)}\n" for method, function in _methods(thing)]
    return "".join(parts)


def _methods(thing: type) -> list[tuple[str, object]]:
    found = []
    for name, member in vars(thing).items():
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if not name.startswith("_") and inspect.isfunction(function) and function.__doc__:
            found.append((f"{name}{inspect.signature(function)}", function))
    return found


def _one_line(signature: str) -> str:
    return _plain(re.sub(r"\(self(, )?", "(", re.sub(r"\(cls(, )?", "(", signature)))


def _signature(name: str, thing: object) -> str:
    """As one would write it; a dataclass shows its fields."""
    if is_dataclass(thing) and isinstance(thing, type):
        shown = [_field(part) for part in fields(thing) if part.init]
        return f"{name}(*, {', '.join(shown)})" if shown else f"{name}()"
    if inspect.isclass(thing) and issubclass(thing, Enum | Exception):
        return name
    try:
        signature = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name
    return _plain(name + signature)


def _field(part: Field[object]) -> str:
    kind = part.type if isinstance(part.type, str) else getattr(part.type, "__name__", str(part.type))
    has_default = part.default is not MISSING or part.default_factory is not MISSING
    default = (
        "..."
        if part.default is MISSING or not isinstance(part.default, str | int | float | Enum | FileFormat | None)
        else _shown(part.default)
    )
    return f"{part.name}: {_plain(kind)}" + (f" = {default}" if has_default else "")


def _shown(value: object) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def _plain(text: str) -> str:
    """Without module names, addresses in memory, and quotes around annotations."""
    text = re.sub(r"<([\w.]+) object at 0x[0-9a-f]+>", r"\1()", text)
    text = re.sub(r"<(\w+)\.(\w+): [^>]+>", r"\1.\2", text)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    return re.sub(r"\b(?:tacita|collections\.abc|typing|pathlib|numpy|fractions|datetime)(?:\.[a-z_]+)*\.(?=[A-Z])", "", text)


def _text(thing: object, *, first: bool = False) -> str:
    text = inspect.getdoc(thing) or ""
    text = re.split(r"\n\s*>>> ", text)[0].strip()
    if first:
        text = text.partition("\n\n")[0].replace("\n", " ")
    text = re.sub(r"^(Needs|Guarantees|Neighbours|Budget|Not covered|Reference): ", r"\n**\1.** ", text, flags=re.MULTILINE)
    text = text.replace("<", "&lt;")
    return re.sub(
        r"^(    .*(?:\n    .*)*)", lambda found: "```text\n" + inspect.cleandoc(found[1]) + "\n```", text, flags=re.MULTILINE
    )


if __name__ == "__main__":
    sys.exit(main())
