import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError
from tacita.io import csv_rows

FIELD = st.text('ab", \n\r', max_size=6)


def is_tidy(text):
    try:
        csv_rows.require_tidy_quotes(text.encode(), separator=",", quote='"', source="x")
    except InputError:
        return False
    return True


@pytest.mark.parametrize("chunk", [3, 1 << 24])
@given(
    rows=st.lists(st.lists(FIELD, min_size=1, max_size=4), min_size=1, max_size=5),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_what_the_standard_library_writes_is_tidy(chunk, rows, quoting):
    target = io.StringIO(newline="")
    csv.writer(target, quoting=quoting).writerows(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "_CHUNK", chunk)
        assert is_tidy(target.getvalue())


@pytest.mark.parametrize("chunk", [3, 1 << 24])
@given(text=st.text('a",\n', max_size=12))
def test_a_text_is_tidy_if_a_walk_over_its_signs_says_so(chunk, text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "_CHUNK", chunk)
        assert is_tidy(text) == walk(text)


def walk(text):
    """One sign after the other: outside a field's marks, inside them, or just behind the mark that may close them."""
    state = "begin"
    for sign in text:
        if state == "inside":
            state = "behind" if sign == '"' else "inside"
        elif sign in ",\n":
            state = "begin"
        elif state == "behind":
            if sign != '"':
                return False
            state = "inside"
        elif sign == '"':
            if state != "begin":
                return False
            state = "inside"
        else:
            state = "plain"
    return state != "inside"
