"""The kept list of mutants can be applied to the source as it is; `make mutants` sees that tests notice each."""

import importlib.util
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "mutants.py"


def tool():
    spec = importlib.util.spec_from_file_location("tool_for_mutants", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_mutant_can_be_made_and_names_tests_that_exist():
    found = tool().mutants()
    assert len(found) >= 70
    assert [mutant.problem for mutant in found if mutant.problem] == []


def test_no_two_mutants_are_the_same():
    found = [(mutant.file, mutant.old, mutant.new) for mutant in tool().mutants()]
    assert len(found) == len(set(found))
