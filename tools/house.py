"""How large the house is: modules, lines, aliases, places that branch on file formats, and what commands load and run.

    python tools/house.py                    this tree
    python tools/house.py --root ELSEWHERE   another checkout, with this Python

What a command loads is counted in a process of its own, on a small simulated agency, shop and city. A module is *run* if one of
its functions was called; importing it does not count.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parents[1]
LONG = 450
"""From here on a module needs a reason to be that long."""

FORMATS = frozenset({"csv", "parquet", "jsonl", "tsv", "wide", "lines", "dat", "seq", "edges", "snap"})
ENDINGS = frozenset({"endswith", "removesuffix"})
COMMANDS = {
    "publish sequences": "publish sequences metro/sequences.csv --epsilon 1 --universe metro/universe.txt --out sequences",
    "publish sets": "publish sets shop/sets.csv --epsilon 1 --universe shop/universe.txt --out sets",
    "stream": (
        "stream city.jsonl --clock events --method pace --contexts 40 --epsilon 1 --time-start 0 --time-step 1 "
        "--time-intervals 96 --universe city/universe.txt --state state --out stream"
    ),
    "report": "report metro/sequences.csv sequences --universe metro/universe.txt --out report.html",
}
WORLDS = {"metro": "metro", "shop": "baskets", "city": "stream"}

_TRACE = """
import json, os, sys, threading
out, root, words = sys.argv[1], os.path.realpath(sys.argv[2]) + os.sep, sys.argv[3:]
ran = set()
def seen(frame, event, _):
    if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_flags & 1:
        ran.add(frame.f_code.co_filename)
sys.setprofile(seen)
threading.setprofile(seen)
from tacita.cli import main
code = main(words)
sys.setprofile(None)
loaded = [name for name in sys.modules if name == "tacita" or name.startswith("tacita.")]
own = [name for name in map(os.path.realpath, ran) if name.startswith(root)]
lines = 0
for name in own:
    with open(name, encoding="utf-8") as module:
        lines += sum(1 for _ in module)
with open(out, "w", encoding="utf-8") as target:
    json.dump({"code": code, "loaded": len(loaded), "run": len(own), "lines": lines}, target)
"""


def main(arguments: list[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="count modules, lines, aliases, branches on formats, and what commands load")
    parser.add_argument("--root", type=Path, default=HERE, metavar="FOLDER", help="the checkout to measure (this one)")
    parser.add_argument("--no-commands", action="store_true", help="only read the source")
    options = parser.parse_args(arguments)
    for source in (options.root / "src" / "tacita", options.root / "packages" / "tacita-papers" / "src" / "tacita_papers"):
        if source.is_dir():
            _print_size(source)
    if not options.no_commands:
        _print_commands(options.root)
    return 0


def _print_size(source: Path) -> None:
    modules = sorted(source.rglob("*.py"))
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in modules}
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in modules}
    longest = max(modules, key=lambda path: lines[path])
    beyond = [path for path in modules if lines[path] > LONG]
    branching = [path for path, tree in trees.items() if _branches_on_a_format(tree)]
    print(f"{source.name}: {len(modules)} modules, {sum(lines.values()):,} lines, median {statistics.median(lines.values()):.0f}")
    print(f"  longest {longest.relative_to(source)} with {lines[longest]}; {len(beyond)} above {LONG}")
    print(f"  aliases of arrays defined: {sum(len(list(_aliases(tree))) for tree in trees.values())}")
    print(f"  modules that branch on a file format: {len(branching)}")
    for path in branching:
        print(f"    {path.relative_to(source)}")


def _aliases(tree: ast.Module) -> Iterator[ast.Assign]:
    """Names for types of arrays at the top of a module."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript) and "NDArray" in ast.unparse(node.value.value):
            yield node


def _branches_on_a_format(tree: ast.Module) -> bool:
    """Whether something is compared with the name or the ending of a file format, or with a member of an enum of formats."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ENDINGS:
            parts = list(node.args)
        else:
            continue
        if any(_names_a_format(each) for part in parts for each in ast.walk(part)):
            return True
    return False


def _names_a_format(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.lstrip(".") in FORMATS
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id.endswith(("Format", "Suffix"))


def _print_commands(root: Path) -> None:
    paths = [root / "src", root / "packages" / "tacita-papers" / "src"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    with TemporaryDirectory() as folder:

        def python(*words: str) -> None:
            done = subprocess.run(  # noqa: S603 - this repository's own commands
                [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise SystemExit(done.stderr)

        for name, world in WORLDS.items():
            python("-m", "tacita.cli", "simulate", world, "--records", "1000", "--out", name)
        events = csv.DictReader((Path(folder) / "city" / "streams.csv").read_text(encoding="utf-8").splitlines())
        lines = (json.dumps(event | {"time": int(event["time"])}) for event in sorted(events, key=lambda each: int(each["time"])))
        (Path(folder) / "city.jsonl").write_text("\n".join(lines), encoding="utf-8")
        for name, words in COMMANDS.items():
            python("-c", _TRACE, "trace.json", str(root / "src" / "tacita"), *words.split())
            seen = json.loads((Path(folder) / "trace.json").read_text(encoding="utf-8"))
            if seen["code"]:
                message = f"tacita {words} ended with {seen['code']}"
                raise SystemExit(message)
            print(f"{name}: {seen['loaded']} modules loaded, {seen['run']} run, with {seen['lines']:,} lines")


if __name__ == "__main__":
    sys.exit(main())
