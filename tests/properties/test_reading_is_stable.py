"""One person's row never changes how another's is read, whatever it holds: in every format, kind of frame and engine."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading_rows import FORMS, check


@pytest.mark.parametrize("form", FORMS)
@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=12)
def test_what_is_read_of_all_people_is_what_is_read_of_each_half(tmp_path_factory, form, chance):
    check(FORMS[form], chance, tmp_path_factory.mktemp("stable"))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_so_it_is_in_many_thousand_cases(tmp_path, form):
    for seed in range(1000):
        check(FORMS[form], random.Random(f"{form} {seed}"), tmp_path)
