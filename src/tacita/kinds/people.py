"""People with events: a table with one row per person, and the events of each person in a file of their own."""

from __future__ import annotations

from tacita.kinds.options import TIMED_READING_OPTIONS, UNIVERSE
from tacita.kinds.registration import Kind, Method, Option

__all__ = ["KIND"]

BY_CLASS = Method(
    name="by-class",
    kind="people",
    loads="tacita.people:ByClass",
    audited="tacita.auditing.cases.people:Classes",
    keeps="synthetic people with typed rows, and events that are like those of people with the same value of one column",
    options=(
        Option(
            field_name="class_column",
            metavar="COLUMN",
            help="the column of few values by which events are published apart; by default the one with most values up to 16",
        ),
    ),
)

KIND = Kind(
    name="people",
    noun="person",
    about="a table with one row per person, and each person's events",
    whole="people with their events",
    pieces="people",
    records_have_lengths=False,
    public_options=(
        UNIVERSE,
        Option(
            field_name="columns",
            metavar="FILE",
            help="the columns of the table, declared as JSON; or as [columns.NAME] in tacita.toml",
        ),
    ),
    inputs="tacita.people.records:public_inputs",
    reading_options=(
        Option(field_name="events", metavar="FILE", help="the private file of events; with --time they have an order"),
        *(option for option in TIMED_READING_OPTIONS if option.field_name not in {"record", "per_person"}),
    ),
    reading="tacita.people.records:people_reading",
    read="tacita.people:read_people",
    nobody="tacita.people:no_people",
    output_format="tacita.people.records:people_format",
    opened="tacita.people:opened_people",
    reported="tacita.utility.people:sections",
    judged="tacita.utility.people:judged",
    drawn="tacita.utility.people:pictures",
    evaluation="tacita-evaluate-people-1",
    case="tacita.auditing.cases.people:PeopleCase",
    example=("--epsilon", "1"),
    methods=(BY_CLASS,),
)
