"""Break the code on purpose, one privacy mistake at a time, and check that a test notices each.

The lists of mutants are the modules of `tests/mutants`, one for each part of the library; a new mutant is one entry:

    (
        "privacy:Cells.rate",                     the room, and the qualified name of a function, class or constant in it
        "self.epsilon / self.sensitivity",        a piece of it
        "self.epsilon",                           what takes the place of that piece
        "cells whose noise leaves the sensitivity out",     why this is a breach
        ("tests/unit/auditing/test_controls.py",),   arguments of pytest; one of these tests must fail
    ),

The name is looked up in all modules of the room, so a mutant survives a move from one module to another. If several modules
define the name, a longer path to the right one is needed, such as `privacy.questions:Cells.rate`. A name that is only imported
can be named too. In a room's path, the first word may also be a package: `tacita_papers:table`.

A piece is an expression, a keyword argument (`sensitivity=2`), or one or more statements. Syntax trees are compared, so quotes,
line breaks and comments do not matter. The piece must occur exactly once in what is named: write a larger one, or give the number
of the occurrence, from 1, as a sixth element of the entry. With an empty piece, a whole function is replaced by another `def` of
the same name, which keeps its decorators unless it brings its own.

Every mutant is applied to a copy of the tree, its tests run there, and the module is restored. A mutant that no test notices
survives, and the run fails.

    python tools/mutants.py                 all of them
    python tools/mutants.py --only ngram    those whose place or reason contains this word
    python tools/mutants.py --list streams  those of one module of `tests/mutants`
    python tools/mutants.py --check         only check that every mutant can be made; runs no test
    python tools/mutants.py --show          print each mutant as a diff; runs no test
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from textwrap import dedent, indent

ROOT = Path(__file__).parents[1]
LISTS = ROOT / "tests" / "mutants"
PACKAGES = ("src/tacita", "packages/tacita-papers/src/tacita_papers")
"""Where rooms are looked for; one that does not exist is passed over."""
COPIED = ("src", "packages", "tests", "tools", "pyproject.toml")
SECONDS = 300
"""How much CPU time the tests of one mutant may take; sound code must need at most a fifth of it, so that a mutant that hangs is
not confused with a busy machine."""

_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class CannotBeMadeError(Exception):
    """A mutant does not fit the source."""


@dataclass(frozen=True)
class Mutant:
    """One mistake: at `place`, the piece `old` becomes `new`; `tests` are arguments of pytest, some of which must fail."""

    place: str
    old: str
    new: str
    why: str
    tests: tuple[str, ...]
    nth: int | None = None

    @property
    def problem(self) -> str:
        """Why the mutant cannot be made, if it cannot."""
        if any("=" in word for word in self.tests):
            return f"{self.place}: a name that tests are chosen by cannot hold an equals sign: {' '.join(self.tests)}"
        files = [word.split("::")[0] for word in self.tests if word.startswith(("tests/", "packages/"))]
        missing = [file for file in files if not (ROOT / file).exists()]
        if missing:
            return f"{self.place}: no such tests: {', '.join(missing)}"
        try:
            self.made(ROOT)
        except CannotBeMadeError as error:
            return f"{self.place}: {error}"
        return ""

    def made(self, root: Path) -> tuple[Path, str]:
        """The module below `root` that the mutant changes, and its changed source."""
        room, _, name = self.place.partition(":")
        path, source = _module_that_defines(name, room=room, root=root)
        return path, changed(source, name, self.old, self.new, nth=self.nth)


def _module_that_defines(name: str, *, room: str, root: Path) -> tuple[Path, str]:
    owners = _owners(name, room=room, root=root)
    if len(owners) == 1:
        return owners.popitem()
    message = f"{name!r} is defined in {len(owners)} modules of {room!r}, not in one"
    if owners:
        message += f"; give a longer path to one of {_listed(owners, root)}"
    elsewhere = {} if owners else _owners(name, room="", root=root)
    if elsewhere:
        message += f"; it is now in {_listed(elsewhere, root)}"
    raise CannotBeMadeError(message)


def _listed(paths: Iterable[Path], root: Path) -> str:
    return ", ".join(str(path.relative_to(root)) for path in paths)


def _owners(name: str, *, room: str, root: Path) -> dict[Path, str]:
    """The modules of a room that define a name or, if none does, that import it; and their sources."""
    sources = {path: path.read_text(encoding="utf-8") for path in _modules(room, root)}
    likely = {
        path: source for path, source in sources.items() if all(word in source for word in name.split("."))
    }  # parse only these
    found = {path: _defined(name, _parsed(source).body) for path, source in likely.items()}
    anywhere = [path for path, there in found.items() if there]
    owners = [path for path in anywhere if not all(map(_is_import, found[path]))]
    return {path: sources[path] for path in owners or anywhere}


@cache
def _parsed(source: str) -> ast.Module:
    """The tree of a module, to be looked at and not changed: many mutants are of the same one."""
    return ast.parse(source)


def _modules(room: str, root: Path) -> list[Path]:
    """The modules of a room, which is a folder or a module of one of the packages."""
    path = Path(*room.split("."))
    packages = [root / package for package in PACKAGES]
    tops = [top / path for package in packages for top in (package, package.parent)]
    found = [module for top in tops for module in (top.with_suffix(".py"), *sorted(top.rglob("*.py")))]
    return [module for module in dict.fromkeys(found) if module.is_file()]


def _defined(name: str, body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that bind a qualified name; a property with a setter has two."""
    first, _, rest = name.partition(".")
    found = [statement for statement in _in_scope(body) if first in _bound(statement)]
    if not rest:
        return found
    return [inner for outer in found if isinstance(outer, _SCOPES) for inner in _defined(rest, outer.body)]


