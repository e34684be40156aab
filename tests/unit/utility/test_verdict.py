"""The verdict of a release follows a stated rule, and its first line says when a simpler release, or none, is better."""

import pytest

from tacita.utility.verdict import LIMITS, LONGEST_TITLE, Grade, Judged, Judgement, grouped, headline


def judged(off, **more):
    told = {"nothing": 1.0, "simplest": 0.5, "measure": "count", "use": "Counts", **more}
    return Judged(off=off, short=told["use"].lower(), **told)


def judgement(*measures, sizes=(100, 100)):
    return Judgement(measures=measures, sizes=sizes, pieces="rows", simplest="columns alone")


@pytest.mark.parametrize(
    ("off", "nothing", "simplest", "grade"),
    [
        (0.10, 1.0, 0.5, Grade.GOOD),
        (0.11, 1.0, 0.5, Grade.CARE),
        (0.30, 1.0, 0.5, Grade.CARE),
        (0.31, 1.0, 0.5, Grade.BAD),
        (0.05, 0.05, 0.5, Grade.BAD),
        (0.08, 1.0, 0.01, Grade.CARE),
        (0.20, 1.0, 0.05, Grade.BAD),
        (0.009, 1.0, 0.005, Grade.GOOD),
        (0.0, 0.0, 0.0, Grade.GOOD),
    ],
)
def test_a_measure_is_graded_by_its_limits_and_its_floors(off, nothing, simplest, grade):
    assert judged(off, nothing=nothing, simplest=simplest).grade is grade


def test_every_measure_has_limits_of_which_care_is_beyond_good():
    assert all(0 < each.good < each.care <= 1 and each.what for each in LIMITS.values())


def test_a_release_that_is_worse_than_the_simplest_says_so_in_its_first_line():
    assert headline(judgement(judged(0.4, simplest=0.055, is_main=True))) == (
        "Do not publish this one: a simpler release is 7 times better"
    )
    assert headline(judgement(judged(0.14, simplest=0.08, is_main=True))).startswith("Do not publish this one")
    others = [judged(0.2, simplest=0.01, use=f"Use {number}") for number in range(3)]
    assert headline(judgement(judged(0.01, is_main=True), *others)) == (
        "Do not publish this one: a simpler release is better at 3 of 4 measures"
    )


def test_a_release_that_is_no_better_than_nothing_or_empty_says_so_in_its_first_line():
    assert "publishing nothing" in headline(judgement(judged(1.2, simplest=3.0, is_main=True)))
    assert "empty" in headline(judgement(judged(0.0, is_main=True), sizes=(100, 0)))


def test_a_headline_says_what_is_good_and_what_is_not_in_ninety_characters():
    long = [judged(off, use=f"{'very ' * 8}long use {off}", is_main=off == 0.01) for off in (0.01, 0.02, 0.2, 0.25, 0.35, 0.4)]
    assert (
        headline(judgement(judged(0.01, is_main=True, use="Places"), judged(0.4, use="Routes")))
        == "Good for places; not for routes"
    )
    assert headline(judgement(judged(0.2, is_main=True))) == "Use with care for counts"
    assert headline(judgement(judged(0.4, is_main=True))).startswith("Do not use this one")
    for some in (long, long[:1], long[2:4], long[4:]):
        assert len(headline(judgement(*some))) <= LONGEST_TITLE


def test_measures_of_a_group_are_one_line_with_their_range():
    (line,) = grouped([judged(off, use=f"ward {off}", measure="area", group="wards") for off in (0.21, 0.3)])
    assert (line.use, line.said, line.short) == ("ward 0.21 and ward 0.3", "off by 21 % to 30 %", "2 wards")
