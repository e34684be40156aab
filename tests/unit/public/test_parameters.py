"""Choices that are given by name, and are always the choice itself."""

from dataclasses import FrozenInstanceError, dataclass, replace
from enum import StrEnum

import pytest

from tacita.errors import ParameterError
from tacita.public.parameters import Chosen


class Shape(StrEnum):
    ROUND = "round"
    FLAT = "flat"


@dataclass(frozen=True, kw_only=True)
class Plate:
    shape: Chosen[Shape] = Chosen(Shape, Shape.ROUND)


def test_a_choice_is_taken_by_name_and_given_as_itself():
    assert Plate().shape is Shape.ROUND
    assert Plate(shape="flat").shape is Plate(shape=Shape.FLAT).shape is Shape.FLAT
    assert Plate(shape="flat") == replace(Plate(), shape="flat") != Plate()
    assert len({Plate(shape="flat"), Plate(shape=Shape.FLAT)}) == 1
    assert repr(Plate()) == "Plate(shape=<Shape.ROUND: 'round'>)"


def test_what_is_no_choice_is_refused_by_name_and_a_frozen_field_stays():
    with pytest.raises(ParameterError, match="shape must be one of round, flat, got 'square'"):
        Plate(shape="square")
    with pytest.raises(FrozenInstanceError):
        Plate().shape = "flat"
