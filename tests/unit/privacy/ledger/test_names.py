"""When two names mean the same data set."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import LedgerError
from tacita.privacy.ledger.entries import check_name, keys


def same(first, second):
    return bool(set(keys(first)) & set(keys(second)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("données", "donne\u0301es"),
        ("données", "DONNÉES"),
        ("Straße", "STRASSE"),
        ("taps", "t\u0430ps"),  # Cyrillic a
        ("TAPS", "\u0422\u0410\u0420S"),  # Cyrillic capitals
        ("HOUSE", "\u041dOUSE"),  # a capital whose small letter looks different
        ("Nice", "\u039dice"),  # Greek capital nu
        ("view", "\u03bdiew"),  # Greek small nu
        ("\u039d\u03af\u03ba\u03b7", "\u03bd\u03af\u03ba\u03b7"),  # a Greek word in either case
        ("taps-2024", "taps\u20132024"),  # a dash
        ("owner's", "owner\u2019s"),
        ("taps 2024", "taps\u00a02024"),
        ("taps 2024", "taps  2024"),
        ("taps 1", "taps \u0661"),  # an Arabic digit
        ("taps", "\uff54\uff41\uff50\uff53"),  # full width
        ("taps", "ta\ufe00ps"),  # an invisible variation selector
        ("office", "o\ufb03ce"),  # a ligature
    ],
)
def test_names_that_people_take_for_the_same_are_the_same(first, second):
    assert same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("taps", "tapes"),
        ("taps-2024", "taps-2023"),
        ("mail", "mall"),
        ("donnees", "données"),
        ("a-b", "a_b"),
        ("taps 1", "taps l"),
    ],
)
def test_names_that_people_tell_apart_are_different(first, second):
    assert not same(first, second)


@given(st.text(min_size=1))
def test_every_case_and_form_of_a_name_is_the_name(name):
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert same(name, unicodedata.normalize(form, name))
    assert same(name, name.casefold())


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1),
    st.text(st.characters(min_codepoint=33, max_codepoint=126)),
)
def test_plain_names_are_the_same_only_if_their_letters_are(first, second):
    plain = first.lower().replace("`", "'") == second.lower().replace("`", "'")
    assert same(first, second) == plain


@pytest.mark.parametrize("name", ["", " taps", "ta\nps", "taps ", "ta\u200bps", "ta\u202eps"])
def test_a_name_that_hides_something_is_refused(name):
    with pytest.raises(LedgerError, match="printable string without spaces around it"):
        check_name(name)
