"""The errors are one tree, and the drawing of it is true."""

import ast
import inspect
import re
from pathlib import Path

import tacita
from tacita import errors
from tacita.errors import TacitaError

DRAWN = re.compile(r"^    (?P<branches>[│├└─ ]*)(?P<name>\w+Error)\b", re.MULTILINE)


def test_every_error_is_drawn_below_the_one_that_it_is_a_kind_of():
    parents, drawn = [], {}
    for line in DRAWN.finditer(errors.__doc__):
        depth = len(line["branches"]) // 4
        parents[depth:] = [line["name"]]
        drawn[line["name"]] = parents[depth - 1] if depth else "Exception"
    defined = {name: kind for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, TacitaError)}
    assert drawn == {name: kind.__bases__[0].__name__ for name, kind in defined.items()}
    assert sorted(drawn) == sorted(errors.__all__)


def test_no_error_is_defined_elsewhere():
    elsewhere = [
        f"{path.name}: {node.name}"
        for path in Path(tacita.__file__).parent.rglob("*.py")
        if path != Path(errors.__file__)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith(("Error", "Exception")) for base in node.bases)
    ]
    assert elsewhere == []
