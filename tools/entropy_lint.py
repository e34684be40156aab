"""Refuse entropy outside the one module that may touch it.

`tacita.seeded` and `tacita.simulate` may hold seeded generators: what they make is stamped NOT PRIVATE, or is public from the
start.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT / "src" / "tacita", ROOT / "packages" / "tacita-papers" / "src")
ALLOWED = ("src/tacita/privacy/randomness.py", "src/tacita/seeded.py", "src/tacita/simulate/")
MODULES = {"random", "secrets", "uuid", "numpy.random"}
ATTRIBUTES = {"urandom", "getrandom", "default_rng", "RandomState", "SystemRandom"}


def findings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every place in a syntax tree that reaches for entropy."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names if name.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{name.name}" for name in node.names} | {str(node.module)}
            found = names & (MODULES | {f"os.{name}" for name in ATTRIBUTES})
            yield from ((node.lineno, name) for name in found)
        elif isinstance(node, ast.Attribute):
            is_numpy_random = node.attr == "random" and isinstance(node.value, ast.Name) and node.value.id in {"np", "numpy"}
            if is_numpy_random or node.attr in ATTRIBUTES:
                yield node.lineno, ast.unparse(node)


def main() -> int:
    """Lint the source; 1 if anything was found."""
    failed = False
    for path in sorted(path for source in SOURCES for path in source.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(ALLOWED):
            continue
        for line, what in findings(ast.parse(path.read_text(encoding="utf-8"))):
            print(f"{name}:{line}: {what}: entropy belongs in src/tacita/privacy/randomness.py")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
