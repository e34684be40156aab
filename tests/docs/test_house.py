"""Nothing but a kind's own rooms knows a kind: not by an import, which the import linter sees, and not by a name in a string."""

import re
import tomllib
from pathlib import Path

from tacita.cli.parser import OF_EXTRAS
from tacita.kinds import _OF_EXTRAS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tacita"
RULES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
RULE = next(rule for rule in RULES if rule["name"] == "nothing but a kind's own rooms knows a kind")
CASES = {"cases", "subjects", "controls", "broken_mechanisms", "broken_networks", "broken_samplers"}
"""What an auditor tries and breaks is of some kind."""


def files_of(module):
    path = SOURCE / module.removeprefix("tacita.").replace(".", "/")
    return sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def test_the_rule_is_about_every_module_of_the_auditor_but_its_cases():
    found = {f"tacita.auditing.{path.stem}" for path in (SOURCE / "auditing").iterdir() if path.stem not in {*CASES, "__init__"}}
    found = {module for module in found if "__pycache__" not in module}
    assert found <= set(RULE["source_modules"])


def test_the_product_does_not_name_the_papers_package_in_a_string_either():
    naming = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if "tacita_papers" in path.read_text(encoding="utf-8")]
    assert naming == []


def test_the_methods_and_commands_that_an_extra_is_named_for_are_those_of_the_papers_package():
    registered = tomllib.loads((ROOT / "packages/tacita-papers/pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = registered["entry-points"]
    assert dict.fromkeys(points["tacita.methods"], "papers") == _OF_EXTRAS
    assert dict.fromkeys(points["tacita.commands"], "papers") == OF_EXTRAS


def test_no_room_of_a_kind_is_named_in_a_string_either():
    rooms = re.compile("|".join(re.escape(name) + r"\b" for name in RULE["forbidden_modules"]))
    naming = [
        f"{path.relative_to(SOURCE)}: {found[0]}"
        for module in RULE["source_modules"]
        for path in files_of(module)
        if (found := rooms.search(path.read_text(encoding="utf-8")))
    ]
    assert naming == []
