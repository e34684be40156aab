"""The kept list of mutants can be applied to the source as it is; `make mutants` sees that tests notice each."""

import ast
import importlib.util
import re
import sys
from functools import cache
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "mutants.py"
TESTS = ("tests/docs/test_mutants.py",)

MODULE = '''\
"""Größen."""
from math import floor, sqrt as root

LIMIT = 10  # a constant

class Cells:
    """Zellen."""

    sensitivity: int = 1

    @property
    def rate(self):
        return self.epsilon / self.sensitivity

    @rate.setter
    def rate(self, value):
        self.epsilon = value * self.sensitivity

    def draw(self, source, *, epsilon):
        größe = add("größer", noise(source,
            rate=2 * epsilon), epsilon=epsilon)  # stays
        if größe < 0:
            return None
        elif größe < LIMIT:
            return f"{größe + 1} of {floor(self.sensitivity)}"
        return größe * epsilon
'''


@cache
def tool():
    spec = importlib.util.spec_from_file_location("tool_for_mutants", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def a_tree(folder, **modules):
    for name, source in modules.items():
        path = (folder / "src" / "tacita" / name.replace("__", "/")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return folder


def made(folder, place, old, new, nth=None):
    return tool().Mutant(place, old, new, "why", TESTS, nth).made(folder)


def test_every_mutant_can_be_made_and_names_tests_that_exist():
    found = tool().mutants()
    assert len(found) >= 150
    assert [problem for problem in (mutant.problem for mutant in found) if problem] == []


def test_no_two_mutants_are_the_same():
    found = [(mutant.place, mutant.old, mutant.new, mutant.nth) for mutant in tool().mutants()]
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("name", "old", "new", "before", "after"),
    [
        ("Cells.draw", "größe*epsilon", "größe + epsilon", "return größe * epsilon", "return (größe + epsilon)"),
        ("Cells.draw", "rate = 2*epsilon", "rate=epsilon", "rate=2 * epsilon", "rate=(epsilon)"),
        ("Cells.draw", "noise(source, rate=2*epsilon)", "0", "noise(source,\n            rate=2 * epsilon)", "(0)"),
        ("Cells.draw", "'größer'", "'kleiner'", '"größer"', "('kleiner')"),
        ("Cells.draw", "return größe * epsilon", "x = größe\nreturn x", "return größe * epsilon", "x = größe\n        return x"),
        (
            "Cells.draw",
            "größe + 1",
            "LIMIT",
            'f"{größe + 1} of {floor(self.sensitivity)}"',
            "(f'{LIMIT} of {floor(self.sensitivity)}')",
        ),
        ("Cells.rate", "value * self.sensitivity", "value", "value * self.sensitivity", "(value)"),
        ("Cells.sensitivity", "sensitivity: int = 1", "sensitivity: int = 2", "sensitivity: int = 1", "sensitivity: int = 2"),
        ("Cells", "self.epsilon / self.sensitivity", "1", "self.epsilon / self.sensitivity", "(1)"),
        ("LIMIT", "10", "11", "10  #", "(11)  #"),
        ("LIMIT", "LIMIT = 10", "LIMIT = 11", "LIMIT = 10", "LIMIT = 11"),
        ("root", "from math import floor, sqrt as root", "from math import floor, cbrt as root", "sqrt as", "cbrt as"),
        (
            "Cells.draw",
            "if größe < LIMIT:\n    return f'{größe + 1} of {floor(self.sensitivity)}'",
            "return 0",
            'elif größe < LIMIT:\n            return f"{größe + 1} of {floor(self.sensitivity)}"',
            "else:\n            return 0",
        ),
    ],
)
def test_a_mutant_changes_its_piece_and_no_other_text(tmp_path, name, old, new, before, after):
    assert MODULE.count(before) == 1
    path, text = made(a_tree(tmp_path, room__module=MODULE), f"room:{name}", old, new)
    assert path == tmp_path / "src" / "tacita" / "room" / "module.py"
    assert text == MODULE.replace(before, after)


def test_a_whole_function_is_replaced_and_keeps_its_decorators(tmp_path):
    source = "class A:\n    @property\n    def b(self):\n        return 1\n\n    c = 2  # stays\n"
    _, text = made(a_tree(tmp_path, room__module=source), "room:A.b", "", "def b(self):\n    return 3")
    assert text == source.replace("return 1", "return 3")


def test_a_mutant_survives_a_move_within_its_room_and_to_the_other_package(tmp_path):
    tree = a_tree(tmp_path, room__module=MODULE, room__other="from tacita.room.module import Cells\n")
    folders = [tree / "src/tacita/room/deep/er", tree / "src/tacita/room", tree / "packages/tacita-papers/src/tacita_papers/room"]
    here = tree / "src/tacita/room/module.py"
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        here = here.rename(folder / "moved.py")
        assert made(tree, "room:Cells.draw", "größe * epsilon", "0")[0] == here
    here = here.rename(tree / "src/tacita/room.py")
    assert made(tree, "room:Cells.draw", "größe * epsilon", "0")[0] == here
    assert made(tree, "tacita:Cells.draw", "größe * epsilon", "0")[0] == here


def test_a_name_that_two_modules_define_needs_a_longer_path(tmp_path):
    tree = a_tree(tmp_path, room__one="LIMIT = 1\n", room__two="LIMIT = 1\n", room__three="from tacita.room.one import LIMIT\n")
    with pytest.raises(
        tool().CannotBeMadeError, match=r"'LIMIT' is defined in 2 modules of 'room', not in one; .*/one\.py, .*/two\.py"
    ):
        made(tree, "room:LIMIT", "1", "2")
    assert made(tree, "room.two:LIMIT", "1", "2") == (tree / "src/tacita/room/two.py", "LIMIT = (2)\n")


@pytest.mark.parametrize(
    ("place", "old", "new", "nth", "message"),
    [
        ("room:Cells.gone", "1", "2", None, "'Cells.gone' is defined in 0 modules of 'room', not in one"),
        (
            "hall:Cells.draw",
            "1",
            "2",
            None,
            "'Cells.draw' is defined in 0 modules of 'hall', not in one; it is now in src/tacita/room/module.py",
        ),
        ("room:", "1", "2", None, "'' is defined in 0 modules"),
        ("room:Cells.draw", "größe * 2", "0", None, "the piece occurs 0 times, not once: 'größe * 2'"),
        ("room:Cells.draw", "LIMIT = 10", "LIMIT = 11", None, "the piece occurs 0 times, not once"),
        ("room:Cells.draw", "epsilon", "0", None, "the piece occurs 3 times, not once: 'epsilon'"),
        ("room:Cells.draw", "epsilon", "0", 4, "the piece occurs 3 times, and the wanted one is number 4: 'epsilon'"),
        ("room:Cells.draw", "epsilon", "0", 0, "the piece occurs 3 times, and the wanted one is number 0: 'epsilon'"),
        ("room:Cells.draw", "if größe:", "0", None, "neither an expression nor statements: 'if größe:'"),
        ("room:Cells.draw", "return größe * epsilon", "return größe*(epsilon)", None, "changes nothing"),
        ("room:Cells.draw", "return None", "", None, "'' cannot take the place of 'return None'"),
        ("room:Cells.draw", "", "def drawn(self):\n    return 1", None, "one function is replaced by one of the same name"),
        ("room:Cells.rate", "", "def rate(self):\n    return 1", None, "one function is replaced by one of the same name"),
    ],
)
def test_a_mutant_that_does_not_fit_is_an_error(tmp_path, place, old, new, nth, message):
    with pytest.raises(tool().CannotBeMadeError, match=re.escape(message)):
        made(a_tree(tmp_path, room__module=MODULE), place, old, new, nth)


def test_the_number_of_an_occurrence_counts_in_the_order_of_the_source(tmp_path):
    tree = a_tree(tmp_path, room__module=MODULE)
    texts = [made(tree, "room:Cells.draw", "epsilon", "0", nth)[1] for nth in (1, 2, 3)]
    assert texts == [
        MODULE.replace("2 * epsilon", "2 * (0)"),
        MODULE.replace("epsilon=epsilon", "epsilon=(0)"),
        MODULE.replace("größe * epsilon", "größe * (0)"),
    ]
    assert all(ast.parse(text) for text in texts)


def test_a_run_stops_before_any_test_if_a_mutant_cannot_be_made(monkeypatch, capsys):
    module = tool()
    monkeypatch.setattr(module, "mutants", lambda _: [module.Mutant("privacy:gone", "1", "2", "why", TESTS)])
    monkeypatch.setattr(module, "_run_all", lambda *_, **__: pytest.fail("tests were run"))
    assert module.main([]) == module.main(["--check"]) == 1
    assert "CANNOT BE MADE  privacy:gone: 'gone' is defined in 0 modules of 'privacy'" in capsys.readouterr().out


def test_a_word_that_no_mutant_has_is_an_error(capsys):
    assert tool().main(["--check", "--only", "no such word"]) == 1
    assert capsys.readouterr().out == "no mutant of the list '*' has 'no such word' in its place or reason\n"
