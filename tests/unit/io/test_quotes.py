"""The proof on the bytes of a whole text agrees with a walk over each of its lines."""

import csv
import io

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacita.io import Misfits
from tacita.io.csv_rows import Shape

FIELD = st.text('ab", ', max_size=6)


def fitting(text, width):
    """The lines that are kept, whether the text was taken as it is, and how many lines were left out."""
    data, misfits = text.encode(), Misfits()
    kept = Shape(",", '"', width).fitting(data, misfits)
    return bytes(kept).decode().split("\n")[:-1], kept is data, len(misfits)


@given(
    rows=st.lists(st.lists(FIELD, min_size=3, max_size=3), min_size=1, max_size=5),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_standard_library_writes_fits_as_it_is(rows, quoting, end):
    target = io.StringIO(newline="")
    csv.writer(target, quoting=quoting, lineterminator=end).writerows(rows)
    assert fitting(target.getvalue(), 3)[1:] == (True, 0)


@given(text=st.text('a",\n\r', max_size=16), width=st.integers(1, 3))
@example(text='"a\n"a', width=1)
@example(text='"a"\ra,a', width=2)
@settings(max_examples=400)
def test_a_line_fits_if_a_walk_over_its_signs_says_so(text, width):
    text += "\n"
    lines = [line for line in text.split("\n") if line.rstrip("\r")]
    kept, _, left_out = fitting(text, width)
    expected = [line for line in lines if fields(line.removesuffix("\r")) == width]
    assert [line for line in kept if line.rstrip("\r")] == expected
    assert left_out == len(lines) - len(expected)


def fields(line):
    """One sign after the other: outside a field's marks, inside them, or just behind the mark that may close them."""
    state, number = "begin", 1
    for sign in line:
        if state == "inside":
            state = "behind" if sign == '"' else "inside"
        elif sign == ",":
            state, number = "begin", number + 1
        elif state == "behind":
            if sign != '"':
                return None
            state = "inside"
        elif sign == '"':
            if state != "begin":
                return None
            state = "inside"
        else:
            state = "plain"
    return None if state == "inside" else number
