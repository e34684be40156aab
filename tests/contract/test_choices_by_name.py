"""Wherever a class holds one of some choices, the name of the choice is as good as the choice, and another name is refused."""

import pkgutil
import re
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from importlib import import_module

import pytest

import tacita
import tacita_papers
from tacita.errors import ParameterError
from tacita.formats import FileFormat, StoredFormat
from tacita.kinds import kind_of, methods
from tacita.public.parameters import Chosen
from tacita.testing.contract import contract_cases

TAKEN_OTHERWISE = {
    "BeliefBound.forms",  # several of them, each converted
    "PrefixTree.granularity",  # None stands for what other parameters imply
    "StoredFormat.compression",  # None stands for a plain file
    "SeenColumn.native",  # made by Tacita alone, from the type of a column
}


def classes():
    """Every dataclass of both packages, with the names of its module."""
    for package in (tacita, tacita_papers):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith("__main__"):
                names = vars(import_module(module.name))
                yield from ((each, names) for each in list(names.values()) if is_class_of(each, module.name))


def is_class_of(value, module):
    return isinstance(value, type) and is_dataclass(value) and value.__module__ == module


def holds_choice(annotation, names):
    """Whether an annotation names an enumeration of strings, not as the key of a dictionary."""
    named = (names.get(word) for word in re.findall(r"\w+", str(annotation)))
    is_choice = any(isinstance(each, type) and issubclass(each, StrEnum) for each in named)
    return is_choice and not str(annotation).startswith("dict[")


def test_no_dataclass_holds_a_choice_that_a_plain_string_could_stand_for():
    with_choices = [
        (f"{each.__name__}.{field.name}", isinstance(vars(each).get(field.name), Chosen))
        for each, names in classes()
        for field in fields(each)
        if holds_choice(field.type, names)
    ]
    assert sum(is_converted for _, is_converted in with_choices) > 40
    assert {name for name, is_converted in with_choices if not is_converted} == TAKEN_OTHERWISE


WITH_CASES = [name for name, method in methods().items() if kind_of(method).case is not None]


@pytest.mark.parametrize("method", WITH_CASES)
def test_every_choice_of_every_method_is_taken_by_name_and_refused_by_a_wrong_one(method):
    mechanism = next(contract_cases(method)).mechanism
    for field in fields(mechanism):
        chosen = getattr(mechanism, field.name)
        if isinstance(chosen, StrEnum):
            assert getattr(replace(mechanism, **{field.name: str(chosen)}), field.name) is chosen
            assert str(replace(mechanism, **{field.name: str(chosen)})) == str(mechanism)
            with pytest.raises(ParameterError, match="'no such choice'"):
                replace(mechanism, **{field.name: "no such choice"})


def test_a_compression_is_taken_by_name():
    assert StoredFormat(FileFormat.CSV, "gz") == StoredFormat.parse("csv.gz")
    assert StoredFormat(FileFormat.CSV, "gz").compression is StoredFormat.parse("csv.gz").compression
    with pytest.raises(ParameterError, match="a compression must be one of gz, zst, got 'zip'"):
        StoredFormat(FileFormat.CSV, "zip")
