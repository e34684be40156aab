import pytest

from tacita.errors import ParameterError
from tacita.public.inputs import PerPerson


@pytest.mark.parametrize(
    ("text", "expected"), [("join", PerPerson.JOIN), ("cap=1", PerPerson.cap(1)), ("cap=12", PerPerson.cap(12))]
)
def test_what_is_parsed_is_rendered_again(text, expected):
    assert PerPerson.parse(text) == expected
    assert str(expected) == text


@pytest.mark.parametrize("text", ["", "Join", "cap", "cap=", "cap=-1", "cap=1.5", "cap=\u0663", "most=3", "cap=" + "9" * 30])
def test_other_words_are_refused(text):
    with pytest.raises(ParameterError, match="join or cap=N"):
        PerPerson.parse(text)


@pytest.mark.parametrize("most", [0, -1, 1.5, "3", True])
def test_a_cap_is_a_whole_number_from_one_on(most):
    with pytest.raises(ParameterError, match="whole number of at least 1"):
        PerPerson.cap(most)


def test_the_unit_says_whom_the_guarantee_protects():
    assert PerPerson.JOIN.unit("sequence") == "one person's sequence"
    assert PerPerson.cap(1).unit("sequence") == "one person's sequence, the first of theirs in order of time"
    assert (
        PerPerson.cap(3).unit("trip")
        == "one of the trips kept, at most 3 of each person (a whole person is protected at 3 times epsilon)"
    )


def test_a_person_has_as_many_records_as_the_cap_allows():
    assert [PerPerson.JOIN.records, PerPerson.cap(1).records, PerPerson.cap(7).records] == [1, 1, 7]
