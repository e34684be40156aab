"""Small random people with events for tests."""

from hypothesis import strategies as st

from strategies import _neighbouring_rows
from tacita.auditing.cases.people import PeopleCase
from tacita.privacy.budget import PureDP

CASE = PeopleCase(name="people", mechanism=None, budget=PureDP("1"), classes="ABCD", labels="ABCD")


def people_records(rows):
    """People from texts over A to D: the first letter is the class, all letters are events; empty texts are nobody's."""
    return CASE.records(tuple(row[0] + row for row in rows if row))


def people_lists(held):
    """What each private or published person shows, as a list of codes."""
    return CASE.lists(held)


@st.composite
def neighbouring_people(draw):
    """Two data sets, the second with one person more, at any place; the text of that person may be empty."""
    rows, more = draw(_neighbouring_rows("ABCD", 5))
    return people_records(rows), people_records(more)
