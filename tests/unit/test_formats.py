"""File formats of other packages: what a second registration may not take."""

from dataclasses import replace

import pytest

from tacita.errors import ParameterError
from tacita.formats import FileFormat, formats


@pytest.fixture
def beside(monkeypatch):
    """Look up the formats as if another package registered this one."""

    def look_up(other):
        monkeypatch.setattr("tacita.formats.registered", lambda *_: iter((other,)))
        formats.cache_clear()
        return formats()

    yield look_up
    monkeypatch.undo()
    formats.cache_clear()


def test_a_format_of_another_package_stands_beside_the_own_ones(beside):
    assert "pipes" in beside(replace(FileFormat.CSV, name="pipes", endings=(".psv",)))


def test_a_name_that_is_taken_is_refused(beside):
    with pytest.raises(ParameterError, match="'csv' is registered twice"):
        beside(replace(FileFormat.CSV, endings=(".psv",)))


def test_an_ending_that_is_taken_is_refused_and_named(beside):
    with pytest.raises(ParameterError, match=r"'pipes' must end in something else than \.tsv: that is taken"):
        beside(replace(FileFormat.CSV, name="pipes", endings=(".psv", ".tsv")))
