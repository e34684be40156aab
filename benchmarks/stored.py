"""Runs of benchmarks in CSV files, so that a measurement that was cut goes on where it was, and tables inside pages."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path

__all__ = ["digest", "put_into_page"]

START, END = "<!-- tables: begin -->", "<!-- tables: end -->"


def digest(files: Iterable[Path]) -> str:
    """A digest of what modules do, whatever their comments and docstrings say: runs of other code are told by it."""
    return hashlib.sha256("".join(map(_meaning, files)).encode()).hexdigest()[:8]


def _meaning(file: Path) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    return ast.dump(tree)


def put_into_page(page: Path, text: str) -> None:
    """Put tables between the two marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(START)
    page.write_text(f"{before}{START}\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
