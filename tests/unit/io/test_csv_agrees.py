"""Line by line, our reader and the standard library's find the same people with the same labels."""

import csv
import io
import re
from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError
from tacita.io import read_lists
from tacita.public.universe import Universe

UNIVERSE = Universe(["a", "b", "c,d", 'e"', "f g"])
FIELDS = st.tuples(
    st.sampled_from(["1", "01", "p", "\u00e9 1", "-0", "0"]),
    st.sampled_from([*UNIVERSE.labels, "zz"]),
    st.sampled_from(["1", "2", "3.5", "-1"]),
)
PIECES = st.sampled_from(['"', ",", "\n", '""', "1", "\r\n", "a,", " ", "x", "\n\n", ',"'])


@st.composite
def texts(draw):
    """CSV as the standard library writes it, with a few pieces put in or signs taken out anywhere."""
    more = draw(st.sampled_from([[], ["more"]]))
    target = io.StringIO(newline="")
    writer = csv.writer(
        target,
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
    )
    writer.writerow(["id", "label", "time", *more])
    writer.writerows([*row, *more] for row in draw(st.lists(FIELDS, min_size=1, max_size=8)))
    text = target.getvalue()
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(PIECES) + text[place + draw(st.integers(0, 2)) :]
    return text


FIELD = r'(?:"(?:[^"]|"")*"|[^",]*)'
"""What a field may look like; the standard library takes marks anywhere."""


def by_hand(text):
    """The lists of codes of the lines that fit."""
    first, *lines = [line.removesuffix("\r") for line in text.split("\n") if line.removesuffix("\r")]
    (header,) = csv.reader([first])
    people = defaultdict(list)
    for line in lines:
        if not re.fullmatch(f"{FIELD}(?:,{FIELD}){{{len(header) - 1}}}", line):
            continue
        (row,) = csv.reader([line])
        person, label, time = (dict(zip(header, row, strict=True))[name] for name in ("id", "label", "time"))
        if person and label and re.fullmatch(r"[-+]?[0-9]+([.][0-9]*)?|[-+]?[.][0-9]+", time):
            people[person] += [(float(time), UNIVERSE.code(label))] if label in UNIVERSE else []
    return sorted([code for _, code in sorted(events)] for events in people.values() if events)


@given(texts())
@settings(max_examples=200)
def test_both_readers_agree(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("csv") / "taps.csv"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        found = sorted(read_lists(path, universe=UNIVERSE).lists.to_lists())
    except InputError:
        return
    if "\r" not in text.replace("\r\n", ""):
        assert found == by_hand(text)
