"""People with events: a table of persons and the events of each, in one release under one guarantee.

Read `records` (a person's row, and the list of that person's events), `published` (what is released), then `by_class` (how: the
table by `marginals`, events class by class by the methods of their own kinds, dealt to the synthetic persons of the class).
"""

from tacita.people.by_class import ByClass
from tacita.people.published import PublishedPeople, opened_people
from tacita.people.records import PeopleReading, PeopleRecords, no_people, people_of, read_people

__all__ = [
    "ByClass",
    "PeopleReading",
    "PeopleRecords",
    "PublishedPeople",
    "no_people",
    "opened_people",
    "people_of",
    "read_people",
]