def _in_scope(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, (*_SCOPES, ast.expr)):
            yield from _in_scope(ast.iter_child_nodes(node))


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, _SCOPES):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.split(".")[0] for alias in statement.names}
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        inside = [node for target in targets for node in ast.walk(target)]
        return {node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return set()


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


@dataclass(frozen=True)
class _Spot:
    """Where a piece was found: nodes that follow one another in a field of their parent."""

    parent: ast.AST
    field: str
    start: int | None
    nodes: tuple[ast.AST, ...]

    def replace(self, new: list[ast.AST]) -> None:
        """Change the tree."""
        if self.start is None:
            setattr(self.parent, self.field, new[0])
        else:
            getattr(self.parent, self.field)[self.start : self.start + len(self.nodes)] = new


def changed(source: str, name: str, old: str, new: str, *, nth: int | None = None) -> str:
    """The source of a module in which a piece of what `name` binds is replaced; all other text stays as it is."""
    tree = ast.parse(source)
    bound = _defined(name, tree.body)
    readings = _readings(old, new) if old.strip() else [_whole_function(bound, new)]
    spots = [(spot, becomes) for piece, becomes in readings for spot in _spots(tree, bound, piece)]
    if len(spots) != 1 if nth is None else not 1 <= nth <= len(spots):
        message = f"the piece occurs {len(spots)} times, not once: {old!r}"
        if nth is not None:
            message = f"the piece occurs {len(spots)} times, and the wanted one is number {nth}: {old!r}"
        raise CannotBeMadeError(message)
    text = _spliced(source, tree, *spots[(nth or 1) - 1])
    if not _parses_to(tree, text):
        message = f"{new!r} cannot take the place of {old!r}"
        raise CannotBeMadeError(message)
    if _same(tree, _parsed(source)):
        message = f"{new!r} changes nothing"
        raise CannotBeMadeError(message)
    return text


def _readings(old: str, new: str) -> list[tuple[list[ast.AST], list[ast.AST]]]:
    """What the two texts can mean: a pair of expressions, or else pairs of statements or of keyword arguments."""
    try:
        return [([_expression(old)], [_expression(new)])]
    except SyntaxError:
        pass
    piece, becomes = _statements(old), _statements(new)
    as_keywords = [_as_keyword(piece), _as_keyword(becomes)]
    return [(piece, becomes), *([(as_keywords[0], as_keywords[1])] if all(as_keywords) else [])]


def _expression(text: str) -> ast.AST:
    return ast.parse(text.strip(), mode="eval").body


def _statements(text: str) -> list[ast.AST]:
    try:
        return [*ast.parse(dedent(text)).body]
    except SyntaxError as error:
        message = f"neither an expression nor statements: {text!r}"
        raise CannotBeMadeError(message) from error


def _as_keyword(statements: list[ast.AST]) -> list[ast.AST]:
    match statements:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            return [ast.keyword(arg=name, value=value)]
    return []


def _whole_function(bound: list[ast.stmt], new: str) -> tuple[list[ast.AST], list[ast.AST]]:
    match bound, _statements(new):
        case [ast.FunctionDef() | ast.AsyncFunctionDef() as old], [ast.FunctionDef() | ast.AsyncFunctionDef() as function]:
            if old.name == function.name:
                function.decorator_list = function.decorator_list or old.decorator_list
                return [old], [function]
    message = f"without a piece, one function is replaced by one of the same name, not by {new!r}"
    raise CannotBeMadeError(message)


def _spots(tree: ast.Module, bound: list[ast.stmt], piece: list[ast.AST]) -> Iterator[_Spot]:
    """Where the piece occurs in what is bound, in the order of the source."""
    inside = {id(node) for statement in bound for node in ast.walk(statement)}
    same = [spot for spot in _runs(tree, len(piece), inside) if all(map(_same, spot.nodes, piece))]
    yield from sorted(same, key=lambda spot: _start(spot.nodes[0]))


def _runs(tree: ast.Module, length: int, inside: set[int]) -> Iterator[_Spot]:
    """All runs of so many nodes that follow one another in a field and are all inside."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                places = [id(node) in inside for node in value]
                for start in range(len(value) - length + 1):
                    if all(places[start : start + length]):
                        yield _Spot(parent, field, start, tuple(value[start : start + length]))
            elif length == 1 and id(value) in inside:
                yield _Spot(parent, field, None, (value,))


def _same(one: object, other: object) -> bool:
    """Whether two trees are the same; where a node is in the text, and whether it is read or assigned to, do not matter."""
    if isinstance(one, ast.AST):
        fields = [field for field in one._fields if field not in {"ctx", "kind", "type_comment"}]
        return type(one) is type(other) and all(_same(getattr(one, field), getattr(other, field)) for field in fields)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


def _parses_to(tree: ast.Module, text: str) -> bool:
    try:
        return _same(tree, ast.parse(text))
    except SyntaxError:
        return False


def _spliced(source: str, tree: ast.Module, spot: _Spot, new: list[ast.AST]) -> str:
    """Change the tree at the spot, and return the text with the same change."""
    first, last = spot.nodes[0], spot.nodes[-1]
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    around = [node for node in strings if node is not first and any(inner is first for inner in ast.walk(node))]
    spot.replace(new)
    if around:  # inside of an f-string, Python 3.11 does not know positions
        first, last, new = around[0], around[0], [around[0]]
    raw = source.encode()
    lines = [0, *(found.end() for found in re.finditer(rb"\n", raw))]
    line, column = _start(first)
    begin, end = lines[line - 1] + column, lines[last.end_lineno - 1] + last.end_col_offset
    if isinstance(first, ast.keyword):
        text = f"{new[0].arg}=({ast.unparse(new[0].value)})"
    elif isinstance(first, ast.stmt):
        text = "\n".join(map(ast.unparse, new))
        if raw.startswith(b"elif", begin):
            text = f"else:\n{indent(text, '    ')}"
        text = indent(text, " " * column).lstrip(" ")
    else:
        text = f"({ast.unparse(new[0])})"
    return (raw[:begin] + text.encode() + raw[end:]).decode()


def _start(node: ast.AST) -> tuple[int, int]:
    """The line and the column, in bytes, where a node begins, its decorators included."""
    decorators = getattr(node, "decorator_list", [])
    return (decorators[0] if decorators else node).lineno, node.col_offset


def mutants(name: str = "*") -> list[Mutant]:
    """All mutants of all lists, or of one."""
    found: list[Mutant] = []
    for path in sorted(LISTS.glob(f"{name}.py")):
        spec = spec_from_file_location(f"mutants_of_{path.stem}", path)
        if spec is None or spec.loader is None:
            continue
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        found += [Mutant(*entry) for entry in module.MUTANTS]
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the mutants; 1 if one survives or cannot be made."""
    parser = argparse.ArgumentParser(description="apply privacy mutants one by one and report which test notices each")
    parser.add_argument("--only", default="", metavar="WORD", help="only those whose place or reason contains this word")
    parser.add_argument("--list", default="*", metavar="NAME", help="only those of this module of tests/mutants")
    parser.add_argument("--check", action="store_true", help="only check that every mutant can be made")
    parser.add_argument("--show", action="store_true", help="only print each mutant as a diff")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many at a time (1)")
    options = parser.parse_args(arguments)
    chosen = [mutant for mutant in mutants(options.list) if options.only in f"{mutant.place} {mutant.why}"]
    if not chosen:
        print(f"no mutant of the list {options.list!r} has {options.only!r} in its place or reason")
        return 1
    problems = [problem for problem in (mutant.problem for mutant in chosen) if problem]
    for problem in problems:
        print(f"CANNOT BE MADE  {problem}")
    if problems or options.check:
        print(f"{len(chosen) - len(problems)} of {len(chosen)} mutants can be made")
        return int(bool(problems))
    if options.show:
        for mutant in chosen:
            print(f"{mutant.place}: {mutant.why}\n{_diff(mutant)}")
        return 0
    began = time.monotonic()
    survivors = sum(not noticed for noticed in _run_all(chosen, jobs=options.jobs))
    print(f"{len(chosen) - survivors} of {len(chosen)} mutants noticed, {survivors} survived, {time.monotonic() - began:,.0f} s")
    return int(bool(survivors))


def _diff(mutant: Mutant) -> str:
    path, text = mutant.made(ROOT)
    name = str(path.relative_to(ROOT))
    return "".join(
        unified_diff(path.read_text(encoding="utf-8").splitlines(keepends=True), text.splitlines(keepends=True), name, name)
    )


def _run_all(chosen: list[Mutant], *, jobs: int) -> Iterator[bool]:
    """Run the mutants in as many copies of the tree as there are jobs."""
    copies: SimpleQueue[Path] = SimpleQueue()
    sound: set[tuple[str, ...]] = set()
    with TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        for job in range(jobs):
            copies.put(_copy(Path(folder) / str(job)))

        def run(mutant: Mutant) -> tuple[Mutant, str, float]:
            copy, began = copies.get(), time.monotonic()
            try:
                if mutant.tests not in sound:
                    _require_sound(mutant.tests, copy)
                    sound.add(mutant.tests)
                with _applied(mutant, copy):
                    return mutant, _failure(mutant.tests, copy), time.monotonic() - began
            finally:
                copies.put(copy)

        for mutant, test, seconds in pool.map(run, chosen):
            verdict = f"noticed by {test}" if test else "SURVIVED"
            print(f"{'ok      ' if test else 'SURVIVED'} {seconds:4.0f} s  {mutant.place}: {mutant.why}; {verdict}", flush=True)
            yield bool(test)


def _copy(folder: Path) -> Path:
    folder.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        elif source.exists():
            shutil.copy(source, folder / name)
    return folder


@contextmanager
def _applied(mutant: Mutant, copy: Path) -> Iterator[None]:
    path, text = mutant.made(copy)
    whole = path.read_bytes()
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_bytes(whole)


def _require_sound(tests: tuple[str, ...], copy: Path) -> None:
    """Refuse tests that fail anyway, or barely end in time: they would notice nothing."""
    failure = _failure(tests, copy, seconds=SECONDS // 5)
    if failure:
        message = f"the tests {' '.join(tests)} fail on the code as it is: {failure}"
        raise SystemExit(message)


def _failure(tests: tuple[str, ...], copy: Path, *, seconds: int = SECONDS) -> str:
    """The first test that fails, if any."""
    folders = [*((copy / package).parent for package in PACKAGES), copy / "tests"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:randomly", "-p", "no:cacheprovider", "--tb=no", *tests]
    done = subprocess.run(  # noqa: S603 - the tests of this repository
        ["/bin/sh", "-c", f'ulimit -t {seconds}; exec "$@"', "sh", *words],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL}:
        return f"the clock: more than {seconds} s of CPU"
    found = _FAILED.search(done.stdout)
    if done.returncode and not found:
        message = f"the tests {' '.join(tests)} cannot run, code {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
        raise SystemExit(message)
    return found.group(1) if found else ""


if __name__ == "__main__":
    sys.exit(main())
